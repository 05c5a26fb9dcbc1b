"""/doctor: what the bot may do in a group, what follows, and how to mend it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.telegram_bot.camp import ADMINISTERS, GROUP, Camp, plain

RESTRICTED = dict.fromkeys(
    (
        "is_member can_change_info can_invite_users can_pin_messages can_send_messages can_send_polls can_manage_topics"
        " can_send_other_messages can_add_web_page_previews can_send_audios can_send_documents can_send_photos"
        " can_send_videos can_send_video_notes can_send_voice_notes can_edit_tag can_react_to_messages"
    ).split(),
    False,
) | {"status": "restricted", "until_date": 0}
ADMINISTRATOR = ADMINISTERS | {"status": "administrator"}


async def report(camp: Camp, bot: dict[str, Any] | None = None, **more: Any) -> str:
    if bot is not None:
        camp.far_end.bot_member = bot
    reply = await camp.write("Ann", "/doctor", **more)
    assert reply is not None
    return plain(reply["text"])


@pytest.mark.parametrize(
    ("bot", "told"),
    [
        ({"status": "member"}, ("I am a member", "I may not pin: the board is found with /status")),
        (ADMINISTRATOR, ("I am an administrator", "I may not pin: the board is found with /status")),
        (ADMINISTRATOR | {"can_pin_messages": True}, ("I am an administrator", "I may pin: the board is pinned")),
        (RESTRICTED, ("I am a member", "I may not write here: the game stands still", "I may not pin")),
    ],
    ids=["member", "administrator", "administrator who may pin", "restricted"],
)
async def test_it_says_what_the_bot_may_at_this_moment(camp: Camp, bot: dict[str, Any], told: tuple[str, ...]) -> None:
    text = await report(camp, bot)
    assert all(line in text for line in told), text


async def test_a_member_may_what_the_group_lets_its_members(camp: Camp) -> None:
    camp.far_end.all_may = {"can_send_messages": True, "can_pin_messages": True}
    assert "I may pin: the board is pinned" in await report(camp)
    camp.far_end.all_may = {"can_send_messages": False, "can_pin_messages": True}
    assert "I may not write here: the game stands still" in await report(camp)
    assert "may not write" not in await report(camp, ADMINISTRATOR)


async def test_where_it_may_not_write_it_says_so_in_the_private_chat(camp: Camp) -> None:
    camp.far_end.bot_member = RESTRICTED
    reply = await camp.write("Ann", "/doctor")
    assert reply is not None and reply["chat_id"] == GROUP, "there is no other road"
    await camp.open_private_chats("Ann")
    reply = await camp.write("Ann", "/doctor")
    assert reply is not None and reply["chat_id"] == camp.person("Ann")["id"] and "may not write" in reply["text"]


async def test_what_telegram_does_not_tell_is_not_made_up(camp: Camp) -> None:
    assert "Telegram does not tell me my rights" in await report(camp, {"status": "nonsense"})


async def test_every_player_has_a_road_told_by_name(camp: Camp) -> None:
    await camp.open_private_chats("Ann", "Bob", "Cid")
    bob, cid = camp.person("Bob"), camp.person("Cid")
    change = {"chat": {"id": cid["id"], "type": "private"}, "from": cid, "date": 1_790_000_000}
    bot = {"id": 1000, "is_bot": True, "first_name": "Stay Away!"}
    member, banned = {"status": "member", "user": bot}, {"status": "kicked", "user": bot, "until_date": 0}
    await camp.take(my_chat_member=change | {"old_chat_member": member, "new_chat_member": banned})
    await camp.gather("Ann", "Bob", "Cid", "Dan", private=False)
    await camp.press("Ann", "+ Bot player")
    text = await report(camp)
    assert "✓ Ann and Bob: in the private chat." in text
    assert "– Dan: called here in the group. → Press Private chat" in text
    assert "✗ Cid: called here in the group, for I am blocked." in text
    assert "Arkham" not in text and bob["first_name"] == "Bob"


async def test_where_nobody_plays_no_players_are_listed(camp: Camp) -> None:
    assert "awaited" not in await report(camp)


async def test_it_says_whether_the_hand_opens_in_the_group(camp: Camp) -> None:
    assert "nobody has tried lately" in await report(camp)
    await camp.store.took_road(9001, GROUP, "alert")
    assert "My hand does not open in the group" in await report(camp)
    await camp.store.took_road(9002, GROUP, "ephemeral")
    assert "My hand opens here in the group" in await report(camp)


async def test_a_group_with_topics_is_told_so(camp: Camp) -> None:
    chat = {"id": GROUP, "type": "supergroup", "title": "The camp"}
    assert "topics" not in await report(camp)
    assert "This group has topics" in await report(camp, chat=chat | {"is_forum": True})


async def test_in_the_private_chat_it_says_where_it_belongs(camp: Camp) -> None:
    reply = await camp.write("Ann", "/doctor", private=True)
    assert reply is not None and "Write that in the group where you play" in reply["text"]
