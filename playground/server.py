"""The playground as a server: the Bot API, the control API and the page on one port, in the running event loop."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn

from playground import control, faults
from playground import state as state_
from playground.delivery import Delivery
from playground.methods import BotApi
from playground.record import Record
from playground.things import Bot
from playground.wire import Wire
from playground.world import World

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
        self._birth = _Birth(token, bot_username, bot_name, privacy, limits, base, clock)
        self.active = 0  # calls under way
        self.stopping = False
        self.controls: control.Controls
        self.last_activity = time.monotonic()
        self.wire = Wire(self)
        loaded = state_.load(self.state_file, clock) if self.state_file else None
        self.world: World
        self.api: BotApi
        self.delivery: Delivery
        self._live_in(loaded or self._birth.world())
        if seed_group and not loaded:
            seed(self.world)
        self._server: _Server | None = None
        self._serving: asyncio.Task[None] | None = None
        self._saver: asyncio.Task[None] | None = None
        self._end = asyncio.Event()
        self.app = control.app(self)

    def _live_in(self, world: World) -> None:
        """Make *world* the one that is served."""
        self._birth.settle(world)
        world.lose_ephemeral = self.faults.loses
        world.listeners.append(self._touched)
        self.world, self.api = world, BotApi(world)
        self.delivery = Delivery(world, self.record, self.wire.execute)

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
            self._end.set()
            await self._saver  # a save under way must not come after the last one
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
            state_.write(self.state_file, state_.snapshot(self.world))

    async def _save_often(self) -> None:
        assert self.state_file is not None
        saved = -1
        while True:
            began = time.monotonic()
            if saved != self.world.seq:
                saved = self.world.seq
                await asyncio.to_thread(state_.write, self.state_file, state_.snapshot(self.world))
            # A large world is written less often: saving takes a twentieth of the time at most.
            pause = max(1.0, 20 * (time.monotonic() - began))
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._end.wait(), pause)
                return

    async def reset(self, seed_group: bool = False) -> None:
        """Begin anew: no people, no chats; the bot keeps its token, its webhook, its commands, and the clock stays."""
        old = self.world
        await self.delivery.stop()
        self.faults.rules.clear()
        self.record.clear()
        self._live_in(self._birth.world())
        self.world.offset = old.offset
        for bot in self.world.bots.values():
            before = old.bots.get(bot.id)
            if before is not None:
                bot.webhook, bot.allowed_updates, bot.commands = before.webhook, before.allowed_updates, before.commands
                bot.next_update = max(bot.next_update, before.next_update)
        if seed_group:
            seed(self.world)
        await self.delivery.start()
        self.app = control.app(self)
        old.tell("end")  # whoever listens to it looks up, and finds another

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        try:
            await (self.wire if scope["path"].startswith("/bot") else self.app)(scope, receive, send)
        except asyncio.CancelledError:
            if not self.stopping:
                raise


@dataclass
class _Birth:
    """How a world begins."""

    token: str
    username: str
    name: str
    privacy: bool
    limits: bool
    base: int | None
    clock: Callable[[], float]

    def world(self) -> World:
        """A new world, still empty."""
        world = World(self.base, self.clock)
        world.settings.limits = self.limits
        return world

    def settle(self, world: World) -> None:
        """Let the bot live in *world*; where it lived before, it may have a new token."""
        number = self.token.partition(":")[0]
        known = world.bots.get(int(number)) if number.isdigit() else None
        if known is None:
            world.add_bot(self.token, self.username, self.name, self.privacy)
        else:
            known.token = self.token


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
        for server in self.servers:
            server.close()
        for sock in sockets or ():
            sock.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        await asyncio.sleep(0)
        tasks = list(self.server_state.tasks)
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=0.1)  # streams end by themselves, long polls do not
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

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
