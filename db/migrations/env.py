"""Where Alembic enters: migrate.py hands the connection over, `alembic` on the command line finds DATABASE_URL."""

import os

from alembic import context
from sqlalchemy import Connection, create_engine
from sqlalchemy.pool import NullPool

from db.models import metadata
from db.url import normal


def run(connection: Connection) -> None:
    context.configure(connection=connection, target_metadata=metadata)
    with context.begin_transaction():
        context.run_migrations()


given = context.config.attributes.get("connection")
if given is not None:
    run(given)
else:
    with create_engine(normal(os.environ["DATABASE_URL"]), poolclass=NullPool, hide_parameters=True).connect() as own:
        run(own)
        own.commit()
