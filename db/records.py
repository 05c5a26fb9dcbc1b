"""What the store hands out and takes back: frozen records, one a table or one a thing that is wanted.

A changed record is a new one: ``msgspec.structs.replace(game, pace="blitz")``. Records that hold secrets (a table, the
text of a private panel) do not show them in their repr, so that no log line and no traceback can.
"""

from __future__ import annotations

from datetime import datetime
from hashlib import blake2b
from typing import Any, Literal

import msgspec
from msgspec import Struct, field

Status = Literal["lobby", "playing", "paused", "over", "called_off"]
Road = Literal["unknown", "open", "closed", "blocked", "gone", "left", "muted"]

#: A game that is one of these occupies its place (chat and topic).
OPEN: frozenset[str] = frozenset(("lobby", "playing", "paused"))

_json = msgspec.json.Encoder()


class SeatRow(Struct, frozen=True, omit_defaults=True):
    """A seat in a roster: *seat* is core's word ("s1"), *person* Telegram's id or None for a bot player's own seat.

    *gone*: that person left the group; the clock answers at once until they are back. *sitter*: another person who took
    the seat over; *excuses* for missed deadlines that are left, and when the last one was counted (Unix time); when its
    owner last *moved* out of the group or in (Unix time).
    """

    seat: str
    name: str
    person: int | None = None
    played_by: Literal["person", "bot"] = "person"
    gone: bool = False
    sitter: int | None = None
    excuses: int = 3
    missed_at: float = 0.0
    moved: float = 0.0


class Timer(Struct, frozen=True, omit_defaults=True):
    """Something that falls due in a game: *kind* is a word of the use cases (deadline, reminder, pause, pass ...)."""

    kind: str
    at: datetime
    seat: str | None = None


class GameRow(Struct, frozen=True, kw_only=True):
    """A game as its row has it.

    *roster* is in the row, so that the row's lock alone makes a press consistent. *turn_start*, *answers* and *digest*
    are core's game at rest; *memo* is what use cases keep from press to press. *version* grows by one with every answer
    (`Unit.answered` does it). `next_at` is not among the fields: the store writes the earliest of *timers* while the
    game is a lobby or playing.
    """

    id: int
    chat_id: int
    thread_id: int = 0
    status: Status = "lobby"
    opened_by: int
    options: dict[str, Any] = {}
    pace: str
    roster: tuple[SeatRow, ...] = ()
    memo: dict[str, Any] = {}
    public_seed: str
    turn_start: str | None = None
    answers: tuple[tuple[str, tuple[str, ...]], ...] = ()
    orders: dict[str, Any] = {}
    digest: str | None = None
    turn: int = 0
    version: int = 0
    happened: int = 0
    rules_v: int = 1
    state_v: int = 1
    timers: tuple[Timer, ...] = ()
    created_at: datetime | None = None
    touched_at: datetime | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    outcome: dict[str, Any] | None = None

    def __repr__(self) -> str:
        return f"<game {self.id} {self.status} turn {self.turn} version {self.version}>"

    @property
    def open(self) -> bool:
        """Whether it still occupies its place."""
        return self.status in OPEN

    @property
    def next_at(self) -> datetime | None:
        """When the clock has to look at this game again."""
        if self.status not in ("lobby", "playing"):
            return None
        return min((timer.at for timer in self.timers), default=None)

    def seat_of(self, person: int) -> SeatRow | None:
        """Where somebody sits."""
        return next((seat for seat in self.roster if seat.person == person), None)

    def seat(self, name: str) -> SeatRow | None:
        """The row of a seat; None if there is no such seat."""
        return next((seat for seat in self.roster if seat.seat == name), None)


class Person(Struct, frozen=True):
    """Somebody on Telegram. Given to a press, `private="open"` is the news that the bot may write to the private chat
    (it was written to there), "blocked" that it may not; "unknown" is no news. None among the other fields is none."""

    id: int
    name: str
    username: str | None = None
    language: str | None = None
    private: Literal["unknown", "open", "closed", "blocked", "gone"] = "unknown"
    seen_at: datetime | None = None

    @property
    def reachable(self) -> bool:
        """Whether a private message has a chance; "unknown" is worth one try."""
        return self.private in ("unknown", "open")


class Chat(Struct, frozen=True):
    """A group (or a private chat that has settings). In a press, None and "unknown" are no news; `road="open"` says
    that the bot is in and may write, "left" that it is out, "muted" that it may not write."""

    id: int
    title: str | None = None
    kind: str | None = None
    settings: dict[str, Any] | None = None
    rights: dict[str, Any] | None = None
    road: Literal["unknown", "open", "left", "muted"] = "unknown"
    migrated_to: int | None = None
    left_at: datetime | None = None


class RoadHere(Struct, frozen=True):
    """The *road* by which a private text reached the presser from this group last, and since when that is known; how
    much was *said* in the group in the last minute, and whether Telegram wants it silent for a while (*flooded*)."""

    road: Literal["ephemeral", "private", "alert"] | None = None
    at: datetime | None = None
    flooded: bool = False
    said: int = 0


class Button(Struct, frozen=True, omit_defaults=True):
    """A button: *data* comes back when it is pressed (at most 64 bytes), or *url* is opened."""

    text: str
    data: str | None = None
    url: str | None = None
    style: str | None = None


class Wanted(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What should be shown: *text* in Telegram's HTML, *rows* of buttons.

    *ring*: the posting is heard (an edit never is). *pin*: pinned, if the bot may. *protect*: cannot be forwarded.
    *once*: a tale; it is not sent again when an answer of Telegram was lost, where a board is. *old*: what becomes of
    the copy before when it is posted anew: it loses its buttons, or is deleted.
    """

    text: str
    rows: tuple[tuple[Button, ...], ...] = ()
    protect: bool = False
    old: Literal["strip", "delete"] = "strip"
    pin: bool = False
    ring: bool = False
    once: bool = False

    def __repr__(self) -> str:
        return f"<wanted: {len(self.text)} characters, {sum(map(len, self.rows))} buttons>"

    @property
    def hash(self) -> str:
        """Of what an edit can change."""
        return blake2b(_json.encode((self.text, self.rows)), digest_size=12).hexdigest()


class ScreenRow(Struct, frozen=True, kw_only=True):
    """A screen as tests, benches and `pending` look at it; the sender has a record of its own."""

    game_id: int
    kind: str
    receiver: int
    chat_id: int
    thread_id: int
    wanted: Wanted
    wanted_rev: int
    post: int
    gone: bool
    shown_rev: int
    shown_post: int
    message_id: int | None
    pinned: bool
    refused: str | None
    result: str | None
    wanting: bool

    def __repr__(self) -> str:
        return f"<screen {self.game_id} {self.kind} for {self.receiver}>"


class Answer(Struct, frozen=True):
    """A line of the log of answers; *by* is player, clock, order or bot player."""

    version: int
    seat: str
    choice: tuple[str, ...]
    by: str
    at: datetime

    def __repr__(self) -> str:
        return f"<answer {self.version} of {self.seat} by {self.by}>"


class Event(Struct, frozen=True):
    """A line of the log of events; *event* is what the use case gave, as JSON."""

    seq: int
    turn: int
    event: Any
    at: datetime

    def __repr__(self) -> str:
        return f"<event {self.seq}>"


class Failure(Struct, frozen=True):
    """An update that failed: how often, why, and whether it is put aside (answered 200 and not tried again)."""

    update_id: int
    attempts: int
    error: str
    put_aside: bool
    at: datetime
    raw: Any = field(default=None)

    def __repr__(self) -> str:
        return f"<failure of update {self.update_id}, {self.attempts} times>"


class ByGame(Struct, frozen=True):
    """A game by its number (callback data carries it)."""

    game_id: int


class ByPlace(Struct, frozen=True):
    """The open game of a chat and topic, the place itself being locked where there is none."""

    chat_id: int
    thread_id: int = 0


class Nothing(Struct, frozen=True):
    """No game: a press that concerns none."""


Find = ByGame | ByPlace | Nothing
