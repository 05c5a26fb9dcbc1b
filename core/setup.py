"""Dealing (R12 to R14, R59, R61)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

from core.asks import Seat
from core.cards.registry import THING
from core.options import Options, Refused, dealt_from, deck_in_use
from core.table import HAND, Table


def deal(seats: Sequence[Seat], options: Options, seed: str) -> Table:
    """A table with every seat dealt its hand, the first turn not yet begun. Raises Refused."""
    if len(set(seats)) != len(seats):
        raise Refused("Two players cannot have one seat.")
    cards = deck_in_use(options, len(seats))
    dice = Random(f"{seed}/deal")
    sitting = list(seats)
    dice.shuffle(sitting)
    pool = sorted(dealt_from(cards, options))
    dice.shuffle(pool)
    known = [] if options.thing_in_deck else [THING]
    number = HAND * len(seats) - len(known)
    dealt, left = known + pool[:number], pool[number:]
    dice.shuffle(dealt)
    hands = {seat: dealt[i * HAND : (i + 1) * HAND] for i, seat in enumerate(sitting)}
    deck = left + sorted((cards - Counter(dealt) - Counter(left)).elements())
    dice.shuffle(deck)
    return Table(
        options=options,
        seats=sitting,
        hands=hands,
        roles={seat: "thing" if THING in hand else "human" for seat, hand in hands.items()},
        deck=deck,
        pile=[],
        doors=[False] * len(sitting),
        turn_of=sitting[0],
        seed=seed,
    )
