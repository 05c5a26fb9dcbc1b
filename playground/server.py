"""The playground as a server: the Bot API, the control API and the page on one port, in the running event loop."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import uvicorn

from playground import control, faults, forms
from playground.delivery import Delivery
from playground.errors import Refused, describe
from playground.methods import METHODS, BotApi
from playground.record import Record, plain
from playground.things import Bot
from playground.world import World

_PATH = re.compile(r"/bot([^/]*)/(?:test/)?([^/]*)/?")
_TOKEN = re.compile(r"\d+:[\w-]+")
_DESCRIBED = {"setWebhook": "Webhook was set", "deleteWebhook": "Webhook was deleted"}
BODY_LIMIT = 50 * 1024 * 1024

Check = Callable[[str, dict[str, Any], bool], list[str]]  # method, params, whether everything is text -> problems


class Playground:
    """A Telegram in this process: ``async with Playground() as telegram: ... telegram.url``.

    *port* 0 takes a free one. *check* is asked about every call; a call with problems is refused with 400 and kept in
    ``record.violations``. *database_url* lets the clock of the bot be moved too.
    """

    def __init__(
        self,
        *,
        token: str = "1000:TEST",
        bot_username: str = "stay_away_bot",
        bot_name: str = "Stay Away!",
        host: str = "127.0.0.1",
        port: int = 0,
        limits: bool = True,
        seed_group: bool = False,
        privacy: bool = True,
        check: Check | None = None,
        database_url: str | None = None,
        state: str | Path | None = None,
        base: int | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.host, self.port, self.check = host, port, check
        self.database_url = database_url if database_url is not None else os.environ.get("DATABASE_URL", "")
        self.record = Record()
        self.faults = faults.Faults()
        self.state_file = Path(state) if state else None
        self._birth = {
            "token": token,
            "username": bot_username,
            "name": bot_name,
            "privacy": privacy,
            "limits": limits,
            "base": base,
            "clock": clock,
            "seed_group": seed_group,
        }
        self.active = 0  # calls under way
        self.stopping = False
        self.controls: control.Controls
        self.last_activity = time.monotonic()
        self.world: World
        self.api: BotApi
        self.delivery: Delivery
        self._new_world()
        self._server: _Server | None = None
        self._serving: asyncio.Task[None] | None = None
        self._saver: asyncio.Task[None] | None = None
        self.app = control.app(self)

    def _new_world(self, seed_group: bool | None = None) -> None:
        from playground import state

        birth = self._birth
        loaded = state.load(self.state_file, birth["clock"]) if self.state_file and not hasattr(self, "world") else None
        self.world = loaded or World(birth["base"], birth["clock"])
        if not loaded:
            self.world.settings.limits = birth["limits"]
        known = self.world.bots.get(int(birth["token"].partition(":")[0])) if _TOKEN.fullmatch(birth["token"]) else None
        if known is not None:
            known.token = birth["token"]  # the same bot, begun anew with another secret
        else:
            self.world.add_bot(birth["token"], birth["username"], birth["name"], birth["privacy"])
        self.world.lose_ephemeral = self.faults.loses
        self.world.listeners.append(self._touched)
        self.api = BotApi(self.world)
        self.delivery = Delivery(self.world, self.record, self.execute)
        if (birth["seed_group"] if seed_group is None else seed_group) and not loaded:
            seed(self.world)

    def _touched(self) -> None:
        self.last_activity = time.monotonic()

    @property
    def url(self) -> str:
        """The address of everything: ``TELEGRAM_API``, the control API under /control, and the page."""
        host = "127.0.0.1" if self.host in ("0.0.0.0", "::") else self.host
        return f"http://{host}:{self.port}"

    @property
    def bot(self) -> Bot:
        """The first bot."""
        return self.world.bot

    @property
    def calls(self) -> list[dict[str, Any]]:
        """Every call a bot made: method, params, encoding, result or error, time."""
        return self.record.calls

    async def start(self) -> Playground:
        """Listen and deliver."""
        # With its protocol named: asyncio switches Nagle's delay of 40 ms off only where it reads that it is TCP.
        sock = socket.socket(
            socket.AF_INET6 if ":" in self.host else socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP
        )
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind((self.host, self.port))
        except OSError:
            sock.close()
            raise
        self.port = sock.getsockname()[1]
        config = uvicorn.Config(
            self,
            log_level="error",
            access_log=False,
            lifespan="off",
            date_header=False,
            timeout_keep_alive=75,
            timeout_graceful_shutdown=1,
            ws="none",
        )
        self._server = _Server(config)
        await self.delivery.start()
        self._serving = asyncio.create_task(self._server.serve(sockets=[sock]))
        while not self._server.started:
            if self._serving.done():
                await self._serving
            await asyncio.sleep(0.002)
        if self.state_file:
            self._saver = asyncio.create_task(self._save_often())
        return self

    async def stop(self) -> None:
        """Stop, and save if there is a state file."""
        self.stopping = True
        self.world.tell("end")
        if self._saver:
            self._saver.cancel()
        await self.delivery.stop()
        if self._server and self._serving:
            self._server.should_exit = True
            self._server.force_exit = True
            self._server.end.set()
            await self._serving
        self.save()

    async def __aenter__(self) -> Playground:
        return await self.start()

    async def __aexit__(self, *error: object) -> None:
        await self.stop()

    async def serve(self) -> None:
        """Run until told to stop."""
        assert self._serving is not None
        await self._serving

    def save(self) -> None:
        """Write the state file, if there is one."""
        if self.state_file:
            from playground import state

            state.save(self.state_file, self.world)

    async def _save_often(self) -> None:
        saved = -1
        while True:
            await asyncio.sleep(1)
            if saved != self.world.seq:
                saved = self.world.seq
                self.save()

    async def reset(self, seed_group: bool | None = None) -> None:
        """Begin anew: no people, no chats; the bot keeps its token and its webhook."""
        kept = {b.token: (b.webhook, b.allowed_updates, b.commands, b.next_update) for b in self.world.bots.values()}
        clock_offset = self.world.offset
        await self.delivery.stop()
        self.faults.rules.clear()
        self.record.clear()
        self._new_world(seed_group=False)
        self.world.offset = clock_offset
        for bot in self.world.bots.values():
            if bot.token in kept:
                bot.webhook, bot.allowed_updates, bot.commands, bot.next_update = kept[bot.token]
        if seed_group:
            seed(self.world)
        await self.delivery.start()
        self.app = control.app(self)

    # --- the Bot API over HTTP

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        if scope["path"].startswith("/bot"):
            await self._bot_api(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _bot_api(self, scope: Any, receive: Any, send: Any) -> None:
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
        self.active += 1
        try:
            await self._answer_call(scope, bytes(body), send)
        finally:
            self.active -= 1
            self.last_activity = time.monotonic()

    async def _answer_call(self, scope: Any, body: bytes, send: Any) -> None:
        found = _PATH.fullmatch(scope["path"])
        if not found or scope["method"] not in ("GET", "POST"):
            await _answer(send, 404, {"ok": False, "error_code": 404, "description": "Not Found"})
            return
        token, name = found[1], METHODS.get(found[2].lower(), (found[2], None))[0]
        bot = next((b for b in self.world.bots.values() if b.token == token), None)
        if bot is None:
            text = "" if _TOKEN.fullmatch(token) else "invalid token specified"
            await _answer(send, 401, {"ok": False, "error_code": 401, "description": describe(401, text)})
            return
        content_type = next((v.decode("latin-1") for k, v in scope["headers"] if k == b"content-type"), "")
        encoding = forms.encoding_of(content_type) if body else "query"
        try:
            params = forms.read_query(scope["query_string"]) | forms.read_body(body, content_type)
        except Refused as refusal:
            self.record.add(
                "call",
                at=round(self.world.now(), 3),
                bot=bot.id,
                method=name,
                params={},
                encoding=encoding,
                ok=False,
                error_code=refusal.code,
                description=refusal.description,
            )
            await _answer(send, refusal.code, refusal.body())
            return
        fault = None
        if self.faults.rules:
            fault = self.faults.strike(name, self._chat_number(params))
        if fault and fault.kind == "slow_before":
            await asyncio.sleep(fault.seconds)
        if fault and fault.kind in ("reset_before", "429", "400", "401", "403", "500", "502", "504"):
            refusal = faults.refusal(fault)
            self.record.add(
                "call",
                at=round(self.world.now(), 3),
                bot=bot.id,
                method=name,
                params=plain(params),
                encoding=encoding,
                ok=False,
                fault=fault.kind,
                error_code=int(fault.kind) if fault.kind.isdigit() else 0,
                description=refusal.description if refusal else fault.kind,
            )
            if fault.kind == "reset_before":
                await _reset(send)
            elif refusal:
                await _answer(send, refusal.code, refusal.body())
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
        self.active -= 1  # waiting is no work under way
        try:
            self._check("getUpdates", params, encoding)
            result = await self.delivery.poll(self.api, bot, params)
            if result:
                self.record.add(
                    "call",
                    at=round(self.world.now(), 3),
                    bot=bot.id,
                    method="getUpdates",
                    params=plain(params),
                    encoding=encoding,
                    ok=True,
                    result=[u["update_id"] for u in result],
                )
            return result
        except Refused as refusal:
            self.record.add(
                "call",
                at=round(self.world.now(), 3),
                bot=bot.id,
                method="getUpdates",
                params=plain(params),
                encoding=encoding,
                ok=False,
                error_code=refusal.code,
                description=refusal.description,
            )
            raise
        finally:
            self.active += 1

    @staticmethod
    def _chat_number(params: dict[str, Any]) -> int:
        try:
            return int(params.get("chat_id", 0))
        except (TypeError, ValueError):
            return 0

    def _check(self, name: str, params: dict[str, Any], encoding: str) -> None:
        if self.check is None:
            return
        problems = self.check(name, params, encoding in ("form", "multipart", "query"))
        if problems:
            self.record.violations.append({"method": name, "params": plain(params), "problems": problems})
            raise Refused(400, "schema: " + "; ".join(problems))

    def execute(self, bot: Bot, name: str, params: dict[str, Any], encoding: str, fault: str = "") -> Any:
        """Run one method and put it on the record; raises the refusal."""
        name = METHODS.get(name.lower(), (name, None))[0]
        entry = self.record.add(
            "call",
            at=round(self.world.now(), 3),
            bot=bot.id,
            method=name,
            params=plain(params),
            encoding=encoding,
            ok=True,
        )
        if fault:
            entry["fault"] = fault
        try:
            if name.lower() in METHODS or self.check is not None:
                self._check(name, params, encoding)
            result = self.api(bot, name, params)
        except Refused as refusal:
            entry |= {"ok": False, "error_code": refusal.code, "description": refusal.description}
            if refusal.parameters:
                entry["parameters"] = refusal.parameters
            raise
        entry["result"] = result
        if name in ("setWebhook", "deleteWebhook"):
            self.delivery.end_polls(bot)
            self.delivery.kick()
        for listener in self.world.listeners:
            listener()
        return result


class _Server(uvicorn.Server):
    """uvicorn that leaves signals to whoever runs the loop, and ends at once."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.end = asyncio.Event()

    async def main_loop(self) -> None:
        """Sleep until the end; uvicorn's own looks up ten times a second."""
        await self.end.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close everything now; uvicorn's own waits a tenth of a second for its connections."""
        for listener in [*self.servers, *(sockets or [])]:
            listener.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        await asyncio.sleep(0)
        tasks = list(self.server_state.tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def seed(world: World) -> None:
    """A ready group for a newcomer: four people, and the bot as an administrator who may pin."""
    people = [
        world.add_person("Ann", username="ann"),
        world.add_person("Bob", username="bob"),
        world.add_person("Cid"),
        world.add_person("Dora", "Quinn"),
    ]
    group = world.add_group("The expedition", "supergroup", people[0], people, [world.bot])
    world.set_member(group, world.bot.id, "administrator", people[0].id)


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
