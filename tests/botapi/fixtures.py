"""A playground for tests that checks itself: every call must fit the schema, and all it says must parse elsewhere.

from tests.botapi.fixtures import checked_playground

async def test_something():
    async with checked_playground() as telegram:
        ...  # telegram.url is TELEGRAM_API; telegram.calls the record
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import Any

from playground import Playground
from tests.botapi.schema import check_call


@contextlib.asynccontextmanager
async def checked_playground(*, parse: bool = True, **options: Any) -> AsyncIterator[Playground]:
    """A playground that refuses calls which do not fit the schema, and fails the test at its end if there were any.

    *parse*: also read everything it said with aiogram and python-telegram-bot.
    """
    async with Playground(check=check_call, **{"database_url": "", **options}) as telegram:
        yield telegram
        assert_fits(telegram, parse=parse)


def assert_fits(telegram: Playground, *, parse: bool = True) -> None:
    """Fail unless every call fitted the schema, and everything said can be read."""
    assert telegram.record.violations == []
    if parse:
        from tests.botapi.foreign import check_playground

        assert check_playground(telegram) == []
