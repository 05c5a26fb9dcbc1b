"""The game: live, with its coroutine, and at rest, as text. `apply` is a replay and one answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import NamedTuple

import msgspec

from core.asks import DECLARE, Answers, Ask, Choice, Rule, Seat
from core.events import Event
from core.options import Options
from core.setup import deal
from core.table import Outcome, Table
from core.turn import declare, may_declare, turn

RULES_VERSION = 1  # raised when a change of the rules matters to games in play
STATE_VERSION = 1  # raised when the text of a table changes its form


class NotLegal(ValueError):
    """This seat is not asked, or not offered this choice; nothing has changed."""


class Diverged(Exception):
    """The rules changed under a turn in play: its answers no longer lead to the table they led to."""


class Live:
    """A game that keeps its coroutine: an answer costs microseconds.

    *asks* holds what is still awaited, by seat. *before_turn* is called with the table before each turn begins.
    """

    def __init__(self, table: Table, before_turn: Callable[[Table], None] | None = None) -> None:
        self.table = table
        self.asks: dict[Seat, Ask] = {}
        self.question = 0  # how many were put
        self._waiting: tuple[Ask, ...] = ()
        self._answers: Answers = {}
        self._before_turn = before_turn
        if table.outcome is None:
            self._go_on(None)

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended; None while it is on."""
        return self.table.outcome

    @property
    def standing(self) -> dict[Seat, tuple[Choice, ...]]:
        """The choices that a seat may make without being asked (R54)."""
        seat = may_declare(self.table, self._waiting) if self._waiting else None
        return {} if seat is None else {seat: (DECLARE,)}

    def answer(self, seat: Seat, choice: Choice) -> None:
        """Take one answer. Raises NotLegal, and then nothing has changed."""
        ask = self.asks.get(seat)
        if ask is not None and choice in ask.choices:
            del self.asks[seat]
            self._answers[seat] = choice
            if not self.asks:
                self._go_on(self._answers)
        elif choice == DECLARE and seat in self.standing:
            self._stop()
            declare(self.table, seat)
        else:
            raise NotLegal(f"{seat} cannot do that now")

    def _go_on(self, answers: Answers | None) -> None:
        """Hand the answers to the rule (None: no turn has begun); play on until somebody is asked or all is over."""
        self._waiting = () if answers is None else self._next_question(answers)
        while not self._waiting and self.table.outcome is None:
            self._waiting = self._begin_turn()
        self._answers = {}
        self.asks = {ask.seat: ask for ask in self._waiting}
        self.question += 1

    def _begin_turn(self) -> tuple[Ask, ...]:
        if self._before_turn is not None:
            self._before_turn(self.table)
        self._rule: Rule = turn(self.table)
        return self._next_question(None)

    def _next_question(self, answers: Answers | None) -> tuple[Ask, ...]:
        try:
            waiting: tuple[Ask, ...] = self._rule.send(answers)  # type: ignore[arg-type]
        except StopIteration:
            return ()
        return waiting

    def _stop(self) -> None:
        self._rule.close()
        self.asks, self._waiting = {}, ()


class Game(msgspec.Struct, frozen=True):
    """A game at rest: the table at the start of the turn, as text; the answers since; the digest of the table now."""

    turn_start: str
    answers: tuple[tuple[Seat, Choice], ...] = ()
    digest: str = ""


class Step(NamedTuple):
    """What an answer led to: the game at rest, what happened, who is asked what now, and the table behind it.

    *earlier* is what had happened before in the turn that was answered in; *anew* tells that a new question is put, and
    not the same one still awaited from others (R48).
    """

    game: Game
    earlier: list[Event]
    events: list[Event]
    asks: dict[Seat, Ask]
    standing: dict[Seat, tuple[Choice, ...]]
    table: Table
    anew: bool

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended; None while it is on."""
        return self.table.outcome


def new_game(seats: Sequence[Seat], options: Options, seed: str) -> Step:
    """A game dealt, and its first turn begun up to the first question. Raises Refused."""
    return begin(deal(seats, options, seed))


def begin(table: Table) -> Step:
    """The game that goes on from a table at the start of a turn."""
    return _Replay(freeze(table)).rest()


def resume(game: Game) -> Step:
    """The game as it stands; its events are those of the turn so far. Raises Diverged."""
    replay = _Replay(game.turn_start)
    replay.repeat(game)
    return replay.rest(anew=False)


def apply(game: Game, seat: Seat, choice: Choice) -> Step:
    """One answer: the new game, what happened, and who is asked what now. Raises NotLegal, Diverged."""
    replay = _Replay(game.turn_start)
    replay.repeat(game)
    told, question = len(replay.live.table.events), replay.live.question
    replay.answer(seat, choice)
    return replay.rest(told, anew=replay.live.question != question)


class _Replay:
    """A live game made of text, that remembers where its present turn began and what was answered since."""

    def __init__(self, turn_start: str) -> None:
        self.turn_start = turn_start
        self.answers: list[tuple[Seat, Choice]] = []
        self._begun = False
        self.live = Live(thaw(turn_start), self._before_turn)

    def _before_turn(self, table: Table) -> None:
        if self._begun:
            self.turn_start, self.answers = freeze(table), []
        self._begun = True

    def answer(self, seat: Seat, choice: Choice) -> None:
        self.answers.append((seat, choice))  # before it is given: it may begin the next turn
        self.live.answer(seat, choice)

    def repeat(self, game: Game) -> None:
        try:
            for seat, choice in game.answers:
                self.answer(seat, choice)
        except NotLegal:
            raise Diverged from None
        if game.digest and digest(self.live.table) != game.digest:
            raise Diverged

    def rest(self, told: int = 0, anew: bool = True) -> Step:
        live, events = self.live, self.live.table.events
        game = Game(self.turn_start, tuple(self.answers), digest(live.table))
        return Step(game, events[:told], events[told:], live.asks, live.standing, live.table, anew)


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Table)


def freeze(table: Table) -> str:
    """The table as text."""
    return _encoder.encode(table).decode()


def thaw(text: str) -> Table:
    """The table that a text of `freeze` holds."""
    return _decoder.decode(text)


def digest(table: Table) -> str:
    """A short name of everything on the table: 16 hexadecimal digits."""
    return sha256(_encoder.encode(table)).hexdigest()[:16]
