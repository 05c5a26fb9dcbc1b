"""The form of a scenario: which keys it has, and what shape each value (scenarios/README.md of the founders)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from reprlib import repr as short
from typing import Any, TypeAlias

from core.asks import Card, Seat
from core.cards.registry import CARDS, THING
from core.options import LEAST, MOST, Refused, read_options
from core.table import Dead, Role, Table

CLOCKWISE = {"clockwise": 1, "counterclockwise": -1}


class Unfit(ValueError):
    """A scenario that does not fit the form; str() says where."""


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
        gap = gap_between(one, other, seats)
        _need(gap is not None and not shut[gap], f"doors: no free gap between {one} and {other}")
        shut[gap or 0] = True
    return shut


def direction(table: Table) -> str:
    return "clockwise" if table.direction > 0 else "counterclockwise"


def gap_between(one: Seat, other: Seat, seats: list[Seat]) -> int | None:
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
    return {key: EXPECTATIONS[key](part, key, seats) for key, part in keys.items()}


def _target(value: Any, what: str, seats: Sequence[Seat]) -> str:
    return _name(value, what, (*seats, "left", "right"))


EXPECTATIONS: dict[str, Reader] = {
    "turn": _name,
    "asked": _names,
    "roles": _by_name(_role),
    "quarantines": _by_name(_number),
    "hand_size": _by_name(_number),
    "hand": _by_name(_cards),
    "holds": _by_name(_cards),
    "lacks": _by_name(_cards),
    "seats": _names,
    "direction": _direction,
    "doors": _pairs,
    "eliminated": _names,
    "deck_top": _cards,
    "pile_has": _cards,
    "deck_size": _number,
    "pile_size": _number,
    "saw": _by_name(_cards),
    "unseen": _by_name(_cards),
    "winners": _names,
    "over": _flag,
}
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
