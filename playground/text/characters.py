"""Characters as Telegram counts and cleans them: UTF-16 units, what never reaches a message, what cannot be seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Entity = dict[str, Any]


def utf16(text: str) -> int:
    """The length of *text* in UTF-16 code units."""
    return len(text) + sum(ch > "\uffff" for ch in text)


def piece(text: str, entity: Entity) -> str:
    """The part of *text* that *entity* covers."""
    units = text.encode("utf-16-le", "surrogatepass")
    start = entity["offset"] * 2
    return units[start : start + entity["length"] * 2].decode("utf-16-le", "replace")


def whole(text: str) -> str:
    """*text* without half characters, which no app can send and no UTF-8 can hold."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def cleaned(ch: str) -> str:
    """What TDLib's clean_input_string leaves of a character: itself, a space, or nothing."""
    if ch == "\r" or "\u2028" <= ch <= "\u202e" or ch in "\u0333\u033f\u030a":
        return ""  # clean_input_string: line separators and direction overrides never reach a message
    if ch < " " and ch != "\n":
        return " "
    return ch


def clean(text: str) -> str:
    """*text* without what TDLib's clean_input_string takes out."""
    return "".join(map(cleaned, text))


def moved(text: str, keep: Callable[[int, str], str], entities: list[Entity]) -> tuple[str, list[Entity]]:
    """*text* with each character replaced by what *keep* says, and the entities moved along."""
    places, new, out = [0], 0, []
    for i, ch in enumerate(text):
        kept = keep(i, ch)
        out.append(kept)
        if ch > "\uffff":
            places.append(new)
        new += utf16(kept)
        places.append(new)
    moved = []
    for entity in entities:
        start = places[min(entity["offset"], len(places) - 1)]
        end = places[min(entity["offset"] + entity["length"], len(places) - 1)]
        if end > start:
            moved.append({**entity, "offset": start, "length": end - start})
    return "".join(out), moved


def trimmed(text: str, entities: list[Entity]) -> tuple[str, list[Entity]]:
    """*text* without white space at both ends."""
    left, right = len(text) - len(text.lstrip(" \n\t")), len(text.rstrip(" \n\t"))
    if left == 0 and right == len(text):
        return text, entities
    return moved(text, lambda i, ch: ch if left <= i < right else "", entities)


def blank(text: str) -> bool:
    """Whether nothing in *text* can be seen."""
    return not text.strip(
        " \n\t\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u200b\u200c\u200d"
        "\u200e\u200f\u202f\u205f\u2060\u3000\ufeff\u2800"
    )
