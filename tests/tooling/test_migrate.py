"""Migrating: once, by one at a time, and never backwards."""

from concurrent.futures import ThreadPoolExecutor

import psycopg
from sqlalchemy import create_engine
from sqlalchemy.pool import NullPool

from db import migrate
from db.url import conninfo, normal


def state(url: str) -> str:
    with create_engine(normal(url), poolclass=NullPool).connect() as connection:
        return migrate.state(connection)


def test_from_nothing_to_all_tables_and_then_nothing_is_left_to_do(blank_database_url):
    assert state(blank_database_url) == "behind"
    assert migrate.upgrade(blank_database_url) is True
    assert state(blank_database_url) == "at head"
    assert migrate.upgrade(blank_database_url) is False


def test_of_several_that_start_together_one_migrates(blank_database_url):
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(migrate.upgrade, [blank_database_url] * 4))
    assert sorted(done) == [False, False, False, True]
    with psycopg.connect(conninfo(blank_database_url)) as connection:
        assert connection.execute("select count(*) from pg_locks where locktype = 'advisory'").fetchone() == (0,)


def test_a_database_of_newer_code_is_left_alone(another_database_url):
    with psycopg.connect(conninfo(another_database_url)) as connection:
        connection.execute("update alembic_version set version_num = 'of the future'")
    assert state(another_database_url) == "newer"
    assert migrate.upgrade(another_database_url) is False


def test_each_test_begins_with_what_the_migrations_left(database_url):
    with psycopg.connect(conninfo(database_url)) as connection:
        assert connection.execute("select count(*) from games").fetchone() == (0,)
    assert state(database_url) == "at head"
