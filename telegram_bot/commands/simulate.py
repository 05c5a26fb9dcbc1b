"""`stay-away simulate`: whole games in memory, played by dice or by bot players, counted and recorded."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

import yaml

from core import DECLARE, Choice, Live, Options, Refused, Seat, deal, freeze, players, read_options, scenario, view_of
from telegram_bot.commands import plain_yaml

NAMES = ("Ann", "Bob", "Cid", "Dan", "Eve", "Fay", "Gus", "Hal", "Ida", "Jon", "Kim", "Lea")
RARELY, OFTEN = 0.002, 0.1  # how often the dice let The Thing declare what is false, and what is true

Policy = Callable[[Live, Random], tuple[Seat, Choice]]


def run(arguments: argparse.Namespace) -> int:
    """Play, and print the figures. 2 with one line where that cannot be done."""
    try:
        if arguments.games < 0:
            raise Refused("There cannot be less than no games.")
        options = read_options(dict(map(read_option, arguments.option)), arguments.players)
        tally = play(arguments.players, arguments.games, arguments.seed, arguments.policy, options, arguments.record)
        if arguments.json:
            Path(arguments.json).write_text(json.dumps(tally.figures(), indent=2) + "\n", encoding="utf-8")
    except (Refused, OSError) as why:
        print(why, file=sys.stderr)
        return 2
    print(tally)
    return 0


def read_option(words: str) -> tuple[str, Any]:
    """`NAME=VALUE`, the value read as YAML. Raises Refused."""
    name, equals, value = words.partition("=")
    if not equals:
        raise Refused(f"An option is NAME=VALUE, not {words!r}.")
    try:
        return name, plain_yaml.load(value)
    except yaml.YAMLError:
        raise Refused(f"The option {name} cannot be read: {value!r}.") from None


@dataclass
class Tally:
    """What was played, and how fast."""

    games: int = 0
    turns: int = 0
    answers: int = 0
    seconds: float = 0.0
    endings: Counter[str] = field(default_factory=Counter)

    def figures(self) -> Mapping[str, Any]:
        seconds = self.seconds or 1e-9
        return {
            "games": self.games,
            "turns": self.turns,
            "answers": self.answers,
            "seconds": round(self.seconds, 6),
            "answers_per_second": round(self.answers / seconds, 1),
            "games_per_second": round(self.games / seconds, 1),
            "endings": dict(sorted(self.endings.items())),
        }

    def __str__(self) -> str:
        figures = dict(self.figures())
        endings = figures.pop("endings")
        lines = [f"{name.replace('_', ' ')}: {value}" for name, value in figures.items()]
        return "\n".join([*lines, "endings:", *(f"  {why}: {number}" for why, number in endings.items())])


def play(
    number: int, games: int, seed: str, policy: str, options: Options, folder: str | None = None
) -> Tally:
    """Play *games* games of *number* players, each from a seed of its own, and record them in *folder*."""
    if folder is not None:
        Path(folder).mkdir(parents=True, exist_ok=True)
    tally = Tally()
    for game in range(1, games + 1):
        began = perf_counter()
        table = deal(NAMES[:number], options, f"{seed}/{game}")
        first = freeze(table) if folder is not None else ""
        live = Live(table)
        answers = play_to_the_end(live, POLICIES[policy], Random(f"{seed}/{game}/players"))
        tally.seconds += perf_counter() - began
        assert live.outcome is not None
        tally.games += 1
        tally.turns += table.turn
        tally.answers += len(answers)
        tally.endings[live.outcome.why] += 1
        if folder is not None:
            title = f"Game {game} of {games} with {number} players, seed {seed}, {policy}: {live.outcome.why}"
            file = Path(folder) / f"game-{game:0{len(str(games))}}.yaml"
            file.write_text(plain_yaml.dump(scenario.record(first, answers, title)), encoding="utf-8")
    return tally


def play_to_the_end(live: Live, policy: Policy, dice: Random) -> list[tuple[Seat, Choice]]:
    """Let *policy* answer until the game is over; what it answered."""
    answers = []
    while live.outcome is None:
        seat, choice = policy(live, dice)
        live.answer(seat, choice)
        answers.append((seat, choice))
    return answers


def by_dice(live: Live, dice: Random) -> tuple[Seat, Choice]:
    """Any legal choice of anybody who is asked; rarely a declaration, more often where it is true."""
    thrown = dice.random()
    if thrown < OFTEN and (standing := live.standing):
        humans = any(live.table.is_human(seat) for seat in live.table.seats)
        if thrown < RARELY or not humans:
            return next(iter(standing)), DECLARE
    seat = next(iter(live.asks)) if len(live.asks) == 1 else dice.choice(list(live.asks))
    return seat, dice.choice(live.asks[seat].choices)


def by_bots(live: Live, dice: Random) -> tuple[Seat, Choice]:
    """What the bot player on the first seat that is asked chooses."""
    seat = next(iter(live.asks))
    return seat, players.bot.choose(view_of(live.table, live.asks, live.standing, seat), dice)


POLICIES: dict[str, Policy] = {"random": by_dice, "bot": by_bots}
