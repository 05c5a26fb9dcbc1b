"""One sender leads; when it ends, in whatever way, another goes on, and nothing is lost."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import AsyncIterator

import psycopg
import pytest
from sqlalchemy.engine import make_url

from db import clock
from db.screens import LOCK, Desk
from db.store import Store
from db.url import conninfo
from telegram_bot.sender import Sender
from tests.sender.conftest import Camp, until

PROCESS = textwrap.dedent(
    """
    import asyncio, sys
    from telegram import Bot
    from db.store import Store
    from telegram_bot.sender import Sender
    from telegram_bot.transport import request_for

    async def main(database, telegram):
        request = request_for(telegram)
        async with Store(database) as store, Bot("1000:TEST", base_url=telegram + "/bot", request=request,
                                                 get_updates_request=request) as bot:
            sender = Sender(store, bot)
            running = asyncio.create_task(sender.run())
            asyncio.get_running_loop().add_signal_handler(15, sender.stop)
            while not sender.leads:
                await asyncio.sleep(0.01)
            print("leads", flush=True)
            await running
            print("ends", flush=True)

    asyncio.run(main(*sys.argv[1:]))
    """
)


class Other:
    """A sender in a process of its own, that leads."""

    def __init__(self, camp: Camp) -> None:
        self.camp = camp

    async def __aenter__(self) -> asyncio.subprocess.Process:
        self.process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", PROCESS, self.camp.url, self.camp.telegram.url, stdout=subprocess.PIPE
        )
        assert self.process.stdout is not None
        assert await self.process.stdout.readline() == b"leads\n"
        return self.process

    async def __aexit__(self, *error: object) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()
        await self.process.wait()


async def leads(sender: Sender) -> None:
    await until(lambda: sender.leads)


async def called(camp: Camp, method: str, times: int = 1) -> None:
    await until(lambda: len(camp.calls(method)) >= times)


def holders(camp: Camp) -> int:
    with psycopg.connect(conninfo(camp.url)) as connection:
        query = "select count(*) from pg_locks where locktype = 'advisory' and objid = %s and granted"
        row = connection.execute(query, (LOCK,)).fetchone()
        assert row is not None
        return int(row[0])


async def test_one_of_many_leads(camp: Camp) -> None:
    async with Store(camp.url) as second, Store(camp.url) as third:
        senders = [await camp.sender()]
        await leads(senders[0])
        senders += [await camp.sender(store=second), await camp.sender(store=third)]
        await camp.show("board", "the camp")
        await camp.sent()
        assert [sender.leads for sender in senders] == [True, False, False]
        assert camp.said() == ["sendMessage the camp"]
        await camp.stop()
    assert holders(camp) == 0


async def test_the_standby_takes_over_from_a_leader_that_was_killed(camp: Camp) -> None:
    async with Other(camp) as other:
        standby = await camp.sender()
        camp.fault("slow_after", "sendMessage", seconds=30)
        await camp.show("turn 1", "Ann draws.", once=True)
        await called(camp, "sendMessage")
        other.send_signal(signal.SIGKILL)
        await leads(standby)
        await camp.show("turn 2", "Bob draws.", once=True)
        await camp.sent()
    assert camp.said() == ["sendMessage Ann draws.", "sendMessage Bob draws."]  # the first one not twice
    assert (await camp.screen("turn 1")).refused == "perhaps sent"


async def test_an_edit_of_a_leader_that_was_killed_is_taken_back_when_it_is_not_wanted_any_more(camp: Camp) -> None:
    async with Other(camp) as other:
        await camp.show("board", "the camp")
        await called(camp, "sendMessage")
        camp.fault("slow_after", "editMessageText", seconds=30)
        await camp.show("board", "the camp, on fire")
        await called(camp, "editMessageText")
        other.send_signal(signal.SIGKILL)
        await other.wait()
    await camp.show("board", "the camp")
    await camp.sent()
    await camp.later(5)
    assert camp.seen() == ["the camp"]


async def test_a_leader_that_is_told_to_stop_finishes_what_is_in_flight(camp: Camp) -> None:
    async with Other(camp) as other:
        camp.fault("slow_after", "sendMessage", seconds=0.5)
        await camp.show("turn 1", "Ann draws.", once=True)
        await called(camp, "sendMessage")
        other.send_signal(signal.SIGTERM)
        assert await other.wait() == 0
    assert holders(camp) == 0
    assert await camp.store.pending() == 0
    assert (await camp.screen("turn 1")).result == "post done"
    await camp.sent()
    assert camp.said() == ["sendMessage Ann draws."]


async def test_a_leader_whose_connection_dies_goes_on_with_another_and_forgets_nothing(camp: Camp) -> None:
    sender = await camp.sender()
    await camp.sent()
    camp.fault("slow_after", "sendMessage", seconds=0.3)
    await camp.show("turn 1", "Ann draws.", once=True)
    await called(camp, "sendMessage")
    with psycopg.connect(conninfo(camp.url), autocommit=True) as connection:
        connection.execute("select pg_terminate_backend(pid) from pg_stat_activity"
                           " where datname = current_database() and pid <> pg_backend_pid()")
    await until(lambda: not sender.leads)
    await leads(sender)
    await camp.show("turn 1", "Ann draws, and reads.", once=True)
    await camp.sent()
    await camp.later(5)
    assert camp.seen() == ["Ann draws, and reads."]
    assert await camp.store.pending() == 0


async def test_after_a_restart_of_the_database_the_leader_of_before_comes_first(
    camp: Camp, monkeypatch: pytest.MonkeyPatch
) -> None:
    def is_restarted() -> None:
        """As after a restart: nobody is connected, and the server is younger than the lead."""
        with psycopg.connect(conninfo(camp.url), autocommit=True) as connection:
            connection.execute("update meta set value = value || jsonb_build_object('at', pg_postmaster_start_time()"
                               " - interval '1 minute') where key = 'leader'")
            connection.execute("select pg_terminate_backend(pid) from pg_stat_activity"
                               " where datname = current_database() and pid <> pg_backend_pid()")

    async with _desk(camp) as first:
        assert await first.lead("first")
        is_restarted()
    async with _desk(camp) as other, _desk(camp) as first:
        assert not await other.lead("other")  # it cannot know what the first one has in flight
        assert await first.lead("first")
        is_restarted()
    monkeypatch.setattr("db.screens.GRACE", 0.0)
    async with _desk(camp) as other:
        assert await other.lead("other")  # the first one did not come back
    async with _desk(camp) as third:
        assert await third.lead("third")  # no restart: at once


@contextlib.asynccontextmanager
async def _desk(camp: Camp) -> AsyncIterator[Desk]:
    desk = await Desk.open(make_url(camp.url), lambda: None)
    try:
        yield desk
    finally:
        await desk.close()


async def test_a_leader_that_is_told_to_stop_while_its_database_is_away_still_writes_down_what_was_sent(
    camp: Camp,
) -> None:
    sender = await camp.sender()
    await camp.sent()
    camp.fault("slow_after", "sendMessage", seconds=0.3)
    await camp.show("board", "the camp")
    await called(camp, "sendMessage")
    with psycopg.connect(conninfo(camp.url), autocommit=True) as connection:
        connection.execute("select pg_terminate_backend(pid) from pg_stat_activity"
                           " where datname = current_database() and pid <> pg_backend_pid()")
    await until(lambda: not sender.leads)
    await camp.stop()
    assert (await camp.screen("board")).result == "post done"


async def test_a_leader_that_is_told_to_stop_writes_down_at_once_what_is_answered(camp: Camp) -> None:
    sender = await camp.sender()
    await camp.sent()
    camp.start(camp.ann)
    camp.fault("slow_after", "sendMessage", seconds=30, chat=camp.group.id)
    await camp.show("board", "the camp")
    camp.fault("slow_after", "sendMessage", seconds=0.3, chat=camp.ann.id)
    await camp.show("hand", "two cards", receiver=camp.ann.id)
    await called(camp, "sendMessage", 2)
    sender.stop()
    while (await camp.screen("hand", camp.ann.id)).message_id is None:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    assert time.monotonic() < sender._end, "not only when there is no more time for what is still in flight"
    await camp.stop()


async def test_senders_that_are_killed_again_and_again_lose_nothing_and_keep_the_order(camp: Camp) -> None:
    for n in range(12):
        await camp.show(f"turn {n}", f"line {n}", once=True)
    for _ in range(4):
        async with Other(camp) as other:
            await called(camp, "sendMessage", len(camp.calls("sendMessage")) + 1)
            os.kill(other.pid, signal.SIGKILL)
            await other.wait()
        camp.world.forward(2)
        await asyncio.to_thread(clock.move, camp.url, 2)
    for _ in range(12):
        await camp.later(3)
    lines = camp.seen()
    assert lines == [f"line {n}" for n in range(12)]
    assert await camp.store.pending() == 0
