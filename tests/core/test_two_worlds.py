"""A seat cannot tell two tables apart that differ only in what it cannot know: an equation, at random moments.

The second table is the first with unknown cards exchanged (of the same back: backs are public, R5), or with two other
players exchanging hand and role. Both are given the same answers, for as long as they are legal on both.
"""

from __future__ import annotations

from random import Random

import core
from core import Live, Options, Seat, Table, events, seen_by
from tests.core.evenings import INFECTED, SEATS, THING, any_options, by_dice

MOMENTS = 12  # compared from one beginning of a turn


def turn_starts(seed: str, players: int, options: Options) -> list[str]:
    """The table at the beginning of every turn of a game of dice, as text."""
    starts: list[str] = []
    dice = Random(seed)
    live = Live(core.deal(SEATS[:players], options, seed), lambda table: starts.append(core.freeze(table)))
    while live.outcome is None:
        live.answer(*by_dice(live, dice))
    return starts


def other_world(text: str, viewer: Seat | None, dice: Random) -> Table:
    """The table with what *viewer* does not know changed."""
    table = core.thaw(text)
    known = core.view_of(table, {}, {}, viewer).roles
    for _ in range(6):
        if dice.random() < 0.4:
            exchange_players(table, [seat for seat in table.seats if seat != viewer and seat not in known], dice)
        else:
            exchange_cards(table, viewer, dice)
    return table


def exchange_players(table: Table, unknown: list[Seat], dice: Random) -> None:
    """Two players whose roles are unknown exchange hand and role."""
    if len(unknown) >= 2:
        one, other = dice.sample(unknown, 2)
        table.hands[one], table.hands[other] = table.hands[other], table.hands[one]
        table.roles[one], table.roles[other] = table.roles[other], table.roles[one]


def exchange_cards(table: Table, viewer: Seat | None, dice: Random) -> None:
    """Two cards that *viewer* does not see exchange places, unless somebody's role would not fit the hand."""
    places = [table.hands[seat] for seat in table.seats if seat != viewer and table.hands[seat]]
    places += [place for place in (table.deck, table.pile) if place]
    one, other = dice.choice(places), dice.choice(places)
    i, j = dice.randrange(len(one)), dice.randrange(len(other))
    if THING not in (one[i], other[j]) and is_panic(one[i]) == is_panic(other[j]):
        one[i], other[j] = other[j], one[i]
        if not all(is_sound(table, seat) for seat in table.seats):
            one[i], other[j] = other[j], one[i]


def is_panic(card: str) -> bool:
    return core.CARDS[card].kind == "panic"


def is_sound(table: Table, seat: Seat) -> bool:
    infected = table.hands[seat].count(INFECTED)
    return infected <= 3 and (infected >= 1 or table.roles[seat] != "infected")


def may_differ(event: events.Event, viewer: Seat | None) -> bool:
    """Whether the rules tell *viewer* something here: a card it gets, is shown or sees face up (section 8)."""
    match event:
        case events.HandShown(seat=seat, to=to):
            return to is None or viewer == seat or viewer in to
        case events.CardDrawn(seat=seat, face_up=up) | events.CardDiscarded(seat=seat, face_up=up):
            return up or viewer == seat
        case events.Exchanged(giver=giver, taker=taker, face_up=up) | events.CardPassedOn(
            giver=giver, taker=taker, face_up=up
        ):
            return up or viewer in (giver, taker)
        case events.PanicDrawn() | events.GameEnded() | events.Declared():
            return True
        case events.TurnedInfected(seat=seat, by=by):
            return viewer in (seat, by)
        case events.TurnedThing(seat=seat):
            return viewer == seat
    return False


def surplus(heard: list[events.Event]) -> int:
    """How many times a fourth Infected! was discarded, before everybody's eyes (R9)."""
    return sum(isinstance(event, events.CardDiscarded) and event.surplus for event in heard)


def compare(text: str, viewer: Seat | None, dice: Random) -> int:
    """Play both worlds from the beginning of a turn; how many moments were the same to *viewer*."""
    one, other = Live(core.thaw(text)), Live(other_world(text, viewer, dice))
    for moment in range(MOMENTS):
        here, there = hear(one), hear(other)
        if one.outcome or other.outcome or surplus(here) != surplus(there) or is_told_apart(here, there, viewer):
            return moment  # from here on everybody, or the viewer, may know better
        assert core.view_of(one.table, one.asks, one.standing, viewer) == core.view_of(
            other.table, other.asks, other.standing, viewer
        )
        seat = dice.choice(list(one.asks))
        common = [choice for choice in one.asks[seat].choices if choice in other.asks[seat].choices]
        if not common:
            return moment + 1
        choice = dice.choice(common)
        one.answer(seat, choice)
        other.answer(seat, choice)
    return MOMENTS


def hear(live: Live) -> list[events.Event]:
    """What has happened since the last time."""
    heard, live.table.events = live.table.events, []
    return heard


def is_told_apart(here: list[events.Event], there: list[events.Event], viewer: Seat | None) -> bool:
    """Whether what *viewer* knows of both is different, where the rules tell it something."""
    known = [[event for event in heard if seen_by(event, viewer) is not None] for heard in (here, there)]
    for one, other in zip(*known, strict=False):
        if seen_by(one, viewer) != seen_by(other, viewer):
            assert may_differ(one, viewer) or may_differ(other, viewer), (one, other, viewer)
            return True
    assert len(known[0]) == len(known[1]), known
    return False


def equation(games: int, seed: str) -> int:
    moments = 0
    for game in range(games):
        dice = Random(f"{seed} {game}")
        players = 4 + game % 9
        options = core.Options()
        while options == core.Options():
            options = any_options(dice, players)
        options = core.read_options({**given(options), "secrecy": "strict"}, players)
        starts = turn_starts(f"{seed} {game}", players, options)
        for text in dice.sample(starts, min(4, len(starts))):
            for viewer in (*SEATS[:players], None):
                moments += compare(text, viewer, dice)
    return moments


def given(options: Options) -> dict[str, object]:
    return {name: getattr(options, name) for name in Options.__struct_fields__}


def test_no_seat_can_tell_two_worlds_apart_that_it_should_not() -> None:
    assert equation(60, "worlds") > 5000
