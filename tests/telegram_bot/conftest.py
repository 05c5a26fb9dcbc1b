"""A camp for each test: the real door, the real store."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

import core
from db.store import Store
from telegram_bot import me
from telegram_bot.door import application
from tests.telegram_bot.camp import BOT, Camp, FarEnd


@pytest.fixture
async def camp(database_url: str) -> AsyncIterator[Camp]:
    far_end = FarEnd()
    async with Store(database_url, rules_v=core.RULES_VERSION, state_v=core.STATE_VERSION) as store:
        app = application("1000:TEST", far_end, "http://nowhere.invalid", store, far_end.rest)
        await app.initialize()
        me.introduce(BOT["username"])
        camp = Camp(store, app, far_end, database_url)
        yield camp
        await app.shutdown()
        assert await camp.failures() == 0, "an update failed"
