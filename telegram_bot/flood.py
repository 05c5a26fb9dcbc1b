"""Floods from one person are dropped quietly: a person's, not the group's (issue 3, 4; failures.md 5.53)."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

BURST = 60  # updates at once after a silence: more than any hand taps
RATE = 10.0  # updates a second for good
REMEMBERED = 10_000  # people; who was silent longest is forgotten first


class Gate:
    """Lets so many updates of a person through, in this process. Its clock is for counting alone, not for the game."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._people: OrderedDict[int, tuple[float, float]] = OrderedDict()  # drops left, and since when

    def passes(self, person: int) -> bool:
        """Whether another update of a person may pass now; it is counted if it may."""
        now = self._now()
        left, since = self._people.pop(person, (float(BURST), now))
        left = min(float(BURST), left + (now - since) * RATE)
        self._people[person] = (max(0.0, left - 1), now)
        if len(self._people) > REMEMBERED:
            self._people.popitem(last=False)
        return left >= 1


def sender_of(raw: dict[str, Any]) -> int | None:
    """Who sent a message or pressed a button; None for updates that nobody can flood with.

    Who writes as a group or a channel counts as that: all of Telegram's anonymous administrators are one user.
    """
    for kind in ("callback_query", "message", "edited_message"):
        part = raw.get(kind)
        if isinstance(part, dict) and isinstance(sender := part.get("sender_chat") or part.get("from"), dict):
            number = sender.get("id")
            return number if isinstance(number, int) else None
    return None
