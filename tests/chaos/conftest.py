"""Houses of several web processes behind a balancer, on a database of their own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

import pytest

from bench.nursery import Nursery
from bench.processes import CHECKOUT, Processes


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
