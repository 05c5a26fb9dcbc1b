"""Scenarios as data: one table, a script of choices, and what must be true in between. Checked, played, recorded.

The command line reads and writes the files. Their form is a contract: scenarios/README.md of the founders.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.asks import Card, Choice, Seat
from core.cards.registry import CARDS, THING
from core.events import Bare, CardDiscarded, CardDrawn, CardPassedOn, Event, Exchanged, HandShown, cards_named, seen_by
from core.game import Live, NotLegal, Step, apply, begin, thaw
from core.options import LEAST, Options, Refused, read_options
from core.players import clock
from core.table import Dead, ImpossibleChance, Role, Table
from core.view import doors

CLOCKWISE = {"clockwise": 1, "counterclockwise": -1}
ROLES: tuple[Role, ...] = ("human", "infected", "thing")


class Unfit(ValueError):
    """A scenario that does not fit the form; str() says where."""


class Failed(AssertionError):
    """A scenario that did not go as it says; str() is `step N: what differed`."""


# --- the table ---

TABLE_KEYS = {"title", "cites", "options", "seats", "eliminated", "roles", "hands", "deck", "pile", "turn"}
TABLE_KEYS |= {"direction", "doors", "quarantines", "chance", "play"}


def _need(true: object, what: str) -> None:
    if not true:
        raise Unfit(what)


def _a_list(value: Any, what: str) -> list[Any]:
    _need(isinstance(value, list), f"{what} is a list")
    return list(value)


def _a_map(value: Any, what: str) -> dict[str, Any]:
    _need(isinstance(value, dict), f"{what} goes by name")
    return {str(key): part for key, part in value.items()}


def _cards(value: Any, what: str) -> list[Card]:
    cards = _a_list(value, what)
    for card in cards:
        _need(isinstance(card, str) and card in CARDS, f"{what}: there is no card {card!r}")
    return cards


def _names(value: Any, seats: Sequence[Seat], what: str) -> list[Seat]:
    names = [str(name) for name in _a_list(value, what)]
    _need(set(names) <= set(seats), f"{what} names somebody who has no seat")
    return names


def _by_name(value: Any, seats: Sequence[Seat], what: str) -> dict[Seat, Any]:
    named = _a_map(value, what)
    _need(set(named) <= set(seats), f"{what} names somebody who has no seat")
    return named


def lay_table(data: Mapping[str, Any], seed: str) -> Table:
    """The table that a scenario describes. Raises Unfit."""
    _need(isinstance(data.get("title"), str), "a scenario has a title")
    for key in data:
        _need(key in TABLE_KEYS, f"there is no key {key!r}")
    everybody = [str(name) for name in _a_list(data.get("seats"), "seats")]
    _need(2 <= len(everybody) <= 12 and len(set(everybody)) == len(everybody), "seats: 2 to 12 different names")
    out = _names(data.get("eliminated", []), everybody, "eliminated")
    seats = [name for name in everybody if name not in out]
    _need(len(seats) >= 2, "at least two players live")
    hands = {name: _cards(hand, "hands") for name, hand in _by_name(data.get("hands", {}), everybody, "hands").items()}
    for name in seats:
        _need(name in hands, f"hands: {name} holds nothing")
    roles = _read_roles(data, everybody, hands)
    try:
        options = read_options(_a_map(data.get("options") or {}, "options"), max(LEAST, len(everybody)))
    except Refused as why:
        raise Unfit(f"options: {why}") from None
    turn_of = str(data.get("turn", seats[0]))
    _need(turn_of in seats, "turn: a living player")
    direction = data.get("direction", "clockwise")
    _need(direction in CLOCKWISE, "direction: clockwise or counterclockwise")
    quarantines = _by_name(data.get("quarantines", {}), seats, "quarantines")
    _need(all(type(left) is int and left >= 0 for left in quarantines.values()), "quarantines: turns by name")
    return Table(
        options=options,
        seats=seats,
        hands={name: hands.get(name, []) if name in seats else [] for name in everybody},
        roles=roles,
        deck=_cards(data.get("deck", []), "deck")[::-1],
        pile=_cards(data.get("pile", []), "pile")[::-1],
        doors=_read_doors(data.get("doors", []), seats),
        turn_of=turn_of,
        seed=seed,
        quarantines={name: left for name, left in quarantines.items() if left},
        direction=CLOCKWISE[direction],
        dead=[Dead(name) for name in out],
        chance=_read_chance(data.get("chance", [])),
    )


def _read_roles(data: Mapping[str, Any], seats: Sequence[Seat], hands: Mapping[Seat, Sequence[Card]]) -> dict[Seat, Role]:
    holders = [name for name in seats if THING in hands.get(name, ())]
    roles: dict[Seat, Role] = {name: "thing" if name in holders else "human" for name in seats}
    for name, role in _by_name(data.get("roles", {}), seats, "roles").items():
        _need(role in ROLES, f"roles: {role!r} is none")
        roles[name] = role
    _need(list(roles.values()).count("thing") <= 1 and sum(THING in hands.get(n, ()) for n in seats) <= 1, "one Thing")
    _need(all(roles[name] == "thing" for name in holders), "the holder of The Thing is The Thing")
    return roles


def _read_doors(value: Any, seats: list[Seat]) -> list[bool]:
    shut = [False] * len(seats)
    for pair in _a_list(value, "doors"):
        one, other = _pair(pair, seats)
        gap = _gap(one, other, seats)
        _need(gap is not None and not shut[gap], f"doors: no free gap between {one} and {other}")
        shut[gap or 0] = True
    return shut


def _pair(pair: Any, seats: Sequence[Seat]) -> tuple[Seat, Seat]:
    names = _names(pair, seats, "doors")
    _need(len(names) == 2, "doors: pairs of names")
    return names[0], names[1]


def _gap(one: Seat, other: Seat, seats: Sequence[Seat]) -> int | None:
    """The gap clockwise from *one* to *other*; with more than two living the pair may be named either way round."""
    i, j, n = seats.index(one), seats.index(other), len(seats)
    if (i + 1) % n == j:
        return i
    return j if n > 2 and (j + 1) % n == i else None


def _read_chance(value: Any) -> list[dict[str, Any]]:
    throws = _a_list(value, "chance")
    for throw in throws:
        fits = isinstance(throw, dict) and list(throw) in (["shuffle"], ["pick"])
        _need(fits, "chance: {shuffle: [CARD, ...]} or {pick: CARD}")
        _cards(throw["shuffle"] if "shuffle" in throw else [throw["pick"]], "chance")
    return throws


# --- the script ---


@dataclass(frozen=True)
class Expected:
    """What must be true at a point of the script, each key on its own."""

    keys: dict[str, Any]


@dataclass(frozen=True)
class Made:
    """A choice that *seat* makes, in the words of the script; *refused* if it must be."""

    seat: Seat
    choice: str | dict[str, Any]
    refused: bool


WORDS = ("pass", "declare", "timeout")
VERBS = ("play", "discard", "give", "defend", "keep", "choose", "forget", "swap", "show")


def read_script(data: Mapping[str, Any]) -> list[Expected | Made]:
    """The script of a scenario. Raises Unfit."""
    seats = [str(name) for name in data["seats"]]
    script: list[Expected | Made] = []
    for number, item in enumerate(_a_list(data.get("play", []), "play"), 1):
        try:
            script.append(_read_step(_a_map(item, "a step"), seats))
        except Unfit as why:
            raise Unfit(f"step {number}: {why}") from None
    return script


def _read_step(step: dict[str, Any], seats: Sequence[Seat]) -> Expected | Made:
    if list(step) == ["expect"]:
        keys = _a_map(step["expect"], "expect")
        for key in keys:
            _need(key in EXPECTATIONS, f"there is no expectation {key!r}")
        return Expected(keys)
    refused = step.pop("refused", False)
    _need(refused is True or refused is False, "refused is true or false")
    _need(len(step) == 1, "a step is {NAME: CHOICE}")
    ((name, choice),) = step.items()
    _need(name in seats, f"{name} has no seat")
    return Made(name, _read_choice(choice, seats), refused)


def _read_choice(choice: Any, seats: Sequence[Seat]) -> str | dict[str, Any]:
    if isinstance(choice, str):
        _need(choice in WORDS, f"there is no choice {choice!r}")
        return choice
    words = _a_map(choice, "a choice")
    verbs = [verb for verb in words if verb in VERBS]
    _need(len(verbs) == 1, f"{choice!r} is no choice")
    (verb,) = verbs
    _need(set(words) <= ({"play", "at", "side"} if verb == "play" else {verb}), f"{choice!r} is no choice")
    value = words[verb]
    if verb == "forget":
        _cards(value, "forget")
    elif verb == "show":
        _need(value in ("all", "Infected!", "nothing"), "show all, Infected! or nothing")
    elif verb == "choose":
        _need(str(value) in (*seats, "left", "right"), f"choose: {value} has no seat")
        words[verb] = str(value)
    else:
        _cards([value], verb)
    if "at" in words:
        words["at"] = str(words["at"])
        _need(words["at"] in seats, f"at: {words['at']} has no seat")
    _need(words.get("side", "left") in ("left", "right"), "side is left or right")
    return words


# --- played ---


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
        for number, part in enumerate(script, 1):
            if isinstance(part, Expected):
                _expect(stage, part)
            else:
                _make(stage, part)
    except (Failed, ImpossibleChance) as why:
        raise Failed(f"step {number}: {why}") from None


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


def _expect(stage: Stage, expected: Expected) -> None:
    for key, value in expected.keys.items():
        EXPECTATIONS[key](stage, value)
    stage.since = []


def _same(what: str, expected: object, found: object) -> None:
    if expected != found:
        raise Failed(f"{what}: expected {expected}, found {found}")


def _each(what: str, found: Callable[[Stage, Seat], Any], order: bool = False) -> Callable[[Stage, Any], None]:
    """An expectation by name; cards in any order, unless *order*."""

    def check(stage: Stage, expected: Any) -> None:
        for name, value in _by_name(expected, list(stage.table.roles), what).items():
            seen = found(stage, name)
            if isinstance(value, list) and not order:
                value, seen = sorted(value), sorted(seen)
            _same(f"{what} of {name}", value, seen)

    return check


def _holds(stage: Stage, expected: Any) -> None:
    for name, cards in expected.items():
        if missing := Counter(cards) - Counter(stage.table.hands[name]):
            raise Failed(f"holds: {name} lacks {sorted(missing.elements())}")


def _lacks(stage: Stage, expected: Any) -> None:
    for name, cards in expected.items():
        if held := sorted(set(cards) & set(stage.table.hands[name])):
            raise Failed(f"lacks: {name} holds {held}")


def _seats(stage: Stage, expected: Any) -> None:
    found = stage.table.seats
    turns = [found[i:] + found[:i] for i in range(len(found))]
    if expected not in turns:
        raise Failed(f"seats: expected {expected}, found {found}")


def _doors(stage: Stage, expected: Any) -> None:
    seats = stage.table.seats
    gaps = [_gap(*_pair(pair, seats), seats) for pair in expected]
    if sorted(str(gap) for gap in gaps) != sorted(str(i) for i, shut in enumerate(stage.table.doors) if shut):
        raise Failed(f"doors: expected {expected}, found {[list(pair) for pair in doors(stage.table)]}")


def _pile_has(stage: Stage, expected: Any) -> None:
    if missing := Counter(expected) - Counter(stage.table.pile):
        raise Failed(f"pile_has: the pile lacks {sorted(missing.elements())}")


def _winners(stage: Stage, expected: Any) -> None:
    outcome = stage.step.outcome
    if outcome is None:
        raise Failed("winners: the game is not over")
    _same("winners", sorted(expected), sorted(outcome.winners))


def _saw(stage: Stage, name: Seat) -> list[Card]:
    return [card for event in stage.since for card in shown_to(event, name)]


def _unseen(stage: Stage, expected: Any) -> None:
    for name, cards in expected.items():
        seen = {card for event in stage.since if (known := seen_by(event, name)) for card in cards_named(known)}
        if named := sorted(seen & set(cards)):
            raise Failed(f"unseen: {name} has seen {named}")


def shown_to(event: Event, viewer: Seat) -> tuple[Card, ...]:
    """The cards that *viewer* was shown by this event: not its own, nor what it drew or received."""
    match event:
        case HandShown(seat=seat, to=to, cards=cards) if viewer != seat and (to is None or viewer in to):
            return cards or ()
        case CardDrawn(seat=seat, card=card) | CardDiscarded(seat=seat, card=card):
            own, cards = viewer == seat, (card,)
        case Exchanged(giver=giver, taker=taker, given=given, returned=returned):
            own, cards = viewer in (giver, taker), (given, returned)
        case CardPassedOn(giver=giver, taker=taker, card=card):
            own, cards = viewer in (giver, taker), (card,)
        case _:
            return ()
    face_up = isinstance(event, Bare) and event.face_up
    return tuple(card for card in cards if card is not None) if face_up and not own else ()


def _direction(stage: Stage) -> str:
    return "clockwise" if stage.table.direction > 0 else "counterclockwise"


EXPECTATIONS: dict[str, Callable[[Stage, Any], None]] = {
    "turn": lambda stage, value: _same("turn", value, stage.table.turn_of),
    "asked": lambda stage, value: _same("asked", sorted(value), sorted(stage.step.asks)),
    "roles": _each("roles", lambda stage, name: stage.table.roles[name]),
    "quarantines": _each("quarantines", lambda stage, name: stage.table.quarantines.get(name, 0)),
    "hand_size": _each("hand_size", lambda stage, name: len(stage.table.hands[name])),
    "hand": _each("hand", lambda stage, name: stage.table.hands[name]),
    "holds": _holds,
    "lacks": _lacks,
    "seats": _seats,
    "direction": lambda stage, value: _same("direction", value, _direction(stage)),
    "doors": _doors,
    "eliminated": lambda stage, value: _same("eliminated", sorted(value), sorted(d.seat for d in stage.table.dead)),
    "deck_top": lambda stage, value: _same("deck_top", value, stage.table.deck[::-1][: len(value)]),
    "pile_has": _pile_has,
    "deck_size": lambda stage, value: _same("deck_size", value, len(stage.table.deck)),
    "pile_size": lambda stage, value: _same("pile_size", value, len(stage.table.pile)),
    "saw": _each("saw", _saw),
    "unseen": _unseen,
    "winners": _winners,
    "over": lambda stage, value: _same("over", value, stage.step.outcome is not None),
}


# --- recorded ---


def record(
    first: Table | str, answers: Sequence[tuple[Seat, Choice]], title: str, names: Mapping[Seat, str] | None = None
) -> dict[str, Any]:
    """A whole game as a scenario: its first table, what chance brought, every choice, an `expect` at each turn's start.

    *first* is the table before the first turn; *names* are what the seats are called in the file.
    """
    table = thaw(first) if isinstance(first, str) else first
    called = dict(names or {})

    def name(seat: Seat) -> str:
        return called.get(seat, seat)

    data: dict[str, Any] = {"title": title}
    if options := _told_options(table.options):
        data["options"] = options
    data["seats"] = [name(seat) for seat in table.seats]
    infected = {name(seat): role for seat, role in table.roles.items() if role == "infected"}
    if infected:
        data["roles"] = infected
    data["hands"] = {name(seat): list(table.hands[seat]) for seat in table.seats}
    data["deck"] = table.deck[::-1]
    data["turn"] = name(table.turn_of)
    live = Live(table)
    script: list[Any] = [_moment(table, live, name)]
    turn = table.turn
    for seat, choice in answers:
        script.append({name(seat): _told(choice, name)})
        live.answer(seat, choice)
        if live.outcome is not None or table.turn != turn:
            script.append(_moment(table, live, name))
            turn = table.turn
    if table.thrown:
        data["chance"] = list(table.thrown)
    data["play"] = script
    return data


def _told_options(options: Options) -> dict[str, Any]:
    default = Options()
    return {
        key: getattr(options, key) for key in Options.__struct_fields__ if getattr(options, key) != getattr(default, key)
    }


def _told(choice: Choice, name: Callable[[Seat], str]) -> Any:
    match choice:
        case (word,):
            return word
        case ("play", card):
            return {"play": card}
        case ("play", card, at):
            return {"play": card, "at": name(at)}
        case ("play", card, at, side):
            return {"play": card, "at": name(at), "side": side}
        case ("forget", *cards):
            return {"forget": list(cards)}
        case ("choose", target):
            return {"choose": name(target)}
        case (verb, card, *_):
            return {verb: card}
    raise AssertionError(choice)


def _moment(table: Table, live: Live, name: Callable[[Seat], str]) -> dict[str, Any]:
    """Everything that is true now, as an expectation."""
    known: dict[str, Any] = {
        "turn": name(table.turn_of),
        "asked": [name(seat) for seat in live.asks],
        "roles": {name(seat): role for seat, role in table.roles.items()},
        "hand": {name(seat): sorted(table.hands[seat]) for seat in table.seats},
        "seats": [name(seat) for seat in table.seats],
        "direction": "clockwise" if table.direction > 0 else "counterclockwise",
        "doors": [[name(one), name(other)] for one, other in doors(table)],
        "quarantines": {name(seat): table.quarantines.get(seat, 0) for seat in table.seats},
        "eliminated": [name(dead.seat) for dead in table.dead],
        "deck_size": len(table.deck),
        "pile_size": len(table.pile),
        "over": live.outcome is not None,
    }
    if table.deck:
        known["deck_top"] = [table.deck[-1]]
    if live.outcome is not None:
        known["winners"] = [name(seat) for seat in live.outcome.winners]
    return {"expect": known}


