"""The lobby: one message in the group, edited, until the expedition leaves or is called off."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Literal

from msgspec.structs import replace

import core
from db.records import GameRow, Person, SeatRow, Timer
from db.store import Unit
from telegram_bot import own_deck, play, rulebook, screens, settings, show
from telegram_bot.memo import memo_of, remembering
from telegram_bot.names import plain, tell_apart
from telegram_bot.pace import BANKS, BASES, CLOSE, LOBBY_LIVES, OF_A_START, PACES, Unfit, moment, pace_of, read
from telegram_bot.screens import BOT_MARK, INFECTED_MOST
from telegram_bot.texts import say_plain, wordings

DOUBLE_TAP = 2.0  # seconds in which a second press on Join/Leave is taken for the first one (failures.md row 4)


def open_lobby(unit: Unit, person: Person | None, opener: str, before: GameRow | None = None) -> None:
    """A new lobby in this place; who opens it is in. It begins with the group's settings, or after a game *before* with
    its options, pace and seats: but for who left the group, and for bot players where the group wants none now."""
    chosen = show.settings(unit)
    game = unit.open_game(
        opened_by=person.id if person is not None else 0,
        pace=before.pace if before is not None else settings.value(chosen, "pace"),
        options=before.options if before is not None else settings.options_of(chosen),
        public_seed=secrets.token_hex(8),
        rules_v=core.RULES_VERSION,
        state_v=core.STATE_VERSION,
    )
    game = remembering(game, opener=opener)
    if before is not None:
        bots = show.bots_allowed(unit)
        stay = (row for row in before.roster if not row.gone and (bots or row.person is not None))
        game = replace(
            game, roster=tuple(SeatRow(row.seat, row.name, row.person, _at_first(row.person)) for row in stay)
        )
    if person is not None and game.seat_of(person.id) is None and len(game.roster) < core.MOST:
        game = _seated(game, person.id, person.name)
    _keep(unit, game)
    show.lobby(unit)


def _keep(unit: Unit, game: GameRow) -> None:
    """A lobby that was touched: it closes a day from now, or later where it was kept open or is to start."""
    memo = memo_of(game)
    closes = max(unit.now + LOBBY_LIVES, moment(memo.stays), moment(memo.starts_at))
    start = (timer for timer in game.timers if timer.kind in OF_A_START)
    unit.game = replace(game, touched_at=unit.now, timers=(*start, Timer(CLOSE, closes)))


def touched(unit: Unit) -> None:
    """Something about it has changed."""
    _keep(unit, _lobby(unit))
    show.lobby(unit)


def _seated(game: GameRow, person: int | None, name: str) -> GameRow:
    """The lobby with one more in the next free seat, called so that nobody is mistaken for another."""
    taken = {row.seat for row in game.roster}
    seat = next(f"s{number}" for number in range(1, core.MOST + 1) if f"s{number}" not in taken)
    own = tell_apart([*(row.name for row in game.roster), name.replace(BOT_MARK, "")])[-1]
    row = SeatRow(seat, own, person, _at_first(person))
    return replace(game, roster=(*game.roster, row))


def _at_first(person: int | None) -> Literal["person", "bot"]:
    return "bot" if person is None else "person"


# --- what may be pressed; each returns a toast ---


def join(unit: Unit, person: Person) -> str:
    """Take a seat."""
    game = _lobby(unit)
    if game.seat_of(person.id) is not None:
        return say_plain("lobby_toast.joined")
    if len(game.roster) >= core.MOST:
        return say_plain("lobby_toast.full" if _bots(game) else "lobby_toast.enough")
    game, memo = _seated(game, person.id, person.name), memo_of(game)
    ready = (*memo.ready, person.id) if memo.ready_asked else ()  # who comes now is here
    _keep(unit, remembering(game, joined=(person.id, unit.now.timestamp()), ready=ready))
    show.lobby(unit)
    if ready:
        show.ready(unit)
    return say_plain("lobby_toast.joined")


def leave(unit: Unit, person: Person) -> str:
    game = _lobby(unit)
    memo = memo_of(game)
    game = replace(game, roster=tuple(row for row in game.roster if row.person != person.id))
    _keep(unit, remembering(game, ready=tuple(one for one in memo.ready if one != person.id)))
    show.lobby(unit)
    if memo.ready_asked:
        show.ready(unit)
    return say_plain("lobby_toast.left")


def join_or_leave(unit: Unit, person: Person) -> str:
    """The button for both; a double tap counts once."""
    game = _lobby(unit)
    if game.seat_of(person.id) is None:
        return join(unit, person)
    who, when = memo_of(game).joined
    if who == person.id and unit.now.timestamp() - when < DOUBLE_TAP:
        return say_plain("lobby_toast.joined")
    return leave(unit, person)


def add_bot(unit: Unit) -> str:
    """A bot player takes a seat."""
    game = _lobby(unit)
    if not show.bots_allowed(unit):
        return say_plain("lobby_toast.no_bots_here")
    if len(game.roster) >= core.MOST:
        return say_plain("lobby_toast.enough")
    taken = {row.name for row in game.roster}
    names = str(wordings("say.bots")[0]).split("|")
    _keep(unit, _seated(game, None, next(name for name in names if name not in taken)))
    show.lobby(unit)
    return say_plain("toast.done")


def take_bot_out(unit: Unit) -> str:
    game = _lobby(unit)
    bots = _bots(game)
    if not bots:
        return say_plain("lobby_toast.no_bot")
    _keep(unit, replace(game, roster=tuple(row for row in game.roster if row.seat != bots[-1].seat)))
    show.lobby(unit)
    return say_plain("toast.done")


def turn_page(unit: Unit, page: str) -> str:
    _keep(unit, remembering(_lobby(unit), page=page))
    show.lobby(unit)
    return ""


def set_pace(unit: Unit, number: int) -> str:
    words = list(PACES)
    if number < len(words):
        _keep(unit, remembering(replace(_lobby(unit), pace=words[number]), page=""))
        show.lobby(unit)
    return say_plain("toast.done")


def set_base(unit: Unit, number: int) -> str:
    """The time for an answer, by its step on the ladder of the page."""
    return _set_own(unit, base=BASES[number]) if number < len(BASES) else ""


def set_bank(unit: Unit, number: int) -> str:
    return _set_own(unit, bank=BANKS[number]) if number < len(BANKS) else ""


def _set_own(unit: Unit, **changed: timedelta) -> str:
    game = _lobby(unit)
    _keep(unit, replace(game, pace=str(pace_of(game)._replace(**changed))))
    show.lobby(unit)
    return ""


def write_pace(unit: Unit, text: str) -> str:
    """A pace as somebody wrote it; returns what is wrong with it, or nothing."""
    try:
        pace = read(text)
    except Unfit as why:
        return say_plain(f"pace.{why}")
    _keep(unit, remembering(replace(_lobby(unit), pace=str(pace)), page=""))
    show.lobby(unit)
    return ""


def set_option(unit: Unit, number: int) -> str:
    """An option on or off, whatever it is now: two taps, or those of two people, want the same."""
    which, on = divmod(number, 2)
    if which < len(rulebook.OPTIONS):
        option, options = rulebook.OPTIONS[which], _lobby(unit).options
        _set_options(unit, options if option.is_on(options) == bool(on) else option.toggled(options))
    return say_plain("toast.done")


def set_infected(unit: Unit, number: int) -> str:
    """So many Infected! cards more or fewer (R60), counted from INFECTED_MOST fewer."""
    if number <= 2 * INFECTED_MOST:
        _set_options(unit, {**_lobby(unit).options, "infected_delta": number - INFECTED_MOST})
    return say_plain("toast.done")


def change_deck(unit: Unit, text: str) -> str:
    """A deck of the players' own making (R63); returns what is wrong with it, or nothing."""
    game = _lobby(unit)
    try:
        deck = own_deck.read(text, game.options, len(game.roster))
        options = {**game.options, "deck": deck}
        core.read_options(options, max(core.LEAST, len(game.roster)))
    except (own_deck.Unreadable, core.Refused) as why:
        return str(why)
    _set_options(unit, options)
    return ""


def _set_options(unit: Unit, options: Mapping[str, Any]) -> None:
    kept = {name: value for name, value in options.items() if value != getattr(core.Options(), name)}
    _keep(unit, replace(_lobby(unit), options=kept))
    show.lobby(unit)


def start(unit: Unit) -> str:
    """The expedition leaves, if that can be played; who may say so was checked."""
    game = _lobby(unit)
    if (missing := core.LEAST - len(game.roster)) > 0:
        return say_plain("lobby_toast.too_few" if show.bots_allowed(unit) else "lobby_toast.too_few_people", n=missing)
    try:
        play.begin(unit, game)
    except core.Refused as why:
        return str(why)
    show.gathered(unit, game)
    return ""


def call_off(unit: Unit, name: str) -> str:
    _end(unit)
    unit.show(show.LOBBY, screens.lobby_called_off(name))
    return say_plain("lobby_toast.cancelled")


def close(unit: Unit) -> None:
    """Nobody touched it for a day."""
    _end(unit)
    unit.show(show.LOBBY, screens.lobby_closed())


def _end(unit: Unit) -> None:
    show.gathered(unit, _lobby(unit))
    unit.game = replace(_lobby(unit), status="called_off", timers=(), ended_at=unit.now)


def _lobby(unit: Unit) -> GameRow:
    assert unit.game is not None and unit.game.status == "lobby"
    return unit.game


def _bots(game: GameRow) -> list[SeatRow]:
    return [row for row in game.roster if row.person is None]


def may_decide(game: GameRow, person: int) -> bool:
    """Whether somebody opened this game; administrators are asked of Telegram."""
    return person == game.opened_by


def may_start(unit: Unit, person: int) -> bool:
    """Whether somebody may start the game of this lobby: who opened it, or any player where the group wants it so."""
    game = _lobby(unit)
    return may_decide(game, person) or show.anyone_starts(unit) and game.seat_of(person) is not None


def may_end(unit: Unit, person: int) -> bool:
    """Whether somebody who is no administrator may end the game in play alone."""
    assert unit.game is not None
    return may_decide(unit.game, person) and not show.administrators_end(unit)


def opener_name(game: GameRow) -> str:
    """The opener as the roster calls it, for buttons and toasts."""
    row = game.seat_of(game.opened_by)
    return plain(row.name if row is not None else memo_of(game).opener)
