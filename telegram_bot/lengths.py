"""How long a game takes, in waking hours, by pace and number of players: as measured, from seeds/lengths.toml."""

from __future__ import annotations

import math
import tomllib
from functools import cache
from importlib.resources import files

import core
from telegram_bot.pace import Pace, read

# The paces that are measured: those that have a name, and the quickest and slowest of one's own on either side of ten
# minutes, where a game is played at one sitting no more. Slower than Slow it takes no longer: who comes to the phone
# answers.
MEASURED = ("30s 2m", "blitz", "evening", "9m 36m", "10m 40m", "day", "slow")
WAKING = 16  # hours of a day in which people are awake

Hours = tuple[float, float]  # from, to


def hours(pace: Pace, players: int) -> Hours:
    """From how many waking hours to how many; for a pace of one's own, by its base between those that were measured of
    its kind."""
    players = min(max(players, core.LEAST), core.MOST)
    alike = [word for word in MEASURED if read(word).is_played_awake == pace.is_played_awake]
    known = [(math.log(read(word).base.total_seconds()), _table()[word, players]) for word in alike]
    at = math.log(pace.base.total_seconds())
    at = min(max(at, known[0][0]), known[-1][0])
    below, above = next(pair for pair in zip(known, known[1:], strict=False) if at <= pair[1][0])
    way = (at - below[0]) / (above[0] - below[0])
    low, high = (_between(*ends, way) for ends in zip(below[1], above[1], strict=True))
    return low, high


def _between(low: float, high: float, way: float) -> float:
    """What grows by factors, on the way from one to the other."""
    return float(low * (high / low) ** way)


@cache
def _table() -> dict[tuple[str, int], Hours]:
    """The hours by pace and players. Raises ValueError where one is missing or is no stretch."""
    content = tomllib.loads(files("seeds").joinpath("lengths.toml").read_text(encoding="utf-8"))
    table: dict[tuple[str, int], Hours] = {}
    for word in MEASURED:
        for players in range(core.LEAST, core.MOST + 1):
            match content.get(word, {}).get(str(players)):
                case [int() | float() as low, int() | float() as high] if 0 < low <= high:
                    table[word, players] = (float(low), float(high))
                case wrong:
                    raise ValueError(f"seeds/lengths.toml: [{word}] {players} is {wrong}, not [from, to] in hours")
    return table
