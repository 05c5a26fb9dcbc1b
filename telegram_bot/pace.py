"""How long an answer may take, how long a bot player seems to think, and what is due in a game (DESIGN.md 1.4).

A *pace* is a base time an answer, and a bank a player for the whole game. Some questions have a share of the base: an
answer in an exchange half, a defence a quarter (webDiplomacy gives forced phases less: failures.md 2.2). Who is still
thinking when the share is used up pays from the bank; the deadline is when that is used up too. Deadlines are a pure
function of event times: when the question was put, the pace, what was used of the bank, quiet hours, pauses.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from random import Random
from typing import Any, NamedTuple

import core
from db.records import GameRow, Timer
from telegram_bot.hours import Hours, quiet_of
from telegram_bot.memo import memo_of

# Kinds of timers. These belong to a question, and go with it:
DEADLINE = "deadline"  # the clock answers for a seat (R65)
BOT = "bot"  # a bot player answers for a seat
PASS = "pass"  # who holds no defence passes by itself
ORDER = "order"  # an order ahead answers for a seat
REMIND = "remind"  # an awaited person is reminded
OF_A_QUESTION = frozenset((DEADLINE, BOT, PASS, ORDER, REMIND))
# These stay whatever is asked:
CLOSE = "close"  # a lobby that nobody touched closes
LOOK = "look"  # the screens are to be drawn again: a road to somebody closed
SHUT = "shut"  # nothing can be said in the game's chat or topic: the game stands still
OPEN = "open"  # something could be said there again: it goes on
OUTAGE = "outage"  # the group is told that the time stood still
WAKE = "wake"  # the quiet hours are over: what would have rung in them for a seat rings once
BACK = "back"  # a holiday is over
READY = "ready"  # people are asked whether they are ready for a start that was set
START = "start"  # and this is it
OF_A_START = frozenset((READY, START))
COUNT = "count"  # others have a say now: the open votes are counted again
MORNING = "morning"  # the quiet hours are over: the group is told what happened in them

LOBBY_LIVES = timedelta(hours=24)
AWAKE = timedelta(minutes=10)  # a shorter base is played at one sitting: it knows no quiet hours

_NONE = timedelta()
_SHARES = {core.ANSWER: 2, core.PASS_ON: 2, core.DEFEND: 4}
_LEADS = (timedelta(hours=1), timedelta(minutes=5), timedelta(minutes=2), timedelta(seconds=30))


class Pace(NamedTuple):
    """A pace: the base time for an answer, and the bank of a player."""

    base: timedelta
    bank: timedelta

    def share(self, about: str) -> timedelta:
        """The time for a question, before the bank is touched."""
        return self.base / _SHARES.get(about, 1)

    @property
    def lead(self) -> timedelta:
        """How long before the end the last reminder comes: 30 s, 2 min, 5 min or 1 h."""
        return next((lead for lead in _LEADS if lead <= self.base * 0.4), _LEADS[-1])

    @property
    def is_played_awake(self) -> bool:
        """Whether it is played at one sitting, whatever the hour."""
        return self.base < AWAKE

    def __str__(self) -> str:
        """Its word in the database: a name, or "10m 1h"."""
        return next((word for word, pace in PACES.items() if pace == self), f"{short(self.base)} {short(self.bank)}")


def _pace(base: float, bank: float) -> Pace:
    return Pace(timedelta(minutes=base), timedelta(minutes=bank))


PACES = {"blitz": _pace(1.5, 3), "evening": _pace(5, 15), "day": _pace(30, 120), "slow": _pace(8 * 60, 24 * 60)}
DEFAULT_PACE = "day"

# --- a pace of one's own ---

LEAST_BASE, MOST_BASE, MOST_BANK = timedelta(seconds=30), timedelta(days=3), timedelta(days=14)

_UNITS = {"d": 86400, "h": 3600, "m": 60, "s": 1}
_SPAN = re.compile(r"(?:(\d{1,3})d)?(?:(\d{1,3})h)?(?:(\d{1,4})m)?(?:(\d{1,5})s)?", re.ASCII)

# What the buttons of the lobby step through.
BASES = tuple(timedelta(minutes=m) for m in (0.5, 1, 1.5, 2, 3, 5, 10, 15, 20, 30, 45)) + tuple(
    timedelta(hours=h) for h in (1, 2, 3, 4, 6, 8, 12, 24, 48, 72)
)
BANKS = tuple(timedelta(minutes=m) for m in (0, 1, 3, 5, 10, 15, 30)) + tuple(
    timedelta(hours=h) for h in (1, 2, 3, 4, 6, 8, 12, 24, 48, 72, 168)
)


class Unfit(ValueError):
    """A pace that cannot be played or read."""


def span(text: str) -> timedelta | None:
    """A time as one writes it: "90s", "10m", "1h30m", "3d", "0"; None for anything else."""
    found = _SPAN.fullmatch(text.lower().replace("min", "m"))
    if text == "0":
        return _NONE
    if found is None or not any(found.groups()):
        return None
    return timedelta(seconds=sum(int(n or 0) * size for n, size in zip(found.groups(), _UNITS.values(), strict=True)))


def short(time: timedelta) -> str:
    """A time as `span` reads it, in its greatest units."""
    left, told = int(time.total_seconds()), ""
    for unit, size in _UNITS.items():
        number, left = divmod(left, size)
        told += f"{number}{unit}" if number else ""
    return told or "0"


@lru_cache(256)
def read(text: str) -> Pace:
    """A pace as one writes it: a name, or base and bank, as "10m 1h"; without a bank, four times the base.

    Raises Unfit.
    """
    words = text.lower().split()
    if len(words) == 1 and words[0] in PACES:
        return PACES[words[0]]
    times = [span(word) for word in words]
    if not 1 <= len(times) <= 2 or any(time is None for time in times):
        raise Unfit("unreadable")
    base, bank = (*times, None)[:2]
    assert base is not None
    pace = Pace(base, min(base * 4, MOST_BANK) if bank is None else bank)
    if not (LEAST_BASE <= pace.base <= MOST_BASE and pace.bank <= MOST_BANK):
        raise Unfit("bounds")
    return pace


def pace_of(game: GameRow) -> Pace:
    return read(game.pace)


# --- a question, as the clock sees it ---


class Question(NamedTuple):
    """A question that is put to a person: what is needed to say when its time is up, and nothing else.

    *used* of the bank before; *extended*: its player took the base time once more (/extend); *quickened*: when the
    group last chose another pace: then everybody has the share again.
    """

    pace: Pace
    about: str
    asked_at: datetime
    used: timedelta = _NONE
    hours: Hours = Hours()
    quickened: datetime | None = None
    extended: bool = False

    @property
    def share(self) -> timedelta:
        return self.pace.share(self.about) + (self.pace.base if self.extended else _NONE)

    @property
    def time(self) -> timedelta:
        """All there is for it: the share, and what is left of the bank."""
        return self.share + max(self.pace.bank - self.used, _NONE)

    @property
    def deadline(self) -> datetime:
        deadline = self.hours.later(self.asked_at, self.time)
        if self.quickened is not None and self.quickened > self.asked_at:
            return max(deadline, self.hours.later(self.quickened, self.share))
        return deadline

    @property
    def reminders(self) -> tuple[datetime, ...]:
        """At half of the time, unless a game is that fast; and shortly before the end. None soon after the call."""
        time, lead = self.hours.between(self.asked_at, self.deadline), self.pace.lead
        moments = []
        if (last := time - lead) >= lead:
            moments.append(last)
        if self.pace.base > timedelta(minutes=2) and lead <= (half := time / 2) <= (last - lead if moments else time):
            moments.append(half)
        return tuple(self.hours.later(self.asked_at, moment) for moment in sorted(moments))

    def used_at(self, answered: datetime) -> timedelta:
        """What is used of the bank when the answer comes at *answered*."""
        over = self.hours.between(self.asked_at, answered) - self.share
        return min(self.used + max(over, _NONE), max(self.pace.bank, self.used))


def hours_of(game: GameRow, settings: Mapping[str, Any] | None) -> Hours:
    """When the clock of a game goes, by what its group chose."""
    quiet = None if pace_of(game).is_played_awake else quiet_of(settings)
    return Hours(quiet, tuple((moment(since), moment(until)) for since, until in memo_of(game).stopped))


def question(game: GameRow, seat: str, settings: Mapping[str, Any] | None) -> Question:
    """The question that is open for *seat*."""
    memo = memo_of(game)
    return Question(
        pace_of(game),
        memo.about[seat],
        moment(memo.asked_at[seat]),
        timedelta(seconds=memo.used.get(seat, 0.0)),
        hours_of(game, settings),
        moment(memo.quickened) if memo.quickened else None,
        seat in memo.extended,
    )


def moment(unix: float) -> datetime:
    return datetime.fromtimestamp(unix, UTC)


# --- who answers without a person ---


def bot_pause(game: GameRow, seat: str, now: datetime) -> Timer:
    """When the bot player of *seat*, asked *now*, answers: after a short, human pause.

    Drawn from the public seed: the pause tells nothing of the hand.
    """
    seconds = Random(f"{game.public_seed}/pause/{game.version}/{seat}").uniform(2, 6)
    return Timer(BOT, now + timedelta(seconds=seconds), seat)


def pass_by_itself(game: GameRow, seat: str, now: datetime) -> Timer:
    """When a seat without a fitting defence passes."""
    return Timer(PASS, now + _a_while(game, seat), seat)


def by_order(game: GameRow, seat: str, now: datetime) -> Timer:
    """When an order ahead of a seat answers: after the same while as who can only pass, so neither is told by it."""
    return Timer(ORDER, now + _a_while(game, seat), seat)


def _a_while(game: GameRow, seat: str) -> timedelta:
    """As long as a person might take, drawn from the public seed, whatever the hand."""
    usual = min(pace_of(game).base.total_seconds() / 10, 60)
    return timedelta(seconds=usual * Random(f"{game.public_seed}/pass/{game.version}/{seat}").uniform(0.4, 1.6))


def due(game: GameRow, now: datetime) -> list[Timer]:
    """The timers of a game that have run out, the earliest first."""
    return sorted((timer for timer in game.timers if timer.at <= now), key=lambda timer: timer.at)
