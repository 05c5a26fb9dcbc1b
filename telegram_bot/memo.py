"""What the use cases keep of a game from press to press, beside the rules' own state: nothing secret."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from db.records import GameRow


class Claim(msgspec.Struct, frozen=True, array_like=True):
    """What was said in public in a *turn*: *seat* says that *about* is *what* (human, infected, thing)."""

    turn: int
    seat: str
    about: str
    what: Literal["human", "infected", "thing"]


class Tale(msgspec.Struct, frozen=True, omit_defaults=True):
    """The message that tells the present turn: since which turn, what it told of turns before, and whose time ran out.

    *late* holds (how many events of the turn came before, seat); *said* the same of what was claimed in it.
    """

    since: int = 0
    told: str = ""
    late: tuple[tuple[int, str], ...] = ()
    said: tuple[tuple[int, Claim], ...] = ()


class Vote(msgspec.Struct, frozen=True, omit_defaults=True):
    """A question put to the group: its number, who asked it, *value* of what is asked for, and who is for it."""

    number: int
    asker: str
    value: str = ""
    people: tuple[int, ...] = ()


class Lent(msgspec.Struct, frozen=True, array_like=True):
    """What an owner comes back to after a sitter: *excuses*, when the last was counted, seconds *used* of the bank."""

    excuses: int
    missed_at: float
    used: float


class Memo(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is kept.

    *page* of the lobby, *opener*: the name of who opened it, *joined*: who pressed Join last, and when (Unix time).
    Of a lobby besides (telegram_bot/gathering.py): who asked to be called and was *told* in the private chat, and how
    many were *called_here*; until when it *stays* (/extend); when it *starts_at*, whether people were asked if they are
    ready, and who is *ready* (people; times are Unix times).
    *asked*: the version at which each awaited seat was asked; *called*: seats called by a message in the group;
    *paused*: since when the game stands still (Unix time; 0: it does not), and *why*: "away", the bot is out of the
    group; "group", the group wants it so. *votes* by what is asked for, and how many there were.

    The clock's, by seat (times are Unix times): *asked_at*, and what the open question is *about*; seconds of the bank
    *used*; when its person *acted* last while awaited, and was *nudged*; who was *reminded* of the open question,
    and who took more time for it (*extended*).
    Besides *several*: how many were asked at once; *stopped*: stretches in which the game stood still, as far as open
    questions lived through them; *quickened*: when the group last changed the pace.

    *claims*: what was said in public so far. *was*: the chats that the group was before it became a supergroup.

    Of who is here (telegram_bot/presence.py): *voices*, who gave the last answers, people or the clock; since when
    they are *mostly* the clock's; the turn and time when a person was last *heard*; the seats whose last answer the
    clock gave (*away*). Of taken seats: which seats are on *offer*, or were and are taken; who *sat* in for whom; what
    was the owner's of a seat to which a sitter came (*lent*).
    """

    page: str = ""
    opener: str = ""
    joined: tuple[int, float] = (0, 0.0)
    told: tuple[int, ...] = ()
    called_here: int = 0
    stays: float = 0.0
    starts_at: float = 0.0
    ready_asked: bool = False
    ready: tuple[int, ...] = ()
    asked: dict[str, int] = {}
    called: tuple[str, ...] = ()
    tale: Tale = Tale()
    paused: float = 0.0
    why: str = ""
    votes: dict[str, Vote] = {}
    ballots: int = 0
    asked_at: dict[str, float] = {}
    about: dict[str, str] = {}
    used: dict[str, float] = {}
    acted: dict[str, float] = {}
    nudged: dict[str, float] = {}
    reminded: tuple[str, ...] = ()
    extended: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    several: int = 0
    stopped: tuple[tuple[float, float], ...] = ()
    quickened: float = 0.0
    voices: str = ""
    mostly: float = 0.0
    heard: tuple[int, float] = (0, 0.0)
    away: tuple[str, ...] = ()
    offers: dict[str, str] = {}
    sat: tuple[tuple[int, str], ...] = ()
    lent: dict[str, Lent] = {}
    was: tuple[int, ...] = ()

    @property
    def last(self) -> str | None:
        """The seat that is the last one awaited of several that were asked at once."""
        return next(iter(self.asked)) if self.several > 1 and len(self.asked) == 1 else None


def memo_of(game: GameRow) -> Memo:
    return msgspec.convert(game.memo, Memo)


def remembering(game: GameRow, **changed: Any) -> GameRow:
    """The game with some parts of its memo changed."""
    return replace(game, memo=msgspec.to_builtins(replace(memo_of(game), **changed)))
