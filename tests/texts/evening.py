"""Plays a whole evening in memory, for reading.

    python -m tests.texts.evening --players 6 --seed fog [--random] [--private s2] [NAME=VALUE ...]
"""

from __future__ import annotations

import argparse
import html
import re
from collections.abc import Iterator
from random import Random

import core
from core import Live, Seat, Table, events, view_of
from telegram_bot import narrator
from telegram_bot.happenings import TimeRanOut

PEOPLE = ("Ann", "Bob", "Cid", "Dan", "Eve", "Fay", "Gus", "Hal", "Ida", "Jon", "Kim", "Lee")


def names(players: int) -> dict[Seat, str]:
    return {f"s{i}": name for i, name in enumerate(PEOPLE[:players], 1)}


def play(
    players: int, seed: str, *, at_random: bool = False, late: float = 0, turns: int = 200, **options: object
) -> Table:
    """The table after a game of bot players (or random ones, of whom some let their time run out)."""
    live = Live(core.deal(list(names(players)), core.read_options(options, players), seed))
    dice = Random(seed)
    while live.outcome is None and live.table.turn <= turns:
        seat = dice.choice(sorted(live.asks))
        if dice.random() < late:
            live.table.say(TimeRanOut(seat))
        me = view_of(live.table, live.asks, live.standing, seat)
        if not at_random:
            choice = core.players.bot.choose(me, dice)
        elif dice.random() < 0.002 and live.standing:
            seat, ((choice, *_),) = next(iter(live.standing)), live.standing.values()
        else:
            choice = dice.choice(live.asks[seat].choices)
        live.answer(seat, choice)
    return live.table


def story(table: Table, called: dict[Seat, str], seed: str) -> Iterator[str]:
    """What the group reads, turn by turn, and the end."""
    for turn in narrator.by_turn(table.events):
        yield narrator.tell_turn(turn, called, seed)
    if table.outcome is not None:
        yield narrator.tell_end(table, called)
    else:
        yield narrator.tell_roles(table, called)


def private(table: Table, me: Seat, called: dict[Seat, str]) -> Iterator[str]:
    """What one player may look up alone."""
    turn = 0
    for event in table.events:
        if isinstance(event, events.TurnBegan):
            turn = event.turn
        if (line := narrator.tell_private(event, me, called)) is not None:
            yield f"{turn} · {line}"


def as_read(text: str) -> str:
    """HTML as it looks on a phone."""
    return html.unescape(re.sub(r"<[^>]*>", "", text)).replace("\u2068", "").replace("\u2069", "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", type=int, default=6)
    parser.add_argument("--seed", default="fog")
    parser.add_argument("--random", action="store_true")
    parser.add_argument("--private", metavar="SEAT")
    parser.add_argument("options", nargs="*", metavar="NAME=VALUE")
    given = parser.parse_args()
    options = {k: {"true": True, "false": False}.get(v, v) for k, v in (option.split("=") for option in given.options)}
    table = play(given.players, given.seed, at_random=given.random, late=0.03, **options)
    called = names(given.players)
    told = private(table, given.private, called) if given.private else story(table, called, given.seed)
    for page in told:
        print(as_read(page), end="\n" if given.private else "\n\n")


if __name__ == "__main__":
    main()
