"""Whole games for the tests: random options and decks, dice that answer, and what must be true after every answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from random import Random

import core
from core import CARDS, KEEP, STEP_TWO, Choice, Live, Options, Seat, Table

THING, INFECTED = "The Thing", "Infected!"
SEATS = tuple(f"s{number}" for number in range(1, 13))
SWITCHES = ("missed_infects", "last_infected_loses", "thing_in_deck", "hot_deck", "neighbours_only", "vengeance")
ANSWERS_AT_MOST = 30_000


def any_options(dice: Random, players: int) -> Options:
    """Options that can be played, each variant now and then, some with a deck of the players' own making."""
    while True:
        given: dict[str, object] = {name: True for name in SWITCHES if dice.random() < 0.3}
        given["quarantine"] = dice.choice(["isolation", "open"])
        given["secrecy"] = dice.choice(["strict", "fast"])
        given["infected_delta"] = dice.choice([0, 0, -3, 2, 5])
        if dice.random() < 0.3:
            given["deck"] = any_deck(dice, players)
        try:
            return core.read_options(given, players)
        except core.Refused:
            continue


def any_deck(dice: Random, players: int) -> dict[str, int]:
    """A deck of few or many kinds of cards; now and then too odd to be played."""
    kinds = [card for card in CARDS if card != THING and dice.random() < dice.choice([0.4, 0.7, 1])]
    most = {"action": 2 + 80 // len(kinds), "defence": 2 + 40 // len(kinds), "obstacle": 4, "panic": 4, "contagion": 12}
    return {card: dice.randint(0, most[CARDS[card].kind]) for card in kinds}


def by_dice(live: Live, dice: Random) -> tuple[Seat, Choice]:
    """Any legal choice of anybody who is asked; a true declaration now and then, a false one seldom."""
    if live.standing:
        (thing,) = live.standing
        humans = any(live.table.is_human(seat) for seat in live.table.seats)
        if dice.random() < (0.001 if humans else 0.05):
            return thing, core.DECLARE
    seat = dice.choice(list(live.asks))
    return seat, dice.choice(live.asks[seat].choices)


def evening(
    live: Live, dice: Random, policy: Callable[[Live, Random], tuple[Seat, Choice]] = by_dice
) -> Iterator[tuple[Seat, Choice]]:
    """Play to the end; each answer is handed out when it has been taken."""
    for _ in range(ANSWERS_AT_MOST):
        if live.outcome is not None:
            return
        seat, choice = policy(live, dice)
        live.answer(seat, choice)
        yield seat, choice
    raise AssertionError("the game does not end")


def all_cards(table: Table) -> Counter[str]:
    """Every card of the game, wherever it lies."""
    cards = Counter(table.deck) + Counter(table.pile) + Counter(table.aside) + Counter(table.box)
    for hand in table.hands.values():
        cards += Counter(hand)
    return cards + Counter({"Barred Door": sum(table.doors), "Quarantine": len(table.quarantines)})


def check_rest(table: Table) -> None:
    """What is true between two turns: four cards in every hand, and nothing under way (R11)."""
    assert not table.aside
    assert all(len(table.hands[seat]) == 4 for seat in table.seats), table.hands


def check(live: Live, cards: Counter[str]) -> None:
    """What is true after every answer, of a game that was dealt *cards*."""
    table = live.table
    assert all_cards(table) == cards
    check_seats(table)
    check_roles(table)
    if live.outcome is not None:
        assert not live.asks and not live.standing
        assert set(live.outcome.winners) <= set(table.seats)
        return
    assert live.asks
    for seat, ask in live.asks.items():
        assert seat == ask.seat and seat in table.seats
        assert ask.choices and len(set(ask.choices)) == len(ask.choices)
    check_hands(live)


def check_seats(table: Table) -> None:
    assert len(table.doors) == len(table.seats) == len(set(table.seats))
    assert set(table.quarantines) <= set(table.seats)
    assert all(1 <= turns <= 3 for turns in table.quarantines.values())
    assert table.turn_of in table.seats
    assert not set(table.seats) & {dead.seat for dead in table.dead}
    assert all(not table.hands[dead.seat] for dead in table.dead)


def check_roles(table: Table) -> None:
    """The Thing is who holds The Thing; every Infected holds an Infected!; at most one is The Thing."""
    things = [seat for seat, role in table.roles.items() if role == "thing"]
    holders = [seat for seat in table.seats if THING in table.hands[seat]]
    assert len(things) <= 1
    assert holders == [seat for seat in things if seat in table.seats]
    assert things or table.options.thing_in_deck
    for seat in table.seats:
        if table.roles[seat] == "infected":
            assert INFECTED in table.hands[seat]


def check_hands(live: Live) -> None:
    """Four cards in each hand, one more to play from, one less while it is offered; three Infected! at most."""
    table = live.table
    (about,) = {ask.about for ask in live.asks.values()}
    for seat in table.seats:
        asked = seat in live.asks
        held = len(table.hands[seat])
        infected = table.hands[seat].count(INFECTED)
        if about == STEP_TWO and asked:
            assert held == 5
            if infected > 3:
                assert infected == 4 and live.asks[seat].choices == (("discard", INFECTED),)
        else:
            assert infected <= 3
            if about == KEEP and asked:
                assert 5 <= held <= 7
            elif about == core.ANSWER and seat == live.asks[next(iter(live.asks))].of:
                assert held == 3
            else:
                assert held == 4
