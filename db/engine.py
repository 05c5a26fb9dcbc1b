"""The engine: connections that never show parameters and give up rather than hang."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import Any, Self

from psycopg.types.numeric import Int8Dumper
from sqlalchemy import event, exc, text
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from .errors import Away, database_errors
from .url import normal


def make_engine(url: URL, pool: int = 3) -> AsyncEngine:
    """An engine that never shows parameters, whose sessions give up rather than hang."""
    engine = create_async_engine(
        url,
        pool_size=pool,
        max_overflow=0,
        pool_timeout=10,
        # Routers cut idle connections. No pre-ping: it costs a round trip, and a press tries twice anyway.
        pool_recycle=300,
        hide_parameters=True,
    )

    @event.listens_for(engine.sync_engine, "connect")
    def settle(connection: Any, record: object) -> None:
        # One type for all integers, whatever their size: else a statement is prepared once for each mixture.
        connection.driver_connection.adapters.register_dumper(int, Int8Dumper)
        cursor = connection.cursor()
        # A process that died silently must not hold a game for longer than this.
        cursor.execute(
            "set timezone = 'UTC'; set lock_timeout = '5s'; set statement_timeout = '30s';"
            "set idle_in_transaction_session_timeout = '15s'"
        )
        cursor.close()
        connection.commit()

    return engine


async def put_back(connection: AsyncConnection) -> None:
    """Give a connection back to its pool, whatever state it is in."""
    with contextlib.suppress(exc.SQLAlchemyError, OSError):
        await connection.close()


class Database:
    """A pool of connections, and how a statement runs on one."""

    def __init__(self, url: str | URL, pool: int) -> None:
        self.url = normal(url) if isinstance(url, str) else url
        self.engine = make_engine(self.url, pool)

    async def close(self) -> None:
        """Close every connection."""
        await self.engine.dispose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    @contextlib.asynccontextmanager
    async def _transaction(self) -> AsyncIterator[AsyncConnection]:
        with database_errors():
            async with self.engine.begin() as connection:
                yield connection

    async def _run(self, statement: str, **values: object) -> Any:
        for last in (False, True):
            try:
                async with self._transaction() as connection:
                    return await connection.execute(text(statement), values)
            except Away:
                if last:
                    raise
        raise AssertionError
