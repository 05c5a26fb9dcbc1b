"""The contagion: cards that are held, and given, and never played (R23, R24)."""

from core.cards.registry import INFECTED, THING, contagion


@contagion(THING, corner="1")
def the_thing() -> None:  # R23
    """You are The Thing. Never play, discard or give this card. Infect the others until no Human is left."""


@contagion(INFECTED, corner="4x8 6x2 7x2 8 9x2 10x2 11x3")
def infected() -> None:  # R24
    """Received from The Thing in an exchange, it makes you Infected, for good. Drawn, it does nothing."""
