"""What is answered to a press or a command at once, after the commit, and no worse if lost: a Bot API call as data.

It rides in the body of the webhook's answer (field/telegram.md 2). Public texts answer a command where it was written;
private ones go to the person's own chat.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from telegram import CallbackQuery, Message

Reply = dict[str, Any]
Row = Sequence[tuple[str, dict[str, str]]]  # (text, {"url": ...} or {"callback_data": ...})


def close(query: CallbackQuery) -> Reply:
    """An empty answer: an unanswered query spins for ever (failures.md 5.51)."""
    return {"method": "answerCallbackQuery", "callback_query_id": query.id}


def toast(query: CallbackQuery, text: str) -> Reply:
    """A line that fades; empty for none. At most 200 characters (field/telegram.md 1.1)."""
    return close(query) | ({"text": text[:200]} if text else {})


def alert(query: CallbackQuery, text: str) -> Reply:
    """A box that its reader closes: seen by the presser alone, so it may hold a hand."""
    return toast(query, text) | {"show_alert": True}


def public(message: Message, text: str, rows: Sequence[Row] = ()) -> Reply:
    """A text for all, as an answer to a command, in its chat and topic."""
    call = {"method": "sendMessage", "chat_id": message.chat.id, "text": str(text), "parse_mode": "HTML"}
    if message.is_topic_message and message.message_thread_id:
        call["message_thread_id"] = message.message_thread_id
    if message.chat.type != "private" and message.message_id > 0:
        call["reply_parameters"] = {"message_id": message.message_id, "allow_sending_without_reply": True}
        call["disable_notification"] = True
    return _with(call, rows)


def private(person: int, text: str, rows: Sequence[Row] = ()) -> Reply:
    """A text for one person, in the private chat and nowhere else."""
    if person <= 0:
        raise ValueError("a private text goes to a person")
    return _with({"method": "sendMessage", "chat_id": person, "text": str(text), "parse_mode": "HTML"}, rows)


def _with(call: Reply, rows: Sequence[Row]) -> Reply:
    call["link_preview_options"] = {"is_disabled": True}
    if rows:
        call["reply_markup"] = {"inline_keyboard": [[{"text": text, **does} for text, does in row] for row in rows]}
    return call
