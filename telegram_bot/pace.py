"""How long an answer may take, how long a bot player seems to think, and what is due in a game (DESIGN.md 1.4)."""

from __future__ import annotations

from datetime import datetime, timedelta
from random import Random
from typing import NamedTuple

from db.records import GameRow, Timer

# Kinds of timers.
DEADLINE = "deadline"  # the clock answers for a seat (R65)
BOT = "bot"  # a bot player answers for a seat
PASS = "pass"  # who holds no defence passes by itself
CLOSE = "close"  # a lobby that nobody touched closes
LOOK = "look"  # the screens are to be drawn again: a road to somebody closed
OUTAGE = "outage"  # the group is told that the time stood still

LOBBY_LIVES = timedelta(hours=24)


class Pace(NamedTuple):
    """A pace: its word in the database, and the time for an answer."""

    word: str
    answer: timedelta


PACES = {
    pace.word: pace
    for pace in (
        Pace("blitz", timedelta(seconds=90)),
        Pace("evening", timedelta(minutes=5)),
        Pace("day", timedelta(minutes=30)),
        Pace("slow", timedelta(hours=8)),
    )
}
DEFAULT_PACE = "day"


def deadline(game: GameRow, seat: str, now: datetime) -> Timer:
    """When the clock answers for *seat*, asked *now*."""
    return Timer(DEADLINE, now + PACES[game.pace].answer, seat)


def bot_pause(game: GameRow, seat: str, now: datetime) -> Timer:
    """When the bot player of *seat*, asked *now*, answers: after a short, human pause.

    Drawn from the public seed: the pause tells nothing of the hand.
    """
    seconds = Random(f"{game.public_seed}/pause/{game.version}/{seat}").uniform(2, 6)
    return Timer(BOT, now + timedelta(seconds=seconds), seat)


def pass_by_itself(game: GameRow, seat: str, now: datetime) -> Timer:
    """When a seat without a fitting defence passes: drawn from the public seed, as long as a person might take."""
    usual = min(PACES[game.pace].answer.total_seconds() / 10, 60)
    seconds = usual * Random(f"{game.public_seed}/pass/{game.version}/{seat}").uniform(0.4, 1.6)
    return Timer(PASS, now + timedelta(seconds=seconds), seat)


def due(game: GameRow, now: datetime) -> list[Timer]:
    """The timers of a game that have run out, the earliest first."""
    return sorted((timer for timer in game.timers if timer.at <= now), key=lambda timer: timer.at)
