"""The defences (R35 to R39): only as an answer; discarded, and replaced at once."""

from __future__ import annotations

from core.asks import Seat
from core.cards.registry import refusal, shield
from core.events import HandedOn
from core.exchange import Offer
from core.table import Table


@refusal("Scary", corner="5 6 8 11")
def scary(table: Table, player: Seat, offer: Offer) -> Offer | None:  # R35
    """Refuse an offered card, and look at it."""
    table.show(offer.giver, [offer.card], by="Scary", to=(player,))
    return None


@refusal("No, Thanks!", corner="4 6 8 11")
def no_thanks(table: Table, player: Seat, offer: Offer) -> Offer | None:  # R36
    """Refuse an offered card."""
    return None


@refusal("Missed!", corner="4 6 11")
def missed(table: Table, player: Seat, offer: Offer) -> Offer | None:  # R37
    """Refuse an offered card. The player after you must take the exchange instead of you.

    No exchange: behind a Barred Door, with a Quarantine, or when the player after you is the one who offers (R37).
    """
    substitute = table.after(player)
    stopped = (
        substitute == offer.giver
        or table.is_door_ahead(player)
        or table.is_shut(substitute, offer.giver)
        or table.is_isolated(substitute)
    )
    table.say(HandedOn(offer.giver, player, None if stopped else substitute))
    return None if stopped else offer._replace(taker=substitute, handed_on=True)


@shield("I'm Comfortable", corner="4 6 11")
def im_comfortable() -> None:  # R38
    """Stop Change Places! or You'd Better Run! played on you: you stay where you are."""


@shield("No Barbeque!", corner="4 6 11")
def no_barbeque() -> None:  # R39
    """Stop a Flamethrower played on you."""
