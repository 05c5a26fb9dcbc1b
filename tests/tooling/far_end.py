"""Telegram's far end: answers calls as it was told, and notes them."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

TOKEN = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw"


class FarEnd:
    """A Bot API server of a few methods; `answers[method]` is a result, an error, or a function of the parameters."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.answers: dict[str, Any] = {"getMe": {"id": 110201543, "is_bot": True, "first_name": "Stay Away!"}}
        self.waiting: list[dict[str, Any]] = []
        self.more = asyncio.Condition()
        self.address = ""

    def said(self, method: str) -> list[dict[str, Any]]:
        return [parameters for name, parameters in self.calls if name == method]

    async def send(self, *updates: dict[str, Any]) -> None:
        async with self.more:
            self.waiting += updates
            self.more.notify_all()

    async def handle(self, request: web.Request) -> web.Response:
        _, token, method = request.path.split("/")
        if token != f"bot{TOKEN}":
            return refusal(401, "Unauthorized")
        if request.content_type == "application/json":
            parameters = json.loads(await request.read())
        else:
            parameters = {name: value if isinstance(value, str) else value.file.read()  # type: ignore[union-attr]
                          for name, value in (await request.post()).items()}
        self.calls.append((method, parameters))
        answer = self.answers.get(method, True)
        if isinstance(answer, list):
            answer = answer.pop(0) if answer else True
        if isinstance(answer, Callable):  # type: ignore[arg-type]
            answer = await answer(parameters)
        if method == "getUpdates" and answer is True:
            answer = await self.updates(parameters)
        if isinstance(answer, web.Response):
            return answer
        return web.json_response({"ok": True, "result": answer})

    async def updates(self, parameters: dict[str, Any]) -> list[dict[str, Any]]:
        async with self.more:
            if offset := parameters.get("offset"):
                self.waiting = [each for each in self.waiting if each["update_id"] >= offset]
            await self.more.wait_for(lambda: self.waiting)
            return list(self.waiting)


def refusal(code: int, description: str, **parameters: Any) -> web.Response:
    body = {"ok": False, "error_code": code, "description": description} | (
        {"parameters": parameters} if parameters else {})
    return web.json_response(body, status=code)


@asynccontextmanager
async def far_end() -> AsyncIterator[FarEnd]:
    end = FarEnd()
    runner = web.ServerRunner(web.Server(end.handle), shutdown_timeout=0)  # type: ignore[arg-type]
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    end.address = "http://{}:{}".format(*runner.addresses[0][:2])
    try:
        yield end
    finally:
        await runner.cleanup()
