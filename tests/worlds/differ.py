"""How two tables differ in what is hidden: in where two cards of one back lie, or in two players' hands and roles."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import core
from core import Card, Table
from tests.core.test_two_worlds import exchange_players, is_panic, is_sound

THING = "The Thing"


def a_difference(text: str, dice: Random, card: Card = "") -> str:
    """The table with two cards exchanged, one of them *card* if so wished; or with two players in each other's roles.

    The other hands stay what they were, so that there is somebody who cannot know. What is drawn next looks the same.
    """
    for _ in range(2000):
        table = core.thaw(text)
        if card == THING or not card and dice.random() < 0.3:
            exchange_players(table, list(table.seats), dice)
        else:
            exchange_two_cards(table, dice, card)
        other = core.freeze(table)
        if other != text and looks_the_same(text, other):
            return other
    raise AssertionError(f"no difference with {card}")


def looks_the_same(*texts: str) -> bool:
    """Whether the group hears the same when the next turn of these tables begins."""
    one, other = (core.begin(core.thaw(text)).events for text in texts)
    return [core.seen_by(event, None) for event in one] == [core.seen_by(event, None) for event in other]


def exchange_two_cards(table: Table, dice: Random, card: Card) -> None:
    places = [place for place in (*(table.hands[seat] for seat in table.seats), table.deck, table.pile) if place]
    holding = [place for place in places if card in place] if card else places
    one, other = dice.choice(holding), dice.choice(places)
    i = dice.choice([i for i, held in enumerate(one) if not card or held == card])
    j = dice.randrange(len(other))
    if one is other and any(one is hand for hand in table.hands.values()):
        return  # the order of the own hand is nothing hidden
    if THING not in (one[i], other[j]) and one[i] != other[j] and is_panic(one[i]) == is_panic(other[j]):
        one[i], other[j] = other[j], one[i]
        if not all(is_sound(table, seat) for seat in table.seats):
            one[i], other[j] = other[j], one[i]


def with_the_card(text: str, card: Card) -> str:
    """The table with this card, and with others of both backs, at the bottom of the deck."""
    table = core.thaw(text)
    table.deck[:0] = ["Oops!", "Whisky", "Revelations", "Axe", *([card] if card != THING else [])]
    return core.freeze(table)


def on_top(text: str, card: Card) -> str:
    """The table with *card* as the next one to be drawn (The Thing excepted: it is in a hand)."""
    table = core.thaw(text)
    if card != THING:
        table.deck.append(card)
    return core.freeze(table)


def a_handful(text: str, hand: Sequence[Card], drawn: Sequence[Card], dice: Random) -> tuple[str, str]:
    """Two tables: in one some Human holds these cards, in the other they lie at the bottom of the deck. *drawn* is next
    from the deck in both."""
    tables = (core.thaw(text), core.thaw(text))
    seat = dice.choice([seat for seat in tables[0].seats if tables[0].roles[seat] == "human"])
    others = dice.sample([card for card in FILLERS if card not in hand], len(hand))
    for table, mine, left in zip(tables, (hand, others), (others, hand), strict=True):
        table.hands[seat][: len(mine)] = mine
        table.deck = [*left, *table.deck, *reversed(drawn)]
    return core.freeze(tables[0]), core.freeze(tables[1])


FILLERS = ("Whisky", "Axe", "Suspicion", "Analysis", "Resolute", "Watch Your Back", "Seduction", "Barred Door")
