"""The webhook endpoint over real HTTP: what gets in, what is told to whom does not, and how it ends."""

import asyncio
import contextlib
import io
import json
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import sqlalchemy.exc
import uvicorn

from telegram_bot import web
from telegram_bot.errors import TryAgain, Wrong

ROOT = Path(__file__).resolve().parents[2]
SECRET = {"X-Telegram-Bot-Api-Secret-Token": "secret"}


class House:
    """A web process with a door that notes what came, and does what it was told."""

    def __init__(self) -> None:
        self.came: list[dict[str, Any]] = []
        self.reply: dict[str, Any] | None = None
        self.failure: Exception | None = None
        self.not_ready = ""
        self.app = web.create_app(self.door, "secret", self.ready)
        self.port = 0

    async def door(self, update: dict[str, Any]) -> dict[str, Any] | None:
        if self.failure:
            raise self.failure
        self.came.append(update)
        return self.reply

    async def ready(self) -> str:
        if self.failure:
            raise self.failure
        return self.not_ready

    async def post(self, body: bytes, headers: dict[str, str] = SECRET) -> tuple[int, bytes, Mapping[str, str]]:
        async with aiohttp.ClientSession() as session, session.post(self.at("/telegram"), data=io.BytesIO(body),
                                                                    headers=headers) as answer:
            return answer.status, await answer.read(), answer.headers

    async def get(self, path: str) -> tuple[int, str]:
        async with aiohttp.ClientSession() as session, session.get(self.at(path)) as answer:
            return answer.status, await answer.text()

    def at(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    async def raw(self, request: bytes) -> bytes:
        """The first line of the answer to *request*, as it is on the wire."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(request)
        line = await reader.readline()
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()
        return line.strip()


@pytest.fixture
async def house() -> AsyncIterator[House]:
    house = House()
    sockets = web.listen("127.0.0.1", 0)
    house.port = sockets[0].getsockname()[1]
    server = web.Server(uvicorn.Config(house.app, log_config=None, lifespan="off"))
    serving = asyncio.create_task(server.serve(sockets=sockets))
    yield house
    server.should_exit = True
    await serving
    sockets[0].close()


async def test_an_update_gets_through_the_door(house):
    status, body, _ = await house.post(b'{"update_id": 7, "message": {"text": "\xf0\x9f\x94\xa5"}}')
    assert (status, body) == (200, b"")
    assert house.came == [{"update_id": 7, "message": {"text": "🔥"}}]


async def test_the_reply_rides_in_the_body(house):
    house.reply = {"method": "answerCallbackQuery", "callback_query_id": "9", "text": "Not your turn."}
    status, body, headers = await house.post(b'{"update_id": 7}')
    assert (status, json.loads(body)) == (200, house.reply)
    assert headers["content-type"] == "application/json"


@pytest.mark.parametrize("headers", [{}, {"X-Telegram-Bot-Api-Secret-Token": "Secret"},
                                     {"X-Telegram-Bot-Api-Secret-Token": ""},
                                     {"X-Telegram-Bot-Api-Secret-Token": "sécret"}])
async def test_without_the_secret_nobody_gets_in(house, headers):
    assert (await house.post(b'{"update_id": 7}', headers))[0] == 401
    assert house.came == []


@pytest.mark.parametrize("body", [
    b"", b"{", b"[]", b"7", b'"update_id"', b"null", b"{}", b'{"update_id": "7"}', b'{"update_id": 7.0}',
    b'{"update_id": true}', b'{"update_id": null}', b'{"update_id": 9223372036854775808}',
    b'{"update_id": -9223372036854775809}', b'{"update_id": ' + b"9" * 5000 + b"}", b'{"update_id": NaN}',
    b'{"update_id": 7, "a": Infinity}', b'{"update_id": 7} {"update_id": 8}', b'{"update_id": 7, "a": "\xff"}',
    b"[" * 100_000, b'{"a":' * 100_000, b'\xef\xbb\xbf[]', b'[{"update_id": 7}]',
])
async def test_what_is_no_object_with_an_integer_update_id_is_a_bad_request(house, body):
    assert (await house.post(body))[0] == 400
    assert house.came == []


@pytest.mark.parametrize("number", [0, -1, 2**63 - 1, -(2**63)])
async def test_any_64_bit_integer_is_an_update_id(house, number):
    assert (await house.post(b'{"update_id": %d}' % number))[0] == 200


async def test_an_update_of_a_shape_we_do_not_know_is_the_doors_affair(house):
    assert (await house.post(b'{"update_id": 7, "telepathy": [1e300, {"a": null}]}'))[0] == 200
    assert house.came == [{"update_id": 7, "telepathy": [1e300, {"a": None}]}]


async def test_what_postgres_cannot_keep_is_replaced(house):
    """A NUL, or half a surrogate pair, would fail three times and then fail to be put aside."""
    assert (await house.post(rb'{"update_id": 7, "a\u0000": ["\u0000", "\ud83d\udd25", "\\u0000"]}'))[0] == 200
    assert (await house.post(rb'{"update_id": 8, "a": "\ud83d", "b": "\udd25 \ud83d\udd25"}'))[0] == 200
    assert house.came == [{"update_id": 7, "a\ufffd": ["\ufffd", "🔥", "\\u0000"]},
                          {"update_id": 8, "a": "\ufffd", "b": "\ufffd 🔥"}]


async def test_a_megabyte_is_enough(house):
    fits = b'{"update_id": 7, "text": "%s"}' % (b"x" * (web.LARGEST - 29))
    assert len(fits) == web.LARGEST - 1
    assert (await house.post(fits))[0] == 200
    assert (await house.post(fits + b"  "))[0] == 413
    assert (await house.post(b"x" * 8_000_000))[0] == 413
    assert len(house.came) == 1


async def test_a_body_in_chunks_is_measured_as_it_comes(house):
    head = (b"POST /telegram HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
            b"X-Telegram-Bot-Api-Secret-Token: secret\r\n\r\n")
    chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
    # It never ends: the answer must not wait for the end.
    assert b" 413 " in await house.raw(head + chunk * 17)
    assert house.came == []
    small = b'e\r\n{"update_id": \r\n2\r\n7}\r\n0\r\n\r\n'
    assert await house.raw(head + small) == b"HTTP/1.1 200 OK"
    assert house.came == [{"update_id": 7}]


async def test_a_declared_length_over_a_megabyte_is_not_even_read(house):
    head = (b"POST /telegram HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n"
            b"X-Telegram-Bot-Api-Secret-Token: secret\r\n\r\n")
    assert b" 413 " in await house.raw(head)


async def test_a_stranger_is_turned_away_before_the_body_is_read(house):
    assert b"401" in await house.raw(b"POST /telegram HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\n")


async def test_a_connection_is_kept_for_the_next_update(house):
    async with aiohttp.ClientSession(headers=SECRET, connector=aiohttp.TCPConnector(limit=1)) as session:
        for body in (b'{"update_id": 1}', b"x" * 2_000_000, b"{", b'{"update_id": 2}'):
            async with session.post(house.at("/telegram"), data=io.BytesIO(body)) as answer:
                await answer.read()
    assert [update["update_id"] for update in house.came] == [1, 2]


async def test_an_update_that_cannot_be_taken_now_stays_with_telegram(house):
    house.failure = TryAgain("newer state", after=7)
    status, _, headers = await house.post(b'{"update_id": 7}')
    assert (status, headers["retry-after"]) == (503, "7")
    house.failure = sqlalchemy.exc.OperationalError("select", {}, Exception("gone"))
    assert (await house.post(b'{"update_id": 7}'))[0] == 503


async def test_a_failure_is_told_without_what_was_in_it(house, caplog):
    house.failure = ValueError("Ann holds The Thing")
    status, body, _ = await house.post(b'{"update_id": 7}')
    assert status == 500
    assert "update 7 failed: ValueError at " in caplog.text and "test_web.py" in caplog.text
    assert "Thing" not in caplog.text and b"Thing" not in body


async def test_health_does_not_ask_the_database_and_readiness_does(house):
    assert await house.get("/healthz") == (200, "alive")
    assert await house.get("/readyz") == (200, "ready")
    house.not_ready = "the clock has not ticked for 31 s"
    assert await house.get("/readyz") == (503, house.not_ready)
    house.failure = RuntimeError("password")
    assert await house.get("/healthz") == (200, "alive")
    assert await house.get("/readyz") == (503, "no answer from the database")


async def test_nothing_else_is_here(house):
    for path in ("/", "/telegram/", "/metrics", "/telegram/../healthz2"):
        assert (await house.get(path))[0] == 404
    assert (await house.get("/telegram"))[0] == 405


def test_a_taken_port_is_one_line():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        with pytest.raises(Wrong, match=r"^PORT \d+ cannot be had \(Address already in use\): stop the program"):
            web.listen("127.0.0.1", taken.getsockname()[1])


async def test_a_background_job_that_fails_begins_again(monkeypatch, caplog):
    begun = 0

    async def sender() -> None:
        nonlocal begun
        begun += 1
        if begun < 3:
            raise ValueError("The Thing")

    async def at_once(seconds: float) -> None:
        assert seconds > 0

    monkeypatch.setattr(web.asyncio, "sleep", at_once)
    await web.keep_up(sender)
    assert begun == 3
    assert "sender failed and begins again: ValueError" in caplog.text and "Thing" not in caplog.text


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_what_was_begun_is_finished_when_the_process_must_stop(how):
    with subprocess.Popen([sys.executable, "-m", "tests.tooling.web_process"], cwd=ROOT, stdout=subprocess.PIPE,
                          text=True) as process:
        assert process.stdout
        port = int(process.stdout.readline())
        with socket.create_connection(("127.0.0.1", port)) as press:
            press.sendall(b"POST /telegram HTTP/1.1\r\nHost: x\r\nContent-Length: 16\r\nConnection: close\r\n"
                          b'X-Telegram-Bot-Api-Secret-Token: secret\r\n\r\n{"update_id": 7}')
            assert process.stdout.readline() == "begun\n"
            process.send_signal(how)
            answer = b"".join(iter(lambda: press.recv(65536), b""))
        assert answer.startswith(b"HTTP/1.1 200 OK")
        assert answer.endswith(b'{"method":"answerCallbackQuery","update":7}')
        assert process.stdout.readline() == "put away\n"
        assert process.wait() == 0
