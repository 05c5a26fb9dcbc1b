"""Reads for the rarer commands, unlocked, each a transaction of its own."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from .engine import Database
from .errors import Away
from .records import Answer, Chat, Event, Failure, GameRow, Person, RoadHere, ScreenRow, Wanted
from .rows import COLUMNS, chat_of, game_of
from .statements import IS_OPEN


class Reads(Database):
    """What the store is asked beside a press."""

    async def was_taken(self, update_id: int) -> bool:
        """Whether an update was applied before."""
        rows = await self._run("select exists (select from updates where update_id = :id)", id=update_id)
        return bool(rows.scalar_one())

    async def game(self, game_id: int) -> GameRow | None:
        """A game, unlocked."""
        row = (await self._run(f"select {COLUMNS} from games g where g.id = :id", id=game_id)).one_or_none()
        return None if row is None else game_of(row, 0)

    async def games_of(self, person_id: int, ended: bool = False) -> list[GameRow]:
        """The games somebody has a seat in, the last touched first; open ones, or with *ended* all."""
        rows = await self._run(
            f"select {COLUMNS} from seats s join games g on g.id = s.game_id where s.person_id = :person"
            f"{'' if ended else ' and ' + IS_OPEN} order by g.touched_at desc limit 50",
            person=person_id,
        )
        return [game_of(row, 0) for row in rows]

    async def games_in(self, chat_id: int) -> list[GameRow]:
        """The open games of a group, in all its topics."""
        rows = await self._run(f"select {COLUMNS} from games g where g.chat_id = :chat and {IS_OPEN}", chat=chat_id)
        return [game_of(row, 0) for row in rows]

    async def person(self, person_id: int) -> Person | None:
        """What is known of a person; None of one that never wrote or pressed."""
        row = (await self._run("select to_jsonb(p)::text from people p where id = :id", id=person_id)).one_or_none()
        return None if row is None else msgspec.json.decode(row[0], type=Person)

    async def chat(self, chat_id: int) -> Chat | None:
        """What is known of a group; None of one that the bot never was in."""
        row = (await self._run("select to_jsonb(c)::text from chats c where id = :id", id=chat_id)).one_or_none()
        return None if row is None else chat_of(row[0])

    async def callers(self, chat_id: int, thread_id: int) -> list[Person]:
        """Who wants to be called when a game opens in a place, the first to ask first."""
        rows = await self._run(
            "select to_jsonb(p)::text from callers c join people p on p.id = c.person_id"
            " where c.chat_id = :chat and c.thread_id = :thread order by c.at, p.id",
            chat=chat_id,
            thread=thread_id,
        )
        return [msgspec.json.decode(row[0], type=Person) for row in rows]

    async def answers(self, game_id: int) -> list[Answer]:
        """Every answer of a game, in order."""
        rows = await self._run(
            "select version, seat, choice, by, at from answers where game_id = :id order by version", id=game_id
        )
        return [Answer(version, seat, tuple(choice), by, at) for version, seat, choice, by, at in rows]

    async def events(self, game_id: int, turns: int | None = None) -> list[Event]:
        """The events of a game in order: all, or those of the last so many *turns*.

        Not the last so many events: among them are some that most know nothing of, and where the log begins would tell
        how many.
        """
        rows = await self._run(
            "select seq, turn, event, at from events where game_id = :id and (cast(:turns as int) is null or turn >"
            " (select turn from events where game_id = :id order by seq desc limit 1) - cast(:turns as int))"
            " order by seq",
            id=game_id,
            turns=turns,
        )
        return [Event(*row) for row in rows]

    async def seen_before(self, game_id: int, person_id: int) -> int:
        """The last event that somebody had seen before they sat down to look this time; 0 for none.

        It is the same before and after this look is noted (`Unit.looked`).
        """
        rows = await self._run(
            "select case when at < stay_away_now() - interval '15 minutes' then seq else before end"
            " from looks where game_id = :game and person_id = :person",
            game=game_id,
            person=person_id,
        )
        return int(rows.scalar_one_or_none() or 0)

    async def screens(self, game_id: int) -> list[ScreenRow]:
        """The screens of a game, as wanted and as shown."""
        rows = await self._run(
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
        rows = await self._run("select count(*) from screens where wanting")
        return int(rows.scalar_one())

    async def ready(self) -> bool:
        """Whether the database answers."""
        try:
            await self._run("select 1")
        except Away:
            return False
        return True

    async def failures(self, all: bool = False) -> list[Failure]:
        """What was put aside (or with *all* ever failed and was not applied since), the oldest first."""
        rows = await self._run(
            "select update_id, attempts, error, put_aside, at, raw from failures where put_aside or :all order by at",
            all=all,
        )
        return [Failure(*row) for row in rows]

    async def roads_from(self, chat_id: int) -> dict[int, RoadHere]:
        """By which road each person was reached from a group last."""
        rows = await self._run("select person_id, road, at from roads where chat_id = :chat", chat=chat_id)
        return {int(person): RoadHere(road, at) for person, road, at in rows}
