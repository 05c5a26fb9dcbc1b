"""Whole games, played by dice: the table is sound after every answer, and every game ends."""

from collections import Counter
from random import Random

import pytest

import core
from core import Live, Options
from tests.core.evenings import SEATS, all_cards, any_options, by_dice, check, check_rest, evening

NUMBERS = range(4, 13)


def play(players: int, seed: str) -> Live:
    """A game of random options, every answer checked."""
    dice = Random(seed)
    table = core.deal(SEATS[:players], any_options(dice, players), seed)
    cards = all_cards(table)
    live = Live(table, before_turn=check_rest)
    check(live, cards)
    for _ in evening(live, dice):
        check(live, cards)
    return live


@pytest.mark.parametrize("players", NUMBERS)
def test_twenty_games_of_dice_leave_a_sound_table_after_every_answer(players: int) -> None:
    for game in range(20):
        play(players, f"daily {game}")


@pytest.mark.long
@pytest.mark.parametrize("players", NUMBERS)
def test_a_thousand_games_of_dice_leave_a_sound_table_after_every_answer(players: int) -> None:
    for game in range(1000):
        play(players, f"long {game}")


def test_the_dice_reach_every_ending_every_card_and_every_question() -> None:
    played: set[str] = set()
    asked: set[str] = set()
    endings: Counter[str] = Counter()
    for game in range(150):
        dice = Random(f"reach {game}")
        number = 4 + game % 9
        live = Live(core.deal(SEATS[:number], any_options(dice, number) if game % 2 else Options(), f"reach {game}"))
        while live.outcome is None:
            asked |= {ask.about for ask in live.asks.values()}
            live.answer(*by_dice(live, dice))
        for event in live.table.events:
            if isinstance(event, core.events.CardPlayed | core.events.Defended | core.events.PanicDrawn):
                played.add(event.card)
        endings[live.outcome.why] += 1
    assert played == set(core.CARDS) - {"The Thing", "Infected!"}
    assert asked == {"step two", "keep", "offer", "answer", "defend", "target", "forget", "swap", "show", "pass on"}
    assert len(endings) == 6, endings


def test_the_same_seed_is_the_same_evening() -> None:
    one, other = play(7, "again"), play(7, "again")
    assert one.table.events == other.table.events
    assert core.digest(one.table) == core.digest(other.table)
    assert play(7, "another").table.events != one.table.events
