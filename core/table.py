"""Seats, hands, deck, pile, doors and quarantines: questions about them, and the verbs that change them and say so."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, Literal, TypeAlias

import msgspec

from core.asks import Card, Seat
from core.cards.registry import INFECTED, PANICS, THING
from core.events import (
    CardDiscarded,
    CardDrawn,
    DeckRenewed,
    DirectionTurned,
    DoorBarred,
    DoorRemoved,
    Eliminated,
    Event,
    HandShown,
    PanicsPassedOver,
    Quarantined,
    QuarantineEnded,
    SeatsSwapped,
    TurnedInfected,
    TurnedThing,
)
from core.options import Options

Role: TypeAlias = Literal["human", "infected", "thing"]  # R6
Side: TypeAlias = Literal["left", "right"]
Back: TypeAlias = Literal["PANIC!", "STAY AWAY!"]

HAND = 4  # R11
MOST_INFECTED = 3  # R9


class Dead(msgspec.Struct, frozen=True, array_like=True):
    """Who was eliminated, by whom, in which turn; None for those who were out when the table was laid."""

    seat: Seat
    by: Seat | None = None
    turn: int | None = None


class Infection(msgspec.Struct, frozen=True, array_like=True):
    """Who infected whom, in which turn."""

    seat: Seat
    by: Seat
    turn: int


class Note(msgspec.Struct, frozen=True, array_like=True):
    """What the rules showed: *cards* of *seat*, in that turn, by that card, to the seats in *to* or to all (None)."""

    turn: int
    seat: Seat
    cards: tuple[Card, ...]
    by: Card
    to: tuple[Seat, ...] | None


class Outcome(msgspec.Struct, frozen=True):
    """How the game ended: one of the words of core/turn.py, and who won."""

    why: str
    winners: tuple[Seat, ...]


class ImpossibleChance(ValueError):
    """A prescribed throw of chance cannot be: the cards are not those (scenarios only)."""


def may_part_with(role: Role, hand: Sequence[Card]) -> list[Card]:
    """The cards of a *hand* that may be discarded: not The Thing, not the last Infected! of an Infected (R10)."""
    is_last = role == "infected" and hand.count(INFECTED) == 1
    return [card for card in dict.fromkeys(hand) if card != THING and not (is_last and card == INFECTED)]


def may_give_somebody(role: Role, hand: Sequence[Card]) -> list[Card]:
    """The cards of a *hand* that may be given, be it to The Thing alone: no Infected! by a Human (R10)."""
    return [card for card in may_part_with(role, hand) if role != "human" or card != INFECTED]


class Table(msgspec.Struct, dict=True):
    """Who sits where and holds what. Every verb changes the table and says so.

    *seats* are the living, clockwise; `doors[i]` is the gap clockwise from `seats[i]`; the top of deck and pile is
    their last card. *aside* are cards that lie in neither place: being played, offered, left on the deck (R4).
    """

    options: Options
    seats: list[Seat]
    hands: dict[Seat, list[Card]]
    roles: dict[Seat, Role]
    deck: list[Card]
    pile: list[Card]
    doors: list[bool]
    turn_of: Seat
    seed: str
    quarantines: dict[Seat, int] = {}
    direction: int = 1
    turn: int = 0
    throws: int = 0
    aside: list[Card] = []
    box: list[Card] = []  # cards that left the game (R64)
    dead: list[Dead] = []
    infections: list[Infection] = []
    notes: list[Note] = []
    last_infected: Seat | None = None  # who was the last Human, if converted (R58)
    chance: list[dict[str, Any]] = []  # what chance will bring, if that is prescribed
    outcome: Outcome | None = None

    def __post_init__(self) -> None:
        self.events: list[Event] = []
        self.thrown: list[dict[str, Any]] = []

    def say(self, event: Event) -> None:
        """Let an event be known to whom it concerns."""
        self.events.append(event)

    # --- who sits where (R1, R2) ---

    def left_of(self, seat: Seat) -> Seat:
        """The nearest living player clockwise."""
        return self.seats[(self.seats.index(seat) + 1) % len(self.seats)]

    def right_of(self, seat: Seat) -> Seat:
        """The nearest living player counter-clockwise."""
        return self.seats[self.seats.index(seat) - 1]

    def after(self, seat: Seat) -> Seat:
        """The next player in play direction."""
        return self.seats[(self.seats.index(seat) + self.direction) % len(self.seats)]

    def neighbours(self, seat: Seat) -> list[Seat]:
        """The players to the left and to the right; one player, where only two live."""
        left, right = self.left_of(seat), self.right_of(seat)
        return [left] if left == right else [left, right]

    def others(self, seat: Seat) -> list[Seat]:
        """All other living players, clockwise from the left."""
        i = self.seats.index(seat)
        return self.seats[i + 1 :] + self.seats[:i]

    def round_from(self, seat: Seat) -> list[Seat]:
        """All living players from *seat* on, in play direction."""
        i = self.seats.index(seat)
        return (self.seats[i:] + self.seats[:i]) if self.direction > 0 else (self.seats[i::-1] + self.seats[:i:-1])

    def gap(self, seat: Seat, side: Side) -> int:
        """The place in `doors` of the gap on that side of *seat*."""
        i = self.seats.index(seat)
        return i if side == "left" else (i - 1) % len(self.seats)

    def gaps_between(self, one: Seat, other: Seat) -> list[int]:
        """The gaps between two players: one for neighbours, two where only two live, none for others."""
        return [self.gap(one, side) for side, near in self.sides(one) if near == other]

    def sides(self, seat: Seat) -> tuple[tuple[Side, Seat], tuple[Side, Seat]]:
        """The neighbours, each with the side it sits on; the same one twice where only two live (R1)."""
        return ("left", self.left_of(seat)), ("right", self.right_of(seat))

    def is_shut(self, one: Seat, other: Seat) -> bool:
        """Whether Barred Doors keep two neighbours apart: in every gap between them (R1, R41)."""
        gaps = self.gaps_between(one, other)
        return bool(gaps) and all(self.doors[gap] for gap in gaps)

    def is_door_ahead(self, seat: Seat) -> bool:
        """Whether a Barred Door lies between *seat* and the next player (R19)."""
        return self.doors[self.gap(seat, "left" if self.direction > 0 else "right")]

    # --- Quarantine (R40) ---

    def is_quarantined(self, seat: Seat) -> bool:
        """Whether *seat* is in Quarantine, whichever reading."""
        return seat in self.quarantines

    def is_isolated(self, seat: Seat) -> bool:
        """Whether *seat* is in Quarantine in the reading that keeps it from every exchange."""
        return seat in self.quarantines and self.options.quarantine == "isolation"

    def is_open(self, seat: Seat) -> bool:
        """Whether what *seat* draws, discards and exchanges lies face up for all."""
        return seat in self.quarantines and self.options.quarantine == "open"

    # --- who is what ---

    def is_human(self, seat: Seat) -> bool:
        """Whether *seat* is neither The Thing nor Infected (R6)."""
        return self.roles[seat] == "human"

    @property
    def thing(self) -> Seat | None:
        """The Thing, if it is in the game and alive."""
        return next((seat for seat in self.seats if self.roles[seat] == "thing"), None)

    def may_part_with(self, seat: Seat) -> list[Card]:
        """The cards of *seat* that may be discarded (R10)."""
        return may_part_with(self.roles[seat], self.hands[seat])

    def may_give(self, giver: Seat, taker: Seat) -> list[Card]:
        """The cards that *giver* may give *taker* (R10): an Infected gives Infected! to The Thing only."""
        cards = may_give_somebody(self.roles[giver], self.hands[giver])
        if self.roles[giver] == "infected" and self.roles[taker] != "thing":
            return [card for card in cards if card != INFECTED]
        return cards

    # --- deck and pile (R3, R4) ---

    @property
    def top_back(self) -> Back | None:
        """The back of the next card, known to all (R5); None while the deck is empty."""
        return ("PANIC!" if self.deck[-1] in PANICS else "STAY AWAY!") if self.deck else None

    def dice(self) -> Random:
        """Dice for the next throw of chance, from the seed and the number of throws before."""
        self.throws += 1
        return Random(f"{self.seed}/{self.throws}")

    def _prescribed(self, kind: str) -> Any:
        if self.chance:
            if kind not in self.chance[0]:
                raise ImpossibleChance(f"chance holds {self.chance[0]}, but a {kind} is thrown")
            return self.chance.pop(0)[kind]
        return None

    def renew_deck(self) -> None:
        """The discard pile is shuffled to make a new deck (R4)."""
        self.deck, self.pile = self.pile, []
        if (order := self._prescribed("shuffle")) is not None:
            if sorted(order) != sorted(self.deck):
                raise ImpossibleChance(f"the pile cannot be shuffled into {order}")
            self.deck = list(reversed(order))
        else:
            self.dice().shuffle(self.deck)
        self.thrown.append({"shuffle": list(reversed(self.deck))})
        self.say(DeckRenewed(len(self.deck)))

    def pick(self, seat: Seat) -> Card:
        """One card of the hand of *seat*, chosen by chance (R28); it stays there."""
        hand = self.hands[seat]
        card: Card = self._prescribed("pick") or self.dice().choice(hand)
        if card not in hand:
            raise ImpossibleChance(f"{seat} holds no {card}")
        self.thrown.append({"pick": card})
        return card

    def take_top(self) -> Card | None:
        """The top card of the deck, the pile having become a new deck if need be; None when there is no card at all."""
        if not self.deck and self.pile:
            self.renew_deck()
        return self.deck.pop() if self.deck else None

    def take_in(self, seat: Seat, card: Card, *, replacement: bool) -> None:
        """A card from the deck comes to the hand; The Thing makes its drawer The Thing (R59)."""
        self.hands[seat].append(card)
        self.say(CardDrawn(seat=seat, card=card, replacement=replacement, face_up=self.is_open(seat)))
        if card == THING:
            self.roles[seat] = "thing"
            self.say(TurnedThing(seat))

    def replace(self, seat: Seat, number: int = 1) -> list[Card]:
        """The replacement draw: *number* STAY AWAY! cards; a fourth Infected! goes and is replaced too (R3, R9)."""
        came: list[Card] = []
        while len(came) < number and (card := self._next_stay_away(seat)) is not None:
            self.take_in(seat, card, replacement=True)
            if not self._drop_surplus(seat):
                came.append(card)
        return came

    def _next_stay_away(self, seat: Seat) -> Card | None:
        passed: list[Card] = []
        while (card := self._take_for(seat)) in PANICS:
            passed.append(card)
            self.pile.append(card)
        if passed:
            self.say(PanicsPassedOver(seat, len(passed)))
        return card

    def _take_for(self, seat: Seat) -> Card | None:
        """The top card; None where no new deck could bring one that the hand may keep: the draw is left out (R4)."""
        if not self.deck and not any(self._may_keep(seat, card) for card in self.pile):
            return None
        return self.take_top()

    def _may_keep(self, seat: Seat, card: Card) -> bool:
        return card not in PANICS and (card != INFECTED or self.hands[seat].count(INFECTED) < MOST_INFECTED)

    def _drop_surplus(self, seat: Seat) -> bool:
        if surplus := self.hands[seat].count(INFECTED) > MOST_INFECTED:
            self.discard(seat, INFECTED, surplus=True)
        return surplus

    def fit(self, seat: Seat) -> None:
        """A fourth Infected! that came by an exchange is discarded and replaced, until the hand fits (R9)."""
        if self._drop_surplus(seat):
            self.replace(seat)

    # --- cards that leave a hand ---

    def lay_aside(self, seat: Seat, card: Card) -> None:
        """A card leaves the hand and lies in neither deck nor pile until its effect is over (R4)."""
        self.hands[seat].remove(card)
        self.aside.append(card)

    def put_away(self, card: Card) -> None:
        """A card whose effect is over goes to the pile (R4)."""
        self.aside.remove(card)
        self.pile.append(card)

    def clear_away(self) -> None:
        """Everything that was being played goes to the pile: the turn has ended."""
        self.pile += self.aside
        self.aside = []

    def take_back(self, seat: Seat, card: Card) -> None:
        """An offered card goes back to its hand."""
        self.aside.remove(card)
        self.hands[seat].append(card)

    def discard(self, seat: Seat, card: Card, *, surplus: bool = False) -> None:
        """A card goes from the hand to the pile, face down but in open Quarantine (R17, R40)."""
        self.hands[seat].remove(card)
        self.pile.append(card)
        self.say(CardDiscarded(seat=seat, card=card, surplus=surplus, face_up=self.is_open(seat)))

    def show(self, seat: Seat, cards: list[Card], *, by: Card, to: tuple[Seat, ...] | None = None) -> None:
        """*seat* shows cards to the seats in *to*, or to everybody."""
        self.say(HandShown(seat, by, to, tuple(cards)))
        self.remember(seat, cards, by=by, to=to)

    def remember(self, seat: Seat, cards: list[Card], *, by: Card, to: tuple[Seat, ...] | None) -> None:
        """The seats in *to*, or everybody, know from now on that *seat* held these cards in this turn."""
        self.notes.append(Note(self.turn, seat, tuple(cards), by, to))

    def infect(self, seat: Seat, by: Seat) -> None:
        """A Human is Infected from now on; it may have been the last one (R7, R58)."""
        self.roles[seat] = "infected"
        self.infections.append(Infection(seat, by, self.turn))
        self.say(TurnedInfected(seat, by))
        if not any(self.is_human(other) for other in self.seats):
            self.last_infected = seat

    # --- seats, doors, quarantines ---

    def swap_seats(self, one: Seat, other: Seat) -> None:
        """Two players change places; doors stay where they lie, Quarantine follows its player (R40, R41)."""
        i, j = self.seats.index(one), self.seats.index(other)
        self.seats[i], self.seats[j] = other, one
        self.say(SeatsSwapped(one, other))

    def turn_direction(self) -> None:
        """Play runs the other way round (R31)."""
        self.direction = -self.direction
        self.say(DirectionTurned(self.direction > 0))

    def _ends_of(self, gap: int) -> tuple[Seat, Seat]:
        return self.seats[gap], self.seats[(gap + 1) % len(self.seats)]

    def bar_door(self, gap: int) -> None:
        """The Barred Door that was being played lies in a gap (R41)."""
        self.aside.remove("Barred Door")
        self.doors[gap] = True
        self.say(DoorBarred(*self._ends_of(gap)))

    def remove_door(self, gap: int) -> None:
        """A Barred Door goes from its gap to the pile."""
        self.doors[gap] = False
        self.pile.append("Barred Door")
        self.say(DoorRemoved(*self._ends_of(gap)))

    def remove_all_doors(self) -> None:
        """All Barred Doors go to the pile (R44)."""
        for gap, shut in enumerate(self.doors):
            if shut:
                self.remove_door(gap)

    def put_in_quarantine(self, seat: Seat, turns: int) -> None:
        """The Quarantine that was being played lies on a player, for so many own turns (R40)."""
        self.aside.remove("Quarantine")
        self.quarantines[seat] = turns
        self.say(Quarantined(seat, turns))

    def end_quarantine(self, seat: Seat, *, spent: bool = False) -> None:
        """A Quarantine goes to the pile; *spent*: its turns are over."""
        del self.quarantines[seat]
        self.pile.append("Quarantine")
        self.say(QuarantineEnded(seat, spent))

    def end_all_quarantines(self) -> None:
        """All Quarantines go to the pile (R42)."""
        for seat in [seat for seat in self.seats if seat in self.quarantines]:
            self.end_quarantine(seat)

    def count_quarantine(self, seat: Seat) -> None:
        """One own turn under Quarantine is over (R40)."""
        if self.quarantines[seat] > 1:
            self.quarantines[seat] -= 1
        else:
            self.end_quarantine(seat, spent=True)

    def eliminate(self, seat: Seat, by: Seat) -> None:
        """*seat* is out: its cards go to the pile, its two gaps become one, shut if either was (R41, R52)."""
        self.say(Eliminated(seat, by))
        self.dead.append(Dead(seat, by, self.turn))
        if seat in self.quarantines:
            self.end_quarantine(seat)
        if THING in self.hands[seat] and self.options.vengeance:  # R64
            self.hands[seat].remove(THING)
            self.box.append(THING)
        self.pile += self.hands[seat]
        self.hands[seat] = []
        before, behind = self.gap(seat, "right"), self.gap(seat, "left")
        if self.doors[before] and self.doors[behind]:
            self.pile.append("Barred Door")
        self.doors[before] = self.doors[before] or self.doors[behind]
        del self.doors[behind]
        self.seats.remove(seat)
