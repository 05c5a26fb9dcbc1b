"""Everything, from nothing."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "0001"
down_revision: str | None = None
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

CLOCK = """
create function stay_away_now() returns timestamptz language sql stable as $$
    select now() + make_interval(secs => coalesce((select (value #>> '{}')::float8 from meta where key = 'clock'), 0))
$$
"""

WANTING = """
(refused IS NULL) AND
CASE
    WHEN gone THEN ((message_id IS NOT NULL) OR (leftovers <> '[]'::jsonb))
    ELSE ((shown_post <> post) OR (shown_rev <> wanted_rev) OR (leftovers <> '[]'::jsonb)
          OR ((pin <> pinned) AND (NOT pin_refused)))
END
"""


def upgrade() -> None:
    op.create_table(
        "meta",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("value", postgresql.JSONB(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("meta_pkey")),
        comment="clock: seconds that tests moved the time by; heartbeat: the last tick; and what others keep here",
    )
    op.execute(CLOCK)  # the body names meta, and the defaults below call it
    op.execute(sa.schema.CreateSequence(sa.Sequence("game_ids")))
    op.execute(sa.schema.CreateSequence(sa.Sequence("screens_due")))
    op.create_table(
        "chats",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("title", sa.Text(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=True, comment="group, supergroup, private"),
        sa.Column("settings", postgresql.JSONB(), nullable=True, comment="what the group chose"),
        sa.Column(
            "rights", postgresql.JSONB(), nullable=True, comment="what the bot may do there, as Telegram last said"
        ),
        sa.Column(
            "road",
            sa.Text(),
            server_default=sa.text("'unknown'"),
            nullable=False,
            comment="unknown or open: can be written to; left: the bot is out; muted: it may not write",
        ),
        sa.Column("migrated_to", sa.BigInteger(), nullable=True, comment="the supergroup that this group became"),
        sa.Column("left_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("road in ('unknown', 'open', 'left', 'muted')", name=op.f("chats_road")),
        sa.PrimaryKeyConstraint("id", name=op.f("chats_pkey")),
    )
    op.create_table(
        "failures",
        sa.Column("update_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("attempts", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column("error", sa.Text(), nullable=False, comment="kind and place of the error; never a card or a role"),
        sa.Column("raw", postgresql.JSONB(), nullable=True, comment="the update as it came"),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.text("stay_away_now()"), nullable=False),
        sa.Column(
            "put_aside",
            sa.Boolean(),
            server_default=sa.text("false"),
            nullable=False,
            comment="answered 200, not tried again",
        ),
        sa.PrimaryKeyConstraint("update_id", name=op.f("failures_pkey")),
    )
    op.create_table(
        "games",
        sa.Column(
            "id", sa.BigInteger(), server_default=sa.text("nextval('game_ids')"), autoincrement=False, nullable=False
        ),
        sa.Column("chat_id", sa.BigInteger(), nullable=False),
        sa.Column(
            "thread_id",
            sa.BigInteger(),
            server_default=sa.text("0"),
            nullable=False,
            comment="forum topic; 0: none",
        ),
        sa.Column("status", sa.Text(), nullable=False, comment="lobby, playing, paused, over, called_off"),
        sa.Column("opened_by", sa.BigInteger(), nullable=False, comment="a person"),
        sa.Column("options", postgresql.JSONB(), server_default=sa.text("'{}'::jsonb"), nullable=False),
        sa.Column("pace", sa.Text(), nullable=False),
        sa.Column(
            "roster",
            postgresql.JSONB(),
            server_default=sa.text("'[]'::jsonb"),
            nullable=False,
            comment="[{seat, person, name, played_by}]",
        ),
        sa.Column(
            "memo",
            postgresql.JSONB(),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
            comment="what use cases keep from press to press",
        ),
        sa.Column("public_seed", sa.Text(), nullable=False, comment="for words and pauses, never for the game's dice"),
        sa.Column(
            "turn_start",
            sa.Text(),
            nullable=True,
            comment="the table at the start of the turn, as core writes it: secret",
        ),
        sa.Column(
            "answers",
            postgresql.JSONB(),
            server_default=sa.text("'[]'::jsonb"),
            nullable=False,
            comment="[[seat, [choice]]] since then: secret",
        ),
        sa.Column("digest", sa.Text(), nullable=True, comment="of the table after the last answer"),
        sa.Column("turn", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("version", sa.Integer(), server_default=sa.text("0"), nullable=False, comment="+1 an answer"),
        sa.Column(
            "happened", sa.Integer(), server_default=sa.text("0"), nullable=False, comment="how many events there are"
        ),
        sa.Column("rules_v", sa.Integer(), nullable=False),
        sa.Column("state_v", sa.Integer(), nullable=False),
        sa.Column(
            "timers",
            postgresql.JSONB(),
            server_default=sa.text("'[]'::jsonb"),
            nullable=False,
            comment="[{seat, kind, at}]",
        ),
        sa.Column("next_at", sa.DateTime(timezone=True), nullable=True, comment="the earliest timer of an open game"),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("stay_away_now()"), nullable=False),
        sa.Column("touched_at", sa.DateTime(timezone=True), server_default=sa.text("stay_away_now()"), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("outcome", postgresql.JSONB(), nullable=True),
        sa.CheckConstraint("status in ('lobby', 'playing', 'paused', 'over', 'called_off')", name=op.f("games_status")),
        sa.PrimaryKeyConstraint("id", name=op.f("games_pkey")),
    )
    op.create_index("games_due", "games", ["next_at"], unique=False, postgresql_where=sa.text("next_at is not null"))
    op.create_index(
        "games_one_open",
        "games",
        ["chat_id", "thread_id"],
        unique=True,
        postgresql_where=sa.text("status in ('lobby', 'playing', 'paused')"),
    )
    op.create_table(
        "limits",
        sa.Column("chat_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column(
            "thread_id",
            sa.BigInteger(),
            server_default=sa.text("0"),
            autoincrement=False,
            nullable=False,
            comment="0: all",
        ),
        sa.Column(
            "sent",
            postgresql.ARRAY(sa.DateTime(timezone=True)),
            server_default=sa.text("'{}'"),
            nullable=False,
            comment="lately",
        ),
        sa.Column("blocked_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("why", sa.Text(), nullable=True, comment="flood, left, muted, topic, trouble"),
        sa.PrimaryKeyConstraint("chat_id", "thread_id", name=op.f("limits_pkey")),
    )
    op.create_index(
        "limits_blocked",
        "limits",
        ["chat_id"],
        unique=False,
        postgresql_where=sa.text("blocked_until is not null"),
    )
    op.create_table(
        "people",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False, comment="Telegram's"),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("username", sa.Text(), nullable=True),
        sa.Column("language", sa.Text(), nullable=True),
        sa.Column(
            "private",
            sa.Text(),
            server_default=sa.text("'unknown'"),
            nullable=False,
            comment="the road to the private chat: unknown (never tried), open, closed (never started), blocked, gone",
        ),
        sa.Column("seen_at", sa.DateTime(timezone=True), server_default=sa.text("stay_away_now()"), nullable=False),
        sa.CheckConstraint("private in ('unknown', 'open', 'closed', 'blocked', 'gone')", name=op.f("people_private")),
        sa.PrimaryKeyConstraint("id", name=op.f("people_pkey")),
    )
    op.create_table(
        "updates",
        sa.Column(
            "update_id", sa.BigInteger(), autoincrement=False, nullable=False, comment="an update that was applied"
        ),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.text("stay_away_now()"), nullable=False),
        sa.PrimaryKeyConstraint("update_id", name=op.f("updates_pkey")),
    )
    op.create_index("updates_at", "updates", ["at"], unique=False, postgresql_using="brin")
    op.create_table(
        "answers",
        sa.Column("game_id", sa.BigInteger(), nullable=False),
        sa.Column(
            "version", sa.Integer(), autoincrement=False, nullable=False, comment="of the game after this answer"
        ),
        sa.Column("seat", sa.Text(), nullable=False),
        sa.Column("choice", postgresql.JSONB(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False, comment="player, clock, order, bot player"),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("answers_game_id_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "version", name=op.f("answers_pkey")),
    )
    op.create_table(
        "events",
        sa.Column("game_id", sa.BigInteger(), nullable=False),
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("event", postgresql.JSONB(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("events_game_id_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "seq", name=op.f("events_pkey")),
    )
    op.create_table(
        "screens",
        sa.Column("game_id", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False, comment="board, lobby, panel, turn 17 ..."),
        sa.Column(
            "receiver", sa.BigInteger(), autoincrement=False, nullable=False, comment="0: the group; else a person"
        ),
        sa.Column("chat_id", sa.BigInteger(), nullable=False),
        sa.Column("thread_id", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("wanted", postgresql.JSONB(), nullable=False, comment="{text, rows, protect, old}: store.Wanted"),
        sa.Column("wanted_hash", sa.Text(), nullable=False, comment="of what an edit can change: text and buttons"),
        sa.Column("wanted_rev", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column(
            "post",
            sa.Integer(),
            server_default=sa.text("1"),
            nullable=False,
            comment="which posting; post anew adds one",
        ),
        sa.Column(
            "ring", sa.Boolean(), server_default=sa.text("false"), nullable=False, comment="the posting is heard"
        ),
        sa.Column(
            "once",
            sa.Boolean(),
            server_default=sa.text("false"),
            nullable=False,
            comment="never sent twice: a tale, no board",
        ),
        sa.Column("pin", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("gone", sa.Boolean(), server_default=sa.text("false"), nullable=False, comment="to be deleted"),
        sa.Column("due", sa.BigInteger(), server_default=sa.text("nextval('screens_due')"), nullable=False),
        sa.Column("shown_rev", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("shown_post", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("shown_hash", sa.Text(), nullable=True),
        sa.Column("message_id", sa.BigInteger(), nullable=True),
        sa.Column(
            "leftovers",
            postgresql.JSONB(),
            server_default=sa.text("'[]'::jsonb"),
            nullable=False,
            comment="[[message id, strip or delete]]",
        ),
        sa.Column("pinned", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("pin_refused", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column(
            "trying",
            sa.Integer(),
            nullable=True,
            comment="the posting on its way; one found here by a new sender was perhaps sent",
        ),
        sa.Column("attempts", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column(
            "not_before", sa.DateTime(timezone=True), nullable=True, comment="this row waits, the chat does not"
        ),
        sa.Column("tried_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("result", sa.Text(), nullable=True, comment="how the last try ended, in a few words without content"),
        sa.Column(
            "refused",
            sa.Text(),
            nullable=True,
            comment="why nothing is tried until something new is wanted; 'road': no way there",
        ),
        sa.Column("wanting", sa.Boolean(), sa.Computed(WANTING, persisted=True), nullable=False),
        sa.CheckConstraint("receiver = 0 or chat_id = receiver", name=op.f("screens_private_text_stays_private")),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("screens_game_id_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "kind", "receiver", name=op.f("screens_pkey")),
    )
    op.create_index(
        "screens_receiver", "screens", ["receiver"], unique=False, postgresql_where=sa.text("receiver <> 0")
    )
    op.create_index("screens_wanting", "screens", ["chat_id", "due"], unique=False, postgresql_where=sa.text("wanting"))
    op.create_index(
        "screens_without_road", "screens", ["receiver"], unique=False, postgresql_where=sa.text("refused = 'road'")
    )
    op.create_table(
        "seats",
        sa.Column("person_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("game_id", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("seats_game_id_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("person_id", "game_id", name=op.f("seats_pkey")),
        comment="an index from people to games; who sits where is said by games.roster alone",
    )
    op.create_index("seats_game_id", "seats", ["game_id"], unique=False)


def downgrade() -> None:
    for table in ("screens", "events", "answers", "seats", "games", "people", "chats", "limits", "failures", "updates"):
        op.drop_table(table)
    op.execute("drop function stay_away_now")
    op.drop_table("meta")
    op.execute("drop sequence game_ids")
    op.execute("drop sequence screens_due")
