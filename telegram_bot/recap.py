"""/recap, and the line of a morning: what the group has seen happen, in a few lines, and who is awaited now.

Looking at the hand, turning its pages and /recap itself count as looking; looks within a quarter of an hour count as
one, so that who opens the hand first still hears of the night. What is told is public knowledge.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta

from msgspec.structs import replace

import core
from core import Event, Seat
from core.events import (
    CardDiscarded,
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
from db.records import Event as LoggedEvent
from db.records import Timer
from db.store import Unit
from telegram_bot import happenings, narrator, pace, play, private, screens, show, waiting
from telegram_bot.screens import named
from telegram_bot.texts import Markup, say

LINES = 10  # of a recap in all: what it is, the turns, who is awaited
LOG = 500  # turns that are looked back: more than a game has
LONGEST_LINE = 300  # characters of a turn: twelve hands shown in one would be a message of their own
LONGEST = 4000  # characters of several recaps in one message
IN_THE_MORNING = 2
LATE = timedelta(hours=2)  # a morning line that comes later comes not at all


def page(
    log: Sequence[LoggedEvent], seen: int, names: Mapping[Seat, str], awaited: str, most: int = LINES
) -> str:
    """What happened after event *seen*, and who is *awaited*, in *most* lines."""
    lines = since(log, seen, names, most - 2)
    head = [say("recap.title"), *lines] if lines else [say("recap.nothing")]
    return "\n".join([*head, awaited])


def awaited(unit: Unit) -> str:
    """Who is awaited, until when; as on the board."""
    game = unit.game
    assert game is not None
    if game.status == "over":
        return screens.board_over(game).text
    return screens.awaited(game, core.view(play.standing(game), None), unit.now)


def since(log: Sequence[LoggedEvent], seen: int, names: Mapping[Seat, str], most: int = LINES) -> list[Markup]:
    """What was logged after event *seen*; of a turn whose beginning was seen, the rest."""
    news = [one for one in log if one.seq > seen]
    if not news:
        return []
    events = [happenings.read(one.event) for one in news]
    if not isinstance(events[0], TurnBegan):
        turn = (happenings.read(one.event) for one in log if one.turn == news[0].turn)
        events = [*(event for event in turn if isinstance(event, TurnBegan)), *events]
    return tell(events, names, most)


def tell(events: Iterable[Event], names: Mapping[Seat, str], most: int = LINES) -> list[Markup]:
    """A line a turn; with more turns than lines the quiet ones are counted together, and what mattered is told."""
    turns = [turn for turn in map(_Turn, narrator.by_turn(_public(events))) if turn.facts(names)]
    if len(turns) <= most:
        return [turn.line(names) for turn in turns]
    # The last turns whole, of those before what mattered most, and a line for all the rest.
    last = turns[len(turns) - max(1, most * 2 // 5) :]
    before = turns[: len(turns) - len(last)]
    room = most - len(last) - 1
    told = [turn for turn in before if turn.matters][-room:] if room else []
    quiet = say("recap.quiet", n=len(before) - len(told), turn=turns[0].number)
    return [quiet, *(turn.line(names) for turn in (*told, *last))]


def _public(events: Iterable[Event]) -> Iterable[Event]:
    return (seen for event in events if (seen := core.seen_by(event, None)) is not None)


class _Turn:
    """One turn of a recap: whose, and what happened in it, in order."""

    def __init__(self, events: Sequence[Event]) -> None:
        self.began = next((event for event in events if isinstance(event, TurnBegan)), None)
        self.number = self.began.turn if self.began is not None else 0
        self.events = events
        self.matters = any(isinstance(event, (Eliminated, Declared, GameEnded)) for event in events)

    def facts(self, names: Mapping[Seat, str]) -> list[Markup]:
        """What happened; nothing yet in a turn that has only begun."""
        if self.began is None:
            return []
        facts = [told for event in self.events if (told := fact(event, names)) is not None]
        if not facts and any(isinstance(event, CardDiscarded) for event in self.events):
            facts = [say("recap.discards")]
        return list(dict.fromkeys(facts))

    def line(self, names: Mapping[Seat, str]) -> Markup:
        """The turn, as much of it as a line takes."""
        assert self.began is not None
        facts, line = self.facts(names), Markup()
        for number in range(len(facts), 0, -1):
            told = Markup(", ".join([*facts[:number], *(["\u2026"] if number < len(facts) else [])]))
            line = say("recap.line", turn=self.number, name=named(names[self.began.seat]), facts=told)
            if private.length(line) <= LONGEST_LINE:
                break
        return line


def fact(event: Event, names: Mapping[Seat, str]) -> Markup | None:
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
        case happenings.Claimed(seat=seat, about=about, what=what):
            return say(f"recap.claimed_{what}", name=of(seat), about=of(about))
        case Declared():
            return say("recap.declared")
    return None


# --- the line of a morning ---


def morning(unit: Unit, log: Sequence[LoggedEvent]) -> None:
    """The quiet hours are over: a short message to the group, if something happened in them or somebody is awaited."""
    game = unit.game
    assert game is not None
    hours = pace.hours_of(game, show.settings(unit))
    if (next_one := hours.morning(unit.now)) is not None:
        others = (timer for timer in game.timers if timer.kind != pace.MORNING)
        unit.game = replace(game, timers=(*others, Timer(pace.MORNING, next_one)))
    night = hours.last_night(unit.now)
    if night is None or unit.now - night[1] > LATE:
        return
    seen = max((one.seq for one in log if one.at < night[0]), default=0)
    lines = since(log, seen, screens.names_of(game), IN_THE_MORNING)
    if not lines and not any(waiting.awaited(game)):
        return
    told = [say("recap.morning"), *lines] if lines else [say("recap.morning_quiet")]
    unit.post_anew("morning", screens.screen("\n".join([*told, awaited(unit)]), delete=True))
