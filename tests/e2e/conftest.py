"""One whole house for all tests here: starting it takes longer than most of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from db.local import LocalPostgres
from tests.conftest import one_more
from tests.e2e.house import House, house


@pytest.fixture(scope="package")
def long_home(postgres: LocalPostgres, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    for url in one_more(postgres, template):
        with house(url, Path(tmp_path_factory.mktemp("house"))) as one:
            yield one


@pytest.fixture
def home(long_home: House) -> Iterator[House]:
    """Postgres, playground and one web process, with Telegram's limits; every test has a group of its own."""
    yield long_home
    long_home.check()
