"""A process starts whatever Telegram and the database do at that moment."""

from __future__ import annotations

import asyncio
import signal

from sqlalchemy.engine import make_url

from bench.processes import free_port
from tests.chaos.conftest import Housed, until

STUMBLES = (("getMe", "reset_after"), ("getWebhookInfo", "502"), ("getMyCommands", "429"))


async def test_a_process_starts_though_telegram_stumbles(housed: Housed) -> None:
    async with housed() as house:
        house.end(0)
        await house.ended(0)
        before = (await house.telegram.get("calls", last=0))["n"]
        for method, kind in STUMBLES:
            await house.telegram.post("faults", kind=kind, method=method)
        house.start(0)
        await house.up(0)
        # The menus come last, and are set all the same.
        called = await house.telegram.post("wait", call="getMyDescription", after=before, timeout=30)
        assert called["call"]["ok"]
        assert all(fault["done"] for fault in (await house.telegram.get("faults"))["faults"])
        assert not house.complaints()


async def test_a_process_that_starts_while_the_database_is_not_there_waits_for_it(housed: Housed) -> None:
    async with housed() as house:
        house.end(0)
        await house.ended(0)
        postgres, port = make_url(house.database), free_port()
        socket = f"{postgres.query['host']}/.s.PGSQL.5432"
        over_there = f"postgresql://{postgres.username}@127.0.0.1:{port}/{postgres.database}"
        house.start(0, DATABASE_URL=over_there)
        await until(lambda: "waiting for the database" in house.log("web 0"))
        async with await asyncio.start_server(lambda *wire: _pass_on(socket, *wire), "127.0.0.1", port):
            await house.up(0)
            house.end(0, signal.SIGTERM)
            assert await house.ended(0) == 0


async def _pass_on(socket: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    there, back = await asyncio.open_unix_connection(socket)
    await asyncio.gather(_copy(reader, back), _copy(there, writer))


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(1 << 16):
        writer.write(data)
    writer.close()
