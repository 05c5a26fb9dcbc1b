"""At whom a card may be played: the icons in its corner, as functions (R1, R40, R41, R62)."""

from __future__ import annotations

from core.asks import Seat
from core.cards.registry import Aim, Aims
from core.table import Table


def no_aim(table: Table, seat: Seat) -> list[Aim]:
    """Played on oneself alone, without a word."""
    return [()]


def neighbours_in_reach(table: Table, seat: Seat) -> list[Seat]:
    """The neighbours that no Barred Door and no Quarantine (isolation) shields."""
    return [
        other for other in table.neighbours(seat) if not table.is_shut(seat, other) and not table.is_isolated(other)
    ]


def neighbour(table: Table, seat: Seat) -> list[Aim]:
    """A neighbour within reach (R25, R26, R28)."""
    return [(other,) for other in neighbours_in_reach(table, seat)]


def companions(table: Table, seat: Seat) -> list[Seat]:
    """With whom *seat* may exchange a card by choice: anybody not isolated, a door shields a neighbour (R34, R49)."""
    if table.options.neighbours_only:
        return free_neighbours(table, seat)
    return [
        other for other in table.others(seat) if not table.is_isolated(other) and not table.is_shut(seat, other)
    ]


def anyone(table: Table, seat: Seat) -> list[Aim]:
    """Anybody with whom a card may be exchanged (R34)."""
    return [(other,) for other in companions(table, seat)]


def free_neighbours(table: Table, seat: Seat) -> list[Seat]:
    """Under `neighbours_only`: the neighbours with no Quarantine, of either reading, and no door between (R62)."""
    if table.is_quarantined(seat):
        return []
    return [
        other for other in table.neighbours(seat) if not table.is_quarantined(other) and not table.is_shut(seat, other)
    ]


def seat_of_neighbour(table: Table, seat: Seat) -> list[Aim]:
    """The neighbours whose seat may be taken: nobody moves into or out of a Quarantine (R32, R40)."""
    return [(other,) for other in free_neighbours(table, seat)]


def seat_of_anyone(table: Table, seat: Seat) -> list[Aim]:
    """Anybody's seat, doors or not, except in Quarantine (R33)."""
    if table.options.neighbours_only:
        return seat_of_neighbour(table, seat)
    return [(other,) for other in table.others(seat) if not table.is_quarantined(other)]


def unless_quarantined(aims: Aims) -> Aims:
    """What a player in Quarantine, of either reading, does not play (R40)."""

    def unless(table: Table, seat: Seat) -> list[Aim]:
        return [] if table.is_quarantined(seat) else aims(table, seat)

    return unless


def axe_aims(table: Table, seat: Seat) -> list[Aim]:
    """The own Quarantine; to either side the Barred Door, or without one the neighbour's Quarantine (R27)."""
    aims: list[Aim] = [(seat,)] if table.is_quarantined(seat) else []
    if table.is_isolated(seat):
        return aims
    left, right = table.sides(seat)
    hits = [
        (side, other)
        for side, other in (left, right)
        if table.doors[table.gap(seat, side)] or table.is_quarantined(other)
    ]
    if left[1] != right[1]:
        return aims + [(other,) for _, other in hits]
    # Two living: the side decides where it hits different things (R1).
    doors = [table.doors[table.gap(seat, side)] for side, _ in hits]
    if doors == [False, False]:
        return [*aims, (left[1],)]
    return aims + [(other, side) for side, other in hits]


def quarantine_aims(table: Table, seat: Seat) -> list[Aim]:
    """Oneself, unless Quarantine is open, or a neighbour, whoever is not in Quarantine already (R40)."""
    own: list[Aim] = [(seat,)] if table.options.quarantine == "isolation" and not table.is_quarantined(seat) else []
    return own + [(other,) for (other,) in neighbour(table, seat) if not table.is_quarantined(other)]


def door_aims(table: Table, seat: Seat) -> list[Aim]:
    """The free gaps to the left and to the right; with two living players the side tells which (R41)."""
    free = [(side, other) for side, other in table.sides(seat) if not table.doors[table.gap(seat, side)]]
    two_living = table.left_of(seat) == table.right_of(seat)
    return [(other, side) if two_living else (other,) for side, other in free]
