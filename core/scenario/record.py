"""A game that was played, written down as a scenario."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from core.asks import Choice, Seat
from core.game import Live, thaw
from core.options import Options
from core.scenario.form import direction
from core.table import Table
from core.view import doors


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
        "direction": direction(table),
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


