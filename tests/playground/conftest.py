"""A fresh Telegram for each test, driven over real HTTP: its Bot API as a bot does, its control API as people do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from playground import Playground
from tests.botapi.fixtures import checked_playground


class Far:
    """A Telegram seen from outside."""

    def __init__(self, playground: Playground, session: aiohttp.ClientSession) -> None:
        self.playground, self.session, self.url = playground, session, playground.url
        self.token = playground.bot.token

    async def raw(self, method: str, **params: Any) -> tuple[int, dict[str, Any]]:
        """A call as JSON: the HTTP status and the body."""
        async with self.session.post(f"{self.url}/bot{self.token}/{method}", json=params) as response:
            return response.status, await response.json()

    async def call(self, method: str, **params: Any) -> Any:
        """The result of a call that must succeed."""
        status, body = await self.raw(method, **params)
        assert status == 200 and body["ok"], body
        return body["result"]

    async def refused(self, method: str, **params: Any) -> str:
        """The description of a call that must be refused; the code is its HTTP status, too."""
        status, body = await self.raw(method, **params)
        assert not body["ok"] and status == body["error_code"], body
        return body["description"]

    async def post(self, path: str, **body: Any) -> Any:
        """The control API, where it must succeed. as_ is as."""
        status, data = await self.control(path, **body)
        assert status == 200, data
        return data

    async def control(self, path: str, **body: Any) -> tuple[int, Any]:
        """The control API, whatever it says."""
        body = {name.rstrip("_"): value for name, value in body.items()}
        async with self.session.post(f"{self.url}/control/{path}", json=body) as response:
            return response.status, await response.json()

    async def get(self, path: str) -> Any:
        """What the control API shows."""
        async with self.session.get(f"{self.url}/control/{path}") as response:
            assert response.status == 200, await response.text()
            return await response.json()

    # --- the cast

    async def person(self, name: str = "Ann", start: bool = False, **more: Any) -> int:
        """A new person; *start*: with a private chat."""
        person = (await self.post("people", name=name, **more))["id"]
        if start:
            await self.post(f"people/{person}/start")
        return person

    async def group(self, *people: int, **more: Any) -> int:
        """A new group with these people and the bot."""
        return (await self.post("groups", **{"title": "Camp", "people": list(people), **more}))["id"]

    async def seen(self, chat: int | str, as_: int | None = None, **more: Any) -> list[dict[str, Any]]:
        """The messages somebody sees, service messages left out."""
        query = "&".join(f"{k}={v}" for k, v in {"as": as_, **more}.items() if v is not None)
        return [m for m in (await self.get(f"chats/{chat}/messages?{query}"))["messages"] if "service" not in m]

    async def updates(self, **params: Any) -> list[dict[str, Any]]:
        """What getUpdates brings; all of it is confirmed."""
        updates = await self.call("getUpdates", **params)
        if updates:
            await self.call("getUpdates", offset=updates[-1]["update_id"] + 1, limit=1)
        return updates


@pytest.fixture
async def far() -> AsyncIterator[Far]:
    """A Telegram without limits, seen from outside."""
    async with checked_playground(limits=False) as playground, aiohttp.ClientSession() as session:
        yield Far(playground, session)


@pytest.fixture
async def limited() -> AsyncIterator[Far]:
    """A Telegram with its limits."""
    async with checked_playground() as playground, aiohttp.ClientSession() as session:
        yield Far(playground, session)


class Hook:
    """A bot's webhook: keeps what comes, answers what it is told to."""

    def __init__(self) -> None:
        self.got: list[dict[str, Any]] = []
        self.headers: list[Any] = []
        self.answer: Any = lambda update: web.Response()
        self.news = asyncio.Condition()
        self.url = ""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        update = await request.json()
        self.headers.append(request.headers)
        async with self.news:
            self.got.append(update)
            self.news.notify_all()
        answer = self.answer(update)
        return await answer if asyncio.iscoroutine(answer) else answer

    async def until(self, count: int) -> list[dict[str, Any]]:
        """The updates, as soon as there are *count*."""
        async with self.news:
            await asyncio.wait_for(self.news.wait_for(lambda: len(self.got) >= count), 10)
        return self.got


@pytest.fixture
async def hook() -> AsyncIterator[Hook]:
    """A webhook that listens."""
    hook = Hook()
    app = web.Application()
    app.router.add_post("/hook", hook.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    hook.url = f"http://127.0.0.1:{runner.addresses[0][1]}/hook"
    yield hook
    await runner.cleanup()
