"""The PANIC! cards (R42 to R51): resolved when drawn in step 1; then step 3, unless the turn ends."""

from __future__ import annotations

from itertools import combinations

from core.asks import FORGET, PASS_ON, SHOW, SWAP, TARGET, Ask, AskAll, Choice, Seat
from core.cards.aims import companions, free_neighbours
from core.cards.registry import INFECTED, panic
from core.events import CardLeftOnDeck, NothingShown, SeatsKept
from core.exchange import exchange, pass_on, spread
from core.table import Table
from core.ways import TurnEnds

ONE_TWO, GET_OUT, FRIENDS = "One, Two...", "Get Out of Here!", "Can't We Be Friends?"


@panic("Rotten Ropes", corner="6 9")
async def rotten_ropes(table: Table, player: Seat) -> None:  # R42
    """All Quarantines are over."""
    table.end_all_quarantines()


@panic(ONE_TWO, corner="5 9")
async def one_two(table: Table, player: Seat) -> None:  # R43
    """Change seats with the third player to your left or to your right, unless one of you is in Quarantine."""
    if len(table.seats) <= 3:
        return table.say(SeatsKept(player, ONE_TWO))
    _, side = await Ask(player, TARGET, (("choose", "left"), ("choose", "right")), ONE_TWO)
    third = table.others(player)[2 if side == "left" else -3]
    if table.is_quarantined(player) or table.is_quarantined(third):
        table.say(SeatsKept(player, ONE_TWO, "Quarantine"))
    else:
        table.swap_seats(player, third)


@panic("Three, Four...", corner="4 9")
async def three_four(table: Table, player: Seat) -> None:  # R44
    """All Barred Doors are removed."""
    table.remove_all_doors()


@panic("So This Is the Party?", corner="5 9")
async def party(table: Table, player: Seat) -> None:  # R45
    """All Quarantines and Barred Doors are removed; then, from you clockwise, everybody changes seats in pairs."""
    table.end_all_quarantines()
    table.remove_all_doors()
    guests = [player, *table.others(player)]
    for one, other in zip(guests[::2], guests[1::2], strict=False):  # an odd last one stays
        table.swap_seats(one, other)


@panic(GET_OUT, corner="5")
async def get_out_of_here(table: Table, player: Seat) -> None:  # R46
    """Change seats with any player who is not in Quarantine."""
    if table.is_quarantined(player):
        return table.say(SeatsKept(player, GET_OUT, "Quarantine"))
    if table.options.neighbours_only:
        seats = free_neighbours(table, player)
    else:
        seats = [s for s in table.others(player) if not table.is_quarantined(s) and not table.is_shut(player, s)]
    if not seats:
        return table.say(SeatsKept(player, GET_OUT))
    _, other = await Ask(player, TARGET, tuple(("choose", seat) for seat in seats), GET_OUT)
    table.swap_seats(player, other)


@panic("Forgetful", corner="4")
async def forgetful(table: Table, player: Seat) -> None:  # R47
    """Discard three of your cards and draw three new ones."""
    _, *cards = await Ask(player, FORGET, three_to_forget(table, player), "Forgetful")
    for card in cards:
        table.discard(player, card)
    table.replace(player, 3)


def three_to_forget(table: Table, seat: Seat) -> tuple[Choice, ...]:
    """Every three cards that may go together: an Infected keeps one Infected!, The Thing itself (R10)."""
    hand = sorted(table.hands[seat])
    threes = dict.fromkeys(combinations(hand, min(3, len(hand))))
    role = table.roles[seat]
    if role == "thing":
        threes = dict.fromkeys(three for three in threes if "The Thing" not in three)
    if role == "infected" and INFECTED in hand:
        threes = dict.fromkeys(three for three in threes if three.count(INFECTED) < hand.count(INFECTED))
    return tuple(("forget", *three) for three in threes)


@panic("Round and Round", corner="4 9")
async def round_and_round(table: Table, player: Seat) -> None:  # R48
    """Everybody gives a card to the next player, all at once; the turn ends."""
    round_ = [(seat, table.after(seat)) for seat in table.round_from(player)]
    choices = {giver: tuple(("give", card) for card in table.may_give(giver, taker)) for giver, taker in round_}
    answers = await AskAll([Ask(giver, PASS_ON, choices[giver], "Round and Round", taker) for giver, taker in round_])
    gifts = [(giver, answers[giver][1], taker) for giver, taker in round_]
    for giver, card, _ in gifts:
        table.lay_aside(giver, card)
    for giver, card, taker in gifts:
        pass_on(table, giver, card, taker)
    for giver, card, taker in gifts:
        spread(table, giver, card, taker)
    for seat, _ in round_:
        table.fit(seat)
    raise TurnEnds


@panic(FRIENDS, corner="7 9")
async def cant_we_be_friends(table: Table, player: Seat) -> None:  # R49
    """Exchange a card with any player who is not in Quarantine."""
    friends = [] if table.is_isolated(player) else companions(table, player)
    if friends:
        _, friend = await Ask(player, TARGET, tuple(("choose", seat) for seat in friends), FRIENDS)
        await exchange(table, player, friend)


@panic("Blind Date", corner="4 9")
async def blind_date(table: Table, player: Seat) -> None:  # R50
    """Swap a card of your hand for the top card of the deck; your turn ends."""
    choices = tuple(("swap", card) for card in table.may_part_with(player))
    _, card = await Ask(player, SWAP, choices, "Blind Date")
    table.lay_aside(player, card)
    table.replace(player)
    table.aside.remove(card)
    table.deck.append(card)
    table.say(CardLeftOnDeck(player, card))
    raise TurnEnds


@panic("Oops!", corner="10")
async def oops(table: Table, player: Seat) -> None:  # R51
    """Show your whole hand to everybody."""
    table.show(player, table.hands[player], by="Oops!")


@panic("Just Between Us...", corner="7 9")
async def just_between_us(table: Table, player: Seat) -> None:  # R51
    """Show your whole hand to one neighbour of your choice."""
    near = [seat for seat in table.neighbours(player) if not table.is_shut(player, seat)]
    if near:
        _, friend = await Ask(player, TARGET, tuple(("choose", seat) for seat in near), "Just Between Us...")
        table.show(player, table.hands[player], by="Just Between Us...", to=(friend,))


@panic("Revelations", corner="8")
async def revelations(table: Table, player: Seat) -> None:  # R51
    """From you on, everybody shows the whole hand, one Infected!, or nothing; the first Infected! shown ends it."""
    for seat in table.round_from(player):
        hand = table.hands[seat]
        ways = ("all", INFECTED, "nothing") if INFECTED in hand else ("all", "nothing")
        match await Ask(seat, SHOW, tuple(("show", way) for way in ways), "Revelations"):
            case (_, "nothing"):
                table.say(NothingShown(seat))
                continue
            case (_, "all"):
                shown = list(hand)
            case _:
                shown = [INFECTED]
        table.show(seat, shown, by="Revelations")
        if INFECTED in shown:
            return
