"""Telegram's objects as ours: who wrote or pressed, where, and who moved."""

from __future__ import annotations

from typing import Any

from telegram import CallbackQuery, ChatMemberUpdated, Message, Update, User
from telegram.constants import ChatMemberStatus, ChatType

from db.records import Chat, GameRow, Person
from telegram_bot.memo import memo_of
from telegram_bot.names import clean

GROUPS = (ChatType.GROUP, ChatType.SUPERGROUP)
ADMINISTRATORS = (ChatMemberStatus.ADMINISTRATOR, ChatMemberStatus.OWNER)


def message_of(update: Update) -> Message:
    """The message of an update that has one."""
    message = update.effective_message
    assert message is not None
    return message


def thread_of(message: Message) -> int:
    """The forum topic; General and groups without topics are 0 (field/telegram.md 1.3)."""
    return (message.message_thread_id or 0) if message.is_topic_message else 0


def person_of(message: Message) -> Person | None:
    """Who wrote; None for an anonymous administrator and for a channel, who cannot play (field/telegram.md 1.3)."""
    user = message.from_user
    if user is None or user.is_bot or message.sender_chat is not None:
        return None
    return known(user, message.chat.type == ChatType.PRIVATE)


def known(user: User, private: bool) -> Person:
    """A person as an update shows them; *private*: the update came from their own chat with the bot."""
    return named(user, "open" if private else "unknown")


def named(user: User, road: Any) -> Person:
    """A person as an update shows them, with what it tells of the road to them."""
    return Person(user.id, clean(user.full_name or ""), user.username, user.language_code, road)


def opened(person: Person) -> Person:
    """The same person, whose private chat is known to be open."""
    return Person(person.id, person.name, person.username, person.language, "open")


def chat_type_of(query: CallbackQuery) -> str | None:
    """The kind of chat a press came from; None where its message is out of reach."""
    return query.message.chat.type if query.message is not None else None


def is_place(game: GameRow, query: CallbackQuery) -> bool:
    """Whether a press comes from the group of its game, or from what the group was before it became a supergroup."""
    return query.message is not None and query.message.chat.id in (game.chat_id, *memo_of(game).was)


def moves_of(update: Update) -> list[tuple[User, bool]]:
    """Who moved, and whether they are in the group now."""
    if (changed := update.chat_member) is not None:
        member = changed.new_chat_member
        is_in = member.status in (*ADMINISTRATORS, ChatMemberStatus.MEMBER) or bool(getattr(member, "is_member", False))
        return [(member.user, is_in)]
    message = message_of(update)
    if message.left_chat_member is not None:
        return [(message.left_chat_member, False)]
    return [(user, True) for user in message.new_chat_members or ()]


def date_of(update: Update) -> float:
    """When a member moved (Unix time): what several administrators do comes in any order."""
    moved = update.chat_member or message_of(update)
    return moved.date.timestamp()


def chat_after(changed: ChatMemberUpdated) -> Chat:
    """What a change of the bot's membership tells about a group."""
    member = changed.new_chat_member
    gone = member.status in (ChatMemberStatus.LEFT, ChatMemberStatus.BANNED) or not getattr(member, "is_member", True)
    muted = member.status == ChatMemberStatus.RESTRICTED and not getattr(member, "can_send_messages", True)
    return Chat(
        changed.chat.id,
        title=changed.chat.title,
        kind=changed.chat.type,
        rights={
            "administrator": member.status in ADMINISTRATORS,
            "pin": bool(getattr(member, "can_pin_messages", False)),
        },
        road="left" if gone else "muted" if muted else "open",
    )
