"""The decorators that make a function a card, and the box they fill."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import cleandoc
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from core.asks import Card, Rule, Seat

if TYPE_CHECKING:
    from core.exchange import Offer
    from core.table import Table

Kind: TypeAlias = Literal["contagion", "action", "defence", "obstacle", "panic"]
Aim: TypeAlias = tuple[str, ...]  # (), (seat,) or (seat, side)
Aims: TypeAlias = "Callable[[Table, Seat], list[Aim]]"

THING: Card = "The Thing"
INFECTED: Card = "Infected!"


@dataclass(frozen=True)
class CardRule:
    """A card: its name, kind, printed corner as {number: copies}, sentence, and what it does.

    *aims* lists at whom it may be played now (empty: it cannot be); *unless* is the defence that stops it; *effect* is
    the sentence in code, called with the table, the player and what the kind of card needs.
    """

    name: Card
    kind: Kind
    corner: dict[int, int]
    text: str
    effect: Callable[..., Any]
    aims: Aims | None = None
    unless: Card | None = None
    again: bool = False


CARDS: dict[Card, CardRule] = {}
PANICS: dict[Card, CardRule] = {}  # the cards drawn in step 1 and resolved at once
PLAYABLE: dict[Card, CardRule] = {}  # the cards that step 2 may play
REFUSALS: dict[Card, CardRule] = {}  # the defences against an offer


def box(players: int) -> dict[Card, int]:
    """How many of each card are in use with that many players, The Thing included (R12)."""
    return {c.name: sum(n for number, n in c.corner.items() if number <= players) for c in CARDS.values()}


def _corner(printed: str) -> dict[int, int]:
    """`"4x2 6"` read as {4: 2, 6: 1}: two cards numbered 4 and one numbered 6."""
    pairs = (part.partition("x") for part in printed.split())
    return {int(number): int(copies or 1) for number, _, copies in pairs}


def _card(name: Card, kind: Kind, corner: str, effect: Callable[..., Any], **icons: Any) -> CardRule:
    text = cleandoc(effect.__doc__ or "").partition("\n\n")[0].replace("\n", " ")
    rule = CARDS[name] = CardRule(name, kind, _corner(corner), text, effect, **icons)
    return rule


Action: TypeAlias = Callable[..., Rule]
Defence: TypeAlias = "Callable[[Table, Seat, Offer], Offer | None]"


def contagion(name: Card, *, corner: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A card that is held and given, and never played (R23, R24)."""
    def register(effect: Callable[..., None]) -> Callable[..., None]:
        _card(name, "contagion", corner, effect)
        return effect

    return register


def action(
    name: Card, *, corner: str, at: Aims, unless: Card | None = None, again: bool = False
) -> Callable[[Action], Action]:
    """A card for step 2, discarded after use; *again* tells that another card is played or discarded after it (R30)."""

    def register(effect: Action) -> Action:
        PLAYABLE[name] = _card(name, "action", corner, effect, aims=at, unless=unless, again=again)
        return effect

    return register


def obstacle(name: Card, *, corner: str, at: Aims) -> Callable[[Action], Action]:
    """A card for step 2 that stays on the table."""

    def register(effect: Action) -> Action:
        PLAYABLE[name] = _card(name, "obstacle", corner, effect, aims=at)
        return effect

    return register


def refusal(name: Card, *, corner: str) -> Callable[[Defence], Defence]:
    """A defence against an offer; its effect returns the offer that takes its place, or None (R35 to R37)."""

    def register(effect: Defence) -> Defence:
        REFUSALS[name] = _card(name, "defence", corner, effect)
        return effect

    return register


def shield(name: Card, *, corner: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A defence against a card that names it as what stops it (R38, R39)."""

    def register(effect: Callable[..., None]) -> Callable[..., None]:
        _card(name, "defence", corner, effect)
        return effect

    return register


def panic(name: Card, *, corner: str) -> Callable[[Action], Action]:
    """A card that is resolved when it is drawn in step 1 (R16)."""
    def register(effect: Action) -> Action:
        PANICS[name] = _card(name, "panic", corner, effect)
        return effect

    return register
