"""A whole house for each test that asks for one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.house import House, house


@pytest.fixture
def home(another_database_url: str, tmp_path: Path) -> Iterator[House]:
    """Postgres, playground and one web process, with Telegram's limits."""
    with house(another_database_url, tmp_path) as one:
        yield one
