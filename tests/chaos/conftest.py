"""Houses of several web processes behind a balancer, on a database of their own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

import pytest

from bench.nursery import Nursery
from bench.processes import CHECKOUT, Processes


@asynccontextmanager
async def beside(work: Coroutine[Any, Any, None]) -> AsyncIterator[asyncio.Task[None]]:
    """While the block runs, *work* goes on."""
    task = asyncio.create_task(work)
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.wait({task})


async def time_goes_by(house: Processes, a_second: float = 10.0) -> None:
    """The clocks of Telegram and of the bot go faster: nobody waits for limits, pauses and deadlines."""
    while True:
        await asyncio.sleep(0.1)
        await house.telegram.forward(a_second / 10)


async def until(happened: Callable[[], object]) -> None:
    """Wait for something that other processes do."""
    async with asyncio.timeout(60):
        while not happened():  # noqa: ASYNC110
            await asyncio.sleep(0.02)


class Housed(Protocol):
    def __call__(self, webs: int = 1, **how: Any) -> Any: ...


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    """One for all tests: what it imports takes two seconds."""
    one = Nursery(CHECKOUT)
    yield one
    one.close()


@pytest.fixture
def housed(another_database_url: str, tmp_path: Path, nursery: Nursery) -> Housed:
    """`async with housed(3) as house:` so many web processes, a playground, and a balancer between them."""

    @asynccontextmanager
    async def opened(webs: int = 1, **how: Any) -> AsyncIterator[Processes]:
        async with Processes(tmp_path, another_database_url, webs, **{"nursery": nursery} | how) as house:
            yield house
            assert not (await house.telegram.get("violations"))["violations"]

    return opened
