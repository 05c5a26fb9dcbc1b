"""The tables are what the migrations make, and hold what no code can be trusted to hold."""

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from psycopg.errors import CheckViolation, UniqueViolation
from sqlalchemy import create_engine
from sqlalchemy.pool import NullPool

from db import clock, migrate, models
from db.records import GameRow
from db.store import Store
from db.url import conninfo, normal
from tests.db.conftest import opened


def test_the_migrations_make_the_tables_of_the_models(database_url: str) -> None:
    with create_engine(normal(database_url), poolclass=NullPool).connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), models.metadata) == []


def test_the_migrations_make_the_computed_columns_and_sequences_of_the_models(database_url: str) -> None:
    """What Alembic does not compare: a table made from the model says the same in Postgres' own words."""
    expression = "select pg_get_expr(adbin, adrelid) from pg_attrdef join pg_class on pg_class.oid = adrelid" \
        " join pg_attribute on attrelid = adrelid and attnum = adnum where attgenerated = 's' and relname = %s"
    with psycopg.connect(conninfo(database_url)) as connection:
        connection.execute(f"create temp table twin (like screens, wanting2 bool generated always as ({models.WANTING})"
                           " stored)")
        migrated = connection.execute(expression, ("screens",)).fetchone()
        assert migrated == connection.execute(expression, ("twin",)).fetchone()
        sequences = connection.execute("select sequencename from pg_sequences where schemaname = 'public'").fetchall()
    assert {name for name, in sequences} == {models.game_ids.name, models.screens_due.name}


def test_up_from_nothing_and_down_again(blank_database_url: str) -> None:
    assert migrate.upgrade(blank_database_url) is True
    assert migrate.upgrade(blank_database_url) is False
    from alembic import command

    config = migrate.configuration()
    with create_engine(normal(blank_database_url), poolclass=NullPool).begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "base")
    with psycopg.connect(conninfo(blank_database_url)) as left:
        tables = left.execute("select tablename from pg_tables where schemaname = 'public'").fetchall()
    assert tables == [("alembic_version",)]
    assert migrate.upgrade(blank_database_url) is True


async def test_a_private_text_cannot_be_placed_in_a_group(store: Store, database_url: str, game: GameRow) -> None:
    with psycopg.connect(conninfo(database_url)) as connection, pytest.raises(CheckViolation):
        connection.execute(
            "insert into screens (game_id, kind, receiver, chat_id, wanted, wanted_hash)"
            " values (%s, 'hand', 42, -5, '{}', '')",
            (game.id,),
        )


async def test_a_place_holds_one_open_game(store: Store, database_url: str, game: GameRow) -> None:
    await opened(store, thread_id=7)
    with psycopg.connect(conninfo(database_url)) as connection, pytest.raises(UniqueViolation):
        connection.execute("update games set thread_id = 0")


async def test_time_can_be_moved_for_everybody(store: Store, database_url: str) -> None:
    before = await clock.now(store.engine)
    assert clock.move(database_url, 3600) == 3600
    assert clock.move(database_url, 30.5) == 3630.5
    assert await clock.offset(store.engine) == 3630.5
    async with store.press(update_id=1) as unit:
        assert 3630 < (unit.now - before).total_seconds() < 3700
