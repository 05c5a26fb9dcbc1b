"""Buttons: who may press what, what the bot is told, and what it may answer."""

import asyncio

KEYS = {
    "inline_keyboard": [
        [{"text": "Join", "callback_data": "j"}, {"text": "Leave", "callback_data": "l"}],
        [
            {"text": "Site", "url": "https://t.me/stay_away_bot?start=x"},
            {"text": "Used", "disabled": {}},
            {"text": "Copy", "copy_text": {"text": "abc"}},
        ],
    ]
}


async def board(far):
    ann, bob = await far.person("Ann"), await far.person("Bob")
    group = await far.group(ann, bob)
    sent = await far.call("sendMessage", chat_id=group, text="lobby", reply_markup=KEYS)
    await far.updates()
    return ann, bob, group, sent["message_id"]


async def test_a_press_is_told_and_its_answer_shown(far):
    ann, _, group, message = await board(far)
    press = asyncio.create_task(far.post("press", as_=ann, chat=group, text="Join"))
    (update,) = await far.updates(timeout=5)
    query = update["callback_query"]
    assert (query["data"], query["from"]["id"], query["message"]["message_id"]) == ("j", ann, message)
    assert query["message"]["reply_markup"] == KEYS
    await far.call("answerCallbackQuery", callback_query_id=query["id"], text="You are in.", show_alert=True)
    shown = await press
    assert (shown["answered"], shown["text"], shown["show_alert"]) == (True, "You are in.", True)
    assert (await far.get(f"people/{ann}/alerts"))["alerts"][0]["text"] == "You are in."


async def test_a_press_that_is_not_answered_says_so(far):
    ann, _, group, _ = await board(far)
    assert (await far.post("press", as_=ann, chat=group, data="l", wait=0))["answered"] is False


async def test_only_a_button_that_is_there_can_be_pressed(far):
    ann, _, group, message = await board(far)
    eve = await far.person("Eve")
    assert (await far.control("press", as_=ann, chat=group, text="Nothing"))[0] == 404
    assert (await far.control("press", as_=ann, chat=group, message=99, row=0, col=0))[0] == 404
    assert (await far.control("press", as_=eve, chat=group, text="Join"))[0] == 403
    assert (await far.control("press", as_=ann, chat=group, text="Used"))[0] == 409
    assert (await far.post("press", as_=ann, chat=group, text="Copy"))["copy"] == "abc"
    assert (await far.post("press", as_=ann, chat=group, row=1, col=0))["url"] == "https://t.me/stay_away_bot?start=x"
    await far.call("editMessageReplyMarkup", chat_id=group, message_id=message)
    assert (await far.control("press", as_=ann, chat=group, text="Join"))[0] == 404
    assert await far.updates() == []


async def test_a_stale_or_forged_press_needs_force(far):
    ann, _, group, message = await board(far)
    await far.call("deleteMessage", chat_id=group, message_id=message)
    forged = await far.post("press", as_=ann, chat=group, message=message, data="\x00🧦<", force=True, wait=0)
    (update,) = await far.updates()
    assert update["callback_query"]["message"] == {
        "chat": update["callback_query"]["message"]["chat"],
        "message_id": message,
        "date": 0,
    }
    assert update["callback_query"]["data"] == forged["data"] == "\x00🧦<"


async def test_two_presses_are_two_queries(far):
    ann, bob, group, _ = await board(far)
    for who in (ann, bob, ann):
        await far.post("press", as_=who, chat=group, text="Join", wait=0)
    queries = [u["callback_query"] for u in await far.updates()]
    assert len({q["id"] for q in queries}) == 3 and len({q["chat_instance"] for q in queries}) == 1


async def test_a_query_grows_old(far):
    ann, _, group, _ = await board(far)
    query = (await far.post("press", as_=ann, chat=group, text="Join", wait=0))["query"]
    await far.post("clock", forward=31)
    old = "Bad Request: query is too old and response timeout expired or query ID is invalid"
    assert await far.refused("answerCallbackQuery", callback_query_id=query) == old
    assert await far.refused("answerCallbackQuery", callback_query_id="123") == old


async def test_an_answer_has_200_letters_and_only_our_links(far):
    ann, _, group, _ = await board(far)
    query = (await far.post("press", as_=ann, chat=group, text="Join", wait=0))["query"]
    assert (
        await far.refused("answerCallbackQuery", callback_query_id=query, text="x" * 201)
        == "Bad Request: MESSAGE_TOO_LONG"
    )
    assert (
        await far.refused("answerCallbackQuery", callback_query_id=query, url="https://example.com")
        == "Bad Request: URL_INVALID"
    )
    assert await far.call("answerCallbackQuery", callback_query_id=query, url="https://t.me/stay_away_bot?start=abc")
    assert (await far.get(f"queries/{query}"))["answer"]["url"] == "https://t.me/stay_away_bot?start=abc"


async def test_a_press_waits_150_seconds_for_the_bot_and_no_longer(far):
    ann, _, group, _ = await board(far)
    await far.post("press", as_=ann, chat=group, text="Join", wait=0)
    await far.post("write", as_=ann, chat=group, text="/x")
    await far.post("clock", forward=151)
    assert [list(u)[1] for u in await far.updates()] == ["message"]
    await far.post("write", as_=ann, chat=group, text="/x")
    await far.post("clock", forward=24 * 3600 + 1)
    assert await far.updates() == []


async def test_a_deep_link_opens_the_private_chat(far):
    ann = await far.person()
    opened = await far.post("open", as_=ann, url="https://t.me/stay_away_bot?start=g_17", start=False)
    assert (opened["opened"], opened["payload"], opened["chat"]["started"]) == ("private", "g_17", False)
    await far.post("open", as_=ann, url="t.me/stay_away_bot?start=g_17")
    (update,) = await far.updates()
    assert update["message"]["text"] == "/start g_17" and update["message"]["chat"]["type"] == "private"
    assert update["message"]["entities"] == [{"type": "bot_command", "offset": 0, "length": 6}]
    assert (await far.post("open", as_=ann, url="https://example.com"))["opened"] == "outside"


async def test_a_startgroup_link_brings_the_bot_into_a_group(far):
    ann = await far.person()
    group = await far.group(ann, bot=False)
    await far.post("open", as_=ann, url="https://t.me/stay_away_bot?startgroup=x1", group=group)
    added, service, started = await far.updates()
    assert added["my_chat_member"]["new_chat_member"]["status"] == "member" and service["message"]["new_chat_members"]
    assert started["message"]["text"] == "/start@stay_away_bot x1"
