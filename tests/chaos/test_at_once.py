"""Several web processes on one database: the same update in two of them at once, late ones, and deadlines."""

from __future__ import annotations

import asyncio

import aiohttp
import psycopg

from bench.people import Crowd
from bench.processes import TOKEN, Processes
from db.url import conninfo
from telegram_bot.config import read
from tests.chaos.conftest import Housed, beside, time_goes_by, until

SECRET = read({"BOT_TOKEN": TOKEN, "PUBLIC_URL": "https://camp.example"}).secret


def asked(house: Processes, what: str) -> list[tuple[object, ...]]:
    with psycopg.connect(conninfo(house.database)) as connection:
        return connection.execute(what).fetchall()  # type: ignore[arg-type]


async def deliver(house: Processes, number: int, update: object) -> int:
    """An update as Telegram posts it, to one process; how it was answered."""
    secret = {"X-Telegram-Bot-Api-Secret-Token": SECRET}
    async with (
        aiohttp.ClientSession() as http,
        http.post(f"http://127.0.0.1:{house.ports[number]}/telegram", json=update, headers=secret) as answer,
    ):
        return answer.status


async def test_the_same_update_in_three_processes_at_once_is_applied_once(housed: Housed) -> None:
    async with housed(3) as house:
        ann = await house.telegram.person("Ann")
        people = [await house.telegram.person(name) for name in ("Bob", "Cid", "Dan")]
        group = await house.telegram.group("The camp", [ann, *people])
        await house.telegram.write(ann["id"], "/newgame", group["id"])
        await house.telegram.post("wait", chat=group["id"], button="Join", timeout=60)
        await house.telegram.post("updates/hold")
        presses = []
        for person in people:
            await house.telegram.post("press", **{"as": person["id"]}, chat=group["id"], text="Join", wait=0)
        updates = (await house.telegram.get("updates"))["updates"][-len(people) :]
        presses = [one["payload"] | {"update_id": one["id"]} for one in updates]
        # The newest first, each in every process at once, and once more when all is done; Join pressed twice is Leave.
        for press in reversed(presses):
            answers = await asyncio.gather(*(deliver(house, number, press) for number in house.webs))
            assert answers == [200, 200, 200]
        await asyncio.gather(*(deliver(house, number, press) for number in house.webs for press in presses))
        await house.telegram.post("updates/release")
        await house.telegram.post("wait", idle=True, timeout=30)
        ((seats,),) = asked(house, "select jsonb_array_length(roster) from games")
        assert seats == 4
        assert not house.complaints()


async def test_three_processes_that_tick_together_answer_once_for_each_deadline(housed: Housed) -> None:
    async with housed(3) as house:
        crowd = Crowd(house.telegram, 2, 4, "deadlines")
        async with beside(time_goes_by(house)), beside(crowd.play()):
            await until(lambda: len(crowd.games) == 2 and all(game.began for game in crowd.games))
        await house.telegram.post("wait", idle=True, quiet=1.5, timeout=60)
        awaited = asked(
            house,
            "select g.id, t ->> 'seat' from games g, jsonb_array_elements(timers) t"
            " where g.status = 'playing' and t ->> 'kind' = 'deadline'",
        )
        assert awaited
        await house.telegram.forward(150 * 60 + 60)  # a Day's base time and bank, and no second question's
        await house.telegram.post("wait", idle=True, quiet=3, timeout=60)
        answered = asked(house, "select game_id, seat from answers where by = 'clock' order by at")
        assert sorted(answered) == sorted(awaited), (answered, awaited)  # type: ignore[type-var]
        assert not house.complaints()
