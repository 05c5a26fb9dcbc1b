"""The hand in the group: what only one person sees, by every road, whatever Telegram answers; and never in public."""

from __future__ import annotations

import asyncio
import itertools
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import text
from telegram.error import NetworkError, TimedOut

import core
from db.records import ByGame, SeatRow, Wanted
from telegram_bot import names, panel, private, show
from telegram_bot.callback import Pressed
from telegram_bot.transport import MaybeSent, NotSent
from tests.telegram_bot.camp import ADMINISTERS, BOT, GROUP, Camp, Data, Reply, data_of, plain, refusal, said

FOUR = ("Ann", "Bob", "Cid", "Dan")
HANDS = {
    "Ann": ["Flamethrower", "Suspicion", "Whisky", "No Barbeque!", "Axe"],
    "Bob": ["The Thing", "Infected!", "Analysis", "Missed!"],
    "Cid": ["Seduction", "Axe", "Whisky", "No, Thanks!"],
    "Dan": ["Seduction", "Analysis", "Whisky", "Scary"],
}
BOARD = "🃏 My hand"


async def a_game(camp: Camp, *, private_chats: bool = False, ephemeral: str = "shown") -> None:
    """Four people at a table that is known, Ann being on turn; nobody has a private chat."""
    await camp.begin(*FOUR, private=private_chats)
    await camp.lay(HANDS, ["Whisky"])
    camp.far_end.ephemeral = ephemeral
    camp.far_end.said.clear()


async def my_hand(camp: Camp, who: str, **more: Any) -> Reply:
    return await camp.press_data(who, data_of(await camp.screen("board"), BOARD), **more)


async def seen_once(camp: Camp) -> None:
    """The first message of the process is over: from now on one call shows a hand."""
    await my_hand(camp, "Dan")
    camp.far_end.said.clear()


def aside(number: int = 501) -> Data:
    """An ephemeral message, as it comes back with a press on it."""
    chat = {"id": GROUP, "type": "supergroup", "title": "The camp"}
    return {"message_id": 0, "ephemeral_message_id": number, "date": 1_790_000_000, "chat": chat, "text": "..."}


def panel_of(call: Data) -> tuple[str, list[str]]:
    """The text and the buttons of a call."""
    rows = call.get("reply_markup", {}).get("inline_keyboard", [])
    return plain(call["text"]), [plain(button["text"]) for row in rows for button in row]


async def tap(camp: Camp, who: str, button: str, **more: Any) -> Reply:
    """Press a button of the ephemeral panel that was shown last."""
    rows = camp.far_end.said[-1][1]["reply_markup"]["inline_keyboard"]
    data = next(one["callback_data"] for row in rows for one in row if plain(one["text"]) == button)
    return await camp.press_data(who, data, message=aside(), **more)


async def road_of(camp: Camp, who: str) -> str | None:
    known = (await camp.store.roads_from(GROUP)).get(camp.person(who)["id"])
    return None if known is None else known.road


# --- a panel in the group ---


async def test_my_hand_opens_the_whole_panel_in_the_group_for_the_presser_alone(camp: Camp) -> None:
    await a_game(camp)
    await seen_once(camp)
    reply = await my_hand(camp, "Ann")
    ((method, call),) = camp.far_end.said
    assert method == "sendMessage" and call["chat_id"] == GROUP and call["protect_content"]
    to = call["ephemeral_message_parameters"]
    assert to["receiver_user_id"] == camp.person("Ann")["id"]
    # It went out before the query is closed, for it must be the answer to an open one.
    assert reply == {"method": "answerCallbackQuery", "callback_query_id": to["callback_query_id"]}
    words, buttons = panel_of(call)
    assert "Your turn" in words and {"Flamethrower", "Suspicion", "Table", "What I know"} <= set(buttons)


async def test_every_further_tap_edits_it_and_an_answer_shows_what_comes_next(camp: Camp) -> None:
    await a_game(camp)
    await seen_once(camp)
    await my_hand(camp, "Ann")
    for button, expected in (
        ("Table", "The camp, turn"),
        ("‹ Back", "Your turn"),
        ("What I know", "What you know"),
        ("‹ Back", "Your turn"),
        ("Flamethrower", "Flamethrower:"),
        ("on ⁨Bob⁩ (left)", "Burn ⁨Bob⁩?"),
        ("‹ Back", "Your turn"),
        ("Whisky", "Whisky:"),
        ("Discard it", "Choose a card for ⁨Bob⁩"),
    ):
        reply = await tap(camp, "Ann", plain(button))
        method, call = camp.far_end.said[-1]
        assert said(reply) == "" and method == "editEphemeralMessageText"
        assert (call["chat_id"], call["ephemeral_message_id"]) == (GROUP, 501)
        assert call["receiver_user_id"] == camp.person("Ann")["id"]
        assert plain(expected) in plain(call["text"]), button
    assert len(camp.far_end.said) == 10, "one call a press"


async def test_the_thing_declares_in_the_group_too(camp: Camp) -> None:
    await camp.begin(*FOUR, private=False)
    await camp.lay({"Ann": ["The Thing", "Whisky", "Axe", "Infected!", "Scary"], **{n: HANDS[n] for n in FOUR[2:]},
                    "Bob": ["Infected!", "Analysis", "Missed!", "Axe"]}, ["Whisky"])
    camp.far_end.ephemeral = "shown"
    await my_hand(camp, "Ann")
    await tap(camp, "Ann", "Declare: no Human is left")
    assert "Declare that no Human is left?" in plain(camp.far_end.said[-1][1]["text"])
    await tap(camp, "Ann", "Declare it")
    assert (await camp.game()).status == "over" and "The game is over" in plain(camp.far_end.said[-1][1]["text"])


async def test_the_panel_in_the_private_chat_is_kept_right_too(camp: Camp) -> None:
    await a_game(camp, private_chats=True)
    await seen_once(camp)
    await my_hand(camp, "Ann")
    await tap(camp, "Ann", "Table")
    assert "Your turn" in plain((await camp.hand("Ann")).text), "pages are turned where they are looked at"
    await tap(camp, "Ann", "‹ Back")
    await tap(camp, "Ann", "Whisky")
    await tap(camp, "Ann", "Discard it")
    assert "Choose a card for Bob" in plain((await camp.hand("Ann")).text)


async def test_a_press_on_an_old_panel_is_told_so_and_gets_the_current_one(camp: Camp) -> None:
    await a_game(camp)
    await seen_once(camp)
    await my_hand(camp, "Ann")
    await tap(camp, "Ann", "Whisky")
    old = next(
        one["callback_data"]
        for row in camp.far_end.said[-1][1]["reply_markup"]["inline_keyboard"]
        for one in row
        if one["text"] == "Discard it"
    )
    await camp.press_data("Ann", old, message=aside())
    before = await camp.everything()
    reply = await camp.press_data("Ann", old, message=aside())
    assert said(reply) == "That was before. Here is now."
    assert "Choose a card for Bob" in plain(camp.far_end.said[-1][1]["text"])
    assert await camp.everything() == before


async def test_a_press_on_a_panel_that_telegram_has_forgotten_opens_a_new_one(camp: Camp) -> None:
    await a_game(camp)
    await seen_once(camp)
    table = str(Pressed("panel", camp.game_id, "table"))
    gone = {"message_id": 0, "date": 0, "chat": {"id": GROUP, "type": "supergroup"}}
    await camp.press_data("Ann", table, message=gone)
    ((method, call),) = camp.far_end.said
    assert method == "sendMessage" and "callback_query_id" in call["ephemeral_message_parameters"]


@pytest.mark.parametrize("gone", ["message to edit not found", "MESSAGE_ID_INVALID", "message can't be edited"])
async def test_and_so_does_a_press_on_one_that_the_app_still_shows(camp: Camp, gone: str) -> None:
    """Ephemeral messages are not durable; a game of a day is longer than any of them lives."""
    await a_game(camp)
    await seen_once(camp)
    await my_hand(camp, "Ann")
    await tap(camp, "Ann", "Whisky")
    camp.far_end.troubles.append(refusal(400, f"Bad Request: {gone}"))
    reply = await tap(camp, "Ann", "Discard it")
    assert said(reply) == ""
    (edit, _), (send, call) = camp.far_end.said[-2:]
    assert (edit, send) == ("editEphemeralMessageText", "sendMessage")
    to = call["ephemeral_message_parameters"]
    assert to["receiver_user_id"] == camp.person("Ann")["id"] and to["callback_query_id"]
    assert "Choose a card for Bob" in plain(call["text"])


async def test_the_same_press_delivered_twice_shows_nothing_twice(camp: Camp) -> None:
    await a_game(camp)
    await seen_once(camp)
    query = {
        "id": "5",
        "from": camp.person("Ann"),
        "chat_instance": "1",
        "message": {"message_id": 1, "date": 1_790_000_000, "chat": {"id": GROUP, "type": "supergroup"}, "text": "..."},
        "data": data_of(await camp.screen("board"), BOARD),
    }
    for _ in range(2):
        await camp.door({"update_id": 900_001, "callback_query": query})
    assert len(camp.far_end.said) == 1


async def test_a_stranger_a_forged_panel_and_another_group_get_no_panel(camp: Camp) -> None:
    await a_game(camp)
    reply = await my_hand(camp, "Zoe")
    assert reply is not None and reply["show_alert"] and "You are not in this game" in said(reply)
    front = str(Pressed("panel", camp.game_id, "front"))
    assert said(await camp.press_data("Zoe", front, message=aside())) == "This is not your game."
    elsewhere = aside() | {"chat": {"id": GROUP - 1, "type": "supergroup", "title": "Elsewhere"}}
    assert said(await camp.press_data("Ann", front, message=elsewhere)) == ""
    assert said(await camp.press_data("Ann", str(Pressed("panel", 10**6, "front")), message=aside())) == ""
    assert camp.far_end.said == []


async def test_a_panel_that_was_open_when_the_group_became_a_supergroup_is_answered_by_an_alert(camp: Camp) -> None:
    await a_game(camp)
    await seen_once(camp)
    await my_hand(camp, "Ann")
    before = await camp.everything()
    of_before = {"chat": {"id": GROUP, "type": "group", "title": "The camp"}}
    await camp.store.migrate(GROUP, GROUP - 7)
    camp.place = (GROUP - 7, 0)
    camp.far_end.said.clear()
    table, card, board = "p.{}.0.table.0", "p.{}.0.card.0", "b.{}.0.hand.0"
    for data in (table, card, board):
        reply = await camp.press_data("Ann", data.format(camp.game_id), message=aside() | of_before)
        assert reply is not None and reply["show_alert"] and "Human · " in said(reply)
    assert camp.far_end.said == [] and (await camp.everything())["game"].memo == before["game"].memo | {"was": [GROUP]}
    assert "show_alert" not in (await my_hand(camp, "Ann") or {}), "and there it opens"
    assert camp.far_end.said[-1][1]["chat_id"] == GROUP - 7


async def test_in_a_forum_the_panel_comes_to_the_topic_of_the_game(camp: Camp) -> None:
    camp.place = (GROUP, 44)
    await a_game(camp)
    await my_hand(camp, "Ann")
    assert camp.far_end.said[0][1]["message_thread_id"] == 44


# --- the command ---


def ephemeral_command(number: int = 801) -> Data:
    return {"message_id": 0, "ephemeral_message_id": number, "receiver_user": BOT}


async def test_an_ephemeral_command_is_answered_with_an_ephemeral_message(camp: Camp) -> None:
    await a_game(camp)
    await seen_once(camp)
    assert await camp.write("Ann", "/hand", **ephemeral_command()) is None
    ((method, call),) = camp.far_end.said
    assert method == "sendMessage" and call["reply_parameters"] == {"ephemeral_message_id": 801}
    assert call["ephemeral_message_parameters"] == {"receiver_user_id": camp.person("Ann")["id"]}
    assert "Your turn" in plain(call["text"])


async def test_what_all_may_know_answers_an_ephemeral_command_aside_too(camp: Camp) -> None:
    await a_game(camp)
    reply = await camp.write("Zoe", "/hand", **ephemeral_command())
    assert reply is not None and "You are not in this game" in reply["text"]
    assert reply["ephemeral_message_parameters"] == {"receiver_user_id": camp.person("Zoe")["id"]}
    assert reply["reply_parameters"] == {"ephemeral_message_id": 801}


async def test_where_it_fails_the_panel_comes_to_the_private_chat(camp: Camp) -> None:
    await a_game(camp, private_chats=True, ephemeral="refused")
    before = (await camp.hand_row("Ann")).post
    assert await camp.write("Ann", "/hand", **ephemeral_command()) is None
    assert (await camp.hand_row("Ann")).post == before + 1


async def test_and_without_a_private_chat_a_line_says_where_the_hand_is(camp: Camp) -> None:
    await a_game(camp, ephemeral="refused")
    reply = await camp.write("Ann", "/hand", **ephemeral_command())
    assert reply is not None and "your hand waits in the private chat" in plain(reply["text"])


async def test_an_ordinary_command_of_an_old_app_is_answered_as_before(camp: Camp) -> None:
    await a_game(camp, private_chats=True)
    before = (await camp.hand_row("Ann")).post
    assert await camp.write("Ann", "/hand") is None
    assert (await camp.hand_row("Ann")).post == before + 1 and camp.far_end.said == []


# --- the roads are remembered ---


async def test_what_was_refused_for_good_is_tried_again_after_an_hour(camp: Camp) -> None:
    await a_game(camp, ephemeral="refused")
    await my_hand(camp, "Ann")
    await my_hand(camp, "Ann")
    assert len(camp.far_end.said) == 1 and await road_of(camp, "Ann") == "alert"
    camp.far_end.ephemeral = "shown"
    await camp.forward(59 * 60)
    await my_hand(camp, "Ann")
    assert len(camp.far_end.said) == 1
    await camp.forward(2 * 60)
    await my_hand(camp, "Ann")
    assert len(camp.far_end.said) > 1 and await road_of(camp, "Ann") == "ephemeral"


@pytest.mark.parametrize("refused", [(400, "Bad Request: EPHEMERAL_SOMETHING"), (403, "Forbidden: for some reason")])
async def test_a_road_that_has_worked_is_not_given_up_for_one_refusal(camp: Camp, refused: tuple[int, str]) -> None:
    """Else somebody without a private chat would have to press Start to answer."""
    await a_game(camp)
    await my_hand(camp, "Ann")
    camp.far_end.troubles.append(refusal(*refused))
    assert (await my_hand(camp, "Ann") or {})["show_alert"]
    await tap(camp, "Ann", "Table")
    method, call = camp.far_end.said[-1]
    assert method == "editEphemeralMessageText" and "The camp, turn" in plain(call["text"])
    assert await road_of(camp, "Ann") == "ephemeral"


async def test_the_private_chat_is_the_road_of_who_has_one(camp: Camp) -> None:
    await a_game(camp, private_chats=True, ephemeral="refused")
    await my_hand(camp, "Ann")
    assert await road_of(camp, "Ann") == "private"


async def test_when_the_bot_gets_other_rights_every_road_may_be_tried(camp: Camp) -> None:
    await a_game(camp, ephemeral="refused")
    await my_hand(camp, "Ann")
    await camp.take(
        my_chat_member={
            "chat": {"id": GROUP, "type": "supergroup", "title": "The camp"},
            "from": camp.person("Ann"),
            "date": 1_790_000_000,
            "old_chat_member": {"user": BOT, "status": "member"},
            "new_chat_member": {"user": BOT, "status": "administrator"} | ADMINISTERS,
        }
    )
    assert await road_of(camp, "Ann") is None
    camp.far_end.ephemeral = "shown"
    await my_hand(camp, "Ann")
    assert await road_of(camp, "Ann") == "ephemeral"


async def test_a_road_that_is_known_to_work_is_not_written_again(camp: Camp) -> None:
    await a_game(camp)
    await my_hand(camp, "Ann")
    before = (await camp.store.roads_from(GROUP))[camp.person("Ann")["id"]]
    await camp.forward(60)
    await my_hand(camp, "Ann")
    assert (await camp.store.roads_from(GROUP))[camp.person("Ann")["id"]] == before


async def test_who_asks_again_at_once_did_not_see_it_and_gets_the_alert_too(camp: Camp) -> None:
    await a_game(camp)
    await seen_once(camp)
    assert "show_alert" not in (await my_hand(camp, "Ann") or {})
    reply = await my_hand(camp, "Ann")
    assert reply is not None and reply["show_alert"] and "Flamethrower" in said(reply)
    assert len(camp.far_end.said) == 2, "and the panel once more"
    await tap(camp, "Ann", "Table")
    assert "show_alert" not in (await my_hand(camp, "Ann") or {}), "a press on it says that it was seen"


async def test_who_has_never_pressed_anything_on_one_may_have_an_app_that_shows_none(camp: Camp) -> None:
    await a_game(camp)
    await seen_once(camp)
    soon = private.UNSEEN.total_seconds() + 5
    alerts = []
    for later in (0.0, soon, private.NEVER_SEEN.total_seconds() + 5):
        await camp.forward(later)
        alerts.append((await my_hand(camp, "Ann") or {}).get("show_alert", False))
    assert alerts == [False, True, False]
    await tap(camp, "Ann", "Table")
    await my_hand(camp, "Ann")
    await camp.forward(soon)
    assert "show_alert" not in (await my_hand(camp, "Ann") or {}), "this app shows them"


async def test_the_hands_of_two_games_in_two_topics_are_two_messages(camp: Camp) -> None:
    await a_game(camp)
    await seen_once(camp)
    here = data_of(await camp.screen("board"), BOARD)
    camp.place = (GROUP, 44)
    await a_game(camp)
    there = data_of(await camp.screen("board"), BOARD)
    for data in (here, there):
        reply = await camp.press_data("Ann", data)
        assert "show_alert" not in (reply or {})


async def test_who_asks_for_something_else_may_well_have_seen_it_and_gets_no_alert(camp: Camp) -> None:
    await a_game(camp)
    await seen_once(camp)
    assert "show_alert" not in (await my_hand(camp, "Ann") or {})
    reply = await camp.press_data("Ann", data_of(await camp.screen("board"), "🗣 Say something"))
    assert reply is not None and "show_alert" not in reply
    _, (_, shown) = camp.far_end.said
    assert "Say something to all" in shown["text"]


async def test_a_group_that_is_told_to_wait_is_left_alone_until_then(camp: Camp) -> None:
    await a_game(camp)
    await seen_once(camp)
    camp.far_end.troubles.append(refusal(429, "Too Many Requests: retry after 30", retry_after=30))
    assert (await my_hand(camp, "Ann") or {})["show_alert"]
    assert (await my_hand(camp, "Ann") or {})["show_alert"]
    assert len(camp.far_end.said) == 1, "nothing is said there meanwhile"
    await camp.forward(31)
    assert "show_alert" not in (await my_hand(camp, "Ann") or {})


async def test_where_telegram_counts_them_a_busy_group_gets_alerts(camp: Camp) -> None:
    await a_game(camp)
    await seen_once(camp)
    camp.far_end.troubles.append(refusal(429, "Too Many Requests: retry after 1", retry_after=1))
    await my_hand(camp, "Ann")
    await camp.forward(2)
    replies = [await go(camp, "a press on the panel") for _ in range(private.BUSY + 2)]
    assert "show_alert" not in (replies[0] or {}) and (replies[-1] or {})["show_alert"]
    assert len(camp.far_end.said) <= private.BUSY + 1


# --- whatever Telegram answers ---

DESCRIPTIONS = [
    # field/telegram.md 4.4, with what a gateway says
    (400, "Bad Request: message is not modified: specified new message content and reply markup are exactly the same"),
    (400, "Bad Request: message to edit not found"),
    (400, "Bad Request: message can't be edited"),
    (400, "Bad Request: there is no text in the message to edit"),
    (400, "Bad Request: message to delete not found"),
    (400, "Bad Request: message to be replied not found"),
    (400, "Bad Request: query is too old and response timeout expired or query ID is invalid"),
    (400, "Bad Request: chat not found"),
    (400, "Bad Request: chat_id is empty"),
    (400, "Bad Request: private chat not found"),
    (400, "Bad Request: message text is empty"),
    (400, "Bad Request: message is too long"),
    (400, "Bad Request: message caption is too long"),
    (400, "Bad Request: can't parse entities: Unsupported start tag \"x\" at byte offset 3"),
    (400, "Bad Request: BUTTON_DATA_INVALID"),
    (400, "Bad Request: reply markup is too long"),
    (400, "Bad Request: message thread not found"),
    (400, "Bad Request: TOPIC_CLOSED"),
    (400, "Bad Request: not enough rights to send text messages to the chat"),
    (400, "Bad Request: CHAT_WRITE_FORBIDDEN"),
    (400, "Bad Request: BOT_NOT_ADMIN"),
    (400, "Bad Request: MEDIA_CAPTION_TOO_LONG"),
    (400, "Bad Request: PARTICIPANT_ID_INVALID"),
    (400, "Bad Request: USER_ID_INVALID"),
    (400, "Bad Request: user not found"),
    (401, "Unauthorized"),
    (403, "Forbidden: bot was blocked by the user"),
    (403, "Forbidden: bot can't initiate conversation with a user"),
    (403, "Forbidden: user is deactivated"),
    (403, "Forbidden: bot was kicked from the supergroup chat"),
    (403, "Forbidden: bot is not a member of the supergroup chat"),
    (404, "Not Found"),
    (404, "Not Found: method not found"),
    (409, "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"),
    (500, "Internal Server Error: restart"),
]
TROUBLES: dict[str, Exception | tuple[int, bytes]] = {
    **{description: refusal(code, description) for code, description in DESCRIPTIONS},
    "flood": refusal(429, "Too Many Requests: retry after 5", retry_after=5),
    "migrated": refusal(
        400, "Bad Request: group chat was upgraded to a supergroup chat", migrate_to_chat_id=GROUP - 7
    ),
    "a gateway's page": (502, b"<html>502 Bad Gateway</html>"),
    "another gateway's page": (504, b"<html>504 Gateway Time-out</html>"),
    "not even JSON": (200, b"hello"),
    "reset before": NotSent("no connection"),
    "reset after": MaybeSent("the connection broke"),
    "time-out": TimedOut(),
    "no network": NetworkError("down"),
    "of nobody's making": RuntimeError("?"),
}
ROADS = ("the first message", "a press on the board", "a press on the panel", "an ephemeral command", "a command")
SECRET = re.compile("|".join([*map(re.escape, core.CARDS), "You are", "Human", "Infected"]))


def is_public(method: str, call: Data) -> bool:
    """Whether a call shows something to the whole group."""
    if method.startswith(("editEphemeral", "deleteEphemeral", "answerCallbackQuery", "deleteMessage")):
        return False
    return int(call["chat_id"]) < 0 and "ephemeral_message_parameters" not in call


async def go(camp: Camp, road: str, who: str = "Ann") -> Reply:
    """Ask for a hand by one of the roads."""
    match road:
        case "a press on the board" | "the first message":
            return await my_hand(camp, who)
        case "a press on the panel":
            return await camp.press_data(who, str(Pressed("panel", camp.game_id, "know")), message=aside())
        case "an ephemeral command":
            return await camp.write(who, "/hand", **ephemeral_command())
        case _:
            return await camp.write(who, "/hand")


async def assert_nothing_private_is_public(camp: Camp, replies: list[Reply]) -> None:
    for method, call in [*camp.far_end.said, *((reply["method"], reply) for reply in replies if reply is not None)]:
        if is_public(method, call):
            assert not SECRET.search(plain(call["text"])), call
    for (_, receiver), row in (await camp.rows()).items():
        assert row.chat_id == (receiver or GROUP)
        if receiver == 0 and not row.kind.startswith("turn"):
            assert not re.search("|".join(map(re.escape, HANDS["Ann"])), plain(row.wanted.text)), row


async def forget_roads(camp: Camp) -> None:
    """As if a day had passed, but that no deadline has."""
    async with camp.store.engine.begin() as connection:
        for table in ("roads", "limits"):
            await connection.execute(text(f"delete from {table}"))


@pytest.mark.parametrize("trouble", TROUBLES)
async def test_no_road_and_no_error_makes_a_hand_public(camp: Camp, trouble: str) -> None:
    await a_game(camp)
    for road in ROADS:
        camp.far_end.troubles.append(TROUBLES[trouble])
        replies = [await go(camp, road)]
        is_gone = "method" not in trouble and re.search("not found|can't be edited|MESSAGE_ID_INVALID", trouble)
        if road == "a press on the panel" and is_gone:
            assert not (replies[0] or {}).get("show_alert"), "a panel that is gone is opened anew"
        elif ("message" in road or "press" in road) and "not modified" not in trouble:
            assert (replies[0] or {}).get("show_alert"), "the alert is the last road"
            assert "Flamethrower" in said(replies[0])
        replies.append(await go(camp, road))
        assert len(camp.far_end.said) <= (3 if road == "the first message" or is_gone else 2)
        await assert_nothing_private_is_public(camp, replies)
        camp.far_end.troubles.clear()
        await forget_roads(camp)
        await go(camp, "a press on the panel", "Dan")
        await seen_once(camp)


@pytest.mark.parametrize("road", ROADS)
async def test_nor_does_a_server_that_knows_no_ephemeral_messages(camp: Camp, road: str) -> None:
    await a_game(camp, ephemeral="unknown")
    replies = [await go(camp, road), await go(camp, road)]
    sent = [call for method, call in camp.far_end.said if method == "sendMessage"]
    assert len(sent) <= 1 and not any(SECRET.search(plain(call["text"])) for call in sent), "a harmless line, and once"
    if sent:
        assert camp.far_end.said[-1][0] == "deleteMessage" and camp.far_end.said[-1][1]["message_id"] == 77
    camp.far_end.said = [one for one in camp.far_end.said if one[0] != "sendMessage"]
    await assert_nothing_private_is_public(camp, replies)


async def test_a_server_that_knows_none_is_not_asked_again_for_everybody(camp: Camp) -> None:
    """Each try is a line for all to see, if only for a moment."""
    await a_game(camp, ephemeral="unknown")
    for who in FOUR:
        assert (await my_hand(camp, who) or {})["show_alert"]
    assert [method for method, _ in camp.far_end.said] == ["sendMessage", "deleteMessage"]
    assert await road_of(camp, "Ann") == "alert"


async def test_an_answer_that_never_comes_is_not_waited_for(camp: Camp, monkeypatch: pytest.MonkeyPatch) -> None:
    await a_game(camp)
    await seen_once(camp)
    monkeypatch.setattr(private, "PATIENCE", 0.05)

    async def hang(*_: object, **__: object) -> tuple[int, bytes]:
        await asyncio.Event().wait()
        raise AssertionError

    monkeypatch.setattr(camp.far_end, "do_request", hang)
    reply = await my_hand(camp, "Ann")
    assert reply is not None and reply["show_alert"] and "Flamethrower" in said(reply)
    assert await road_of(camp, "Ann") is None, "a slow Telegram is no refusal"


async def test_a_call_for_nobody_cannot_be_made(camp: Camp) -> None:
    page = Wanted(text="You are The Thing.")
    shown = (private.Press(GROUP, 0, "1"), private.Command(GROUP, 0, 2), private.Shown(GROUP, 3))
    for road in (private.Chat(), private.Box("4"), *shown):
        with pytest.raises(ValueError):
            private.call(GROUP, page, road)
        made = private.call(7, page, road)
        assert not is_public(made["method"], made)
    await a_game(camp)
    async with camp.store.press(update_id=None, find=ByGame(camp.game_id)) as unit:
        with pytest.raises(ValueError):
            private.place(unit, GROUP, page)


async def test_the_database_takes_no_private_text_for_a_group(camp: Camp) -> None:
    await a_game(camp, private_chats=True)
    with pytest.raises(Exception, match="private_text_stays_private"):
        async with camp.store.engine.begin() as connection:
            await connection.execute(text("update screens set chat_id = :group where receiver <> 0"), {"group": GROUP})


def test_nobody_else_makes_such_calls() -> None:
    folder = Path(private.__file__).parent
    for file in folder.rglob("*.py"):
        code = re.sub(r"#.*", "", file.read_text(encoding="utf-8"))
        found = re.findall(r"show_alert|ephemeral_message_parameters|\w*EphemeralMessage\w*|receiver_user_id", code)
        assert file.name == "private.py" or not found, f"{file.name} makes private calls: {found}"
        # A screen with a receiver is a private text: private.py alone places one.
        placed = re.findall(r"unit\.(?:show|post_anew)\([^)]*receiver|PANEL\b.*(?:show|post_anew)\(", code)
        assert file.name == "private.py" or not placed, f"{file.name} places private screens"


# --- how long it is ---

LONG_NAMES = {
    "letters": lambda n: f"{'W' * 20} {n:02}",
    "marks": lambda n: "".join(f"{letter}\u0301\u0308" for letter in "abcdefghijklmnopqrst") + f"{n:02}",
    "families": lambda n: "👨‍👩‍👧‍👦" * 5 + str(n),
}


@pytest.mark.parametrize("kind", LONG_NAMES)
async def test_every_page_fits_an_edit_of_an_ephemeral_message(camp: Camp, kind: str) -> None:
    """Twelve players of the longest names, all known to The Thing, a long log, a group of a long name."""
    await camp.begin(*(f"P{n}" for n in range(12)), private=False)
    game = await camp.game()
    called = names.tell_apart([LONG_NAMES[kind](n) for n in range(12)])
    roster = tuple(replace(row, name=name) for row, name in zip(game.roster, called, strict=True))
    longest = 0
    for step in evening(roster):
        for row in roster:
            if row.seat not in step.table.seats:
                continue
            async with camp.store.press(update_id=None, find=ByGame(camp.game_id)) as unit:
                assert unit.game is not None and unit.chat is not None
                unit.chat = replace(unit.chat, title="G" * 128)
                unit.game = replace(unit.game, roster=roster)
                desk = show.desk(unit, row, step)
                log = [(step.table.turn, event) for event in step.earlier] * 8
                pages = [panel.front(desk), panel.table_page(desk, core.view(step, None)), panel.know_page(desk, log)]
                if desk.view.ask is not None and desk.view.ask.about == core.STEP_TWO:
                    pages += [panel.card_page(desk, card) for card in panel.hand_cards(desk.view)]
                unit.game = game
            for page in pages:
                longest = max(longest, private.length(page.text))
                assert private.length(page.text) < 1024, plain(page.text)
    assert longest > 300


def evening(roster: tuple[SeatRow, ...]) -> Any:
    """Some moments of a game of these seats."""
    dice = Random(12)
    step = core.new_game([row.seat for row in roster], core.read_options({}, len(roster)), "seed")
    for number in itertools.count():
        if step.outcome is not None or number > 120:
            return
        if number % 12 == 0:
            yield step
        seat = dice.choice(sorted(step.asks))
        step = core.apply(step.game, seat, dice.choice(step.asks[seat].choices))


def test_length_counts_what_a_reader_sees_as_telegram_counts_places() -> None:
    assert private.length("<b>a</b> &amp; 👍") == 6
