"""The way to Telegram: what arrives there, and what is known when it does not answer."""

import asyncio
import datetime
from collections.abc import AsyncIterator

import pytest
from telegram import Bot, InlineKeyboardButton, InlineKeyboardMarkup
from telegram.constants import ParseMode
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

from telegram_bot import config, web
from telegram_bot.errors import Wrong
from telegram_bot.transport import AiohttpRequest, Api, MaybeSent, NotSent, Refused, request_for

from .far_end import TOKEN, FarEnd, far_end, refusal

MESSAGE = {"message_id": 5, "date": 0, "chat": {"id": -7, "type": "group", "title": "Table"},
           "text": "The door is barred."}


@pytest.fixture
async def telegram() -> AsyncIterator[FarEnd]:
    async with far_end() as end:
        yield end


def bot_at(address: str, **how: int) -> Bot:
    request = AiohttpRequest(**how)
    return Bot(TOKEN, base_url=f"{address}/bot", base_file_url=f"{address}/file/bot", request=request,
               get_updates_request=request)


async def test_a_message_arrives_as_it_was_meant(telegram):
    telegram.answers["sendMessage"] = MESSAGE
    keyboard = InlineKeyboardMarkup([[InlineKeyboardButton("🔥 Flamethrower", callback_data="a:1:é")]])
    async with bot_at(telegram.address) as bot:
        sent = await bot.send_message(-7, "<b>The door</b> is barred.", parse_mode=ParseMode.HTML,
                                      reply_markup=keyboard, disable_notification=True,
                                      api_kwargs={"ephemeral_message_parameters": {"receiver_user_id": 9}})
    assert sent.text == "The door is barred."
    assert telegram.said("sendMessage") == [{
        "chat_id": -7, "text": "<b>The door</b> is barred.", "parse_mode": "HTML", "disable_notification": True,
        "reply_markup": {"inline_keyboard": [[{"text": "🔥 Flamethrower", "callback_data": "a:1:é"}]]},
        "ephemeral_message_parameters": {"receiver_user_id": 9}}]


async def test_a_time_arrives_as_a_number(telegram):
    async with bot_at(telegram.address) as bot:
        await bot.ban_chat_member(-7, 9, until_date=datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC))
    assert telegram.said("banChatMember")[0]["until_date"] == 1767225600


async def test_a_file_can_be_sent(telegram):
    telegram.answers["sendPhoto"] = MESSAGE
    async with bot_at(telegram.address) as bot:
        await bot.send_photo(-7, b"a picture", caption="The board", filename="board.png")
    said, = telegram.said("sendPhoto")
    assert (said["chat_id"], said["caption"]) == ("-7", "The board")
    assert b"a picture" in said.values()


@pytest.mark.parametrize(("answer", "error"), [
    (refusal(400, "Bad Request: message is not modified"), BadRequest),
    (refusal(403, "Forbidden: bot was blocked by the user"), Forbidden),
    (refusal(409, "Conflict: terminated by other getUpdates request"), Conflict),
    (refusal(429, "Too Many Requests: retry after 7", retry_after=7), RetryAfter),
    (refusal(400, "Bad Request: group chat was upgraded", migrate_to_chat_id=-1007), ChatMigrated),
    (refusal(500, "Internal Server Error: restart"), NetworkError),
])
async def test_what_telegram_says_keeps_the_types_of_python_telegram_bot(telegram, answer, error):
    async with bot_at(telegram.address) as bot:
        telegram.answers["sendMessage"] = answer
        with pytest.raises(error) as caught:
            await bot.send_message(-7, "x")
    assert not isinstance(caught.value, (NotSent, MaybeSent))


async def test_without_a_connection_nothing_was_sent():
    bot = bot_at("http://127.0.0.1:1")
    with pytest.raises(NotSent) as caught:
        async with bot:
            pass
    assert TOKEN not in repr(caught.value)
    assert isinstance(caught.value, NetworkError) and not isinstance(caught.value, TimedOut)


async def test_an_unknown_host_was_sent_nothing():
    with pytest.raises(NotSent):
        async with request_for("http://nowhere.invalid") as request:
            await Api(request, "http://nowhere.invalid", TOKEN).call("getMe")


async def test_a_connection_that_breaks_may_have_sent_it():
    came = asyncio.Event()

    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        came.set()
        writer.transport.abort()

    async with await asyncio.start_server(hang_up, "127.0.0.1", 0) as server:
        address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        async with request_for(address) as request:
            with pytest.raises(MaybeSent):
                await Api(request, address, TOKEN).call("sendMessage", {"chat_id": 7, "text": "x"})
    assert came.is_set()


async def test_an_answer_that_does_not_come_may_have_been_done(telegram):
    gone = asyncio.Event()

    async def too_late(parameters: object) -> object:
        await gone.wait()
        return MESSAGE

    telegram.answers["sendMessage"] = too_late
    async with bot_at(telegram.address) as bot:
        with pytest.raises(MaybeSent) as caught:
            await bot.send_message(-7, "x", read_timeout=0.01)
    gone.set()
    assert isinstance(caught.value, TimedOut)
    assert telegram.said("sendMessage")


async def test_when_all_connections_are_busy_nothing_was_sent(telegram):
    begun, done = asyncio.Event(), asyncio.Event()

    async def slow(parameters: object) -> object:
        begun.set()
        await done.wait()
        return MESSAGE

    telegram.answers["sendMessage"] = slow
    async with bot_at(telegram.address, pool_size=1) as bot:
        first = asyncio.create_task(bot.send_message(-7, "first"))
        await begun.wait()
        with pytest.raises(NotSent):
            await bot.send_message(-7, "second", pool_timeout=0.01, connect_timeout=0.01)
        done.set()
        await first
    assert [said["text"] for said in telegram.said("sendMessage")] == ["first"]


async def test_a_gateways_page_is_no_answer(telegram, caplog):
    from aiohttp.web import Response

    telegram.answers["sendMessage"] = lambda _: page()

    async def page() -> Response:
        return Response(status=502, text="<html>Ann holds The Thing</html>")

    async with bot_at(telegram.address) as bot:
        with pytest.raises(NetworkError):
            await bot.send_message(-7, "x")
    async with request_for(telegram.address) as request:
        with pytest.raises(Refused, match="502 an answer that is not the Bot API's"):
            await Api(request, telegram.address, TOKEN).call("sendMessage")
    assert "Thing" not in caplog.text


async def test_a_wrong_token_is_told_so(telegram):
    wrong = TOKEN[:-1] + "x"
    async with request_for(telegram.address) as request:
        with pytest.raises(Wrong, match="BOT_TOKEN was refused by Telegram"):
            await web.introduce(Api(request, telegram.address, wrong))
    with pytest.raises(InvalidToken):
        async with Bot(wrong, base_url=f"{telegram.address}/bot", request=AiohttpRequest()):
            pass


# -- the webhook is set when it must be


async def test_the_webhook_is_set_once_and_again_only_for_a_reason(telegram):
    settings = config.read({"BOT_TOKEN": TOKEN, "PUBLIC_URL": "https://bot.example.org"})
    telegram.answers["getWebhookInfo"] = {"url": "", "pending_update_count": 3}
    async with request_for(telegram.address) as request:
        api = Api(request, telegram.address, TOKEN)
        assert await web.set_webhook(api, settings)
        said, = telegram.said("setWebhook")
        assert said["url"].startswith("https://bot.example.org/telegram")
        assert said["secret_token"] == settings.secret
        assert said["allowed_updates"] == ["message", "callback_query", "my_chat_member", "chat_member"]
        assert said["drop_pending_updates"] is False

        telegram.answers["getWebhookInfo"] = {"url": said["url"], "allowed_updates": said["allowed_updates"][::-1]}
        assert not await web.set_webhook(api, settings)

        other = config.read({"BOT_TOKEN": TOKEN, "PUBLIC_URL": "https://bot.example.org", "WEBHOOK_SECRET": "other"})
        assert await web.set_webhook(api, other)
        telegram.answers["getWebhookInfo"] = {"url": said["url"], "allowed_updates": ["message"]}
        assert await web.set_webhook(api, settings)
