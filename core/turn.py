"""A turn from draw to exchange, and every way a game ends (R15 to R21, R52 to R58)."""

from __future__ import annotations

from core.asks import KEEP, STEP_TWO, Ask, Card, Choice, Seat
from core.cards import actions, contagion, defences, obstacles, panics  # noqa: F401  (each registers its cards)
from core.cards.registry import INFECTED, PANICS, PLAYABLE
from core.events import CardPlayed, Declared, GameEnded, NotExchanged, PanicDrawn, TurnBegan
from core.exchange import defended, exchange
from core.table import MOST_INFECTED, Outcome, Table
from core.ways import TurnEnds

# Why a game ended.
THING_BURNED = "The Thing burned"
NO_HUMAN_LEFT = "no Human is left"
THING_ALONE = "no Human is left and nobody was eliminated"
FALSE_DECLARATION = "The Thing was wrong"
LAST_ONE = "one player is left"
ONE_FACTION = "one faction is left"


async def turn(table: Table) -> None:
    """Draw; a panic, or play or discard; exchange with the next player; then the next player's turn (R15 to R20)."""
    player = table.turn_of
    table.turn += 1
    table.say(TurnBegan(player, table.turn))
    confined = player in table.quarantines
    try:
        card = table.take_top()
        if card in PANICS:
            await panic(table, player, card)
        elif card is not None:
            table.take_in(player, card, replacement=False)
            await step_two(table, player)
        if (outcome := outcome_of_fire(table)) is not None:
            return end(table, outcome)
        await step_three(table, player)
    except TurnEnds:
        table.clear_away()  # the card that says so
    if confined and player in table.quarantines:
        table.count_quarantine(player)
    table.turn_of = table.after(player)


async def panic(table: Table, player: Seat, card: Card) -> None:
    """A PANIC! card is resolved at once and discarded (R16)."""
    table.aside.append(card)
    table.say(PanicDrawn(player, card))
    await PANICS[card].effect(table, player)
    table.put_away(card)


async def step_two(table: Table, player: Seat) -> None:
    """Discard one card face down, or play one (R17); after Resolute, once more (R30)."""
    match await Ask(player, STEP_TWO, plays(table, player)):
        case ("discard", card):
            table.discard(player, card)
        case (_, card, *aim):
            await play(table, player, card, *aim)
            if PLAYABLE[card].again:
                await step_two(table, player)


def plays(table: Table, player: Seat) -> tuple[Choice, ...]:
    """What step 2 allows: of four Infected! one must go (R9); in isolation only the own Quarantine is axed (R40)."""
    hand = table.hands[player]
    if hand.count(INFECTED) > MOST_INFECTED:
        return (("discard", INFECTED),)
    choices: list[Choice] = []
    isolated = table.is_isolated(player)
    for card in dict.fromkeys(hand):
        if card in PLAYABLE and (card == "Axe" or not isolated):
            choices += [("play", card, *aim) for aim in PLAYABLE[card].aims(table, player)]  # type: ignore[misc]
    choices += [("discard", card) for card in table.may_part_with(player)]
    return tuple(choices)


async def play(table: Table, player: Seat, card: Card, *aim: str) -> None:
    """A card is played, its target may stop it, and it is discarded after use, unless it stays on the table."""
    rule = PLAYABLE[card]
    table.lay_aside(player, card)
    table.say(CardPlayed(player, card, *aim))
    if not (rule.unless and await defended(table, aim[0], player, card, rule.unless)):
        await rule.effect(table, player, *aim)
    if rule.kind != "obstacle":
        table.put_away(card)


async def step_three(table: Table, player: Seat) -> None:
    """Exchange with the next player, unless a Barred Door or a Quarantine is in the way (R18, R19)."""
    other = table.after(player)
    if table.is_door_ahead(player):
        table.say(NotExchanged(player, other, "Barred Door"))
    elif table.is_isolated(player) or table.is_isolated(other):
        table.say(NotExchanged(player, other, "Quarantine"))
    else:
        await exchange(table, player, other)


# --- how a game ends ---


def outcome_of_fire(table: Table) -> Outcome | None:
    """How the game stands after a step 2: over only if an elimination ends it (R53, R57, R64)."""
    if not table.dead or table.dead[-1].turn != table.turn:
        return None
    humans = [seat for seat in table.seats if table.is_human(seat)]
    others = [seat for seat in table.seats if not table.is_human(seat)]
    if any(table.roles[dead.seat] == "thing" for dead in table.dead):
        if not table.options.vengeance:
            return Outcome(THING_BURNED, tuple(humans))
        if humans and others:
            return None
        return Outcome(ONE_FACTION, tuple(seat for seat in table.seats if seat != late_convert(table)))
    if len(table.seats) > 1:
        return None
    return Outcome(LAST_ONE, tuple(table.seats))


def outcome_of_declaration(table: Table) -> Outcome:
    """How the game ends when The Thing declares that no Human is left (R54, R55, R56)."""
    humans = tuple(seat for seat in table.seats if table.is_human(seat))
    if humans:
        return Outcome(FALSE_DECLARATION, humans)
    if not table.dead and table.thing is not None:
        return Outcome(THING_ALONE, (table.thing,))
    return Outcome(NO_HUMAN_LEFT, tuple(seat for seat in table.seats if seat != late_convert(table)))


def late_convert(table: Table) -> Seat | None:
    """Who was the last Human and loses for being converted, not eliminated (R58)."""
    return table.last_infected if table.options.last_infected_loses else None


def end(table: Table, outcome: Outcome) -> None:
    """The game is over, and everybody hears how."""
    table.outcome = outcome
    table.say(GameEnded(outcome.why, outcome.winners))


# --- The Thing's declaration, a choice nobody asks for (R54) ---


def may_declare(table: Table, waiting: tuple[Ask, ...]) -> Seat | None:
    """The Thing, if it may declare now: in its own turn, or while somebody's step 2 is waited for."""
    thing = table.thing
    if thing is not None and (thing == table.turn_of or any(ask.about in (STEP_TWO, KEEP) for ask in waiting)):
        return thing
    return None


def declare(table: Table, seat: Seat) -> None:
    """The Thing declares that no Human is left, and the game is over, true or not (R54, R56)."""
    outcome = outcome_of_declaration(table)
    table.say(Declared(seat, outcome.why != FALSE_DECLARATION))
    end(table, outcome)
