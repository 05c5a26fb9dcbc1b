"""Tables that hardly any game comes to: few living, doors in every gap, quarantines, an empty deck. The rules hold."""

from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from core import CARDS, Live, scenario
from tests.core.evenings import SEATS, THING, all_cards, by_dice, check

HARMLESS = [card for card, rule in CARDS.items() if rule.kind in ("action", "defence", "obstacle")]
PANICS = [card for card, rule in CARDS.items() if rule.kind == "panic"]
SPARE = ["Whisky", "Scary", "Axe", "Missed!", "Resolute", "Suspicion", "Seduction", "Flamethrower"]
OPTIONS = {"missed_infects", "last_infected_loses", "neighbours_only", "vengeance"}


@st.composite
def tables(draw: st.DrawFn) -> dict[str, Any]:
    """A table as a scenario tells it, of 2 to 12 living, with a deck and a pile from which any draw can be made."""
    seats = list(SEATS[: draw(st.integers(2, 12))])
    living = seats[: draw(st.one_of(st.integers(2, min(3, len(seats))), st.integers(2, len(seats))))]
    card = st.sampled_from(HARMLESS)
    hands = {seat: draw(st.lists(card, min_size=4, max_size=4)) for seat in living}
    roles = {seat: draw(st.sampled_from(["human", "infected"])) for seat in living}
    thing = draw(st.sampled_from(living))
    roles[thing], hands[thing][0] = "thing", THING
    for seat in living:
        for place in range(1, draw(st.integers(1, 4)) if roles[seat] != "infected" else draw(st.integers(2, 4))):
            hands[seat][place] = "Infected!"
    gaps = [(seat, living[(i + 1) % len(living)]) for i, seat in enumerate(living)]
    deck = st.lists(st.sampled_from([*HARMLESS, *PANICS, *PANICS, "Infected!"]), max_size=12)
    return {
        "title": "An odd table",
        "seats": seats,
        "eliminated": seats[len(living) :],
        "roles": roles,
        "hands": hands,
        "deck": draw(deck),
        "pile": draw(deck) + SPARE,
        "turn": draw(st.sampled_from(living)),
        "direction": draw(st.sampled_from(["clockwise", "counterclockwise"])),
        "doors": [list(gap) for gap in gaps if draw(st.booleans())],
        "quarantines": {seat: draw(st.integers(0, 3)) for seat in living},
        "options": {
            "quarantine": draw(st.sampled_from(["isolation", "open"])),
            "secrecy": draw(st.sampled_from(["strict", "fast"])),
            **{name: draw(st.booleans()) for name in sorted(OPTIONS)},
        },
    }


@settings(max_examples=250)
@given(tables(), st.integers(0, 10**6))
def test_any_table_is_sound_after_every_answer(data: dict[str, Any], seed: int) -> None:
    table = scenario.lay_table(data, str(seed))
    cards = all_cards(table)
    live = Live(table)
    check(live, cards)
    dice = Random(seed)
    for _ in range(60):
        if live.outcome is not None:
            break
        live.answer(*by_dice(live, dice))
        check(live, cards)
