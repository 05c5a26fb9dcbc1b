"""The one clock: the database's `now()` plus an offset that tests and the playground move.

Everything that is compared with a time is compared with `stay_away_now()`, in SQL; no process asks its own clock. So no
test waits for a deadline: it moves the clock past it, and every process that shares the database lives later at once.
"""

from __future__ import annotations

from datetime import datetime

import psycopg
from sqlalchemy import text
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncEngine

from .url import conninfo

#: The channel on which processes wake each other: a commit left something to show, or the time moved.
CHANNEL = "stay_away"

MOVE = """
insert into meta (key, value) values ('clock', to_jsonb(%(seconds)s::float8))
on conflict (key) do update set value = to_jsonb((meta.value #>> '{}')::float8 + %(seconds)s::float8)
returning (value #>> '{}')::float8
"""


def move(url: str | URL, seconds: float) -> float:
    """Move the time of everybody on the database at *url* by *seconds*, and wake them; the offset that it has now."""
    with psycopg.connect(conninfo(url), autocommit=True) as connection:
        row = connection.execute(MOVE, {"seconds": seconds}).fetchone()
        connection.execute(f"notify {CHANNEL}, 'clock'")
    assert row is not None
    return float(row[0])


async def now(engine: AsyncEngine) -> datetime:
    """What time it is for the game."""
    async with engine.connect() as connection:
        found: datetime = (await connection.execute(text("select stay_away_now()"))).scalar_one()
        return found


async def offset(engine: AsyncEngine) -> float:
    """By how many seconds the time was moved; 0.0 where nobody plays with it."""
    async with engine.connect() as connection:
        query = text("select coalesce((select (value #>> '{}')::float8 from meta where key = 'clock'), 0)")
        return float((await connection.execute(query)).scalar_one())
