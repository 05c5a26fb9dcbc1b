"""The obstacles (R40, R41): played in step 2, they stay on the table."""

from __future__ import annotations

from core.asks import Seat
from core.cards.aims import door_aims, quarantine_aims
from core.cards.registry import obstacle
from core.table import Side, Table


@obstacle("Quarantine", corner="5 9", at=quarantine_aims)
async def quarantine(table: Table, player: Seat, target: Seat) -> None:  # R40
    """Put yourself or a neighbour in Quarantine for three own turns: no exchange, no cards played, no target.

    The open Quarantine lasts two turns, is for a neighbour only, and lays that player's cards face up.
    """
    table.put_in_quarantine(target, 3 if table.options.quarantine == "isolation" else 2)


@obstacle("Barred Door", corner="4 7 11", at=door_aims)
async def barred_door(table: Table, player: Seat, target: Seat, side: Side | None = None) -> None:  # R41
    """Bar the door to a neighbour: no cards, no exchange and no change of seats between the two of you."""
    (gap,) = table.gaps_between(player, target) if side is None else [table.gap(player, side)]
    table.bar_door(gap)
