"""Two worlds for all tests here: databases, processes and far ends of their own; every game has a group of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

import core
from db.local import LocalPostgres
from telegram_bot import sender
from tests.conftest import one_more
from tests.worlds.twins import Twins
from tests.worlds.world import Chance, World


@pytest.fixture
async def twins(
    postgres: LocalPostgres, template: str, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Twins]:
    chance = Chance()
    monkeypatch.setattr("secrets.token_hex", chance.token)
    monkeypatch.setattr(core, "new_game", chance.new_game)
    monkeypatch.setattr(sender, "SOON", 0.0)  # time stands still: what can be said in a moment is said when it has come
    for url in one_more(postgres, template):
        for another in one_more(postgres, template):
            async with World(url).running() as one, World(another).running() as other:
                yield Twins(one, other, chance)
                assert not await one.store.failures(all=True) and not await other.store.failures(all=True)
