"""SIGTERM: what was begun is finished, and somebody else goes on."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from pathlib import Path

import pytest

from bench.nursery import Nursery
from bench.people import Crowd
from bench.processes import Processes, postgres
from tests.chaos.conftest import Housed

LEADS = "this sender leads"


async def led_by(house: Processes, before: list[int]) -> int:
    """Wait until the sender of a process begins to lead that did not before."""
    while True:
        now = [house.log(f"web {number}").count(LEADS) for number in house.webs]
        if now != before:
            return next(number for number in house.webs if now[number] > before[number])
        await asyncio.sleep(0.01)


async def test_the_standby_leads_within_a_second_of_sigterm_and_nothing_is_doubled(housed: Housed) -> None:
    async with housed(2) as house:
        first = await led_by(house, [0, 0])
        crowd = Crowd(house.telegram, 1, 4, "sigterm")
        playing = asyncio.create_task(crowd.play())
        for _ in range(3):
            leads = [house.log(f"web {number}").count(LEADS) for number in house.webs]
            calls = (await house.telegram.get("calls", last=0))["n"]
            await house.telegram.post("wait", call="editMessageText", after=calls, timeout=60)
            house.end(first, signal.SIGTERM)
            begun = time.monotonic()
            assert await house.ended(first) == 0
            assert time.monotonic() - begun < 10
            ended = time.monotonic()
            async with asyncio.timeout(30):
                second = await led_by(house, leads)
            assert second != first and time.monotonic() - ended < 1.0
            house.start(first)
            await house.up(first)
            first = second
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)
        sent = [call for call in (await house.telegram.get("calls", method="sendMessage"))["calls"] if call["ok"]]
        said = [
            (call["params"]["chat_id"], call["params"]["text"], str(call["params"].get("reply_markup")))
            for call in sent
        ]
        assert len(said) == len(set(said))
        assert not house.complaints()


async def test_sigterm_does_not_wait_for_a_call_that_telegram_never_answers(housed: Housed) -> None:
    async with housed() as house:
        ann = await house.telegram.person("Ann")
        group = await house.telegram.group("The camp", [ann])
        for method in ("sendMessage", "getChatMember"):
            await house.telegram.post("faults", kind="slow_after", method=method, seconds=100, times=0)
        calls = (await house.telegram.get("calls", last=0))["n"]
        await house.telegram.write(ann["id"], "/newgame", group["id"])  # the sender hangs
        await house.telegram.write(ann["id"], "/endgame", group["id"])  # and so does the door
        await house.telegram.post("wait", call="sendMessage", after=calls, timeout=60)
        assert await seconds_to_end(house, 0) < 10.5


@pytest.mark.parametrize("how", [signal.SIGQUIT, signal.SIGSTOP], ids=["is killed", "does not answer"])
async def test_sigterm_does_not_wait_for_a_database_that(how: signal.Signals, tmp_path: Path, nursery: Nursery) -> None:
    async with postgres(tmp_path) as server, Processes(tmp_path, server.url, 1, nursery=nursery) as house:
        ann = await house.telegram.person("Ann")
        group = await house.telegram.group("The camp", [ann])
        await house.telegram.write(ann["id"], "/newgame", group["id"])
        await house.telegram.post("wait", chat=group["id"], text="An expedition gathers", timeout=60)
        assert server.server is not None
        postmaster = server.server.pid
        everybody = [postmaster, *backends(postmaster)]
        for process in everybody if how == signal.SIGSTOP else [postmaster]:
            os.kill(process, how)
        if how == signal.SIGQUIT:
            await asyncio.to_thread(server.server.wait)
        try:
            await house.telegram.write(ann["id"], "/status", group["id"])  # a press that waits for it
            assert await seconds_to_end(house, 0) < 10.5
        finally:
            if how == signal.SIGSTOP:
                for process in everybody:
                    os.kill(process, signal.SIGCONT)


def backends(postmaster: int) -> list[int]:
    """The processes of a Postgres."""
    return [int(path.name) for path in Path("/proc").glob("[0-9]*") if parent(path.name) == postmaster]


def parent(pid: str) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:  # it ended meanwhile
        return 0


async def seconds_to_end(house: Processes, number: int) -> float:
    """How long a web process takes to end after SIGTERM; in order."""
    begun = time.monotonic()
    house.end(number, signal.SIGTERM)
    assert await house.ended(number) == 0
    return time.monotonic() - begun
