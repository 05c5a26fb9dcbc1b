"""A holiday: a player announces days away, and a bot player sits in until then (failures.md 2.3, declared absence)."""

from __future__ import annotations

from datetime import timedelta

from msgspec.structs import replace

from core import Seat
from db.records import GameRow, SeatRow, Timer
from db.store import Unit
from telegram_bot import pace, play, screens, seats, show
from telegram_bot.memo import memo_of
from telegram_bot.texts import Markup, say

SHORTEST, LONGEST = timedelta(hours=1), timedelta(days=30)


def announce(unit: Unit, row: SeatRow, text: str) -> Markup:
    """/holiday 3d: from now on for so long; the line for the group."""
    away = pace.span(text.strip())
    if away is None or not SHORTEST <= away <= LONGEST:
        return say("holiday.how")
    if row.seat not in play.standing(_game(unit)).table.seats:
        return say("say.burned")
    if row.sitter is not None:  # nobody is turned out by who is away
        return say("holiday.somebody_sits", name=screens.named(row.name))
    game, until = _game(unit), unit.now + away
    unit.game = replace(game, timers=(*play.without_back(game, row.seat), Timer(pace.BACK, until, row.seat)))
    if row.played_by == "person":
        play.take_over(unit, row, "bot")
    else:
        show.seat_changed(unit, play.standing(unit.game), row, row)
    return say("holiday.begins", name=screens.named(row.name), time=screens.clock_time(until, unit.now))


def end(unit: Unit, row: SeatRow) -> Markup:
    """/back: the owner has the seat again; the line for the group."""
    if row.seat not in play.standing(_game(unit)).table.seats:
        return say("say.burned")
    if not seats.is_taken_over(row):
        return say("holiday.is_here", name=screens.named(row.name))
    play.take_over(unit, row, "person")
    return say("holiday.over", name=screens.named(row.name))


def over(unit: Unit, seat: Seat) -> None:
    """The days are over: the seat is its owner's again, who hears it if awaited."""
    game = _game(unit)
    row = game.seat(seat)
    step = play.standing(game)
    if row is None or row.person is None or row.played_by == "person" or seat not in step.table.seats:
        return
    play.take_over(unit, row, "person")
    unit.post_anew(f"back {seat}", screens.screen(say("holiday.over", name=screens.named(row.name)), once=True))
    back = _game(unit).seat(seat)
    if back is not None and seat in memo_of(_game(unit)).asked:
        show.hand(unit, back, step, ring=True)


def _game(unit: Unit) -> GameRow:
    assert unit.game is not None
    return unit.game
