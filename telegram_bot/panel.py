"""The hand: a panel of one seat, page by page, made from what that seat may know and from nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from functools import wraps
from typing import Any, NamedTuple

from msgspec.structs import replace

import core
from core import Ask, Card, Choice, Event, Seat, Step, View
from core.events import CardDrawn
from db.records import Button, GameRow, Wanted
from telegram_bot import narrator, orders
from telegram_bot.memo import memo_of
from telegram_bot.names import plain, shortened
from telegram_bot.orders import CONDITIONS, FIRE, SLOTS, Slot
from telegram_bot.pace import BACK, pace_of
from telegram_bot.private import LONGEST, length
from telegram_bot.screens import (
    Rows,
    awaited,
    button,
    camp,
    clock_time,
    in_rows,
    named,
    names_of,
    role_words,
    span,
    until,
)
from telegram_bot.texts import Markup, say, say_plain


class Desk(NamedTuple):
    """What a panel is made from: the game's row and its group, the view of its seat, when it is, what happened in the
    turn, and what an order is about to answer."""

    game: GameRow
    group: str
    view: View
    now: datetime
    happened: Sequence[Event]
    soon: orders.Fit | None = None

    @property
    def seat(self) -> Seat:
        assert self.view.seat is not None
        return self.view.seat

    @property
    def names(self) -> dict[Seat, str]:
        return names_of(self.game)

    def button(self, key: str, what: str, number: int = 0, **values: object) -> Button:
        """A button that is good for the question that is put to this seat now."""
        version = memo_of(self.game).asked.get(self.seat, self.game.version)
        return button(say_plain(key, **values), self.game, "panel", what, number, version=version)

    def of(self, seat: Seat) -> Markup:
        return named(self.names[seat])

    @property
    def until(self) -> Markup:
        return until(self.game, [self.seat], self.now)


def desk(game: GameRow, group: str, step: Step, seat: Seat, now: datetime) -> Desk:
    happened = [seen for event in (*step.earlier, *step.events) if (seen := core.seen_by(event, seat)) is not None]
    return Desk(game, group, core.view(step, seat), now, happened, orders.fitting(game, step, seat))


def _fitting(page: Callable[..., Wanted]) -> Callable[..., Wanted]:
    """A page whose text is not too long for an edit of an ephemeral message: where it is, names are shortened."""

    @wraps(page)
    def fitted(at: Desk, *more: Any) -> Wanted:
        wanted = page(at, *more)
        for room in (16, 10, 5):
            if length(wanted.text) <= LONGEST:
                break
            names = shortened([row.name for row in at.game.roster], room)
            roster = tuple(replace(row, name=name) for row, name in zip(at.game.roster, names, strict=True))
            wanted = page(at._replace(game=replace(at.game, roster=roster)), *more)
        return wanted

    return fitted


# --- the first page ---


@_fitting
def front(at: Desk) -> Wanted:
    """What is asked of this seat, with a button for every answer; or the hand, and whose turn it is."""
    view = at.view
    if view.outcome is not None or not at.game.open:
        return _page(at, _how_it_ended(at), ())
    if dead := next((dead for dead in view.dead if dead.seat == at.seat), None):
        return _page(at, [say("panel.dead", turn=dead.turn), *_known_roles(at)], (_knowledge(at),))
    row = at.game.seat(at.seat)
    if row is not None and row.person is not None and row.played_by == "bot":
        return _page(
            at,
            [say("panel.taken_over"), *_holiday(at), *_hand_lines(at)],
            ((at.button("panel.button_return", "back_in"),), _knowledge(at)),
        )
    if view.ask is None:
        if view.turn_of == at.seat:
            waiting = say("panel.waiting_own")
        else:
            waiting = say("panel.waiting", name=at.of(view.turn_of))
        lines = [waiting, *_hand_lines(at), *_prepared(at), *_sitting(at)]
        return _page(at, lines, (*_declaration(at), *_preparing(at), _knowledge(at)))
    question, rows = _QUESTIONS[view.ask.about](at, view.ask)
    by_order, back = _soon(at)
    return _page(at, [*question, *by_order, *_pressing(at)], (*rows, *back, *_declaration(at), _knowledge(at)))


@_fitting
def away(at: Desk) -> Wanted:
    """For the owner while another person plays the seat: what that one holds and hears is not told twice."""
    return _page(at, [say("panel.away")], ((at.button("panel.button_return", "back_in"),),))


def _sitting(at: Desk) -> list[str]:
    """Who sits in is told for whom, and how to give it up."""
    row = at.game.seat(at.seat)
    return [say("panel.sitting", name=at.of(at.seat))] if row is not None and row.sitter is not None else []


def _page(at: Desk, lines: Iterable[str], rows: Rows) -> Wanted:
    """A page of the hand; its first line says of which game, for a person may sit in several."""
    header = say("panel.header", group=named(at.group), turn=at.view.turn)
    return Wanted(text="\n".join([header, *lines]), rows=rows, protect=True, old="delete")


def _holiday(at: Desk) -> list[str]:
    ends = [timer.at for timer in at.game.timers if timer.kind == BACK and timer.seat == at.seat]
    return [say("panel.holiday", time=clock_time(ends[0], at.now))] if ends else []


def _pressing(at: Desk) -> list[str]:
    """What presses, or does not: the game is paused; all others have answered; somebody has been waiting for long."""
    memo = memo_of(at.game)
    if at.game.status == "paused":
        return [say("panel.paused")]
    if memo.last == at.seat:
        return [say("panel.last")]
    return [say("panel.reminded")] if at.seat in memo.reminded else []


ROLES = {"human": "panel.a_human", "infected": "panel.an_infected", "thing": "panel.the_thing"}


def _how_it_ended(at: Desk) -> list[str]:
    """What this player was, and whether it was enough."""
    outcome = at.view.outcome
    lines: list[str] = [say("panel.over"), say("panel.were", role=say(ROLES[at.view.role or "human"]))]
    if outcome is not None:
        lines.append(say("panel.won" if at.seat in outcome.winners else "panel.lost"))
    return lines


def _role(at: Desk) -> Markup:
    return role_words(at.view, at.names)


def _hand_lines(at: Desk) -> list[str]:
    return [_role(at), say("panel.hand", cards=" · ".join(at.view.hand))]


def _known_roles(at: Desk) -> list[str]:
    """With vengeance the dead Thing sees every role (R64)."""
    if at.view.role != "thing":
        return []
    roles = [(seat, role) for seat, role in at.view.roles.items() if seat in at.view.seats]
    return [say("panel.role_of", name=at.of(seat), role=say(ROLES[role])) for seat, role in roles]


def _knowledge(at: Desk) -> tuple[Button, ...]:
    return at.button("panel.button_table", "table"), at.button("panel.button_know", "know")


def _declaration(at: Desk) -> Rows:
    """The Thing always has this button; whether it may be pressed now is said at the press."""
    alive = at.view.role == "thing" and at.seat in at.view.seats
    return ((at.button("panel.button_declare", "declaration"),),) if alive else ()


# --- the questions, one by one ---


def _choices(at: Desk, ask: Ask, key: str = "", width: int = 2) -> Rows:
    """A button for every card that may be answered."""
    return in_rows(
        (
            at.button("panel.button_card", "choose", number, card=choice[1])
            for number, choice in enumerate(ask.choices)
            if choice[0] != "defend"
        ),
        width,
    )


def _step_two(at: Desk, ask: Ask) -> tuple[Sequence[str], Rows]:
    drew = [
        event.card
        for event in at.happened
        if isinstance(event, CardDrawn) and event.seat == at.seat and not event.replacement
    ]
    lines = [say("panel.your_turn", until=at.until, role=_role(at))]
    if drew and drew[0] is not None:
        lines.append(say("panel.drew", card=drew[0]))
    if ask.choices == (("discard", "Infected!"),):
        lines.append(say("panel.must_discard_infected"))
    elif at.view.seat in at.view.quarantines and all(c[0] == "discard" for c in ask.choices):
        lines.append(say("panel.confined"))
    else:
        lines.append(say("panel.play_or_discard"))
    cards = hand_cards(at.view)
    return lines, in_rows(
        at.button("panel.button_card", "card", number, card=card) for number, card in enumerate(cards)
    )


def hand_cards(view: View) -> list[Card]:
    """The cards of a hand, each name once, in the order of the buttons."""
    return list(dict.fromkeys(view.hand))


def _giver(at: Desk) -> list[str]:
    """What the giver of a card is, and why a card of the hand has no button (R10)."""
    choices = at.view.ask.choices if at.view.ask is not None else ()
    if "Infected!" not in at.view.hand or ("give", "Infected!") in choices:
        return [_role(at)]
    if at.view.role == "human":
        return [say("panel.cannot_give_human")]
    return [_role(at), say("panel.cannot_give_infected")]


def _offer(at: Desk, ask: Ask) -> tuple[Sequence[str], Rows]:
    assert ask.of is not None
    return [say("panel.offer", name=at.of(ask.of), until=at.until), *_giver(at)], _choices(at, ask)


def _answer(at: Desk, ask: Ask) -> tuple[Sequence[str], Rows]:
    assert ask.of is not None
    refusals = tuple(
        at.button("panel.button_refuse", "choose", number, card=choice[1])
        for number, choice in enumerate(ask.choices)
        if choice[0] == "defend"
    )
    key = "panel.answer_or_refuse" if refusals else "panel.answer"
    lines = [say(key, name=at.of(ask.of), until=at.until), *_giver(at)]
    return lines, (*_choices(at, ask), *in_rows(refusals))


def _defend(at: Desk, ask: Ask) -> tuple[Sequence[str], Rows]:
    assert ask.of is not None and ask.card is not None
    key = "panel.attacked_fire" if ask.card == FIRE else "panel.attacked"
    lines = [
        say(key, name=at.of(ask.of), until=at.until)
        if ask.card == FIRE
        else say(key, name=at.of(ask.of), card=ask.card, until=at.until)
    ]
    if len(ask.choices) == 1:
        lines.append(say("panel.no_defence"))
    lines.append(_role(at))
    rows = []
    for number, choice in enumerate(ask.choices):
        if choice == core.PASS:
            rows.append(
                at.button("panel.button_pass_fire" if ask.card == FIRE else "panel.button_pass_seat", "choose", number)
            )
        else:
            rows.append(at.button("panel.button_refuse", "choose", number, card=choice[1]))
    return lines, (tuple(rows),)


def _keep(at: Desk, ask: Ask) -> tuple[Sequence[str], Rows]:
    return [say("panel.keep", until=at.until), _role(at)], _choices(at, ask)


def _target(at: Desk, ask: Ask) -> tuple[Sequence[str], Rows]:
    assert ask.card is not None
    lines = [say("panel.target", card=ask.card, until=at.until, text=core.CARDS[ask.card].text), _role(at)]
    buttons = []
    for number, (_, target) in enumerate(ask.choices):
        if target in ("left", "right"):
            name = plain(at.names[at.view.third(target)])
            buttons.append(at.button(f"panel.button_{target}", "choose", number, name=name))
        else:
            buttons.append(at.button("panel.button_name", "choose", number, name=plain(at.names[target])))
    return lines, in_rows(buttons)


def _forget(at: Desk, ask: Ask) -> tuple[Sequence[str], Rows]:
    buttons = []
    for number, (_, *gone) in enumerate(ask.choices):
        left = list(at.view.hand)
        for card in gone:
            left.remove(card)
        buttons.append(at.button("panel.button_keep", "choose", number, card=", ".join(left)))
    return [say("panel.forget", until=at.until), _role(at)], in_rows(buttons)


def _swap(at: Desk, ask: Ask) -> tuple[Sequence[str], Rows]:
    return [say("panel.swap", until=at.until), _role(at)], _choices(at, ask)


def _show(at: Desk, ask: Ask) -> tuple[Sequence[str], Rows]:
    keys = {
        "all": "panel.button_show_all",
        "Infected!": "panel.button_show_infected",
        "nothing": "panel.button_show_nothing",
    }
    buttons = (at.button(keys[way], "choose", number) for number, (_, way) in enumerate(ask.choices))
    return [say("panel.show", until=at.until), *_hand_lines(at)], in_rows(buttons, 1)


def _pass_on(at: Desk, ask: Ask) -> tuple[Sequence[str], Rows]:
    assert ask.of is not None
    return [say("panel.pass_on", name=at.of(ask.of), until=at.until), *_giver(at)], _choices(at, ask)


_QUESTIONS = {
    core.STEP_TWO: _step_two,
    core.OFFER: _offer,
    core.ANSWER: _answer,
    core.DEFEND: _defend,
    core.KEEP: _keep,
    core.TARGET: _target,
    core.FORGET: _forget,
    core.SWAP: _swap,
    core.SHOW: _show,
    core.PASS_ON: _pass_on,
}


# --- the other pages ---


@_fitting
def card_page(at: Desk, card: Card) -> Wanted:
    """What can be done with a card in step 2, what it does in one sentence, and what to offer after it."""
    assert at.view.ask is not None
    buttons = []
    discard = None
    for number, choice in enumerate(at.view.ask.choices):
        if choice == ("discard", card):
            discard = at.button("panel.button_discard", "choose", number)
        elif choice[:2] == ("play", card):
            # Fire and its like are asked once more (issue 2: playing Flamethrower and declaring ask once more).
            what = "confirm" if card == FIRE else "choose"
            buttons.append(_aim_button(at, choice, what, number))
    lines = [say("panel.card_page", card=card, text=core.CARDS[card].text)]
    if not buttons:
        lines.append(say("panel.cannot_play" if discard else "panel.cannot_part"))
    last = (*((discard,) if discard else ()), at.button("panel.button_back", "front"))
    then = _then(at, card) if buttons or discard else ()
    if then:
        lines.append(say("order.then"))
    return _page(at, lines, (*in_rows(buttons), *then, last))


def then_offers(view: View, card: Card) -> list[Card]:
    """What might be offered when *card* has left the hand, in the order of the buttons."""
    hand = list(view.hand)
    hand.remove(card)
    return view.may_give_somebody(hand)


def _then(at: Desk, card: Card) -> Rows:
    """A button for each card that may be offered in the same go; the chosen one is ticked."""
    if _resting(at) or at.view.is_isolated(at.seat):
        return ()  # in isolation there will be no exchange
    chosen = _mine(at).by_slot.get("offer")
    page = hand_cards(at.view).index(card)
    return in_rows(
        at.button("order.button_then_chosen", "then_not", page * MOST_THEN, card=one)
        if chosen is not None and chosen.card == one
        else at.button("order.button_then", "then", page * MOST_THEN + number, card=one)
        for number, one in enumerate(then_offers(at.view, card))
    )


MOST_THEN = 16  # more than a hand holds


def _aim_button(at: Desk, choice: Choice, what: str, number: int) -> Button:
    match choice[2:]:
        case ():
            return at.button("panel.button_play", what, number)
        case (target,) if target == at.seat:
            return at.button("panel.button_on_self", what, number)
        case (_, side):
            return at.button(f"panel.button_{side}_gap", what, number)
        case (target, *_):
            left, right = at.view.neighbours()
            key = "panel.button_on"
            if left != right and target in (left, right):
                key = "panel.button_on_left" if target == left else "panel.button_on_right"
            return at.button(key, what, number, name=plain(at.names[target]))
    raise AssertionError


@_fitting
def confirm_page(at: Desk, number: int) -> Wanted:
    """Fire is asked once more."""
    assert at.view.ask is not None
    target = at.view.ask.choices[number][2]
    rows = (
        (at.button("panel.button_confirm_play", "choose", number, name=plain(at.names[target])),),
        (at.button("panel.button_back", "front"),),
    )
    return _page(at, [say("panel.confirm_play", name=at.of(target))], rows)


@_fitting
def declaration_page(at: Desk) -> Wanted:
    """So is the declaration; The Thing is shown what it knows."""
    humans = [at.of(seat) for seat in at.view.seats if at.view.roles.get(seat) == "human"]
    line = say("panel.confirm_declare_human", names=humans) if humans else say("panel.confirm_declare")
    rows = ((at.button("panel.button_confirm_declare", "declare"),), (at.button("panel.button_back", "front"),))
    return _page(at, [line], rows)


@_fitting
def claims_page(at: Desk) -> Wanted:
    """Of whom something is to be said to all: oneself, or another of the living."""
    numbers = {row.seat: number for number, row in enumerate(at.game.roster)}
    others = [seat for seat in at.view.seats if seat != at.seat]
    buttons = [at.button("claims.button_self", "claim_about", numbers[at.seat])]
    buttons += [at.button("panel.button_name", "claim_about", numbers[s], name=plain(at.names[s])) for s in others]
    return _page(at, [say("claims.whom")], (*in_rows(buttons), (at.button("panel.button_back", "front"),)))


@_fitting
def claim_page(at: Desk, number: int) -> Wanted:
    """And what."""
    about = at.game.roster[number].seat
    me = about == at.seat
    keys = [f"claims.button_{'i_am' if me else 'is'}_{role}" for role in ("human", "infected", "thing")]
    buttons = [at.button(key, "claim", 3 * number + role) for role, key in enumerate(keys)]
    text = say("claims.what_of_self") if me else say("claims.what", name=at.of(about))
    return _page(at, [text], (*in_rows(buttons, 1), (at.button("panel.button_back", "claims"),)))


@_fitting
def table_page(at: Desk, public: View) -> Wanted:
    """The camp, as on the board, without leaving the hand."""
    lines = [*camp(at.game, public), "", awaited(at.game, public, at.now)]
    left = pace_of(at.game).bank - timedelta(seconds=memo_of(at.game).used.get(at.seat, 0.0))
    if at.seat in at.view.seats:
        lines.append(say("panel.bank", time=span(left)))
    return _page(at, lines, ((at.button("panel.button_back", "front"),),))


@_fitting
def know_page(at: Desk, log: Sequence[tuple[int, Event]]) -> Wanted:
    """A short private log: what the rules showed to this seat, the latest last, as much as there is room for."""
    told = []
    for turn, event in log:
        seen = core.seen_by(event, at.seat)
        if seen is not None and (line := narrator.tell_private(seen, at.seat, at.names)):
            told.append(f"{turn} · {line}")
    above = [say("panel.know_title"), _role(at)]
    told = told[-KNOWN:] or [say("panel.know_nothing")]
    back = ((at.button("panel.button_back", "front"),),)
    wanted = _page(at, [*above, *told], back)
    while len(told) > FEWEST and length(wanted.text) > LONGEST:
        wanted = _page(at, [*above, *(told := told[1:])], back)
    return wanted


# --- orders ahead ---


def _resting(at: Desk) -> bool:
    row = at.game.seat(at.seat)
    return row is None or orders.rest(row)


def _mine(at: Desk) -> orders.Orders:
    """The orders of this seat; none for who sits in for its owner."""
    return orders.Orders() if _resting(at) else orders.of(at.game, at.seat)


def _order(slot: Slot, choice: Choice) -> Markup:
    """An order in words, as a part of a sentence."""
    key = "order.refuse" if slot == "answer" and choice[0] == "defend" else f"order.{slot}"
    return say(key, card=choice[-1])


def _prepared(at: Desk) -> list[str]:
    """What is prepared, and what is not any more."""
    mine = _mine(at).by_slot
    return [*(_with_end(slot, mine[slot]) for slot in SLOTS if slot in mine), *_void(at)]


def _with_end(slot: Slot, order: orders.Order) -> Markup:
    words = _order(slot, order.choice)
    return say(f"order.until_{order.ends}" if len(CONDITIONS[slot]) > 1 else "order.prepared", order=words)


def _void(at: Desk) -> list[str]:
    return [
        say(f"order.void_{void.why}", order=_order(void.slot, void.choice))
        for void in _mine(at).void
    ]


def _preparing(at: Desk) -> Rows:
    return () if _resting(at) else ((_order_button(at, "order.button_prepare", "prepare"),),)


def _soon(at: Desk) -> tuple[list[str], Rows]:
    """That an order answers the open question soon, and a button against it."""
    if at.soon is None:
        return _void(at), ()
    slot, choice = at.soon
    return [say("order.soon", order=_order(slot, choice))], ((_take_back(at, slot),),)


def _take_back(at: Desk, slot: Slot) -> Button:
    return _order_button(at, "order.button_take_back", "take_back", SLOTS.index(slot))


def _order_button(at: Desk, key: str, what: str, number: int = 0, **values: object) -> Button:
    """A button that is good whatever is asked meanwhile, until an order of this seat is used up or void."""
    return button(say_plain(key, **values), at.game, "panel", what, number)


@_fitting
def orders_page(at: Desk) -> Wanted:
    """All that may be prepared, and what is."""
    rows = in_rows(
        _order_button(at, f"order.button_{slot}", "prepare", number)
        for number, slot in enumerate(SLOTS, 1)
        if orders.may_prepare(at.view, slot) or slot in _mine(at).by_slot
    )
    lines = [say("order.title"), *_hand_lines(at), *_prepared(at)]
    return _page(at, lines, (*rows, (at.button("panel.button_back", "front"),)))


@_fitting
def order_page(at: Desk, slot: Slot) -> Wanted:
    """What may be prepared for one kind of question; and, where something is, when it ends."""
    order = _mine(at).by_slot.get(slot)
    choices = in_rows(
        _order_button(at, _CHOICE_KEYS[choice[0]], f"order_{slot}", orders.number(choice), card=choice[-1])
        for choice in orders.may_prepare(at.view, slot)
        if order is None or choice != order.choice
    )
    back = _order_button(at, "panel.button_back", "prepare")
    if order is None:
        return _page(at, [say(f"order.page_{slot}")], (*choices, (back,)))
    ends = in_rows(
        _order_button(at, f"order.button_{ends}", f"ends_{ends}", SLOTS.index(slot))
        for ends in CONDITIONS[slot]
        if ends != order.ends
    )
    lines = [say(f"order.page_{slot}"), _with_end(slot, order)]
    return _page(at, lines, (*choices, *ends, (_take_back(at, slot), back)))


_CHOICE_KEYS = {"give": "panel.button_card", "defend": "panel.button_refuse", "pass": "order.button_let"}

KNOWN = 12  # lines of the private log on a phone
FEWEST = 5  # and where names are so long that they have to be shortened
