"""The hand: a table that leads to each question, and exactly its legal answers as buttons."""

from __future__ import annotations

from typing import Any

import pytest

from tests.telegram_bot.camp import Camp, buttons, data_of, plain, said
from tests.telegram_bot.shown import fits, offered

FOUR = ("Ann", "Bob", "Cid", "Dan")
PAGES = ["Table", "What I know"]
WHISKY = ["Whisky"] * 4


def table(**changed: list[str]) -> dict[str, list[str]]:
    """Hands in which Dan is The Thing."""
    return {"Ann": WHISKY, "Bob": WHISKY, "Cid": WHISKY, "Dan": ["The Thing", "Whisky", "Whisky", "Whisky"]} | changed


# A question, the table that leads there (Ann is on turn), the presses on the way, who is asked, and the buttons.
QUESTIONS: dict[str, tuple[dict[str, Any], list[tuple[str, ...]], str, list[str]]] = {
    "step two": (
        {"hands": table(Ann=["Axe", "Whisky", "Scary", "Infected!"]), "deck": ["Suspicion"]},
        [],
        "Ann",
        ["Axe", "Infected!", "Scary", "Suspicion", "Whisky"],
    ),
    "a fourth Infected!": (
        {"hands": table(Ann=["Infected!", "Infected!", "Infected!", "Axe"]), "deck": ["Infected!"]},
        [],
        "Ann",
        ["Axe", "Infected!"],
    ),
    "step two in Quarantine": (
        {"hands": table(Ann=["Axe", "Whisky", "Scary", "Suspicion"]), "deck": ["Whisky"], "quarantines": {"Ann": 2}},
        [],
        "Ann",
        ["Axe", "Scary", "Suspicion", "Whisky"],
    ),
    "the offer": (
        {"hands": table(Ann=["Axe", "Whisky", "Infected!", "Infected!"]), "deck": ["Suspicion"]},
        [("Ann", "discard", "Suspicion")],
        "Ann",
        ["Axe", "Whisky"],
    ),
    "the answer": (
        {"hands": table(Bob=["Axe", "No, Thanks!", "Missed!", "Scary"]), "deck": ["Suspicion"]},
        [("Ann", "discard", "Suspicion"), ("Ann", "give", "Whisky")],
        "Bob",
        ["Axe", "Missed!", "No, Thanks!", "Scary", "✋ Missed!", "✋ No, Thanks!", "✋ Scary"],
    ),
    "fire": (
        {"hands": table(Bob=["Axe", "No Barbeque!", "Missed!", "Scary"]), "deck": ["Flamethrower"]},
        [("Ann", "play", "Flamethrower", "Bob")],
        "Bob",
        ["✋ No Barbeque!", "Burn"],
    ),
    "fire without a defence": (
        {"hands": table(), "deck": ["Flamethrower"]},
        [("Ann", "play", "Flamethrower", "Bob")],
        "Bob",
        ["Burn"],
    ),
    "a change of seats": (
        {"hands": table(Bob=["Axe", "I'm Comfortable", "Missed!", "Scary"]), "deck": ["Change Places!"]},
        [("Ann", "play", "Change Places!", "Bob")],
        "Bob",
        ["✋ I'm Comfortable", "Move along"],
    ),
    "keep": (
        {"hands": table(), "deck": ["Resolute", "Axe", "Scary", "Flamethrower"]},
        [("Ann", "play", "Resolute")],
        "Ann",
        ["Axe", "Scary", "Flamethrower"],
    ),
    "a target": (
        {"hands": table(), "deck": ["Can't We Be Friends?"]},
        [],
        "Ann",
        ["Bob", "Cid", "Dan"],
    ),
    "a side": (
        {"hands": table(), "deck": ["One, Two..."]},
        [],
        "Ann",
        ["left: Dan", "right: Bob"],
    ),
    "what to forget": (
        {"hands": table(Ann=["Axe", "Scary", "Scary", "Whisky"]), "deck": ["Forgetful"]},
        [],
        "Ann",
        ["Keep Axe", "Keep Scary", "Keep Whisky"],
    ),
    "what to swap": (
        {"hands": table(Ann=["Axe", "Scary", "Infected!", "Whisky"]), "deck": ["Blind Date"]},
        [],
        "Ann",
        ["Axe", "Infected!", "Scary", "Whisky"],
    ),
    "what to show": (
        {"hands": table(Ann=["Axe", "Scary", "Infected!", "Whisky"]), "deck": ["Revelations"]},
        [],
        "Ann",
        ["My whole hand", "One Infected!", "Nothing"],
    ),
    "what to pass on": (
        {"hands": table(Bob=["Axe", "Axe", "Infected!", "Whisky"]), "deck": ["Round and Round"]},
        [],
        "Bob",
        ["Axe", "Whisky"],
    ),
}


async def at_question(camp: Camp, name: str) -> tuple[str, list[str]]:
    lay, moves, who, shown = QUESTIONS[name]
    await camp.begin(*FOUR)
    await camp.lay(**lay)
    for mover, *choice in moves:
        await camp.answer(mover, *choice)
    return who, shown


@pytest.mark.parametrize("name", QUESTIONS)
async def test_a_question_shows_exactly_its_answers(camp: Camp, name: str) -> None:
    who, shown = await at_question(camp, name)
    hand = await camp.hand(who)
    assert sorted(buttons(hand)) == sorted([*shown, *PAGES])
    game, step = await camp.game(), await camp.step()
    seat = camp.seat_of(game, who)
    choices = offered(game, step, seat)
    assert sorted(choices) == sorted(step.asks[seat].choices)
    text = fits(hand)
    assert "until" in text
    for other in {*FOUR} - {who}:
        if camp.seat_of(game, other) not in step.asks:
            assert buttons(await camp.hand(other))[-2:] == PAGES


@pytest.mark.parametrize("name", QUESTIONS)
async def test_every_question_is_answered_by_its_buttons(camp: Camp, name: str) -> None:
    """Press the first answer there is, page by page, and the game goes on."""
    who, _ = await at_question(camp, name)
    version = (await camp.game()).version
    for _ in range(4):
        choice = [
            text
            for text in buttons(await camp.hand(who))
            if text not in (*PAGES, "‹ Back") and not text.startswith("↪")
        ]
        await camp.press_hand(who, choice[0])
        if (await camp.game()).version > version:
            return
        if not [
            text
            for text in buttons(await camp.hand(who))
            if text not in (*PAGES, "‹ Back") and not text.startswith("↪")
        ]:
            await camp.press_hand(who, "‹ Back")  # that card can do nothing now
            choice = [text for text in buttons(await camp.hand(who)) if text not in PAGES]
            await camp.press_hand(who, choice[1])
    raise AssertionError("no answer was given")


async def test_only_who_is_awaited_hears_a_ring(camp: Camp) -> None:
    await at_question(camp, "the answer")
    rows = await camp.rows()
    rings = {name for name in FOUR if rows["panel", camp.person(name)["id"]].wanted.ring}
    assert rings == {"Bob"}


async def test_ones_own_next_question_comes_as_an_edit_without_sound(camp: Camp) -> None:
    await camp.begin(*FOUR)
    await camp.lay(table(), ["Axe"])
    before = await camp.hand_row("Ann")
    await camp.press_hand("Ann", "Axe")
    await camp.press_hand("Ann", "Discard it")
    after = await camp.hand_row("Ann")
    assert "Choose a card for Bob" in plain(after.wanted.text)
    assert after.post == before.post and not after.wanted.ring


async def test_a_hand_cannot_be_forwarded(camp: Camp) -> None:
    await camp.begin(*FOUR)
    assert all(row.wanted.protect for (kind, _), row in (await camp.rows()).items() if kind == "panel")


async def test_a_card_shows_what_it_does_and_on_whom(camp: Camp) -> None:
    await at_question(camp, "step two")
    await camp.press_hand("Ann", "Suspicion")
    page = await camp.hand("Ann")
    assert buttons(page)[:2] == ["on Bob (left)", "on Dan (right)"] and buttons(page)[-2:] == ["Discard it", "‹ Back"]
    assert all(text.startswith("↪ offer") for text in buttons(page)[2:-2])
    assert "Suspicion:" in plain(page.text)
    await camp.press_hand("Ann", "‹ Back")
    assert "Suspicion" in buttons(await camp.hand("Ann"))


async def test_fire_is_asked_once_more(camp: Camp) -> None:
    await camp.begin(*FOUR)
    await camp.lay(table(), ["Flamethrower"])
    await camp.press_hand("Ann", "Flamethrower")
    await camp.press_hand("Ann", "on Bob (left)")
    assert (await camp.game()).version == 0 + len(
        await camp.store.answers(camp.game_id)
    ) + 1  # laid once, nothing answered
    assert "Burn Bob?" in plain((await camp.hand("Ann")).text)
    await camp.press_hand("Ann", "‹ Back")
    await camp.press_hand("Ann", "Flamethrower")
    await camp.press_hand("Ann", "on Bob (left)")
    await camp.press_hand("Ann", "🔥 Burn Bob")
    assert "raises the flamethrower at you" in plain((await camp.hand("Bob")).text)


async def test_two_living_players_say_on_which_side_a_door_goes(camp: Camp) -> None:
    await camp.begin(*FOUR)
    await camp.lay(
        {"Ann": WHISKY, "Dan": table()["Dan"], "Bob": [], "Cid": []}, ["Barred Door"], eliminated=["Bob", "Cid"]
    )
    await camp.press_hand("Ann", "Barred Door")
    page = [text for text in buttons(await camp.hand("Ann")) if not text.startswith("↪ offer")]
    assert page == ["the left side", "the right side", "Discard it", "‹ Back"]


async def test_the_declaration_is_asked_once_more_and_ends_the_game(camp: Camp) -> None:
    await camp.begin(*FOUR)
    roles = {"Ann": "thing", "Bob": "infected", "Cid": "infected", "Dan": "infected"}
    hands = {
        "Ann": ["The Thing", "Whisky", "Axe", "Axe"],
        **{name: ["Infected!", "Whisky", "Axe", "Axe"] for name in ("Bob", "Cid", "Dan")},
    }
    await camp.lay(hands, ["Suspicion"], roles=roles)
    await camp.press_hand("Ann", "Declare: no Human is left")
    page = await camp.hand("Ann")
    assert "By all you know it is true" in plain(page.text)
    await camp.press_hand("Ann", "Declare it")
    game = await camp.game()
    assert game.status == "over" and set((game.outcome or {})["winners"]) == {camp.seat_of(game, "Ann")}


async def test_a_false_declaration_is_warned_of(camp: Camp) -> None:
    await camp.begin(*FOUR)
    await camp.lay({"Ann": table()["Dan"], "Bob": WHISKY, "Cid": WHISKY, "Dan": WHISKY}, ["Suspicion"])
    await camp.press_hand("Ann", "Declare: no Human is left")
    assert "You know better: Bob, Cid and Dan would win" in plain((await camp.hand("Ann")).text)


async def test_a_declaration_out_of_time_says_when(camp: Camp) -> None:
    await camp.begin(*FOUR)
    await camp.lay(table(), ["Suspicion"])
    await camp.answer("Ann", "discard", "Suspicion")  # Ann offers: no moment for Dan to declare
    assert "Not now" in await camp.press_hand("Dan", "Declare: no Human is left")


async def test_what_i_know_tells_what_only_i_saw(camp: Camp) -> None:
    await camp.begin(*FOUR)
    await camp.lay(table(Bob=["Scary", "Axe", "Whisky", "Whisky"]), ["Analysis"])
    await camp.answer("Ann", "play", "Analysis", "Bob")
    await camp.press_hand("Ann", "What I know")
    page = plain((await camp.hand("Ann")).text)
    assert "Scary" in page and "Bob" in page and "Human" in page
    await camp.press_hand("Ann", "‹ Back")
    await camp.press_hand("Cid", "What I know")
    assert "Scary" not in (await camp.hand("Cid")).text


async def test_the_table_is_a_page_of_the_hand(camp: Camp) -> None:
    await camp.begin(*FOUR)
    await camp.press_hand("Bob", "Table")
    page = plain((await camp.hand("Bob")).text)
    assert all(name in page for name in FOUR) and "Waiting for" in page


async def test_the_alert_holds_the_hand_for_its_owner_alone(camp: Camp) -> None:
    await camp.begin(*FOUR)
    await camp.lay(table(Bob=["Scary", "Axe", "Missed!", "Infected!"]), ["Analysis"])
    data = data_of(await camp.screen("board"), "🃏 My hand")
    reply = await camp.press_data("Bob", data)
    assert reply and reply["show_alert"] and "Scary" in said(reply) and "waiting for" in said(reply)
    assert "Scary" not in said(await camp.press_data("Ann", data))


async def test_the_burned_see_that_they_watch(camp: Camp) -> None:
    await camp.begin(*FOUR)
    await camp.lay(table(), ["Flamethrower"])
    await camp.answer("Ann", "play", "Flamethrower", "Bob")
    await camp.answer("Bob", "pass")
    assert "You burned" in plain((await camp.hand("Bob")).text)
    assert "You burned" in await camp.press("Bob", "🃏 My hand", "board")
    reply = await camp.write("Bob", "/leave")
    assert reply and "You burned" in reply["text"]
    assert "🔥 Bob" in plain((await camp.screen("board")).text)


async def test_an_infected_knows_the_thing_and_the_thing_knows_all(camp: Camp) -> None:
    await camp.begin(*FOUR)
    await camp.lay(table(Bob=["Infected!", "Axe", "Axe", "Axe"]), ["Analysis"], roles={"Bob": "infected"})
    assert "You are Infected; The Thing is Dan" in plain((await camp.hand("Bob")).text)
    assert "You are The Thing" in plain((await camp.hand("Dan")).text) and "Infected: Bob" in plain(
        (await camp.hand("Dan")).text
    )
