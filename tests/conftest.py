"""A real Postgres for the tests: one server a worker, one migrated template, and databases cheap enough to waste.

``database_url``   the migrated database, empty again after each test (0.3 ms)
``another_database_url``   a migrated database of one's own, for who alters tables or needs two (35 ms)
``blank_database_url``     one without any table
"""

import contextlib
import itertools
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from hypothesis import settings
from psycopg import sql

import core
from db.local import LocalPostgres

settings.register_profile("any machine", deadline=None)  # how long an example takes is no assertion
settings.load_profile("any machine")

numbers = itertools.count(1)


def memory() -> str | None:
    """A folder in memory, where making a database folder takes a third of the time; Docker's own is too small."""
    with contextlib.suppress(OSError):
        if shutil.disk_usage("/dev/shm").free > 2 << 30:
            return "/dev/shm"
    return None


@pytest.fixture(scope="session")
def postgres() -> Iterator[LocalPostgres]:
    """A server that is gone after the run, data and all."""
    folder = Path(tempfile.mkdtemp(prefix="stay-away-tests-", dir=memory()))
    folder.chmod(0o755)  # as root the server is run by another user
    try:
        with LocalPostgres(folder, fsync=False) as server:
            yield server
            # All tests, whole games and refused statements too, have written to this log by now.
            told = [card for card in core.CARDS if card in server.beside("log").read_text(errors="replace")]
            assert not told, f"the log of Postgres names cards: {told}"
    finally:
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def template(postgres: LocalPostgres) -> str:
    """The name of a migrated database that nobody connects to, so that it can be copied."""
    from db import migrate

    create(postgres, "template_stay_away")
    migrate.upgrade(postgres.url_of("template_stay_away"))
    return "template_stay_away"


@pytest.fixture(scope="session")
def cleaned(postgres: LocalPostgres, template: str) -> tuple[str, Callable[[], None]]:
    """The database of all tests, and how it becomes what the migrations left."""
    create(postgres, "tests", template)
    tables = {}
    with psycopg.connect(postgres.conninfo("tests"), autocommit=True) as connection:
        for name, in connection.execute("select tablename from pg_tables where schemaname = 'public'").fetchall():
            with connection.cursor() as cursor, cursor.copy(sql.SQL("copy {} to stdout").format(
                    sql.Identifier(name))) as rows:
                tables[name] = b"".join(bytes(row) for row in rows)

    def clean() -> None:
        with psycopg.connect(postgres.conninfo("tests")) as connection:
            # What a test left open would keep its locks.
            connection.execute("select pg_terminate_backend(pid) from pg_stat_activity"
                               " where datname = current_database() and pid <> pg_backend_pid()")
            connection.execute("set session_replication_role = replica")  # in any order of the foreign keys
            for name, rows in tables.items():
                connection.execute(sql.SQL("delete from {}").format(sql.Identifier(name)))
                if rows:
                    with connection.cursor() as cursor, cursor.copy(sql.SQL("copy {} from stdin").format(
                            sql.Identifier(name))) as copy:
                        copy.write(rows)
            used = connection.execute("select schemaname, sequencename from pg_sequences where last_value is not null")
            for schema, name in used.fetchall():
                connection.execute(sql.SQL("alter sequence {} restart").format(sql.Identifier(schema, name)))

    return postgres.url_of("tests"), clean


@pytest.fixture
def database_url(cleaned: tuple[str, Callable[[], None]]) -> Iterator[str]:
    """The address of a migrated database, as new for each test."""
    url, clean = cleaned
    yield url
    clean()


@pytest.fixture
def another_database_url(postgres: LocalPostgres, template: str) -> Iterator[str]:
    """The address of a migrated database that only this test sees."""
    yield from one_more(postgres, template)


@pytest.fixture
def blank_database_url(postgres: LocalPostgres) -> Iterator[str]:
    """The address of a database without any table."""
    yield from one_more(postgres, "template0")


def one_more(postgres: LocalPostgres, template: str) -> Iterator[str]:
    name = f"test_{next(numbers)}"
    create(postgres, name, template)
    yield postgres.url_of(name)
    with psycopg.connect(postgres.conninfo(), autocommit=True) as connection:
        connection.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


def create(postgres: LocalPostgres, name: str, template: str = "template0") -> None:
    with psycopg.connect(postgres.conninfo(), autocommit=True) as connection:
        # Copying files takes 28 ms, writing them to the log 41; version 15 first had the choice.
        how = " strategy file_copy" if connection.info.server_version >= 15_00_00 else ""
        connection.execute(sql.SQL("create database {} template {}" + how).format(
            sql.Identifier(name), sql.Identifier(template)))
