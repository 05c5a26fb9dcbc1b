"""Text as Telegram keeps it: cleaned, trimmed, its markup turned into entities with UTF-16 offsets.

The parsers follow td/telegram/MessageEntity.cpp of TDLib in what they accept, in what they say when they do not, and in
counting bytes of UTF-8 in their complaints (field/telegram.md 4.4).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playground.errors import bad
from playground.text.characters import Entity, blank, clean, cleaned, moved, piece, trimmed, utf16, whole
from playground.text.entities import QUOTES, STYLES, checked_bounds, found, given, untangled
from playground.text.html import parse_html
from playground.text.markdown import parse_markdown

__all__ = ["CAPTION_LIMIT", "TEXT_LIMIT", "Entity", "clean", "command_of", "formatted", "piece", "utf16", "whole"]

TEXT_LIMIT = 4096  # code points after parsing: field/telegram.md 1.1
CAPTION_LIMIT = 1024


def formatted(
    text: str,
    parse_mode: str = "",
    entities: Any = None,
    known: Callable[[int], bool] = lambda _id: True,
    limit: int = TEXT_LIMIT,
    caption: bool = False,
) -> tuple[str, list[Entity]]:
    """The text and entities of a message as Telegram will keep them.

    *known* tells whether the bot may mention that user; another mention stays plain text. Raises the refusal in
    Telegram's words for what cannot be parsed, is empty or too long.
    """
    mode = parse_mode.lower()
    if mode and mode not in ("html", "markdown", "markdownv2", "none"):
        raise bad("unsupported parse_mode")
    if mode == "html":
        plain, marked = parse_html(clean(text))
    elif mode in ("markdown", "markdownv2"):
        plain, marked = parse_markdown(clean(text))
    elif entities:
        marked = checked_bounds(text, given(entities))
        plain, marked = moved(text, lambda _i, ch: cleaned(ch), marked)
    else:
        plain, marked = clean(text), []
    plain, marked = trimmed(plain, marked)
    if blank(plain):
        if caption:
            return "", []
        raise bad("message text is empty")
    if len(plain) > limit:
        raise bad("message caption is too long" if caption else "message is too long")
    marked = [e for e in marked if e["type"] != "text_mention" or known(e["user_id"])]
    taken = [(e["offset"], e["offset"] + e["length"]) for e in marked if e["type"] not in (*STYLES, *QUOTES)]
    for entity in found(plain):
        start, end = entity["offset"], entity["offset"] + entity["length"]
        if all(end <= low or start >= high for low, high in taken):
            marked.append(entity)
    return plain, untangled(marked)


def command_of(text: str, entities: list[Entity]) -> tuple[str, str] | None:
    """The command a message begins with, and the bot it is addressed to ("" for any)."""
    for entity in entities:
        if entity["type"] == "bot_command" and entity["offset"] == 0:
            name, _, bot = piece(text, entity)[1:].partition("@")
            return name.lower(), bot
    return None
