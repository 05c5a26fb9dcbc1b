"""Floods from one person are dropped quietly: a person's, not the group's (issue 3, 4; failures.md 5.53)."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from db.store import Store

Rest: TypeAlias = "Callable[[float], Awaitable[None]]"

BURST = 60  # updates at once after a silence: more than any hand taps
RATE = 10.0  # updates a second for good
REMEMBERED = 10_000  # people; who was silent longest is forgotten first

MINUTE = 60.0
SAME, COMMANDS = 8, 14  # commands of a person in a minute: of one kind, and of all
WAITING = 20  # answers that wait at once: Telegram's connections wait with them, and it has forty for us
PAGES = 30  # pages of the own hand that a person is shown in the group in a minute: more than who reads all cards turns


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


class Minute:
    """Lets *most* things of a person through in a minute of the game's time, *same* of one kind, in this process: each
    may be answered by a message, and a group takes twenty a minute from us."""

    def __init__(self, most: int, same: int | None = None) -> None:
        self._most, self._same = most, same or most
        self._people: OrderedDict[int, deque[tuple[float, str]]] = OrderedDict()

    def passes(self, person: int, now: float, kind: str = "") -> bool:
        done = self._people.pop(person, deque())
        self._people[person] = done
        if len(self._people) > REMEMBERED:
            self._people.popitem(last=False)
        while done and done[0][0] <= now - MINUTE:
            done.popleft()
        if len(done) >= self._most or sum(kind == other for _, other in done) >= self._same:
            return False
        done.append((now, kind))
        return True


class Measure:
    """How much is taken of a person, and said to a group. *rest*: how an answer waits that must not come in a burst."""

    def __init__(self, store: Store, rest: Rest = asyncio.sleep) -> None:
        self.store, self.rest, self._waiting = store, rest, 0
        self.commands, self.pages = Minute(COMMANDS, SAME), Minute(PAGES)

    async def may_say(self, chat_id: int) -> bool:
        """Whether something may be said in a chat now, after a moment perhaps: to a group it counts among what that
        takes from us, and where the minute is used up it is dropped (who wants to know asks again). So it is where very
        many wait."""
        wait = await self.store.say_aside(chat_id) if chat_id < 0 else 0.0
        if not wait:
            return wait is not None
        if self._waiting >= WAITING:
            return False
        self._waiting += 1
        try:
            await self.rest(wait)
        finally:
            self._waiting -= 1
        return True


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
