"""What bad input gets: every row of the table of issue 2, section 6, and a few that were met since."""

from __future__ import annotations

import copy
import logging
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from telegram_bot import callback
from telegram_bot.callback import Pressed
from tests.telegram_bot.camp import Camp, buttons, data_of, said, user

FOUR = ("Ann", "Bob", "Cid", "Dan")
HANDS = {
    "Ann": ["Flamethrower", "Whisky", "Suspicion", "No Barbeque!"],
    "Bob": ["No Barbeque!", "Whisky", "Axe", "No, Thanks!"],
    "Cid": ["The Thing", "Infected!", "Scary", "Whisky"],
    "Dan": ["Whisky", "Whisky", "Axe", "Missed!"],
}
STALE = "That was before. Here is now."


async def at_table(camp: Camp) -> None:
    await camp.begin(*FOUR)
    await camp.lay(HANDS, ["Analysis"])


# --- presses ---


async def test_a_press_on_an_old_panel_changes_nothing_and_brings_the_current_one(camp: Camp) -> None:
    await at_table(camp)
    await camp.press_hand("Ann", "Whisky")
    old = data_of(await camp.hand("Ann"), "Discard it")
    await camp.press_data("Ann", old, camp.person("Ann")["id"])
    version = (await camp.game()).version
    assert said(await camp.press_data("Ann", old, camp.person("Ann")["id"])) == STALE
    assert (await camp.game()).version == version
    assert "Choose a card for" in (await camp.hand("Ann")).text


async def test_every_earlier_button_is_dead_after_each_move(camp: Camp) -> None:
    """failures.md row 3: all callbacks of the panels so far, pressed again after each answer."""
    await at_table(camp)
    dice, seen = Random(7), dict[str, set[str]]()
    for _ in range(8):
        game = await camp.game()
        if game.status != "playing":
            break
        hands = {name: await camp.hand(name) for name in FOUR}
        now = {one.data for hand in hands.values() for row in hand.rows for one in row}
        before = await camp.everything()
        for name in FOUR:
            for data in seen.get(name, set()) - now:
                await camp.press_data(name, data, camp.person(name)["id"])
        after = await camp.everything()
        assert before["game"] == after["game"] and before["answers"] == after["answers"]
        for name in FOUR:
            seen.setdefault(name, set()).update(one.data or "" for row in hands[name].rows for one in row)
        asked = [name for name in FOUR if camp.seat_of(game, name) in (await camp.step()).asks]
        ask = (await camp.step()).asks[camp.seat_of(game, asked[0])]
        await camp.answer(asked[0], *dice.choice(ask.choices))


async def test_a_stale_declaration_declares_nothing(camp: Camp) -> None:
    await camp.begin(*FOUR)
    hands = {"Ann": HANDS["Cid"], "Bob": HANDS["Bob"], "Cid": HANDS["Dan"], "Dan": HANDS["Ann"]}
    await camp.lay(hands, ["Analysis"])
    await camp.press_hand("Ann", "Declare: no Human is left")
    old = data_of(await camp.hand("Ann"), "Declare it")
    await camp.answer("Ann", "discard", "Whisky")
    assert said(await camp.press_data("Ann", old, camp.person("Ann")["id"])) == STALE
    assert (await camp.game()).status == "playing"


async def test_a_second_press_answers_once(camp: Camp) -> None:
    await at_table(camp)
    await camp.press_hand("Ann", "Analysis")
    twice = data_of(await camp.hand("Ann"), "on Bob (left)")
    for _ in range(2):
        await camp.press_data("Ann", twice, camp.person("Ann")["id"])
    assert len(await camp.store.answers(camp.game_id)) == 1


async def test_the_same_update_twice_answers_once(camp: Camp) -> None:
    await at_table(camp)
    await camp.press_hand("Ann", "Analysis")
    data = data_of(await camp.hand("Ann"), "Discard it")
    person = camp.person("Ann")
    query = {
        "id": "77",
        "from": person,
        "chat_instance": "1",
        "data": data,
        "message": {"message_id": 1, "date": 1, "chat": {"id": person["id"], "type": "private", "first_name": "Ann"}},
    }
    update = {"update_id": 900_000, "callback_query": query}
    first, second = await camp.door(update), await camp.door(update)
    assert said(first) == said(second) == ""
    assert len(await camp.store.answers(camp.game_id)) == 1


async def test_another_persons_button_is_not_mine(camp: Camp) -> None:
    await at_table(camp)
    await camp.press_hand("Ann", "Analysis")
    anns = data_of(await camp.hand("Ann"), "Discard it")
    before = await camp.everything()
    assert said(await camp.press_data("Bob", anns, camp.person("Bob")["id"])) == STALE
    assert said(await camp.press_data("Eve", anns, camp.person("Eve")["id"])) == "This is not your game."
    assert await camp.everything() == before


async def test_a_button_of_another_game_is_not_of_this_one(camp: Camp) -> None:
    await at_table(camp)
    await camp.press_hand("Ann", "Analysis")
    pressed = callback.read(data_of(await camp.hand("Ann"), "Discard it"))
    assert pressed is not None
    before = await camp.everything()
    other = str(pressed._replace(game=camp.game_id + 1))
    assert said(await camp.press_data("Ann", other, camp.person("Ann")["id"])) == ""
    assert await camp.everything() == before


async def test_a_panels_button_under_a_public_message_shows_its_presser_the_own_hand_alone(camp: Camp) -> None:
    """Forged, for no public message has one: a hand may come, aside, to whose hand it is; to all others nothing."""
    await at_table(camp)
    before = await camp.everything()
    front = str(Pressed("panel", camp.game_id, "front"))
    assert said(await camp.press_data("Ann", front)).startswith("Human")
    assert "Human" not in said(await camp.press_data("Zoe", front))
    assert await camp.everything() == before


async def test_a_boards_button_works_in_its_group_alone(camp: Camp) -> None:
    await at_table(camp)
    data = data_of(await camp.screen("board"), "🃏 My hand")
    assert "Human" in said(await camp.press_data("Ann", data))
    assert said(await camp.press_data("Ann", data, -100999)) == ""


async def test_a_choice_that_is_not_offered_gets_a_toast_and_the_panel(camp: Camp) -> None:
    await at_table(camp)
    pressed = callback.read(data_of(await camp.hand("Ann"), "Analysis"))
    assert pressed is not None
    before = await camp.everything()
    for number in (50, 2_000_000_000):
        forged = str(pressed._replace(what="choose", number=number))
        assert said(await camp.press_data("Ann", forged, camp.person("Ann")["id"])) == STALE
    assert await camp.everything() == before


async def test_only_fire_is_asked_once_more(camp: Camp) -> None:
    await at_table(camp)
    await camp.press_hand("Ann", "Analysis")
    pressed = callback.read(data_of(await camp.hand("Ann"), "Discard it"))
    assert pressed is not None
    for forged in (str(pressed._replace(what="confirm")), str(pressed._replace(what="confirm", number=99))):
        assert said(await camp.press_data("Ann", forged, camp.person("Ann")["id"])) == STALE


async def test_data_that_the_bot_never_made_gets_an_empty_answer(camp: Camp) -> None:
    await at_table(camp)
    before = await camp.everything()
    for data in (
        None,
        "",
        "x",
        "p",
        "p.1",
        "p.1.1.choose.0.0",
        "p.01.1.choose.0",
        "p.1.1.front",
        "p.ZZ.1.choose",
        "é" * 32,
        "\0" * 64,
        "l.1.0.join\n",
        "p.١.0.front",
    ):
        assert said(await camp.press_data("Ann", data)) == ""
    assert await camp.everything() == before


# What the rooms of the bot understand, and numbers near those in use: what a forger who read the source would try.
WHATS = (
    "hand join bot no_bot options pace back option infected set_pace start cancel same front table know card confirm"
    " choose declare declaration back_in bring end play_on again"
).split()


async def test_strangers_forge_well_made_presses_of_this_very_game_in_vain(
    camp: Camp, caplog: pytest.LogCaptureFixture
) -> None:
    """Everything a forger could write who knows the game's number and its version."""
    await at_table(camp)
    caplog.set_level(logging.WARNING)
    before = await camp.everything()
    game = await camp.game()
    for room in ("panel", "board"):
        for what in WHATS:
            for version in (0, game.version, game.version + 1):
                pressed = str(Pressed(room, game.id, what, version, 1))  # type: ignore[arg-type]
                for who, where in (("Eve", None), ("Eve", camp.person("Eve")["id"]), ("Bob", camp.person("Bob")["id"])):
                    said(await camp.press_data(who, pressed, where))
    after = await camp.everything()
    assert before["game"] == after["game"] and before["answers"] == after["answers"] and not caplog.records


@settings(max_examples=1000)
@given(
    st.one_of(
        st.text(max_size=64), st.from_regex(r"[lbpe]\.[0-9a-z]{1,14}\.[0-9a-z]{1,8}\.[a-z_]{1,26}(\.[0-9a-z]{1,8})?")
    )
)
def test_any_data_is_read_or_refused(data: str) -> None:
    pressed = callback.read(data)
    if pressed is not None:
        assert 0 <= pressed.game < 2**63 and 0 <= pressed.version < 36**6 and 0 <= pressed.number < 36**6


@given(
    st.builds(
        Pressed,
        st.sampled_from(("lobby", "board", "panel", "ending")),
        st.integers(0, 36**12 - 1),
        st.sampled_from(WHATS),
        st.integers(0, 36**6 - 1),
        st.integers(0, 36**6 - 1),
    )
)
def test_what_a_button_says_comes_back_in_64_bytes(pressed: Pressed) -> None:
    assert callback.read(str(pressed)) == pressed and len(str(pressed).encode()) <= 64


# --- commands ---


@pytest.mark.parametrize("command", ["/newgame", "/join", "/leave", "/startgame", "/endgame"])
async def test_what_belongs_in_a_group_says_so_in_private(camp: Camp, command: str) -> None:
    reply = await camp.write("Ann", command, private=True)
    assert reply and reply["text"].startswith("Write that in the group where you play.")
    assert "startgroup" in str(reply["reply_markup"])


@pytest.mark.parametrize("command", ["/join", "/leave", "/startgame", "/status", "/endgame", "/hand"])
async def test_without_a_game_one_sentence_says_what_to_do(camp: Camp, command: str) -> None:
    reply = await camp.write("Ann", command)
    assert reply and "/newgame opens one" in reply["text"] and "\n" not in reply["text"]


@pytest.mark.parametrize("command", ["/leave", "/hand", "/endgame"])
async def test_who_is_not_in_the_game_is_told_so(camp: Camp, command: str) -> None:
    await camp.begin(*FOUR)
    reply = await camp.write("Eve", command)
    assert reply and reply["text"] == "You are not in this game."


async def test_a_stranger_who_presses_my_hand_is_told_so(camp: Camp) -> None:
    await camp.begin(*FOUR)
    assert "not in this game" in await camp.press("Eve", "🃏 My hand", "board")


async def test_hand_in_a_lobby_says_that_cards_come_later(camp: Camp) -> None:
    await camp.gather(*FOUR)
    reply = await camp.write("Ann", "/hand")
    assert reply and "begins" in reply["text"]


async def test_a_command_with_the_bots_name_is_meant_for_it(camp: Camp) -> None:
    await camp.write("Ann", "/newgame@stay_away_bot")
    assert (await camp.game()).status == "lobby"
    assert await camp.write("Ann", "/endgame@another_bot") is None
    assert (await camp.game()).status == "lobby"


async def test_a_command_that_is_edited_is_not_obeyed_again(camp: Camp) -> None:
    await camp.write("Ann", "/newgame")
    message = camp.message("Ann", "/endgame") | {"edit_date": 1_790_000_001}
    assert await camp.take(edited_message=message) is None
    assert (await camp.game()).status == "lobby"
    assert (
        await camp.take(edited_message=camp.message("Ann", "hello", private=True) | {"edit_date": 1_790_000_001})
        is None
    )


async def test_a_command_in_a_caption_or_a_quote_is_no_command(camp: Camp) -> None:
    entity = {"type": "bot_command", "offset": 0, "length": 8}
    photo = [{"file_id": "a", "file_unique_id": "b", "width": 1, "height": 1}]
    message = camp.message("Ann", "x") | {"caption": "/newgame", "caption_entities": [entity], "photo": photo}
    del message["text"]
    assert await camp.take(message=message) is None
    assert await camp.write("Ann", "do not write /newgame here") is None
    await camp._look()
    assert camp.game_id == 0


async def test_a_command_that_answers_a_message_is_one(camp: Camp) -> None:
    await camp.write("Ann", "/newgame", reply_to_message=camp.message("Bob", "shall we?"))
    assert (await camp.game()).status == "lobby"


async def test_another_bot_cannot_play(camp: Camp) -> None:
    await camp.write("Ann", "/newgame")
    robot = {"id": 5555, "is_bot": True, "first_name": "Robot", "username": "robot_bot"}
    assert await camp.write(robot, "/join") is None
    assert len((await camp.game()).roster) == 1


async def test_a_deleted_account_has_no_name_and_joins_all_the_same(camp: Camp) -> None:
    await camp.write(user(4711, ""), "/newgame")
    assert [row.name for row in (await camp.game()).roster] == ["Nameless"]


@pytest.mark.parametrize("private", [True, False])
@pytest.mark.parametrize(
    "words", ["", " axe", " <b>", " " + "x" * 4000, " The Thing", " cards", " &#8238;\u202e", " no"]
)
async def test_rules_answers_whatever_is_asked(camp: Camp, words: str, private: bool) -> None:
    reply = await camp.write("Ann", f"/rules{words}", private=private)
    assert reply and reply["text"]


@pytest.mark.parametrize("command", ["/rules", "/help", "/games", "/start", "/hand", "hello"])
async def test_an_update_that_comes_twice_is_answered_once(camp: Camp, command: str) -> None:
    update = {"update_id": 800_000, "message": camp.message("Ann", command, private=True)}
    assert await camp.door(update) is not None
    assert await camp.door(update) is None


async def test_chatter_in_the_group_is_left_alone(camp: Camp) -> None:
    assert await camp.write("Ann", "has anybody seen my flamethrower") is None


async def test_anything_written_in_private_is_answered_with_help(camp: Camp) -> None:
    reply = await camp.write("Ann", "hello?", private=True)
    assert reply and "is played in a group" in reply["text"] and reply["chat_id"] == camp.person("Ann")["id"]


async def test_an_unknown_command_is_left_alone_in_the_group(camp: Camp) -> None:
    assert await camp.write("Ann", "/banana") is None


# --- updates of a kind or shape that we do not know ---


UNKNOWN: list[dict[str, Any]] = [
    {},
    {"banana": {"peel": 1}},
    {"message": 7},
    {"message": {}},
    {"message": None},
    {"message": [1]},
    {"message": {"message_id": 1, "date": 1}},
    {"message": {"message_id": 1, "date": "yesterday", "chat": {"id": 1, "type": "private"}}},
    {"message": {"message_id": 1, "date": 1, "chat": {"id": "one", "type": "group"}, "text": "/newgame"}},
    {"message": {"message_id": 1, "date": 1, "chat": {"id": -1, "type": "group"}, "text": 5}},
    {"message": {"message_id": 1, "date": 1, "chat": 5, "text": "/newgame"}},
    {"callback_query": {}},
    {"callback_query": {"id": "1"}},
    {"callback_query": {"id": "1", "from": {"id": "x"}, "chat_instance": "1", "data": "l.1.0.join"}},
    {"channel_post": {"message_id": 1, "date": 1, "chat": {"id": -1, "type": "channel"}, "text": "/newgame"}},
    {"my_chat_member": {"chat": {"id": 1, "type": "private"}}},
    {"message_reaction": {"chat": {"id": -1, "type": "group"}, "message_id": 1}},
]


@pytest.mark.parametrize("body", UNKNOWN, ids=[str(body)[:60] for body in UNKNOWN])
async def test_an_update_of_unknown_kind_or_shape_is_put_aside(camp: Camp, body: dict[str, Any]) -> None:
    reply = await camp.door({"update_id": 4242, **body})
    assert reply is None or reply["method"] == "answerCallbackQuery"
    assert [failure.update_id for failure in await camp.store.failures()] == [4242]
    await camp.store.retried(4242)


def spoilt(value: Any, dice: Random) -> Any:
    """A copy of an update with one part replaced by something of another type, or gone."""
    paths: list[list[Any]] = []

    def walk(part: Any, path: list[Any]) -> None:
        for key in part if isinstance(part, dict) else range(len(part)) if isinstance(part, list) else ():
            paths.append([*path, key])
            walk(part[key], [*path, key])

    spoilt = copy.deepcopy(value)
    walk(spoilt, [])
    *way, last = dice.choice([path for path in paths if path != ["update_id"]])
    part = spoilt
    for key in way:
        part = part[key]
    junk = (None, 0, -1, 2**70, 1.5, "", "x", "\U0001f9ea" * 40, [], [1], {}, {"id": 1}, True)
    if dice.random() < 0.1 and isinstance(part, dict):
        del part[last]
    else:
        part[last] = dice.choice(junk)
    return spoilt


@pytest.mark.parametrize("seed", range(4))
async def test_a_spoilt_update_is_taken_or_put_aside_but_never_fails(
    camp: Camp, seed: int, caplog: pytest.LogCaptureFixture
) -> None:
    await at_table(camp)
    dice = Random(seed)
    me = {"id": 1000, "is_bot": True, "first_name": "Stay Away!"}
    place = {"id": camp.place[0], "type": "supergroup", "title": "The camp"}
    moved = {"chat": place, "from": camp.person("Ann"), "date": 1}
    whole: list[dict[str, Any]] = [
        {"message": camp.message("Ann", "/status")},
        {"message": camp.message("Ann", "/start g1", private=True)},
        {"message": camp.message("Ann", "/rules axe")},
        {"message": camp.message("Ann", "/hand")},
        {
            "callback_query": {
                "id": "9",
                "from": camp.person("Ann"),
                "chat_instance": "1",
                "data": data_of(await camp.screen("board"), "🃏 My hand"),
                "message": {"message_id": 1, "date": 1, "chat": place, "text": "..."},
            }
        },
        {
            "my_chat_member": moved
            | {"old_chat_member": {"user": me, "status": "member"}, "new_chat_member": {"user": me, "status": "member"}}
        },
    ]
    for number in range(150):
        update = spoilt({"update_id": 10_000 + number, **dice.choice(whole)}, dice)
        await camp.door(update)
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]
    for failure in await camp.store.failures(all=True):
        assert failure.put_aside
        await camp.store.retried(failure.update_id)


async def test_buttons_fit_64_bytes_even_for_the_longest_numbers() -> None:
    longest = Pressed("panel", 36**12 - 1, "declaration", 36**6 - 1, 36**6 - 1)
    assert len(str(longest).encode()) <= 64


async def test_the_panel_of_the_test_table_is_what_these_tests_think(camp: Camp) -> None:
    await at_table(camp)
    shown = buttons(await camp.hand("Ann"))
    assert shown == ["Analysis", "Flamethrower", "No Barbeque!", "Suspicion", "Whisky", "Table", "What I know"]
