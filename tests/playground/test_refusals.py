"""What Telegram refuses, in Telegram's words: field/telegram.md 4.4, row by row."""

import pytest


async def keyboard_refused(far, button=None, markup=None):
    ann = await far.person(start=True)
    far.playground.check = None  # these calls are wrong on purpose
    return await far.refused(
        "sendMessage",
        chat_id=ann,
        text="x",
        reply_markup=markup if markup is not None else {"inline_keyboard": [[button]]},
    )


@pytest.mark.parametrize(
    ("button", "why"),
    [
        ({"text": "a", "callback_data": "x" * 65}, "BUTTON_DATA_INVALID"),
        ({"text": "a", "callback_data": "ж" * 33}, "BUTTON_DATA_INVALID"),  # 66 bytes
        ({"text": "a", "callback_data": ""}, "BUTTON_DATA_INVALID"),
        ({"text": "a", "url": "no link"}, "BUTTON_URL_INVALID"),
        ({"text": "a", "copy_text": {"text": "x" * 257}}, "BUTTON_COPY_TEXT_INVALID"),
        ({"text": "a"}, "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard"),
        ({"text": "", "callback_data": "x"}, "inline keyboard button text must be non-empty"),
    ],
)
async def test_a_wrong_button_is_refused(far, button, why):
    assert await keyboard_refused(far, button) == f"Bad Request: {why}"


@pytest.mark.parametrize(
    ("markup", "why"),
    [
        ("{no json", "can't parse reply keyboard markup JSON object"),
        ("[]", "object expected as reply markup"),
        ({"inline_keyboard": [[{"text": "a", "callback_data": "b"}] * 9]}, "reply markup is too long"),
        ({"inline_keyboard": [[{"text": "a", "callback_data": "b"}]] * 101}, "reply markup is too long"),
    ],
)
async def test_a_wrong_keyboard_is_refused(far, markup, why):
    assert await keyboard_refused(far, markup=markup) == f"Bad Request: {why}"


async def test_a_button_may_hold_64_bytes(far):
    ann = await far.person(start=True)
    for data in ("x" * 64, "ж" * 32):
        await far.call(
            "sendMessage",
            chat_id=ann,
            text="x",
            reply_markup={"inline_keyboard": [[{"text": "a", "callback_data": data}]]},
        )


async def test_texts(far):
    ann = await far.person(start=True)
    assert await far.refused("sendMessage", chat_id=ann, text="") == "Bad Request: message text is empty"
    assert await far.refused("sendMessage", chat_id=ann, text="x" * 4097) == "Bad Request: message is too long"
    assert "can't parse entities: " in await far.refused("sendMessage", chat_id=ann, text="<b>", parse_mode="HTML")
    assert (
        await far.refused("sendMessage", chat_id=ann, text="x", parse_mode="BBCode")
        == "Bad Request: unsupported parse_mode"
    )


async def test_chats_nobody_knows(far):
    assert await far.refused("sendMessage", chat_id=4711, text="x") == "Bad Request: chat not found"
    assert await far.refused("sendMessage", chat_id=-4711, text="x") == "Bad Request: chat not found"
    assert await far.refused("sendMessage", chat_id="@nobody", text="x") == "Bad Request: chat not found"
    assert await far.refused("sendMessage", chat_id="", text="x") == "Bad Request: chat_id is empty"


async def test_who_never_started_cannot_be_written_to(far):
    ann = await far.person()
    assert (
        await far.refused("sendMessage", chat_id=ann, text="x")
        == "Forbidden: bot can't initiate conversation with a user"
    )
    await far.post(f"people/{ann}/start")
    assert await far.call("sendMessage", chat_id=ann, text="x")


async def test_who_blocked_the_bot_cannot_be_written_to(far):
    ann = await far.person(start=True)
    await far.post(f"people/{ann}/block")
    assert await far.refused("sendMessage", chat_id=ann, text="x") == "Forbidden: bot was blocked by the user"
    await far.post(f"people/{ann}/unblock")
    assert await far.call("sendMessage", chat_id=ann, text="x")


async def test_who_is_gone_cannot_be_written_to(far):
    ann = await far.person(start=True)
    await far.post(f"people/{ann}/delete")
    assert await far.refused("sendMessage", chat_id=ann, text="x") == "Forbidden: user is deactivated"


async def test_a_bot_writes_to_no_bot(far):
    assert "can't send messages to" in await far.refused("sendMessage", chat_id=far.playground.bot.id, text="x")


@pytest.mark.parametrize("kind", ["group", "supergroup"])
async def test_a_bot_that_was_put_out(far, kind):
    ann = await far.person()
    group = await far.group(ann, kind=kind)
    sent = await far.call("sendMessage", chat_id=group, text="x")
    await far.post(f"groups/{group}/remove", person="bot")
    for method, more in (
        ("sendMessage", {"text": "x"}),
        ("editMessageText", {"message_id": sent["message_id"], "text": "y"}),
        ("getChat", {}),
        ("pinChatMessage", {"message_id": 1}),
    ):
        assert await far.refused(method, chat_id=group, **more) == f"Forbidden: bot was kicked from the {kind} chat"
    await far.post(f"groups/{group}/add", person="bot")
    assert await far.call("sendMessage", chat_id=group, text="x")
    await far.call("leaveChat", chat_id=group)
    assert (
        await far.refused("sendMessage", chat_id=group, text="x")
        == f"Forbidden: bot is not a member of the {kind} chat"
    )


async def test_a_bot_without_the_right_to_write(far):
    ann = await far.person()
    group = await far.group(ann, kind="supergroup")
    sent = await far.call("sendMessage", chat_id=group, text="x")
    await far.post(f"groups/{group}/restrict", person="bot")
    assert (
        await far.refused("sendMessage", chat_id=group, text="x")
        == "Bad Request: not enough rights to send text messages to the chat"
    )
    assert await far.refused("sendPhoto", chat_id=group, photo="x") != ""
    assert (
        await far.refused("editMessageText", chat_id=group, message_id=sent["message_id"], text="y")
        == "Bad Request: CHAT_WRITE_FORBIDDEN"
    )
    await far.post(f"groups/{group}/demote", person="bot")
    await far.post(f"groups/{group}/permissions", can_send_messages=False)
    assert "not enough rights to send text messages" in await far.refused("sendMessage", chat_id=group, text="x")
    await far.post(f"groups/{group}/promote", person="bot", rights={"can_delete_messages": True})
    assert await far.call("sendMessage", chat_id=group, text="x")


async def test_a_bot_without_the_right_to_pin(far):
    ann = await far.person()
    group = await far.group(ann)
    sent = await far.call("sendMessage", chat_id=group, text="x")
    why = "Bad Request: not enough rights to manage pinned messages in the chat"
    assert await far.refused("pinChatMessage", chat_id=group, message_id=sent["message_id"]) == why
    assert await far.refused("unpinAllChatMessages", chat_id=group) == why
    await far.post(f"groups/{group}/promote", person="bot", rights={"can_pin_messages": False})
    assert await far.refused("pinChatMessage", chat_id=group, message_id=sent["message_id"]) == why
    await far.post(f"groups/{group}/promote", person="bot", rights={"can_pin_messages": True})
    assert await far.call("pinChatMessage", chat_id=group, message_id=sent["message_id"])
    assert await far.refused("pinChatMessage", chat_id=group, message_id=99) == "Bad Request: message to pin not found"


async def test_a_group_that_became_a_supergroup(far):
    ann = await far.person()
    group = await far.group(ann)
    new = (await far.post(f"groups/{group}/upgrade"))["id"]
    status, body = await far.raw("sendMessage", chat_id=group, text="x")
    assert (status, body["description"]) == (400, "Bad Request: group chat was upgraded to a supergroup chat")
    assert body["parameters"] == {"migrate_to_chat_id": new}
    assert await far.call("sendMessage", chat_id=new, text="x")


async def test_members_nobody_knows(far):
    ann = await far.person()
    group = await far.group(ann)
    assert await far.refused("getChatMember", chat_id=group, user_id=4711) == "Bad Request: user not found"
    assert (
        await far.refused("getChatAdministrators", chat_id=ann)
        == "Bad Request: there are no administrators in the private chat"
    )
    assert (await far.call("getChatMember", chat_id=group, user_id=await far.person("Eve")))["status"] == "left"


async def test_tokens_and_paths(far):
    async def what(path):
        async with far.session.get(f"{far.url}/{path}") as answer:
            return answer.status, (await answer.json())["description"]

    assert await what("bot1000:WRONG/getMe") == (401, "Unauthorized")
    assert await what("botnonsense/getMe") == (401, "Unauthorized: invalid token specified")
    assert await what(f"bot{far.token}") == (404, "Not Found")
    far.playground.check = None
    assert await what(f"bot{far.token}/getNothing") == (404, "Not Found: method not found")


async def test_webhooks_that_cannot_be(far):
    for url, why in (
        ("http://example.com/x", "bad webhook: An HTTPS URL must be provided for webhook"),
        ("https://example.com:8081/x", "bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443"),
        ("ftp://example.com", "invalid webhook URL specified"),
        ("https://", "invalid webhook URL specified"),
    ):
        assert await far.refused("setWebhook", url=url) == f"Bad Request: {why}"
    assert await far.refused("setWebhook", url="https://example.com", secret_token="a b") == (
        "Bad Request: secret token contains unallowed characters"
    )
    assert (
        await far.refused("setWebhook", url="https://example.com", secret_token="a" * 257)
        == "Bad Request: secret token is too long"
    )


@pytest.mark.parametrize("kind", ["group", "supergroup"])
async def test_a_group_that_was_deleted(far, kind):
    group = await far.group(await far.person(), kind=kind)
    await far.post(f"groups/{group}/delete")
    assert await far.refused("sendMessage", chat_id=group, text="x") == f"Forbidden: the {kind} chat was deleted"
    assert await far.refused("getChat", chat_id=group) == f"Forbidden: the {kind} chat was deleted"


async def test_what_is_not_there_is_not_copied(far):
    ann = await far.person(start=True)
    to = {"chat_id": ann, "from_chat_id": ann, "message_id": 99}
    assert await far.refused("copyMessage", **to) == "Bad Request: message to copy not found"
    assert await far.refused("forwardMessage", **to) == "Bad Request: message to forward not found"
