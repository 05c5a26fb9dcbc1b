"""Two games with one public history that differ only in hidden cards (issue 3, 3): what comes over the wire to the
group, and to every player who cannot know the difference, is the same, byte by byte, the hours of sending included.
"""

from __future__ import annotations

import json
import re
from itertools import zip_longest
from random import Random

import pytest

import core
from telegram_bot.texts import wordings
from tests.core.test_two_worlds import turn_starts
from tests.worlds.differ import a_difference, a_handful, on_top, with_the_card
from tests.worlds.twins import Evening, Twins
from tests.worlds.world import Seen

STAY_AWAY = [card for card, rule in core.CARDS.items() if rule.kind != "panic" and card != "The Thing"]
PANICS = [card for card, rule in core.CARDS.items() if rule.kind == "panic"]
ATTACKS = ("Flamethrower", "Change Places!", "You'd Better Run!", "Seduction")


def any_table(seed: str, dice: Random, least: int = 4) -> str:
    """A table at the beginning of some turn of a game of dice."""
    players = max(dice.choice((4, 5, 6)), least)
    return dice.choice(turn_starts(seed, players, core.read_options({}, players)))


async def some_games(twins: Twins, seed: str, games: int, answers: int) -> None:
    for number in range(games):
        dice = Random(f"{seed} {number}")
        table = any_table(f"{seed} {number}", dice)
        await twins.evening((table, a_difference(table, dice)), dice, answers)


async def test_random_games_that_differ_in_what_is_hidden_come_over_the_wire_alike(twins: Twins) -> None:
    await some_games(twins, "random", 5, 10)
    assert twins.checked > 200


@pytest.mark.parametrize("number", range(0, len(STAY_AWAY), 4))
async def test_each_card_is_hidden_in_a_hand_from_those_who_attack_and_are_panicked(twins: Twins, number: int) -> None:
    """Four cards are in somebody's hand in one world, deep in the deck in the other; what is drawn is the same."""
    dice = Random(number)
    hand = STAY_AWAY[number : number + 4]
    drawn = [ATTACKS[number // 4 % len(ATTACKS)], *(PANICS * 2)[number // 2 : number // 2 + 2]]
    tables = a_handful(any_table(f"hands {number}", dice), hand, drawn, dice)
    await twins.evening(tables, dice, 10, drawn)
    assert twins.checked > 30


REMARKS = (re.escape(str(words)).replace(r"\{seat\}", ".*?") for words in wordings("story.clock.ran_out"))
REMARK = re.compile("|".join(REMARKS))


def but_for_the_remark(seen: Seen) -> tuple[float, str, list[str]]:
    given = json.loads(seen.body)
    words = REMARK.sub("", given.pop("text", "")).split()
    return seen.at, f"{seen.method} {given}", words


async def test_an_answer_of_the_clock_looks_like_a_chosen_one_but_for_the_remark(twins: Twins) -> None:
    remarks = 0
    for number in range(3):
        dice = Random(f"late {number}")
        table = any_table(f"late {number}", dice)
        evening = Evening(twins, (table, table), dice, ())
        await evening.gather()
        for _ in range(9):
            await evening.forward(5)
            one, other = await evening.steps()
            if one.outcome is not None:
                break
            asked = [seat for seat in one.asks if seat in evening.people]
            if asked and dice.random() < 0.7:
                await evening.answer(dice.choice(asked), one, other)
            else:
                await evening.somebody_is_late()
        chats = [world.telegram.seen["chat of", evening.group] for world in twins.worlds]
        remarks += sum(bool(REMARK.search(json.loads(seen.body).get("text", ""))) for seen in chats[0])
        for one, other in zip_longest(*chats):
            assert but_for_the_remark(one) == but_for_the_remark(other)
    assert remarks


@pytest.mark.long
@pytest.mark.parametrize("seed", range(6))
async def test_many_random_games_come_over_the_wire_alike(twins: Twins, seed: int) -> None:
    await some_games(twins, f"many {seed}", 12, 25)


@pytest.mark.long
@pytest.mark.parametrize("card", core.CARDS)
async def test_each_card_is_hidden_in_many_games(twins: Twins, card: str) -> None:
    """Wherever it lies; and whatever lies elsewhere, when it is drawn next and played where it can be."""
    for number in range(4):
        dice = Random(f"{card} {number}")
        table = with_the_card(any_table(f"{card} {number}", dice, min(core.CARDS[card].corner, default=4)), card)
        if number % 2:
            table = on_top(table, card)
        tables = (table, a_difference(table, dice, "" if number % 2 else card))
        await twins.evening(tables, dice, 15, [card])
