"""Who has been here lately: what the answers of people and of the clock say about a game. Pure functions.

All of it follows from who answered and when, which the group has seen anyway: no card comes in, so that an excuse, an
offer of a seat and the end of a deserted game prove nothing about a hand (RULES.md R66).
"""

from __future__ import annotations

from datetime import datetime, timedelta

from msgspec.structs import replace

from core import Seat
from db.records import GameRow, SeatRow
from telegram_bot import seats
from telegram_bot.hours import Hours
from telegram_bot.memo import memo_of, remembering
from telegram_bot.pace import moment, pace_of

ONCE = timedelta(days=1)  # missed deadlines within it cost one excuse: who sleeps late does it once
HEARD = 20  # so many answers of people and of the clock are looked at
A_NIGHT = timedelta(hours=12)  # so long may a game be the clock's alone: a group without quiet hours has to sleep

PERSON, CLOCK = "p", "c"


def noted(game: GameRow, seat: Seat, by: str, turn: int, now: datetime) -> GameRow:
    """An answer was given: who is heard is here; a missed deadline costs an excuse, but once a day, and not the seat of
    somebody who left the group. Bot players say nothing of anybody.

    An order, and a pass by itself, count as an answer given at that moment, or the group could tell one from the other;
    but whose last own answer the clock gave stays *away*.
    """
    row, memo = game.seat(seat), memo_of(game)
    if row is None or by == "bot player":
        return game
    is_late = by == "clock"
    voices = (memo.voices + (CLOCK if is_late else PERSON))[-HEARD:]
    mostly = (memo.mostly or now.timestamp()) if voices.count(CLOCK) * 2 > HEARD else 0.0
    heard = memo.heard if is_late else (turn, now.timestamp())
    away = memo.away if by == "order" else tuple(other for other in memo.away if other != seat)
    game = remembering(game, voices=voices, mostly=mostly, heard=heard, away=(*away, seat) if is_late else away)
    changed = _missed(row, now) if is_late else replace(row, excuses=max(row.excuses, 1))
    if changed == row:
        return game
    return replace(game, roster=tuple(changed if other is row else other for other in game.roster))


def _missed(row: SeatRow, now: datetime) -> SeatRow:
    counts = now.timestamp() - row.missed_at >= ONCE.total_seconds()
    if seats.waited_for(row) is None or not row.excuses or not counts:
        return row
    return replace(row, excuses=row.excuses - 1, missed_at=now.timestamp())


def patience(game: GameRow) -> timedelta:
    """How long a game may go on by the clock: 36 minutes of Blitz, 2 hours of an Evening, else half a day."""
    return min(24 * pace_of(game).base, A_NIGHT)


def is_deserted(game: GameRow, living: int, turn: int, hours: Hours, now: datetime) -> bool:
    """Whether nobody but the clock plays: for a whole round, or most of the last answers; and that for long enough."""
    memo = memo_of(game)
    last_turn, heard_at = memo.heard
    since = moment(heard_at) if heard_at else game.started_at or now
    alone = turn - last_turn > living and hours.between(since, now) >= patience(game)
    return alone or memo.mostly > 0 and hours.between(moment(memo.mostly), now) >= patience(game)


def forgiven(game: GameRow, now: datetime) -> GameRow:
    """The game stood still: what was before counts for nobody's absence."""
    memo = memo_of(game)
    at = now.timestamp()
    return remembering(game, heard=(game.turn, at), mostly=at if memo.mostly else 0.0)
