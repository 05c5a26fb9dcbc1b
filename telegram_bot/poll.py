"""Long polling, for who has no public address: fetches updates and brings them to the same door as the webhook.

An update is confirmed to Telegram only after the door returned, so a kill loses nothing, and what arrives twice is the
door's to recognise. One process polls (Telegram allows no second); the others wait for its lock.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Sequence
from typing import Any

import psycopg
from telegram.error import NetworkError

from db import url as database

from .errors import TryAgain, Wrong, told
from .transport import Api, Refused
from .web import ALLOWED_UPDATES, AWAY, REFUSED, Background, Door, Reply, keep_up, stopping, storable

log = logging.getLogger(__name__)

PATIENCE = 30  # seconds that Telegram holds an empty getUpdates
LONGEST = 30.0  # seconds between tries when something is away
GIVE_UP = 10  # failures of one update: the door puts it aside after three, unless it is the door that is broken
LOCK = 0x5A02  # of the advisory lock; its second half is the bot


class Lost(Exception):
    """The connection that holds the lock is gone, and with it perhaps the lock."""


async def run(api: Api, door: Door, database_url: str, background: Sequence[Background] = ()) -> None:
    """Poll until SIGTERM or SIGINT."""
    async with stopping() as stop:
        work = [asyncio.create_task(keep_up(each)) for each in background]
        polling = asyncio.create_task(poll(api, door, database_url))
        waiting = asyncio.create_task(stop.wait())
        try:
            await asyncio.wait({polling, waiting}, return_when=asyncio.FIRST_COMPLETED)
            if polling.done():
                await polling
        finally:
            for task in (polling, waiting, *work):
                task.cancel()
            await asyncio.wait({polling, waiting, *work}, timeout=9)


async def poll(api: Api, door: Door, database_url: str) -> None:
    """Poll for good, as soon as nobody else does."""
    bot = int((await steadily(api, "getMe"))["id"])
    while True:
        try:
            async with alone(database_url, bot) as lock:
                await take_over(api)
                await fetch(api, door, lock)
        except (Lost, psycopg.OperationalError) as error:
            log.warning("polling pauses, the database is away: %s", told(error))
            await rest(2)


async def take_over(api: Api) -> None:
    """End a webhook: Telegram sends updates one way or the other. What is waiting there comes to us."""
    await steadily(api, "deleteWebhook", {"drop_pending_updates": False})


async def fetch(api: Api, door: Door, lock: psycopg.AsyncConnection[Any]) -> None:
    offset: int | None = None
    replies: set[asyncio.Task[None]] = set()
    while True:
        await still_held(lock)
        asked = {"timeout": PATIENCE, "allowed_updates": ALLOWED_UPDATES} | ({"offset": offset} if offset else {})
        for update in await steadily(api, "getUpdates", asked, read=PATIENCE + 10):
            # A stop lets the door finish: half of the ten seconds would do.
            reply = await finish(through(door, storable(update)))
            offset = update["update_id"] + 1
            if reply:
                task = asyncio.create_task(say(api, reply))
                replies.add(task)
                task.add_done_callback(replies.discard)


async def through(door: Door, update: dict[str, Any]) -> Reply:
    """What *door* replies; tried again as Telegram would with a webhook, but not for ever."""
    failures, pause = 0, 0.5
    while True:
        try:
            return await door(update)
        except TryAgain as wait:
            pause = float(wait.after)
        except AWAY as error:
            log.warning("update %d waits, the database is away: %s", update["update_id"], told(error))
            pause = min(pause * 2, LONGEST)
        except Exception as error:
            failures += 1
            log.error("update %d failed: %s", update["update_id"], told(error))
            if failures >= GIVE_UP:
                return None
            pause = min(pause * 2, LONGEST) if failures > 3 else 0.0
        await rest(pause)


async def finish(work: Awaitable[Reply]) -> Reply:
    """Wait for *work*, and when we are told to stop, first see it through."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task}, timeout=5)
        raise


async def say(api: Api, reply: dict[str, Any]) -> None:
    """Carry out a reply as Telegram does with the body of a webhook's answer: without a result, without an error."""
    parameters = {name: value for name, value in reply.items() if name != "method"}
    with contextlib.suppress(Refused, NetworkError):
        await api.call(reply["method"], parameters)


async def steadily(api: Api, method: str, parameters: dict[str, Any] | None = None, *, read: float = 10) -> Any:
    """Call *method* until it is answered. Only calls that may be repeated come here."""
    pause = 1.0
    while True:
        try:
            return await api.call(method, parameters, read=read)
        except NetworkError as error:
            log.warning("no Bot API server (%s); trying again", type(error).__name__)
        except Refused as refused:
            if refused.code in (401, 404):
                raise Wrong(REFUSED) from None
            if refused.code == 409 and "webhook" in refused.description:
                # Somebody set one while we were polling; the last to say so wins.
                with contextlib.suppress(Refused, NetworkError):
                    await api.call("deleteWebhook", {"drop_pending_updates": False})
            log.warning("%s was refused: %s", method, refused)
            if refused.retry_after:
                await rest(refused.retry_after)
                continue
        await rest(pause)
        pause = min(pause * 2, LONGEST)


async def rest(seconds: float) -> None:
    await asyncio.sleep(seconds)


# -- one at a time


@contextlib.asynccontextmanager
async def alone(database_url: str, bot: int) -> AsyncIterator[psycopg.AsyncConnection[Any]]:
    """Wait until no other process polls for *bot*, and be the one; the lock is the connection's, and dies with it."""
    async with await psycopg.AsyncConnection.connect(database.conninfo(database_url), autocommit=True) as lock:
        key = (LOCK, bot % 2**31)
        free = await (await lock.execute("select pg_try_advisory_lock(%s, %s)", key)).fetchone()
        if not free or not free[0]:
            log.info("another process is polling; waiting for it to stop")
            await lock.execute("select pg_advisory_lock(%s, %s)", key)
        log.info("polling")
        yield lock


async def still_held(lock: psycopg.AsyncConnection[Any]) -> None:
    try:
        await lock.execute("select 1")
    except psycopg.OperationalError as error:
        raise Lost from error
