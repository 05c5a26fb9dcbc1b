"""How people come together for a game: /nextgame calls who asked for it, a start can be set for a time of day, with a
ready check before it, and a lobby can be kept open for longer.

Who asked to be called is kept until a game has *started* (another bot forgot it when a lobby opened: failures.md 5.94);
who asks while a lobby is open, and does not join, is kept for the game after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from msgspec.structs import replace

import core
from db.records import GameRow, Person, SeatRow, Timer
from db.store import Unit
from telegram_bot import hours, lobby, pace, private, screens, show
from telegram_bot.memo import memo_of, remembering
from telegram_bot.names import clean
from telegram_bot.screens import CHUNK, mention, named
from telegram_bot.texts import Markup, say, say_plain

READY = timedelta(minutes=10)  # before a start that was set, people are asked whether they are there
LONGER = timedelta(days=3)  # a lobby that is kept open
SOONEST, LATEST = timedelta(minutes=1), timedelta(hours=24)


# --- /nextgame ---


def call_on_or_off(unit: Unit, callers: Sequence[Person]) -> Markup:
    """/nextgame: call me when a game opens here; once more takes it back."""
    assert unit.person is not None
    wants = all(one.id != unit.person.id for one in callers)
    unit.wants_call(wants)
    name = named(unit.person.name)
    if not wants:
        return say("nextgame.off", name=name)
    if unit.game is not None and unit.game.status == "lobby":
        return say("nextgame.gathers", name=name)
    return say("nextgame.in_private" if unit.person.private == "open" else "nextgame.on", name=name)


def call(unit: Unit, callers: Sequence[Person]) -> None:
    """A lobby has opened: who asked for it is called, in the private chat if there is one, else in the group."""
    game = _lobby(unit)
    called = [one for one in callers if game.seat_of(one.id) is None]
    if not called:
        return
    ring = not is_quiet(unit)
    title = clean((unit.chat.title if unit.chat is not None else None) or "")
    told = tuple(one.id for one in called if one.private == "open")
    for person in told:
        private.tell(unit, person, show.NEXT, screens.screen(say("nextgame.opened", group=named(title)), ring=ring))
    here = [mention(one.id, one.name) for one in called if one.private != "open"]
    for number, some in enumerate(chunks(here)):
        unit.post_anew(f"{show.NEXT} {number}", screens.screen(say("nextgame.call", names=some), ring=ring))
    unit.game = remembering(_lobby(unit), told=told, called_here=len(here))
    show.lobby(unit)


def chunks(names: Sequence[Markup]) -> Iterator[Sequence[Markup]]:
    """As many mentions as ring in one message."""
    for at in range(0, len(names), CHUNK):
        yield names[at : at + CHUNK]


def is_quiet(unit: Unit) -> bool:
    """Whether it is the group's quiet hours, for what rings whatever the pace."""
    return hours.Hours(hours.quiet_of(show.settings(unit))).is_quiet(unit.now)


# --- a start that is set ---


def read(text: str, unit: Unit) -> datetime | None:
    """When "20:30" is next on the group's wall clock, or "45m" from now; None for anything else."""
    if (wall := hours.wall_time(text)) is not None:
        return next_time(unit, wall.hour * 60 + wall.minute)
    span = pace.span(text)
    return unit.now + span if span is not None and SOONEST <= span <= LATEST else None


def next_time(unit: Unit, minutes: int) -> datetime:
    """When the group's wall clock shows so many minutes after midnight next."""
    return hours.next_time(show.zone(unit), minutes, unit.now)


def set_start(unit: Unit, at: datetime) -> str:
    """The game starts at a time of day, with who is ready then; returns a toast."""
    game = remembering(_lobby(unit), starts_at=at.timestamp(), ready=(), ready_asked=False, page="")
    others = tuple(timer for timer in game.timers if timer.kind not in pace.OF_A_START)
    asks = Timer(pace.READY, max(at - READY, unit.now))
    unit.game = replace(game, timers=(*others, asks, Timer(pace.START, at)))
    unit.take_away(show.READY)
    lobby.touched(unit)
    if asks.at <= unit.now:
        ask_ready(unit)
    return say_plain("toast.done")


def unset_start(unit: Unit) -> str:
    game = remembering(_lobby(unit), starts_at=0.0, ready=(), ready_asked=False, page="")
    unit.game = replace(game, timers=tuple(timer for timer in game.timers if timer.kind not in pace.OF_A_START))
    unit.take_away(show.READY)
    lobby.touched(unit)
    return say_plain("toast.done")


def ask_ready(unit: Unit) -> None:
    """Shortly before: everybody in the lobby is asked whether they are there, in a message that rings."""
    game = _lobby(unit)
    timers = tuple(timer for timer in game.timers if timer.kind != pace.READY)
    unit.game = remembering(replace(game, timers=timers), ready_asked=True)
    people = [mention(row.person, row.name) for row in game.roster if row.person is not None]
    ring = not is_quiet(unit)
    for number, some in enumerate(chunks(people)):
        if number:
            also = screens.screen(say("ready.also", names=some), ring=ring, delete=True)
            unit.post_anew(f"{show.READY} {number}", also)
    unit.post_anew(show.READY, replace(screens.ready(_lobby(unit), unit.now), ring=ring))


def is_ready(unit: Unit, person: int) -> str:
    """The button under that question; returns a toast."""
    game = _lobby(unit)
    memo = memo_of(game)
    if not memo.ready_asked:
        return say_plain("votes.gone")
    if game.seat_of(person) is None:
        return say_plain("lobby_toast.only_members")
    if person not in memo.ready:
        unit.game = remembering(game, ready=(*memo.ready, person))
        show.ready(unit)
    return say_plain("ready.toast")


def start(unit: Unit) -> None:
    """It is time: the game starts with who is ready, bot players included, if these are enough; the others are left
    behind. Else the lobby stays as it is, and says so."""
    game = _lobby(unit)
    ready = memo_of(game).ready
    going = tuple(row for row in game.roster if row.person is None or row.person in ready)
    late = [row for row in game.roster if row not in going]
    memo = remembering(game, starts_at=0.0, ready=(), ready_asked=False)
    unit.game = replace(memo, timers=tuple(timer for timer in game.timers if timer.kind not in pace.OF_A_START))
    if len(going) >= core.LEAST and ready:
        stays = unit.game
        unit.game = replace(unit.game, roster=going)
        if not (why := lobby.start(unit)):
            _tell_late(unit, late)
            return
        unit.game, told = stays, say("ready.cannot", why=why)
    else:
        told = say("ready.too_few", n=len(going) if ready else 0)
    unit.post_anew(show.READY, screens.screen(told, delete=True))
    lobby.touched(unit)


def after_outage(unit: Unit) -> None:
    """The bot was down, and all timers were moved: a start that was set is a time of day, and stays there. If that is
    past, people are asked anew, and it is in ten minutes."""
    game = _lobby(unit)
    memo = memo_of(game)
    at = pace.moment(memo.starts_at)
    if at <= unit.now:
        if memo.starts_at:
            set_start(unit, unit.now + READY)
        return
    others = tuple(timer for timer in game.timers if timer.kind not in pace.OF_A_START)
    asks = () if memo.ready_asked else (Timer(pace.READY, max(at - READY, unit.now)),)
    unit.game = replace(game, timers=(*others, *asks, Timer(pace.START, at)))


def _tell_late(unit: Unit, late: Sequence[SeatRow]) -> None:
    if late:
        text = say("ready.left_behind", names=[named(row.name) for row in late])
        unit.post_anew(show.READY, screens.screen(text, delete=True))


# --- /extend ---


def extend(unit: Unit) -> Markup:
    """A lobby lives for longer than the day after which it closes."""
    until = unit.now + LONGER
    unit.game = remembering(_lobby(unit), stays=until.timestamp())
    lobby.touched(unit)
    return say("extend.lobby", time=screens.clock_time(until, unit.now))


def _lobby(unit: Unit) -> GameRow:
    assert unit.game is not None and unit.game.status == "lobby"
    return unit.game
