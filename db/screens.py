"""The sender's half of the screens: what wants something, and how it went.

One connection does everything (`Desk`): it holds the lock that makes its owner the one sender, listens for commits of
other processes, reads what wants something and writes what was shown. It has one user, who awaits one thing at a time;
so what is written was read under the lock, and what a sender writes that lost it since counts only where nobody else
wrote meanwhile.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal

import msgspec
import psycopg
from msgspec import Struct
from msgspec.structs import replace
from psycopg.rows import TupleRow
from psycopg.types.numeric import Int8Dumper
from sqlalchemy.engine import URL

from .clock import CHANNEL
from .errors import Away, Failed
from .records import Button
from .statements import ASIDE
from .url import conninfo

#: The advisory lock of the one sender (the next number is migrate.LOCK's neighbour).
LOCK = 0x5A_00_02

#: So many seconds a leader whose database was restarted has, to lead again before others do, or, if it is told to stop,
#: to finish what is in flight (Sender: 8 s) and to resign.
GRACE = 9.0

Deed = Literal["post", "edit", "strip", "delete", "pin", "unpin", "note", "doubt"]

#: What is still to be done to a copy that was shown before.
Leftover = Literal["strip", "delete", "unpin"]


class Body(Struct, frozen=True):
    """What a message says: the column `wanted`."""

    text: str
    rows: tuple[tuple[Button, ...], ...] = ()
    protect: bool = False
    old: Literal["strip", "delete"] = "strip"

    def __repr__(self) -> str:
        return "<body>"  # it may be a hand


class Screen(Struct, frozen=True, kw_only=True):
    """A screen that wants something, as it was when it was read. `deed` is the next call to make for it."""

    game_id: int
    kind: str
    receiver: int
    chat_id: int
    thread_id: int
    wanted: str
    wanted_hash: str
    wanted_rev: int
    post: int
    ring: bool
    once: bool
    pin: bool
    gone: bool
    shown_rev: int
    shown_post: int
    shown_hash: str | None
    message_id: int | None
    leftovers: tuple[tuple[int, Leftover], ...]
    pinned: bool
    pin_refused: bool
    trying: int | None
    attempts: int
    #: When something was said aside in its group in the last minute (epoch): it counts there.
    aside: tuple[float, ...] = ()
    # Only written; `had` is what was shown when it was read: posting, revision, message.
    had: tuple[int, int, int | None] = (0, 0, None)
    wait: float | None = None
    result: str | None = None
    refused: str | None = None

    def __repr__(self) -> str:
        return f"<screen {self.game_id} {self.kind} for {self.receiver}>"

    @property
    def key(self) -> tuple[int, str, int]:
        """Which row it is."""
        return self.game_id, self.kind, self.receiver

    @property
    def body(self) -> Body:
        """What the message is to say."""
        return _body(self.wanted)

    @property
    def deed(self) -> Deed:
        """The next thing to do: one call of Telegram, or for "note" and "doubt" none.

        "note": there is nothing to call for (the text is again what is shown). "doubt": a tale that a sender before us
        was sending when it died; it was perhaps sent, and is not sent twice.
        """
        if self.about_leftover:
            return self.leftovers[0][1]
        if self.gone:
            return "delete"
        stale = self.shown_rev != self.wanted_rev and self.shown_hash != self.wanted_hash
        if self.shown_post != self.post or stale and self.message_id is None:
            return "doubt" if self.once and self.trying == self.post else "post"
        if self.shown_rev != self.wanted_rev:
            return "edit" if stale else "note"
        if self.message_id is None:
            return "note"
        return "pin" if self.pin else "unpin"

    @property
    def about_leftover(self) -> bool:
        """Whether the next deed is about a copy that was shown before: once its successor is there, or all is gone."""
        if not self.leftovers:
            return False
        return self.message_id is None if self.gone else self.shown_post == self.post

    @property
    def target(self) -> int:
        """The message that `deed` is about."""
        found = self.leftovers[0][0] if self.about_leftover else self.message_id
        assert found is not None
        return found

    # How it went.

    def posted(self, message_id: int) -> Screen:
        old: tuple[tuple[int, Leftover], ...] = ()
        if self.message_id is not None:
            old = ((self.message_id, self.body.old),)
            if self.pinned and self.body.old != "delete":
                old += ((self.message_id, "unpin"),)
        return replace(
            self,
            message_id=message_id,
            leftovers=self.leftovers + old,
            shown_post=self.post,
            shown_rev=self.wanted_rev,
            shown_hash=self.wanted_hash,
            pinned=False,
            pin_refused=False,
            trying=None,
            attempts=0,
        )

    def done(self) -> Screen:
        """The deed, other than a posting, is done (or needs no doing)."""
        deed, now = self.deed, replace(self, attempts=0)
        if self.about_leftover:
            return replace(now, leftovers=self.leftovers[1:])
        if deed == "delete":
            # No posting is shown any more: should it be wanted again meanwhile, it is posted.
            return replace(now, message_id=None, shown_post=0, pinned=False)
        if deed in ("pin", "unpin"):
            return replace(now, pinned=self.pin)
        if self.shown_rev == self.wanted_rev:
            return replace(now, pin_refused=True)  # there is no message that could be pinned
        return replace(now, shown_rev=self.wanted_rev, shown_hash=self.wanted_hash)

    def doubted(self) -> Screen:
        """An edit was perhaps made: who knows what is shown now."""
        return replace(self, shown_hash=None)

    def missing(self) -> Screen:
        """The message is not there any more: it is to be posted anew, and pinned again."""
        return replace(self, message_id=None, shown_post=0, pinned=False, pin_refused=False, attempts=0)

    def kept(self) -> Screen:
        """The message cannot be deleted (it is too old): it is to lose its buttons instead."""
        if self.about_leftover:
            return replace(self, leftovers=((self.leftovers[0][0], "strip"), *self.leftovers[1:]))
        assert self.message_id is not None
        return replace(self, message_id=None, shown_post=0, leftovers=((self.message_id, "strip"), *self.leftovers))


class Known(Struct, frozen=True):
    """A chat's limits as they were left: when was sent there (epoch), until when it waits, and why."""

    chat_id: int
    sent: tuple[float, ...]
    blocked_until: float | None
    why: str | None


class Block(Struct, frozen=True):
    """A chat (or with *thread_id* one topic, General being 1) that waits *seconds*, and *why*."""

    chat_id: int
    seconds: float
    why: str
    thread_id: int = 0


class Sent(Struct, frozen=True):
    """When something was sent to a group in the last minute (epoch)."""

    chat_id: int
    sent: tuple[float, ...]


class Desk:
    """The sender's connection. Every method may raise `Away`: then it, and the lock with it, is lost."""

    def __init__(self, connection: psycopg.AsyncConnection[TupleRow], woken: Callable[[], None]) -> None:
        self._connection = connection
        self._woken = woken
        self._opened = time.monotonic()
        # A second number for the same socket: the loop watches the first while psycopg waits for an answer.
        self._socket = os.dup(connection.fileno())
        connection.add_notify_handler(lambda _: woken())

    @classmethod
    async def open(cls, url: URL, woken: Callable[[], None]) -> Desk:
        """Connect; *woken* is called when another process says that there is something to show."""
        with _errors():
            connection = await psycopg.AsyncConnection.connect(
                conninfo(url),
                autocommit=True,
                connect_timeout=10,
                keepalives_idle=10,
                keepalives_interval=5,
                keepalives_count=3,
            )
        try:
            connection.adapters.register_dumper(int, Int8Dumper)
            with _errors():
                # Where a leader's machine dies silently the server finds out in three seconds, and frees the lock.
                await connection.execute(
                    "set timezone = 'UTC'; set statement_timeout = '30s'; set lock_timeout = '25s';"
                    "set tcp_keepalives_idle = 1; set tcp_keepalives_interval = 1; set tcp_keepalives_count = 2"
                )
            return cls(connection, woken)
        except BaseException:
            await connection.close()
            raise

    async def close(self) -> None:
        """Disconnect, and give the lock up."""
        with contextlib.suppress(OSError):
            os.close(self._socket)
        with contextlib.suppress(psycopg.Error, OSError):
            await self._connection.close()

    async def lead(self, name: str) -> bool:
        """Try to become the one sender, under a *name* that no other process has.

        When the database was restarted under a leader, that one alone knows what it has in flight, and what was
        answered and is not written down yet. So it may lead again at once, and others after `GRACE` only.

        Tried again and again, for waiting in `pg_advisory_lock` would hold a snapshot for days, and no row that died
        meanwhile could be cleaned up.
        """
        values = {"key": LOCK, "name": name, "waits": time.monotonic() - self._opened < GRACE}
        rows = await self._rows(_LEAD, values)
        if not rows[0][0]:
            return False
        await self._rows(_LEADS, values)
        await self._rows(f"listen {CHANNEL}")
        return True

    async def resign(self, name: str) -> None:
        """Leave nothing behind that another leader would have to wait for."""
        await self._rows(_RESIGNS, {"name": name})

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """While nobody awaits the connection: call *woken* when something arrives on it."""
        loop = asyncio.get_running_loop()
        loop.add_reader(self._socket, self._arrived)
        try:
            yield
        finally:
            loop.remove_reader(self._socket)

    def _arrived(self) -> None:
        # What arrived is read with the next statement; until then the socket stays readable, and once is enough.
        asyncio.get_running_loop().remove_reader(self._socket)
        self._woken()

    async def limits(self) -> list[Known]:
        """What a sender before us used up."""
        rows = await self._rows(_LIMITS)
        return [Known(chat, tuple(sent), blocked, why) for chat, sent, blocked, why in rows]

    async def doubt_edits(self) -> None:
        """A sender that died may have been making any edit that is to be made: what is shown there is unknown."""
        await self._rows(_DOUBT_EDITS)

    async def wanting(self, busy: Iterable[int], edits_wait: Iterable[int], at_most: int) -> tuple[float, list[Screen]]:
        """What time it is (epoch), and the screens that want something: asked-for chats first, in each chat in order.

        Left out: chats that are *busy*, and edits of those in *edits_wait*; and who is blocked.
        """
        rows = await self._rows(_WANTING, {"busy": list(busy), "edits": list(edits_wait), "at_most": at_most})
        return rows[0][0], [_screen(row[1:]) for row in rows if row[1] is not None]

    async def trying(self, screens: Iterable[Screen]) -> None:
        """Remember that these are being posted, for whoever comes after us if we die now."""
        await self._rows(_TRYING, {"tried": _json([_keyed(one, post=one.post) for one in screens])})

    async def write(self, screens: Iterable[Screen], sent: Iterable[Sent], blocks: Iterable[Block]) -> None:
        """Write how it went: the sender's columns as they are in *screens*, what was sent, and who has to wait."""
        # One row of a game at a time: a press changes several rows of its game, and whoever holds one of many and waits
        # for another may be waited for.
        layers: list[dict[int, Screen]] = []
        for screen in screens:
            layer = next((layer for layer in layers if screen.game_id not in layer), None)
            if layer is None:
                layers.append(layer := {})
            layer[screen.game_id] = screen
        used = list(sent)
        for layer in layers:
            values = {"shown": _json([_written(one) for one in layer.values()]), "sent": _json(used)}
            await self._rows(_WRITE_WITH_LIMITS if used else _WRITE, values)
            used = []
        if used:
            await self._rows(_SENT, {"sent": _json(used)})
        for block in blocks:
            await self._rows(_BLOCK, msgspec.structs.asdict(block))

    async def no_road(self, person: int, private: str) -> None:
        """The private chat of a person cannot be written to: nothing is tried there until it is open again, and the
        games that wanted to are looked at by the clock (a timer "look"): who is awaited must hear it elsewhere.
        """
        for statement in _NO_ROAD:  # each by itself, for a press locks a game before its screens
            await self._rows(statement, {"person": person, "private": private})

    async def road(self, person: int) -> None:
        """A message reached a person of whom that was unknown."""
        await self._rows(_ROAD, {"person": person})

    async def chat_road(self, chat: int, road: str) -> None:
        """The bot is out of a group ("left"), or may not write there ("muted")."""
        await self._rows(_CHAT_ROAD, {"chat": chat, "road": road})

    async def chat_back(self, chat: int) -> None:
        """A group can be written to again."""
        await self._rows(_CHAT_BACK, {"chat": chat})

    async def stand_still(self, chat: int, thread: int | None = None) -> None:
        """Nothing can be said in a group, or in one of its topics (General being 1): the clock lets its games wait."""
        await self._let_games("shut", chat, thread)

    async def go_on(self, chat: int, thread: int | None = None) -> None:
        """Something could be said there again: the clock lets the games go on that waited for it."""
        await self._let_games("open", chat, thread)

    async def _let_games(self, what: str, chat: int, thread: int | None) -> None:
        values = {"what": what, "chat": chat, "thread": 0 if thread == 1 else thread}
        await self._rows(_LET_GAMES, values)

    async def shut(self) -> set[tuple[int, int | None]]:
        """Chats, and topics of them, where games are waiting for a word to get through."""
        return {(chat, thread) for chat, thread in await self._rows(_SHUT)}

    async def roads_again(self) -> int:
        """Want again what was refused for want of a road that is open since. A press that opens one does so itself;
        this finds the screen that somebody wrote at the same moment."""
        return len(await self._rows(_ROADS_AGAIN))

    async def _rows(self, statement: str, values: dict[str, Any] | None = None) -> list[TupleRow]:
        with _errors():
            cursor = await self._connection.execute(statement, values)
            return await cursor.fetchall() if cursor.description is not None else []


@contextlib.contextmanager
def _errors() -> Iterator[None]:
    try:
        yield
    except (psycopg.OperationalError, psycopg.InterfaceError, OSError) as error:
        raise Away(" ".join(filter(None, (type(error).__name__, getattr(error, "sqlstate", None))))) from None
    except psycopg.Error as error:
        raise Failed(
            " ".join(filter(None, (type(error).__name__, error.sqlstate, error.diag.constraint_name)))
        ) from None


_body = msgspec.json.Decoder(Body).decode
_encoder = msgspec.json.Encoder()


def _json(value: object) -> str:
    return _encoder.encode(value).decode()


_READ = [name for name in Screen.__struct_fields__ if name not in ("aside", "had", "wait", "result", "refused")]


def _screen(row: tuple[Any, ...]) -> Screen:
    values = dict(zip([*_READ, "aside"], row, strict=True))
    values["aside"] = tuple(values["aside"])
    values["leftovers"] = tuple((int(message), what) for message, what in values["leftovers"])
    return Screen(**values, had=(values["shown_post"], values["shown_rev"], values["message_id"]))


def _keyed(screen: Screen, **more: object) -> dict[str, object]:
    return {"game_id": screen.game_id, "kind": screen.kind, "receiver": screen.receiver, **more}


def _written(screen: Screen) -> dict[str, object]:
    written = [name for name in Screen.__struct_fields__ if name not in ("wanted", "aside", "had")]
    values = {name: getattr(screen, name) for name in written}
    return values | dict(zip(("had_post", "had_rev", "had_message"), screen.had, strict=True))


_WANTING = f"""
with time as materialized (select stay_away_now() as now)
select extract(epoch from time.now)::float8, wanting.* from time left join lateral (
    select {", ".join(f"s.{n}::text" if n == "wanted" else f"s.{n}" for n in _READ)},
        array(select extract(epoch from at)::float8 from limits a, unnest(a.sent) at where a.chat_id = s.chat_id
            and a.thread_id = {ASIDE} and at > time.now - interval '1 minute' order by at)
    from screens s
    where s.wanting and s.chat_id <> all(%(busy)s::bigint[])
        and (s.shown_post <> s.post or s.chat_id <> all(%(edits)s::bigint[]))
        and (s.not_before is null or s.not_before <= time.now)
        and not exists (select from limits l where l.chat_id = s.chat_id and l.blocked_until > time.now
            and l.thread_id in (0, case when s.thread_id = 0 then 1 else s.thread_id end))
    -- An asked-for answer comes first, with everything before it in its chat: what is cut off is never in between.
    order by max((s.ring and s.shown_post <> s.post)::int) over (partition by s.chat_id) desc, s.due
    limit %(at_most)s
) wanting on true
"""

_LEAD = """
select case when %(waits)s and exists (select from meta where key = 'leader' and value ->> 'name' <> %(name)s
        and (value ->> 'at')::timestamptz < pg_postmaster_start_time()) then false
    else pg_try_advisory_lock(%(key)s) end
"""

_LEADS = """
insert into meta (key, value) values ('leader', jsonb_build_object('name', %(name)s::text, 'at', clock_timestamp()))
on conflict (key) do update set value = excluded.value
"""

_RESIGNS = "delete from meta where key = 'leader' and value ->> 'name' = %(name)s"

_TRYING = """
update screens s set trying = t.post, tried_at = stay_away_now()
from jsonb_to_recordset(%(tried)s::jsonb) as t(game_id bigint, kind text, receiver bigint, post int)
where s.game_id = t.game_id and s.kind = t.kind and s.receiver = t.receiver
"""

# The place, and what was shown before, are conditions: a screen that moved meanwhile (its group became a supergroup) is
# still to be shown in its new place; and a sender that lost the lead tells only what nobody told since. A refusal
# holds for what was refused, not for what is wanted now.
_WRITE = """
update screens s set
    shown_rev = w.shown_rev, shown_post = w.shown_post, shown_hash = w.shown_hash, message_id = w.message_id,
    leftovers = w.leftovers, pinned = w.pinned, pin_refused = w.pin_refused, trying = w.trying,
    attempts = w.attempts, tried_at = stay_away_now(), not_before = stay_away_now() + make_interval(secs => w.wait),
    result = w.result,
    refused = case when s.post = w.post and s.gone = w.gone
            and (s.wanted_rev = w.wanted_rev or w.refused = 'perhaps sent') then w.refused
        else s.refused end
from jsonb_to_recordset(%(shown)s::jsonb) as w(game_id bigint, kind text, receiver bigint, chat_id bigint,
    thread_id bigint, wanted_rev int, post int, gone bool, shown_rev int, shown_post int, shown_hash text,
    message_id bigint, leftovers jsonb, pinned bool, pin_refused bool, trying int, attempts int, wait float8,
    result text, refused text, had_post int, had_rev int, had_message bigint)
where s.game_id = w.game_id and s.kind = w.kind and s.receiver = w.receiver
    and s.chat_id = w.chat_id and s.thread_id = w.thread_id
    and s.shown_post = w.had_post and s.shown_rev = w.had_rev and s.message_id is not distinct from w.had_message
"""

_DOUBT_EDITS = """
update screens set shown_hash = null
where wanting and message_id is not null and shown_rev <> wanted_rev and shown_hash is not null
"""

_SENT = """
insert into limits as l (chat_id, thread_id, sent)
select chat_id, 0, array(select to_timestamp(at::float8) from jsonb_array_elements_text(sent) at)
from jsonb_to_recordset(%(sent)s::jsonb) as u(chat_id bigint, sent jsonb)
on conflict (chat_id, thread_id) do update set sent = excluded.sent
"""

_WRITE_WITH_LIMITS = f"with used as ({_SENT}) {_WRITE}"

_BLOCK = """
insert into limits (chat_id, thread_id, blocked_until, why)
values (%(chat_id)s, %(thread_id)s, stay_away_now() + make_interval(secs => %(seconds)s), %(why)s)
on conflict (chat_id, thread_id) do update set blocked_until = excluded.blocked_until, why = excluded.why
"""

_LIMITS = """
select chat_id, array(select extract(epoch from at)::float8 from unnest(sent) at order by at),
    extract(epoch from blocked_until)::float8, why
from limits where thread_id = 0 and (blocked_until > stay_away_now() or cardinality(sent) > 0)
"""

_NO_ROAD = (
    "update people set private = %(private)s where id = %(person)s",
    """
    update games set next_at = stay_away_now(),
        timers = timers || jsonb_build_array(jsonb_build_object('kind', 'look', 'at', stay_away_now()))
    where status = 'playing' and id in (select game_id from screens where receiver = %(person)s and wanting)
    """,
    "update screens set refused = 'road', result = %(private)s where receiver = %(person)s and wanting",
)

_ROAD = "update people set private = 'open' where id = %(person)s and private = 'unknown'"

_CHAT_ROAD = """
insert into chats (id, road, left_at) values (%(chat)s, %(road)s, stay_away_now())
on conflict (id) do update set road = excluded.road, left_at = coalesce(chats.left_at, excluded.left_at)
"""

_CHAT_BACK = """
with free as (delete from limits where chat_id = %(chat)s and thread_id = 0 and why in ('left', 'muted'))
update chats set road = 'open', left_at = null where id = %(chat)s and road in ('left', 'muted')
"""

# A game that stands still for want of its place has nothing due but this.
_LET_GAMES = """
update games set next_at = stay_away_now(),
    timers = timers || jsonb_build_array(jsonb_build_object('kind', %(what)s::text, 'at', stay_away_now()))
where id in (select id from games where chat_id = %(chat)s and (%(thread)s::int is null or thread_id = %(thread)s::int)
    and case when %(what)s::text = 'shut' then status = 'playing'
        else status = 'paused' and memo ->> 'why' = 'away' end order by id for update)
"""

# Thread None: the whole chat. General is 1 where a topic is closed.
_SHUT = """
select distinct g.chat_id, null::int from games g join chats c on c.id = g.chat_id
where g.status in ('lobby', 'playing', 'paused') and c.road in ('left', 'muted')
union
select distinct chat_id, case when thread_id = 0 then 1 else thread_id end from games
where status = 'paused' and memo ->> 'why' = 'away'
"""

_ROADS_AGAIN = """
update screens s set refused = null, attempts = 0, due = again.due from (
    select game_id, kind, receiver, nextval('screens_due') as due from (
        select w.game_id, w.kind, w.receiver from screens w join people p on p.id = w.receiver
            join games g on g.id = w.game_id
        where w.refused = 'road' and p.private = 'open' and g.status in ('lobby', 'playing', 'paused')
        order by w.due) in_order) again
where (s.game_id, s.kind, s.receiver) = (again.game_id, again.kind, again.receiver) and s.refused = 'road'
returning 1
"""
