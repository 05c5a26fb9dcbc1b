"""A day in the group: orders ahead, roads that worked, who waits for a game, how far somebody has read."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0002"
down_revision: str | None = "0001"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

NOW = sa.text("stay_away_now()")


def upgrade() -> None:
    op.add_column(
        "games",
        sa.Column(
            "orders",
            postgresql.JSONB(),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
            comment="orders ahead, by seat: secret",
        ),
    )
    op.create_table(
        "roads",
        sa.Column("person_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("chat_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column(
            "road",
            sa.Text(),
            nullable=False,
            comment="by which a private text reached this person from this group last",
        ),
        sa.Column("at", sa.DateTime(timezone=True), server_default=NOW, nullable=False),
        sa.PrimaryKeyConstraint("person_id", "chat_id", name=op.f("roads_pkey")),
        sa.CheckConstraint("road in ('ephemeral', 'private', 'alert')", name=op.f("roads_road")),
    )
    op.create_table(
        "callers",
        sa.Column("chat_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("thread_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("person_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), server_default=NOW, nullable=False),
        sa.PrimaryKeyConstraint("chat_id", "thread_id", "person_id", name=op.f("callers_pkey")),
        comment="who wants to be called when the next game opens here; until one has started",
    )
    op.create_table(
        "looks",
        sa.Column("game_id", sa.BigInteger(), nullable=False),
        sa.Column("person_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column(
            "seq", sa.Integer(), nullable=False, comment="the last event that this person has read of, for /recap"
        ),
        sa.Column(
            "before",
            sa.Integer(),
            server_default=sa.text("0"),
            nullable=False,
            comment="and the last one before this sitting: looks within a quarter of an hour are one",
        ),
        sa.Column("at", sa.DateTime(timezone=True), server_default=NOW, nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("looks_game_id_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "person_id", name=op.f("looks_pkey")),
    )


def downgrade() -> None:
    op.drop_table("looks")
    op.drop_table("callers")
    op.drop_table("roads")
    op.drop_column("games", "orders")
