"""The seat of somebody who has been away: others claim it, for themselves or for a bot player, until its owner is back.

On the board it keeps its name, and nothing tells who plays it (failures.md 2.4, takeover). Only who is not in the game
may take a seat over, and nobody a second one: a sitter knows a hand.
"""

from __future__ import annotations

from db.records import GameRow, Person, SeatRow
from db.store import Unit
from telegram_bot import play, screens, seats
from telegram_bot.memo import memo_of, remembering
from telegram_bot.texts import say_plain

TAKE, LET_BOT = "take", "let_bot"  # what the two buttons do


def press(unit: Unit, person: Person, what: str, number: int) -> str:
    """A button under the offer of a seat; returns a toast. What was pressed late changes nothing."""
    game = _game(unit)
    row = game.roster[number] if number < len(game.roster) else None
    if row is None or what not in (TAKE, LET_BOT):
        return ""
    if game.status == "paused":
        return say_plain("toast.paused")
    if game.status != "playing" or not seats.is_free(row) or row.seat not in play.standing(game).table.seats:
        return say_plain("absent.gone")
    if person.id in (row.person, seats.player_of(row)):
        come_back(unit, row, person.id)
        return say_plain("absent.is_here")
    return _take(unit, row, person) if what == TAKE else _let_bot(unit, row, person)


def _take(unit: Unit, row: SeatRow, person: Person) -> str:
    game = _game(unit)
    if seats.seat_of(game, person.id) is not None:
        return say_plain("absent.players_cannot")
    before = dict(memo_of(game).sat)
    if before.get(person.id, row.seat) != row.seat:
        return say_plain("absent.knows_too_much")
    if person.id not in before:
        unit.game = remembering(game, sat=(*memo_of(game).sat, (person.id, row.seat)))
    play.sit_in(unit, row, person.id)
    return say_plain("absent.taken", name=screens.bare(screens.named(row.name)))


def _let_bot(unit: Unit, row: SeatRow, person: Person) -> str:
    own = seats.seat_of(_game(unit), person.id)
    plays = own is not None and seats.player_of(own) == person.id
    if own is None or not plays or own.seat not in play.standing(_game(unit)).table.seats:
        return say_plain("absent.only_players")
    play.take_over(unit, row, "bot")
    return say_plain("toast.done")


def come_back(unit: Unit, row: SeatRow, person: int) -> None:
    """The owner has the seat again, with an excuse at least; a sitter who was away has shown a sign of life."""
    if row.person == person:
        play.take_over(unit, row, "person")
    else:
        play.sit_in(unit, row, person)


def give_up(unit: Unit, row: SeatRow) -> None:
    """The sitter has enough, or left the group: a bot player goes on."""
    play.take_over(unit, row, "bot")


def _game(unit: Unit) -> GameRow:
    assert unit.game is not None
    return unit.game
