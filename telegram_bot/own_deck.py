"""A deck of the players' own making, written in a message (R63): a whole list, or changes to the deck in use."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import core
from telegram_bot import rulebook
from telegram_bot.texts import say, say_plain

_SPLIT = re.compile(r"[,;\n]+")


class Unreadable(ValueError):
    """A list that is no deck; str() is a sentence that says which part."""


def read(text: str, options: Mapping[str, Any], players: int) -> dict[str, int] | None:
    """The deck that *text* describes: "Axe 3, Whisky 2" is all of it, "+1 Axe, -2 Whisky" changes the deck in use.

    "off" is None: the deck goes by the number of players again. Raises Unreadable.
    """
    if text.strip().casefold() == "off":
        return None
    parts = [_part(part) for part in _split(text)]
    signed = [sign is not None for _, sign, _ in parts]
    if any(signed) and not all(signed):
        raise Unreadable(say_plain("deck.mixed"))
    deck = in_use(options, players) if any(signed) else {}
    for card, sign, number in parts:
        deck[card] = max(0, deck.get(card, 0) + (number if sign != "-" else -number)) if sign else number
    return {card: number for card, number in deck.items() if number}


def _split(text: str) -> list[str]:
    """The parts of a list; a card with a comma in its name stays whole."""
    joined = re.sub(r"\b(no|one)\s*,\s*(thanks|two)", r"\1 \2", text, flags=re.IGNORECASE)
    joined = re.sub(r"\bthree\s*,\s*four", "three four", joined, flags=re.IGNORECASE)
    return [part.strip() for part in _SPLIT.split(joined) if part.strip()]


def _part(part: str) -> tuple[str, str | None, int]:
    """A card, whether its number is signed, and the number."""
    found = re.fullmatch(r"(?P<sign>[+\-\u2212]?)\s*(?P<number>\d{1,4})\s*[x×]?\s+(?P<card>.+)", part)
    found = found or re.fullmatch(r"(?P<card>.+?)[\s:=]+(?P<sign>[+\-\u2212]?)\s*[x×]?\s*(?P<number>\d{1,4})", part)
    cards = rulebook.find(found["card"]) if found else []
    if found is None or len(cards) != 1:
        raise Unreadable(say_plain("deck.unreadable", part=part[:60]))
    return cards[0], found["sign"].replace("\u2212", "-") or None, int(found["number"])


def in_use(options: Mapping[str, Any], players: int) -> dict[str, int]:
    """The deck of a lobby, The Thing and the change of Infected! cards left out."""
    deck = options.get("deck") or core.box(min(core.MOST, max(core.LEAST, players)))
    return {card: number for card, number in deck.items() if card != "The Thing" and number}


def told(options: Mapping[str, Any], players: int) -> str:
    """The deck of a lobby as a list that can be copied, changed and sent back, as HTML."""
    deck = in_use(options, players)
    lines = ", ".join(f"{card} {number}" for card, number in deck.items())
    return say("deck.told", n=sum(deck.values()) + 1, cards=lines)
