"""Ephemeral messages: seen by one member of a group, not durable, and easily leaked (field/telegram.md 1.5)."""

import pytest

KEYS = {"inline_keyboard": [[{"text": "Axe", "callback_data": "axe"}]]}


async def board(far, **more):
    ann, bob = await far.person("Ann"), await far.person("Bob")
    group = await far.group(ann, bob, **more)
    sent = await far.call(
        "sendMessage",
        chat_id=group,
        text="board",
        reply_markup={"inline_keyboard": [[{"text": "My hand", "callback_data": "hand"}]]},
    )
    await far.updates()
    return ann, bob, group, sent["message_id"]


async def press(far, who, group, **more):
    return (await far.post("press", as_=who, chat=group, wait=0, **{"text": "My hand", **more}))["query"]


async def texts(far, group, who):
    return [m["text"] for m in await far.seen(group, who)]


async def test_one_member_sees_it_and_nobody_else(far):
    ann, bob, group, _ = await board(far)
    sent = await far.call(
        "sendMessage",
        chat_id=group,
        text="your hand",
        reply_markup=KEYS,
        ephemeral_message_parameters={"receiver_user_id": ann, "callback_query_id": await press(far, ann, group)},
    )
    assert (sent["message_id"], sent["receiver_user"]["id"]) == (0, ann) and sent["ephemeral_message_id"]
    assert await texts(far, group, ann) == ["board", "your hand"]
    assert await texts(far, group, bob) == ["board"]
    assert (await far.get("rings"))["rings"] == []
    assert (await far.control("press", as_=bob, chat=group, ephemeral=sent["ephemeral_message_id"], text="Axe"))[
        0
    ] == 404


async def test_its_buttons_and_edits(far):
    ann, _, group, _ = await board(far)
    sent = await far.call(
        "sendMessage",
        chat_id=group,
        text="hand",
        reply_markup=KEYS,
        ephemeral_message_parameters={"receiver_user_id": ann, "callback_query_id": await press(far, ann, group)},
    )
    await far.updates()
    await press(far, ann, group, text="Axe")
    (update,) = await far.updates()
    message = update["callback_query"]["message"]
    assert (message["message_id"], message["ephemeral_message_id"]) == (0, sent["ephemeral_message_id"])
    it = {"chat_id": group, "receiver_user_id": ann, "ephemeral_message_id": sent["ephemeral_message_id"]}
    assert await far.call("editEphemeralMessageText", **it, text="new", reply_markup=KEYS) is True
    assert "not modified" in await far.refused("editEphemeralMessageText", **it, text="new", reply_markup=KEYS)
    assert await far.call("editEphemeralMessageReplyMarkup", **it) is True
    assert (await far.seen(group, ann))[-1]["text"] == "new" and (await far.seen(group, ann))[-1]["buttons"] == []
    assert await far.refused("editEphemeralMessageText", **it, text="x" * 1025) == "Bad Request: MEDIA_CAPTION_TOO_LONG"
    assert await far.refused("deleteMessage", chat_id=group, message_id=sent["ephemeral_message_id"]) == (
        "Bad Request: message to delete not found"
    )
    assert await far.call("deleteEphemeralMessage", **it) is True
    assert await texts(far, group, ann) == ["board"]
    assert await far.refused("editEphemeralMessageText", **it, text="x") == "Bad Request: message to edit not found"
    assert await far.refused("deleteEphemeralMessage", **it) == "Bad Request: message to delete not found"


async def test_only_within_fifteen_seconds_and_before_the_answer(far):
    ann, bob, group, _ = await board(far)
    late = "Bad Request: query is too old and response timeout expired or query ID is invalid"

    async def refused(query, who=ann):
        return await far.refused(
            "sendMessage",
            chat_id=group,
            text="x",
            ephemeral_message_parameters={"receiver_user_id": who, "callback_query_id": query},
        )

    query = await press(far, ann, group)
    assert await refused(query, bob) == "Bad Request: USER_ID_INVALID"
    await far.call("answerCallbackQuery", callback_query_id=query)
    assert await refused(query) == late
    query = await press(far, ann, group)
    await far.post("clock", forward=16)
    assert await refused(query) == late
    assert await texts(far, group, ann) == ["board"]


async def test_an_administrator_needs_no_press(far):
    ann, _, group, _ = await board(far)
    unasked = {"chat_id": group, "text": "psst", "ephemeral_message_parameters": {"receiver_user_id": ann}}
    assert await far.refused("sendMessage", **unasked) == "Bad Request: BOT_NOT_ADMIN"
    await far.post(f"groups/{group}/promote", person="bot")
    assert (await far.call("sendMessage", **unasked))["message_id"] == 0
    eve = await far.person("Eve")
    unasked["ephemeral_message_parameters"] = {"receiver_user_id": eve}
    assert await far.refused("sendMessage", **unasked) == "Bad Request: PARTICIPANT_ID_INVALID"


async def test_not_in_a_private_chat(far):
    ann = await far.person(start=True)
    assert await far.refused(
        "sendMessage", chat_id=ann, text="x", ephemeral_message_parameters={"receiver_user_id": ann}
    ) == ("Bad Request: BOT_NOT_ADMIN")


@pytest.mark.parametrize("how", ["offline", "lost"])
async def test_it_may_not_arrive_and_the_bot_does_not_know(far, how):
    ann, _, group, _ = await board(far)
    if how == "offline":
        await far.post(f"people/{ann}", offline=True)
    else:
        await far.post("faults", kind="lost_ephemeral", person=ann)
    sent = await far.call(
        "sendMessage",
        chat_id=group,
        text="hand",
        ephemeral_message_parameters={"receiver_user_id": ann, "callback_query_id": await press(far, ann, group)},
    )
    assert sent["ephemeral_message_id"]
    assert await texts(far, group, ann) == ["board"]


async def test_it_is_gone_when_the_app_restarts(far):
    ann, _, group, _ = await board(far, bot="admin")
    sent = await far.call(
        "sendMessage", chat_id=group, text="hand", ephemeral_message_parameters={"receiver_user_id": ann}
    )
    assert await texts(far, group, ann) == ["board", "hand"]
    assert (await far.post(f"people/{ann}/restart"))["forgotten"] == 1
    assert await texts(far, group, ann) == ["board"]
    assert (
        await far.call(
            "editEphemeralMessageText",
            chat_id=group,
            receiver_user_id=ann,
            text="still true",
            ephemeral_message_id=sent["ephemeral_message_id"],
        )
        is True
    )
    assert await texts(far, group, ann) == ["board"]


async def test_it_can_stand_in_place_of_the_public_message(far):
    ann, bob, group, _ = await board(far)
    await far.call("sendMessage", chat_id=group, text="after")
    await far.call(
        "sendMessage",
        chat_id=group,
        text="hand",
        ephemeral_message_parameters={
            "receiver_user_id": ann,
            "callback_query_id": await press(far, ann, group),
            "replace_callback_query_message": True,
        },
    )
    assert await texts(far, group, ann) == ["hand", "after"]
    assert await texts(far, group, bob) == ["board", "after"]


async def test_an_ephemeral_command_is_seen_by_the_bot_alone(far):
    ann, bob, group, _ = await board(far)
    await far.call("setMyCommands", commands=[{"command": "hand", "description": "h", "is_ephemeral": True}])
    await far.post("write", as_=ann, chat=group, text="/hand")
    (update,) = await far.updates()
    command = update["message"]
    assert (command["message_id"], command["from"]["id"], command["receiver_user"]["id"]) == (
        0,
        ann,
        far.playground.bot.id,
    )
    assert await texts(far, group, bob) == ["board"]
    assert await texts(far, group, ann) == ["board", "/hand"]
    answer = {
        "chat_id": group,
        "text": "your hand",
        "reply_parameters": {"ephemeral_message_id": command["ephemeral_message_id"]},
    }
    assert (await far.call("sendMessage", **answer, ephemeral_message_parameters={"receiver_user_id": ann}))[
        "message_id"
    ] == 0
    assert await texts(far, group, bob) == ["board"]
    await far.post("clock", forward=16)
    assert await far.refused("sendMessage", **answer, ephemeral_message_parameters={"receiver_user_id": ann}) == (
        "Bad Request: message to be replied not found"
    )
    assert await far.refused("sendMessage", **answer) == "Bad Request: message to be replied not found"


async def test_a_careless_answer_to_an_ephemeral_command_is_public(far):
    ann, bob, group, _ = await board(far)
    await far.call("setMyCommands", commands=[{"command": "hand", "description": "h", "is_ephemeral": True}])
    await far.post("write", as_=ann, chat=group, text="/hand")
    # What python-telegram-bot's reply_text sends: field/telegram.md 0.3.
    await far.call("sendMessage", chat_id=group, text="your secret", reply_parameters={"message_id": 0})
    assert await texts(far, group, bob) == ["board", "your secret"]
