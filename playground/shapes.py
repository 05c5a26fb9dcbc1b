"""How the world looks to a bot: users, chats, members and messages as Bot API 10.3 objects."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playground.things import Bot, Chat, Member, Message, User
    from playground.world import World


def user(user: User) -> dict[str, Any]:
    """A User."""
    shape: dict[str, Any] = {
        "id": user.id,
        "is_bot": user.is_bot,
        "first_name": "" if user.deleted else user.first_name,
    }
    if user.last_name and not user.deleted:
        shape["last_name"] = user.last_name
    if user.username:
        shape["username"] = user.username
    if user.language_code and not user.is_bot and not user.deleted:
        shape["language_code"] = user.language_code
    return shape


def me(bot: Bot, user_: User) -> dict[str, Any]:
    """The User of getMe."""
    return {
        **user(user_),
        "can_join_groups": True,
        "can_read_all_group_messages": not bot.privacy,
        "supports_guest_queries": False,
        "supports_inline_queries": False,
        "can_connect_to_business": False,
        "has_main_web_app": False,
        "has_topics_enabled": False,
        "allows_users_to_create_topics": False,
        "can_manage_bots": False,
        "supports_join_request_queries": False,
    }


def chat(world: World, chat: Chat) -> dict[str, Any]:
    """A Chat."""
    if chat.is_private:
        person = world.users[chat.user_id]
        shape = {"id": chat.id, "type": "private", "first_name": "" if person.deleted else person.first_name}
        if person.last_name and not person.deleted:
            shape["last_name"] = person.last_name
        if person.username:
            shape["username"] = person.username
        return shape
    shape = {"id": chat.id, "type": chat.kind, "title": chat.title}
    if chat.username:
        shape["username"] = chat.username
    if chat.is_forum:
        shape["is_forum"] = True
    return shape


def full_chat(world: World, chat_: Chat, bot: Bot) -> dict[str, Any]:
    """A ChatFullInfo."""
    shape = {
        **chat(world, chat_),
        "accent_color_id": abs(chat_.id) % 7,
        "max_reaction_count": 11,
        "accepted_gift_types": {
            "unlimited_gifts": False,
            "limited_gifts": False,
            "unique_gifts": False,
            "premium_subscription": False,
            "gifts_from_channels": False,
        },
    }
    if chat_.username:
        shape["active_usernames"] = [chat_.username]
    if chat_.description:
        shape["description"] = chat_.description
    if not chat_.is_private:
        shape["permissions"] = dict(chat_.permissions)
    if chat_.kind == "supergroup":
        shape["join_to_send_messages"] = True
        shape["has_visible_history"] = True
    if chat_.pinned:
        shape["pinned_message"] = message(world, chat_.messages[chat_.pinned[-1]], bot, replies=False)
    return shape


def chat_instance(chat: Chat) -> str:
    """A number that means the chat, the same for all its messages."""
    return str(
        int.from_bytes(hashlib.blake2b(f"{chat.id} {chat.bot_id}".encode(), digest_size=8).digest(), "big", signed=True)
    )


def bare_member(user_: User, status: str) -> dict[str, Any]:
    """The ChatMember of a private chat: a bot that is blocked is kicked."""
    shape: dict[str, Any] = {"user": user(user_), "status": status}
    if status == "kicked":
        shape["until_date"] = 0
    return shape


def member(world: World, member: Member) -> dict[str, Any]:
    """A ChatMember."""
    shape: dict[str, Any] = {"user": user(world.users[member.user_id]), "status": member.status}
    if member.status == "creator":
        shape["is_anonymous"] = member.anonymous
    elif member.status == "administrator":
        shape |= {"can_be_edited": False, "is_anonymous": member.anonymous, **member.rights}
    elif member.status == "restricted":
        shape |= {"is_member": True, **member.permissions, "until_date": member.until}
    elif member.status == "kicked":
        shape["until_date"] = member.until
    if member.is_admin and member.title:
        shape["custom_title"] = member.title
    return shape


def entities(world: World, items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """MessageEntities: a mention carries its User."""
    result = []
    for item in items:
        if item["type"] == "text_mention":
            shape = {k: v for k, v in item.items() if k != "user_id"}
            result.append({**shape, "user": user(world.users[item["user_id"]])})
        else:
            result.append(dict(item))
    return result


def photo(world: World, file_id: str) -> list[dict[str, Any]]:
    """The one PhotoSize of a picture."""
    file = world.files[file_id]
    return [
        {
            "file_id": file_id,
            "file_unique_id": file["unique"],
            "width": file["width"],
            "height": file["height"],
            "file_size": file["size"],
        }
    ]


def message(world: World, message_: Message, bot: Bot, replies: bool = True) -> dict[str, Any]:
    """A Message as *bot* gets it."""
    chat_ = world.chat_of(message_)
    shape: dict[str, Any] = {
        "message_id": message_.id,
        "from": user(world.users[message_.sender_id]),
        "chat": chat(world, chat_),
        "date": message_.date,
    }
    if message_.sender_chat_id:
        shape["sender_chat"] = chat(world, world.chats[message_.sender_chat_id])
    if message_.ephemeral_id:
        shape["ephemeral_message_id"] = message_.ephemeral_id
        shape["receiver_user"] = user(world.users[message_.receiver_id])
    if message_.thread_id:
        shape["message_thread_id"] = message_.thread_id
    if message_.is_topic:
        shape["is_topic_message"] = True
    replied = chat_.messages.get(message_.reply_to)
    if replied is None and message_.is_topic:
        # In a topic every message that answers nothing else answers the message that opened it.
        replied = chat_.messages.get(message_.thread_id)
    if replies and replied and not replied.deleted and replied is not message_:
        shape["reply_to_message"] = message(world, replied, bot, replies=False)
    if message_.forwarded_from:
        origin = user(world.users[message_.forwarded_from])
        shape["forward_origin"] = {"type": "user", "date": message_.forwarded_date, "sender_user": origin}
    if message_.edit_date:
        shape["edit_date"] = message_.edit_date
    if message_.protected:
        shape["has_protected_content"] = True
    if message_.effect_id:
        shape["effect_id"] = message_.effect_id
    if message_.photo:
        shape["photo"] = photo(world, message_.photo)
        if message_.text:
            shape["caption"] = message_.text
            if message_.entities:
                shape["caption_entities"] = entities(world, message_.entities)
    elif message_.service is None:
        shape["text"] = message_.text
        if message_.entities:
            shape["entities"] = entities(world, message_.entities)
        if message_.link_preview:
            shape["link_preview_options"] = message_.link_preview
    else:
        shape |= service(world, chat_, message_, bot)
    if message_.markup and message_.sender_id == bot.id:
        shape["reply_markup"] = message_.markup
    return shape


def service(world: World, chat_: Chat, message_: Message, bot: Bot) -> dict[str, Any]:
    """What a service message says."""
    assert message_.service is not None
    ((kind, value),) = message_.service.items()
    if kind == "new_chat_members":
        return {kind: [user(world.users[i]) for i in value]}
    if kind == "left_chat_member":
        return {kind: user(world.users[value])}
    if kind == "pinned_message":
        pinned = chat_.messages.get(value)
        if pinned is None or pinned.deleted:
            return {kind: {"chat": chat(world, chat_), "message_id": value, "date": 0}}
        return {kind: message(world, pinned, bot, replies=False)}
    return {kind: value}
