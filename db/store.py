"""The unit of work: a press is one transaction of two statements.

    async with store.press(update_id=update.update_id, find=ByGame(7), person=Person(42, "Ann")) as unit:
        if not unit.fresh:
            return                      # Telegram repeats an update it believes lost
        step = core.apply(unit.game ..., seat, choice)
        unit.answered(seat, choice, by="player")
        unit.game = replace(unit.game, turn_start=..., answers=..., digest=..., timers=...)
        unit.happened(event)
        unit.show("board", Wanted(text=..., rows=..., pin=True))

The first statement remembers the update, locks the game's row and reads everything; leaving the block writes everything
in the second, and commits. An exception leaves no trace. The clock enters by `claim_due()`, which gives the same unit.

Under READ COMMITTED a statement that waited for a row sees that row as it is now and everything else as it was before
it waited. So what must be consistent is in the game's row (the roster too); people and chats beside it may be a moment
old. docs/store.md says what is where and why.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import msgspec
from msgspec.structs import replace
from psycopg.types.numeric import Int8Dumper
from sqlalchemy import event, exc, text
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from .clock import CHANNEL
from .records import (
    Answer,
    ByGame,
    ByPlace,
    Chat,
    Event,
    Failure,
    Find,
    GameRow,
    Nothing,
    Person,
    RoadHere,
    ScreenRow,
    SeatRow,
    Timer,
    Wanted,
)
from .url import normal

__all__ = [
    "Away",
    "ByGame",
    "ByPlace",
    "Failed",
    "Newer",
    "Nothing",
    "Store",
    "Unit",
]

#: An update that failed so often is put aside.
ATTEMPTS = 3

#: A silence of all processes that is longer is an outage; deadlines move by it. Real seconds.
OUTAGE = 60.0


NOTHING = Nothing()


class Away(Exception):
    """The database cannot be had now (503: Telegram comes again). Nothing was done, or it will be found done."""


class Newer(Exception):
    """The game was written by newer code, which alone may go on with it (503 during a deploy)."""


class Failed(Exception):
    """The database refused a statement: a mistake of ours. Says which rule was hit, never with what values."""


class Unit:
    """A press at work: what was read, and what is to be written.

    Read: `fresh` (False: this update was applied before; everything else is empty then), `now`, `game`, `people` (of
    the roster, and the presser; by id), `person`, `chat`, `road` (of a private text from this group to the presser).
    Write: assign `game`, call the verbs. Nothing is sent or stored before the block is left.
    """

    def __init__(self, now: datetime, fresh: bool = True) -> None:
        self.now = now
        self.fresh = fresh
        self.game: GameRow | None = None
        self.people: dict[int, Person] = {}
        self.person: Person | None = None
        self.chat: Chat | None = None
        self.road = RoadHere()
        self.new_game_id: int | None = None
        self._place: ByPlace | None = None
        self._loaded: GameRow | None = None
        self._answers: list[dict[str, object]] = []
        self._events: list[dict[str, object]] = []
        self._screens: dict[tuple[str, int], dict[str, object]] = {}
        self._gone: dict[tuple[str, int], dict[str, object]] = {}
        self._people: dict[int, Person] = {}
        self._roads: set[int] = set()
        self._aside = False
        self._looked = False
        self._caller: bool | None = None
        self._forget = False
        self._chat: Chat | None = None
        self._updates: int | None = None

    # The game.

    def open_game(self, **fields: Any) -> GameRow:
        """Make the game of this place (`find=ByPlace(...)` found none): `opened_by`, `pace`, `public_seed` and more."""
        if self.new_game_id is None or self._place is None or self.game is not None and self.game.open:
            raise RuntimeError("a game is opened where find=ByPlace(...) found none")
        self.game = GameRow(
            id=self.new_game_id,
            chat_id=self._place.chat_id,
            thread_id=self._place.thread_id,
            created_at=self.now,
            touched_at=self.now,
            **fields,
        )
        return self.game

    def answered(self, seat: str, choice: Iterable[str], by: str) -> GameRow:
        """Log an answer and raise the game's version; *by* is "player", "clock", "order" or "bot player"."""
        game = self._must_have_game()
        self.game = game = replace(game, version=game.version + 1)
        self._answers.append(
            {"version": game.version, "seat": seat, "choice": tuple(choice), "by": by},
        )
        return game

    def happened(self, event: object) -> None:
        """Log an event: a dataclass, a Struct or a dict; whatever msgspec can write as JSON."""
        game = self._must_have_game()
        self._events.append({"seq": game.happened + len(self._events) + 1, "turn": game.turn, "event": event})

    # The screens.

    def show(self, kind: str, wanted: Wanted, receiver: int = 0) -> None:
        """Want a screen to look like this: edited in place, posted if it is not there. Unchanged, it is no work.

        *receiver* is 0 for the group, else a person, whose private chat it is.
        """
        self._want(kind, wanted, receiver, anew=False)

    def post_anew(self, kind: str, wanted: Wanted, receiver: int = 0) -> None:
        """Want it as a new message at the end of the chat; the copy before loses its buttons or is deleted."""
        self._want(kind, wanted, receiver, anew=True)

    def take_away(self, kind: str, receiver: int = 0) -> None:
        """Want a screen deleted. One that was never sent then never is; one that never was is no work."""
        self._must_have_game()
        self._screens.pop((kind, receiver), None)
        self._gone[kind, receiver] = {"kind": kind, "receiver": receiver}

    def say_aside(self) -> None:
        """Count an ephemeral message, which is about to be sent to the group: it uses up the limit that the sender
        keeps (whether it does is not known: field/telegram.md 1.2)."""
        self._must_have_game()
        self._aside = True

    def looked(self) -> None:
        """The presser looks at the game: has seen all that happened so far, for /recap."""
        self._must_have_game()
        self._looked = self.person is not None

    def wants_call(self, wants: bool) -> None:
        """The presser wants to be called when the next game opens in this place (`find=ByPlace(...)`), or no more."""
        if self._place is None or self.person is None:
            raise RuntimeError("somebody wants to be called to a place")
        self._caller = wants

    def forget_callers(self) -> None:
        """A game has started: who was called to it is not called again, nor who sits in it; who asked since is."""
        self._must_have_game()
        self._forget = True

    def _want(self, kind: str, wanted: Wanted, receiver: int, anew: bool) -> None:
        self._must_have_game()
        self._gone.pop((kind, receiver), None)
        before = self._screens.pop((kind, receiver), None)
        self._screens[kind, receiver] = {
            "kind": kind,
            "receiver": receiver,
            "wanted": wanted,
            "anew": anew or before is not None and bool(before["anew"]),
        }

    # The people and the chat.

    def knows(self, person: Person) -> None:
        """Remember somebody else than the presser (who is remembered anyway)."""
        self._meet(person, self.people.get(person.id))

    def keeps(self, chat: Chat) -> None:
        """Change what is kept of the chat (settings, rights); None and "unknown" among the fields change nothing."""
        self._chat = _both(chat, self.chat)
        self.chat = self._chat

    def _meet(self, person: Person, before: Person | None) -> None:
        private = before.private if before and person.private == "unknown" else person.private
        known = replace(person, private=private, seen_at=self.now)
        self.people[person.id] = known
        if (
            before is None
            or before.seen_at is None
            or self.now - before.seen_at > timedelta(hours=1)
            or replace(known, seen_at=before.seen_at) != before
        ):
            self._people[person.id] = person
        if person.private == "open" and (before is None or before.private != "open"):
            self._roads.add(person.id)

    def _must_have_game(self) -> GameRow:
        if self.game is None:
            raise RuntimeError("there is no game in this press")
        return self.game

    # What the store makes of it.

    @property
    def to_show(self) -> bool:
        """Whether the sender has to be woken."""
        return bool(self._screens or self._gone or self._roads or self._chat is not None)

    def _statement(self) -> tuple[str, dict[str, object]] | None:
        """The second statement and its parameters; None if there is nothing to write."""
        parts: list[str] = []
        values: dict[str, object] = {"now": self.now}
        game, loaded = self.game, self._loaded
        if game is not None and self._events:
            game = self.game = replace(game, happened=game.happened + len(self._events))
        if game is not None:
            values["id"] = game.id
            new = loaded is None or loaded.id != game.id
            if new or game is not loaded:
                parts.append("new_game" if new else "game")
                values |= _game_values(game)
                people = sorted({p for seat in game.roster for p in (seat.person, seat.sitter) if p is not None})
                if new and people or not new and loaded is not None and loaded.roster != game.roster:
                    parts.append("seats")
                    values["seated"] = people
        if self._answers:
            parts.append("answers")
            values["new_answers"] = _dump(self._answers)
        if self._events:
            parts.append("events")
            values["events"] = _dump(self._events)
        if self._screens:
            parts.append("screens")
            values["screens"] = _dump([self._screen(one) for one in self._screens.values()])
        if self._gone:
            parts.append("gone")
            values["gone"] = _dump(list(self._gone.values()))
        if self._people:
            parts.append("people")
            values["people"] = _dump(list(self._people.values()))
        if self._roads:
            parts.append("roads")
            values["roads"] = sorted(self._roads)
            values["here"] = 0 if game is None else game.id
            values["kinds"] = [str(kind) for kind, receiver in (*self._screens, *self._gone) if receiver in self._roads]
        if self._aside and game is not None:
            parts.append("aside")
            values["aside"] = game.chat_id
        if self._looked and game is not None and self.person is not None:
            parts.append("looks")
            values |= {"id": game.id, "looker": self.person.id, "seen": game.happened}
        if self._caller is not None and self._place is not None and self.person is not None:
            parts.append("caller" if self._caller else "no_caller")
            values |= {"place": self._place.chat_id, "thread": self._place.thread_id, "caller": self.person.id}
        if self._forget and game is not None:
            parts.append("callers_served")
            sitting = [seat.person for seat in game.roster if seat.person is not None]
            values |= {"place": game.chat_id, "thread": game.thread_id, "opened": game.created_at, "sitting": sitting}
        if self._chat is not None:
            parts.append("chat")
            values["chat"] = _dump(self._chat)
            if self._chat.road == "open":
                parts.append("chat_back")
                values["chat_back"] = self._chat.id
        return (_statement(tuple(parts)), values) if parts else None

    def _screen(self, one: dict[str, object]) -> dict[str, object]:
        game, wanted, receiver = self._must_have_game(), one["wanted"], one["receiver"]
        assert isinstance(wanted, Wanted) and isinstance(receiver, int)
        person = self.people.get(receiver) if receiver else None
        return {
            "kind": one["kind"],
            "receiver": receiver,
            # The only place where a screen gets its chat: a private text cannot be placed in a group.
            "chat_id": receiver or game.chat_id,
            "thread_id": 0 if receiver else game.thread_id,
            "wanted": {"text": wanted.text, "rows": wanted.rows, "protect": wanted.protect, "old": wanted.old},
            "hash": wanted.hash,
            "ring": wanted.ring,
            "once": wanted.once,
            "pin": wanted.pin,
            "anew": one["anew"],
            "refused": None if person is None or person.reachable else "road",
        }


class Store:
    """The database, for the use cases: presses, due games, and a few reads.

    *rules_v* and *state_v* are what this process knows; games of newer ones are left alone. *pool* connections are kept
    (three carry 500 presses a second; small hosts allow 20 in all).
    """

    def __init__(self, url: str | URL, *, rules_v: int = 1, state_v: int = 1, pool: int = 3) -> None:
        self.url = normal(url) if isinstance(url, str) else url
        self.rules_v = rules_v
        self.state_v = state_v
        self.engine = make_engine(self.url, pool)
        #: Called after a commit that left something to show; one that returns True shows it itself (the sender that
        #: leads is in this process), else the other processes are notified.
        self.after_commit: list[Callable[[], bool]] = []
        self._notifying: asyncio.Task[None] | None = None

    async def close(self) -> None:
        if self._notifying is not None:
            await asyncio.gather(self._notifying, return_exceptions=True)
        await self.engine.dispose()

    async def __aenter__(self) -> Store:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    # The two doors.

    @contextlib.asynccontextmanager
    async def press(
        self,
        *,
        update_id: int | None,
        find: Find = NOTHING,
        person: Person | None = None,
        chat: Chat | None = None,
    ) -> AsyncIterator[Unit]:
        """One press (a command, any update, or with *update_id* None something of our own) as one transaction.

        *person* and *chat* are the presser and the group as the update shows them; what is new about them is stored.
        Raises `Newer` for a game of newer rules, `Away` if the database is not there.
        """
        values: dict[str, object] = {
            "update_id": update_id,
            "person": None if person is None else person.id,
            "chat": None if chat is None else chat.id,
        }
        if isinstance(find, ByGame):
            values["game"] = find.game_id
        elif isinstance(find, ByPlace):
            values |= {"place": find.chat_id, "thread": find.thread_id}
        first = _first(type(find), update_id is not None)
        connection, row = await self._begin(first, values)
        try:
            unit = Unit(row[0], bool(row[1]))
            if unit.fresh:
                if isinstance(find, ByPlace):
                    unit._place = find
                    if row[_GAME_AT] is None:
                        # Nobody opens a game here while we hold the place; and who just did is seen by a new look.
                        with _errors():
                            await connection.exec_driver_sql(_HOLD, values)
                            row = (await connection.exec_driver_sql(_LOOK_AGAIN, values)).one()
                        unit.new_game_id = row[_GAME_AT - 1]
                self._read(unit, row, person, chat)
                self._check(unit.game)
            yield unit
            await self._finish(connection, unit)
        finally:
            await _put_back(connection)
        self._tell(unit)

    @contextlib.asynccontextmanager
    async def claim_due(self) -> AsyncIterator[Unit | None]:
        """The game whose timer is due for longest, as a unit; None if there is none that nobody else holds.

        A game that raises is due again at once: `put_off` it.
        """
        connection, row = await self._begin(_DUE, {"rules_v": self.rules_v, "state_v": self.state_v})
        try:
            unit: Unit | None = None
            if row is not None:
                unit = Unit(row[0])
                self._read(unit, row, None, None)
            yield unit
            if unit is not None:
                await self._finish(connection, unit)
        finally:
            await _put_back(connection)
        if unit is not None:
            self._tell(unit)

    async def _begin(self, statement: str, values: dict[str, object]) -> tuple[AsyncConnection, Any]:
        # A connection of the pool may have died since (a restart, a router's time-out): the second one is new.
        for last in (False, True):
            connection = None
            try:
                with _errors():
                    connection = await self.engine.connect()
                    return connection, (await connection.exec_driver_sql(statement, values)).first()
            except BaseException as error:
                if connection is not None:
                    await _put_back(connection)
                if last or not isinstance(error, Away):
                    raise
        raise AssertionError

    async def _finish(self, connection: AsyncConnection, unit: Unit) -> None:
        if not unit.fresh:
            return  # rolled back: nothing was written
        second = unit._statement()
        with _errors():
            if second is not None:
                await connection.exec_driver_sql(*second)
            await connection.commit()

    def _read(self, unit: Unit, row: Any, person: Person | None, chat: Chat | None) -> None:
        if row[_GAME_AT] is not None:
            unit.game = unit._loaded = _game(row, _GAME_AT)
        for known in _people_of(row[2] or "[]"):
            unit.people[known.id] = known
        if person is not None:
            unit._meet(person, unit.people.get(person.id))
            unit.person = unit.people[person.id]
        for seat in unit.game.roster if unit.game is not None else ():
            # Somebody who sat down while we waited for the game's row: the row is newer than the people we see.
            for number in (seat.person, seat.sitter):
                if number is not None and number not in unit.people:
                    unit.people[number] = Person(number, seat.name)
        unit.chat = None if row[3] is None else _chat_of(row[3])
        unit.road = _road_of(row[4])
        if chat is not None:
            merged = _both(chat, unit.chat)
            if merged != unit.chat:
                unit._chat = merged
            unit.chat = merged

    def _check(self, game: GameRow | None) -> None:
        if game is not None and (game.rules_v > self.rules_v or game.state_v > self.state_v):
            raise Newer(f"game {game.id} has rules {game.rules_v} and state {game.state_v}")

    # After a commit.

    def _tell(self, unit: Unit) -> None:
        if unit.fresh and unit.to_show:
            self.wake()

    def wake(self) -> None:
        """Wake whoever sends: here, or by a NOTIFY that waits 20 ms for others (inside a press it would halve the rate,
        field/backend.md 4.3; lost with the process, the sender's poll stands in)."""
        if any([told() for told in self.after_commit]):
            return
        if self._notifying is None or self._notifying.done():
            self._notifying = asyncio.create_task(self._notify())

    async def _notify(self) -> None:
        await asyncio.sleep(0.02)
        with contextlib.suppress(Away):
            await self._run(f"notify {CHANNEL}")

    # Reads for the rarer commands.

    async def game(self, game_id: int) -> GameRow | None:
        """A game, unlocked."""
        row = (await self._rows(f"select {_COLUMNS} from games g where g.id = :id", id=game_id)).one_or_none()
        return None if row is None else _game(row, 0)

    async def games_of(self, person_id: int, ended: bool = False) -> list[GameRow]:
        """The games somebody has a seat in, the last touched first; open ones, or with *ended* all."""
        rows = await self._rows(
            f"select {_COLUMNS} from seats s join games g on g.id = s.game_id where s.person_id = :person"
            f"{'' if ended else ' and ' + _OPEN} order by g.touched_at desc limit 50",
            person=person_id,
        )
        return [_game(row, 0) for row in rows]

    async def games_in(self, chat_id: int) -> list[GameRow]:
        """The open games of a group, in all its topics."""
        rows = await self._rows(f"select {_COLUMNS} from games g where g.chat_id = :chat and {_OPEN}", chat=chat_id)
        return [_game(row, 0) for row in rows]

    async def open_lobbies(self, untouched_since: datetime | None = None) -> list[GameRow]:
        """Lobbies, those first that nobody touched for longest."""
        rows = await self._rows(
            f"select {_COLUMNS} from games g where g.status = 'lobby'"
            " and g.touched_at < coalesce(cast(:since as timestamptz), 'infinity') order by g.touched_at",
            since=untouched_since,
        )
        return [_game(row, 0) for row in rows]

    async def person(self, person_id: int) -> Person | None:
        row = (await self._rows("select to_jsonb(p)::text from people p where id = :id", id=person_id)).one_or_none()
        return None if row is None else msgspec.json.decode(row[0], type=Person)

    async def chat(self, chat_id: int) -> Chat | None:
        row = (await self._rows("select to_jsonb(c)::text from chats c where id = :id", id=chat_id)).one_or_none()
        return None if row is None else _chat_of(row[0])

    async def callers(self, chat_id: int, thread_id: int) -> list[Person]:
        """Who wants to be called when a game opens in a place, the first to ask first."""
        rows = await self._rows(
            "select to_jsonb(p)::text from callers c join people p on p.id = c.person_id"
            " where c.chat_id = :chat and c.thread_id = :thread order by c.at, p.id",
            chat=chat_id,
            thread=thread_id,
        )
        return [msgspec.json.decode(row[0], type=Person) for row in rows]

    async def answers(self, game_id: int) -> list[Answer]:
        """Every answer of a game, in order."""
        rows = await self._rows(
            "select version, seat, choice, by, at from answers where game_id = :id order by version", id=game_id
        )
        return [Answer(version, seat, tuple(choice), by, at) for version, seat, choice, by, at in rows]

    async def events(self, game_id: int, last: int | None = None, since_turn: int | None = None) -> list[Event]:
        """The events of a game in order: all, the *last* so many, or those since a turn."""
        rows = await self._rows(
            "select * from (select seq, turn, event, at from events where game_id = :id"
            " and (cast(:turn as int) is null or turn >= cast(:turn as int)) order by seq desc"
            " limit cast(:last as int)) newest order by seq",
            id=game_id,
            last=last,
            turn=since_turn,
        )
        return [Event(*row) for row in rows]

    async def seen_before(self, game_id: int, person_id: int) -> int:
        """The last event that somebody had seen before they sat down to look this time (`Unit.looked`); 0 for none."""
        rows = await self._rows(
            "select before from looks where game_id = :game and person_id = :person", game=game_id, person=person_id
        )
        return int(rows.scalar_one_or_none() or 0)

    async def screens(self, game_id: int) -> list[ScreenRow]:
        """The screens of a game, as wanted and as shown."""
        rows = await self._rows(
            "select game_id, kind, receiver, chat_id, thread_id, wanted::text, ring, once, pin, wanted_rev, post, gone,"
            " shown_rev, shown_post, message_id, pinned, refused, result, wanting from screens where game_id = :id"
            " order by due",
            id=game_id,
        )
        found = []
        for row in rows.mappings():
            values = dict(row)
            flags = {name: values.pop(name) for name in ("ring", "once", "pin")}
            wanted = msgspec.json.decode(values.pop("wanted"), type=Wanted)
            found.append(ScreenRow(wanted=replace(wanted, **flags), **values))
        return found

    async def pending(self) -> int:
        """How many screens are not yet what is wanted, those with no way there left out."""
        rows = await self._rows("select count(*) from screens where wanting")
        return int(rows.scalar_one())

    async def ready(self) -> bool:
        """Whether the database answers."""
        try:
            await self._run("select 1")
        except Away:
            return False
        return True

    # Failures.

    async def failed(self, update_id: int, error: str, raw: object) -> Failure:
        """Count a failure of an update, in a transaction of its own; the third puts it aside."""
        return await self._failure(update_id, error, raw, ATTEMPTS)

    async def put_aside(self, update_id: int, error: str, raw: object) -> Failure:
        """Put an update aside at once: we cannot read it, and shall not next time."""
        return await self._failure(update_id, error, raw, 1)

    async def _failure(self, update_id: int, error: str, raw: object, allowed: int) -> Failure:
        row = (
            await self._run(
                "insert into failures (update_id, error, raw, put_aside)"
                " values (:update_id, :error, cast(:raw as jsonb), 1 >= :allowed)"
                " on conflict (update_id) do update set attempts = failures.attempts + 1, error = excluded.error,"
                " raw = excluded.raw, at = excluded.at,"
                " put_aside = failures.put_aside or failures.attempts + 1 >= :allowed"
                " returning attempts, put_aside, at",
                update_id=update_id,
                error=_storable(error)[:500],
                raw=_storable(json.dumps(raw, ensure_ascii=False)),
                allowed=allowed,
            )
        ).one()
        return Failure(update_id, row.attempts, error, row.put_aside, row.at, raw)

    async def failures(self, all: bool = False) -> list[Failure]:
        """What was put aside (or with *all* ever failed and was not applied since), the oldest first."""
        rows = await self._rows(
            "select update_id, attempts, error, put_aside, at, raw from failures where put_aside or :all order by at",
            all=all,
        )
        return [Failure(*row) for row in rows]

    async def retried(self, update_id: int) -> None:
        """An update that was put aside went well now: forget that it failed."""
        await self._run("delete from failures where update_id = :id", id=update_id)

    # The clock's.

    async def put_off(self, game_id: int, seconds: float = 60) -> None:
        """Let the clock leave a game alone for so long: it failed. Its timers stay what they are."""
        await self._run(
            "update games set next_at = stay_away_now() + make_interval(secs => :seconds)"
            " where id = :id and next_at is not null",
            id=game_id,
            seconds=seconds,
        )

    async def next_due(self) -> datetime | None:
        """When the next timer of any game is due."""
        found: datetime | None = (await self._rows("select min(next_at) from games where next_at is not null")).scalar()
        return found

    async def forgive_outage(self, tell: str | None = None) -> list[tuple[int, float]]:
        """Say that we live; and if nobody did for over a minute, move every timer of open games by the silence, once;
        the memo of each notes it among the stretches in which the game `stopped`.

        To be called in every tick *before* `claim_due`. Returns (game, seconds) of the games concerned. With *tell*
        each of them also gets a timer of that kind, due now, so that telling the group survives whatever happens.
        """
        if (silent := (await self._rows(_SILENT)).scalar()) is not None and silent < 5:
            return []
        async with self._transaction() as connection:
            gap = float((await connection.execute(text(_BEAT))).scalar_one())
            if gap <= OUTAGE:
                return []
            moved = await connection.execute(text(_FORGIVE), {"gap": gap, "tell": tell})
            return [(int(row[0]), gap) for row in moved]

    async def prune(self) -> int:
        """Forget what nobody asks for any more: seen updates of last week, screens that are done; how many rows."""
        count = 0
        for statement in _PRUNE:
            count += (await self._run(statement)).rowcount
        return count

    # Roads of private texts from a group to its members. A press reads them; they are written when one has changed.

    async def took_road(self, person_id: int, chat_id: int, road: str) -> None:
        """A private text reached a person from a group by this road."""
        await self._run(
            "insert into roads (person_id, chat_id, road) values (:person, :chat, :road)"
            " on conflict (person_id, chat_id) do update set road = excluded.road, at = excluded.at",
            person=person_id,
            chat=chat_id,
            road=road,
        )

    async def roads_from(self, chat_id: int) -> dict[int, RoadHere]:
        """By which road each person was reached from a group last."""
        rows = await self._rows("select person_id, road, at from roads where chat_id = :chat", chat=chat_id)
        return {int(person): RoadHere(road, at) for person, road, at in rows}

    async def roads_anew(self, chat_id: int) -> None:
        """Something about a group has changed (the bot's rights): roads that were refused there may be tried again."""
        await self._run("delete from roads where chat_id = :chat and road <> 'ephemeral'", chat=chat_id)

    async def flooded(self, chat_id: int, seconds: float) -> None:
        """Telegram wants nothing more in a chat for so long: nobody says anything there, the sender neither."""
        await self._run(
            "insert into limits (chat_id, thread_id, blocked_until, why)"
            " values (:chat, 0, stay_away_now() + make_interval(secs => :seconds), 'flood')"
            " on conflict (chat_id, thread_id) do update set why = excluded.why,"
            " blocked_until = greatest(limits.blocked_until, excluded.blocked_until)",
            chat=chat_id,
            seconds=seconds,
        )

    # The group became a supergroup.

    async def migrate(self, old: int, new: int) -> bool:
        """Move everything of a group to the supergroup that it became; False if that was done before.

        The messages there are dead for the bot, so what is current in open games is posted anew; tales stay told.
        """
        async with self._transaction() as connection:
            values = {"old": old, "new": new}
            for statement in _MIGRATE[:-1]:
                await connection.execute(text(statement), values)
            done = (await connection.execute(text(_MIGRATE[-1]), values)).rowcount
        self.wake()
        return bool(done)

    async def topic_gone(self, chat_id: int, thread_id: int) -> None:
        """A forum topic was deleted: its game goes on in General; only its screens do where General has a game."""
        async with self._transaction() as connection:
            for statement in _TOPIC_GONE:
                await connection.execute(text(statement), {"chat": chat_id, "thread": thread_id})
        self.wake()

    async def topic_open(self, chat_id: int, thread_id: int) -> None:
        """A closed forum topic was opened again: what waits for it goes on."""
        await self._run(
            "delete from limits where chat_id = :chat and thread_id = :thread and why = 'topic'",
            chat=chat_id,
            thread=thread_id,
        )
        self.wake()

    # Things kept by name.

    async def recall(self, key: str) -> Any:
        """What was kept under a name; None if nothing was."""
        return (await self._rows("select value from meta where key = :key", key=key)).scalar_one_or_none()

    async def keep(self, key: str, value: object) -> None:
        """Keep something small that JSON can hold under a name (the hash of the webhook's settings ...)."""
        await self._run(
            "insert into meta (key, value) values (:key, cast(:value as jsonb))"
            " on conflict (key) do update set value = excluded.value",
            key=key,
            value=_dump(value),
        )

    # How all of these run.

    @contextlib.asynccontextmanager
    async def _transaction(self) -> AsyncIterator[AsyncConnection]:
        with _errors():
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

    async def _rows(self, statement: str, **values: object) -> Any:
        return await self._run(statement, **values)


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


async def _put_back(connection: AsyncConnection) -> None:
    with contextlib.suppress(exc.SQLAlchemyError, OSError):
        await connection.close()


@contextlib.contextmanager
def _errors() -> Iterator[None]:
    """The database's errors as ours. Its own may repeat a row ("Failing row contains ..."), hence nothing of it."""
    try:
        yield
    except (exc.OperationalError, exc.InterfaceError, exc.TimeoutError, OSError) as error:
        raise Away(_situation(error)) from None
    except exc.DBAPIError as error:
        if error.connection_invalidated or _constraint(error) == "games_one_open":
            raise Away(_situation(error)) from None
        raise Failed(_situation(error)) from None


def _situation(error: BaseException) -> str:
    cause = getattr(error, "orig", None) or error
    words = [type(cause).__name__, getattr(cause, "sqlstate", None), _constraint(error)]
    return " ".join(word for word in words if word)


def _constraint(error: BaseException) -> str | None:
    diag = getattr(getattr(error, "orig", None), "diag", None)
    return getattr(diag, "constraint_name", None)


# From rows to records and back.

_encoder = msgspec.json.Encoder()


def _dump(value: object) -> str:
    return _encoder.encode(value).decode()


def _storable(words: str) -> str:
    """Text, or JSON text, that Postgres takes: without NUL (as it is or as an escape) and halves of surrogate pairs."""
    words = re.sub(r"(?<!\\)((?:\\\\)*)\\u0000", r"\1", words)
    return words.replace("\0", "").encode("utf-8", "replace").decode()


_FIELDS = GameRow.__struct_fields__
_AS_TEXT = {"options", "roster", "memo", "answers", "orders", "timers", "outcome"}
_COLUMNS = ", ".join(f"g.{name}::text" if name in _AS_TEXT else f"g.{name}" for name in _FIELDS)
_DECODE: Mapping[int, Callable[[str], Any]] = {
    _FIELDS.index(name): msgspec.json.Decoder(kind).decode
    for name, kind in {
        "options": dict[str, Any],
        "roster": tuple[SeatRow, ...],
        "memo": dict[str, Any],
        "answers": tuple[tuple[str, tuple[str, ...]], ...],
        "orders": dict[str, Any],
        "timers": tuple[Timer, ...],
        "outcome": dict[str, Any] | None,
    }.items()
}
_people_of = msgspec.json.Decoder(list[Person]).decode
_chat_of = msgspec.json.Decoder(Chat).decode
_road_of = msgspec.json.Decoder(RoadHere).decode


def _game(row: Any, at: int) -> GameRow:
    values = list(row[at : at + len(_FIELDS)])
    for index, decode in _DECODE.items():
        if values[index] is not None:
            values[index] = decode(values[index])
    return GameRow(**dict(zip(_FIELDS, values, strict=True)))


def _game_values(game: GameRow) -> dict[str, object]:
    values: dict[str, object] = {name: getattr(game, name) for name in _FIELDS}
    for name in _AS_TEXT:
        if values[name] is not None:
            values[name] = _dump(values[name])
    values["next_at"] = game.next_at
    return values


def _both(news: Chat, before: Chat | None) -> Chat:
    """What is known of a chat, with what is new about it."""
    if before is None:
        return news
    changed = {
        name: value
        for name in Chat.__struct_fields__
        if (value := getattr(news, name)) is not None and not (name == "road" and value == "unknown")
    }
    if changed.get("road") == "open":
        changed["left_at"] = None
    return replace(before, **changed)


# The SQL. Statements are put together from parts and kept, so that a prepared one is met again.

_OPEN = "g.status in ('lobby', 'playing', 'paused')"

# now, fresh, people, chat, road, number for a new game, and then the game's columns.
_GAME_AT = 6

_PEOPLE_AND_CHAT = """
    (select jsonb_agg(to_jsonb(p))::text from people p where p.id = any(
        array(select unnest(array[(seat ->> 'person')::bigint, (seat ->> 'sitter')::bigint])
            from jsonb_array_elements(g.roster) seat)
        || {person})),
    (select to_jsonb(c)::text from chats c where c.id = coalesce(g.chat_id, {chat})),
    (select jsonb_build_object('road', r.road, 'at', r.at, 'flooded', coalesce(l.blocked_until > here.now, false),
            'said', coalesce((select count(*) from unnest(l.sent || a.sent) at
                where at > here.now - interval '1 minute'), 0))
            ::text
        from (select coalesce(g.chat_id, {chat}) as chat, stay_away_now() as now) here
        left join roads r on r.person_id = {person} and r.chat_id = here.chat
        left join limits l on l.chat_id = here.chat and l.thread_id = 0
        left join limits a on a.chat_id = here.chat and a.thread_id = {aside})"""

# The topic under which the limits of a group count what was said aside, to one member.
ASIDE = -1
_PEOPLE_AND_CHAT = _PEOPLE_AND_CHAT.replace("{aside}", str(ASIDE))

_WHERE: dict[type, str] = {
    ByGame: "g.id = %(game)s::bigint",
    ByPlace: f"g.chat_id = %(place)s::bigint and g.thread_id = %(thread)s::bigint and {_OPEN}",
}


@cache
def _first(find: type, remembered: bool) -> str:
    """The first statement: remember the update, and if it is new lock its game and read what is around it.

    The game waits for the update's row by its condition: who repeats an update waits there, holding nothing.
    """
    fresh = (
        "insert into updates (update_id, at) values (%(update_id)s, stay_away_now()) on conflict do nothing returning 1"
        if remembered
        else "select 1"
    )
    around = _PEOPLE_AND_CHAT.format(person="%(person)s::bigint", chat="%(chat)s::bigint")
    where = _WHERE.get(find)
    if where is None:
        around = around.replace("g.roster", "'[]'::jsonb").replace("g.chat_id", "null::bigint")
        return f"""
with fresh as ({fresh})
select stay_away_now(), exists (select from fresh), {around}, null::bigint, null::bigint"""
    return f"""
with fresh as ({fresh}),
game as (select g.* from games g where {where} and exists (select from fresh) for update)
select stay_away_now(), exists (select from fresh), {around}, null::bigint, {_COLUMNS}
from (select 1) one left join game g on true"""


_HOLD = "select pg_advisory_xact_lock(hashtextextended(%(place)s::text || '/' || %(thread)s::text, 0))"

_LOOK_AGAIN = f"""
with game as (select g.* from games g where {_WHERE[ByPlace]} for update)
select stay_away_now(), true, {_PEOPLE_AND_CHAT.format(person="%(person)s::bigint", chat="%(chat)s::bigint")},
    case when g.id is null then nextval('game_ids') end, {_COLUMNS}
from (select 1) one left join game g on true"""

_DUE = f"""
with game as (
    select g.* from games g where g.next_at <= stay_away_now() and g.rules_v <= %(rules_v)s and g.state_v <= %(state_v)s
    order by g.next_at limit 1 for update skip locked)
select stay_away_now(), true, {_PEOPLE_AND_CHAT.format(person="null::bigint", chat="null::bigint")},
    null::bigint, {_COLUMNS}
from game g"""

_WRITTEN = [name for name in _FIELDS if name not in ("id", "created_at", "touched_at")] + ["next_at"]


def _value(name: str) -> str:
    return f"%({name})s::jsonb" if name in _AS_TEXT else f"%({name})s"


_PARTS = {
    "new_game": f"""
        insert into games (id, created_at, touched_at, {", ".join(_WRITTEN)})
        values (%(id)s, %(now)s, %(now)s, {", ".join(map(_value, _WRITTEN))})""",
    "game": f"""
        update games set touched_at = %(now)s, {", ".join(f"{name} = {_value(name)}" for name in _WRITTEN)}
        where id = %(id)s""",
    "seats": """
        insert into seats (game_id, person_id) select %(id)s, unnest(%(seated)s::bigint[])
        on conflict do nothing""",
    "seats_left": """
        delete from seats where game_id = %(id)s and person_id <> all(%(seated)s::bigint[])""",
    "answers": """
        insert into answers (game_id, version, seat, choice, by, at)
        select %(id)s, version, seat, choice, by, %(now)s
        from jsonb_to_recordset(%(new_answers)s::jsonb) as a(version int, seat text, choice jsonb, by text)""",
    "events": """
        insert into events (game_id, seq, turn, event, at) select %(id)s, seq, turn, event, %(now)s
        from jsonb_to_recordset(%(events)s::jsonb) as e(seq int, turn int, event jsonb)""",
    # `post` carries "anew" through to the conflict: 1, or 2. A text that was refused for its form is not tried again,
    # and a tale that was perhaps sent only when it is posted anew.
    "screens": """
        insert into screens as s (game_id, kind, receiver, chat_id, thread_id, wanted, wanted_hash, ring, once, pin,
            post, refused, due)
        select %(id)s, kind, receiver, chat_id, thread_id, wanted, hash, ring, once, pin, 1 + anew::int, refused,
            nextval('screens_due')
        from jsonb_to_recordset(%(screens)s::jsonb) as w(kind text, receiver bigint, chat_id bigint, thread_id bigint,
            wanted jsonb, hash text, ring bool, once bool, pin bool, anew bool, refused text)
        on conflict (game_id, kind, receiver) do update set
            chat_id = excluded.chat_id, thread_id = excluded.thread_id, wanted = excluded.wanted,
            wanted_hash = excluded.wanted_hash, ring = excluded.ring, once = excluded.once, pin = excluded.pin,
            wanted_rev = s.wanted_rev + (s.wanted_hash <> excluded.wanted_hash)::int,
            post = s.post + excluded.post - 1,
            gone = false,
            due = case when s.wanting and excluded.post = 1 then s.due else excluded.due end,
            refused = case
                when s.refused = 'perhaps sent' and excluded.post = 1 then s.refused
                when s.refused <> 'road' and excluded.refused is null and excluded.post = 1
                    and s.wanted_hash = excluded.wanted_hash then s.refused
                else excluded.refused end,
            attempts = 0, not_before = null
        where s.wanted_hash <> excluded.wanted_hash or s.pin <> excluded.pin or s.gone or excluded.post > 1
            or (s.refused is distinct from excluded.refused and (s.refused = 'road' or excluded.refused = 'road'))""",
    "gone": """
        update screens s set gone = true, refused = case when s.refused = 'road' then s.refused end,
            attempts = 0, not_before = null,
            due = case when s.wanting then s.due else nextval('screens_due') end
        from jsonb_to_recordset(%(gone)s::jsonb) as w(kind text, receiver bigint)
        where s.game_id = %(id)s and s.kind = w.kind and s.receiver = w.receiver and not s.gone""",
    "people": """
        insert into people as p (id, name, username, language, private, seen_at)
        select id, name, username, language, private, %(now)s
        from jsonb_to_recordset(%(people)s::jsonb)
            as w(id bigint, name text, username text, language text, private text)
        order by id
        on conflict (id) do update set name = excluded.name, username = excluded.username,
            language = excluded.language, seen_at = excluded.seen_at,
            private = case when excluded.private = 'unknown' then p.private else excluded.private end""",
    # A row is changed once in a statement: what this press itself wants is left to its own part.
    # In the order in which they were wanted: a hand of one game came before that of another.
    "roads": """
        update screens s set refused = null, attempts = 0, due = again.due from (
            select game_id, kind, receiver, nextval('screens_due') as due from (
                select w.game_id, w.kind, w.receiver from screens w join games g on g.id = w.game_id
                where w.receiver = any(%(roads)s::bigint[]) and w.refused = 'road'
                    and g.status in ('lobby', 'playing', 'paused')
                    and not (w.game_id = %(here)s and w.kind = any(%(kinds)s::text[]))
                order by w.due) in_order) again
        where (s.game_id, s.kind, s.receiver) = (again.game_id, again.kind, again.receiver) and s.refused = 'road'""",
    "chat": """
        insert into chats as c (id, title, kind, settings, rights, road, migrated_to, left_at)
        select id, title, kind, settings, rights, road, migrated_to,
            case when road = 'left' then coalesce(left_at, %(now)s) end
        from jsonb_to_record(%(chat)s::jsonb) as w(id bigint, title text, kind text, settings jsonb, rights jsonb,
            road text, migrated_to bigint, left_at timestamptz)
        on conflict (id) do update set title = excluded.title, kind = excluded.kind, settings = excluded.settings,
            rights = excluded.rights, road = excluded.road, migrated_to = excluded.migrated_to,
            left_at = excluded.left_at""",
    # Looks within a quarter of an hour are one sitting: who opens the hand first still hears of the night.
    "looks": """
        insert into looks as l (game_id, person_id, seq, at) values (%(id)s, %(looker)s, %(seen)s, %(now)s)
        on conflict (game_id, person_id) do update set
            before = case when l.at < excluded.at - interval '15 minutes' then l.seq else l.before end,
            seq = greatest(l.seq, excluded.seq), at = excluded.at""",
    "caller": """
        insert into callers (chat_id, thread_id, person_id, at)
        values (%(place)s, %(thread)s, %(caller)s, %(now)s) on conflict do nothing""",
    "no_caller": """
        delete from callers where chat_id = %(place)s and thread_id = %(thread)s and person_id = %(caller)s""",
    "callers_served": """
        delete from callers where chat_id = %(place)s and thread_id = %(thread)s
            and (at <= %(opened)s or person_id = any(%(sitting)s::bigint[]))""",
    "aside": f"""
        insert into limits as l (chat_id, thread_id, sent) values (%(aside)s, {ASIDE}, array[%(now)s::timestamptz])
        on conflict (chat_id, thread_id) do update set sent = excluded.sent || array(
            select at from unnest(l.sent) at where at > %(now)s::timestamptz - interval '1 minute')""",
    "chat_back": """
        delete from limits where chat_id = %(chat_back)s and why in ('left', 'muted')""",
}


@cache
def _statement(parts: tuple[str, ...]) -> str:
    if "seats" in parts:
        parts += ("seats_left",)
    return "with " + ",\n".join(f"part_{name} as ({_PARTS[name]})" for name in parts) + "\nselect 1"


# The heartbeat is the real time: what the clock was moved by is no outage.
_SILENT = (
    "select extract(epoch from clock_timestamp() - (value #>> '{}')::timestamptz) from meta where key = 'heartbeat'"
)

_BEAT = """
with before as (select (value #>> '{}')::timestamptz as at from meta where key = 'heartbeat' for update),
beat as (insert into meta (key, value) values ('heartbeat', to_jsonb(clock_timestamp()))
    on conflict (key) do update set value = excluded.value)
select extract(epoch from clock_timestamp() - at) from before union all select 0 where not exists (select from before)
"""

_FORGIVE = """
update games set
    next_at = case when cast(:tell as text) is null or status = 'paused' then next_at + make_interval(secs => :gap)
        else stay_away_now() end,
    timers = coalesce((
            select jsonb_agg(t || jsonb_build_object('at', (t ->> 'at')::timestamptz + make_interval(secs => :gap)))
            from jsonb_array_elements(timers) t), '[]')
        || case when cast(:tell as text) is null then '[]'::jsonb
            else jsonb_build_array(jsonb_build_object('kind', cast(:tell as text), 'at', stay_away_now())) end,
    memo = memo || jsonb_build_object('stopped', coalesce(memo -> 'stopped', '[]') || jsonb_build_array(
        jsonb_build_array(extract(epoch from stay_away_now()) - :gap, extract(epoch from stay_away_now()))))
where id in (select id from games where status in ('lobby', 'playing', 'paused') order by id for update)
returning id
"""

_PRUNE = (
    "delete from updates where at < stay_away_now() - interval '7 days'",
    "delete from failures where at < stay_away_now() - interval '30 days'",
    "delete from limits where coalesce(blocked_until, '-infinity') < stay_away_now()"
    " and coalesce((select max(at) from unnest(sent) at), '-infinity') < stay_away_now() - interval '1 hour'",
    # A deleted message's screen, and the screens of a game that ended a week ago.
    "delete from screens s using games g where g.id = s.game_id and not s.wanting and (s.gone"
    " and coalesce(s.tried_at, g.touched_at) < stay_away_now() - interval '1 day'"
    " or g.ended_at < stay_away_now() - interval '7 days')",
)

# What need not be said again where messages were lost with their chat: tales that were told, and everything that was
# in order in a game that is over.
_TOLD = """(s.once and s.shown_post = s.post
    or not s.wanting and g.status not in ('lobby', 'playing', 'paused'))"""

# In the order in which a press locks: games, then the rest. Where both chats have an open game, the one that plays, or
# else the older, keeps the place.
_MIGRATE = (
    "select id from games where chat_id in (:old, :new) order by id for update",
    """
    update games g set status = 'called_off', ended_at = stay_away_now(), next_at = null
    where g.chat_id in (:old, :new) and g.status in ('lobby', 'playing', 'paused') and exists (
        select from games o where o.chat_id in (:old, :new) and o.chat_id <> g.chat_id and o.thread_id = g.thread_id
            and o.status in ('lobby', 'playing', 'paused')
            and (o.status = 'lobby', o.id) < (g.status = 'lobby', g.id))
    """,
    "update games set chat_id = :new where chat_id = :old",
    f"""
    update screens s set chat_id = :new, message_id = null, leftovers = '[]', trying = null, attempts = 0,
        shown_post = case when {_TOLD} then s.shown_post else 0 end,
        pinned = s.pin and {_TOLD}, pin_refused = false
    from games g where g.id = s.game_id and s.receiver = 0 and s.chat_id = :old
    """,
    """
    insert into limits (chat_id, thread_id, sent, blocked_until, why)
    select :new, thread_id, sent, blocked_until, why from limits where chat_id = :old
    on conflict do nothing
    """,
    "delete from limits where chat_id = :old",
    """
    insert into callers (chat_id, thread_id, person_id, at)
    select :new, thread_id, person_id, at from callers where chat_id = :old
    on conflict do nothing
    """,
    "delete from callers where chat_id = :old",
    # What a group refused, a supergroup may not.
    "delete from roads where chat_id = :old",
    """
    insert into chats (id, title, kind, settings, road)
    select :new, title, 'supergroup', settings, 'unknown' from chats where id = :old
    on conflict (id) do update set settings = coalesce(chats.settings, excluded.settings)
    """,
    """
    insert into chats as c (id, migrated_to) values (:old, :new)
    on conflict (id) do update set migrated_to = :new where c.migrated_to is distinct from :new
    """,
)

_TOPIC_GONE = (
    "select id from games where chat_id = :chat and thread_id in (0, :thread) order by id for update",
    """
    update games g set thread_id = 0 where g.chat_id = :chat and g.thread_id = :thread
        and (g.status not in ('lobby', 'playing', 'paused') or not exists (select from games o
            where o.chat_id = :chat and o.thread_id = 0 and o.status in ('lobby', 'playing', 'paused')))
    """,
    # What was shown there is gone with the topic.
    f"""
    update screens s set thread_id = 0, message_id = null, leftovers = '[]', trying = null, attempts = 0,
        shown_post = case when {_TOLD} then s.shown_post else 0 end,
        pinned = s.pin and {_TOLD}, pin_refused = false
    from games g where g.id = s.game_id and s.receiver = 0 and s.chat_id = :chat and s.thread_id = :thread
    """,
)
