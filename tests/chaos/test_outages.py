"""Everything was down for longer than a minute: every deadline moves by as much, once, and the group is told."""

from __future__ import annotations

from datetime import datetime, timedelta

import psycopg

from bench.people import Crowd
from bench.processes import Processes
from db.url import conninfo
from tests.chaos.conftest import Housed, beside, until

TOLD = "The lamp was out for a while"


def deadlines(house: Processes) -> dict[str, datetime]:
    """When the clock answers for each seat that is awaited."""
    with psycopg.connect(conninfo(house.database)) as connection:
        rows = connection.execute(
            "select t ->> 'seat', (t ->> 'at')::timestamptz from games, jsonb_array_elements(timers) t"
            " where status = 'playing' and t ->> 'kind' = 'deadline'"
        )
        return dict(rows.fetchall())


def silent_since(house: Processes, seconds: float) -> None:
    """Nobody has said for so long that the bot lives."""
    with psycopg.connect(conninfo(house.database), autocommit=True) as connection:
        connection.execute(
            "update meta set value = to_jsonb(clock_timestamp() - make_interval(secs => %s)) where key = 'heartbeat'",
            (seconds,),
        )


async def test_after_an_outage_every_deadline_has_moved_by_it_once_and_the_group_is_told(housed: Housed) -> None:
    async with housed(3) as house:
        crowd = Crowd(house.telegram, 1, 4, "outage")
        async with beside(crowd.play()):
            await until(lambda: crowd.games and crowd.games[0].began and deadlines(house))
        await house.telegram.post("clock", forward=700)  # the question is older than the outage
        for number in house.webs:
            house.end(number)
            await house.ended(number)
        before = deadlines(house)
        silent_since(house, 600)
        for number in house.webs:  # all at once: who comes first moves them
            house.start(number)
        for number in house.webs:
            await house.up(number)
        group = crowd.games[0].group
        await house.telegram.post("wait", chat=group, text=TOLD, timeout=30)
        after = deadlines(house)
        assert after.keys() == before.keys()
        for seat, at in after.items():
            assert timedelta(seconds=599) < at - before[seat] < timedelta(seconds=660)
        await house.telegram.post("wait", idle=True, quiet=1.2)  # a tick more of each
        told = [message for message in await house.telegram.messages(group) if TOLD in message["text"]]
        assert len(told) == 1 and deadlines(house) == after
        assert not house.complaints()
