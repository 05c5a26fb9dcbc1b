"""Offer, defence, swap; and how the infection travels (R7, R10, R18, R22, R35 to R37)."""

from __future__ import annotations

from typing import NamedTuple

from core.asks import ANSWER, DEFEND, OFFER, PASS, Ask, Card, Choice, Seat
from core.cards.registry import INFECTED, REFUSALS
from core.events import CardPassedOn, Defended, Exchanged, Offered
from core.table import Table


class Offer(NamedTuple):
    """A card put down by *giver* for *taker*; *handed_on* when Missed! brought it there (R37)."""

    giver: Seat
    taker: Seat
    card: Card
    handed_on: bool = False


async def exchange(table: Table, giver: Seat, taker: Seat) -> None:
    """*giver* puts a card down, hidden; *taker* gives one for it, or defends (R18)."""
    choices = tuple(("give", card) for card in table.may_give(giver, taker))
    _, card = await Ask(giver, OFFER, choices, of=taker)
    table.lay_aside(giver, card)
    table.say(Offered(giver, taker, card))
    offer: Offer | None = Offer(giver, taker, card)
    while offer:  # a substitute may defend too (R37)
        match await Ask(offer.taker, ANSWER, answers(table, offer), of=giver):
            case ("give", returned):
                return swap_cards(table, offer, returned)
            case (_, defence):
                refuser = offer.taker
                lay(table, refuser, defence, of=giver)
                offer = REFUSALS[defence].effect(table, refuser, offer)
                table.replace(refuser)
    table.take_back(giver, card)


def answers(table: Table, offer: Offer) -> tuple[Choice, ...]:
    """What may be answered to an offer: a card in return, or a defence that is held."""
    gifts = [("give", card) for card in table.may_give(offer.taker, offer.giver)]
    hand = table.hands[offer.taker]
    return *gifts, *[("defend", card) for card in REFUSALS if card in hand]


def swap_cards(table: Table, offer: Offer, returned: Card) -> None:
    """Both cards change hands; an Infected! of The Thing's infects a Human, on either side (R7)."""
    giver, taker, given, handed_on = offer
    face_up = table.is_open(giver) or table.is_open(taker)
    table.aside.remove(given)
    table.hands[taker].remove(returned)
    table.hands[taker].append(given)
    table.hands[giver].append(returned)
    table.say(Exchanged(giver=giver, taker=taker, given=given, returned=returned, face_up=face_up))
    if face_up:
        table.remember(giver, [given], by="Quarantine", to=None)
        table.remember(taker, [returned], by="Quarantine", to=None)
    if handed_on and given == INFECTED:  # unharmed or not, the substitute knows that no Human gave it (R10)
        table.remember(giver, [given], by="Missed!", to=(taker,))
    if not handed_on or table.options.missed_infects:  # R37
        spread(table, giver, given, taker)
    spread(table, taker, returned, giver)
    table.fit(taker)
    table.fit(giver)


def spread(table: Table, giver: Seat, card: Card, taker: Seat) -> None:
    """A Human who receives an Infected! from The Thing is Infected at once and for good (R7)."""
    if card == INFECTED and table.roles[giver] == "thing" and table.is_human(taker):
        table.infect(taker, giver)


def pass_on(table: Table, giver: Seat, card: Card, taker: Seat) -> None:
    """Round and Round: one card goes one seat on (R48)."""
    table.aside.remove(card)
    table.hands[taker].append(card)
    face_up = table.is_open(giver) or table.is_open(taker)
    table.say(CardPassedOn(giver=giver, taker=taker, card=card, face_up=face_up))
    if face_up:
        table.remember(giver, [card], by="Quarantine", to=None)


def lay(table: Table, seat: Seat, defence: Card, of: Seat, against: Card | None = None) -> None:
    """A defence is shown and goes to the pile; its replacement draw comes after that (R4)."""
    table.hands[seat].remove(defence)
    table.pile.append(defence)
    table.say(Defended(seat, defence, of, against))


async def defended(table: Table, seat: Seat, attacker: Seat, card: Card, shield: Card) -> bool:
    """Whether *seat* stops a card played on it. Strict secrecy asks those without the defence, too (R21a)."""
    holds = shield in table.hands[seat]
    if not holds and table.options.secrecy == "fast":
        return False
    choices = (("defend", shield), PASS) if holds else (PASS,)
    if await Ask(seat, DEFEND, choices, card, attacker) == PASS:
        return False
    lay(table, seat, shield, attacker, card)
    table.replace(seat)
    return True
