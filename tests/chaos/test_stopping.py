"""SIGTERM: what was begun is finished, and somebody else goes on."""

from __future__ import annotations

import asyncio
import signal
import time

from bench.people import Crowd
from bench.processes import Processes
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
