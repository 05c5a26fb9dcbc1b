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
from collections.abc import AsyncIterator, Callable
from typing import Any

from msgspec.structs import replace
from sqlalchemy import text
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncConnection

from .clock import CHANNEL
from .engine import put_back
from .errors import Away, Failed, Newer, database_errors
from .reads import Reads
from .records import ByGame, ByPlace, Chat, Failure, Find, GameRow, Nothing, Person
from .rows import both, chat_of, game_of, people_of, road_of, storable
from .statements import ASIDE, DUE, GAME_AT, HOLD, IS_OPEN, LOOK_AGAIN, first
from .unit import Unit
from .upkeep import AN_ASIDE, BEAT, FORGIVE, MIGRATE, PRUNE, SAID, SAY_ASIDE, SILENT, TOPIC_GONE

__all__ = ["Away", "ByGame", "ByPlace", "Failed", "Newer", "Nothing", "Store", "Unit"]

#: An update that failed so often is put aside.
ATTEMPTS = 3

#: A silence of all processes that is longer is an outage; deadlines move by it. Real seconds.
OUTAGE = 60.0

#: What a group takes in a minute; of that, what may be said beside the screens; and of that two in three seconds.
GROUP_MINUTE, ASIDES = 20, 16
TWO_IN = 3.0

NOTHING = Nothing()


class Store(Reads):
    """The database, for the use cases: presses, due games, and a few reads.

    *rules_v* and *state_v* are what this process knows; games of newer ones are left alone. *pool* connections are kept
    (three carry 500 presses a second; small hosts allow 20 in all).
    """

    def __init__(self, url: str | URL, *, rules_v: int = 1, state_v: int = 1, pool: int = 3) -> None:
        super().__init__(url, pool)
        self.rules_v = rules_v
        self.state_v = state_v
        #: Called after a commit that left something to show; one that returns True shows it itself (the sender that
        #: leads is in this process), else the other processes are notified.
        self.after_commit: list[Callable[[], bool]] = []
        self._notifying: asyncio.Task[None] | None = None

    async def close(self) -> None:
        """Close every connection, once what is being told to the sender is told."""
        if self._notifying is not None:
            await asyncio.gather(self._notifying, return_exceptions=True)
        await super().close()

    # The two doors.

    @contextlib.asynccontextmanager
    async def press(
        self, *, update_id: int | None, find: Find = NOTHING, person: Person | None = None, chat: Chat | None = None
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
        statement = first(type(find), update_id is not None)
        connection, row = await self._begin(statement, values)
        try:
            unit = Unit(row[0], bool(row[1]))
            if unit.fresh:
                if isinstance(find, ByPlace):
                    unit._place = find
                    if row[GAME_AT] is None:
                        if (new := None if row[3] is None else chat_of(row[3]).migrated_to) is not None:
                            # Written before its group became a supergroup, and delivered after.
                            unit._place = replace(find, chat_id=new)
                            chat = None if chat is None else replace(chat, id=new, kind="supergroup")
                            values |= {"place": new, "chat": new}
                        # Nobody opens a game here while we hold the place; and who just did is seen by a new look.
                        with database_errors():
                            await connection.exec_driver_sql(HOLD, values)
                            row = (await connection.exec_driver_sql(LOOK_AGAIN, values)).one()
                        unit.new_game_id = row[GAME_AT - 1]
                self._read(unit, row, person, chat)
                self._check(unit.game)
            yield unit
            await self._finish(connection, unit)
        finally:
            await put_back(connection)
        self._tell(unit)

    @contextlib.asynccontextmanager
    async def claim_due(self) -> AsyncIterator[Unit | None]:
        """The game whose timer is due for longest, as a unit; None if there is none that nobody else holds.

        A game that raises is due again at once: `put_off` it.
        """
        connection, row = await self._begin(DUE, {"rules_v": self.rules_v, "state_v": self.state_v})
        try:
            unit: Unit | None = None
            if row is not None:
                unit = Unit(row[0])
                self._read(unit, row, None, None)
            yield unit
            if unit is not None:
                await self._finish(connection, unit)
        finally:
            await put_back(connection)
        if unit is not None:
            self._tell(unit)

    async def _begin(self, statement: str, values: dict[str, object]) -> tuple[AsyncConnection, Any]:
        # A connection of the pool may have died since (a restart, a router's time-out): the second one is new.
        for last in (False, True):
            connection = None
            try:
                with database_errors():
                    connection = await self.engine.connect()
                    return connection, (await connection.exec_driver_sql(statement, values)).first()
            except BaseException as error:
                if connection is not None:
                    await put_back(connection)
                if last or not isinstance(error, Away):
                    raise
        raise AssertionError

    async def _finish(self, connection: AsyncConnection, unit: Unit) -> None:
        if not unit.fresh:
            return  # rolled back: nothing was written
        second = unit._statement()
        with database_errors():
            if second is not None:
                await connection.exec_driver_sql(*second)
            await connection.commit()

    def _read(self, unit: Unit, row: Any, person: Person | None, chat: Chat | None) -> None:
        if row[GAME_AT] is not None:
            unit.game = unit._loaded = game_of(row, GAME_AT)
        for known in people_of(row[2] or "[]"):
            unit.people[known.id] = known
        if person is not None:
            unit._meet(person, unit.people.get(person.id))
            unit.person = unit.people[person.id]
        for seat in unit.game.roster if unit.game is not None else ():
            # Somebody who sat down while we waited for the game's row: the row is newer than the people we see.
            for number in (seat.person, seat.sitter):
                if number is not None and number not in unit.people:
                    unit.people[number] = Person(number, seat.name)
        unit.chat = None if row[3] is None else chat_of(row[3])
        unit.road = road_of(row[4])
        if chat is not None:
            merged = both(chat, unit.chat)
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
                error=storable(error)[:500],
                raw=storable(json.dumps(raw, ensure_ascii=False)),
                allowed=allowed,
            )
        ).one()
        return Failure(update_id, row.attempts, error, row.put_aside, row.at, raw)

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

    async def forgive_outage(self, tell: str | None = None) -> list[tuple[int, float]]:
        """Say that we live; and if nobody did for over a minute, move every timer of open games by the silence, once;
        the memo of each notes it among the stretches in which the game `stopped`.

        To be called in every tick *before* `claim_due`. Returns (game, seconds) of the games concerned. With *tell*
        each of them also gets a timer of that kind, due now, so that telling the group survives whatever happens.
        """
        if (silent := (await self._run(SILENT)).scalar()) is not None and silent < 5:
            return []
        async with self._transaction() as connection:
            gap = float((await connection.execute(text(BEAT))).scalar_one())
            if gap <= OUTAGE:
                return []
            moved = await connection.execute(text(FORGIVE), {"gap": gap, "tell": tell})
            return [(int(row[0]), gap) for row in moved]

    async def prune(self) -> int:
        """Forget what nobody asks for any more: seen updates of last week, screens that are done; how many rows."""
        count = 0
        for statement in PRUNE:
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

    async def roads_anew(self, chat_id: int) -> None:
        """The bot's rights in a group have changed: what was refused there for want of them may be tried again."""
        await self._run("delete from roads where chat_id = :chat and road <> 'ephemeral'", chat=chat_id)
        await self._run(
            "update screens s set pin_refused = false from games g where g.id = s.game_id and s.pin_refused"
            f" and g.chat_id = :chat and {IS_OPEN}",
            chat=chat_id,
        )
        self.wake()

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

    async def forget_caller(self, chat_id: int, person_id: int) -> None:
        """Who left a group is called to no game there."""
        await self._run(
            "delete from callers where chat_id = :chat and person_id = :person", chat=chat_id, person=person_id
        )

    async def say_aside(self, chat_id: int) -> float | None:
        """Count something that is said to a group beside its screens, now or, that it does not come in a burst, after
        so many seconds; None where the minute has no room for it, or Telegram wants the group silent."""
        async with self._transaction() as connection:
            values = {"chat": chat_id, "aside": ASIDE}
            await connection.execute(text(AN_ASIDE), values)
            now, aside, sent, flooded = (await connection.execute(text(SAID), values)).one()
            said = sorted((*aside, *sent))
            if flooded or len(aside) >= ASIDES or len(said) >= GROUP_MINUTE:
                return None
            at = max(now, said[-2] + TWO_IN) if len(said) > 1 else now
            await connection.execute(text(SAY_ASIDE), values | {"said": [*aside, at]})
            return float(at - now)

    # The group became a supergroup; a topic was closed or deleted.

    async def migrate(self, old: int, new: int) -> bool:
        """Move everything of a group to the supergroup that it became; False if that was done before.

        The messages there are dead for the bot, so what is current in open games is posted anew; tales stay told.
        """
        async with self._transaction() as connection:
            values = {"old": old, "new": new}
            for statement in MIGRATE[:-1]:
                await connection.execute(text(statement), values)
            done = (await connection.execute(text(MIGRATE[-1]), values)).rowcount
        self.wake()
        return bool(done)

    async def topic_gone(self, chat_id: int, thread_id: int) -> None:
        """A forum topic was deleted: its game goes on in General; only its screens do where General has a game."""
        async with self._transaction() as connection:
            for statement in TOPIC_GONE:
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
