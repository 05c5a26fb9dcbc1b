"""What the clock answers for a player whose time ran out (R65, R66)."""

from __future__ import annotations

from random import Random

from core.asks import ANSWER, DECLARE, DEFEND, OFFER, PASS_ON, SHOW, STEP_TWO, Choice, Seat
from core.game import Step
from core.view import View, view

SPARED = ("Flamethrower", "No Barbeque!")


def answer_for(step: Step, seat: Seat) -> Choice:
    """The choice of an absent *seat* that is asked, from its own view and the game's own dice."""
    game, table = step.game, step.table
    return choose(view(step, seat), Random(f"{table.seed}/clock/{table.turn}/{len(game.answers)}/{seat}"))


def choose(me: View, dice: Random) -> Choice:
    """A sound choice, drawn at random: it discards, never plays; gives any legal card; defends against fire alone."""
    assert me.ask is not None
    if DECLARE in me.standing and not any(me.roles[seat] == "human" for seat in me.seats):
        return DECLARE
    return dice.choice(sound(me.ask.about, me.ask.choices))


def sound(about: str, choices: tuple[Choice, ...]) -> tuple[Choice, ...]:
    """The choices among which the clock draws."""
    if about == STEP_TWO:
        discards = tuple(choice for choice in choices if choice[0] == "discard")
        return tuple(choice for choice in discards if choice[1] not in SPARED) or discards
    if about in (OFFER, ANSWER, PASS_ON):
        return tuple(choice for choice in choices if choice[0] == "give")
    if about == DEFEND:
        return tuple(choice for choice in choices if choice == ("defend", "No Barbeque!")) or (("pass",),)
    if about == SHOW:
        return (("show", "nothing"),)
    return choices
