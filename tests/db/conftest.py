"""A store on a fresh database, and a game to begin with."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from db.records import ByPlace, Chat, GameRow, Person, SeatRow
from db.store import Store

ANN = Person(42, "Ann", private="open")
BOB = Person(43, "Bob")
CAMP = Chat(-5, "Camp", "group")


@pytest.fixture
async def store(database_url: str) -> AsyncIterator[Store]:
    async with Store(database_url) as store:
        yield store


async def opened(store: Store, chat_id: int = -5, thread_id: int = 0, **fields: Any) -> GameRow:
    """A game in a place; a lobby unless told otherwise."""
    async with store.press(update_id=None, find=ByPlace(chat_id, thread_id), person=ANN) as unit:
        given = {"roster": (SeatRow("s1", "Ann", ANN.id), SeatRow("s2", "Bob", BOB.id)), **fields}
        unit.open_game(opened_by=ANN.id, pace="day", public_seed="seed", **given)
        unit.knows(BOB)
    assert unit.game is not None
    return unit.game


@pytest.fixture
async def game(store: Store) -> GameRow:
    return await opened(store)
