"""A seat played by the bot: it plays to win, in a simple way, from its own view alone.

A Human looks for The Thing, keeps away from whom it distrusts, and burns whom it has found out. The Thing infects. An
Infected feeds The Thing and burns Humans. Every choice on offer gets points; the most points win, the dice break ties.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from core.asks import (
    ANSWER,
    DECLARE,
    DEFEND,
    FORGET,
    KEEP,
    OFFER,
    PASS,
    PASS_ON,
    SHOW,
    STEP_TWO,
    SWAP,
    TARGET,
    Card,
    Choice,
    Seat,
)
from core.cards.registry import INFECTED, THING
from core.table import HAND, Note, Role
from core.view import View

# What a card in hand is worth to whom holds it; what is not named is worth 1.
WORTH: dict[Role, dict[Card, float]] = {
    "human": {
        "Flamethrower": 6, "Scary": 4, "No, Thanks!": 4, "Missed!": 4, "No Barbeque!": 4, "Analysis": 3,
        "Suspicion": 2, "Quarantine": 2, "Barred Door": 2, INFECTED: 0,
    },
    "thing": {
        "No Barbeque!": 6, INFECTED: 5, "Seduction": 4, "Flamethrower": 3, "Axe": 2, "Resolute": 2,
        "Watch Your Back": 2, "You'd Better Run!": 2, "Barred Door": 0, "Quarantine": 0, "Whisky": 0,
    },
    "infected": {"Flamethrower": 6, "No Barbeque!": 5, INFECTED: 4, "Analysis": 2, "Suspicion": 2, "Whisky": 0},
}  # fmt: skip
BURNS_FROM = 0.45  # how suspicious somebody must be for a Human to burn it
PATIENCE = 1000  # turns, after which the dice choose: a deck of the players' own making may be one to play for ever
REFUSES_FROM = 0.4  # how suspicious an offer must be to be refused


def choose(me: View, dice: Random) -> Choice:
    """The answer of a bot player that is asked; The Thing declares as soon as it may and it is true."""
    assert me.ask is not None
    if DECLARE in me.standing and not any(me.roles[seat] == "human" for seat in me.seats):
        return DECLARE
    if me.turn > PATIENCE:
        return dice.choice((*me.standing, *me.ask.choices))
    points = QUESTIONS[me.ask.about]
    return max(me.ask.choices, key=lambda choice: (points(me, choice), dice.random()))


# --- what it knows and believes ---


def is_proof(note: Note) -> bool:
    """Whether what was shown is no Human's: The Thing, or an Infected! on its way to another hand (R10)."""
    return THING in note.cards or (INFECTED in note.cards and note.by in ("Scary", "Missed!", "Quarantine"))


def suspicion(me: View, seat: Seat) -> float:
    """How likely *seat* is The Thing or Infected, from 0 to 1."""
    if seat in me.roles:
        return 0.0 if me.roles[seat] == "human" else 1.0
    if any(is_proof(note) for note in me.notes if note.seat == seat):
        return 1.0
    unknown = min(0.7, 1 / (len(me.seats) - 1) + me.turn / (10 * len(me.seats)))  # and it spreads
    for note in reversed(me.notes):
        if note.seat == seat:
            if INFECTED in note.cards:  # a Human may have drawn it
                return max(0.65, unknown)
            if len(note.cards) >= HAND:  # a Human then; who knows what it took since
                return min(unknown, 0.02 * (me.turn - note.turn))
    return unknown


def is_enemy(me: View, seat: Seat) -> float:
    """How likely *seat* stands in the way of this side."""
    return suspicion(me, seat) if me.role == "human" else 1 - suspicion(me, seat)


def is_known_to(me: View, seat: Seat) -> bool:
    """Whether *seat* has seen a proof that the viewer is no Human."""
    return any(is_proof(note) for note in me.shown if note.to is None or seat in note.to)


def spare_infected(me: View) -> int:
    """How many Infected! cards it can do without: an Infected keeps one."""
    return me.hand.count(INFECTED) - (me.role == "infected")


# --- with whom a turn would end ---


def is_between(me: View, one: Seat, other: Seat) -> bool:
    """Whether a Barred Door lies clockwise from *one* to *other*, or the other way."""
    return (one, other) in me.doors or (other, one) in me.doors


def next_of(seats: list[Seat], seat: Seat, clockwise: bool) -> Seat:
    """Who sits next to *seat* among *seats*, in that direction."""
    return seats[(seats.index(seat) + (1 if clockwise else -1)) % len(seats)]


def partner_after(me: View, choice: Choice) -> Seat | None:
    """With whom the viewer would exchange a card at the end of its turn if it chose that; None: with nobody."""
    assert me.seat is not None
    seats, clockwise, doors = list(me.seats), me.clockwise, dict.fromkeys(me.doors)
    isolated = set(filter(me.is_isolated, me.quarantines))
    match choice:
        case ("play", "Seduction", target):
            return target
        case ("play", "Flamethrower", target):
            seats.remove(target)
        case ("play", "Watch Your Back"):
            clockwise = not clockwise
        case ("play", "Change Places!" | "You'd Better Run!", target) | ("choose", target) if target in seats:
            i, j = seats.index(me.seat), seats.index(target)
            seats[i], seats[j] = target, me.seat
            doors = {(seats[me.seats.index(one)], seats[me.seats.index(other)]): None for one, other in doors}
        case ("play", "Quarantine", target) if me.options.quarantine == "isolation":
            isolated.add(target)
        case ("play", "Barred Door", target, *side):
            doors[(target, me.seat) if side == ["right"] else (me.seat, target)] = None
        case ("play", "Axe", target, *_):
            if is_between(me, me.seat, target):
                doors.pop((me.seat, target), None)
                doors.pop((target, me.seat), None)
            else:
                isolated.discard(target)
    partner = next_of(seats, me.seat, clockwise)
    ahead = (me.seat, partner) if clockwise else (partner, me.seat)
    shut = ahead in doors if len(seats) == 2 else (me.seat, partner) in doors or (partner, me.seat) in doors
    return None if shut or me.seat in isolated or partner in isolated or partner == me.seat else partner


def exchange_with(me: View, partner: Seat | None) -> float:
    """Points for an exchange with *partner*."""
    if partner is None:
        return 0
    match me.role:
        case "human":
            return -8 * suspicion(me, partner)
        case "thing":
            return 8 if me.roles[partner] == "human" and INFECTED in me.hand else 0
        case _:
            return 3 if me.roles.get(partner) == "thing" and spare_infected(me) else 0


# --- a question each ---


def worth(me: View, card: Card) -> float:
    """What it is worth to keep a card; of several Infected! the second is worth less."""
    assert me.role is not None
    value = WORTH[me.role].get(card, 1)
    if me.role == "thing" and card == INFECTED and me.hand.count(INFECTED) > 2:
        return 1
    return value


def step_two(me: View, choice: Choice) -> float:
    """Points for playing or discarding a card, and for whom it lets the turn end with."""
    verb, card, *aim = choice
    points = exchange_with(me, partner_after(me, choice)) - worth(me, card)
    return points if verb == "discard" else points + gain(me, card, aim[0] if aim else None)


def gain(me: View, card: Card, target: Seat | None) -> float:
    """Points for what a card does when it is played."""
    assert me.seat is not None
    enemy = is_enemy(me, target) if target not in (None, me.seat) else 0.0
    match card:
        case "Flamethrower":
            return burn(me, target or me.seat, enemy)
        case "Analysis" | "Suspicion":
            return curiosity(me, card, target or me.seat)
        case "Whisky":
            return 2 if me.role == "human" and INFECTED not in me.hand else -20
        case "Resolute":
            return 3
        case "Quarantine":
            return -2 if target == me.seat else 5 * enemy - 2
        case "Barred Door":
            return 3 * enemy - 1
        case "Axe":
            return 3 if target == me.seat and me.role != "human" else -1
        case _:
            return -0.5


def burn(me: View, target: Seat, enemy: float) -> float:
    """Points for burning somebody: a Human must suspect; The Thing burns who has found it out, and others rarely."""
    match me.role:
        case "human":
            return 20 * enemy if enemy >= BURNS_FROM else -20
        case "thing":
            if me.roles[target] != "human":
                return -20
            return 20 if is_known_to(me, target) else 0
        case _:
            return -20 if me.roles.get(target) == "thing" else 10 * enemy


def curiosity(me: View, card: Card, target: Seat) -> float:
    """Points for a look into a hand: only who does not know anyway wants one."""
    if suspicion(me, target) in (0.0, 1.0):
        return 0
    return 5 if card == "Analysis" else 3


def offer(me: View, choice: Choice) -> float:
    """Points for giving a card: The Thing gives Infected! to Humans, an Infected its spare ones to The Thing."""
    assert me.ask is not None and me.ask.of is not None
    card, taker = choice[1], me.ask.of
    if card == INFECTED:
        if me.role == "thing":
            return 10 if me.roles[taker] == "human" else -10
        return 10
    return -worth(me, card)


def answer(me: View, choice: Choice) -> float:
    """Points for what is answered to an offer: a Human refuses whom it distrusts, and looks at the card if it can."""
    assert me.ask is not None and me.ask.of is not None
    if choice[0] == "give":
        return offer(me, choice)
    doubt = suspicion(me, me.ask.of)
    if me.role != "human" or doubt < REFUSES_FROM:
        return -20
    return 4 if (choice[1] == "Scary") == (doubt < 1) else 3  # there is nothing to learn from whom one knows


def defend(me: View, choice: Choice) -> float:
    """Points for stopping a card: nobody burns willingly; a change of seats is as good as none."""
    assert me.ask is not None
    if choice == PASS:
        return 0
    return 1 if me.ask.card == "Flamethrower" else -1


def target(me: View, choice: Choice) -> float:
    """Points for whom a PANIC! card concerns."""
    assert me.ask is not None
    match me.ask.card:
        case "Get Out of Here!":
            return exchange_with(me, partner_after(me, choice))
        case "Can't We Be Friends?":
            return exchange_with(me, choice[1])
        case "Just Between Us...":
            return -is_enemy(me, choice[1])
        case _:
            return 0


def keep(me: View, choice: Choice) -> float:
    """Points for keeping one of the three of Resolute."""
    return worth(me, choice[1])


def part_with(me: View, choice: Choice) -> float:
    """Points for the cards one can best do without."""
    return -sum(worth(me, card) for card in choice[1:])


def show(me: View, choice: Choice) -> float:
    """Points for what is shown in Revelations: who has nothing to hide shows it."""
    clean = me.role == "human" and INFECTED not in me.hand
    return (1 if clean else -1) if choice[1] == "all" else 0 if choice[1] == "nothing" else -2


QUESTIONS: dict[str, Callable[[View, Choice], float]] = {
    STEP_TWO: step_two,
    KEEP: keep,
    OFFER: offer,
    ANSWER: answer,
    DEFEND: defend,
    TARGET: target,
    FORGET: part_with,
    SWAP: part_with,
    SHOW: show,
    PASS_ON: offer,
}
