"""The parts of an update that we read, and of what type they are: what differs is of a shape that we do not know.

python-telegram-bot takes whatever comes; a text that is a number would only break in a handler, time and again.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import msgspec
from msgspec import Meta, Struct, field

# Telegram's ids have at most 52 significant bits.
Id: TypeAlias = Annotated[int, Meta(ge=-(2**52), le=2**52)]
PersonId: TypeAlias = Annotated[int, Meta(gt=0, le=2**52)]
Count: TypeAlias = Annotated[int, Meta(ge=0, le=2**31)]


class User(Struct):
    id: PersonId
    is_bot: bool
    first_name: str
    last_name: str | None = None
    username: str | None = None
    language_code: str | None = None


class Chat(Struct):
    id: Id
    type: str
    title: str | None = None


class Entity(Struct):
    type: str
    offset: Count
    length: Count


class Message(Struct):
    message_id: Id
    date: Count
    chat: Chat
    sender: User | None = field(default=None, name="from")
    sender_chat: Chat | None = None
    text: str | None = None
    entities: list[Entity] | None = None
    message_thread_id: Id | None = None
    is_topic_message: bool | None = None
    migrate_to_chat_id: Id | None = None
    migrate_from_chat_id: Id | None = None
    left_chat_member: User | None = None
    new_chat_members: list[User] | None = None


class PressedMessage(Struct):
    """The message of a button; of one that is too old there is only its place."""

    chat: Chat


class Query(Struct):
    id: str
    sender: User = field(name="from")
    data: str | None = None
    message: PressedMessage | None = None


class Member(Struct):
    status: str
    user: User
    is_member: bool | None = None
    can_send_messages: bool | None = None
    can_pin_messages: bool | None = None


class Moved(Struct):
    chat: Chat
    sender: User = field(name="from")
    new_chat_member: Member


class Update(Struct):
    update_id: int
    message: Message | None = None
    edited_message: Message | None = None
    callback_query: Query | None = None
    my_chat_member: Moved | None = None
    chat_member: Moved | None = None


def is_known(raw: dict[str, Any]) -> bool:
    """Whether an update is of a kind that we take, and of its shape.

    >>> is_known({"update_id": 7, "callback_query": {"id": "1"}})
    False
    """
    try:
        update = msgspec.convert(raw, Update)
    except msgspec.ValidationError:
        return False
    kinds = (update.message, update.edited_message, update.callback_query, update.my_chat_member, update.chat_member)
    return any(kind is not None for kind in kinds)
