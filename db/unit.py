"""A press at work: what the first statement read, and what the second is to write."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from msgspec.structs import replace

from .records import ByPlace, Chat, GameRow, Person, RoadHere, Wanted
from .rows import both, dump, game_values
from .statements import second


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
        self._answers.append({"version": game.version, "seat": seat, "choice": tuple(choice), "by": by})
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
        self._chat = both(chat, self.chat)
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
                values |= game_values(game)
                people = sorted({p for seat in game.roster for p in (seat.person, seat.sitter) if p is not None})
                if new and people or not new and loaded is not None and loaded.roster != game.roster:
                    parts.append("seats")
                    values["seated"] = people
        if self._answers:
            parts.append("answers")
            values["new_answers"] = dump(self._answers)
        if self._events:
            parts.append("events")
            values["events"] = dump(self._events)
        if self._screens:
            parts.append("screens")
            values["screens"] = dump([self._screen(one) for one in self._screens.values()])
        if self._gone:
            parts.append("gone")
            values["gone"] = dump(list(self._gone.values()))
        if self._people:
            parts.append("people")
            values["people"] = dump(list(self._people.values()))
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
            values["chat"] = dump(self._chat)
            if self._chat.road == "open":
                parts.append("chat_back")
                values["chat_back"] = self._chat.id
        return (second(tuple(parts)), values) if parts else None

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
