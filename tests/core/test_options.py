"""Setup, options and decks (R12 to R14, R59 to R63): what is dealt, and what is refused with a sentence."""

from collections import Counter
from random import Random

import pytest

import core
from core import CARDS, Options, Refused, box, deal, presets, read_options
from tests.core.evenings import SEATS, THING, all_cards, any_deck

# RULES.md, the table of section 3: Infected!, action, defence, obstacle, PANIC!, all, dealt from, deck after the deal.
SETUP = {
    4: (8, 17, 4, 1, 4, 35, 22, 19),
    5: (8, 18, 5, 2, 7, 41, 25, 21),
    6: (10, 23, 10, 2, 8, 54, 35, 30),
    7: (12, 27, 10, 3, 10, 63, 40, 35),
    8: (13, 29, 12, 3, 11, 69, 44, 37),
    9: (15, 37, 12, 4, 19, 88, 53, 52),
    10: (17, 41, 12, 4, 20, 95, 57, 55),
    11: (20, 45, 17, 5, 20, 108, 67, 64),
    12: (20, 45, 17, 5, 20, 108, 67, 60),
}
OWN = {"Infected!": 5, "Flamethrower": 3, "Whisky": 30}


def kinds(cards: dict[str, int]) -> Counter[str]:
    counted: Counter[str] = Counter()
    for card, number in cards.items():
        counted["infected" if card == "Infected!" else CARDS[card].kind] += number
    return counted


@pytest.mark.parametrize("players", SETUP)
def test_the_box_holds_what_the_rules_say(players: int) -> None:
    infected, action, defence, obstacle, panic, everything, dealt_from, left = SETUP[players]
    cards = box(players)
    counted = kinds(cards)
    assert (counted["infected"], counted["action"], counted["defence"]) == (infected, action, defence)
    assert (counted["obstacle"], counted["panic"], sum(cards.values())) == (obstacle, panic, everything)
    assert action + defence + obstacle == dealt_from
    assert len(deal(SEATS[:players], Options(), "setup").deck) == left


@pytest.mark.parametrize("players", SETUP)
def test_everybody_is_dealt_four_harmless_cards_and_one_of_them_is_the_thing(players: int) -> None:
    for game in range(20):
        table = deal(SEATS[:players], Options(), f"deal {game}")
        assert sorted(table.seats) == sorted(SEATS[:players])
        assert all(len(hand) == 4 for hand in table.hands.values())
        dealt = Counter(card for hand in table.hands.values() for card in hand)
        assert dealt[THING] == 1 and not dealt["Infected!"]
        assert not any(CARDS[card].kind == "panic" for card in dealt)
        assert all_cards(table) == Counter(box(players))
        assert table.turn_of == table.seats[0] and table.direction == 1


def test_seats_are_random() -> None:
    assert len({deal(SEATS[:6], Options(), f"seats {game}").turn_of for game in range(200)}) == 6
    assert len({deal(SEATS[:6], Options(), f"thing {game}").thing for game in range(200)}) == 6


def test_the_thing_may_lie_in_the_deck() -> None:
    table = deal(SEATS[:5], Options(thing_in_deck=True), "deep")
    assert THING in table.deck and table.thing is None and set(table.roles.values()) == {"human"}


@pytest.mark.parametrize("players", SETUP)
def test_a_hot_deck_deals_no_fire_and_no_analysis(players: int) -> None:
    table = deal(SEATS[:players], Options(hot_deck=True), "hot")
    dealt = {card for hand in table.hands.values() for card in hand}
    assert not dealt & {"Flamethrower", "Analysis"}
    assert table.deck.count("Flamethrower") == box(players)["Flamethrower"]
    assert all_cards(table) == Counter(box(players))


def test_infected_cards_are_added_to_the_deck_in_use() -> None:
    assert deal(SEATS[:4], Options(infected_delta=3), "more").deck.count("Infected!") == 11
    assert deal(SEATS[:4], Options(infected_delta=-7), "less").deck.count("Infected!") == 1
    assert deal(SEATS[:4], Options(infected_delta=2, deck=OWN), "own").deck.count("Infected!") == 7


@pytest.mark.parametrize("name", ["default", "open_quarantine", "thing_in_deck", "infected_delta", "hot_deck",
                                  "neighbours_only", "deck", "vengeance"])
def test_every_variant_has_a_preset_that_can_be_played(name: str) -> None:
    assert name in presets()
    for players in SETUP:
        options = read_options({"preset": name}, players)
        assert len(deal(SEATS[:players], options, name).hands) == players


def test_a_preset_is_a_beginning() -> None:
    options = read_options({"preset": "open_quarantine", "vengeance": True}, 6)
    assert options == Options(quarantine="open", vengeance=True)


@pytest.mark.parametrize(("given", "why"), [
    ({"preset": "nonsense"}, "There is no preset 'nonsense'"),
    ({"preset": ["default"]}, "There is no preset"),
    ({"vengence": True}, "There is no option 'vengence'"),
    ({"vengeance": "yes"}, "The option vengeance takes true or false"),
    ({"vengeance": 1}, "The option vengeance takes true or false"),
    ({"vengeance": None}, "The option vengeance takes true or false"),
    ({"quarantine": "closed"}, "The option quarantine takes isolation or open"),
    ({"secrecy": True}, "The option secrecy takes strict or fast"),
    ({"infected_delta": True}, "The option infected_delta takes a whole number"),
    ({"infected_delta": 1.5}, "The option infected_delta takes a whole number"),
    ({"infected_delta": "2"}, "The option infected_delta takes a whole number"),
    ({"infected_delta": 10**30}, "This deck has|takes a whole number"),
    ({"infected_delta": -10}, "At least one Infected! card must be left"),
    ({"deck": []}, "The option deck takes a list of cards with their numbers"),
    ({"deck": {"Whisky": True}}, "The option deck takes"),
    ({"deck": {"Whisky": "3"}}, "The option deck takes"),
    ({"deck": {"Wisky": 3}}, "There is no card 'Wisky'"),
    ({"deck": {**OWN, THING: 1}}, "The Thing is always in the deck"),
    ({"deck": {**OWN, "Whisky": -1}}, "There cannot be -1 of Whisky"),
    ({"deck": {**OWN, "Infected!": 0}}, "At least one Infected!"),
    ({"deck": {**OWN, "Infected!": 10**9}}, "1000 are the most"),
    ({"deck": OWN, "infected_delta": -5}, "At least one Infected!"),
    ({"deck": {"Infected!": 4, "Whisky": 30}}, "without a Flamethrower"),
    ({"deck": {**OWN, "Barred Door": 1}}, "Barred Doors needs a card that removes them"),
    ({"deck": {**OWN, "Whisky": 20}}, "need at least 28 cards"),
    ({"deck": {**OWN, "Whisky": 5, "Quarantine": 50}}, "need at least 28 cards"),
    ({"deck": {"Infected!": 5, "Flamethrower": 30}, "hot_deck": True}, "This deck has 0 cards to deal from"),
])  # fmt: skip
def test_what_cannot_be_played_is_refused_with_a_sentence(given: dict[str, object], why: str) -> None:
    with pytest.raises(Refused, match=why):
        read_options(given, 6)


def test_a_deck_may_do_without_fire_if_everybody_else_can_be_infected() -> None:
    assert read_options({"deck": {"Infected!": 5, "Whisky": 30}}, 6).deck
    assert read_options({"deck": {"Infected!": 3, "Whisky": 30}, "infected_delta": 2}, 6).deck


@pytest.mark.parametrize("remover", ["Axe", "Three, Four...", "So This Is the Party?"])
def test_doors_need_one_card_that_removes_them(remover: str) -> None:
    assert read_options({"deck": {**OWN, "Barred Door": 3, remover: 1}}, 6).deck


@pytest.mark.parametrize("players", [-1, 0, 1, 2, 3, 13, 100])
def test_too_few_or_too_many_players_are_refused(players: int) -> None:
    with pytest.raises(Refused, match="4 to 12 players"):
        read_options({}, players)


def test_two_players_cannot_have_one_seat() -> None:
    with pytest.raises(Refused, match="one seat"):
        deal(["s1", "s2", "s3", "s1"], Options(), "twice")


def test_a_deck_of_any_kind_is_dealt_or_refused() -> None:
    dealt = 0
    for number in range(500):
        dice = Random(f"deck {number}")
        players = dice.randint(4, 12)
        try:
            options = read_options({"deck": any_deck(dice, players), "hot_deck": dice.random() < 0.3}, players)
        except Refused as why:
            assert str(why)[0] == str(why)[0].upper() and str(why).endswith(".")
            continue
        dealt += 1
        table = deal(SEATS[:players], options, "any")
        assert options.deck is not None
        assert all_cards(table) == Counter(options.deck) + Counter([THING])
        assert all_cards(table) == core.deck_in_use(options, players)
    assert 20 < dealt < 480, dealt
