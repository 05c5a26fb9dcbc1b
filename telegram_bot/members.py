"""People who leave the group or come back, and the bot itself: what that does to the games there (issue 3)."""

from __future__ import annotations

from msgspec.structs import replace

from db.records import Chat, GameRow, Person, SeatRow
from db.store import ByGame, Store
from telegram_bot import absent, lobby, play, seats, show
from telegram_bot.memo import memo_of


async def left(store: Store, chat_id: int, person: Person, at: float) -> None:
    """Somebody left the group, or was banned, at that Unix time: out of its lobbies, and not called to them; the clock
    answers for the seats."""
    await store.forget_caller(chat_id, person.id)
    for game in await store.games_in(chat_id):
        async with store.press(update_id=None, find=ByGame(game.id), person=person) as unit:
            row = seats.seat_of(unit.game, person.id) if unit.game is not None else None
            if unit.game is None or row is None:
                continue
            if unit.game.status == "lobby":
                lobby.leave(unit, person)
            elif row.sitter == person.id:
                if unit.game.open:
                    absent.give_up(unit, row)
            elif not unit.game.open or at < row.moved or row.gone:
                continue
            elif row.seat in play.standing(unit.game).table.seats:
                play.owner_gone(unit, replace(row, moved=at), True)


async def returned(store: Store, chat_id: int, person: Person, at: float) -> None:
    """Somebody is in the group (again, since that Unix time): the seat is theirs."""
    for game in await store.games_in(chat_id):
        async with store.press(update_id=None, find=ByGame(game.id), person=person) as unit:
            row = unit.game.seat_of(person.id) if unit.game is not None else None
            if unit.game is None or not unit.game.open or row is None or at < row.moved:
                continue
            unit.game, row = _moved(unit.game, row, at)
            if row.gone:
                if seats.is_taken_over(row):
                    absent.come_back(unit, row, person.id)
                    show.owner_gone(unit, replace(row, gone=False), False)
                else:
                    play.owner_gone(unit, row, False)


def _moved(game: GameRow, row: SeatRow, at: float) -> tuple[GameRow, SeatRow]:
    """The game, and a seat in it, with when its owner was last seen to move: what happened before comes too late."""
    moved = replace(row, moved=at)
    return replace(game, roster=tuple(moved if other is row else other for other in game.roster)), moved


async def blocked(store: Store, person: Person) -> None:
    """Somebody has blocked the bot: who is awaited hears it in the group from now on."""
    for game in await store.games_of(person.id):
        async with store.press(update_id=None, find=ByGame(game.id), person=person) as unit:
            if unit.game is not None and unit.game.status == "playing":
                show.again(unit, play.standing(unit.game))


async def new_hours(store: Store, chat_id: int) -> None:
    """The group has other quiet hours: every open question of its games has another deadline."""
    for game in await store.games_in(chat_id):
        async with store.press(update_id=None, find=ByGame(game.id)) as unit:
            if unit.game is not None and unit.game.status in ("playing", "paused"):
                play.new_hours(unit)


async def bot_moved(store: Store, chat: Chat) -> None:
    """The bot is out of a group, may not write there, or is back: its games stand still, or go on."""
    for game in await store.games_in(chat.id):
        async with store.press(update_id=None, find=ByGame(game.id), chat=chat) as unit:
            if unit.game is None:
                continue
            if chat.road == "open":
                if unit.game.status == "paused" and memo_of(unit.game).why == "away":
                    play.resume(unit)
            elif unit.game.status == "playing":
                play.pause(unit, "away", unit.now)
