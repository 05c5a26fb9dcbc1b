"""The real processes on this machine: a Postgres, the playground, and web processes behind a balancer."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp

from bench.balancer import Balancer
from bench.control import Telegram
from bench.nursery import Child, Nursery
from db.local import LocalPostgres

CHECKOUT = Path(__file__).resolve().parents[1]
SCHEMA = CHECKOUT / "tests" / "botapi" / "botapi-schema-10.3.json"
TOKEN = "1000:TEST"
PATIENCE = 60.0


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
        return port


class Processes:
    """What runs: *webs* web processes on one database, and the playground that is their Telegram.

    *program* is what a web process runs (python -m ...) unless there is a *nursery*, which forks it; *environment* is
    given to web processes beside their own.
    """

    def __init__(
        self,
        folder: Path,
        database: str,
        webs: int = 1,
        *,
        limits: bool = True,
        program: tuple[str, ...] = ("telegram_bot", "web", "--host", "127.0.0.1"),
        nursery: Nursery | None = None,
        environment: dict[str, str] | None = None,
    ) -> None:
        self.folder = folder
        self.database = database
        self.limits = limits
        self.program = program
        self.environment = environment or {}
        self.ports = [free_port() for _ in range(webs)]
        self.balancer = Balancer(self.ports)
        self.telegram = Telegram(f"http://127.0.0.1:{free_port()}")
        self.nursery = nursery
        self.running: dict[str, subprocess.Popen[bytes] | Child] = {}

    @property
    def webs(self) -> range:
        return range(len(self.ports))

    async def __aenter__(self) -> Processes:
        await self.balancer.__aenter__()
        await self.telegram.__aenter__()
        try:
            flags = [] if self.limits else ["--no-limits"]
            port = self.telegram.address.rpartition(":")[2]
            self.run(
                "playground",
                "playground",
                "--port",
                port,
                "--check-schema",
                str(SCHEMA),
                "--no-seed-group",
                "--database-url",
                self.database,
                *flags,
            )
            await until_ready(
                f"{self.telegram.address}/control/ready", self.running["playground"], self.log_file("playground")
            )
            for number in self.webs:
                self.start(number)
            for number in self.webs:
                await self.up(number)
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *error: object) -> None:
        for process in self.running.values():
            process.send_signal(signal.SIGTERM)
        await asyncio.gather(*(asyncio.to_thread(_ended, process) for process in self.running.values()))
        await self.telegram.__aexit__()
        await self.balancer.__aexit__()

    # Web processes.

    def start(self, number: int, *program: str, **environment: str) -> None:
        """Start a web process, or another *program* in its place; its messages go to the end of its log."""
        name = f"web {number}"
        environment = {
            "BOT_TOKEN": TOKEN,
            "DATABASE_URL": self.database,
            "TELEGRAM_API": self.telegram.address,
            "PUBLIC_URL": f"http://127.0.0.1:{self.balancer.port}",
            "PORT": str(self.ports[number]),
            **self.environment,
            **environment,
        }
        if program or self.nursery is None:
            self.run(name, *(program or self.program), environment=environment)
        else:
            self.running[name] = self.nursery.fork(["web", "--host", "127.0.0.1"], environment, self.log_file(name))

    async def up(self, number: int) -> None:
        """Wait until a web process is ready."""
        name = f"web {number}"
        await until_ready(f"http://127.0.0.1:{self.ports[number]}/readyz", self.running[name], self.log_file(name))

    def end(self, number: int, how: signal.Signals = signal.SIGKILL) -> None:
        """Tell a web process to end, and do not wait for it."""
        self.running[f"web {number}"].send_signal(how)

    async def ended(self, number: int) -> int:
        """Wait until a web process has ended; its exit code."""
        return await asyncio.to_thread(self.running[f"web {number}"].wait, PATIENCE)

    def is_running(self, number: int) -> bool:
        return self.running[f"web {number}"].poll() is None

    # All of them.

    def run(self, name: str, *command: str, environment: dict[str, str] | None = None) -> None:
        with open(self.log_file(name), "ab") as log:
            self.running[name] = subprocess.Popen(
                [sys.executable, "-m", *command],
                cwd=CHECKOUT,
                stdin=subprocess.DEVNULL,
                env=os.environ | (environment or {}),
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def log_file(self, name: str) -> Path:
        return self.folder / f"{name.replace(' ', '-')}.log"

    def log(self, name: str) -> str:
        return self.log_file(name).read_text(errors="replace")

    def complaints(self) -> list[str]:
        """The lines of all web logs that tell of a mistake of ours."""
        return [
            line
            for number in self.webs
            for line in self.log(f"web {number}").splitlines()
            if re.search(r"\bERROR\b|^Traceback|Error:", line)
        ]


class Program:
    """One process that serves on a port of its own, up while the block runs: python -m *module*."""

    def __init__(self, log: Path, module: str, **environment: str) -> None:
        self.log, self.module, self.environment = log, module, environment
        self.port = free_port()

    @property
    def pid(self) -> int:
        return self._process.pid

    async def __aenter__(self) -> Program:
        self._start()
        await until_ready(f"http://127.0.0.1:{self.port}/readyz", self._process, self.log)
        return self

    def _start(self) -> None:
        with open(self.log, "ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", self.module],
                cwd=CHECKOUT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=os.environ | self.environment | {"PORT": str(self.port)},
            )

    async def __aexit__(self, *error: object) -> None:
        self._process.terminate()
        await asyncio.to_thread(_ended, self._process)


def last_words(log: Path) -> str:
    return log.read_text(errors="replace")[-2000:]


def temporary_folder(what: str) -> Path:
    """One that the user of a Postgres that root starts can enter, too."""
    folder = Path(tempfile.mkdtemp(prefix=f"stay-away-{what}-"))
    folder.chmod(0o755)
    return folder


async def until_ready(address: str, process: subprocess.Popen[bytes] | Child, log: Path) -> None:
    """Wait until *process* answers there."""
    deadline = time.monotonic() + PATIENCE
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(5)) as http:
        while process.poll() is None and time.monotonic() < deadline:
            with contextlib.suppress(aiohttp.ClientError, TimeoutError):
                async with http.get(address) as answer:
                    if answer.status == 200:
                        return
            await asyncio.sleep(0.02)
    raise RuntimeError(f"{address} does not answer: {last_words(log)}")


def _ended(process: subprocess.Popen[bytes] | Child) -> None:
    try:
        process.wait(15)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextlib.asynccontextmanager
async def nursery() -> AsyncIterator[Nursery]:
    one = Nursery(CHECKOUT)
    try:
        yield one
    finally:
        await asyncio.to_thread(one.close)


@contextlib.asynccontextmanager
async def postgres(folder: Path) -> AsyncIterator[LocalPostgres]:
    """A migrated Postgres of its own."""
    from db import migrate

    server = LocalPostgres(folder)
    url = await asyncio.to_thread(server.start)
    try:
        await asyncio.to_thread(migrate.upgrade, url)
        yield server
    finally:
        await asyncio.to_thread(server.stop)


async def restart(server: LocalPostgres) -> None:
    """Kill a Postgres with everything that is in flight, and start it again."""
    assert server.server is not None
    server.server.send_signal(signal.SIGQUIT)
    await asyncio.to_thread(server.server.wait)
    await asyncio.to_thread(server.start)
