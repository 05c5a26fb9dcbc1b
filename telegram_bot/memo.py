"""What the use cases keep of a game from press to press, beside the rules' own state: nothing secret."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace

from db.records import GameRow


class Tale(msgspec.Struct, frozen=True, omit_defaults=True):
    """The message that tells the present turn: since which turn, what it told of turns before, and whose time ran out.

    *late* holds (how many events of the turn came before, seat).
    """

    since: int = 0
    told: str = ""
    late: tuple[tuple[int, str], ...] = ()


class Memo(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is kept.

    *page* of the lobby, *opener*: the name of who opened it, *joined*: who pressed Join last, and when (Unix time).
    *asked*: the version at which each awaited seat was asked; *called*: seats called by a message in the group;
    *ending*: who wants the game to end; *paused*: since when the game stands still (Unix time; 0: it does not), and
    *why*; *unanswered*: how often in a row the clock answered, and no person in between.
    """

    page: str = ""
    opener: str = ""
    joined: tuple[int, float] = (0, 0.0)
    asked: dict[str, int] = {}
    called: tuple[str, ...] = ()
    tale: Tale = Tale()
    ending: tuple[int, ...] = ()
    paused: float = 0.0
    why: str = ""
    unanswered: int = 0


def memo_of(game: GameRow) -> Memo:
    return msgspec.convert(game.memo, Memo)


def remembering(game: GameRow, **changed: Any) -> GameRow:
    """The game with some parts of its memo changed."""
    return replace(game, memo=msgspec.to_builtins(replace(memo_of(game), **changed)))
