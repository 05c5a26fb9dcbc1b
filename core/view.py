"""What one seat may know of the table (RULES.md section 8). Panels and bot players are made from this alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from core.asks import Ask, Card, Choice, Seat
from core.cards.registry import INFECTED
from core.game import Step
from core.options import Options
from core.table import Back, Dead, Note, Outcome, Role, Table, may_give_somebody


class View(msgspec.Struct, frozen=True, kw_only=True):
    """The table as *seat* knows it; with seat None as the group does.

    *seats*: the living, clockwise. *doors*: pairs of neighbours, the second clockwise from the first. *roles*: the
    roles this viewer knows, all of them when the game is over. *asked*: from whom an answer is awaited. *ask* and
    *standing*: what this seat is asked, and may do unasked. *notes*: what the rules showed to this viewer; *shown*:
    what they showed of its own hand, and to whom.
    """

    seat: Seat | None
    options: Options
    hand: tuple[Card, ...]
    roles: dict[Seat, Role]
    turn: int
    turn_of: Seat
    clockwise: bool
    seats: tuple[Seat, ...]
    doors: tuple[tuple[Seat, Seat], ...]
    quarantines: dict[Seat, int]
    dead: tuple[Dead, ...]
    hand_sizes: dict[Seat, int]
    deck_size: int
    pile_size: int
    top_back: Back | None
    asked: tuple[Seat, ...]
    ask: Ask | None
    standing: tuple[Choice, ...]
    notes: tuple[Note, ...]
    shown: tuple[Note, ...]
    outcome: Outcome | None

    @property
    def role(self) -> Role | None:
        """What the viewer is; None for the group."""
        return self.roles.get(self.seat) if self.seat is not None else None

    def neighbours(self) -> tuple[Seat, Seat]:
        """The players to the left (clockwise) and to the right of a living viewer."""
        assert self.seat is not None
        i = self.seats.index(self.seat)
        return self.seats[(i + 1) % len(self.seats)], self.seats[i - 1]

    def third(self, side: str) -> Seat:
        """The third living player to the viewer's "left" or "right" (R43)."""
        assert self.seat is not None
        return self.seats[(self.seats.index(self.seat) + (3 if side == "left" else -3)) % len(self.seats)]

    def is_isolated(self, seat: Seat) -> bool:
        """Whether *seat* is in Quarantine, in the reading that keeps it from every exchange (R40)."""
        return seat in self.quarantines and self.options.quarantine == "isolation"

    def may_give_somebody(self, hand: Sequence[Card]) -> list[Card]:
        """The cards of such a *hand* that the viewer may give, be it to The Thing alone (R10), while it lives (R64)."""
        cards = may_give_somebody(self.role or "human", hand)
        lives = any(role == "thing" and seat in self.seats for seat, role in self.roles.items())
        return cards if lives or self.role != "infected" else [card for card in cards if card != INFECTED]


def view(step: Step, seat: Seat | None) -> View:
    """The game as *seat* may know it, or as the whole group may (None)."""
    return view_of(step.table, step.asks, step.standing, seat)


def view_of(
    table: Table, asks: Mapping[Seat, Ask], standing: Mapping[Seat, tuple[Choice, ...]], seat: Seat | None
) -> View:
    """The *table* as *seat* may know it, or the whole group (None); *asks* and *standing* are a live game's."""
    return View(
        seat=seat,
        options=table.options,
        hand=() if seat is None else tuple(sorted(table.hands[seat])),
        roles=known_roles(table, seat),
        turn=table.turn,
        turn_of=table.turn_of,
        clockwise=table.direction > 0,
        seats=tuple(table.seats),
        doors=doors(table),
        quarantines=dict(table.quarantines),
        dead=tuple(table.dead),
        hand_sizes={other: len(table.hands[other]) for other in table.seats},
        deck_size=len(table.deck),
        pile_size=len(table.pile),
        top_back=table.top_back,
        asked=tuple(asks),
        ask=asks.get(seat) if seat is not None else None,
        standing=standing.get(seat, ()) if seat is not None else (),
        notes=tuple(note for note in table.notes if note.seat != seat and (note.to is None or seat in note.to)),
        shown=tuple(note for note in table.notes if note.seat == seat),
        outcome=table.outcome,
    )


def doors(table: Table) -> tuple[tuple[Seat, Seat], ...]:
    """The gaps with a Barred Door: pairs of neighbours, the second clockwise from the first."""
    return tuple(
        (seat, table.left_of(seat)) for seat, shut in zip(table.seats, table.doors, strict=True) if shut
    )


def known_roles(table: Table, seat: Seat | None) -> dict[Seat, Role]:
    """The roles that *seat* knows: its own; all, for The Thing, alive or dead; The Thing, for an Infected (R8, R64)."""
    if table.outcome is not None:
        return dict(table.roles)
    if seat is None:
        return {}
    match table.roles[seat]:
        case "thing":
            return dict(table.roles)
        case "infected":
            thing = next((other for other, role in table.roles.items() if role == "thing"), None)
            known: dict[Seat, Role] = {seat: "infected"}
            return known if thing is None else known | {thing: "thing"}
        case _:
            return {seat: "human"}
