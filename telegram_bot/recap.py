"""/recap: what the group has seen happen since somebody last looked, in ten lines at most, and who is awaited now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import core
from core import Event, Seat
from core.events import (
    CardPassedOn,
    CardPlayed,
    Declared,
    Defended,
    Eliminated,
    Exchanged,
    GameEnded,
    HandShown,
    NotExchanged,
    PanicDrawn,
    TurnBegan,
)
from telegram_bot import narrator
from telegram_bot.screens import named
from telegram_bot.texts import Markup, say

LINES = 10


def tell(events: Iterable[Event], names: Mapping[Seat, str]) -> list[Markup]:
    """A line a turn; with more turns than lines the quiet ones are counted together, and what mattered is told."""
    turns = [turn for turn in map(_turn, narrator.by_turn(_public(events))) if turn.began is not None]
    lines = [turn.line(names) for turn in turns]
    if len(lines) <= LINES:
        return lines
    # The last turns whole, of those before what mattered most, and a line for all the rest.
    last = lines[-4:]
    mattered = [turn.line(names) for turn in turns[:-4] if turn.matters][-(LINES - 5) :]
    left_out = len(lines) - len(last) - len(mattered)
    return [say("recap.quiet", n=left_out, turn=turns[0].number), *mattered, *last]


def _public(events: Iterable[Event]) -> Iterable[Event]:
    return (seen for event in events if (seen := core.seen_by(event, None)) is not None)


class _turn:
    """One turn of a recap: whose, and the facts of it in the order in which they happened."""

    def __init__(self, events: Sequence[Event]) -> None:
        self.began = next((event for event in events if isinstance(event, TurnBegan)), None)
        self.number = self.began.turn if self.began is not None else 0
        self.events = events
        self.matters = any(isinstance(event, (Eliminated, Declared, GameEnded)) for event in events)

    def line(self, names: Mapping[Seat, str]) -> Markup:
        assert self.began is not None
        facts = [fact for event in self.events if (fact := _fact(event, names)) is not None]
        facts = list(dict.fromkeys(facts)) or [say("recap.discards")]
        return say("recap.line", turn=self.number, name=named(names[self.began.seat]), facts=Markup(", ".join(facts)))


def _fact(event: Event, names: Mapping[Seat, str]) -> Markup | None:
    """What an event is worth in a recap; None for what goes without saying."""

    def of(seat: Seat) -> Markup:
        return named(names[seat])

    match event:
        case PanicDrawn(card=card):
            return say("recap.panic", card=card)
        case CardPlayed(seat=seat, card=card, at=at) if at is not None and at != seat:
            return say("recap.played_at", card=card, name=of(at))
        case CardPlayed(card=card):
            return say("recap.played", card=card)
        case Defended(seat=seat, card=card):
            return say("recap.defended", name=of(seat), card=card)
        case Eliminated(seat=seat):
            return say("recap.burned", name=of(seat))
        case Exchanged(giver=giver, taker=taker):
            return say("recap.exchanged", one=of(giver), other=of(taker))
        case NotExchanged(why=why):
            return say("recap.no_exchange", why=why)
        case CardPassedOn():
            return say("recap.passed_on")
        case HandShown(seat=seat, cards=cards, to=None) if cards:
            return say("recap.showed", name=of(seat), cards=", ".join(cards))
        case Declared():
            return say("recap.declared")
    return None
