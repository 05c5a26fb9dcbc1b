"""What can happen, in the past tense. Each event knows who may see which part of it (RULES.md section 8)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, TypeVar, get_args, get_type_hints

import msgspec

from core.asks import Card, Seat


@dataclass(frozen=True)
class KnownTo:
    """Marks a part of an event that only the seats in these fields of it know."""

    fields: tuple[str, ...]

    def __init__(self, *fields: str) -> None:
        object.__setattr__(self, "fields", fields)


class Event(msgspec.Struct, frozen=True, tag=True, omit_defaults=True):
    """Something that happened at the table. A part that a viewer may not know is None to that viewer."""


class Bare(Event, frozen=True):
    """An event about cards that an open Quarantine may lay face up for all (R40)."""

    face_up: bool = msgspec.field(default=False, name="up")


class TurnBegan(Event, frozen=True):
    """The *turn*-th turn of the game began; it is *seat*'s."""

    seat: Seat
    turn: int


class CardDrawn(Bare, frozen=True, kw_only=True):
    """*seat* took a card from the deck, in step 1 or as a replacement (R3)."""

    seat: Seat
    card: Annotated[Card | None, KnownTo("seat")]
    replacement: bool = False


class PanicDrawn(Event, frozen=True):
    """*seat* drew a PANIC! card in step 1; everybody sees it (R16)."""

    seat: Seat
    card: Card


class PanicsPassedOver(Event, frozen=True):
    """*number* PANIC! cards met in a replacement draw went face down to the pile (R3)."""

    seat: Seat
    number: int


class DeckRenewed(Event, frozen=True):
    """The discard pile was shuffled to make a new deck of *size* cards (R4)."""

    size: int


class CardDiscarded(Bare, frozen=True, kw_only=True):
    """*seat* discarded a card face down; *surplus* tells a fourth Infected! that had to go (R9)."""

    seat: Seat
    card: Annotated[Card | None, KnownTo("seat")]
    surplus: bool = False


class CardPlayed(Event, frozen=True):
    """*seat* played a card, at another seat, at itself or at nobody; *side* where two living players need it (R1)."""

    seat: Seat
    card: Card
    at: Seat | None = None
    side: str | None = None


class Defended(Event, frozen=True):
    """*seat* answered *against*, a card or the offer of *of*, with a defence card."""

    seat: Seat
    card: Card
    of: Seat
    against: Card | None = None


class CardKept(Event, frozen=True):
    """*seat* kept one of the cards drawn by Resolute (R30)."""

    seat: Seat
    card: Annotated[Card | None, KnownTo("seat")]


class Offered(Event, frozen=True):
    """*giver* put a card down for *taker* (R18)."""

    giver: Seat
    taker: Seat
    card: Annotated[Card | None, KnownTo("giver")]


class HandedOn(Event, frozen=True):
    """Missed!: the offer of *giver* passed from *seat* to *substitute*; None when there is no exchange (R37)."""

    giver: Seat
    seat: Seat
    substitute: Seat | None


class Exchanged(Bare, frozen=True, kw_only=True):
    """*giver* and *taker* exchanged a card each; only they know which (R18)."""

    giver: Seat
    taker: Seat
    given: Annotated[Card | None, KnownTo("giver", "taker")]
    returned: Annotated[Card | None, KnownTo("giver", "taker")]


class NotExchanged(Event, frozen=True):
    """Step 3 found a Barred Door or a Quarantine in the way (R19); *why* is that obstacle."""

    seat: Seat
    other: Seat
    why: Card


class CardPassedOn(Bare, frozen=True, kw_only=True):
    """Round and Round: *giver* gave *taker* a card (R48)."""

    giver: Seat
    taker: Seat
    card: Annotated[Card | None, KnownTo("giver", "taker")]


class TurnedInfected(Event, frozen=True):
    """*seat* was infected by The Thing, *by*; known to these two alone (R7, R8)."""

    seat: Annotated[Seat, KnownTo("seat", "by")]
    by: Seat


class TurnedThing(Event, frozen=True):
    """*seat* drew The Thing and is it from now on (R59)."""

    seat: Annotated[Seat, KnownTo("seat")]


class HandShown(Event, frozen=True):
    """*seat* showed *cards* to the seats in *to*, or to everybody (None); *by* is the card that asked for it."""

    seat: Seat
    by: Card
    to: tuple[Seat, ...] | None
    cards: tuple[Card, ...] | None


class NothingShown(Event, frozen=True):
    """*seat* declined to show anything in Revelations (R51)."""

    seat: Seat


class CardLeftOnDeck(Event, frozen=True):
    """Blind Date: *seat* left a card face down on top of the deck (R50)."""

    seat: Seat
    card: Annotated[Card | None, KnownTo("seat")]


class SeatsSwapped(Event, frozen=True):
    """*one* and *other* changed seats."""

    one: Seat
    other: Seat


class SeatsKept(Event, frozen=True):
    """*card* moved nobody: *why* is Quarantine, or None where there was nobody to move to."""

    seat: Seat
    card: Card
    why: Card | None = None


class DirectionTurned(Event, frozen=True):
    """Play goes the other way from now on; *clockwise* tells which."""

    clockwise: bool


class DoorBarred(Event, frozen=True):
    """A Barred Door fell into the gap clockwise from *left* to *right*."""

    left: Seat
    right: Seat


class DoorRemoved(Event, frozen=True):
    """The Barred Door in the gap clockwise from *left* to *right* is gone."""

    left: Seat
    right: Seat


class Quarantined(Event, frozen=True):
    """*seat* is in Quarantine for its next *turns* own turns."""

    seat: Seat
    turns: int


class QuarantineEnded(Event, frozen=True):
    """The Quarantine of *seat* is over: *spent* of itself, or removed."""

    seat: Seat
    spent: bool = False


class Eliminated(Event, frozen=True):
    """*seat* was burned by *by*; the role stays secret to the end (R52)."""

    seat: Seat
    by: Seat


class Declared(Event, frozen=True):
    """*seat* showed itself as The Thing and declared that no Human is left; it was *true* or not (R54)."""

    seat: Seat
    true: bool


class GameEnded(Event, frozen=True):
    """The game is over: *why* is one of the words in core/turn.py, *winners* the seats that have won."""

    why: str
    winners: tuple[Seat, ...]


AnyEvent = (
    TurnBegan
    | CardDrawn
    | PanicDrawn
    | PanicsPassedOver
    | DeckRenewed
    | CardDiscarded
    | CardPlayed
    | Defended
    | CardKept
    | Offered
    | HandedOn
    | Exchanged
    | NotExchanged
    | CardPassedOn
    | TurnedInfected
    | TurnedThing
    | HandShown
    | NothingShown
    | CardLeftOnDeck
    | SeatsSwapped
    | SeatsKept
    | DirectionTurned
    | DoorBarred
    | DoorRemoved
    | Quarantined
    | QuarantineEnded
    | Eliminated
    | Declared
    | GameEnded
)

E = TypeVar("E", bound=Event)


@cache
def _secrets(kind: type[Event]) -> tuple[tuple[str, KnownTo], ...]:
    hints = get_type_hints(kind, include_extras=True)
    return tuple((name, mark) for name, hint in hints.items() for mark in get_args(hint) if isinstance(mark, KnownTo))


def seen_by(event: E, viewer: Seat | None) -> E | None:
    """*event* as *viewer* knows it: parts it may not know are None; None when it may not know of the event at all.

    With viewer None: as the whole group knows it. The eliminated see what all see.
    """
    if isinstance(event, HandShown):
        if event.to is None or viewer == event.seat or viewer in event.to:
            return event
        return msgspec.structs.replace(event, cards=None)
    hidden: dict[str, Any] = {}
    if not (isinstance(event, Bare) and event.face_up):
        for part, mark in _secrets(type(event)):
            if viewer is None or all(getattr(event, field) != viewer for field in mark.fields):
                hidden[part] = None
    if "seat" in hidden:  # what happened is itself the secret
        return None
    return msgspec.structs.replace(event, **hidden) if hidden else event


def cards_named(event: Event) -> tuple[Card, ...]:
    """Every card that *event*, as its viewer sees it, names (obstacles and reasons not counted)."""
    named: list[Card] = []
    for part in ("card", "given", "returned"):
        if (card := getattr(event, part, None)) is not None:
            named.append(card)
    if isinstance(event, HandShown):
        named += event.cards or ()
    return tuple(named)
