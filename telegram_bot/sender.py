"""Makes what is shown what is wanted, at the pace Telegram allows (DESIGN.md 1.3).

    sender = Sender(store, bot)
    await sender.run()          # for good; cancelled, it finishes what is in flight and gives the lead up

In all processes one sender leads (an advisory lock, db/screens.py); the others stand by. The one that leads looks what
screens want something, takes the first of each chat that may be spoken to now, and makes one call for it; there is one
call in flight a chat, so that what is said there stays in order, and chats do not wait for each other. How each call
ended is written before the next look. It looks when a press of this process commits, when another process says so, when
a call is answered or a limit ends, and every second.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Iterable
from math import inf
from secrets import token_hex

from msgspec.structs import replace
from telegram import Bot

from db.screens import Block, Deed, Desk, Screen, Sent
from db.store import Away, Store

from .calls import Outcome, call
from .limits import Bucket, Lane, Limits

log = logging.getLogger(__name__)

#: A standby asks for the lead so often, and a leader looks at least so often.
POLL = 0.5
LOOK = 1.0
#: What can be said within so many seconds counts as being said (`Sender.idle`).
SOON = 0.1
#: SIGTERM: what is in flight has so long to be answered.
FINISH = 8.0
#: Deeds that can wait, and count.
EDITS = ("edit", "strip")
#: A chat that the bot is out of, may not write to, or a topic that is closed is tried again after so many seconds, in
#: case that nobody tells us that it is open.
AGAIN = {"left": 3600.0, "muted": 600.0, "topic": 300.0}
#: Roads that opened beside a press are looked for, and lanes are cleared away, so often.
TIDY = 10.0
#: After so many failures a screen lets the others of its chat go first.
PATIENCE = 4
ASIDE = 60.0


class Sender:
    """Shows the screens of *store* through *bot*. *workers*: so many calls in flight at once."""

    def __init__(self, store: Store, bot: Bot, *, limits: Limits | None = None, workers: int = 16) -> None:
        self.store = store
        self.bot = bot
        self.limits = limits or Limits()
        self.workers = workers
        self.name = token_hex(8)
        self.leads = False
        self.stopping = False
        self._woken = asyncio.Event()
        self._stopped = asyncio.Event()
        self._lanes: dict[int, Lane] = {}
        #: Chats with something that has to wait: until when, and whether only edits have to.
        self._held: dict[int, tuple[float, bool]] = {}
        #: Chats, or topics of them, that could not be written to when we last tried, and what was tried.
        self._out: dict[tuple[int, int | None], Deed | None] = {}
        self._flying: dict[int, asyncio.Task[None]] = {}
        self._landed: list[tuple[Screen, Outcome]] = []
        self._idle: list[asyncio.Future[float]] = []
        self._clock = (0.0, 0.0)
        self._pause = (0.0, 0)
        self._overall = Bucket(self.limits.overall, self.limits.overall, 0.0, 0.0)
        self._tidied = 0.0
        self._end = inf

    # What others call.

    async def run(self) -> None:
        """Stand by, and lead when nobody else does, until `stop` or until cancelled: then in order, within 10 s."""
        self.stopping = False
        self._end = inf
        self._stopped.clear()
        self.store.after_commit.append(self._committed)
        work = asyncio.create_task(self._work())
        try:
            await asyncio.shield(work)
        except asyncio.CancelledError:
            self.stop()
            await work
            raise
        finally:
            self.store.after_commit.remove(self._committed)

    def stop(self) -> None:
        """Take nothing new, finish what is in flight, give up the lead; `run` returns then, after `FINISH` at most."""
        if not self.stopping:
            self._end = time.monotonic() + FINISH
        self.stopping = True
        self._stopped.set()
        self._woken.set()

    def wake(self) -> None:
        """There may be something to show."""
        self._woken.set()

    async def idle(self) -> float:
        """Wait until nothing is in flight and nothing can be done now; how many seconds until something can (or inf).

        Only where this sender leads, or will.
        """
        future: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        self._idle.append(future)
        self._woken.set()
        return await future

    def _committed(self) -> bool:
        self._woken.set()
        return self.leads

    # Standing by and leading.

    async def _work(self) -> None:
        while not self.stopping or (self._flying or self._landed) and time.monotonic() < self._end:
            try:
                desk = await Desk.open(self.store.url, self._woken.set)
            except Away as error:
                log.warning("the sender has no database: %s", error)
                await self._nap(1.0)
                continue
            try:
                while not self.stopping and not await desk.lead(self.name):
                    await self._write(desk)
                    await self._nap(POLL)
                if not self.stopping:
                    self.leads = True
                    log.info("this sender leads")
                    await self._lead(desk)
                await self._finish(desk)
            except Away as error:
                # The lock went with the connection. What is in flight still lands, and is written down when there is a
                # database again, by us if we lead again, and else where nobody else did it meanwhile.
                self.leads = False
                log.warning("the sender lost its database: %s", error)
                await self._nap(POLL)
            finally:
                self.leads = False
                await desk.close()

    async def _nap(self, seconds: float) -> None:
        if self.stopping:
            return await asyncio.sleep(SOON)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stopped.wait()

    async def _lead(self, desk: Desk) -> None:
        waiting: list[asyncio.Future[float]] = []
        now = await self._look_up(desk)
        self._overall = Bucket(self.limits.overall, self.limits.overall, 0.0, now)
        while not self.stopping:
            self._woken.clear()
            waiting += self._idle
            self._idle.clear()
            await self._write(desk)
            now, screens = await desk.wanting(*self._closed(), at_most=4 * self.workers)
            self._clock = (now, time.monotonic())
            nap = await self._begin(desk, screens, now)
            if not self._flying and not self._landed and nap > SOON:
                _answer(waiting, nap)
            if nap > 0 and not self._woken.is_set():
                with desk.listening(), contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(min(nap, LOOK)):
                        await self._woken.wait()
            if time.monotonic() - self._tidied > TIDY:
                self._tidied = time.monotonic()
                await desk.roads_again()
                self._tidy(now)
        self._idle += waiting

    async def _finish(self, desk: Desk) -> None:
        """Let what is in flight land, write it down, and leave the lead to whoever comes next."""
        while self._flying and (left := self._end - time.monotonic()) > 0:
            await self._write(desk)
            await asyncio.wait(self._flying.values(), timeout=left, return_when=asyncio.FIRST_COMPLETED)
        await self._write(desk)
        await desk.resign(self.name)
        _answer(self._idle, inf)

    async def _look_up(self, desk: Desk) -> float:
        """Take over what the sender before us used up."""
        now, _ = await desk.wanting((), (), at_most=0)
        self._clock = (now, time.monotonic())
        self._pause = (0.0, 0)
        self._lanes.clear()
        self._held.clear()
        self._out = dict.fromkeys(await desk.shut())
        await desk.doubt_edits()
        for known in await desk.limits():
            lane = self._lane(known.chat_id, now)
            # One more may have been in flight there when its sender died.
            lane.sent.extend((*known.sent, now) if known.sent else ())
            if known.why == "flood":
                lane.blocked_until = known.blocked_until or 0.0
        return now

    # Choosing.

    def now(self) -> float:
        """The database's time, as far as we know it (epoch)."""
        then, at = self._clock
        return then + time.monotonic() - at

    def _lane(self, chat_id: int, now: float) -> Lane:
        lane = self._lanes.get(chat_id)
        if lane is None:
            lane = self._lanes[chat_id] = Lane.of(chat_id, self.limits, now)
        return lane

    def _closed(self) -> tuple[list[int], list[int]]:
        """The chats that nothing is read of (in flight, or waiting), and those whose edits wait."""
        now = self.now()
        for chat_id in [chat_id for chat_id, (until, _) in self._held.items() if until <= now]:
            del self._held[chat_id]
        # What landed is not written down yet, so what would be read of its chat is what was.
        busy = [*self._flying, *(screen.chat_id for screen, _ in self._landed)]
        busy += [chat_id for chat_id, (_, only_edits) in self._held.items() if not only_edits]
        return busy, [chat_id for chat_id, (_, only_edits) in self._held.items() if only_edits]

    async def _begin(self, desk: Desk, screens: Iterable[Screen], now: float) -> float:
        """Begin the calls that can be made now; after how many seconds there is more to do (inf: who knows)."""
        chats: dict[int, list[Screen]] = {}
        for screen in screens:
            chats.setdefault(screen.chat_id, []).append(screen)
        nap = inf
        taken: list[Screen] = []
        for chat_id, queue in chats.items():
            if len(self._flying) + len(taken) >= self.workers:
                break
            wait = max(self._pause[0] - now, self._overall.wait(now))
            if wait > 0:
                nap = min(nap, wait)
                break
            lane = self._lane(chat_id, now)
            lane.aside = queue[0].aside
            chosen, wait = _choose(queue, lane, now)
            if chosen is None:
                self._held[chat_id] = (now + wait, all(screen.deed in EDITS for screen in queue))
            elif chosen.deed in ("note", "doubt"):
                self._landed.append((chosen, Outcome("done")))
                nap = 0.0
            else:
                lane.take()
                self._overall.take()
                taken.append(chosen)
        tales = [screen for screen in taken if screen.once and screen.deed == "post"]
        if tales:
            await desk.trying(tales)
        for screen in taken:
            self._flying[screen.chat_id] = asyncio.create_task(self._call(screen))
        return min([nap, *(max(until - now, 0.001) for until, _ in self._held.values())])

    async def _call(self, screen: Screen) -> None:
        outcome = await call(self.bot, screen)
        self._landed.append((screen, outcome))
        del self._flying[screen.chat_id]
        if screen.deed in ("post", *EDITS) and outcome.what != "not sent":
            self._lane(screen.chat_id, self.now()).answered(self.now())
        self._woken.set()

    def _tidy(self, now: float) -> None:
        for chat_id in [chat_id for chat_id, lane in self._lanes.items() if lane.is_quiet(now)]:
            if chat_id not in self._flying:
                del self._lanes[chat_id]

    # How it went.

    async def _write(self, desk: Desk) -> None:
        """Write down how the calls ended that were answered since."""
        if not self._landed:
            return
        landed, now = self._landed[:], self.now()
        shown: list[Screen] = []
        sent: dict[int, Sent] = {}
        blocks: list[Block] = []
        for screen, outcome in landed:
            after = self._after(screen, outcome, blocks, now)
            shown.append(replace(after, result=" ".join(filter(None, (screen.deed, outcome.what, outcome.why)))))
            lane = self._lane(screen.chat_id, now)
            if lane.sent and screen.deed in ("post", *EDITS):
                sent[screen.chat_id] = Sent(screen.chat_id, tuple(at for at in lane.sent if at > now - 60))
        await desk.write(shown, sent.values(), blocks)
        for screen, outcome in landed:
            await self._around(desk, screen, outcome)
        del self._landed[: len(landed)]

    def _after(self, screen: Screen, outcome: Outcome, blocks: list[Block], now: float) -> Screen:
        """The screen as it is now, and what it means for its chat."""
        lane = self._lane(screen.chat_id, now)
        free = replace(screen, trying=None)
        if outcome.what not in ("not sent", "perhaps sent"):
            self._pause = (0.0, 0)
            lane.failures = 0
        match outcome.what:
            case "done" if screen.deed == "doubt":
                return replace(free, refused="perhaps sent")
            case "done" if screen.deed == "post":
                return free.posted(outcome.number)
            case "done":
                return free.done()
            case "missing":
                return free.done() if screen.about_leftover or screen.deed not in ("edit", "pin") else free.missing()
            case "kept":
                return free.kept()
            case "no right":
                return free.done() if screen.about_leftover else replace(free, pin_refused=True)
            case "refused":
                if screen.about_leftover or screen.deed == "delete":
                    return free.done()
                return replace(free, refused=outcome.why or "refused")
            case "flood":
                # A little more than it says: it counts in whole seconds.
                seconds = outcome.seconds + 0.1
                blocks.append(Block(screen.chat_id, seconds, "flood"))
                lane.blocked_until = now + seconds
                self._held[screen.chat_id] = (lane.blocked_until, False)
            case "out":
                # Not remembered here: whoever hears that the chat is open again lifts it in the database.
                blocks.append(Block(screen.chat_id, AGAIN[outcome.why], outcome.why))
            case "topic gone" if not screen.thread_id:
                return replace(free, refused="topic gone")
            case "topic closed":
                blocks.append(Block(screen.chat_id, AGAIN["topic"], "topic", screen.thread_id or 1))
            case "not sent":
                # Telegram is away, for everybody: one pause for all, longer each time.
                until, times = self._pause
                if until <= now:
                    self._pause = (now + min(0.25 * 2**times, 15.0), times + 1)
            case "perhaps sent":
                if screen.once and screen.deed == "post":
                    return replace(free, refused="perhaps sent")
                if screen.deed == "edit":
                    free = free.doubted()
                lane.failures += 1
                if screen.attempts + 1 > PATIENCE:
                    return replace(free, attempts=screen.attempts + 1, wait=ASIDE)
                lane.blocked_until = max(lane.blocked_until, now + min(2.0**screen.attempts, 15.0))
                return replace(free, attempts=screen.attempts + 1)
        return free

    async def _around(self, desk: Desk, screen: Screen, outcome: Outcome) -> None:
        """What an answer says about more than its screen."""
        match outcome.what:
            case "done" if screen.receiver and screen.deed == "post":
                await desk.road(screen.receiver)
            case "done" if screen.deed in ("post", "edit"):
                await self._got_through(desk, screen)
            case "no road":
                await desk.no_road(screen.receiver, outcome.why)
            case "out":
                self._out[screen.chat_id, None] = screen.deed
                await desk.chat_road(screen.chat_id, outcome.why)
                await desk.stand_still(screen.chat_id)
            case "topic closed":
                self._out[screen.chat_id, screen.thread_id or 1] = screen.deed
                await desk.stand_still(screen.chat_id, screen.thread_id or 1)
            case "migrated":
                await self.store.migrate(screen.chat_id, outcome.number)
            case "topic gone" if screen.thread_id:
                await self.store.topic_gone(screen.chat_id, screen.thread_id)


    async def _got_through(self, desk: Desk, screen: Screen) -> None:
        """Something was said where nothing could be said before. (Where no message may be sent, an edit may pass.)"""
        for place in ((screen.chat_id, None), (screen.chat_id, screen.thread_id or 1)):
            if place not in self._out or screen.deed == "edit" and self._out[place] == "post":
                continue
            if place[1] is None:
                await desk.chat_back(screen.chat_id)
            await desk.go_on(*place)
            del self._out[place]


def _choose(queue: list[Screen], lane: Lane, now: float) -> tuple[Screen | None, float]:
    """The first screen of a chat that may be dealt with now; or after how many seconds one may.

    In order, but that edits which have to wait let new messages pass.
    """
    soonest = inf
    for screen in queue:
        deed = screen.deed
        if deed in ("note", "doubt"):
            return screen, 0.0
        edit = deed in EDITS
        wait = lane.wait(now, counts=edit or deed == "post", edit=edit)
        if wait <= 0:
            return screen, 0.0
        soonest = min(soonest, wait)
        if not edit:
            break
    return None, soonest


def _answer(waiting: list[asyncio.Future[float]], nap: float) -> None:
    for future in waiting:
        if not future.done():
            future.set_result(nap)
    waiting.clear()
