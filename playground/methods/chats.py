"""Chats, their members and topics."""

from __future__ import annotations

from typing import Any

from playground import shapes
from playground.errors import bad
from playground.methods.api import BotApi, Call, method
from playground.things import Bot, Chat


@method
def get_chat(api: BotApi, bot: Bot, call: Call) -> Any:
    """All about a chat."""
    return shapes.full_chat(api.world, api.chat(bot, call, read=True), bot)


@method
def get_chat_member(api: BotApi, bot: Bot, call: Call) -> Any:
    """How a user stands in a chat."""
    chat = api.chat(bot, call, read=True)
    user = api.world.users.get(call.integer("user_id"))
    if user is None:
        raise bad("invalid user_id specified" if not call.has("user_id") else "user not found")
    if chat.is_private:
        if user.id not in (chat.user_id, bot.id):
            raise bad("member not found")
        return shapes.bare_member(user, "member")
    return shapes.member(api.world, api.world.member(chat, user.id))


@method
def get_chat_administrators(api: BotApi, bot: Bot, call: Call) -> Any:
    """The administrators of a group; of the bots only itself."""
    chat = api.chat(bot, call, read=True)
    if chat.is_private:
        raise bad("there are no administrators in the private chat")
    return [
        shapes.member(api.world, m)
        for m in chat.members_present()
        if m.is_admin and (m.user_id == bot.id or not api.world.users[m.user_id].is_bot)
    ]


@method
def get_chat_member_count(api: BotApi, bot: Bot, call: Call) -> Any:
    """How many are in a chat."""
    chat = api.chat(bot, call, read=True)
    return 2 if chat.is_private else len(chat.members_present())


@method
def leave_chat(api: BotApi, bot: Bot, call: Call) -> Any:
    """Leave a group."""
    chat = api.chat(bot, call)
    if chat.is_private:
        raise bad("chat member status can't be changed in private chats")
    api.world.set_member(chat, bot.id, "left")
    return True


def _topic_right(api: BotApi, bot: Bot, call: Call) -> Chat:
    chat = api.chat(bot, call)
    if not chat.is_forum:
        raise bad("the chat is not a forum")
    if not api._right(bot, chat, "can_manage_topics"):
        raise bad("not enough rights to create a topic")
    return chat


@method
def create_forum_topic(api: BotApi, bot: Bot, call: Call) -> Any:
    """Open a topic; it counts as a message (td#2592)."""
    chat = _topic_right(api, bot, call)
    name = call.text("name").strip()
    if not 1 <= len(name) <= 128:
        raise bad("topic name must be non-empty" if not name else "topic name is too long")
    api.limits.take(bot.id, chat, api.world.now())
    topic = api.world.add_topic(chat, name, bot.id, call.integer("icon_color", 7322096))
    return {"message_thread_id": topic.id, "name": topic.name, "icon_color": topic.icon_color}


def _change_topic(api: BotApi, bot: Bot, call: Call, what: str) -> bool:
    chat = _topic_right(api, bot, call)
    topic = chat.topics.get(call.integer("message_thread_id"))
    if topic is None or topic.deleted:
        raise bad("message thread not found")
    if what != "delete" and topic.closed == (what == "close"):
        raise bad("TOPIC_NOT_MODIFIED")
    api.world.change_topic(chat, topic, what, bot.id)
    return True


@method
def close_forum_topic(api: BotApi, bot: Bot, call: Call) -> Any:
    """Close a topic."""
    return _change_topic(api, bot, call, "close")


@method
def reopen_forum_topic(api: BotApi, bot: Bot, call: Call) -> Any:
    """Reopen a topic."""
    return _change_topic(api, bot, call, "reopen")


@method
def delete_forum_topic(api: BotApi, bot: Bot, call: Call) -> Any:
    """Delete a topic with its messages."""
    return _change_topic(api, bot, call, "delete")
