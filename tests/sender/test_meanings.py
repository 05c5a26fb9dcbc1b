"""What Telegram says when it refuses (field/telegram.md 4.4), and what we take it to mean."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from telegram import Bot

from db.screens import Deed, Screen
from playground.server import Playground
from telegram_bot.calls import call
from telegram_bot.transport import request_for

GROUP, PERSON = -1009, 42

# The status and words of a refusal, where and at what it is met; what it means, and why.
REFUSALS = [
    (400, "Bad Request: message is not modified: specified new message content ...", GROUP, "edit", "done", ""),
    (400, "Bad Request: message to edit not found", GROUP, "edit", "missing", ""),
    (400, "Bad Request: message can't be edited", GROUP, "edit", "missing", ""),
    (400, "Bad Request: there is no text in the message to edit", GROUP, "edit", "missing", ""),
    (400, "Bad Request: message to delete not found", GROUP, "delete", "missing", ""),
    (400, "Bad Request: message can't be deleted", GROUP, "delete", "kept", ""),
    (400, "Bad Request: message to pin not found", GROUP, "pin", "missing", ""),
    (400, "Bad Request: message to unpin not found", GROUP, "unpin", "done", ""),
    (400, "Bad Request: chat not found", GROUP, "post", "out", "left"),
    (400, "Bad Request: chat not found", PERSON, "post", "no road", "closed"),
    (400, "Bad Request: private chat not found", PERSON, "post", "no road", "closed"),
    (400, "Bad Request: message text is empty", GROUP, "post", "refused", "Message text is empty"),
    (400, "Bad Request: message is too long", GROUP, "post", "refused", "Message is too long"),
    (400, "Bad Request: can't parse entities: Unsupported start tag", GROUP, "post", "refused", "Can't parse entities"),
    (400, "Bad Request: BUTTON_DATA_INVALID", GROUP, "post", "refused", "Button_data_invalid"),
    (400, "Bad Request: reply markup is too long", GROUP, "post", "refused", "Reply markup is too long"),
    (400, "Bad Request: message thread not found", GROUP, "post", "topic gone", ""),
    (400, "Bad Request: TOPIC_CLOSED", GROUP, "post", "topic closed", ""),
    (400, "Bad Request: not enough rights to send text messages to the chat", GROUP, "post", "out", "muted"),
    (400, "Bad Request: not enough rights to manage pinned messages in the chat", GROUP, "pin", "no right", ""),
    (400, "Bad Request: have no write access to the chat", GROUP, "edit", "out", "muted"),
    (400, "Bad Request: CHAT_WRITE_FORBIDDEN", GROUP, "post", "out", "muted"),
    (400, "Bad Request: CHAT_RESTRICTED", GROUP, "post", "out", "muted"),
    (400, "Bad Request: user not found", PERSON, "post", "no road", "gone"),
    (403, "Forbidden: bot was blocked by the user", PERSON, "post", "no road", "blocked"),
    (403, "Forbidden: bot can't initiate conversation with a user", PERSON, "post", "no road", "closed"),
    (403, "Forbidden: user is deactivated", PERSON, "post", "no road", "gone"),
    (403, "Forbidden: the bot can't send messages to the bot", PERSON, "post", "no road", "gone"),
    (403, "Forbidden: bot can't send messages to bots", PERSON, "post", "no road", "gone"),
    (403, "Forbidden: bot was kicked from the supergroup chat", GROUP, "post", "out", "left"),
    (403, "Forbidden: bot is not a member of the supergroup chat", GROUP, "edit", "out", "left"),
    (403, "Forbidden: the group chat was deleted", GROUP, "post", "out", "left"),
    (403, "Forbidden: something new", GROUP, "post", "out", "left"),
    (401, "Unauthorized", GROUP, "post", "not sent", "InvalidToken"),
    (500, "Internal Server Error: restart", GROUP, "post", "perhaps sent", "NetworkError"),
]


def screen(chat: int, deed: Deed) -> Screen:
    """One whose next deed is *deed*."""
    message, posted = (None, 0) if deed == "post" else (7, 1)
    pinned = deed == "unpin"
    return Screen(
        game_id=1, kind="board", receiver=max(chat, 0), chat_id=chat, thread_id=0, wanted='{"text": "the camp"}',
        wanted_hash="new", wanted_rev=2, post=1, ring=False, once=False, pin=deed == "pin", gone=deed == "delete",
        shown_rev=1 if deed == "edit" else 2, shown_post=posted, shown_hash="old", message_id=message, leftovers=(),
        pinned=pinned, pin_refused=False, trying=None, attempts=0,
    )  # fmt: skip


@pytest.fixture
async def telegram() -> AsyncIterator[tuple[Playground, Bot]]:
    async with Playground() as telegram:
        request, address = request_for(telegram.url), f"{telegram.url}/bot"
        async with Bot("1000:TEST", base_url=address, request=request, get_updates_request=request) as bot:
            yield telegram, bot


@pytest.mark.parametrize(("status", "words", "chat", "deed", "what", "why"), REFUSALS, ids=lambda it: str(it)[:60])
async def test_every_refusal_of_telegram_has_a_meaning(
    telegram: tuple[Playground, Bot], status: int, words: str, chat: int, deed: Deed, what: str, why: str
) -> None:
    server, bot = telegram
    tried = screen(chat, deed)
    assert tried.deed == deed
    server.faults.add({"kind": str(status), "method": "*", "text": words.partition(": ")[2] or words})
    outcome = await call(bot, tried)
    assert (outcome.what, outcome.why) == (what, why)


