"""Orders ahead: answers that a player has prepared (issue 4, section 3); which one fits, and when they end.

An order belongs to a *slot*, a kind of question, and holds one answer to it. It is checked against the question as it
is put to its seat, and against that seat's hand; nothing else is asked of the table, so that no order can know more
than its owner (RULES.md section 8). Orders name cards: they are kept in `games.orders`, as secret as the table.
Others have known this for long: correspondence chess sends "if" moves ahead, webDiplomacy takes orders until they are
used (failures.md 2.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args
from zlib import crc32

import msgspec
from msgspec.structs import replace

import core
from core import Card, Choice, Event, Seat, Step, View
from core.events import CardPlayed, Offered, PanicDrawn, TurnBegan
from db.records import GameRow, SeatRow

FIRE, SHIELD, COMFORT = "Flamethrower", "No Barbeque!", "I'm Comfortable"
FRIENDS = "Can't We Be Friends?"

# What an order answers: the offer of the own turn, the next offer of others, fire, a claim to the seat; or, for all
# attacks, none.
Slot = Literal["offer", "answer", "fire", "seat", "pass"]
SLOTS: tuple[Slot, ...] = get_args(Slot)

# When it ends by itself: with the question it is for; when the owner's next turn begins; or not at all.
Ends = Literal["once", "turn", "kept"]

#: The conditions that there are for each, the first being the usual one. The card to offer is for one turn anyway.
CONDITIONS: dict[Slot, tuple[Ends, ...]] = {
    "offer": ("once",),
    "answer": ("once", "turn", "kept"),
    "fire": ("kept", "turn"),
    "seat": ("kept", "turn"),
    "pass": ("turn",),
}

GONE, MAY_NOT = "gone", "may_not"  # why an order is void


class _Secret(msgspec.Struct, frozen=True, omit_defaults=True):
    """Does not show itself: no log line and no traceback names a card."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class Order(_Secret, frozen=True, omit_defaults=True):
    """An answer prepared, and when it ends; *turn*: of the card to offer, the first turn it is meant for."""

    choice: Choice
    ends: Ends = "once"
    turn: int = 0

    @property
    def card(self) -> Card | None:
        """The card it names; None for a pass."""
        return self.choice[1] if len(self.choice) > 1 else None


class Void(_Secret, frozen=True, omit_defaults=True):
    """An order that is void, and why; it is told until its owner answers or prepares something."""

    slot: Slot
    choice: Choice
    why: str


class Orders(_Secret, frozen=True, omit_defaults=True):
    """The orders of a seat; *since*: the version of the game at which they last changed without a press.

    What was pressed on a page older than that may be meant for an order that is used up.
    """

    by_slot: dict[Slot, Order] = {}
    void: tuple[Void, ...] = ()
    since: int = 0


def of(game: GameRow, seat: Seat) -> Orders:
    """The orders of a seat."""
    return msgspec.convert(game.orders.get(seat, {}), Orders)


def _with(game: GameRow, seat: Seat, orders: Orders, *, by_itself: bool = True) -> GameRow:
    if orders == of(game, seat):
        return game
    if by_itself:
        orders = replace(orders, since=game.version)
    return replace(game, orders={**game.orders, seat: msgspec.to_builtins(orders)})


def rest(row: SeatRow) -> bool:
    """Whether the orders of a seat rest: somebody else plays it, or its owner is gone."""
    return row.person is None or row.played_by != "person" or row.sitter is not None or row.gone


# --- which one fits ---


class Put(NamedTuple):
    """A question, as far as it chooses a slot: what it is *about*, on which *card* it turns, and what happened before
    it in its turn."""

    seat: Seat
    about: str
    card: Card | None
    happened: Sequence[Event]
    answers: Sequence[tuple[Seat, Choice]]

    @property
    def slot(self) -> Slot | None:
        """The kind of question it is; None for one that no order answers."""
        match self.about:
            case core.OFFER:
                return "offer" if self.offers == self.friends else None
            case core.ANSWER:
                return "answer"
            case core.DEFEND:
                return "fire" if self.card == FIRE else "seat"
        return None

    @property
    def turn(self) -> Sequence[Event]:
        """What happened in the turn so far."""
        return self.happened[max(at for at, event in enumerate(self.happened) if isinstance(event, TurnBegan)) :]

    @property
    def offers(self) -> int:
        """How many offers were made in it."""
        return sum(isinstance(event, Offered) for event in self.turn)

    @property
    def friends(self) -> bool:
        """Whether a PANIC! card wants an exchange in it; step 3 comes after that."""
        drawn = any(isinstance(event, PanicDrawn) and event.card == FRIENDS for event in self.turn)
        return drawn and any(choice[0] == "choose" for _, choice in self.answers)


class Fit(NamedTuple):
    """An order that fits a question, and what it answers."""

    slot: Slot
    choice: Choice

    def __repr__(self) -> str:
        return "<Fit>"


def fitting(game: GameRow, step: Step, seat: Seat) -> Fit | None:
    """What an order of *seat* answers to the question that is put to it now; None if there is none that fits."""
    row, ask = game.seat(seat), step.asks.get(seat)
    if seat not in game.orders or row is None or rest(row) or ask is None:
        return None
    slot, mine = _put(step, seat).slot, of(game, seat).by_slot
    # Nobody burns by an order with what stops the fire in the hand: that is asked, for it cannot be mended.
    if slot == "seat" and slot not in mine:
        slot = "pass"
    if slot is None or slot not in mine or mine[slot].choice not in ask.choices:
        return None
    return Fit(slot, mine[slot].choice)


def _put(step: Step, seat: Seat) -> Put:
    ask = step.asks[seat]
    return Put(seat, ask.about, ask.card, (*step.earlier, *step.events), step.game.answers)


# --- what becomes of them ---


def asked(game: GameRow, step: Step) -> GameRow:
    """New questions are put: the order for one that it may not answer is void, and the question is asked as usual."""
    for seat, ask in step.asks.items():
        row = game.seat(seat)
        if seat not in game.orders or row is None or rest(row):
            continue
        slot, mine = _put(step, seat).slot, of(game, seat)
        order = mine.by_slot.get(slot) if slot is not None else None
        if slot is None or order is None or ask.choices == (core.PASS,) or order.choice in ask.choices:
            continue
        why = MAY_NOT if order.card in step.table.hands[seat] else GONE
        game = _with(game, seat, _voided(mine, slot, why))
    return game


def answered(game: GameRow, step: Step, before: GameRow, about: str | None, seat: Seat, choice: Choice) -> GameRow:
    """*seat* has answered a question, which led to *step*: an order for that one question is used up, or passed by."""
    row = game.seat(seat)
    if seat not in game.orders or about is None or row is None or rest(row):
        return game
    mine = replace(of(game, seat), void=())
    card = next((event.card for event in reversed(step.earlier) if isinstance(event, CardPlayed)), None)
    slot = Put(seat, about, card, step.earlier, before.answers).slot
    order = mine.by_slot.get(slot) if slot is not None else None
    if slot is not None and order is not None:
        used = order.choice == choice and order.card not in step.table.hands.get(seat, ())
        if order.ends == "once" or used:
            mine = _without(mine, slot)
    return _with(game, seat, mine)


def turned(game: GameRow, step: Step) -> GameRow:
    """Where a turn has begun: what was to end with it ends, and an order whose card is gone, or may be given to nobody
    any more, is void."""
    begun = [event for event in (*step.earlier, *step.events) if isinstance(event, TurnBegan)]
    new = [event for event in step.events if isinstance(event, TurnBegan)]
    over = begun[-len(new) - 1 : -1] if new else []
    for seat in game.orders if new else ():
        mine = of(game, seat)
        if seat not in step.table.seats:
            game = _with(game, seat, Orders())
            continue
        view = core.view(step, seat)
        for slot, order in tuple(mine.by_slot.items()):
            if order.ends == "turn" and any(event.seat == seat for event in new):
                mine = _without(mine, slot)
            elif slot == "offer" and any(event.seat == seat and event.turn >= order.turn for event in over):
                mine = _without(mine, slot)
            elif order.choice not in may_prepare(view, slot):
                mine = _voided(mine, slot, MAY_NOT if order.card in view.hand else GONE)
        game = _with(game, seat, mine)
    return game


def _without(mine: Orders, slot: Slot) -> Orders:
    return replace(mine, by_slot={other: order for other, order in mine.by_slot.items() if other != slot})


def _voided(mine: Orders, slot: Slot, why: str) -> Orders:
    void = Void(slot, mine.by_slot[slot].choice, why)
    return replace(_without(mine, slot), void=(*mine.void, void))


# --- preparing ---


def may_prepare(view: View, slot: Slot) -> list[Choice]:
    """What a seat may prepare, from its own view: that it will be legal then is not promised."""
    held = set(view.hand)
    match slot:
        case "offer":
            return [("give", card) for card in view.may_give_somebody(view.hand)]
        case "answer":
            gifts: list[Choice] = [("give", card) for card in view.may_give_somebody(view.hand)]
            return gifts + [("defend", card) for card in core.REFUSALS if card in held]
        case "fire":
            return [("defend", SHIELD)] if SHIELD in held else []
        case "seat":
            return [("defend", COMFORT)] if COMFORT in held else []
        case "pass":
            return [core.PASS]


def prepare(game: GameRow, step: Step, seat: Seat, slot: Slot, choice: Choice) -> GameRow:
    """*seat* prepares an answer; one that it had for this is forgotten."""
    mine = of(game, seat)
    turn = 0
    if slot == "offer":
        turn = step.table.turn + (step.table.turn_of == seat and _is_step_three_over(step, seat))
    order = Order(choice, CONDITIONS[slot][0], turn)
    by_slot: dict[Slot, Order] = {**mine.by_slot, slot: order}
    return _with(game, seat, replace(mine, by_slot=by_slot, void=()), by_itself=False)


def _is_step_three_over(step: Step, seat: Seat) -> bool:
    """Whether nothing will be offered any more in the turn of *seat*."""
    if any(ask.about == core.PASS_ON for ask in step.asks.values()):
        return True  # Round and Round ends the turn
    put = Put(seat, core.OFFER, None, (*step.earlier, *step.events), step.game.answers)
    return put.offers > put.friends


def condition(game: GameRow, seat: Seat, slot: Slot, ends: Ends) -> GameRow:
    """An order ends otherwise; nothing changes where there is none, or that is no condition for it."""
    mine = of(game, seat)
    if slot not in mine.by_slot or ends not in CONDITIONS[slot]:
        return game
    by_slot: dict[Slot, Order] = {**mine.by_slot, slot: replace(mine.by_slot[slot], ends=ends)}
    return _with(game, seat, replace(mine, by_slot=by_slot, void=()), by_itself=False)


def take_back(game: GameRow, seat: Seat, slot: Slot) -> GameRow:
    """An order is taken back."""
    return _with(game, seat, replace(_without(of(game, seat), slot), void=()), by_itself=False)


def number(choice: Choice) -> int:
    """A choice as a button says it: the same whatever else is in the hand, and whichever cards there are."""
    return crc32(" ".join(choice).encode()) % 36**6
