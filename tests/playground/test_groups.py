"""Groups: who is in them, what the bot hears there, and what becomes of them."""


def kinds(updates):
    return [next(k for k in u if k != "update_id") for u in updates]


async def test_the_bot_hears_that_it_was_added(far):
    ann = await far.person()
    group = await far.group(ann)
    updates = await far.updates()
    assert kinds(updates) == ["my_chat_member", "message"]
    assert updates[0]["my_chat_member"]["new_chat_member"]["status"] == "member"
    assert updates[1]["message"]["new_chat_members"][0]["id"] == far.playground.bot.id
    await far.post(f"groups/{group}/promote", person="bot", rights={"can_pin_messages": True})
    (promoted,) = await far.updates()
    member = promoted["my_chat_member"]["new_chat_member"]
    assert (member["status"], member["can_pin_messages"], member["can_delete_messages"]) == (
        "administrator",
        True,
        False,
    )


async def test_in_privacy_mode_the_bot_hears_what_is_meant_for_it(far):
    ann = await far.person()
    group = await far.group(ann)
    sent = await far.call("sendMessage", chat_id=group, text="x")
    await far.updates()
    for text in ("hello", "/hand", "/hand@stay_away_bot", "/hand@other_bot", "say /hand"):
        await far.post("write", as_=ann, chat=group, text=text)
    await far.post("write", as_=ann, chat=group, text="to you", reply_to=sent["message_id"])
    assert [u["message"]["text"] for u in await far.updates()] == ["/hand", "/hand@stay_away_bot", "to you"]
    await far.post(f"groups/{group}/promote", person="bot")
    await far.updates()
    await far.post("write", as_=ann, chat=group, text="hello")
    assert [u["message"]["text"] for u in await far.updates()] == ["hello"]


async def test_a_general_command_goes_to_the_bot_that_wrote_last(far):
    ann = await far.person()
    group = await far.group(ann)
    other = (await far.post("bots", token="1001:OTHER", username="other_bot", name="Other"))["id"]
    far.playground.world.set_member(far.playground.world.chats[group], other, "member")
    await far.call("sendMessage", chat_id=group, text="I am last")
    await far.updates()
    await far.post("write", as_=ann, chat=group, text="/help")
    assert [u["message"]["text"] for u in await far.updates()] == ["/help"]
    async with far.session.post(
        f"{far.url}/bot1001:OTHER/sendMessage", json={"chat_id": group, "text": "now I"}
    ) as answer:
        assert answer.status == 200
    await far.post("write", as_=ann, chat=group, text="/help")
    assert await far.updates() == []


async def test_comings_and_goings_are_service_messages(far):
    ann, bob = await far.person("Ann"), await far.person("Bob")
    group = await far.group(ann)
    await far.updates()
    await far.post(f"groups/{group}/join", person=bob)
    await far.post(f"groups/{group}/leave", person=bob)
    await far.post(f"groups/{group}/add", person=bob, by=ann)
    await far.post(f"groups/{group}/ban", person=bob, by=ann)
    updates = [u["message"] for u in await far.updates()]
    assert [(m["from"]["id"], bool(m.get("new_chat_members"))) for m in updates] == [
        (bob, True),
        (bob, False),
        (ann, True),
        (ann, False),
    ]
    assert (await far.call("getChatMember", chat_id=group, user_id=bob))["status"] == "kicked"
    assert (await far.control(f"groups/{group}/join", person=bob))[0] == 403
    await far.post(f"groups/{group}/unban", person=bob)
    await far.post(f"groups/{group}/join", person=bob)
    assert await far.call("getChatMemberCount", chat_id=group) == 3


async def test_members_are_told_of_only_to_an_administrator_who_asked(far):
    ann, bob = await far.person("Ann"), await far.person("Bob")
    group = await far.group(ann, kind="supergroup")
    await far.updates()
    await far.post(f"groups/{group}/join", person=bob)
    assert kinds(await far.updates(allowed_updates=["message", "chat_member"])) == ["message"]
    await far.post(f"groups/{group}/leave", person=bob)
    assert kinds(await far.updates()) == ["message"]  # it asked, but is no administrator
    await far.post(f"groups/{group}/promote", person="bot")
    await far.post(f"groups/{group}/ban", person=bob, by=ann)
    (banned,) = await far.updates()
    assert banned["chat_member"]["new_chat_member"] | {"user": 0} == {"status": "kicked", "until_date": 0, "user": 0}


async def test_a_ban_with_an_end_ends(far):
    ann, bob = await far.person("Ann"), await far.person("Bob")
    group = await far.group(ann, bob)
    until = int((await far.get("clock"))["now"]) + 3600
    await far.post(f"groups/{group}/restrict", person=bob, until=until)
    assert (await far.control("write", as_=bob, chat=group, text="x"))[0] == 403
    await far.post("clock", forward=3601)
    await far.post("write", as_=bob, chat=group, text="x")


async def test_an_upgrade_gives_a_new_chat_and_kills_the_old_ids(far):
    ann = await far.person()
    group = await far.group(ann, bot="admin")
    old = await far.call(
        "sendMessage",
        chat_id=group,
        text="x",
        reply_markup={"inline_keyboard": [[{"text": "a", "callback_data": "b"}]]},
    )
    await far.updates()
    new = (await far.post(f"groups/{group}/upgrade"))["id"]
    assert str(new).startswith("-100")
    left, came = [u["message"] for u in await far.updates()]
    assert (left["chat"]["id"], left["migrate_to_chat_id"]) == (group, new)
    assert (came["chat"]["id"], came["migrate_from_chat_id"], came["chat"]["type"]) == (new, group, "supergroup")
    assert (await far.call("getChatMember", chat_id=new, user_id=far.playground.bot.id))["status"] == "administrator"
    assert (
        await far.refused("editMessageText", chat_id=new, message_id=old["message_id"], text="y")
        == "Bad Request: message to edit not found"
    )
    assert (await far.control("write", as_=ann, chat=group, text="x"))[1]["migrated_to"] == new
    # Her app still shows the old message with its button.
    await far.post("press", as_=ann, chat=group, message=old["message_id"], text="a", wait=0)
    (pressed,) = await far.updates()
    assert pressed["callback_query"]["message"]["chat"]["id"] == group


async def test_a_topic_is_a_place_of_its_own(far):
    ann = await far.person()
    group = await far.group(ann, forum=True)
    thread = (await far.post(f"groups/{group}/topics", name="Games"))["thread"]
    await far.updates()
    await far.post("write", as_=ann, chat=group, text="/newgame", thread=thread)
    await far.post("write", as_=ann, chat=group, text="/newgame")
    there, general = [u["message"] for u in await far.updates()]
    assert (there["message_thread_id"], there["is_topic_message"]) == (thread, True)
    assert there["reply_to_message"]["forum_topic_created"]["name"] == "Games"
    assert "message_thread_id" not in general and general["chat"]["is_forum"]
    assert (await far.call("sendMessage", chat_id=group, message_thread_id=thread, text="in"))[
        "message_thread_id"
    ] == thread
    await far.call("sendMessage", chat_id=group, text="out")
    assert [m["text"] for m in await far.seen(group, ann, thread=thread)] == ["/newgame", "in"]
    assert [m["text"] for m in await far.seen(group, ann, thread=1)] == ["/newgame", "out"]


async def test_topics_can_be_closed_and_deleted(far):
    ann = await far.person()
    group = await far.group(ann, forum=True)
    thread = (await far.post(f"groups/{group}/topics", name="Games"))["thread"]
    sent = await far.call("sendMessage", chat_id=group, message_thread_id=thread, text="x")
    for wrong in (1, 4711):
        assert (
            await far.refused("sendMessage", chat_id=group, message_thread_id=wrong, text="x")
            == "Bad Request: message thread not found"
        )
    await far.post(f"groups/{group}/topics/{thread}/close")
    assert (
        await far.refused("sendMessage", chat_id=group, message_thread_id=thread, text="x")
        == "Bad Request: TOPIC_CLOSED"
    )
    assert await far.call("editMessageText", chat_id=group, message_id=sent["message_id"], text="y")
    await far.post(f"groups/{group}/topics/{thread}/reopen")
    assert await far.call("sendMessage", chat_id=group, message_thread_id=thread, text="x")
    await far.post(f"groups/{group}/topics/1/close")
    assert await far.refused("sendMessage", chat_id=group, text="x") == "Bad Request: TOPIC_CLOSED"
    await far.post(f"groups/{group}/topics/{thread}/delete")
    assert (
        await far.refused("sendMessage", chat_id=group, message_thread_id=thread, text="x")
        == "Bad Request: message thread not found"
    )
    assert await far.refused("editMessageText", chat_id=group, message_id=sent["message_id"], text="z") == (
        "Bad Request: message to edit not found"
    )


async def test_a_bot_with_the_right_makes_topics(far):
    ann = await far.person()
    group = await far.group(ann, forum=True)
    assert "not enough rights" in await far.refused("createForumTopic", chat_id=group, name="x")
    await far.post(f"groups/{group}/promote", person="bot")
    made = await far.call("createForumTopic", chat_id=group, name="Camp")
    assert await far.call("closeForumTopic", chat_id=group, message_thread_id=made["message_thread_id"])
    assert await far.call("sendMessage", chat_id=group, message_thread_id=made["message_thread_id"], text="it may")
    assert await far.call("reopenForumTopic", chat_id=group, message_thread_id=made["message_thread_id"])
    assert await far.call("deleteForumTopic", chat_id=group, message_thread_id=made["message_thread_id"])


async def test_a_reply_in_a_supergroup_has_a_thread_but_is_in_no_topic(far):
    ann = await far.person()
    group = await far.group(ann, kind="supergroup")
    sent = await far.call("sendMessage", chat_id=group, text="x")
    await far.updates()
    await far.post("write", as_=ann, chat=group, text="y", reply_to=sent["message_id"])
    (answer,) = await far.updates()
    assert answer["message"]["message_thread_id"] == sent["message_id"] and "is_topic_message" not in answer["message"]


async def test_an_anonymous_administrator_hides_behind_the_group(far):
    ann = await far.person()
    group = await far.group(ann, bot="admin", kind="supergroup")
    sent = await far.call(
        "sendMessage",
        chat_id=group,
        text="x",
        reply_markup={"inline_keyboard": [[{"text": "a", "callback_data": "b"}]]},
    )
    await far.updates()
    await far.post("write", as_=ann, chat=group, text="/newgame", anonymous=True)
    await far.post("press", as_=ann, chat=group, message=sent["message_id"], text="a", wait=0)
    wrote, pressed = await far.updates()
    assert (
        wrote["message"]["from"]["username"] == "GroupAnonymousBot" and wrote["message"]["sender_chat"]["id"] == group
    )
    assert pressed["callback_query"]["from"]["id"] == ann


async def test_blocking_and_unblocking_is_told(far):
    ann = await far.person(start=True)
    await far.updates()
    await far.post(f"people/{ann}/block")
    await far.post(f"people/{ann}/unblock")
    assert [u["my_chat_member"]["new_chat_member"]["status"] for u in await far.updates()] == ["kicked", "member"]


async def test_reactions_are_told_to_an_administrator_who_asked(far):
    ann = await far.person()
    group = await far.group(ann, bot="admin")
    sent = await far.call("sendMessage", chat_id=group, text="x")
    await far.updates(allowed_updates=["message_reaction"])
    await far.post("react", as_=ann, chat=group, message=sent["message_id"], emoji="👍")
    (update,) = await far.updates()
    assert update["message_reaction"]["new_reaction"] == [{"type": "emoji", "emoji": "👍"}]


async def test_an_edited_command_is_told(far):
    ann = await far.person(start=True)
    written = await far.post("write", as_=ann, text="/hnad")
    await far.updates()
    await far.post("edit", as_=ann, message=written["id"], text="/hand")
    (update,) = await far.updates()
    assert update["edited_message"]["text"] == "/hand" and update["edited_message"]["edit_date"]


async def test_a_deleted_account_keeps_its_place_without_a_name(far):
    ann, bob = await far.person("Ann"), await far.person("Bob")
    group = await far.group(ann, bob)
    await far.post(f"people/{bob}/delete")
    assert (await far.call("getChatMember", chat_id=group, user_id=bob))["user"]["first_name"] == ""
    assert (await far.control("write", as_=bob, chat=group, text="x"))[0] == 409


async def test_administrators_are_people_and_the_bot_itself(far):
    ann, bob = await far.person("Ann"), await far.person("Bob")
    group = await far.group(ann, bob, bot="admin")
    await far.post(f"groups/{group}/promote", person=bob, title="Cook")
    admins = await far.call("getChatAdministrators", chat_id=group)
    assert [(a["status"], a["user"]["id"]) for a in admins] == [
        ("creator", ann),
        ("administrator", bob),
        ("administrator", far.playground.bot.id),
    ]
    assert admins[1]["custom_title"] == "Cook"


async def test_hostile_names_come_through_as_they_are(far):
    names = ["<b>&", "\u202eevil", "a\u200b\u2066b", "👩‍👩‍👧‍👦" * 10, "Ann", "Ann"]
    people = [await far.person(name) for name in names]
    group = await far.group(*people)
    await far.updates()
    for person in people:
        await far.post("write", as_=person, chat=group, text="/join")
    assert [u["message"]["from"]["first_name"] for u in await far.updates()] == names
    assert (await far.control("write", as_="Ann", chat=group, text="x"))[0] == 409  # there are two


async def test_half_a_character_becomes_a_whole_one(far):
    ann = await far.person("A\ud83dnn", start=True)
    (update,) = await far.updates()
    assert update["message"]["from"] | {"id": ann, "first_name": "A\ufffdnn"} == update["message"]["from"]
