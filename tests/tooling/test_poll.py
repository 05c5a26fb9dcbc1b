"""Long polling: through the same door, confirmed only afterwards, one process at a time."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import psycopg
import pytest
import sqlalchemy.exc

from db import url as database
from telegram_bot import poll
from telegram_bot.errors import TryAgain, Wrong
from telegram_bot.transport import Api, request_for

from .far_end import TOKEN, FarEnd, far_end, refusal


class Door:
    """Notes what came through, and fails as often as it was told."""

    def __init__(self) -> None:
        self.came: asyncio.Queue[int] = asyncio.Queue()
        self.failures: list[Exception] = []
        self.reply: dict[str, Any] | None = None

    async def __call__(self, update: dict[str, Any]) -> dict[str, Any] | None:
        await self.came.put(update["update_id"])
        if self.failures:
            raise self.failures.pop(0)
        return self.reply


@pytest.fixture
async def telegram(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[FarEnd]:
    async def at_once(seconds: float) -> None:
        await asyncio.sleep(0)

    monkeypatch.setattr(poll, "rest", at_once)
    async with far_end() as end:
        yield end


@pytest.fixture
async def polling(telegram: FarEnd, blank_database_url: str) -> AsyncIterator[Callable[[Door], asyncio.Task[None]]]:
    tasks: list[asyncio.Task[None]] = []
    async with request_for(telegram.address) as request:
        api = Api(request, telegram.address, TOKEN)

        def begin(door: Door) -> asyncio.Task[None]:
            tasks.append(asyncio.create_task(poll.poll(api, door, blank_database_url)))
            return tasks[-1]

        yield begin
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def test_updates_come_in_order_and_a_webhook_ends_first(telegram, polling):
    door = Door()
    await telegram.send({"update_id": 7}, {"update_id": 8})
    polling(door)
    assert [await door.came.get(), await door.came.get()] == [7, 8]
    await telegram.send({"update_id": 9})
    assert await door.came.get() == 9
    names = [name for name, _ in telegram.calls]
    assert names[:3] == ["getMe", "deleteWebhook", "getUpdates"]
    assert telegram.said("deleteWebhook") == [{"drop_pending_updates": False}]
    assert telegram.said("getUpdates")[0]["allowed_updates"] == [
        "message", "callback_query", "my_chat_member", "chat_member"]
    assert [said.get("offset") for said in telegram.said("getUpdates")][:2] == [None, 9]


async def test_an_update_is_confirmed_only_after_the_door_returned(telegram, polling):
    entered, never = asyncio.Event(), asyncio.Event()

    async def stuck(update: dict[str, Any]) -> None:
        entered.set()
        await never.wait()

    await telegram.send({"update_id": 7})
    killed = polling(stuck)
    await entered.wait()
    assert [said.get("offset") for said in telegram.said("getUpdates")] == [None]
    killed.cancel()
    never.set()
    await asyncio.gather(killed, return_exceptions=True)
    door = Door()
    polling(door)
    assert await door.came.get() == 7


async def test_a_failure_is_tried_again_as_telegram_would(telegram, polling, caplog):
    door = Door()
    door.failures = [ValueError("The Thing"), TryAgain(after=1), sqlalchemy.exc.OperationalError("", {}, Exception())]
    await telegram.send({"update_id": 7}, {"update_id": 8})
    polling(door)
    assert [await door.came.get() for _ in range(5)] == [7, 7, 7, 7, 8]
    assert "update 7 failed: ValueError" in caplog.text and "Thing" not in caplog.text


async def test_an_update_that_the_door_never_puts_aside_does_not_stop_the_rest(telegram, polling):
    door = Door()
    door.failures = [ValueError() for _ in range(poll.GIVE_UP)]
    await telegram.send({"update_id": 7}, {"update_id": 8})
    polling(door)
    assert [await door.came.get() for _ in range(poll.GIVE_UP + 1)] == [7] * poll.GIVE_UP + [8]


async def test_the_reply_is_carried_out_as_a_call_whose_failure_nobody_hears(telegram, polling):
    called = asyncio.Event()

    async def too_old(parameters: object) -> object:
        called.set()
        return refusal(400, "Bad Request: query is too old and response timeout expired or query ID is invalid")

    telegram.answers["answerCallbackQuery"] = too_old
    door = Door()
    door.reply = {"method": "answerCallbackQuery", "callback_query_id": "9", "text": "Not your turn."}
    await telegram.send({"update_id": 7})
    polling(door)
    await called.wait()
    assert telegram.said("answerCallbackQuery") == [{"callback_query_id": "9", "text": "Not your turn."}]
    await telegram.send({"update_id": 8})
    assert [await door.came.get(), await door.came.get()] == [7, 8]


async def test_one_polls_and_the_next_takes_over(telegram, polling, blank_database_url):
    first, second = Door(), Door()
    await telegram.send({"update_id": 7})
    one = polling(first)
    assert await first.came.get() == 7
    polling(second)
    async with await psycopg.AsyncConnection.connect(database.conninfo(blank_database_url), autocommit=True) as eye:
        waiting = "select count(*) from pg_locks where locktype = 'advisory' and not granted"
        while (await (await eye.execute(waiting)).fetchone()) != (1,):  # noqa: ASYNC110  Postgres sends no event
            await asyncio.sleep(0)
    await telegram.send({"update_id": 8})
    assert await first.came.get() == 8
    assert second.came.empty()
    one.cancel()
    await asyncio.gather(one, return_exceptions=True)
    await telegram.send({"update_id": 9})
    while await second.came.get() != 9:  # 8 may come twice: it was not confirmed yet
        pass


async def test_who_loses_the_lock_stops_polling_until_it_has_it_again(telegram, polling, blank_database_url):
    door = Door()
    await telegram.send({"update_id": 7})
    polling(door)
    assert await door.came.get() == 7
    async with await psycopg.AsyncConnection.connect(database.conninfo(blank_database_url), autocommit=True) as killer:
        await killer.execute("select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'")
    await telegram.send({"update_id": 8})
    while await door.came.get() != 8:
        pass
    await telegram.send({"update_id": 9})
    while await door.came.get() != 9:
        pass
    assert len(telegram.said("deleteWebhook")) == 2


async def test_a_webhook_that_somebody_sets_meanwhile_is_ended(telegram, polling):
    telegram.answers["getUpdates"] = [refusal(409, "Conflict: can't use getUpdates method while webhook is active"),
                                      refusal(502, "Bad Gateway"), refusal(429, "Too Many", retry_after=3)]
    door = Door()
    await telegram.send({"update_id": 7})
    polling(door)
    assert await door.came.get() == 7
    assert len(telegram.said("deleteWebhook")) == 2


async def test_a_token_that_is_revoked_ends_it_with_one_line(telegram, polling):
    telegram.answers["getUpdates"] = [refusal(401, "Unauthorized")]
    with pytest.raises(Wrong, match="BOT_TOKEN was refused by Telegram"):
        await polling(Door())
