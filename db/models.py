"""The tables: what is remembered between two presses (DESIGN.md 4).

Their words are the field's: a *game* has a *roster* of seats, a *version* that grows by one with every answer, and
*timers*; a *screen* says what should be shown in one place and what is shown there now. Column comments give shapes.
The hot path (store.py, telegram_bot/sender.py) is written as SQL; these definitions are what migrations are checked
against, and what rare reads use. All times are `stay_away_now()` (clock.py), all ids of Telegram 64 bits wide.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Computed,
    DateTime,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Sequence,
    Table,
    Text,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

metadata = MetaData(
    naming_convention={
        "pk": "%(table_name)s_pkey",
        "ix": "%(table_name)s_%(column_0_name)s",
        "fk": "%(table_name)s_%(column_0_name)s_fkey",
        "ck": "%(table_name)s_%(constraint_name)s",
    }
)

#: A game that is one of these occupies its place: there is one a chat and topic.
OPEN = ("lobby", "playing", "paused")

#: Numbers games. Drawn before the row is written, because buttons carry the number of their game.
game_ids = Sequence("game_ids", metadata=metadata)

#: Numbers the screens in the order in which they came to want something; the order inside a chat.
screens_due = Sequence("screens_due", metadata=metadata)


def _time(name: str, **more: object) -> Column[object]:
    return Column(name, DateTime(timezone=True), **more)  # type: ignore[arg-type]


_now = text("stay_away_now()")
_nothing = text("'{}'::jsonb")
_none = text("'[]'::jsonb")

updates = Table(
    "updates",
    metadata,
    Column("update_id", BigInteger, primary_key=True, autoincrement=False, comment="an update that was applied"),
    _time("at", nullable=False, server_default=_now),
)
Index("updates_at", updates.c.at, postgresql_using="brin")

failures = Table(
    "failures",
    metadata,
    Column("update_id", BigInteger, primary_key=True, autoincrement=False),
    Column("attempts", Integer, nullable=False, server_default=text("1")),
    Column("error", Text, nullable=False, comment="kind and place of the error; never a card or a role"),
    Column("raw", JSONB, comment="the update as it came"),
    _time("at", nullable=False, server_default=_now),
    Column("put_aside", Boolean, nullable=False, server_default=text("false"), comment="answered 200, not tried again"),
)

people = Table(
    "people",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False, comment="Telegram's"),
    Column("name", Text, nullable=False),
    Column("username", Text),
    Column("language", Text),
    Column(
        "private",
        Text,
        nullable=False,
        server_default=text("'unknown'"),
        comment="the road to the private chat: unknown (never tried), open, closed (never started), blocked, gone",
    ),
    _time("seen_at", nullable=False, server_default=_now),
    CheckConstraint("private in ('unknown', 'open', 'closed', 'blocked', 'gone')", name="private"),
)

chats = Table(
    "chats",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("title", Text),
    Column("kind", Text, comment="group, supergroup, private"),
    Column("settings", JSONB, comment="what the group chose"),
    Column("rights", JSONB, comment="what the bot may do there, as Telegram last said"),
    Column(
        "road",
        Text,
        nullable=False,
        server_default=text("'unknown'"),
        comment="unknown or open: can be written to; left: the bot is out; muted: it may not write",
    ),
    Column("migrated_to", BigInteger, comment="the supergroup that this group became"),
    _time("left_at"),
    CheckConstraint("road in ('unknown', 'open', 'left', 'muted')", name="road"),
)

games = Table(
    "games",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False, server_default=text("nextval('game_ids')")),
    Column("chat_id", BigInteger, nullable=False),
    Column("thread_id", BigInteger, nullable=False, server_default=text("0"), comment="forum topic; 0: none"),
    Column("status", Text, nullable=False, comment="lobby, playing, paused, over, called_off"),
    Column("opened_by", BigInteger, nullable=False, comment="a person"),
    Column("options", JSONB, nullable=False, server_default=_nothing),
    Column("pace", Text, nullable=False),
    Column("roster", JSONB, nullable=False, server_default=_none, comment="[{seat, person, name, played_by}]"),
    Column("memo", JSONB, nullable=False, server_default=_nothing, comment="what use cases keep from press to press"),
    Column("public_seed", Text, nullable=False, comment="for words and pauses, never for the game's dice"),
    Column("turn_start", Text, comment="the table at the start of the turn, as core writes it: secret"),
    Column("answers", JSONB, nullable=False, server_default=_none, comment="[[seat, [choice]]] since then: secret"),
    Column("orders", JSONB, nullable=False, server_default=_nothing, comment="orders ahead, by seat: secret"),
    Column("digest", Text, comment="of the table after the last answer"),
    Column("turn", Integer, nullable=False, server_default=text("0")),
    Column("version", Integer, nullable=False, server_default=text("0"), comment="+1 an answer"),
    Column("happened", Integer, nullable=False, server_default=text("0"), comment="how many events there are"),
    Column("rules_v", Integer, nullable=False),
    Column("state_v", Integer, nullable=False),
    Column("timers", JSONB, nullable=False, server_default=_none, comment="[{seat, kind, at}]"),
    _time("next_at", comment="the earliest timer of an open game"),
    _time("created_at", nullable=False, server_default=_now),
    _time("touched_at", nullable=False, server_default=_now),
    _time("started_at"),
    _time("ended_at"),
    Column("outcome", JSONB),
    CheckConstraint("status in ('lobby', 'playing', 'paused', 'over', 'called_off')", name="status"),
)
Index(
    "games_one_open",
    games.c.chat_id,
    games.c.thread_id,
    unique=True,
    postgresql_where=text("status in ('lobby', 'playing', 'paused')"),
)
Index("games_due", games.c.next_at, postgresql_where=text("next_at is not null"))


def _game() -> Column[int]:
    return Column("game_id", BigInteger, ForeignKey(games.c.id, ondelete="CASCADE"), primary_key=True)


seats = Table(
    "seats",
    metadata,
    Column("person_id", BigInteger, primary_key=True, autoincrement=False),
    _game(),
    comment="an index from people to games; who sits where is said by games.roster alone",
)
Index("seats_game_id", seats.c.game_id)

answers = Table(
    "answers",
    metadata,
    _game(),
    Column("version", Integer, primary_key=True, autoincrement=False, comment="of the game after this answer"),
    Column("seat", Text, nullable=False),
    Column("choice", JSONB, nullable=False),
    Column("by", Text, nullable=False, comment="player, clock, order, bot player"),
    _time("at", nullable=False),
)

events = Table(
    "events",
    metadata,
    _game(),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("turn", Integer, nullable=False),
    Column("event", JSONB, nullable=False),
    _time("at", nullable=False),
)

#: When a screen has something left to do. Told by the row itself, so that no writer can forget to say it.
WANTING = """
(refused IS NULL) AND
CASE
    WHEN gone THEN ((message_id IS NOT NULL) OR (leftovers <> '[]'::jsonb))
    ELSE ((shown_post <> post) OR (shown_rev <> wanted_rev) OR (leftovers <> '[]'::jsonb)
          OR ((pin <> pinned) AND (NOT pin_refused)))
END
"""

screens = Table(
    "screens",
    metadata,
    _game(),
    Column("kind", Text, primary_key=True, comment="board, lobby, panel, turn 17 ..."),
    Column("receiver", BigInteger, primary_key=True, autoincrement=False, comment="0: the group; else a person"),
    Column("chat_id", BigInteger, nullable=False),
    Column("thread_id", BigInteger, nullable=False, server_default=text("0")),
    # What is wanted: written by presses.
    Column("wanted", JSONB, nullable=False, comment="{text, rows, protect, old}: store.Wanted"),
    Column("wanted_hash", Text, nullable=False, comment="of what an edit can change: text and buttons"),
    Column("wanted_rev", Integer, nullable=False, server_default=text("1")),
    Column("post", Integer, nullable=False, server_default=text("1"), comment="which posting; post anew adds one"),
    Column("ring", Boolean, nullable=False, server_default=text("false"), comment="the posting is heard"),
    Column("once", Boolean, nullable=False, server_default=text("false"), comment="never sent twice: a tale, no board"),
    Column("pin", Boolean, nullable=False, server_default=text("false")),
    Column("gone", Boolean, nullable=False, server_default=text("false"), comment="to be deleted"),
    Column("due", BigInteger, nullable=False, server_default=text("nextval('screens_due')")),
    # What is shown: written by the sender.
    Column("shown_rev", Integer, nullable=False, server_default=text("0")),
    Column("shown_post", Integer, nullable=False, server_default=text("0")),
    Column("shown_hash", Text),
    Column("message_id", BigInteger),
    Column("leftovers", JSONB, nullable=False, server_default=_none, comment="[[message id, strip or delete]]"),
    Column("pinned", Boolean, nullable=False, server_default=text("false")),
    Column("pin_refused", Boolean, nullable=False, server_default=text("false")),
    Column("trying", Integer, comment="the posting on its way; one found here by a new sender was perhaps sent"),
    Column("attempts", Integer, nullable=False, server_default=text("0")),
    _time("tried_at"),
    _time("not_before", comment="this row waits, the chat does not"),
    Column("result", Text, comment="how the last try ended, in a few words without content"),
    Column("refused", Text, comment="why nothing is tried until something new is wanted; 'road': no way there"),
    Column("wanting", Boolean, Computed(WANTING, persisted=True), nullable=False),
    CheckConstraint("receiver = 0 or chat_id = receiver", name="private_text_stays_private"),
)
Index("screens_wanting", screens.c.chat_id, screens.c.due, postgresql_where=text("wanting"))
Index("screens_without_road", screens.c.receiver, postgresql_where=text("refused = 'road'"))
Index("screens_receiver", screens.c.receiver, postgresql_where=text("receiver <> 0"))

roads = Table(
    "roads",
    metadata,
    Column("person_id", BigInteger, primary_key=True, autoincrement=False),
    Column("chat_id", BigInteger, primary_key=True, autoincrement=False),
    Column("road", Text, nullable=False, comment="by which a private text reached this person from this group last"),
    _time("at", nullable=False, server_default=_now),
    CheckConstraint("road in ('ephemeral', 'private', 'alert')", name="road"),
)

callers = Table(
    "callers",
    metadata,
    Column("chat_id", BigInteger, primary_key=True, autoincrement=False),
    Column("thread_id", BigInteger, primary_key=True, autoincrement=False),
    Column("person_id", BigInteger, primary_key=True, autoincrement=False),
    _time("at", nullable=False, server_default=_now),
    comment="who wants to be called when the next game opens here; until one has started",
)

looks = Table(
    "looks",
    metadata,
    _game(),
    Column("person_id", BigInteger, primary_key=True, autoincrement=False),
    Column("seq", Integer, nullable=False, comment="the last event that this person has read of, for /recap"),
    Column(
        "before",
        Integer,
        nullable=False,
        server_default=text("0"),
        comment="and the last one before this sitting: looks within a quarter of an hour are one",
    ),
    _time("at", nullable=False, server_default=_now),
)

limits = Table(
    "limits",
    metadata,
    Column("chat_id", BigInteger, primary_key=True, autoincrement=False),
    Column("thread_id", BigInteger, primary_key=True, autoincrement=False, server_default=text("0"), comment="0: all"),
    Column("sent", ARRAY(DateTime(timezone=True)), nullable=False, server_default=text("'{}'"), comment="lately"),
    _time("blocked_until"),
    Column("why", Text, comment="flood, left, muted, topic, trouble"),
)

Index("limits_blocked", limits.c.chat_id, postgresql_where=text("blocked_until is not null"))

meta = Table(
    "meta",
    metadata,
    Column("key", Text, primary_key=True),
    Column("value", JSONB, nullable=False),
    comment="clock: seconds that tests moved the time by; heartbeat: the last tick; and what others keep here",
)
