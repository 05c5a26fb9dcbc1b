"""From rows to records and back."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from .records import Chat, GameRow, Person, RoadHere, SeatRow, Timer

_encoder = msgspec.json.Encoder()


def dump(value: object) -> str:
    """*value* as JSON text."""
    return _encoder.encode(value).decode()


def storable(words: str) -> str:
    """Text, or JSON text, that Postgres takes: without NUL (as it is or as an escape) and halves of surrogate pairs."""
    words = re.sub(r"(?<!\\)((?:\\\\)*)\\u0000", r"\1", words)
    return words.replace("\0", "").encode("utf-8", "replace").decode()


FIELDS = GameRow.__struct_fields__
AS_TEXT = {"options", "roster", "memo", "answers", "orders", "timers", "outcome"}
COLUMNS = ", ".join(f"g.{name}::text" if name in AS_TEXT else f"g.{name}" for name in FIELDS)
_DECODE: Mapping[int, Callable[[str], Any]] = {
    FIELDS.index(name): msgspec.json.Decoder(kind).decode
    for name, kind in {
        "options": dict[str, Any],
        "roster": tuple[SeatRow, ...],
        "memo": dict[str, Any],
        "answers": tuple[tuple[str, tuple[str, ...]], ...],
        "orders": dict[str, Any],
        "timers": tuple[Timer, ...],
        "outcome": dict[str, Any] | None,
    }.items()
}
people_of = msgspec.json.Decoder(list[Person]).decode
chat_of = msgspec.json.Decoder(Chat).decode
road_of = msgspec.json.Decoder(RoadHere).decode


def game_of(row: Any, at: int) -> GameRow:
    """The game in *row*, whose columns begin *at* there."""
    values = list(row[at : at + len(FIELDS)])
    for index, decode in _DECODE.items():
        if values[index] is not None:
            values[index] = decode(values[index])
    return GameRow(**dict(zip(FIELDS, values, strict=True)))


def game_values(game: GameRow) -> dict[str, object]:
    """A game as parameters of a statement, `next_at` too."""
    values: dict[str, object] = {name: getattr(game, name) for name in FIELDS}
    for name in AS_TEXT:
        if values[name] is not None:
            values[name] = dump(values[name])
    values["next_at"] = game.next_at
    return values


def both(news: Chat, before: Chat | None) -> Chat:
    """What is known of a chat, with what is new about it."""
    if before is None:
        return news
    changed = {
        name: value
        for name in Chat.__struct_fields__
        if (value := getattr(news, name)) is not None and not (name == "road" and value == "unknown")
    }
    if changed.get("road") == "open":
        changed["left_at"] = None
    return replace(before, **changed)
