"""How fast the rules are: `python -m bench.rules`. Each figure beside its goal, and in rounds of a plain Python loop.

Seconds are those of the processor in this process: what else runs on the machine slows the rules, but not by its share.
The loop says how fast the machine is at that moment: rounds an answer can be compared between machines and days.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from statistics import median, quantiles
from time import process_time

import core
from core import Game, Live, Options

GOAL_ANSWERS = 60_000  # a second, random play with 6 players in one process
GOAL_APPLY = 0.5  # milliseconds, text to text with 12 players, median
SECONDS = 3.0


def calibrate() -> float:
    """How many thousand rounds a second of a loop of dictionary, list and call this machine does now."""
    table: dict[int, list[int]] = {number: [number] for number in range(64)}

    def move(source: int, target: int) -> int:
        table[target].append(table[source].pop() if table[source] else source)
        return (source * 7 + target) & 63

    began, rounds, at = process_time(), 0, 1
    while process_time() - began < 0.3:
        for step in range(1000):
            at = move(at, step & 63)
        rounds += 1
    return rounds / (process_time() - began)


def games_of_dice(players: int, seconds: float) -> tuple[float, float]:
    """Answers and games a second of live games played by dice."""
    began, answers, games = process_time(), 0, 0
    while process_time() - began < seconds:
        dice = Random(games)
        live = Live(core.deal([f"s{n}" for n in range(players)], Options(), str(games)))
        while live.outcome is None:
            seat = next(iter(live.asks))
            live.answer(seat, dice.choice(live.asks[seat].choices))
            if live.standing and dice.random() < 0.002:
                live.answer(*next((seat, choices[0]) for seat, choices in live.standing.items()))
            answers += 1
        games += 1
    spent = process_time() - began
    return answers / spent, games / spent


def applied(players: int, seconds: float) -> Iterator[float]:
    """Milliseconds of each `apply` of long games, from the game as text to the game as text."""
    began, games = process_time(), 0
    while process_time() - began < seconds:
        games += 1
        dice = Random(games)
        step = core.new_game([f"s{n}" for n in range(players)], Options(), f"apply {games}")
        while step.outcome is None:
            seat = next(iter(step.asks))
            choice = dice.choice(step.asks[seat].choices)
            game = Game(step.game.turn_start, step.game.answers, step.game.digest)
            at = process_time()
            step = core.apply(game, seat, choice)
            yield (process_time() - at) * 1000


def told(name: str, figure: str, goal: str, met: bool, rounds: float) -> None:
    print(f"{name:<46}{figure:>14}   goal {goal:<14}{'met' if met else 'MISSED':<8}{rounds:,.0f} rounds")


def measured(measure: Callable[[], float]) -> tuple[float, float]:
    """A figure, and how many thousand rounds of the loop the machine did a second around it."""
    before = calibrate()
    figure = measure()
    return figure, (before + calibrate()) / 2


def main() -> None:
    games: list[float] = []

    def answers_a_second() -> float:
        answers, finished = games_of_dice(6, SECONDS)
        games.append(finished)
        return answers

    answers, loop = measured(answers_a_second)
    told(
        "answers a second, dice, 6 players",
        f"{answers:,.0f}",
        f"{GOAL_ANSWERS:,}",
        answers >= GOAL_ANSWERS,
        loop * 1000 / answers,
    )
    print(f"{'games a second, dice, 6 players':<46}{games[0]:>14,.0f}")
    times: list[float] = []

    def apply_median() -> float:
        times.extend(applied(12, SECONDS * 2))
        return median(times)

    middle, loop = measured(apply_median)
    told(
        "apply, text to text, 12 players, median",
        f"{middle:.3f} ms",
        f"{GOAL_APPLY} ms",
        middle <= GOAL_APPLY,
        middle * loop,
    )
    hundredths = quantiles(times, n=100)
    print(f"{'  90 of 100 are below':<46}{hundredths[89]:>11.3f} ms")
    print(f"{'  99 of 100 are below':<46}{hundredths[98]:>11.3f} ms   ({len(times)} answers)")
    print(f"{'the loop, thousand rounds a second':<46}{loop:>14,.0f}")


if __name__ == "__main__":
    main()
