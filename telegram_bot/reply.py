"""What is answered to a press or a command at once, after the commit, and no worse if lost: a Bot API call as data.

It rides in the body of the webhook's answer (field/telegram.md 2). Texts for all answer a command where it was written;
private ones are telegram_bot/private.py's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from telegram import CallbackQuery, Message

from db.records import Button, Wanted
from telegram_bot import private

Reply = dict[str, Any]
Row = Sequence[tuple[str, dict[str, str]]]  # (text, {"url": ...} or {"callback_data": ...})


def close(query: CallbackQuery) -> Reply:
    """An empty answer: an unanswered query spins for ever (failures.md 5.51)."""
    return {"method": "answerCallbackQuery", "callback_query_id": query.id}


def toast(query: CallbackQuery, text: str) -> Reply:
    """A line that fades; empty for none. At most 200 characters (field/telegram.md 1.1)."""
    return close(query) | ({"text": text[:200]} if text else {})


def public(message: Message, text: str, rows: Sequence[Row] = ()) -> Reply:
    """A text for all, as an answer to a command, in its chat and topic.

    To an ephemeral command, which the others do not see, the answer is ephemeral too: its message id is 0, and a reply
    to that would be posted for all (field/telegram.md 0.3).
    """
    if (command := private.ephemeral_id(message)) is not None:
        wanted = Wanted(text=str(text), rows=buttons(rows))
        person = message.from_user.id if message.from_user is not None else 0
        return private.call(person, wanted, private.Command(message.chat.id, _topic(message), command))
    call = {"method": "sendMessage", "chat_id": message.chat.id, "text": str(text), "parse_mode": "HTML"}
    if topic := _topic(message):
        call["message_thread_id"] = topic
    if message.chat.type != "private" and message.message_id > 0:
        call["reply_parameters"] = {"message_id": message.message_id, "allow_sending_without_reply": True}
        call["disable_notification"] = True
    return _with(call, rows)


def buttons(rows: Sequence[Row]) -> tuple[tuple[Button, ...], ...]:
    """The rows as a screen has them."""
    return tuple(tuple(Button(text, does.get("callback_data"), does.get("url")) for text, does in row) for row in rows)


def _topic(message: Message) -> int:
    return (message.message_thread_id or 0) if message.is_topic_message else 0


def _with(call: Reply, rows: Sequence[Row]) -> Reply:
    call["link_preview_options"] = {"is_disabled": True}
    if rows:
        call["reply_markup"] = {"inline_keyboard": [[{"text": text, **does} for text, does in row] for row in rows]}
    return call


def edited(text: str, rows: Sequence[Row] = ()) -> Reply:
    """What a public message of ours becomes by an edit."""
    return _with({"text": str(text), "parse_mode": "HTML"}, rows)
