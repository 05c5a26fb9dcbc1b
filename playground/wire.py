"""The Bot API over HTTP: ``/bot<token>/<method>`` in any encoding. Bare ASGI, for its speed."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import socket
import time
from typing import TYPE_CHECKING, Any

from playground import faults, forms
from playground.errors import Refused, describe
from playground.methods import METHODS
from playground.record import plain
from playground.things import Bot

if TYPE_CHECKING:
    from playground.server import Playground

_PATH = re.compile(r"/bot([^/]*)/(?:test/)?([^/]*)/?")
_TOKEN = re.compile(r"\d+:[\w-]+")
_DESCRIBED = {"setWebhook": "Webhook was set", "deleteWebhook": "Webhook was deleted"}
BODY_LIMIT = 50 * 1024 * 1024


class Wire:
    """Takes calls off the wire, lets faults strike them, and puts them on the record."""

    def __init__(self, playground: Playground) -> None:
        self.playground = playground

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        body = bytearray()
        while True:
            event = await receive()
            if event["type"] == "http.disconnect":
                return
            body += event.get("body", b"")
            if len(body) > BODY_LIMIT:
                await _answer(send, 413, {"ok": False, "error_code": 413, "description": "Request Entity Too Large"})
                return
            if not event.get("more_body"):
                break
        self.playground.active += 1
        try:
            await self._answer_call(scope, bytes(body), send)
        finally:
            self.playground.active -= 1
            self.playground.last_activity = time.monotonic()

    async def _answer_call(self, scope: Any, body: bytes, send: Any) -> None:
        found = _PATH.fullmatch(scope["path"])
        if not found or scope["method"] not in ("GET", "POST"):
            await _answer(send, 404, {"ok": False, "error_code": 404, "description": "Not Found"})
            return
        token, name = found[1], METHODS.get(found[2].lower(), (found[2], None))[0]
        bot = next((b for b in self.playground.world.bots.values() if b.token == token), None)
        if bot is None:
            text = "" if _TOKEN.fullmatch(token) else "invalid token specified"
            await _answer(send, 401, {"ok": False, "error_code": 401, "description": describe(401, text)})
            return
        content_type = next((v.decode("latin-1") for k, v in scope["headers"] if k == b"content-type"), "")
        encoding = forms.encoding_of(content_type) if body else "query"
        try:
            params = forms.read_query(scope["query_string"]) | forms.read_body(body, content_type)
        except Refused as refusal:
            self._note(bot, name, {}, encoding, refusal)
            await _answer(send, refusal.code, refusal.body())
            return
        fault = None
        if self.playground.faults.rules:
            fault = self.playground.faults.strike(name, self._chat_number(params))
        if fault and fault.kind == "slow_before":
            await asyncio.sleep(fault.seconds)
        if fault and fault.kind in ("reset_before", "429", "400", "401", "403", "500", "502", "504"):
            wrong = faults.refusal(fault)
            code = int(fault.kind) if fault.kind.isdigit() else 0
            why = wrong.description if wrong else fault.kind
            entry = self._note(bot, name, params, encoding)
            entry |= {"ok": False, "fault": fault.kind, "error_code": code, "description": why}
            if fault.kind == "reset_before":
                await _reset(send)
            elif wrong:
                await _answer(send, wrong.code, wrong.body())
            else:
                await _send(send, int(fault.kind), faults.gateway_page(fault), b"text/html")
            return
        try:
            if name == "getUpdates":
                result = await self._poll(bot, params, encoding)
            else:
                result = self.execute(bot, name, params, encoding, fault=fault.kind if fault else "")
            status, answer = 200, {"ok": True, "result": result}
            if name in _DESCRIBED and result is True:
                answer["description"] = _DESCRIBED[name]
        except Refused as refusal:
            status, answer = refusal.code, refusal.body()
        if fault and fault.kind == "reset_after":
            await _reset(send)
            return
        if fault and fault.kind == "slow_after":
            await asyncio.sleep(fault.seconds)
        await _answer(send, status, answer)

    async def _poll(self, bot: Bot, params: dict[str, Any], encoding: str) -> Any:
        """getUpdates; on the record only if it brought something or failed, or the record would be full of it."""
        self.playground.active -= 1  # waiting is no work under way
        try:
            self._check("getUpdates", params, encoding)
            result = await self.playground.delivery.poll(self.playground.api, bot, params)
            if result:
                self._note(bot, "getUpdates", params, encoding)["result"] = [u["update_id"] for u in result]
            return result
        except Refused as refusal:
            self._note(bot, "getUpdates", params, encoding, refusal)
            raise
        finally:
            self.playground.active += 1

    def _note(
        self, bot: Bot, name: str, params: dict[str, Any], encoding: str, refusal: Refused | None = None
    ) -> dict[str, Any]:
        """Put a call on the record, as one that went well or was refused; the entry."""
        at = round(self.playground.world.now(), 3)
        entry = self.playground.record.add(
            "call", at=at, bot=bot.id, method=name, params=plain(params), encoding=encoding, ok=refusal is None
        )
        if refusal is not None:
            entry |= {"error_code": refusal.code, "description": refusal.description}
        return entry

    @staticmethod
    def _chat_number(params: dict[str, Any]) -> int:
        try:
            return int(params.get("chat_id", 0))
        except (TypeError, ValueError):
            return 0

    def _check(self, name: str, params: dict[str, Any], encoding: str) -> None:
        if self.playground.check is None:
            return
        problems = self.playground.check(name, params, encoding in ("form", "multipart", "query"))
        if problems:
            self.playground.record.violations.append({"method": name, "params": plain(params), "problems": problems})
            raise Refused(400, "schema: " + "; ".join(problems))

    def execute(self, bot: Bot, name: str, params: dict[str, Any], encoding: str, fault: str = "") -> Any:
        """Run one method and put it on the record; raises the refusal."""
        name = METHODS.get(name.lower(), (name, None))[0]
        entry = self._note(bot, name, params, encoding)
        if fault:
            entry["fault"] = fault
        try:
            if name.lower() in METHODS or self.playground.check is not None:
                self._check(name, params, encoding)
            result = self.playground.api(bot, name, params)
        except Refused as refusal:
            entry |= {"ok": False, "error_code": refusal.code, "description": refusal.description}
            if refusal.parameters:
                entry["parameters"] = refusal.parameters
            raise
        entry["result"] = result
        if name in ("setWebhook", "deleteWebhook"):
            self.playground.delivery.end_polls(bot)
            self.playground.delivery.kick()
        for listener in self.playground.world.listeners:
            listener()
        return result


async def _answer(send: Any, status: int, answer: dict[str, Any]) -> None:
    headers = []
    retry = answer.get("parameters", {}).get("retry_after")
    if retry:
        headers.append((b"retry-after", str(retry).encode()))
    await _send(
        send,
        status,
        json.dumps(answer, ensure_ascii=False).encode("utf-8", "surrogatepass"),
        b"application/json",
        headers,
    )


async def _send(
    send: Any, status: int, body: bytes, kind: bytes, headers: list[tuple[bytes, bytes]] | None = None
) -> None:
    await send(
        {
            "type": "http.response.start",
            "status": status,
            "headers": [(b"content-type", kind), (b"content-length", str(len(body)).encode()), *(headers or [])],
        }
    )
    await send({"type": "http.response.body", "body": body})


async def _reset(send: Any) -> None:
    """Cut the connection. ASGI has no word for it; uvicorn's send is a method of the object that holds the socket."""
    transport = send.__self__.transport
    sock = transport.get_extra_info("socket")
    if sock is not None:
        with contextlib.suppress(OSError):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")  # a reset, not a polite end
    transport.abort()
    for _ in range(3):
        await asyncio.sleep(0)
