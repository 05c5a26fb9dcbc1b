"""How long a game takes in a group with other things to do: `python -m bench.day`.

Simulated groups, in memory: the rules, bot players' choices, and the paces, banks, deadlines and quiet hours of
telegram_bot/pace.py and hours.py, which are pure functions of time. It prints a table, each figure of a Day game of 8
beside its goal, for which questions such a game waits, and writes seeds/lengths.toml, from which the lobby says how
long a game will take.

What is assumed of people. Day and Slow: they are awake from 8 to 23, which are also the group's hours (quiet from 23
to 8); they answer after a time that is log-normal, with a median of 0.4 of the base, but two hours at most (12
minutes in a Day game, 2 hours in a Slow one), and a long tail (in a Day game one in ten takes over 55 minutes, one in
a hundred over 3 hours; sleep is not counted); on any day one in ten begins half a day without a phone. Blitz and
Evening are played at one sitting: a median of a fifth of the base, a shorter tail. Who has just answered has the
phone in the hand, and answers what comes within five minutes after half a minute in the median. Everybody has a
private chat. Nobody claims a seat, nobody ends a game. Reminders make no sound, and are taken to change nothing.

Orders ahead: 7 of 10 answers to an offer, and of the defences of those who hold one, are prepared, and given after the
pause that the bot makes for them; 7 of 10 cards to offer are chosen in one go with step 2. They save pings and
time-outs, but little time: who answers an offer has the next turn, so the camp waits for the same person anyway. That
holds for people who do both at one look; where every answer needs a look of its own (*sitting* is off), a game is twice
as long, and orders save a third of it.

Nudges: when somebody has kept the camp waiting for an hour, another one writes /nudge, as soon as the bot takes it (not
in quiet hours, and an hour after that person's last), and again an hour later. It is a ping. Who is not absent
looks at the phone for it, and answers after a time that is drawn anew, if that is sooner.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from random import Random
from statistics import median, quantiles
from typing import NamedTuple
from zoneinfo import ZoneInfo

import core
from core import Ask, Choice, Live, Options, Seat
from core.players import bot, clock
from telegram_bot.hours import Hours, Quiet
from telegram_bot.lengths import MEASURED
from telegram_bot.pace import PACES, Pace, Question, read
from telegram_bot.waiting import AGAIN

SIZES = (4, 6, 8, 10, 12)
PREPARED = 0.7  # of the answers to an offer, with orders ahead
GOAL_HOURS, GOAL_PINGS, GOAL_CLOCK = 24.0, 1.0, 0.05  # of a Day game of 8: waking hours, a person's answer, of all
QUIET = Quiet(ZoneInfo("UTC"), time(23), time(8))
MONDAY = datetime(2026, 3, 2, tzinfo=UTC)

_NONE = timedelta()
_AT_HAND, _SOON = timedelta(minutes=5), timedelta(seconds=30)
_HALF_A_DAY = timedelta(hours=12)
_LOOKS = timedelta(hours=2)  # however slow a game is, people look at the phone a few times a day
_DAYS = 200  # so long is looked ahead for who will be absent


class Way(NamedTuple):
    """How a group plays; *prepared*: which share of the answers to an offer is, *defended*: of the defences that are
    held, *in_one_go*: of the cards to offer; *announced*: who will be absent says so (/holiday), and a bot player sits
    in; *nudges*: whether people write /nudge; *usual*: what people need for an answer in the median, if that is not
    what goes with the pace; *sitting*: who has just answered is still there for the next question."""

    pace: Pace = PACES["day"]
    prepared: float = 0.0
    defended: float = 0.0
    in_one_go: float = 0.0
    secrecy: str = "strict"
    announced: bool = False
    nudges: bool = False
    usual: timedelta | None = None
    sitting: bool = True


class Kind(NamedTuple):
    """What questions of one kind came to: how many, for how many waking hours the camp stood for them, and how many the
    clock answered."""

    asked: int = 0
    hours: float = 0.0
    by_clock: int = 0


class Told(NamedTuple):
    """What a game came to; *waits*: how often it stood for over five minutes; *people*: answers that people gave;
    *kinds*: the questions by what they are about."""

    hours: float
    waking: float
    answers: int
    people: int
    waits: int
    by_clock: int
    pings: int
    group: int
    players: int
    kinds: dict[str, Kind]


class Person:
    """Somebody in a group: when awake and not absent, and how fast."""

    def __init__(self, way: Way, dice: Random) -> None:
        self.dice, self.way = dice, way
        self.hours = Hours()
        if not way.pace.is_played_awake:
            begins = (MONDAY + timedelta(days=day + dice.random()) for day in range(_DAYS) if dice.random() < 0.1)
            self.hours = Hours(QUIET, tuple((at, at + _HALF_A_DAY) for at in begins))
        self.answered_at = MONDAY - timedelta(days=1)
        self.nudged_at = self.answered_at
        self.is_late = False  # the clock gave the last answer
        self.used = _NONE

    def is_away(self, now: datetime) -> bool:
        return any(begins <= now < ends for begins, ends in self.hours.stopped)

    def answers_at(self, asked: datetime) -> datetime:
        """When the answer to a question comes, however late that is."""
        base = self.way.pace.base
        if self.way.sitting and asked - self.answered_at <= _AT_HAND:
            usual, tail = min(_SOON, base / 10), 0.8
        elif self.way.pace.is_played_awake:
            usual, tail = base / 5, 0.8
        else:
            usual, tail = self.way.usual or min(base * 0.4, _LOOKS), 1.2
        return self.hours.later(asked, usual * self.dice.lognormvariate(0, tail))


class Evening:
    """One game of a group, from its first question to its end."""

    def __init__(self, players: int, way: Way, seed: str) -> None:
        # People's time and their choices are drawn apart, so that the same games are played in every way.
        self.way, self.dice, self.chance = way, Random(f"{seed}/choices"), Random(f"{seed}/people")
        self.seats = [f"s{number}" for number in range(1, players + 1)]
        self.people = {seat: Person(way, Random(f"{seed}/{seat}")) for seat in self.seats}
        options = Options(secrecy=way.secrecy)  # type: ignore[arg-type]
        self.live = Live(core.deal(self.seats, options, seed))
        self.hours = Hours() if way.pace.is_played_awake else Hours(QUIET)
        self.began = self.now = MONDAY + timedelta(hours=self.chance.uniform(8, 23))
        self.answers = self.gave = self.waits = self.by_clock = self.pings = 0
        self.kinds: dict[str, Kind] = {}

    def play(self) -> Told:
        while self.live.outcome is None:
            asked, about = self.now, next(iter(self.live.asks.values())).about
            before = self.answers, self.by_clock
            for at, seat, by in sorted(self._comes(seat) for seat in self.live.asks):
                if self.live.outcome is None:  # The Thing may declare while others are asked
                    self.now = at
                    self._answer(seat, by)
            stood = self.hours.between(asked, self.now)
            self.waits += stood > _AT_HAND
            kind = self.kinds.get(about, Kind())
            self.kinds[about] = Kind(
                kind.asked + self.answers - before[0],
                kind.hours + stood.total_seconds() / 3600,
                kind.by_clock + self.by_clock - before[1],
            )
        nights = (self.now - timedelta(hours=8)).date() - (self.began - timedelta(hours=8)).date()
        return Told(
            (self.now - self.began).total_seconds() / 3600,
            self.hours.between(self.began, self.now).total_seconds() / 3600,
            self.answers,
            self.gave,
            self.waits,
            self.by_clock,
            self.pings,
            # The lobby, the board and the end; a line a turn; a line every morning.
            3 + self.live.table.turn + (0 if self.way.pace.is_played_awake else nights.days),
            len(self.seats),
            self.kinds,
        )

    def _comes(self, seat: Seat) -> tuple[datetime, Seat, str]:
        """When the question that is put to a seat now will be answered, and by whom."""
        ask, person = self.live.asks[seat], self.people[seat]
        pause = min(self.way.pace.base / 10, timedelta(minutes=1)) * self.chance.uniform(0.4, 1.6)
        if self._is_prepared(ask):
            at_once = ask.about == core.OFFER and person.answered_at == self.now
            return self.now + (_NONE if at_once else pause), seat, "order"
        if self.way.announced and person.is_away(self.now):
            return self.now + timedelta(seconds=4), seat, "bot player"
        self.pings += person.answered_at != self.now  # who is asked at the own answer is looking at it
        question = Question(self.way.pace, ask.about, self.now, person.used, self.hours)
        comes = person.answers_at(self.now)
        if self.way.nudges:
            comes = self._nudged(person, comes, question.deadline)
        if ask.choices == (core.PASS,) and not person.is_late and self.now + pause < comes:
            return self.now + pause, seat, "order"
        deadline = question.deadline
        person.used = question.used_at(min(comes, deadline))
        return (comes, seat, "person") if comes < deadline else (deadline, seat, "clock")

    def _is_prepared(self, ask: Ask) -> bool:
        """Whether an order ahead answers."""
        match ask.about:
            case core.ANSWER:
                share = self.way.prepared
            case core.OFFER:
                share = self.way.in_one_go
            case core.DEFEND if ask.choices != (core.PASS,):
                share = self.way.defended
            case _:
                share = 0.0
        return share > 0 and self.chance.random() < share

    def _nudged(self, person: Person, comes: datetime, deadline: datetime) -> datetime:
        """When the answer comes to which others push, every hour."""
        after = max(self.now, person.nudged_at)
        while (at := self.hours.later(after, AGAIN)) < min(comes, deadline):
            self.pings += 1
            person.nudged_at = after = at
            if not person.is_away(at):
                comes = min(comes, person.answers_at(at))
        return comes

    def _answer(self, seat: Seat, by: str) -> None:
        me = core.view_of(self.live.table, self.live.asks, self.live.standing, seat)
        choice: Choice = (clock if by == "clock" else bot).choose(me, self.dice)
        if by in ("person", "clock"):
            self.people[seat].is_late = by == "clock"
        if by == "person":
            self.people[seat].answered_at = self.now
        self.answers += 1
        self.gave += by == "person"
        self.by_clock += by == "clock"
        self.live.answer(seat, choice)


def played(players: int, way: Way, games: int, seed: str = "day") -> list[Told]:
    return [Evening(players, way, f"{seed}/{players}/{number}").play() for number in range(games)]


# --- the table ---

HEAD = ("players", "hours", "waking", "80% within", "answers", "waits", "clock", "pings each", "an answer", "group")


class Row(NamedTuple):
    """Medians over the games of a group, and shares over all of them."""

    players: int
    hours: float
    waking: float
    within: float
    answers: float
    waits: float
    clock: float
    pings: float
    an_answer: float
    group: float

    @property
    def cells(self) -> Sequence[str]:
        return (
            f"{self.players}", f"{self.hours:.1f}", f"{self.waking:.1f}", f"{self.within:.1f}", f"{self.answers:.0f}",
            f"{self.waits:.0f}", f"{self.clock:.1%}", f"{self.pings:.1f}", f"{self.an_answer:.2f}", f"{self.group:.0f}",
        )  # fmt: skip


def summed_up(games: Sequence[Told]) -> Row:
    return Row(
        games[0].players,
        median(game.hours for game in games),
        median(game.waking for game in games),
        quantiles((game.waking for game in games), n=10)[7],
        median(game.answers for game in games),
        median(game.waits for game in games),
        sum(game.by_clock for game in games) / sum(game.answers for game in games),
        median(game.pings / game.players for game in games),
        sum(game.pings for game in games) / sum(game.people for game in games),
        median(game.group for game in games),
    )


def table(title: str, rows: Iterable[Row]) -> str:
    lines = [title, "  " + "".join(f"{name:>12}" for name in HEAD)]
    return "\n".join([*lines, *("  " + "".join(f"{cell:>12}" for cell in row.cells) for row in rows)])


def waits_by_kind(games: Sequence[Told]) -> str:
    """For which questions a game waits: in the mean, for the hours have to add up."""
    abouts = {about: 0.0 for game in games for about in game.kinds}
    lines = ["  " + "".join(f"{name:>12}" for name in ("question", "a game", "hours", "of all", "minutes", "clock"))]
    whole = sum(kind.hours for game in games for kind in game.kinds.values())
    for about in abouts:
        kinds = [game.kinds.get(about, Kind()) for game in games]
        asked, hours = sum(kind.asked for kind in kinds), sum(kind.hours for kind in kinds)
        cells = (
            about, f"{asked / len(games):.1f}", f"{hours / len(games):.1f}", f"{hours / whole:.0%}",
            f"{hours * 60 / asked:.0f}", f"{sum(kind.by_clock for kind in kinds) / asked:.0%}",
        )  # fmt: skip
        lines.append("  " + "".join(f"{cell:>12}" for cell in cells))
    return "\n".join(lines)


def against_goal(title: str, row: Row) -> str:
    """One way of playing a Day game of 8, beside the goal."""

    def said(figure: str, met: bool) -> str:
        return f"{figure:>16} {'met' if met else 'MISSED':<7}"

    return (
        f"  {title:<34}"
        + said(f"{row.waking:.1f} h", row.waking <= GOAL_HOURS)
        + said(f"{row.an_answer:.2f} pings", row.an_answer <= GOAL_PINGS)
        + said(f"{row.clock:.1%} clock", row.clock < GOAL_CLOCK)
    )


ORDERS = Way(prepared=PREPARED, defended=PREPARED, in_one_go=PREPARED)
WAYS = {
    "Day": Way(),
    "Day, orders ahead (70 % of what can be prepared)": ORDERS,
    "Day, secrecy: fast": Way(secrecy="fast"),
    "Day, orders ahead, secrecy: fast": ORDERS._replace(secrecy="fast"),
}

# What else there is to a group of 8, and to a goal that is missed. Another pace makes nobody quicker.
_SAME = PACES["day"].base * 0.4
_PUSHED = ORDERS._replace(nudges=True)
ELSE = {
    "nudges": Way(nudges=True),
    "orders, nudges": _PUSHED,
    "orders, nudges, secrecy: fast": _PUSHED._replace(secrecy="fast"),
    "orders, nudges, absences announced": _PUSHED._replace(announced=True),
    "the same, 10 min an answer": _PUSHED._replace(announced=True, usual=_SAME * 10 / 12),
    "orders for answers to offers only": Way(prepared=PREPARED),
    "all answers to offers prepared": Way(prepared=1.0),
    "orders, pace 30m 6h": ORDERS._replace(pace=read("30m 6h"), usual=_SAME),
    "orders, pace 15m 2h": ORDERS._replace(pace=read("15m 2h"), usual=_SAME),
    "orders, absences announced": ORDERS._replace(announced=True),
    "and 10 min an answer": ORDERS._replace(announced=True, usual=_SAME * 10 / 12),
    "every answer a new look": Way(sitting=False),
    "and orders ahead": ORDERS._replace(sitting=False),
    "and orders ahead, nudges": _PUSHED._replace(sitting=False),
}


# --- seeds/lengths.toml ---

LENGTHS = Path(__file__).parent.parent / "seeds" / "lengths.toml"
ABOVE = """\
# How long a game takes, by pace and number of players: [from, to] in hours of waking time, for the lobby.
# Written by `python -m bench.day`: {games} games each, no orders ahead; one in five is shorter, one in five longer.
# What is assumed of people is said there; a pace of one's own lies between these. Where chance made fewer players take
# longer, their figures are averaged.
"""


def stretches(word: str, games: int) -> list[tuple[float, float]]:
    """[from, to] for every number of players."""
    found = []
    for players in range(core.LEAST, core.MOST + 1):
        tenths = quantiles((game.waking for game in played(players, Way(read(word)), games)), n=10)
        found.append((tenths[1], tenths[7]))
    return list(zip(*(rising(ends) for ends in zip(*found, strict=True)), strict=True))


def rising(figures: Sequence[float]) -> list[float]:
    """The figures, those that fall averaged with those before, so that none falls (pool adjacent violators)."""
    pools: list[tuple[float, int]] = []
    for figure in figures:
        pool = (figure, 1)
        while pools and pools[-1][0] / pools[-1][1] > pool[0] / pool[1]:
            last = pools.pop()
            pool = (last[0] + pool[0], last[1] + pool[1])
        pools.append(pool)
    return [total / count for total, count in pools for _ in range(count)]


def rounded(hours: float) -> float:
    """Two digits: more would promise too much."""
    return round(hours, 1 - math.floor(math.log10(hours)))


def lengths(games: int) -> str:
    parts = [ABOVE.format(games=games)]
    for word in MEASURED:
        parts.append(f'\n["{word}"]\n')
        for players, ends in enumerate(stretches(word, games), core.LEAST):
            parts.append(f"{players} = [{', '.join(f'{rounded(end):g}' for end in ends)}]\n")
    return "".join(parts)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="How long a game takes in a group with other things to do.")
    parser.add_argument("--games", type=int, default=200, help="games for every figure")
    parser.add_argument("--no-write", action="store_true", help="leave seeds/lengths.toml alone")
    chosen = parser.parse_args(arguments)
    more = 3 * chosen.games  # the lengths of games differ widely: the figures that have a goal are of more games
    rows = {
        title: [summed_up(played(players, way, more if players == 8 else chosen.games)) for players in SIZES]
        for title, way in WAYS.items()
    }
    for title, ways in rows.items():
        print(table(title, ways), end="\n\n")
    goal = f"{GOAL_HOURS:.0f} waking hours, {GOAL_PINGS:.0f} ping an answer, {GOAL_CLOCK:.0%} by the clock"
    print(f"A Day game of 8; goal: {goal}")
    for title, ways in rows.items():
        print(against_goal(title.partition(" (")[0], ways[SIZES.index(8)]))
    print("And otherwise:")
    for title, way in ELSE.items():
        print(against_goal(title, summed_up(played(8, way, more))))
    for title, way in (("as it is", Way()), ("with orders and nudges", _PUSHED)):
        print(f"\nFor which questions a Day game of 8 waits, {title} (means)")
        print(waits_by_kind(played(8, way, more)))
    if not chosen.no_write:
        LENGTHS.write_text(lengths(chosen.games), encoding="utf-8")


if __name__ == "__main__":
    main()
