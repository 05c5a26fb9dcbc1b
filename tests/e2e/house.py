"""The whole house for a test: a Postgres, the playground and web processes, driven by the control API alone."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

import core

CHECKOUT = Path(__file__).resolve().parents[2]
SCHEMA = CHECKOUT / "tests" / "botapi" / "botapi-schema-10.3.json"
TOKEN = "1000:TEST"
PATIENCE = 60.0

Data = dict[str, Any]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
        return port


class Telegram:
    """The playground's control API, in the words of a script."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.http = httpx.Client(base_url=f"{address}/control", timeout=PATIENCE + 30, trust_env=False)

    def get(self, path: str, **asked: Any) -> Data:
        params = {name: value for name, value in asked.items() if value is not None}
        return self._checked(self.http.get(path, params=params))

    def post(self, path: str, **given: Any) -> Data:
        return self._checked(self.http.post(path, json=given))

    @staticmethod
    def _checked(response: httpx.Response) -> Data:
        if response.status_code >= 400:
            raise AssertionError(f"{response.request.url}: {response.status_code} {response.text[:500]}")
        answer: Data = response.json()
        return answer

    def person(self, name: str, **more: Any) -> Data:
        return self.post("/people", name=name, **more)

    def group(self, title: str, people: list[Data], **more: Any) -> Data:
        return self.post("/groups", title=title, people=[one["id"] for one in people], **more)

    def write(self, who: Data, text: str, chat: Any = "private", thread: int = 0) -> Data:
        return self.post("/write", **{"as": who["id"]}, chat=chat, text=text, thread=thread)

    def press(self, who: Data, chat: Any = "private", **which: Any) -> Data:
        return self.post("/press", **{"as": who["id"]}, chat=chat, **which)

    def messages(self, chat: Any, who: Data | None = None, **more: Any) -> list[Data]:
        found: list[Data] = self.get(f"/chats/{chat}/messages", **{"as": who and who["id"]}, **more)["messages"]
        return found

    def private(self, who: Data) -> list[Data]:
        return self.messages("private", who)

    def wait(self, **what: Any) -> Data:
        return self.post("/wait", timeout=PATIENCE, **what)

    def settle(self) -> None:
        """Until the bot has taken every update and says nothing any more."""
        self.wait(idle=True)

    def forward(self, seconds: float) -> None:
        """Move the clocks of Telegram and of the bot."""
        assert self.post("/clock", forward=seconds)


def buttons(message: Data) -> list[Data]:
    """The buttons of a message, row by row."""
    return [button for row in message.get("buttons") or [] for button in row]


def secrets_in(log: str) -> list[str]:
    """The cards and roles that a log names: none may (DESIGN.md 4)."""
    return [card for card in core.CARDS if card in log]


class House:
    """The processes of a house. *webs* web processes share the database and the port of the first is the webhook's."""

    def __init__(self, database_url: str, folder: Path, limits: bool = True) -> None:
        self.database_url = database_url
        self.folder = folder
        self.port, self.telegram_port = free_port(), free_port()
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.telegram = Telegram(f"http://127.0.0.1:{self.telegram_port}")
        flags = ["--no-seed-group", *([] if limits else ["--no-limits"])]
        self._start(
            "playground",
            ["-m", "playground", "--port", str(self.telegram_port), "--check-schema", str(SCHEMA), *flags],
            f"http://127.0.0.1:{self.telegram_port}/control/ready",
        )
        self.start_web()

    def start_web(self, name: str = "web", port: int | None = None) -> None:
        port = port or self.port
        command = ["-m", "telegram_bot", "web", "--host", "127.0.0.1"]
        self._start(name, command, f"http://127.0.0.1:{port}/readyz", PORT=str(port))

    def _start(self, name: str, command: list[str], address: str, **more: str) -> None:
        environment = os.environ | {
            "DATABASE_URL": self.database_url,
            "BOT_TOKEN": TOKEN,
            "TELEGRAM_API": f"http://127.0.0.1:{self.telegram_port}",
            "PUBLIC_URL": f"http://127.0.0.1:{self.port}",
            "PORT": str(self.port),
            **more,
        }
        with open(self.folder / f"{name}.log", "ab") as log:
            process = subprocess.Popen(
                [sys.executable, *command], cwd=CHECKOUT, env=environment, stdout=log, stderr=subprocess.STDOUT
            )
        self.processes[name] = process
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if process.poll() is not None:
                raise AssertionError(f"{name} ended: {self.log(name)[-3000:]}")
            with contextlib.suppress(httpx.HTTPError):
                if httpx.get(address, timeout=5, trust_env=False).status_code == 200:
                    return
            time.sleep(0.05)
        raise AssertionError(f"{name} does not answer: {self.log(name)[-3000:]}")

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def stop(self) -> None:
        self.telegram.http.close()
        for process in reversed(self.processes.values()):
            process.terminate()
        for process in self.processes.values():
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def check(self) -> None:
        """What must be true after any test: every call fits the schema, and no log holds an error."""
        violations = self.telegram.get("/violations")["violations"]
        assert not violations, violations[:5]
        web = self.log("web")
        assert "Traceback" not in web and " ERROR " not in web, web[-3000:]
        told = secrets_in(web)
        assert not told, f"a log names cards: {told}"


@contextlib.contextmanager
def house(database_url: str, folder: Path, **how: Any) -> Iterator[House]:
    one = House(database_url, folder, **how)
    try:
        yield one
        one.check()
    finally:
        one.stop()
