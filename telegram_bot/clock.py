"""Deadlines and pauses: what is due is answered through the same door as a press (DESIGN.md 1.4).

Every process ticks, once a second; whoever comes first has the game, by the database's lock. Ticks are APScheduler's:
interval jobs in memory, nothing else of it (its stores lose and double jobs: field/backend.md 4.1).
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Sequence
from datetime import UTC
from random import Random

from apscheduler.schedulers.asyncio import AsyncIOScheduler
from msgspec.structs import replace

import core
from core.players import bot, clock
from db.records import Event, GameRow, Timer
from db.store import Away, Store, Unit
from telegram_bot import gathering, holiday, lobby, orders, pace, play, recap, show, votes, waiting
from telegram_bot.errors import told
from telegram_bot.memo import memo_of

log = logging.getLogger(__name__)

# Which timers answer for a seat, and as whom.
ANSWERS: dict[str, play.By] = {pace.DEADLINE: "clock", pace.BOT: "bot player", pace.PASS: "order", pace.ORDER: "order"}
SILENCE = 30.0  # seconds; who did not tick for so long asks first whether there was an outage
AT_ONCE = 50  # answers in one transaction: a game of twelve late players needs twelve


class Clock:
    """Ticks for one process. `run` ticks until it is cancelled, and finishes the answer that it is giving then."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.ticked_at = time.monotonic()
        self._lived_at = -math.inf
        self.stopping = False
        self._ticking = asyncio.Lock()

    def trouble(self, age: float) -> str:
        """ "" while it ticks; else, after so many seconds without a tick, what is wrong."""
        return "" if time.monotonic() - self.ticked_at < age else "the clock does not tick"

    async def run(self) -> None:
        """Tick for good, a look at the due games a second."""
        scheduler = AsyncIOScheduler(
            timezone=UTC, job_defaults={"coalesce": True, "max_instances": 2, "misfire_grace_time": None}
        )
        self.stopping = False
        scheduler.add_job(self._tick_alone, "interval", seconds=1)
        scheduler.add_job(self.prune, "interval", hours=1)
        scheduler.start()
        try:
            await asyncio.Event().wait()
        finally:
            self.stopping = True
            scheduler.pause()
            async with self._ticking:
                pass
            scheduler.shutdown(wait=False)

    async def _tick_alone(self) -> None:
        """A tick, unless the one before is still at work (when very much is due at once)."""
        if not self._ticking.locked():
            async with self._ticking:
                await self.tick()

    async def look_up(self) -> None:
        """Before a press is taken: if this process has not lived for a while, an outage is forgiven first. Else who
        presses at once would have paid for it."""
        if time.monotonic() - self._lived_at > SILENCE:
            await self._live()

    async def _live(self) -> None:
        await self.store.forgive_outage(tell=pace.OUTAGE)
        self._lived_at = time.monotonic()

    async def tick(self) -> None:
        """Answer for everybody whose time has run out, game by game."""
        try:
            await self._live()
            if await self.take_one():
                # While one waits for the database the other works; a third would leave the presses without connections.
                await asyncio.gather(self._take_all(), self._take_all())
        except Away:
            log.warning("no tick: the database is away")
        else:
            self.ticked_at = time.monotonic()

    async def _take_all(self) -> None:
        while not self.stopping and await self.take_one():
            pass

    async def take_one(self) -> bool:
        """The game that is due for longest, if there is one. One that fails waits a minute and says where."""
        game_id = 0
        try:
            async with self.store.claim_due() as unit:
                if unit is None or unit.game is None:
                    return False
                game_id = unit.game.id
                wakes = any(timer.kind == pace.MORNING for timer in pace.due(unit.game, unit.now))
                ring(unit, await self.store.events(game_id, turns=recap.LOG) if wakes else ())
        except Away:
            raise
        except Exception as error:
            log.error("the clock of game %d failed: %s", game_id, told(error))
            if not game_id:
                return False
            await self.store.put_off(game_id)
        return True

    async def prune(self) -> None:
        try:
            await self.store.prune()
        except Away:
            log.warning("nothing pruned: the database is away")


def ring(unit: Unit, log: Sequence[Event] = ()) -> None:
    """Everything that is due in a game, the earliest first; an answer may end what else was due.

    A game whose group the bot cannot write to stands still until it can again. *log*: what happened lately, for the
    morning.
    """
    if _is_paused(unit):
        return
    for _ in range(AT_ONCE):
        assert unit.game is not None
        due = pace.due(unit.game, unit.now)
        if not due:
            return
        _ring_one(unit, due[0], log)


def _is_paused(unit: Unit) -> bool:
    """Whether a game stands still, after what was heard of its place: whether anything can be said there."""
    game, chat = unit.game, unit.chat
    assert game is not None
    heard = [timer for timer in game.timers if timer.kind in (pace.SHUT, pace.OPEN)]
    if heard:
        unit.game = game = replace(game, timers=tuple(timer for timer in game.timers if timer not in heard))
    out = chat is not None and chat.road in ("left", "muted")
    shut = out or bool(heard) and heard[-1].kind == pace.SHUT
    if game.status == "playing" and shut:
        since = chat.left_at if out and chat is not None else heard[0].at
        play.pause(unit, "away", min(since or unit.now, unit.now))
    elif game.status == "paused" and heard and not shut and memo_of(game).why == "away":
        try:
            play.resume(unit)
        except core.Diverged:
            play.begin_turn_again(unit)
    return unit.game is not None and unit.game.status == "paused"


def _ring_one(unit: Unit, timer: Timer, log: Sequence[Event]) -> None:
    game = unit.game
    assert game is not None
    try:
        _do(unit, game, timer, log)
    except core.Diverged:
        play.begin_turn_again(unit)


def _do(unit: Unit, game: GameRow, timer: Timer, log: Sequence[Event]) -> None:
    if timer.kind in ANSWERS and timer.seat is not None:
        _answer(unit, timer, timer.seat)
        return
    unit.game = replace(game, timers=tuple(other for other in game.timers if other != timer))
    match timer.kind:
        case pace.CLOSE:
            lobby.close(unit)
        case pace.READY if game.status == "lobby":
            gathering.ask_ready(unit)
        case pace.START if game.status == "lobby":
            gathering.start(unit)
        case pace.LOOK if game.status == "playing":
            show.again(unit, play.standing(game))
        case pace.OUTAGE if game.status == "playing":
            play.after_outage(unit)
        case pace.OUTAGE if game.status == "lobby":
            gathering.after_outage(unit)
        case pace.REMIND if timer.seat is not None:
            waiting.remind(unit, timer.seat)
        case pace.WAKE if timer.seat is not None:
            waiting.wake(unit, timer.seat, timer.at)
        case pace.COUNT if game.status == "playing":
            votes.recount(unit)
        case pace.MORNING if game.status == "playing":
            recap.morning(unit, log)
        case pace.BACK if timer.seat is not None:
            holiday.over(unit, timer.seat)


def _answer(unit: Unit, timer: Timer, seat: core.Seat) -> None:
    """The clock chooses as R65 says, a bot player as well as it can: both from the view of the seat alone.

    An order is looked at again: if it does not fit any more, the question stays as it is.
    """
    game = unit.game
    assert game is not None
    step = play.standing(game)
    choice: core.Choice | None
    match timer.kind:
        case pace.PASS:
            choice = core.PASS
        case pace.ORDER:
            fit = orders.fitting(game, step, seat)
            choice = None if fit is None else fit.choice
        case pace.DEADLINE:
            choice = clock.answer_for(step, seat)
        case _:
            dice = Random(f"{step.table.seed}/bot/{step.table.turn}/{len(step.game.answers)}/{seat}")
            choice = bot.choose(core.view(step, seat), dice)
    if choice is None:
        unit.game = replace(game, timers=tuple(other for other in game.timers if other != timer))
    else:
        play.answer(unit, seat, choice, ANSWERS[timer.kind])
