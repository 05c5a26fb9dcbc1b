"""The actions (R25 to R34): played in step 2, discarded after use."""

from __future__ import annotations

from core.asks import KEEP, Ask, Seat
from core.cards.aims import anyone, axe_aims, neighbour, no_aim, seat_of_anyone, seat_of_neighbour, unless_quarantined
from core.cards.registry import THING, action
from core.events import CardKept
from core.exchange import exchange
from core.table import Side, Table
from core.ways import TurnEnds


@action("Flamethrower", corner="4x2 6 9 11", at=unless_quarantined(neighbour), unless="No Barbeque!")
async def flamethrower(table: Table, player: Seat, target: Seat) -> None:  # R25
    """Burn a neighbour: that player is out of the game."""
    table.eliminate(target, player)


@action("Analysis", corner="5 6 9", at=neighbour)
async def analysis(table: Table, player: Seat, target: Seat) -> None:  # R26
    """Look at the whole hand of a neighbour."""
    table.show(target, table.hands[target], by="Analysis", to=(player,))


@action("Axe", corner="4 9", at=axe_aims)
async def axe(table: Table, player: Seat, target: Seat, side: Side | None = None) -> None:  # R27
    """Remove one obstacle: the Quarantine on you or on a neighbour, or the Barred Door between the two of you."""
    gaps = table.gaps_between(player, target) if side is None else [table.gap(player, side)]
    shut = [gap for gap in gaps if table.doors[gap]]
    if len(shut) == len(gaps) > 0:
        table.remove_door(shut[0])
    else:
        table.end_quarantine(target)


@action("Suspicion", corner="4x4 7 8 9 10", at=neighbour)
async def suspicion(table: Table, player: Seat, target: Seat) -> None:  # R28
    """Look at one card of a neighbour, drawn at random."""
    table.show(target, [table.pick(target)], by="Suspicion", to=(player,))


@action("Whisky", corner="4 6 10", at=no_aim)
async def whisky(table: Table, player: Seat) -> None:  # R29
    """Show your whole hand to everybody."""
    table.show(player, table.hands[player], by="Whisky")


@action("Resolute", corner="4x2 6 9 10", at=no_aim, again=True)
async def resolute(table: Table, player: Seat) -> None:  # R30
    """Draw three cards, keep one, discard the others; then play or discard once more."""
    drawn = table.replace(player, 3)
    if not drawn:
        return
    kept = [THING] if THING in drawn else dict.fromkeys(drawn)  # R59
    _, keep = await Ask(player, KEEP, tuple(("keep", card) for card in kept), "Resolute")
    table.say(CardKept(player, keep))
    drawn.remove(keep)
    for card in drawn:
        table.discard(player, card)


@action("Watch Your Back", corner="4 9", at=no_aim)
async def watch_your_back(table: Table, player: Seat) -> None:  # R31
    """Reverse the direction of play, from this turn's exchange on."""
    table.turn_direction()


@action("Change Places!", corner="4x2 7 9 11", at=unless_quarantined(seat_of_neighbour), unless="I'm Comfortable")
async def change_places(table: Table, player: Seat, target: Seat) -> None:  # R32
    """Change seats with a neighbour."""
    table.swap_seats(player, target)


@action("You'd Better Run!", corner="4x2 7 9 11", at=unless_quarantined(seat_of_anyone), unless="I'm Comfortable")
async def youd_better_run(table: Table, player: Seat, target: Seat) -> None:  # R33
    """Change seats with any player, Barred Doors or not."""
    table.swap_seats(player, target)


@action("Seduction", corner="4x2 6 7 8 10 11", at=anyone)
async def seduction(table: Table, player: Seat, target: Seat) -> None:  # R34
    """Exchange a card with any player; your turn ends."""
    await exchange(table, player, target)
    raise TurnEnds
