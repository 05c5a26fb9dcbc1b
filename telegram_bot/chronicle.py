"""The whole story: what really happened, turn by turn, the cards with it, for who asks when the game is over.

It is for one reader at a time, a page after another: in the group it would be a wall.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core import Event, Seat
from core.events import CardDiscarded, CardPassedOn, Exchanged, HandShown, TurnBegan, TurnedInfected, TurnedThing
from db.records import Button, GameRow, Wanted
from db.records import Event as LoggedEvent
from telegram_bot import happenings, narrator, recap, screens
from telegram_bot.names import shortened
from telegram_bot.private import LONGEST, length
from telegram_bot.screens import named
from telegram_bot.texts import Markup, say, say_plain

ROOM = 600  # characters of a page, a screen of a phone; one long turn may take more
MOST = LONGEST - 60  # but never more than that; the rest is the title


def page(game: GameRow, log: Sequence[LoggedEvent], number: int) -> Wanted:
    """A page of it, with buttons to the one before and the one after."""
    pages = _pages(game, [happenings.read(one.event) for one in log])
    number = min(number, len(pages) - 1)
    turning = []
    if number:
        turning.append(_button(game, "chronicle.button_before", number - 1))
    if number + 1 < len(pages):
        turning.append(_button(game, "chronicle.button_after", number + 1))
    title = say("chronicle.title", n=number + 1, all=len(pages))
    return screens.screen("\n".join([title, *pages[number]]), rows=(tuple(turning),) if turning else ())


def _button(game: GameRow, key: str, number: int) -> Button:
    return screens.button(say_plain(key), game, "ending", "story", number, version=0)


def _pages(game: GameRow, events: Sequence[Event]) -> list[list[Markup]]:
    """The turns in pages; where a turn is too long for one, names are shortened."""
    names = screens.names_of(game)
    lines = _lines(events, names)
    for room in (16, 10, 5):
        if all(length(line) <= MOST for line in lines):
            break
        cut = shortened([row.name for row in game.roster], room)
        lines = _lines(events, {row.seat: name for row, name in zip(game.roster, cut, strict=True)})
    pages: list[list[Markup]] = [[]]
    for line in lines:
        if pages[-1] and length("\n".join([*pages[-1], line])) > ROOM:
            pages.append([])
        pages[-1].append(line)
    return pages


def _lines(events: Sequence[Event], names: Mapping[Seat, str]) -> list[Markup]:
    lines = []
    for turn in narrator.by_turn(events):
        began = turn[0]
        facts = [fact for event in turn if (fact := _fact(event, names)) is not None]
        if isinstance(began, TurnBegan) and facts:
            told = Markup("; ".join(dict.fromkeys(facts)))
            lines.append(say("recap.line", turn=began.turn, name=named(names[began.seat]), facts=told))
    return lines


def _fact(event: Event, names: Mapping[Seat, str]) -> Markup | None:
    """What an event is worth when all may be told."""

    def of(seat: Seat) -> Markup:
        return named(names[seat])

    match event:
        case CardDiscarded(card=card):
            return say("chronicle.discards", card=card)
        case Exchanged(giver=giver, taker=taker, given=given, returned=returned):
            return say("chronicle.exchanged", one=of(giver), given=given, other=of(taker), returned=returned)
        case CardPassedOn(giver=giver, taker=taker, card=card):
            return say("chronicle.passed_on", one=of(giver), other=of(taker), card=card)
        case HandShown(seat=seat, cards=cards, to=to) if cards and to is not None:
            return say("chronicle.showed", name=of(seat), cards=", ".join(cards))
        case TurnedInfected(seat=seat):
            return say("chronicle.infected", name=of(seat))
        case TurnedThing(seat=seat):
            return say("chronicle.became_thing", name=of(seat))
    return recap.fact(event, names)
