"""The whole story: told when the game is over, to one reader at a time, with everything that was hidden."""

from __future__ import annotations

import msgspec
import pytest

from db.records import Event, GameRow, SeatRow
from telegram_bot import chronicle
from telegram_bot.callback import Pressed
from telegram_bot.private import LONGEST, length
from tests.telegram_bot.camp import GROUP, Camp, buttons, data_of, plain, said
from tests.telegram_bot.test_private import FOUR, panel_of
from tests.texts import evening

STORY = "The whole story"
HANDS = {
    "Ann": ["The Thing", "Infected!", "Whisky", "Axe", "Suspicion"],
    "Bob": ["Flamethrower", "Analysis", "Missed!", "Seduction"],
    "Cid": ["Seduction", "Axe", "Whisky", "No, Thanks!"],
    "Dan": ["Seduction", "Analysis", "Whisky", "Scary"],
}


async def a_game_that_is_over(camp: Camp, *, ephemeral: str = "shown", private: bool = False) -> None:
    """Ann, The Thing, infects Bob, who burns her for it."""
    await camp.begin(*FOUR, private=private)
    await camp.lay(HANDS, ["Whisky"])
    await camp.answer("Ann", "discard", "Suspicion")
    await camp.answer("Ann", "give", "Infected!")
    await camp.answer("Bob", "give", "Seduction")
    await camp.answer("Bob", "play", "Flamethrower", "Ann")
    await camp.answer("Ann", "pass")
    assert (await camp.game()).status == "over"
    camp.far_end.ephemeral = ephemeral


async def press_story(camp: Camp, who: str) -> str:
    return said(await camp.press_data(who, data_of(await camp.screen("end"), STORY)))


async def test_it_tells_every_reader_what_was_hidden(camp: Camp) -> None:
    await a_game_that_is_over(camp)
    for who in ("Cid", "Zoe"):  # who never played may read it, too
        assert await press_story(camp, who) == ""
        text, _ = panel_of(camp.far_end.said[-1][1])
        assert text.startswith("The whole story (1 of 1)")
        assert "1 · Ann: discards Suspicion; Ann's Infected! for Bob's Seduction; Bob is Infected." in text
        assert "2 · Bob: Flamethrower at Ann; 🔥 Ann burned." in text
        call = camp.far_end.said[-1][1]
        to = call.get("ephemeral_message_parameters", call)  # the first of a process is a harmless line that is edited
        assert to["receiver_user_id"] == camp.person(who)["id"]


async def test_while_the_game_is_on_nobody_is_told_anything(camp: Camp) -> None:
    await camp.begin(*FOUR)
    await camp.lay(HANDS, ["Whisky"])
    await camp.answer("Ann", "discard", "Suspicion")
    camp.far_end.ephemeral = "shown"
    camp.far_end.said.clear()
    forged = str(Pressed("ending", camp.game_id, "story"))
    assert said(await camp.press_data("Bob", forged)) == ""
    assert said(await camp.press_data("Bob", forged, camp.person("Bob")["id"])) == ""
    assert camp.far_end.said == [] and not await camp.has("story", camp.person("Bob")["id"])


async def test_without_ephemeral_messages_it_comes_to_the_private_chat_of_who_played(camp: Camp) -> None:
    await a_game_that_is_over(camp, ephemeral="refused", private=True)
    hand = await camp.hand("Bob")
    assert "private chat" in await press_story(camp, "Bob")
    story = (await camp.rows())["story", camp.person("Bob")["id"]].wanted
    assert "Bob is Infected" in plain(story.text) and await camp.hand("Bob") == hand
    await camp.open_private_chats("Zoe")
    assert "told to who played" in await press_story(camp, "Zoe")
    assert not await camp.has("story", camp.person("Zoe")["id"])


async def test_another_group_is_told_nothing(camp: Camp) -> None:
    await a_game_that_is_over(camp)
    camp.far_end.said.clear()
    first = str(Pressed("ending", camp.game_id, "story"))
    assert said(await camp.press_data("Ann", first, GROUP - 1)) == ""
    assert said(await camp.press_data("Zoe", first, camp.person("Zoe")["id"])) == ""
    assert camp.far_end.said == []


@pytest.mark.parametrize("name", ["W" * 64, "🦊" * 6, "Bo"])
@pytest.mark.parametrize("seed", ["fog", "ice"])
def test_a_long_story_is_turned_page_by_page_and_nothing_is_left_out(name: str, seed: str) -> None:
    table = evening.play(12, seed, at_random=True)
    roster = tuple(SeatRow(seat, f"{number}{name}") for number, seat in enumerate(evening.names(12)))
    game = GameRow(id=1, chat_id=GROUP, opened_by=1, pace="day", roster=roster, public_seed="x", status="over")
    log = [Event(number, 0, msgspec.to_builtins(event), None) for number, event in enumerate(table.events)]
    told, number = "", 0
    while True:
        page = chronicle.page(game, log, number)
        assert length(page.text) <= LONGEST
        told += plain(page.text) + "\n"
        assert ("‹ Earlier" in buttons(page)) == (number > 0)
        if "Later ›" not in buttons(page):
            break
        number += 1
    turns = [int(line.split(" · ")[0]) for line in told.splitlines() if line[:1].isdigit()]
    assert turns == sorted(set(turns)) and len(turns) > 30
    infected = sum(type(event).__name__ == "TurnedInfected" for event in table.events)
    assert told.count(" is Infected") == infected
    assert chronicle.page(game, log, 10**6).text == chronicle.page(game, log, number).text, "no page is the last one"
