"""How updates reach a bot: webhooks with queues, retries and lifetimes, and long polling (field/telegram.md 2)."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import time
from typing import Any

import aiohttp

from playground.errors import Refused
from playground.forms import read_body
from playground.methods import Call, allowed, get_updates
from playground.record import Record
from playground.things import Bot, Update
from playground.world import World

POLL_MAX = 50  # LONG_POLL_MAX_TIMEOUT
IGNORED = ("setwebhook", "deletewebhook", "close", "logout")


class Delivery:
    """Takes updates out of the bots' queues and brings them home."""

    def __init__(self, world: World, record: Record, call: Any) -> None:
        self.world, self.record = world, record
        self._call = call  # runs a method that came in the answer to a webhook request
        self._session: aiohttp.ClientSession | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._busy: dict[int, set[str]] = {}
        self._failing: set[int] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._kicked = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._polls: dict[int, asyncio.Future[str]] = {}
        self.paused = False

    async def start(self) -> None:
        """Begin to deliver."""
        self._loop = asyncio.get_running_loop()
        self._session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), auto_decompress=True)
        self.world.listeners.append(self.kick)
        self.kick()

    async def stop(self) -> None:
        """Stop; what is under way is cut off."""
        with contextlib.suppress(ValueError):
            self.world.listeners.remove(self.kick)
        if self._timer:
            self._timer.cancel()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._session:
            await self._session.close()
        self._loop = None

    @property
    def in_flight(self) -> int:
        """Deliveries under way."""
        return len(self._tasks)

    @property
    def polling(self) -> set[int]:
        """The bots that wait in getUpdates."""
        return set(self._polls)

    # --- webhooks

    def kick(self) -> None:
        """Look at the queues soon."""
        if not self._kicked and self._loop is not None:
            self._kicked = True
            self._loop.call_soon(self._dispatch)

    def _dispatch(self) -> None:
        self._kicked = False
        if self._loop is None or self.paused:
            return
        now, wake = self.world.now(), None
        for bot in self.world.bots.values():
            waiting = self._polls.get(bot.id)
            if waiting and not waiting.done() and bot.pending:
                waiting.set_result("news")
            if not bot.webhook.url or not bot.pending:
                if bot.pending:
                    soonest = min(u.not_before for u in bot.pending.values())
                    wake = soonest if soonest > now and (wake is None or soonest < wake) else wake
                continue
            self.world.drop_expired(bot)
            busy = self._busy.setdefault(bot.id, set())
            # After an error one connection only, until something succeeds (WebhookActor).
            room = (1 if bot.id in self._failing else bot.webhook.max_connections) - len(busy)
            held = set(busy)
            for number, update in list(bot.pending.items()):
                if room <= 0:
                    break
                if update.key in held:
                    continue
                held.add(update.key)  # strictly one after the other within a queue
                if update.not_before > now:
                    wake = update.not_before if wake is None else min(wake, update.not_before)
                    continue
                busy.add(update.key)
                room -= 1
                update.state = "sending"
                task = self._loop.create_task(self._deliver(bot, number, update, busy))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
        if self._timer:
            self._timer.cancel()
            self._timer = None
        if wake is not None:
            self._timer = self._loop.call_later(max(0.005, wake - now), self.kick)

    async def _deliver(self, bot: Bot, number: int, update: Update, busy: set[str]) -> None:
        hook, started = bot.webhook, time.monotonic()
        url, status, error, retry_after = hook.url, 0, "", 0.0
        body, content_type = b"", ""
        headers = {"Content-Type": "application/json"}
        if hook.secret:
            headers["X-Telegram-Bot-Api-Secret-Token"] = hook.secret
        assert self._session is not None
        update.attempts += 1
        try:
            timeout = aiohttp.ClientTimeout(total=self.world.settings.webhook_timeout)
            async with self._session.post(
                url,
                data=json.dumps(update.body(), ensure_ascii=False).encode("utf-8", "surrogatepass"),
                headers=headers,
                timeout=timeout,
                allow_redirects=False,
            ) as response:
                body, content_type, status = (
                    await response.read(),
                    response.headers.get("Content-Type", ""),
                    response.status,
                )
                with contextlib.suppress(ValueError):
                    retry_after = min(3600.0, float(response.headers.get("Retry-After", "0")))
            if not 200 <= status < 300:
                error = f"Wrong response from the webhook: {status} {response.reason}"
        except TimeoutError:
            error = "Read timeout expired"
        except (aiohttp.ClientError, OSError) as problem:
            error = (
                "Connection refused"
                if isinstance(problem, aiohttp.ClientConnectorError)
                else f"Connection closed: {problem}"
            )
        finally:
            busy.discard(update.key)
            if not (status or error):
                update.state = "waiting"  # cut off by stop()
        now = self.world.now()
        self.record.add(
            "delivery",
            at=round(now, 3),
            bot=bot.id,
            update_id=update.id,
            kind=update.kind,
            key=update.key,
            attempt=update.attempts,
            status=status,
            error=error,
            seconds=round(time.monotonic() - started, 4),
        )
        if not error:
            self._failing.discard(bot.id)
            update.state, update.handled_at = "delivered", now
            bot.pending.pop(number, None)
            if body:
                self._obey(bot, body, content_type)
        else:
            self._failing.add(bot.id)
            hook.last_error_date, hook.last_error_message = self.world.stamp(), error
            update.last_error = error
            if update.state == "sending":
                update.state = "waiting"
            update.not_before = now + (retry_after or self._pause(update.attempts))
        self.world.tell("delivered", update=update.id, ok=not error)

    @staticmethod
    def _pause(attempts: int) -> float:
        """The first retry comes at once; then 2, 4, 8 ... seconds, at most a random 60 to 120."""
        if attempts <= 1:
            return 0.0
        return min(2.0 ** min(attempts - 1, 10), random.uniform(60, 120))

    def _obey(self, bot: Bot, body: bytes, content_type: str) -> None:
        """Run the method that the answer names; its result is told to nobody (bots/faq)."""
        try:
            params = read_body(body, content_type)
        except Refused:
            return
        name = params.pop("method", None)
        if not isinstance(name, str) or name.lower().startswith("get") or name.lower() in IGNORED:
            return
        with contextlib.suppress(Refused):
            self._call(bot, name, params, "webhook answer")

    # --- getUpdates

    async def poll(self, api: Any, bot: Bot, params: dict[str, Any]) -> Any:
        """getUpdates: waits until there is something, or the time is over."""
        call = Call(params)
        if bot.webhook.url:
            raise Refused(
                409,
                "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
            )
        allowed(call, bot)
        older = self._polls.pop(bot.id, None)
        if older and not older.done():
            older.set_result("terminated by other getUpdates request; make sure that only one bot instance is running")
        taken = get_updates(api, bot, call)
        timeout = min(POLL_MAX, max(0, call.integer("timeout")))
        end = time.monotonic() + timeout
        while not taken and time.monotonic() < end:
            future: asyncio.Future[str] = asyncio.get_running_loop().create_future()
            self._polls[bot.id] = future
            try:
                why = await asyncio.wait_for(future, end - time.monotonic())
            except TimeoutError:
                break
            finally:
                if self._polls.get(bot.id) is future:
                    del self._polls[bot.id]
            if why != "news":
                raise Refused(409, why)
            taken = get_updates(api, bot, call)
            if not taken:
                await asyncio.sleep(0.02)  # what is there is held back on purpose
        return taken

    def end_polls(self, bot: Bot) -> None:
        """A webhook is set: who polls is told."""
        waiting = self._polls.pop(bot.id, None)
        if waiting and not waiting.done():
            waiting.set_result("terminated by setWebhook request")
