"""A scenario on the stage: its choices made, its expectations checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from core.asks import Card, Choice, Seat
from core.events import Bare, CardDiscarded, CardDrawn, CardPassedOn, Event, Exchanged, HandShown, cards_named, seen_by
from core.game import NotLegal, Step, apply, begin
from core.players import clock
from core.scenario.form import Expected, Made, direction, gap_between, lay_table, read_script
from core.table import ImpossibleChance, Table
from core.view import doors


class Failed(AssertionError):
    """A scenario that did not go as it says; str() is `step N: what differed`."""


@dataclass
class Stage:
    """A scenario being played: the game, and what happened since the last expectation."""

    step: Step
    since: list[Event] = field(default_factory=list)

    @property
    def table(self) -> Table:
        return self.step.table

    def take(self, seat: Seat, choice: Choice) -> None:
        self.step = apply(self.step.game, seat, choice)
        self.since += self.step.events


def play(data: Mapping[str, Any], seed: str = "scenario") -> None:
    """Play a scenario from its first step to its last. Raises Unfit, or Failed where it does not go as it says."""
    table = lay_table(data, seed)
    script = read_script(data)
    number = 0
    try:
        first = begin(table)
        stage = Stage(first, list(first.events))
        for number, part in enumerate(script, 1):  # noqa: B007  (told where it fails)
            if isinstance(part, Expected):
                _expect(stage, part)
            else:
                _make(stage, part)
    except (Failed, ImpossibleChance) as why:
        raise Failed(f"step {number}: {why}") from None
    except (LookupError, ValueError) as why:  # hands that no game deals may leave nothing to choose from
        raise Failed(f"step {number}: the rules cannot go on from there ({why!r})") from None


def _make(stage: Stage, made: Made) -> None:
    before = stage.step
    try:
        if made.choice == "timeout":
            _run_out(stage, made.seat)
        else:
            stage.take(made.seat, _translate(stage.step, made.seat, made.choice))
    except NotLegal:
        if not made.refused:
            raise Failed(f"{made.seat} cannot {_say(made.choice)}; asked: {_asked(before)}") from None
    else:
        if made.refused:
            raise Failed(f"{made.seat}: {_say(made.choice)} was not refused")


def _say(choice: str | dict[str, Any]) -> str:
    return choice if isinstance(choice, str) else " ".join(f"{key} {value}" for key, value in choice.items())


def _asked(step: Step) -> str:
    return ", ".join(step.asks) or "nobody"


def _run_out(stage: Stage, name: Seat) -> None:
    """The time of everybody who is asked runs out (R65)."""
    if name not in stage.step.asks:
        raise NotLegal
    for seat in list(stage.step.asks):
        stage.take(seat, clock.answer_for(stage.step, seat))
        if stage.step.outcome is not None:
            return


def _translate(step: Step, seat: Seat, words: str | dict[str, Any]) -> Choice:
    """The choice of the core that the words of a script mean. Raises NotLegal where they mean none, or two."""
    if isinstance(words, str):
        return (words,)
    if "play" in words:
        return _translate_play(step, seat, words)
    ((verb, value),) = words.items()
    return (verb, *sorted(value)) if verb == "forget" else (verb, value)


def _translate_play(step: Step, seat: Seat, words: dict[str, Any]) -> Choice:
    at, side = words.get("at"), words.get("side")
    ask = step.asks.get(seat)
    offered = [choice for choice in ask.choices if choice[:2] == ("play", words["play"])] if ask else []
    if at == seat:  # played on oneself alone, it needs no name
        offered = [choice for choice in offered if len(choice) == 2 or choice[2] == at]
    else:
        offered = [choice for choice in offered if choice[2:3] == (() if at is None else (at,))]
    if side is not None:
        sided = dict(step.table.sides(seat)) if seat in step.table.seats else {}
        offered = [c for c in offered if (c[3] == side if len(c) == 4 else sided.get(side) == at)]
    if len(offered) != 1:
        raise NotLegal
    return offered[0]


# --- expected ---

Check: TypeAlias = Callable[[Stage, Any], None]  # raises Failed unless that is what is found


def _expect(stage: Stage, expected: Expected) -> None:
    for key, value in expected.keys.items():
        CHECKS[key](stage, value)
    stage.since = []


def _same(what: str, expected: object, found: object) -> None:
    if expected != found:
        raise Failed(f"{what}: expected {expected}, found {found}")


def _equal(what: str, found: Callable[[Stage], Any]) -> Check:
    """One value; a list in any order."""
    return lambda stage, expected: _same(what, _in_order(expected), _in_order(found(stage)))


def _equal_each(what: str, found: Callable[[Stage, Seat], Any]) -> Check:
    """A value by name, of those who are named; a list in any order."""

    def check(stage: Stage, expected: dict[Seat, Any]) -> None:
        for name, value in expected.items():
            _same(f"{what} of {name}", _in_order(value), _in_order(found(stage, name)))

    return check


def _in_order(value: Any) -> Any:
    return sorted(value) if isinstance(value, list) else value


def _holds(stage: Stage, expected: dict[Seat, list[Card]]) -> None:
    for name, cards in expected.items():
        if missing := Counter(cards) - Counter(stage.table.hands[name]):
            raise Failed(f"holds: {name} lacks {sorted(missing.elements())}")


def _lacks(stage: Stage, expected: dict[Seat, list[Card]]) -> None:
    for name, cards in expected.items():
        if held := sorted(set(cards) & set(stage.table.hands[name])):
            raise Failed(f"lacks: {name} holds {held}")


def _seats(stage: Stage, expected: list[Seat]) -> None:
    found = stage.table.seats
    if expected not in [found[i:] + found[:i] for i in range(len(found))]:
        raise Failed(f"seats: expected {expected}, found {found}")


def _doors(stage: Stage, expected: list[list[Seat]]) -> None:
    table = stage.table
    gaps = [gap_between(one, other, table.seats) for one, other in expected]
    if None in gaps or Counter(gaps) != Counter(gap for gap, shut in enumerate(table.doors) if shut):
        raise Failed(f"doors: expected {expected}, found {[list(pair) for pair in doors(table)]}")


def _pile_has(stage: Stage, expected: list[Card]) -> None:
    if missing := Counter(expected) - Counter(stage.table.pile):
        raise Failed(f"pile_has: the pile lacks {sorted(missing.elements())}")


def _deck_top(stage: Stage, expected: list[Card]) -> None:
    _same("deck_top", expected, stage.table.deck[::-1][: len(expected)])


def _winners(stage: Stage, expected: list[Seat]) -> None:
    outcome = stage.step.outcome
    if outcome is None:
        raise Failed("winners: the game is not over")
    _same("winners", sorted(expected), sorted(outcome.winners))


def _saw(stage: Stage, name: Seat) -> list[Card]:
    return [card for event in stage.since for card in shown_to(event, name)]


def _unseen(stage: Stage, expected: dict[Seat, list[Card]]) -> None:
    for name, cards in expected.items():
        seen = {card for event in stage.since if (known := seen_by(event, name)) for card in cards_named(known)}
        if named := sorted(seen & set(cards)):
            raise Failed(f"unseen: {name} has seen {named}")


def shown_to(event: Event, viewer: Seat) -> list[Card]:
    """The cards that *viewer* was shown by this event: not its own, nor what it drew or received."""
    parties: tuple[Seat, ...]
    cards: tuple[Card | None, ...]
    match event:
        case HandShown(seat=seat, to=to, cards=shown):
            return list(shown or ()) if viewer != seat and (to is None or viewer in to) else []
        case CardDrawn(seat=seat, card=card) | CardDiscarded(seat=seat, card=card):
            parties, cards = (seat,), (card,)
        case Exchanged(giver=giver, taker=taker, given=given, returned=returned):
            parties, cards = (giver, taker), (given, returned)
        case CardPassedOn(giver=giver, taker=taker, card=card):
            parties, cards = (giver, taker), (card,)
        case _:
            return []
    face_up = isinstance(event, Bare) and event.face_up
    return [card for card in cards if card is not None] if face_up and viewer not in parties else []


CHECKS: dict[str, Check] = {
    "turn": _equal("turn", lambda stage: stage.table.turn_of),
    "asked": _equal("asked", lambda stage: list(stage.step.asks)),
    "roles": _equal_each("roles", lambda stage, name: stage.table.roles[name]),
    "quarantines": _equal_each("quarantines", lambda stage, name: stage.table.quarantines.get(name, 0)),
    "hand_size": _equal_each("hand_size", lambda stage, name: len(stage.table.hands[name])),
    "hand": _equal_each("hand", lambda stage, name: stage.table.hands[name]),
    "holds": _holds,
    "lacks": _lacks,
    "seats": _seats,
    "direction": _equal("direction", lambda stage: direction(stage.table)),
    "doors": _doors,
    "eliminated": _equal("eliminated", lambda stage: [dead.seat for dead in stage.table.dead]),
    "deck_top": _deck_top,
    "pile_has": _pile_has,
    "deck_size": _equal("deck_size", lambda stage: len(stage.table.deck)),
    "pile_size": _equal("pile_size", lambda stage: len(stage.table.pile)),
    "saw": _equal_each("saw", _saw),
    "unseen": _unseen,
    "winners": _winners,
    "over": _equal("over", lambda stage: stage.step.outcome is not None),
}
