"""What people say of themselves and others: in public, once a turn, and held against the truth at the end."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from core.table import Infection
from telegram_bot import happenings, truth
from telegram_bot.callback import Pressed
from telegram_bot.memo import Claim, memo_of
from tests.telegram_bot.camp import Camp, buttons, data_of, plain, said
from tests.telegram_bot.test_private import FOUR, HANDS, panel_of, tap
from tests.telegram_bot.test_waiting import at_the_table

SAY = "🗣 Say something"


async def a_game(camp: Camp, *, ephemeral: str = "shown", private: tuple[str, ...] = FOUR) -> None:
    await at_the_table(camp, private=private)
    camp.far_end.ephemeral = ephemeral


async def say_something(camp: Camp, who: str, of: str, what: str) -> str:
    """By ephemeral messages, as far as possible; the toast of the last press."""
    await camp.press_data(who, data_of(await camp.screen("board"), SAY))
    await tap(camp, who, of)
    return said(await tap(camp, who, what))


async def claim_by_hand(camp: Camp, who: str, of: str, role: int) -> str:
    """The press itself, in the private chat."""
    game = await camp.game()
    number = [row.name for row in game.roster].index(of) * 3 + role
    pressed = str(Pressed("panel", game.id, "claim", game.version, number))
    return said(await camp.press_data(who, pressed, camp.person(who)["id"]))


async def test_saying_something_is_chosen_unseen_by_the_others(camp: Camp) -> None:
    await a_game(camp)
    await camp.press_data("Bob", data_of(await camp.screen("board"), SAY))
    text, shown = panel_of(camp.far_end.said[-1][1])
    assert "Say something to all" in text and shown == ["Myself", "Ann", "Cid", "Dan", "‹ Back"]
    await tap(camp, "Bob", "Cid")
    text, shown = panel_of(camp.far_end.said[-1][1])
    assert "What do you say of Cid?" in text and shown == ["Human", "Infected", "The Thing", "‹ Back"]
    method, call = camp.far_end.said[-1]
    assert method == "editEphemeralMessageText" and call["receiver_user_id"] == camp.person("Bob")["id"]


@pytest.mark.parametrize(
    ("of", "button", "told"),
    [("Myself", "I am Human", "Human"), ("Cid", "Infected", "Infected"), ("Ann", "The Thing", "The Thing")],
)
async def test_it_is_told_in_the_line_of_the_turn(camp: Camp, of: str, button: str, told: str) -> None:
    await a_game(camp)
    assert await say_something(camp, "Bob", of, button) == "You have said it."
    line = next(line for line in (await camp.tale()).split("\n") if "🗣" in line)
    assert "Bob" in line and told in line and (of == "Myself" or of in line)
    event = happenings.read((await camp.events())[-1].event)
    assert isinstance(event, happenings.Claimed)


async def test_the_tale_goes_on_behind_it_and_only_grows(camp: Camp) -> None:
    await a_game(camp)
    await claim_by_hand(camp, "Bob", "Bob", 0)
    before = await camp.tale()
    await camp.answer("Ann", "discard", "Axe")
    await claim_by_hand(camp, "Cid", "Bob", 2)
    between = await camp.tale()
    await camp.answer("Ann", "give", "Whisky")
    await camp.answer("Bob", "give", "Axe")
    rows = await camp.rows()
    after = plain(rows["turn 1", 0].wanted.text)
    assert between.startswith(before) and after.startswith(between) and after.count("🗣") == 2


async def test_a_time_that_ran_out_and_a_claim_stand_in_their_order(camp: Camp) -> None:
    await a_game(camp)
    await claim_by_hand(camp, "Bob", "Bob", 0)
    await camp.forward(3 * 3600)
    tale = plain((await camp.rows())["turn 1", 0].wanted.text)
    assert 0 < tale.index("🗣") < tale.index("⏳")


async def test_a_person_says_one_thing_a_turn(camp: Camp) -> None:
    await a_game(camp)
    assert await claim_by_hand(camp, "Bob", "Bob", 0) == "You have said it."
    before = await camp.everything()
    assert "Wait for the next" in await claim_by_hand(camp, "Bob", "Ann", 1)
    assert "Wait for the next" in said(await camp.press_data("Bob", data_of(await camp.screen("board"), SAY)))
    assert await camp.everything() == before
    await camp.answer("Ann", "discard", "Axe")
    await camp.answer("Ann", "give", "Whisky")
    await camp.answer("Bob", "give", "Axe")
    assert (await camp.game()).turn == 2
    assert await claim_by_hand(camp, "Bob", "Ann", 1) == "You have said it."


async def test_the_dead_say_nothing_and_nothing_is_said_of_them(camp: Camp) -> None:
    await camp.begin(*FOUR)
    await camp.lay(HANDS, ["Whisky"])
    await camp.answer("Ann", "play", "Flamethrower", "Dan")
    await camp.answer("Dan", "pass")
    assert await claim_by_hand(camp, "Dan", "Ann", 0) == "You burned. You may watch, and say nothing."
    assert await claim_by_hand(camp, "Bob", "Dan", 0) == "That was before. Here is now."
    assert memo_of(await camp.game()).claims == ()


@pytest.mark.parametrize("number", (12, 35, 36, 10**6))
async def test_no_forged_claim_is_told(camp: Camp, number: int) -> None:
    await a_game(camp)
    game = await camp.game()
    for what in ("claim", "claim_about"):
        pressed = str(Pressed("panel", game.id, what, game.version, number))
        await camp.press_data("Bob", pressed, camp.person("Bob")["id"])
        await camp.press_data("Eve", pressed, camp.person("Eve")["id"])
    assert memo_of(await camp.game()).claims == () and "🗣" not in str(await camp.rows())


async def test_where_nothing_opens_in_the_group_it_is_chosen_in_the_private_chat(camp: Camp) -> None:
    await a_game(camp, ephemeral="refused")
    reply = await camp.press_data("Bob", data_of(await camp.screen("board"), SAY))
    assert "waits in your private chat" in said(reply) and reply is not None and reply["show_alert"]
    assert "Myself" in buttons(await camp.hand("Bob"))
    await camp.press_hand("Bob", "Myself")
    assert await camp.press_hand("Bob", "I am Human") == "You have said it."
    assert "🗣" in await camp.tale()


async def test_without_any_road_it_says_how_to_open_one(camp: Camp) -> None:
    await a_game(camp, ephemeral="refused", private=("Ann",))
    assert "Press Private chat" in said(await camp.press_data("Bob", data_of(await camp.screen("board"), SAY)))


async def test_a_stranger_says_nothing(camp: Camp) -> None:
    await a_game(camp)
    assert said(await camp.press_data("Eve", data_of(await camp.screen("board"), SAY))) == "This is not your game."


# --- the truth at the end ---


def claim(turn: int, about: str, what: Any) -> Claim:
    return Claim(turn, "s1", about, what)


@pytest.mark.parametrize(
    ("turn", "what", "is_so"),
    [
        (3, "human", True),
        (3, "infected", False),
        (12, "human", True),
        (12, "infected", True),
        (13, "human", False),
        (13, "infected", True),
        (13, "thing", False),
    ],
)
def test_a_claim_is_held_against_what_was_so_when_it_was_made(turn: int, what: Any, is_so: bool) -> None:
    table: Any = SimpleNamespace(roles={"s2": "infected"}, infections=[Infection("s2", "s3", 12)])
    assert truth.is_true(claim(turn, "s2", what), table) is is_so


@pytest.mark.parametrize("role", ("human", "thing"))
@pytest.mark.parametrize("what", ("human", "infected", "thing"))
def test_who_never_was_infected_is_what_they_are(role: str, what: Any) -> None:
    table: Any = SimpleNamespace(roles={"s2": role}, infections=[])
    assert truth.is_true(claim(5, "s2", what), table) is (role == what)


async def test_the_end_tells_who_told_the_truth(camp: Camp) -> None:
    await a_game(camp)
    await claim_by_hand(camp, "Ann", "Bob", 2)  # Bob is The Thing
    await claim_by_hand(camp, "Bob", "Bob", 0)
    await camp.write("Ann", "/endgame")
    await camp.press("Ann", "End it", "ending")
    end = plain((await camp.screen("end")).text)
    assert "Told nothing but the truth: Ann (once)." in end
    assert "Said what was not so: Bob (1 of 1)." in end


async def test_where_nothing_was_said_the_end_says_nothing_of_it(camp: Camp) -> None:
    await a_game(camp)
    await camp.write("Ann", "/endgame")
    await camp.press("Ann", "End it", "ending")
    assert "truth" not in plain((await camp.screen("end")).text)
