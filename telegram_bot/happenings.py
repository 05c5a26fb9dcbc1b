"""What happens at a table beside the rules: told, and stored, like the events of the game."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from core import Event, Seat
from core.events import AnyEvent

What: TypeAlias = Literal["human", "infected", "thing"]


class TimeRanOut(Event, frozen=True):
    """*seat* did not answer in time; the clock gave the answer that follows (R65). More is not told (R66)."""

    seat: Seat


class SeatTakenOver(Event, frozen=True):
    """A bot player plays for *seat* until its owner is back."""

    seat: Seat


class SeatGivenBack(Event, frozen=True):
    """The owner of *seat* plays again."""

    seat: Seat


class Claimed(Event, frozen=True):
    """*seat* says to all that *about* is *what*. It proves nothing."""

    seat: Seat
    about: Seat
    what: What


AnyHappening = TimeRanOut | SeatTakenOver | SeatGivenBack | Claimed


def read(stored: object) -> Event:
    """An event as it was stored, of the rules or of the table beside them."""
    return msgspec.convert(stored, AnyEvent | AnyHappening)  # type: ignore[no-any-return]
