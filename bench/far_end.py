"""The leanest Telegram there can be, for measuring: every call succeeds at once, and what people see is remembered.

In place of the playground, which checks and records everything and needs more processor time than the bot.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

import msgspec

ME = {
    "id": 1000,
    "is_bot": True,
    "first_name": "Stay Away!",
    "username": "stay_away_bot",
    "can_join_groups": True,
    "can_read_all_group_messages": False,
    "supports_inline_queries": False,
}
Rows = list[list[dict[str, Any]]]


class FarEnd:
    """A Bot API server on *port*. *seen* is called when a message changes: chat, message id, rows of buttons, when."""

    def __init__(self) -> None:
        self.port = 0
        self.calls = 0
        self.panels: dict[int, dict[int, Rows]] = {}
        self.seen: Callable[[int, int, Rows, float], None] = lambda chat, message, rows, at: None
        self._message = 0
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> FarEnd:
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: _Connection(self), "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *error: object) -> None:
        assert self._server is not None
        self._server.close()

    def answer(self, method: str, given: dict[str, Any]) -> Any:
        self.calls += 1
        if method == "getMe":
            return ME
        if method in ("sendMessage", "editMessageText"):
            chat = int(given["chat_id"])
            if method == "sendMessage":
                self._message += 1
                number = self._message
            else:
                number = int(given["message_id"])
            markup = given.get("reply_markup") or {}
            if isinstance(markup, str):  # a form, as python-telegram-bot's own client sends it
                markup = msgspec.json.decode(markup)
            rows: Rows = markup.get("inline_keyboard", [])
            self.panels.setdefault(chat, {})[number] = rows
            self.seen(chat, number, rows, time.perf_counter())
            return {
                "message_id": number,
                "date": 1767225600,
                "text": given["text"],
                "chat": {"id": chat, "type": "private" if chat > 0 else "supergroup"},
                "reply_markup": markup or None,
            }
        if method == "deleteMessage":
            self.panels.get(int(given["chat_id"]), {}).pop(int(given["message_id"]), None)
        if method in ("getMyCommands",):
            return []
        if method == "getMyDescription":
            return {"description": ""}
        return True


class _Connection(asyncio.Protocol):
    """HTTP/1.1 as our two clients speak it: a head, and a body of a known length."""

    def __init__(self, end: FarEnd) -> None:
        self.end = end
        self.heard = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.heard += data
        while (head := self.heard.find(b"\r\n\r\n")) >= 0:
            lines = self.heard[:head].decode("latin-1").split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
            end = head + 4 + int(headers.get("content-length", 0))
            if len(self.heard) < end:
                return
            body, self.heard = self.heard[head + 4 : end], self.heard[end:]
            self._answer(lines[0].split(" ")[1].rpartition("/")[2], body, headers.get("content-type", ""))

    def _answer(self, method: str, body: bytes, kind: str) -> None:
        if not body:
            given: dict[str, Any] = {}
        elif "json" in kind:
            given = msgspec.json.decode(body)
        else:
            from urllib.parse import parse_qsl

            given = dict(parse_qsl(body.decode()))
        said = msgspec.json.encode({"ok": True, "result": self.end.answer(method, given)})
        self.transport.write(
            b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(said) + said
        )
