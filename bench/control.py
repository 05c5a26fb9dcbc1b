"""The playground's control API for a script that drives hundreds of people at once."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp

Data = dict[str, Any]


class Nothing(Exception):
    """The playground says that this cannot be: the message is gone, there is no such button ..."""


class Telegram:
    """The playground at *address*."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._http: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Telegram:
        self._http = aiohttp.ClientSession(
            f"{self.address}/control/", timeout=aiohttp.ClientTimeout(120), connector=aiohttp.TCPConnector(limit=0)
        )
        return self

    async def __aexit__(self, *error: object) -> None:
        assert self._http is not None
        await self._http.close()

    async def get(self, path: str, **asked: object) -> Data:
        assert self._http is not None
        given = {name: str(value) for name, value in asked.items() if value is not None}
        async with self._http.get(path, params=given) as answer:
            return await _checked(answer)

    async def post(self, path: str, **given: object) -> Data:
        assert self._http is not None
        async with self._http.post(path, json=given) as answer:
            return await _checked(answer)

    async def events(self, since: int) -> AsyncIterator[Data]:
        """Everything that happens, as it happens."""
        assert self._http is not None
        async with self._http.get(
            "events", params={"since": str(since)}, timeout=aiohttp.ClientTimeout(None)
        ) as stream:
            async for line in stream.content:
                if line.startswith(b"data: "):
                    yield json.loads(line[6:])

    # What people do.

    async def person(self, name: str) -> Data:
        return await self.post("people", name=name)

    async def group(self, title: str, people: list[Data], **more: object) -> Data:
        return await self.post("groups", title=title, people=[one["id"] for one in people], **more)

    async def write(self, who: int, text: str, chat: object = "private") -> Data:
        return await self.post("write", **{"as": who}, chat=chat, text=text)

    async def press(self, who: int, message: int, data: str, chat: object = "private", wait: float = 0) -> Data:
        return await self.post("press", **{"as": who}, chat=chat, message=message, data=data, wait=wait)

    async def messages(self, chat: object, who: int | None = None, last: int | None = None) -> list[Data]:
        found: list[Data] = (await self.get(f"chats/{chat}/messages", **{"as": who}, last=last))["messages"]
        return found

    async def private(self, who: int, last: int | None = None) -> list[Data]:
        return await self.messages("private", who, last)

    async def forward(self, seconds: float) -> None:
        """Move the clocks of Telegram and of the bot."""
        await self.post("clock", forward=seconds)


async def _checked(answer: aiohttp.ClientResponse) -> Data:
    found: Data = json.loads(await answer.read())
    if answer.status >= 400:
        raise Nothing(f"{answer.url.path}: {answer.status} {found.get('error')}")
    return found


def buttons(message: Data) -> list[Data]:
    """The buttons of a message, row by row."""
    return [button for row in message.get("buttons") or [] for button in row]
