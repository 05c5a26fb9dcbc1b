"""Which screens a use case changes: the group's board and tale, every hand, who is called, the end.

Every private text is placed by `hand`, in the private chat of the seat's owner (telegram_bot/private.py).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from msgspec.structs import replace

import core
from core import Event, Seat, Step
from core.events import CardDrawn, DeckRenewed, Eliminated, TurnBegan
from db.records import GameRow, SeatRow, Timer, Wanted
from db.store import Unit
from telegram_bot import me, narrator, orders, pace, panel, private, screens, seats, truth
from telegram_bot import settings as group_settings
from telegram_bot.happenings import Claimed, TimeRanOut
from telegram_bot.memo import Claim, Tale, memo_of, remembering
from telegram_bot.texts import say

LOBBY, BOARD, END = "lobby", "board", "end"
NEXT, READY = "nextgame", "ready"


def vote_screen(what: str) -> str:
    """The screen of a question put to the group."""
    return "ending" if what == "end" else f"vote {what}"


LONGEST_TALE = 2000  # characters; a tale of bot players that grew longer goes on in a new message


def _game(unit: Unit) -> GameRow:
    assert unit.game is not None
    return unit.game


def lobby(unit: Unit) -> None:
    unit.show(LOBBY, _lobby(unit))


def lobby_anew(unit: Unit) -> None:
    """The lobby moves down: posted anew, the old copy loses its buttons."""
    unit.post_anew(LOBBY, _lobby(unit))


def _lobby(unit: Unit) -> Wanted:
    if memo_of(_game(unit)).page == "at":
        return screens.start_page(_game(unit), unit.now, zone(unit))
    return screens.lobby(_game(unit), unit.now, anyone_starts(unit), bots_allowed(unit))


def ready(unit: Unit) -> None:
    """Who has said that they are ready for the start that was set."""
    unit.show(READY, screens.ready(_game(unit), unit.now))


def gathered(unit: Unit, before: GameRow) -> None:
    """A lobby is none any more: what called people to it goes."""
    memo = memo_of(before)
    for person in memo.told:
        unit.take_away(NEXT, person)
    for number in range(-(-memo.called_here // screens.CHUNK)):
        unit.take_away(f"{NEXT} {number}")
    for number in range(-(-core.MOST // screens.CHUNK)) if memo.ready_asked else ():
        unit.take_away(f"{READY} {number}" if number else READY)


def game_began(unit: Unit, step: Step) -> None:
    """The lobby becomes one line, the board is posted, everybody gets a hand."""
    unit.show(LOBBY, screens.lobby_started(_game(unit)))
    went_on(unit, step)


def went_on(unit: Unit, step: Step, answered: Seat | None = None, by_hand: bool = False) -> None:
    """The screens after an answer of the seat *answered*; *by_hand*: its owner gave it, and is looking at the panel."""
    tale(unit, step)
    if step.outcome is not None:
        the_end(unit, step)
        return
    if not _bots_play_on(unit, step, answered):
        board(unit, step)
    last = memo_of(_game(unit)).last
    for row in _game(unit).roster:
        if row.person is not None and (row.seat in (answered, last) or _concerns(step, row.seat)):
            asked_now = step.anew and row.seat in step.asks and row.played_by == "person"
            hand(unit, row, step, ring=asked_now and not (by_hand and row.seat == answered))
    calls(unit, step)
    offers(unit, step)


def _bots_play_on(unit: Unit, step: Step, answered: Seat | None) -> bool:
    """Whether a bot player answered and bot players alone go on with the turn, in a moment: the board waits for what
    comes of it, for a group takes few edits."""
    bots = {row.seat for row in _game(unit).roster if row.played_by == "bot"}
    return answered in bots and bots.issuperset(step.asks) and not any(isinstance(e, TurnBegan) for e in step.events)


def _concerns(step: Step, seat: Seat) -> bool:
    """Whether the hand of *seat* looks different now: asked anew, a new turn, burned, or something that is private."""
    if step.anew and seat in step.asks:
        return True
    return any(
        isinstance(event, TurnBegan)
        or isinstance(event, Eliminated)
        and event.seat == seat
        or core.seen_by(event, seat) != core.seen_by(event, None)
        for event in step.events
    )


def board(unit: Unit, step: Step) -> None:
    unit.show(BOARD, _board(unit, step))


def board_anew(unit: Unit, step: Step) -> None:
    """The board moves down: posted anew, the old copy loses its buttons."""
    unit.post_anew(BOARD, _board(unit, step))


def _board(unit: Unit, step: Step) -> Wanted:
    wanted = screens.board(_game(unit), core.view(step, None), unit.now, me.username())
    return replace(wanted, pin=group_settings.value(settings(unit), "pin") == "yes")


# --- hands ---


def hand(unit: Unit, row: SeatRow, step: Step, *, ring: bool = False, anew: bool = False) -> None:
    """The panel of one seat, in the private chat of who sits there; *ring*: a new message that is heard (not in quiet
    hours)."""
    reader = seats.reader_of(row)
    assert reader is not None
    if orders.fitting(_game(unit), step, row.seat) is not None:
        ring = False  # nobody has to be called for what an order answers
    ring = ring and not _waits(unit, row.seat)
    wanted = panel.front(desk(unit, row, step))
    private.place(unit, reader, wanted, ring=ring, anew=anew or ring)


def away(unit: Unit, row: SeatRow, step: Step, *, anew: bool = False) -> None:
    """The panel of an owner while another person plays the seat: no cards, and the way back."""
    assert row.person is not None
    private.place(unit, row.person, panel.away(desk(unit, row, step)), anew=anew)


def desk(unit: Unit, row: SeatRow, step: Step) -> panel.Desk:
    """What the pages of a hand are made from."""
    group = (unit.chat.title if unit.chat is not None else None) or ""
    return panel.desk(_game(unit), group, step, row.seat, unit.now)


# --- what rings ---


def settings(unit: Unit) -> Mapping[str, Any] | None:
    """What the group chose."""
    return unit.chat.settings if unit.chat is not None else None


def zone(unit: Unit) -> ZoneInfo:
    """The group's time zone."""
    return ZoneInfo(group_settings.zone_of(settings(unit) or {}))


def anyone_starts(unit: Unit) -> bool:
    """Whether any player of a lobby may start its game here."""
    return group_settings.value(settings(unit), "starts") == "anyone"


def bots_allowed(unit: Unit) -> bool:
    """Whether bot players may fill empty seats here."""
    return group_settings.value(settings(unit), "bots") == "yes"


def administrators_end(unit: Unit) -> bool:
    """Whether only administrators end and pause a game alone here."""
    return group_settings.value(settings(unit), "ends") == "administrators"


def wakes(unit: Unit) -> datetime:
    """When something may ring: now, or at the end of the quiet hours."""
    return pace.hours_of(_game(unit), settings(unit)).wakes(unit.now)


def _waits(unit: Unit, seat: Seat) -> bool:
    """Whether what would ring for *seat* has to wait: then the clock does it, once, when the quiet hours are over."""
    game, at = _game(unit), wakes(unit)
    if at <= unit.now:
        return False
    if not any(timer.kind == pace.WAKE and timer.seat == seat for timer in game.timers):
        unit.game = replace(game, timers=(*game.timers, Timer(pace.WAKE, at, seat)))
    return True


def call(unit: Unit, row: SeatRow, *, ring: bool = True) -> None:
    """Somebody is called in the group, in a new message."""
    unit.post_anew(f"call {row.seat}", replace(_call(unit, row), ring=ring))


def _call(unit: Unit, row: SeatRow) -> Wanted:
    return screens.call(_game(unit), row, unit.now, me.username())


def calls(unit: Unit, step: Step, again: Collection[Seat] = ()) -> None:
    """Who is awaited and has no private chat with the bot is called in the group, once (or *again*); the call goes when
    answered. In quiet hours nobody is called."""
    game = _game(unit)
    before = memo_of(game).called
    now: list[Seat] = []
    for row in game.roster:
        player = seats.waited_for(row)
        if row.seat not in step.asks or player is None or unit.people[player].private == "open":
            continue
        if not (step.anew or row.seat in again or row.seat not in before):
            unit.show(f"call {row.seat}", _call(unit, row))
        elif not _waits(unit, row.seat):
            call(unit, row)
        else:
            continue
        now.append(row.seat)
    for seat in before:
        if seat not in now:
            unit.take_away(f"call {seat}")
    if tuple(now) != before:
        unit.game = remembering(_game(unit), called=tuple(now))


# --- the tale ---


def tale(unit: Unit, step: Step) -> None:
    """The line of the turn grows; a new turn begins a new message, unless bot players play in a row."""
    game = _game(unit)
    memo = memo_of(game).tale
    names = screens.names_of(game)
    bots = {row.seat for row in game.roster if row.played_by == "bot"}
    text, before = "", ""
    for happened in narrator.by_turn([*step.earlier, *step.events]):
        began = happened[0]
        assert isinstance(began, TurnBegan)
        if before:
            shares = before in bots and began.seat in bots and len(text) < LONGEST_TALE
            memo = Tale(memo.since, text) if shares else Tale(began.turn)
        elif memo.since == 0:
            memo = Tale(began.turn)
        room = narrator.LONGEST - len(memo.told)
        told = narrator.tell_turn(_with_words(happened, memo), names, game.public_seed, room)
        text = f"{memo.told}\n\n{told}" if memo.told else told
        if memo.said or any(_is_worth_telling(event) for event in happened):
            unit.show(f"turn {memo.since}", screens.screen(text, once=True))
        before = began.seat
    unit.game = remembering(game, tale=memo)


def _with_words(happened: Sequence[Event], memo: Tale) -> list[Event]:
    """What the group saw of a turn, with what was claimed, and the remark where time ran out (R66)."""
    late = {at: seat for at, seat in memo.late}
    seen: list[Event] = []
    for number, event in enumerate((*happened, None)):
        seen += [Claimed(claim.seat, claim.about, claim.what) for at, claim in memo.said if at == number]
        if event is None:
            break
        if number in late:
            seen.append(TimeRanOut(late[number]))
        if (public := core.seen_by(event, None)) is not None:
            seen.append(public)
    return seen


def with_claim(memo: Tale, step: Step, claim: Claim) -> Tale:
    """The tale with something that was said now."""
    return replace(memo, said=(*memo.said, (len(step.earlier) + len(step.events), claim)))


def _is_worth_telling(event: Event) -> bool:
    return not isinstance(event, (TurnBegan, CardDrawn, DeckRenewed))


# --- the rest ---


def the_end(unit: Unit, step: Step) -> None:
    """The board closes, the hands are laid down, and the group reads who was what."""
    game = _game(unit)
    unit.show(BOARD, screens.board_over(game))
    for what in {"end", *memo_of(game).votes}:
        unit.take_away(vote_screen(what))
    for seat in memo_of(game).called:
        unit.take_away(f"call {seat}")
    unit.show(END, screens.the_end(game, step, truth.of(game, step.table, screens.names_of(game))))
    offers(unit, step)
    for row in game.roster:
        if row.person is not None:
            hand(unit, row, step)
        if row.person is not None and row.sitter is not None:
            private.place(unit, row.person, panel.front(desk(unit, row, step)))


def called_off(unit: Unit, step: Step) -> None:
    the_end(unit, step)


def turn_began_again(unit: Unit, step: Step) -> None:
    game = _game(unit)
    unit.show(f"notice {game.version}", screens.screen(say("say.turn_again"), once=True))
    tale_again = Tale(step.table.turn)
    unit.game = remembering(game, tale=tale_again)
    went_on(unit, step)


def seat_changed(unit: Unit, step: Step, row: SeatRow, before: SeatRow) -> None:
    """Somebody sits in, or the owner is back: the hand is seen by one person at a time."""
    board(unit, step)
    if row.person is not None:
        hand(unit, row, step)
    if row.sitter is not None:
        away(unit, row, step)
    if before.sitter not in (None, row.sitter):
        assert before.sitter is not None
        unit.take_away(private.PANEL, before.sitter)
    if before.gone and seats.is_taken_over(row):
        unit.show(f"gone {row.seat}", screens.taken(row))
    calls(unit, step)
    offers(unit, step)


def owner_gone(unit: Unit, row: SeatRow, gone: bool) -> None:
    """The group is told that somebody left it, or is back."""
    key = "say.left_group" if gone else "say.back_in_group"
    text = say(key, name=screens.named(row.name))
    rows = screens.claims(_game(unit), row) if gone else ()
    unit.post_anew(f"gone {row.seat}", screens.screen(text, rows, once=True))


def offers(unit: Unit, step: Step) -> None:
    """A seat whose player has no excuse left is offered, once; the offer goes when its player is back, and says so
    when somebody took the seat. (Who left the group has a message of their own.)"""
    game = _game(unit)
    before, now = memo_of(game).offers, {}
    for row in game.roster:
        kind, was = f"absent {row.seat}", before.get(row.seat)
        lives = step.outcome is None and game.open and row.seat in step.table.seats
        if lives and seats.is_free(row) and not (row.gone and row.sitter is None):
            now[row.seat] = "open"
            if was != "open":
                unit.post_anew(kind, screens.offer(game, row))
        elif lives and was is not None and seats.is_taken_over(row):
            now[row.seat] = "taken"
            if was != "taken":
                unit.show(kind, screens.taken(row))
        elif was == "open":
            unit.take_away(kind)
        elif was == "taken" and lives:
            unit.show(kind, screens.given_back(row))
    if now != before:
        unit.game = remembering(_game(unit), offers=now)


def again(unit: Unit, step: Step) -> None:
    """Everything is drawn again: a road to somebody closed, or the time stood still."""
    board(unit, step)
    for row in _game(unit).roster:
        if row.person is not None and row.seat in step.asks:
            hand(unit, row, step)
    calls(unit, step)


def stands_still(unit: Unit, step: Step) -> None:
    """The game is paused: nobody's time runs, and nothing rings until it goes on."""
    again(unit, step)


def goes_on(unit: Unit, step: Step) -> None:
    """After a pause of the group: who is awaited finds the question at the end of the chat, without a sound."""
    for row in _game(unit).roster:
        if row.person is not None and row.seat in step.asks and row.played_by == "person":
            hand(unit, row, step, anew=True)
            if row.seat in memo_of(_game(unit)).called:
                call(unit, row, ring=False)


def after_outage(unit: Unit, step: Step) -> None:
    """All deadlines moved: the group is told, and sees the new ones."""
    unit.show(f"notice {_game(unit).version}", screens.screen(say("say.outage"), once=True))
    again(unit, step)
