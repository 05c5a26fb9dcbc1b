"""One call of Telegram for a screen, and what its answer means (field/telegram.md 4.4).

Descriptions are matched in lower case and in part: python-telegram-bot strips "Bad Request: " and capitalises.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal

from telegram import Bot
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Conflict,
    Forbidden,
    InvalidToken,
    NetworkError,
    RetryAfter,
    TimedOut,
)
from telegram.request import RequestData
from telegram.request._requestparameter import RequestParameter

from db.records import Button
from db.screens import Screen

from .transport import NotSent

# Else python-telegram-bot warns whenever Telegram names a time to wait, that it will say it as a timedelta one day.
os.environ.setdefault("PTB_TIMEDELTA", "true")

What = Literal[
    "done",  # and `number` is the message, for a posting
    "missing",  # the message is not there any more
    "kept",  # it cannot be deleted any more
    "refused",  # for its form; `why` says which
    "no right",  # to pin
    "flood",  # `seconds` to wait
    "no road",  # to the person; `why` is closed, blocked or gone
    "out",  # of the group; `why` is left or muted
    "migrated",  # `number` is the supergroup
    "topic gone",
    "topic closed",
    "not sent",  # Telegram was not reached
    "perhaps sent",  # the answer was lost
]


@dataclass(frozen=True)
class Outcome:
    """What became of a call. *why* is short, and never has any content of ours."""

    what: What
    why: str = ""
    number: int = 0
    seconds: float = 0.0


async def call(bot: Bot, screen: Screen) -> Outcome:
    """Do the screen's next deed."""
    try:
        return Outcome("done", number=await _call(bot, screen))
    except Exception as error:
        return meaning(error, screen)


async def _call(bot: Bot, screen: Screen) -> int:
    # Without python-telegram-bot's objects, on both ways: to make the message it answers with costs more than the call.
    method, given = wording(screen)
    parameters = RequestData([RequestParameter(name, value, None) for name, value in given.items()])
    result: Any = await bot.request.post(f"{bot.base_url}/{method}", parameters)
    return int(result["message_id"]) if screen.deed == "post" else 0


def wording(screen: Screen) -> tuple[str, dict[str, Any]]:
    """The method that does the screen's next deed, and its parameters."""
    deed = screen.deed
    if deed == "post":
        given = {"chat_id": screen.chat_id} | _said(screen)
        if screen.thread_id > 1:  # General has no number: giving 1 is refused (field/telegram.md 1.3)
            given["message_thread_id"] = screen.thread_id
        if screen.body.protect:
            given["protect_content"] = True
        if not screen.ring:
            given["disable_notification"] = True
        return "sendMessage", given
    target = {"chat_id": screen.chat_id, "message_id": screen.target}
    match deed:
        case "edit":
            return "editMessageText", target | _said(screen)
        case "strip":
            return "editMessageReplyMarkup", target
        case "delete":
            return "deleteMessage", target
        case "pin":
            return "pinChatMessage", target | {"disable_notification": True}
        case "unpin":
            return "unpinChatMessage", target
    raise AssertionError(deed)


def _said(screen: Screen) -> dict[str, Any]:
    body = screen.body
    given: dict[str, Any] = {"text": body.text, "parse_mode": "HTML", "link_preview_options": {"is_disabled": True}}
    if body.rows:
        given["reply_markup"] = {"inline_keyboard": [[button(one) for one in row] for row in body.rows]}
    return given


def button(one: Button) -> dict[str, str]:
    """A button as Telegram's."""
    given = {"text": one.text, "callback_data": one.data, "url": one.url, "style": one.style}
    return {name: value for name, value in given.items() if value is not None}


# What the description says, in the order in which it is asked. A group that is gone is one that we are out of.
_SAYS: tuple[tuple[str, What, str], ...] = (
    ("message is not modified", "done", ""),
    ("chat_not_modified", "done", ""),
    ("message to edit not found", "missing", ""),
    ("message can't be edited", "missing", ""),
    ("there is no text in the message to edit", "missing", ""),
    ("message_id_invalid", "missing", ""),
    ("message to delete not found", "missing", ""),
    ("message to pin not found", "missing", ""),
    ("message to unpin not found", "done", ""),
    ("message can't be deleted", "kept", ""),
    ("message thread not found", "topic gone", ""),
    ("topic_deleted", "topic gone", ""),
    ("topic_id_invalid", "topic gone", ""),
    ("topic_closed", "topic closed", ""),
    ("not enough rights to manage pinned messages", "no right", ""),
    ("not enough rights", "out", "muted"),
    ("no write access", "out", "muted"),
    ("chat_write_forbidden", "out", "muted"),
    ("chat_restricted", "out", "muted"),
    ("chat_send_plain_forbidden", "out", "muted"),
    ("blocked by the user", "no road", "blocked"),
    ("can't initiate conversation", "no road", "closed"),
    ("private chat not found", "no road", "closed"),
    ("user is deactivated", "no road", "gone"),
    ("user not found", "no road", "gone"),
    ("to the bot", "no road", "gone"),
    ("to bots", "no road", "gone"),
    ("kicked", "out", "left"),
    ("not a member", "out", "left"),
    ("group chat was deleted", "out", "left"),
    ("chat not found", "out", "left"),
    ("peer_id_invalid", "out", "left"),
    ("channel_private", "out", "left"),
)

# python-telegram-bot's own transport says it by the cause; a time-out of its pool by its words (field/telegram.md 3.3).
_NEVER_LEFT = {"ConnectError", "ConnectTimeout", "PoolTimeout", "ClientConnectorError", "ConnectionTimeoutError"}


def meaning(error: Exception, screen: Screen) -> Outcome:
    """What an error of python-telegram-bot says about the call of a screen."""
    if isinstance(error, RetryAfter):
        wait = error.retry_after
        return Outcome("flood", seconds=wait.total_seconds() if isinstance(wait, timedelta) else float(wait))
    if isinstance(error, ChatMigrated):
        return Outcome("migrated", number=error.new_chat_id)
    if isinstance(error, BadRequest | Forbidden):
        said = str(error).lower()
        found = next(((what, why) for words, what, why in _SAYS if words in said), None)
        if found is not None:
            what, why = found
        elif isinstance(error, Forbidden):
            what, why = ("no road", "blocked") if screen.receiver else ("out", "left")
        else:
            what, why = "refused", _form(str(error))
        if what == "out" and screen.receiver:
            what, why = "no road", "blocked" if why == "muted" else "closed"
        if screen.deed in ("pin", "unpin") and (what == "refused" or why == "muted"):
            what, why = "no right", ""  # of all our deeds the one that can be left undone
        return Outcome(what, why)
    if isinstance(error, NotSent | InvalidToken | Conflict):
        return Outcome("not sent", type(error).__name__)
    if isinstance(error, TimedOut) and "pool timeout" in str(error).lower():
        return Outcome("not sent", "pool")
    cause: BaseException | None = error
    while cause is not None and isinstance(error, NetworkError):
        if type(cause).__name__ in _NEVER_LEFT:
            return Outcome("not sent", type(cause).__name__)
        cause = cause.__cause__
    return Outcome("perhaps sent", type(error).__name__)


def _form(said: str) -> str:
    """A refusal without what it quotes of the text."""
    return re.sub(r"""(["“]|\B').*""", "...", said.split(":")[0])[:80]
