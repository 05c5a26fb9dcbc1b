"""Brings a database up to the tables that this code knows: what `stay-away migrate` and every start do.

One migrates at a time (a session advisory lock), the others wait and then find nothing left to do. A migration that
cannot have its table lock within five seconds fails rather than hold up the game. db/migrations/env.py finds the
connection in ``context.config.attributes["connection"]``.
"""

from functools import cache
from pathlib import Path
from typing import Literal

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine, text
from sqlalchemy.pool import NullPool

from .url import normal

# "migrate" and "stay-away" in a number of our own; nothing but being the same everywhere matters.
LOCK = 0x5A_00_01

State = Literal["behind", "at head", "newer"]


def upgrade(url: str, to: str = "head") -> bool:
    """Migrate the database at *url*; False if there was nothing to do."""
    # hide_parameters: what a migration carries over may be hands and roles.
    engine = create_engine(normal(url), poolclass=NullPool, hide_parameters=True)
    with engine.connect() as connection:
        if to == "head" and state(connection) != "behind":
            return False
        connection.rollback()
        connection.execute(text("set lock_timeout = '60s'"))
        connection.execute(text("select pg_advisory_lock(:key)"), {"key": LOCK})
        try:
            if to == "head" and state(connection) != "behind":
                return False
            connection.execute(text("set lock_timeout = '5s'"))
            connection.commit()
            config = configuration()
            config.attributes["connection"] = connection
            command.upgrade(config, to)
            connection.commit()
            return True
        finally:
            connection.rollback()
            connection.execute(text("select pg_advisory_unlock(:key)"), {"key": LOCK})
            connection.commit()


def state(connection: Connection) -> State:
    """Where a database stands; "newer" when it was migrated by code that we do not know (a deploy is under way)."""
    return standing(MigrationContext.configure(connection).get_current_heads())


def standing(revisions: tuple[str, ...]) -> State:
    """The same, told from what the table alembic_version holds."""
    known, heads = revisions_known()
    if set(revisions) - known:
        return "newer"
    return "at head" if set(revisions) == heads else "behind"


@cache
def revisions_known() -> tuple[frozenset[str], frozenset[str]]:
    script = ScriptDirectory.from_config(configuration())
    return frozenset(one.revision for one in script.walk_revisions()), frozenset(script.get_heads())


def configuration() -> Config:
    """Alembic's configuration, made here: an installed package has no pyproject.toml."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")).replace("%", "%%"))
    # Says how the next line is to be split; without it Alembic warns.
    config.set_main_option("path_separator", "os")
    return config
