"""Callback data to and fro: where a button stands, its game, the version it was made for, what it does, and which.

It is never trusted: whoever presses is looked up in the game, and what is pressed in the questions asked there.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, get_args

Room = Literal["lobby", "board", "panel", "ending", "settings", "vote", "absent"]

_ROOMS: dict[str, Room] = {room[0]: room for room in get_args(Room)}
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_NUMBER = "[0-9a-z]{1,6}"
_SHAPE = re.compile(rf"([{''.join(_ROOMS)}])\.([0-9a-z]{{1,12}})\.({_NUMBER})\.([a-z_]{{1,24}})\.({_NUMBER})", re.ASCII)


class Pressed(NamedTuple):
    """What a button says: *what* it does, with which *number*; *version* is that of the game it was made for."""

    room: Room
    game: int
    what: str
    version: int = 0
    number: int = 0

    def __str__(self) -> str:
        """Callback data: at most 64 bytes (field/telegram.md 1.1)."""
        return f"{self.room[0]}.{_base36(self.game)}.{_base36(self.version)}.{self.what}.{_base36(self.number)}"


def read(data: str) -> Pressed | None:
    """What callback data says, or None for any that the bot never made."""
    if (shape := _SHAPE.fullmatch(data)) is None:
        return None
    room, game, version, what, number = shape.groups()
    pressed = Pressed(_ROOMS[room], int(game, 36), what, int(version, 36), int(number, 36))
    # Written in another way it is none of ours ("01").
    return pressed if pressed.game < 2**63 and str(pressed) == data else None


def _base36(number: int) -> str:
    digits = ""
    while number:
        number, rest = divmod(number, 36)
        digits = _DIGITS[rest] + digits
    return digits or "0"
