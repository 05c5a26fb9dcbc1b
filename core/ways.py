"""How a turn can be cut short."""


class TurnEnds(Exception):
    """Raised by a card whose text ends with "your turn ends"."""
