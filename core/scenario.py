"""Scenarios as data: one table, a script of choices, and what must be true in between. Checked, played, recorded.

The command line reads and writes the files. Their form is a contract: scenarios/README.md of the founders.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from reprlib import repr as short
from typing import Any, NamedTuple, TypeAlias

from core.asks import Card, Choice, Seat
from core.cards.registry import CARDS, THING
from core.events import Bare, CardDiscarded, CardDrawn, CardPassedOn, Event, Exchanged, HandShown, cards_named, seen_by
from core.game import Live, NotLegal, Step, apply, begin, thaw
from core.options import LEAST, MOST, Options, Refused, read_options
from core.players import clock
from core.table import Dead, ImpossibleChance, Role, Table
from core.view import doors

CLOCKWISE = {"clockwise": 1, "counterclockwise": -1}


class Unfit(ValueError):
    """A scenario that does not fit the form; str() says where."""


class Failed(AssertionError):
    """A scenario that did not go as it says; str() is `step N: what differed`."""


# --- the shapes of the form: each reads *value*, called *what*, at a table of *seats*, or raises Unfit ---

Reader: TypeAlias = Callable[[Any, str, Sequence[Seat]], Any]


def _need(true: object, what: str) -> None:
    if not true:
        raise Unfit(what)


def _text(value: Any, what: str) -> str:
    """A name: text, or a number that somebody is called."""
    _need(isinstance(value, (str, int)) and not isinstance(value, bool), f"{what}: {short(value)} is no name")
    return str(value)


def _name(value: Any, what: str, seats: Sequence[Seat]) -> Seat:
    name = _text(value, what)
    _need(name in seats, f"{what}: {short(name)} has no seat")
    return name


def _list(value: Any, what: str) -> list[Any]:
    _need(isinstance(value, list), f"{what} is a list, not {short(value)}")
    return list(value)


def _map(value: Any, what: str) -> dict[str, Any]:
    _need(isinstance(value, dict), f"{what} goes by name: {short(value)} does not")
    return {_text(key, what): part for key, part in value.items()}


def _number(value: Any, what: str, seats: Sequence[Seat] = ()) -> int:
    fits = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    _need(fits, f"{what} is a number, not {short(value)}")
    return int(value)


def _flag(value: Any, what: str, seats: Sequence[Seat] = ()) -> bool:
    _need(isinstance(value, bool), f"{what} is true or false, not {short(value)}")
    return bool(value)


def _card(value: Any, what: str, seats: Sequence[Seat] = ()) -> Card:
    _need(isinstance(value, str) and value in CARDS, f"{what}: there is no card {short(value)}")
    return str(value)


def _one_of(*words: str) -> Reader:
    def read(value: Any, what: str, seats: Sequence[Seat] = ()) -> str:
        _need(isinstance(value, str) and value in words, f"{what} is {' or '.join(words)}, not {short(value)}")
        return str(value)

    return read


def _list_of(part: Reader) -> Reader:
    def read(value: Any, what: str, seats: Sequence[Seat]) -> list[Any]:
        return [part(item, what, seats) for item in _list(value, what)]

    return read


def _by_name(part: Reader) -> Reader:
    def read(value: Any, what: str, seats: Sequence[Seat]) -> dict[Seat, Any]:
        return {_name(key, what, seats): part(item, what, seats) for key, item in _map(value, what).items()}

    return read


def _pair(value: Any, what: str, seats: Sequence[Seat]) -> list[Seat]:
    pair = _list_of(_name)(value, what, seats)
    _need(len(pair) == 2, f"{what}: pairs of names, not {short(value)}")
    return list(pair)


_names, _cards, _pairs = _list_of(_name), _list_of(_card), _list_of(_pair)
_role, _direction = _one_of("human", "infected", "thing"), _one_of(*CLOCKWISE)


# --- the table ---

TABLE_KEYS = {"title", "cites", "options", "seats", "eliminated", "roles", "hands", "deck", "pile", "turn"}
TABLE_KEYS |= {"direction", "doors", "quarantines", "chance", "play"}


def lay_table(data: Mapping[str, Any], seed: str) -> Table:
    """The table that a scenario describes. Raises Unfit."""
    data = _map(data, "a scenario")
    for key in data:
        _need(key in TABLE_KEYS, f"there is no key {short(key)}")
    _need(isinstance(data.get("title"), str), "a scenario has a title")
    for clause in _list(data.get("cites", []), "cites"):
        _need(isinstance(clause, str), f"cites: {short(clause)} is no clause")
    everybody = read_seats(data)
    out = _names(data.get("eliminated", []), "eliminated", everybody)
    seats = [name for name in everybody if name not in out]
    _need(len(seats) >= 2, "at least two players live")
    _need(len(set(out)) == len(out), "eliminated: each name once")
    hands = _by_name(_cards)(data.get("hands", {}), "hands", everybody)
    for name in everybody:
        _need(name in hands or name in out, f"hands: {name} holds nothing")
        _need(not hands.get(name) or name not in out, f"hands: {name} is eliminated")
    try:
        options = read_options(_map(data.get("options", {}), "options"), max(LEAST, len(everybody)))
    except Refused as why:
        raise Unfit(f"options: {why}") from None
    quarantines = _by_name(_number)(data.get("quarantines", {}), "quarantines", seats)
    return Table(
        options=options,
        seats=seats,
        hands={name: hands.get(name, []) for name in everybody},
        roles=_read_roles(data.get("roles", {}), everybody, out, hands),
        deck=_cards(data.get("deck", []), "deck", seats)[::-1],
        pile=_cards(data.get("pile", []), "pile", seats)[::-1],
        doors=_read_doors(data.get("doors", []), seats),
        turn_of=_name(data.get("turn", seats[0]), "turn", seats),
        seed=seed,
        quarantines={name: left for name, left in quarantines.items() if left},
        direction=CLOCKWISE[_direction(data.get("direction", "clockwise"), "direction", seats)],
        dead=[Dead(name) for name in out],
        chance=[_read_throw(throw) for throw in _list(data.get("chance", []), "chance")],
    )


def read_seats(data: Mapping[str, Any]) -> list[Seat]:
    """Everybody at the table, the eliminated too."""
    seats = [_text(name, "seats") for name in _list(data.get("seats"), "seats")]
    _need(2 <= len(seats) <= MOST and len(set(seats)) == len(seats), "seats: 2 to 12 different names")
    return seats


def _read_roles(
    value: Any, seats: Sequence[Seat], out: Sequence[Seat], hands: Mapping[Seat, Sequence[Card]]
) -> dict[Seat, Role]:
    things = [name for name, hand in hands.items() for card in hand if card == THING]
    roles: dict[Seat, Role] = {name: "thing" if name in things else "human" for name in seats}
    roles |= _by_name(_role)(value, "roles", seats)
    for name, role in roles.items():
        _need((role == "thing") == (name in things) or name in out, "The Thing is who holds The Thing")
    _need(len(things) <= 1 and list(roles.values()).count("thing") <= 1, "there is one Thing")
    return roles


def _read_doors(value: Any, seats: list[Seat]) -> list[bool]:
    shut = [False] * len(seats)
    for one, other in _pairs(value, "doors", seats):
        gap = _gap(one, other, seats)
        _need(gap is not None and not shut[gap], f"doors: no free gap between {one} and {other}")
        shut[gap or 0] = True
    return shut


def _gap(one: Seat, other: Seat, seats: list[Seat]) -> int | None:
    """The gap clockwise from *one* to *other*; with more than two living the pair may be named either way round."""
    if one not in seats or other not in seats:
        return None
    i, j, n = seats.index(one), seats.index(other), len(seats)
    if (i + 1) % n == j:
        return i
    return j if n > 2 and (j + 1) % n == i else None


def _read_throw(value: Any) -> dict[str, Any]:
    match _map(value, "chance"):
        case {"shuffle": cards, **rest} if not rest:
            return {"shuffle": _cards(cards, "shuffle", ())}
        case {"pick": card, **rest} if not rest:
            return {"pick": _card(card, "pick")}
    raise Unfit("chance: {shuffle: [CARD, ...]} or {pick: CARD}")


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


def read_script(data: Mapping[str, Any]) -> list[Expected | Made]:
    """The script of a scenario. Raises Unfit."""
    seats = read_seats(data)
    script: list[Expected | Made] = []
    for number, item in enumerate(_list(data.get("play", []), "play"), 1):
        try:
            script.append(_read_step(_map(item, "a step"), seats))
        except Unfit as why:
            raise Unfit(f"step {number}: {why}") from None
    return script


def _read_step(step: dict[str, Any], seats: Sequence[Seat]) -> Expected | Made:
    if list(step) == ["expect"] and not _is_choice_of_one_called_expect(step["expect"], seats):
        return Expected(_read_expected(step["expect"], seats))
    names = [word for word in step if word != "refused"] or ["refused"]  # somebody may be called so
    _need(step and len(names) == 1, "a step is {NAME: CHOICE} or {expect: {...}}")
    refused = len(step) == 2 and _flag(step["refused"], "refused")
    return Made(_name(names[0], "a step", seats), _read_choice(step[names[0]], seats), refused)


def _is_choice_of_one_called_expect(value: Any, seats: Sequence[Seat]) -> bool:
    is_choice = isinstance(value, str) or (isinstance(value, dict) and not value.keys().isdisjoint(VERBS))
    return is_choice and "expect" in seats


def _read_expected(value: Any, seats: Sequence[Seat]) -> dict[str, Any]:
    keys = _map(value, "expect")
    for key in keys:
        _need(key in EXPECTATIONS, f"there is no expectation {short(key)}")
    return {key: EXPECTATIONS[key].read(part, key, seats) for key, part in keys.items()}


def _target(value: Any, what: str, seats: Sequence[Seat]) -> str:
    return _name(value, what, (*seats, "left", "right"))


VERBS: dict[str, Reader] = {
    "play": _card,
    "discard": _card,
    "give": _card,
    "defend": _card,
    "keep": _card,
    "choose": _target,
    "forget": _cards,
    "swap": _card,
    "show": _one_of("all", "Infected!", "nothing"),
}
AIM: dict[str, Reader] = {"at": _name, "side": _one_of("left", "right")}


def _read_choice(choice: Any, seats: Sequence[Seat]) -> str | dict[str, Any]:
    if isinstance(choice, str):
        return str(_one_of("pass", "declare", "timeout")(choice, "a choice", seats))
    words = _map(choice, "a choice")
    verb = next((word for word in words if word in VERBS), None)
    parts = VERBS if verb != "play" else {"play": _card, **AIM}
    _need(verb and set(words) <= parts.keys() and (verb == "play" or len(words) == 1), f"{short(choice)} is no choice")
    return {word: parts[word](value, word, seats) for word, value in words.items()}


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


class Expectation(NamedTuple):
    """What may be expected under one key: the shape of its value, and the check that it is true (else Failed)."""

    read: Reader
    check: Callable[[Stage, Any], None]


def _expect(stage: Stage, expected: Expected) -> None:
    for key, value in expected.keys.items():
        EXPECTATIONS[key].check(stage, value)
    stage.since = []


def _same(what: str, expected: object, found: object) -> None:
    if expected != found:
        raise Failed(f"{what}: expected {expected}, found {found}")


def _equal(what: str, read: Reader, found: Callable[[Stage], Any]) -> Expectation:
    """One value; a list in any order."""
    return Expectation(read, lambda stage, value: _same(what, _in_order(value), _in_order(found(stage))))


def _equal_each(what: str, read: Reader, found: Callable[[Stage, Seat], Any]) -> Expectation:
    """A value by name, of those who are named; a list in any order."""

    def check(stage: Stage, expected: dict[Seat, Any]) -> None:
        for name, value in expected.items():
            _same(f"{what} of {name}", _in_order(value), _in_order(found(stage, name)))

    return Expectation(_by_name(read), check)


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
    gaps = [_gap(one, other, table.seats) for one, other in expected]
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


EXPECTATIONS: dict[str, Expectation] = {
    "turn": _equal("turn", _name, lambda stage: stage.table.turn_of),
    "asked": _equal("asked", _names, lambda stage: list(stage.step.asks)),
    "roles": _equal_each("roles", _role, lambda stage, name: stage.table.roles[name]),
    "quarantines": _equal_each("quarantines", _number, lambda stage, name: stage.table.quarantines.get(name, 0)),
    "hand_size": _equal_each("hand_size", _number, lambda stage, name: len(stage.table.hands[name])),
    "hand": _equal_each("hand", _cards, lambda stage, name: stage.table.hands[name]),
    "holds": Expectation(_by_name(_cards), _holds),
    "lacks": Expectation(_by_name(_cards), _lacks),
    "seats": Expectation(_names, _seats),
    "direction": _equal("direction", _direction, lambda stage: _told_direction(stage.table)),
    "doors": Expectation(_pairs, _doors),
    "eliminated": _equal("eliminated", _names, lambda stage: [dead.seat for dead in stage.table.dead]),
    "deck_top": Expectation(_cards, _deck_top),
    "pile_has": Expectation(_cards, _pile_has),
    "deck_size": _equal("deck_size", _number, lambda stage: len(stage.table.deck)),
    "pile_size": _equal("pile_size", _number, lambda stage: len(stage.table.pile)),
    "saw": _equal_each("saw", _cards, _saw),
    "unseen": Expectation(_by_name(_cards), _unseen),
    "winners": Expectation(_names, _winners),
    "over": _equal("over", _flag, lambda stage: stage.step.outcome is not None),
}


def _told_direction(table: Table) -> str:
    return "clockwise" if table.direction > 0 else "counterclockwise"


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
    given = {key: getattr(options, key) for key in Options.__struct_fields__}
    return {key: value for key, value in given.items() if value != getattr(default, key)}


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
        "direction": _told_direction(table),
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


