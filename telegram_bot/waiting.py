"""Who is awaited: reminders, /nudge, /blame, and what waits for the end of the quiet hours (SCREENS.md, "What rings").

Only who is awaited hears anything, and nobody who is looking at the hand anyway (others ping people who have just
acted: failures.md 5.96 and section 2.3).
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from core import Seat
from db.records import GameRow, SeatRow
from db.store import Unit
from telegram_bot import pace, play, screens, seats, show
from telegram_bot.memo import memo_of, remembering
from telegram_bot.texts import Markup, say

JUST = timedelta(minutes=1)  # who did something within it is at the table
AGAIN = timedelta(hours=1)  # between two nudges of a person
_NOTED = timedelta(seconds=20)  # presses so close together are noted as one


def awaited(game: GameRow) -> Iterator[SeatRow]:
    """The people whose answer is awaited."""
    asked = memo_of(game).asked
    for row in game.roster:
        if row.seat in asked and seats.waited_for(row) is not None:
            yield row


def acted(unit: Unit, row: SeatRow) -> None:
    """Note that somebody looks at the hand: they know how things stand, and if awaited are not reminded for a while."""
    unit.looked()
    game = _game(unit)
    memo, now = memo_of(game), unit.now.timestamp()
    plays = seats.player_of(row) is not None  # else the owner looks on
    if plays and row.seat in memo.asked_at and now - memo.acted.get(row.seat, 0.0) > _NOTED.total_seconds():
        unit.game = remembering(game, acted={**memo.acted, row.seat: now})


def remind(unit: Unit, seat: Seat) -> None:
    """A reminder: the panel says so, in a new message without a sound; without a private chat the call comes again."""
    game = _game(unit)
    row = next((row for row in awaited(game) if row.seat == seat), None)
    late = any(timer.kind == pace.DEADLINE and timer.seat == seat and timer.at <= unit.now for timer in game.timers)
    if game.status != "playing" or row is None or late or _is_here(unit, row) or show.wakes(unit) > unit.now:
        return
    memo = memo_of(game)
    if seat not in memo.reminded:
        unit.game = remembering(game, reminded=(*memo.reminded, seat))
    _tell(unit, row, ring=False)


def nudge(unit: Unit, person: int) -> Markup:
    """The other players' impatience, passed on with a sound, once an hour at most; says what came of it."""
    game = _game(unit)
    if seats.seat_of(game, person) is None:
        return say("say.not_in_game")
    if game.status == "paused":
        return say("toast.paused")
    others = [row for row in awaited(game) if seats.player_of(row) != person]
    if not others:
        own = any(seats.player_of(row) == person for row in awaited(game))
        return say("nudge.yourself" if own else "nudge.nobody")
    if (wakes := show.wakes(unit)) > unit.now:
        return say("nudge.quiet", time=screens.clock_time(wakes, unit.now))
    memo, now = memo_of(game), unit.now.timestamp()
    rung = [row for row in others if now - memo.nudged.get(row.seat, 0.0) >= AGAIN.total_seconds()]
    heard = [row for row in rung if not _is_here(unit, row)]
    if not heard:
        key = "nudge.is_here" if rung else "nudge.again"
        return say(key, names=[screens.named(row.name) for row in rung or others])
    unit.game = remembering(game, nudged={**memo.nudged, **{row.seat: now for row in heard}})
    for row in heard:
        _tell(unit, row, ring=True)
    return say("nudge.done", names=[screens.named(row.name) for row in heard])


def extend(unit: Unit, person: int) -> Markup:
    """/extend: an awaited person takes the base time once more, once for a question."""
    game = _game(unit)
    memo = memo_of(game)
    row = next((row for row in awaited(game) if seats.player_of(row) == person), None)
    if game.status == "paused":
        return say("toast.paused")
    if row is None:
        return say("extend.not_awaited")
    if row.seat in memo.extended:
        return say("extend.once")
    unit.game = remembering(game, extended=(*memo.extended, row.seat))
    play.extend(unit, row.seat)
    until = screens.until(_game(unit), [row.seat], unit.now)
    return say("extend.game", name=screens.named(row.name), time=screens.span(pace.pace_of(game).base), until=until)


def blame(unit: Unit) -> Markup:
    """/blame: who is awaited, how long already, and until when, in one line."""
    game = _game(unit)
    memo = memo_of(game)
    if game.status == "paused":
        return say("toast.paused")
    names = [screens.shown(row) for row in game.roster if row.seat in memo.asked]
    since = pace.moment(min(memo.asked_at.values()))
    waited = pace.hours_of(game, show.settings(unit)).between(since, unit.now)
    key = "blame.last" if memo.last else "blame.line"
    return say(key, names=names, time=screens.span(waited), until=screens.until(game, memo.asked, unit.now))


def wake(unit: Unit, seat: Seat, at: datetime) -> None:
    """The quiet hours are over at *at*: who was asked in them and is awaited still hears it now, once."""
    game = _game(unit)
    row = next((row for row in awaited(game) if row.seat == seat), None)
    if row is None or pace.moment(memo_of(game).asked_at[seat]) > at:
        return
    step = play.standing(game)
    show.hand(unit, row, step, ring=True)
    show.calls(unit, step, again=(seat,))


def _tell(unit: Unit, row: SeatRow, *, ring: bool) -> None:
    """In the private chat if there is one, else in the group."""
    player = seats.player_of(row)
    assert player is not None
    step = play.standing(_game(unit))
    if unit.people[player].private == "open":
        show.hand(unit, row, step, anew=True, ring=ring)
    else:
        show.call(unit, row, ring=ring)


def _is_here(unit: Unit, row: SeatRow) -> bool:
    return unit.now.timestamp() - memo_of(_game(unit)).acted.get(row.seat, 0.0) < JUST.total_seconds()


def _game(unit: Unit) -> GameRow:
    assert unit.game is not None
    return unit.game
