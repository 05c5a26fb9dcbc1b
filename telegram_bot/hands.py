"""What a person does with a hand: look, turn pages, answer. Every press may be stale, doubled, forged or late."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import core
from core import Step
from db.records import Event as LoggedEvent
from db.records import GameRow, SeatRow
from db.store import Unit
from telegram_bot import happenings, panel, play, reply, screens, show
from telegram_bot.callback import Pressed
from telegram_bot.memo import memo_of
from telegram_bot.texts import say, say_plain

LOG = 400  # events that a private log looks back


def game_of_link(payload: str) -> int | None:
    """The game of a deep link ("g42"); None for any other payload."""
    number = payload[1:]
    return int(number) if payload[:1] == "g" and number.isascii() and number.isdigit() and len(number) < 19 else None


def bring(unit: Unit, person: int) -> bool:
    """The hand comes as a new message to the private chat; False if this person has none in this game."""
    game = unit.game
    row = game.seat_of(person) if game is not None and game.status == "playing" else None
    if game is None or row is None:
        return False
    step = play.standing(game)
    show.hand(unit, row, step, anew=True)
    show.calls(unit, step)
    return True


def alert(unit: Unit, person: int) -> str:
    """The hand in at most 200 characters, for the presser alone."""
    game = unit.game
    row = game.seat_of(person) if game is not None else None
    if game is None or row is None or game.turn_start is None:
        return say_plain("alert.stranger")
    return screens.hand_alert(game, core.view(play.standing(game), row.seat))


def press(unit: Unit, person: int, pressed: Pressed, log: Sequence[LoggedEvent]) -> str:
    """A button of a panel; returns a toast. What does not fit the question that is put now changes nothing."""
    game = unit.game
    assert game is not None
    row = game.seat_of(person)
    if row is None or game.turn_start is None:
        return say_plain("toast.elsewhere")
    step = play.standing(game)
    if pressed.what == "back_in" and row.played_by == "bot" and game.status == "playing":
        play.take_over(unit, row, "person")
        return say_plain("toast.done")
    if pressed.what == "bring":
        show.hand(unit, row, step, anew=True)
        return ""
    toast = _page(unit, row, step, pressed, log)
    return _answer(unit, row, step, pressed) if toast is None else toast


def _page(unit: Unit, row: SeatRow, step: Step, pressed: Pressed, log: Sequence[LoggedEvent]) -> str | None:
    """Turn to a page; None where the press is an answer."""
    game = unit.game
    assert game is not None and row.person is not None
    desk = show.desk(unit, row, step)
    match pressed.what:
        case "table":
            wanted = panel.table_page(desk, core.view(step, None))
        case "know":
            wanted = panel.know_page(desk, [(one.turn, happenings.read(one.event)) for one in log])
        case "declaration" if desk.view.role == "thing" and row.seat in step.table.seats:
            if not desk.view.standing:
                return say_plain("toast.not_now")
            wanted = panel.declaration_page(desk)
        case "card" | "confirm" if not _fits(game, row, step, pressed):
            return _stale(unit, row, step)
        case "card":
            cards = panel.hand_cards(desk.view)
            if desk.view.ask is None or desk.view.ask.about != core.STEP_TWO or pressed.number >= len(cards):
                return _stale(unit, row, step)
            wanted = panel.card_page(desk, cards[pressed.number])
        case "confirm":
            choice = desk.view.ask.choices[pressed.number] if desk.view.ask is not None else ()
            if choice[:2] != ("play", panel.FIRE):
                return _stale(unit, row, step)
            wanted = panel.confirm_page(desk, pressed.number)
        case "choose" | "declare":
            return None
        case "front":
            wanted = panel.front(desk)
        case _:
            return ""
    show.page(unit, row.person, wanted)
    return ""


def _answer(unit: Unit, row: SeatRow, step: Step, pressed: Pressed) -> str:
    game = unit.game
    assert game is not None
    if pressed.what == "declare":
        choice = core.DECLARE
        if pressed.version != memo_of(game).asked.get(row.seat, game.version):
            return _stale(unit, row, step)
        if row.seat not in step.standing:
            show.hand(unit, row, step)
            return say_plain("toast.not_now")
    elif _fits(game, row, step, pressed):
        choice = step.asks[row.seat].choices[pressed.number]
    else:
        return _stale(unit, row, step)
    try:
        play.answer(unit, row.seat, choice, "player")
    except core.NotLegal:
        show.hand(unit, row, step)
        return say_plain("toast.not_legal")
    return ""


def _fits(game: GameRow, row: SeatRow, step: Step, pressed: Pressed) -> bool:
    """Whether a press belongs to the question that this seat is asked now, and its owner answers for it."""
    ask = step.asks.get(row.seat)
    return (
        game.status == "playing"
        and ask is not None
        and row.played_by == "person"
        and memo_of(game).asked.get(row.seat) == pressed.version
        and (pressed.what == "card" or pressed.number < len(ask.choices))
    )


def _stale(unit: Unit, row: SeatRow, step: Step) -> str:
    show.hand(unit, row, step)
    return say_plain("toast.stale")


# --- /games ---


def list_of(found: Sequence[GameRow], person: int, titles: Mapping[int, str]) -> tuple[str, list[reply.Row]]:
    """All open games of a person, with a link to each hand."""
    if not found:
        return say("say.no_games"), []
    lines = [say("say.games_title")]
    rows: list[reply.Row] = []
    for game in found:
        title = titles[game.chat_id]
        row = game.seat_of(person)
        if game.status == "lobby" or row is None:
            lines.append(say("say.lobby_line", title=screens.named(title)))
            continue
        awaited = row.seat in memo_of(game).asked
        line = say("say.game_line_awaited" if awaited else "say.game_line", title=screens.named(title), turn=game.turn)
        lines.append(line)
        rows.append(
            [(say_plain("say.button_game", title=title), {"callback_data": str(Pressed("panel", game.id, "bring"))})]
        )
    return "\n".join(lines), rows
