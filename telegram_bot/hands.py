"""What a person does with a hand: look, turn pages, answer. Every press may be stale, doubled, forged or late."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, get_args

import core
from core import Seat, Step
from db.records import Event as LoggedEvent
from db.records import GameRow, SeatRow, Wanted
from db.store import Unit
from telegram_bot import claims, happenings, orders, panel, play, private, reply, screens, seats, show, waiting
from telegram_bot.callback import Pressed
from telegram_bot.memo import memo_of
from telegram_bot.texts import say, say_plain

LOG = 60  # turns that a private log looks back
# What is not taken while the game is paused.
MOVES = ("card", "confirm", "choose", "declaration", "declare", "then", "then_not")
SAYS = ("claims", "claim_about", "claim")  # and what, besides, only who plays may do


def game_of_link(payload: str) -> int | None:
    """The game of a deep link ("g42"); None for any other payload."""
    number = payload[1:]
    return int(number) if payload[:1] == "g" and number.isascii() and number.isdigit() and len(number) < 19 else None


def bring(unit: Unit, person: int) -> bool:
    """The hand comes as a new message to the private chat; False if this person has none in this game."""
    game = unit.game
    row = seats.seat_of(game, person) if game is not None and game.status in ("playing", "paused") else None
    if game is None or row is None:
        return False
    step = play.standing(game)
    if seats.reader_of(row) != person:
        show.away(unit, row, step, anew=True)
        return True
    waiting.acted(unit, row)
    show.hand(unit, row, step, anew=True)
    show.calls(unit, step)
    return True


class Turned(NamedTuple):
    """What a press on a panel comes to: a toast, and the page that was turned to (None: the first, as it is now)."""

    toast: str = ""
    page: Wanted | None = None


def aside(unit: Unit, person: int, turned: Turned | None = None, *, only_alert: bool = False) -> private.Aside:
    """A page for somebody in the group alone: the one that was *turned* to, else the hand as it is now."""
    turned = turned or Turned()
    game = unit.game
    assert game is not None
    row = seats.seat_of(game, person)
    page, alert = None, say_plain("alert.stranger")
    if row is not None and game.turn_start is not None:
        sees = seats.reader_of(row) == person or not game.open
        if sees:
            waiting.acted(unit, row)
        try:
            step = play.standing(game)
        except core.Diverged:
            step = play.begin_turn_again(unit)
        desk = show.desk(unit, row, step)
        if not only_alert:
            page = turned.page or (panel.front(desk) if sees else panel.away(desk))
        alert = screens.hand_alert(desk.game, desk.view) if sees else say_plain("alert.away")
    return _said_aside(unit, person, page, alert, turned.toast)


def reading(unit: Unit, person: int, page: Wanted) -> private.Aside:
    """A page for whoever asks in the group, in the game or not; the private chat gets it of who plays alone."""
    assert unit.game is not None
    shown = _said_aside(unit, person, page, "", "")
    plays = seats.seat_of(unit.game, person) is not None
    return shown._replace(is_open=shown.is_open and plays, button="story")


def _said_aside(unit: Unit, person: int, page: Wanted | None, alert: str, toast: str) -> private.Aside:
    """What one member is told after the commit; an ephemeral message counts among what the group takes."""
    game = unit.game
    assert game is not None
    shown = private.Aside(
        person=person,
        chat_id=game.chat_id,
        thread_id=game.thread_id,
        page=page,
        alert=alert,
        toast=toast,
        road=unit.road,
        now=unit.now,
        is_open=unit.people[person].private == "open",
    )
    if shown.may_try:
        unit.say_aside()
    return shown


def press(unit: Unit, person: int, pressed: Pressed, log: Sequence[LoggedEvent]) -> Turned:
    """A button of a panel. What does not fit the question that is put now changes nothing."""
    game = unit.game
    assert game is not None
    row = seats.seat_of(game, person)
    if row is None or game.turn_start is None:
        return Turned(say_plain("toast.elsewhere"))
    step = play.standing(game)
    is_back = pressed.what == "back_in" and row.person == person and seats.is_taken_over(row)
    if is_back and game.status in ("playing", "paused"):
        play.take_over(unit, row, "person")
        return Turned(say_plain("toast.done"))
    if seats.reader_of(row) != person and game.open:
        show.away(unit, row, step, anew=pressed.what == "bring")
        return Turned(say_plain("toast.taken"))
    waiting.acted(unit, row)
    if game.status == "paused" and pressed.what in MOVES:
        return Turned(say_plain("toast.paused"))
    if pressed.what == "bring":
        show.hand(unit, row, step, anew=True)
        return Turned()
    if seats.player_of(row) is None and pressed.what in (*MOVES, *SAYS):  # the owner looks on while a bot player plays
        return Turned(_stale(unit, row, step))
    turned = _page(unit, row, step, pressed, log)
    if isinstance(turned, Wanted):
        return Turned(page=turned)
    return Turned(_answer(unit, row, step, pressed) if turned is None else turned)


def _page(unit: Unit, row: SeatRow, step: Step, pressed: Pressed, log: Sequence[LoggedEvent]) -> Wanted | str | None:
    """The page to turn to; a toast where there is none; None where the press is an answer."""
    game = unit.game
    assert game is not None and row.person is not None
    desk = show.desk(unit, row, step)
    match pressed.what:
        case "table":
            return panel.table_page(desk, core.view(step, None))
        case "know":
            return panel.know_page(desk, [(one.turn, happenings.read(one.event)) for one in log])
        case "declaration" if desk.view.role == "thing" and row.seat in step.table.seats:
            if not desk.view.standing:
                return say_plain("toast.not_now")
            return panel.declaration_page(desk)
        case "claims" | "claim_about" if why := claims.why_not(game, step, row):
            return why
        case "claims":
            return panel.claims_page(desk)
        case "claim_about" if pressed.number < len(game.roster):
            return panel.claim_page(desk, pressed.number)
        case "claim":
            return claims.make(unit, step, row, pressed.number)
        case "card" | "confirm" if not _fits(game, row, step, pressed):
            return _stale(unit, row, step)
        case "card":
            cards = panel.hand_cards(desk.view)
            if desk.view.ask is None or desk.view.ask.about != core.STEP_TWO or pressed.number >= len(cards):
                return _stale(unit, row, step)
            return panel.card_page(desk, cards[pressed.number])
        case "confirm":
            choice = desk.view.ask.choices[pressed.number] if desk.view.ask is not None else ()
            if choice[:2] != ("play", orders.FIRE):
                return _stale(unit, row, step)
            return panel.confirm_page(desk, pressed.number)
        case "choose" | "declare":
            return None
        case "front":
            return panel.front(desk)
        case "then" | "then_not":
            return _then(unit, row, step, pressed)
        case _:
            return _order(unit, row, step, pressed)


def _then(unit: Unit, row: SeatRow, step: Step, pressed: Pressed) -> Wanted | str:
    """The card to offer is chosen on the page of the one to play or discard: an order for this turn."""
    page, number = divmod(pressed.number, panel.MOST_THEN)
    view = core.view(step, row.seat)
    cards = panel.hand_cards(view)
    if not _fits(_game(unit), row, step, pressed) or view.ask is None or view.ask.about != core.STEP_TWO:
        return _stale(unit, row, step)
    if orders.rest(row) or page >= len(cards):
        return _stale(unit, row, step)
    offers = panel.then_offers(view, cards[page])
    if pressed.what == "then_not":
        unit.game = orders.take_back(_game(unit), row.seat, "offer")
    elif number < len(offers):
        unit.game = orders.prepare(_game(unit), step, row.seat, "offer", ("give", offers[number]))
    else:
        return _stale(unit, row, step)
    return panel.card_page(show.desk(unit, row, step), cards[page])


def _order(unit: Unit, row: SeatRow, step: Step, pressed: Pressed) -> Wanted | str:
    """A page of the orders ahead, or a change of one. A press on a page from before an order was used is stale."""
    game, seat = _game(unit), row.seat
    said = _ORDERS.fullmatch(pressed.what)
    if said is None:
        return ""
    if not game.open or orders.rest(row) or seat not in step.table.seats:
        return _stale(unit, row, step)
    slot: orders.Slot | None = said["slot"]  # type: ignore[assignment]
    index = pressed.number - (pressed.what == "prepare")
    if slot is None and 0 <= index < len(orders.SLOTS):
        slot = orders.SLOTS[index]
    if pressed.what != "prepare":
        if slot is None or not orders.of(game, seat).since <= pressed.version <= game.version:
            return _stale(unit, row, step)
        if pressed.what == "take_back":
            changed = orders.take_back(game, seat, slot)
        elif said["ends"]:
            changed = orders.condition(game, seat, slot, said["ends"])  # type: ignore[arg-type]
        else:
            choices = orders.may_prepare(core.view(step, seat), slot)
            choice = next((one for one in choices if orders.number(one) == pressed.number), None)
            if choice is None:
                show.hand(unit, row, step)
                return say_plain("toast.not_legal")
            changed = orders.prepare(game, step, seat, slot, choice)
        play.order_changed(unit, changed, step, seat)
    desk = show.desk(unit, row, step)
    if seat in step.asks:
        return panel.front(desk)  # first what is asked now
    return panel.orders_page(desk) if slot is None else panel.order_page(desk, slot)


_ORDERS = re.compile(
    rf"prepare|take_back|order_(?P<slot>{'|'.join(orders.SLOTS)})|ends_(?P<ends>{'|'.join(get_args(orders.Ends))})"
)


def _game(unit: Unit) -> GameRow:
    assert unit.game is not None
    return unit.game


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
        now = play.answer(unit, row.seat, choice, "player")
    except core.NotLegal:
        show.hand(unit, row, step)
        return say_plain("toast.not_legal")
    if row.seat in step.asks and step.asks[row.seat].about == core.STEP_TWO:
        _offer_in_the_same_go(unit, row.seat, now)
    return ""


def _offer_in_the_same_go(unit: Unit, seat: Seat, step: Step) -> None:
    """What was chosen to be offered after step 2 was seen at this very press: it needs no pause."""
    fit = orders.fitting(_game(unit), step, seat)
    if fit is not None and fit.slot == "offer":
        play.answer(unit, seat, fit.choice, "order")


def _fits(game: GameRow, row: SeatRow, step: Step, pressed: Pressed) -> bool:
    """Whether a press belongs to the question that this seat is asked now, and its owner answers for it."""
    ask = step.asks.get(row.seat)
    return (
        game.status == "playing"
        and ask is not None
        and row.played_by == "person"
        and memo_of(game).asked.get(row.seat) == pressed.version
        and (pressed.what in ("card", "then", "then_not") or pressed.number < len(ask.choices))
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
        row = seats.seat_of(game, person)
        if game.status == "lobby" or row is None:
            lines.append(say("say.lobby_line", title=screens.named(title)))
            continue
        awaited = row.seat in memo_of(game).asked and seats.player_of(row) == person
        line = say("say.game_line_awaited" if awaited else "say.game_line", title=screens.named(title), turn=game.turn)
        lines.append(line)
        rows.append(
            [(say_plain("say.button_game", title=title), {"callback_data": str(Pressed("panel", game.id, "bring"))})]
        )
    return "\n".join(lines), rows
