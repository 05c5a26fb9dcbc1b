"""Sending, editing, deleting, pinning, and whose phone it rings."""

import pytest

KEYS = {"inline_keyboard": [[{"text": "Join", "callback_data": "j"}]]}


async def camp(far, **more):
    ann, bob = await far.person("Ann", username="ann"), await far.person("Bob")
    return ann, bob, await far.group(ann, bob, **more)


async def rings(far, chat):
    return [(r["person"], r["why"], r["sound"]) for r in (await far.get(f"rings?chat={chat}"))["rings"]]


async def test_a_message_comes_back_as_it_will_be_seen(far):
    ann, _, group = await camp(far)
    sent = await far.call(
        "sendMessage",
        chat_id=group,
        text=f'<b>Hi</b> <a href="tg://user?id={ann}">Ann</a>',
        parse_mode="HTML",
        reply_markup=KEYS,
        protect_content=True,
    )
    assert sent["text"] == "Hi Ann" and sent["has_protected_content"] and sent["reply_markup"] == KEYS
    assert sent["entities"][1]["user"]["id"] == ann
    (seen,) = await far.seen(group, ann)
    assert (
        seen["text"] == "Hi Ann"
        and seen["protected"]
        and seen["buttons"][0][0] == {"text": "Join", "kind": "data", "data": "j"}
    )


@pytest.mark.parametrize("body", ["json", "form", "multipart", "query"])
async def test_a_call_may_come_in_any_encoding(far, body):
    ann = await far.person(start=True)
    url = f"{far.url}/bot{far.token}/SENDmessage"
    params = {
        "chat_id": str(ann),
        "text": "ж & <",
        "reply_markup": '{"inline_keyboard": [[{"text": "a", "callback_data": "b"}]]}',
    }
    if body == "query":
        answer = await far.session.get(url, params=params)
    elif body == "json":
        answer = await far.session.post(url, json=params)
    else:
        import aiohttp

        form = aiohttp.FormData(params, default_to_multipart=body == "multipart")
        answer = await far.session.post(url, data=form)
    result = (await answer.json())["result"]
    assert result["text"] == "ж & <" and result["reply_markup"]["inline_keyboard"][0][0]["callback_data"] == "b"
    call = far.playground.calls[-1]
    assert (call["method"], call["encoding"], call["params"]["text"]) == ("sendMessage", body, "ж & <")


async def test_a_mention_rings(far):
    ann, bob, group = await camp(far)
    await far.call(
        "sendMessage", chat_id=group, text=f'<a href="tg://user?id={bob}">Bob</a>, and @ANN', parse_mode="HTML"
    )
    assert sorted(await rings(far, group)) == sorted([(bob, "mention", True), (ann, "mention", True)])


async def test_an_edit_rings_nobody(far):
    _, bob, group = await camp(far)
    sent = await far.call("sendMessage", chat_id=group, text="Waiting.")
    await far.call(
        "editMessageText",
        chat_id=group,
        message_id=sent["message_id"],
        parse_mode="HTML",
        text=f'Waiting for <a href="tg://user?id={bob}">Bob</a>.',
    )
    assert await rings(far, group) == []


async def test_a_silent_mention_makes_no_sound(far):
    _, bob, group = await camp(far)
    await far.call(
        "sendMessage",
        chat_id=group,
        text=f'<a href="tg://user?id={bob}">Bob</a>',
        parse_mode="HTML",
        disable_notification=True,
    )
    assert await rings(far, group) == [(bob, "mention", False)]


async def test_a_mention_of_who_is_not_in_the_group_rings_nobody(far):
    _, _, group = await camp(far)
    eve = await far.person("Eve")
    await far.call("sendMessage", chat_id=group, text=f'<a href="tg://user?id={eve}">Eve</a>', parse_mode="HTML")
    assert await rings(far, group) == []


async def test_a_group_message_rings_only_who_wants_all(far):
    _, bob, group = await camp(far)
    await far.call("sendMessage", chat_id=group, text="one")
    await far.post(f"groups/{group}/notify", person=bob, what="all")
    await far.call("sendMessage", chat_id=group, text="two")
    assert await rings(far, group) == [(bob, "group", True)]


async def test_a_reply_rings_its_author(far):
    ann, _, group = await camp(far)
    asked = await far.post("write", as_=ann, chat=group, text="/hand")
    await far.call("sendMessage", chat_id=group, text="here", reply_parameters={"message_id": asked["id"]})
    assert await rings(far, group) == [(ann, "reply", True)]


async def test_a_private_message_rings_unless_it_is_silent(far):
    ann = await far.person(start=True)
    await far.call("sendMessage", chat_id=ann, text="x")
    await far.call("sendMessage", chat_id=ann, text="y", disable_notification=True)
    assert await rings(far, ann) == [(ann, "private", True), (ann, "private", False)]


async def test_a_loud_pin_rings_everybody_and_a_silent_one_nobody(far):
    ann, bob, group = await camp(far, bot="admin")
    one = await far.call("sendMessage", chat_id=group, text="one")
    two = await far.call("sendMessage", chat_id=group, text="two")
    await far.call("pinChatMessage", chat_id=group, message_id=one["message_id"], disable_notification=True)
    assert await rings(far, group) == []
    await far.call("pinChatMessage", chat_id=group, message_id=two["message_id"])
    assert sorted(await rings(far, group)) == sorted([(ann, "pin", True), (bob, "pin", True)])
    assert (await far.call("getChat", chat_id=group))["pinned_message"]["text"] == "two"


async def test_pins_come_and_go(far):
    _, _, group = await camp(far, bot="admin")
    ids = [(await far.call("sendMessage", chat_id=group, text=t))["message_id"] for t in "abc"]
    for number in ids:
        await far.call("pinChatMessage", chat_id=group, message_id=number)
    await far.call("unpinChatMessage", chat_id=group)
    await far.call("unpinChatMessage", chat_id=group, message_id=ids[0])
    assert (await far.get(f"chats/{group}"))["pinned"] == [ids[1]]
    await far.call("unpinAllChatMessages", chat_id=group)
    assert (await far.get(f"chats/{group}"))["pinned"] == []
    assert await far.refused("unpinChatMessage", chat_id=group) == "Bad Request: message to unpin not found"


async def test_a_deleted_message_is_unpinned(far):
    _, _, group = await camp(far, bot="admin")
    sent = await far.call("sendMessage", chat_id=group, text="x")
    await far.call("pinChatMessage", chat_id=group, message_id=sent["message_id"])
    await far.call("deleteMessage", chat_id=group, message_id=sent["message_id"])
    assert (await far.get(f"chats/{group}"))["pinned"] == []


async def test_an_edit_without_change_is_refused_whatever_stayed(far):
    ann = await far.person(start=True)
    sent = await far.call("sendMessage", chat_id=ann, text="<b>a</b>b", parse_mode="HTML", reply_markup=KEYS)
    same = {"chat_id": ann, "message_id": sent["message_id"]}
    words = await far.refused("editMessageText", **same, text="<b>a</b>b", parse_mode="HTML", reply_markup=KEYS)
    assert words == (
        "Bad Request: message is not modified: specified new message content and reply markup are exactly the same as "
        "a current content and reply markup of the message"
    )
    assert "not modified" in await far.refused("editMessageReplyMarkup", **same, reply_markup=KEYS)
    assert (await far.call("editMessageText", **same, text="ab", reply_markup=KEYS))["edit_date"]  # the bold went
    assert "reply_markup" not in await far.call("editMessageText", **same, text="ab")  # the keyboard went
    assert "not modified" in await far.refused("editMessageReplyMarkup", **same)


async def test_an_edit_shows_and_counts(far):
    ann = await far.person(start=True)
    sent = await far.call("sendMessage", chat_id=ann, text="1")
    for text in "23":
        await far.call("editMessageText", chat_id=ann, message_id=sent["message_id"], text=text)
    seen = (await far.seen("private", ann))[-1]
    assert (seen["text"], seen["edited"], seen["edits"]) == ("3", True, 2)


async def test_only_ones_own_texts_can_be_edited(far):
    ann = await far.person(start=True)
    theirs = await far.post("write", as_=ann, text="mine")
    assert (
        await far.refused("editMessageText", chat_id=ann, message_id=theirs["id"], text="x")
        == "Bad Request: message can't be edited"
    )
    assert (
        await far.refused("editMessageText", chat_id=ann, message_id=999, text="x")
        == "Bad Request: message to edit not found"
    )
    assert (
        await far.refused("editMessageText", chat_id=ann, text="x")
        == "Bad Request: message identifier is not specified"
    )


async def test_a_message_of_two_days_cannot_be_deleted(far):
    ann, _, group = await camp(far)
    old = (await far.call("sendMessage", chat_id=group, text="old"))["message_id"]
    await far.post("clock", forward=48 * 3600 + 60)
    assert await far.refused("deleteMessage", chat_id=group, message_id=old) == "Bad Request: message can't be deleted"
    assert (await far.call("editMessageText", chat_id=group, message_id=old, text="but edited"))["text"] == "but edited"
    await far.post(f"groups/{group}/promote", person="bot")
    assert await far.call("deleteMessage", chat_id=group, message_id=old)
    assert (
        await far.refused("deleteMessage", chat_id=group, message_id=old) == "Bad Request: message to delete not found"
    )
    assert (
        await far.refused("editMessageText", chat_id=group, message_id=old, text="x")
        == "Bad Request: message to edit not found"
    )
    assert await far.seen(group, ann) == []


async def test_others_messages_are_deleted_only_with_the_right(far):
    ann, _, group = await camp(far)
    theirs = await far.post("write", as_=ann, chat=group, text="/x")
    assert (
        await far.refused("deleteMessage", chat_id=group, message_id=theirs["id"])
        == "Bad Request: message can't be deleted"
    )
    await far.post(f"groups/{group}/promote", person="bot", rights={"can_delete_messages": True})
    assert await far.call("deleteMessages", chat_id=group, message_ids=[theirs["id"], 4711]) is True


async def test_a_reply_needs_its_message(far):
    ann = await far.person(start=True)
    assert await far.refused("sendMessage", chat_id=ann, text="x", reply_parameters={"message_id": 99}) == (
        "Bad Request: message to be replied not found"
    )
    sent = await far.call(
        "sendMessage", chat_id=ann, text="x", reply_parameters={"message_id": 99, "allow_sending_without_reply": True}
    )
    assert "reply_to_message" not in sent
    # An ephemeral command has id 0, and what answers it carelessly is public: field/telegram.md 0.3.
    assert "reply_to_message" not in await far.call(
        "sendMessage", chat_id=ann, text="x", reply_parameters={"message_id": 0}
    )


async def test_a_picture_can_be_sent_and_sent_again(far):
    import aiohttp

    ann = await far.person(start=True)
    png = bytes.fromhex("89504e470d0a1a0a0000000d49484452000000200000001008060000001ff3ff61") + b"rest"
    form = aiohttp.FormData()
    form.add_field("chat_id", str(ann))
    form.add_field("caption", "a <b>map</b>")
    form.add_field("parse_mode", "HTML")
    form.add_field("photo", png, filename="map.png", content_type="image/png")
    answer = await far.session.post(f"{far.url}/bot{far.token}/sendPhoto", data=form)
    sent = (await answer.json())["result"]
    assert (sent["photo"][0]["width"], sent["photo"][0]["height"], sent["caption"]) == (32, 16, "a map")
    again = await far.call("sendPhoto", chat_id=ann, photo=sent["photo"][0]["file_id"])
    assert again["photo"][0]["file_unique_id"] == sent["photo"][0]["file_unique_id"]
    assert await far.refused("editMessageText", chat_id=ann, message_id=sent["message_id"], text="x") == (
        "Bad Request: there is no text in the message to edit"
    )
    assert (await far.call("editMessageCaption", chat_id=ann, message_id=sent["message_id"], caption="new"))[
        "caption"
    ] == "new"
    seen = (await far.seen("private", ann))[1]
    async with far.session.get(far.url + seen["photo"]) as picture:
        assert await picture.read() == png


async def test_reactions_are_one_known_emoji(far):
    ann = await far.person(start=True)
    sent = await far.call("sendMessage", chat_id=ann, text="x")
    react = {"chat_id": ann, "message_id": sent["message_id"]}
    assert await far.call("setMessageReaction", **react, reaction=[{"type": "emoji", "emoji": "👍"}])
    assert (await far.seen("private", ann))[-1]["reactions"] == [{"person": far.playground.bot.id, "emoji": "👍"}]
    assert (
        await far.refused("setMessageReaction", **react, reaction=[{"type": "emoji", "emoji": "🧦"}])
        == "Bad Request: REACTION_INVALID"
    )
    assert (
        await far.refused("setMessageReaction", chat_id=ann, message_id=99) == "Bad Request: message to react not found"
    )


async def test_commands_have_scopes_and_languages(far):
    ann, bob, group = await camp(far)
    await far.post(f"people/{bob}", language="de")

    async def offered(who, chat):
        return [c["command"] for c in (await far.get(f"commands?as={who}&chat={chat}"))["commands"]]

    await far.call("setMyCommands", commands=[{"command": "help", "description": "h"}])
    await far.call(
        "setMyCommands", commands=[{"command": "newgame", "description": "n"}], scope={"type": "all_group_chats"}
    )
    await far.call(
        "setMyCommands",
        commands=[{"command": "neu", "description": "n"}],
        scope={"type": "all_group_chats"},
        language_code="de",
    )
    await far.call(
        "setMyCommands", commands=[{"command": "end", "description": "e"}], scope={"type": "all_chat_administrators"}
    )
    assert await offered(ann, group) == ["end"]  # she made the group
    assert await offered(bob, group) == ["neu"]
    assert await offered(bob, "private") == ["help"]
    await far.call("deleteMyCommands", scope={"type": "all_group_chats"}, language_code="de")
    assert await offered(bob, group) == ["newgame"]
    assert await far.call("getMyCommands", scope={"type": "all_group_chats"}) == [
        {"command": "newgame", "description": "n"}
    ]
    assert (
        await far.refused("setMyCommands", commands=[{"command": "Bad-Name", "description": "x"}])
        == "Bad Request: BOT_COMMAND_INVALID"
    )


async def test_the_bot_has_a_face(far):
    await far.call("setMyName", name="The Thing")
    await far.call("setMyDescription", description="A game.")
    await far.call("setMyDescription", description="Ein Spiel.", language_code="de")
    await far.call("setMyShortDescription", short_description="Trust nobody.")
    await far.call("setChatMenuButton", menu_button={"type": "commands"})
    assert (await far.call("getMe"))["first_name"] == "The Thing"
    assert (await far.call("getMyName"))["name"] == "The Thing"
    assert (await far.call("getMyDescription", language_code="de"))["description"] == "Ein Spiel."
    assert (await far.call("getMyDescription", language_code="fr"))["description"] == "A game."
    assert (await far.call("getMyShortDescription"))["short_description"] == "Trust nobody."
    assert (await far.call("getChatMenuButton"))["type"] == "commands"
    assert await far.call("sendChatAction", chat_id=await far.person(start=True), action="typing")


async def test_a_message_is_copied_or_forwarded(far):
    ann, bob = await far.person("Ann", start=True), await far.person("Bob", start=True)
    written = await far.post("write", as_=ann, text="/help me")
    to = {"chat_id": bob, "from_chat_id": ann, "message_id": written["id"]}
    assert set(await far.call("copyMessage", **to)) == {"message_id"}
    forwarded = await far.call("forwardMessage", **to)
    assert forwarded["forward_origin"]["sender_user"]["id"] == ann and forwarded["text"] == "/help me"
    assert [m["text"] for m in await far.seen("private", bob)] == ["/start", "/help me", "/help me"]
