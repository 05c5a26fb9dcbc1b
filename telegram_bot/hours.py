"""When the clock of a game goes: not in a group's quiet hours, and not while the game stood still. Pure functions.

All moments are aware and compared in UTC; only the beginning and the end of the quiet hours are looked up on the
group's wall clock (an IANA zone), day by day, so that they are right over midnight and on both days when the clocks
change. A time of the wall clock that the spring day skips falls as much later; one that the autumn day has twice is its
first. (Cron that counted in local time looped on such days: field/backend.md 4.1; failures.md row 22.)
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from itertools import takewhile
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

Stretch = tuple[datetime, datetime]  # from, and up to without


_NONE = timedelta()
_DAY = timedelta(days=1)


class Quiet(NamedTuple):
    """The quiet hours of a group, on its wall clock; they may go over midnight."""

    zone: ZoneInfo
    begins: time
    ends: time

    def after(self, since: datetime) -> Iterator[Stretch]:
        """The quiet hours that are not over at *since*, one day after the other, for ever."""
        day = since.astimezone(self.zone).date() - _DAY  # what began yesterday may go on
        over_midnight = _DAY if self.ends <= self.begins else _NONE
        while True:
            begins, ends = self._at(day, self.begins), self._at(day + over_midnight, self.ends)
            if ends > max(begins, since):  # a spring day may skip the beginning, and put it after the end
                yield begins, ends
            day += _DAY

    def _at(self, day: date, wall: time) -> datetime:
        return datetime.combine(day, wall, self.zone).astimezone(UTC)


def zone(name: object) -> ZoneInfo | None:
    """The zone of an IANA name; None for what is none."""
    if not isinstance(name, str):
        return None
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # a folder of zones, and paths, raise the others
        return None


def wall_time(text: object) -> time | None:
    """A time of the wall clock, as "23:00"; None for what is none."""
    hour, colon, minute = text.partition(":") if isinstance(text, str) else ("", "", "")
    if not (colon and all(part.isascii() and part.isdigit() and len(part) <= 2 for part in (hour, minute))):
        return None
    return time(int(hour), int(minute)) if int(hour) < 24 and int(minute) < 60 else None


def quiet_of(settings: Mapping[str, Any] | None) -> Quiet | None:
    """What a group chose (`chats.settings`): *zone* (UTC where none is known), *quiet_from* and *quiet_to*.

    None for a group without quiet hours.
    """
    chosen = settings or {}
    begins, ends = wall_time(chosen.get("quiet_from")), wall_time(chosen.get("quiet_to"))
    if begins is None or ends is None or begins == ends:
        return None
    return Quiet(zone(chosen.get("zone")) or ZoneInfo("UTC"), begins, ends)


def next_time(zone: ZoneInfo, minutes: int, now: datetime) -> datetime:
    """When the wall clock of *zone* shows so many minutes after midnight next."""
    day, wall = now.astimezone(zone).date(), time(*divmod(minutes, 60))
    times = (datetime.combine(day + later * _DAY, wall, zone).astimezone(UTC) for later in range(3))
    return next(at for at in times if at > now)


class Hours(NamedTuple):
    """When the clock of a game goes: outside the *quiet* hours, and of the stretches in which the game *stopped*
    (paused, or the bot was down)."""

    quiet: Quiet | None = None
    stopped: tuple[Stretch, ...] = ()

    def later(self, since: datetime, by: timedelta) -> datetime:
        """The moment at which the clock has gone for *by* after *since*."""
        at = since
        for begins, ends in self._still(since):
            if ends <= at:
                continue
            if begins - at >= by:
                break
            by -= max(begins - at, _NONE)
            at = ends
        return at + by

    def between(self, since: datetime, until: datetime) -> timedelta:
        """For how long the clock went from *since* to *until*."""
        went, at = _NONE, since
        for begins, ends in self._still(since):
            if begins >= until:
                break
            if ends > at:
                went += max(begins - at, _NONE)
                at = ends
        return went + max(until - at, _NONE)

    def is_quiet(self, at: datetime) -> bool:
        return self.wakes(at) > at

    def wakes(self, at: datetime) -> datetime:
        """The end of the quiet hours around *at*; *at* itself outside of them."""
        if self.quiet is None:
            return at
        begins, ends = next(self.quiet.after(at))
        return ends if begins <= at else at

    def morning(self, at: datetime) -> datetime | None:
        """The end of the quiet hours that are on at *at*, or come next; None where there are none."""
        return next(self.quiet.after(at))[1] if self.quiet is not None else None

    def last_night(self, at: datetime) -> Stretch | None:
        """The quiet hours that were over last at *at*."""
        if self.quiet is None:
            return None
        nights = takewhile(lambda night: night[1] <= at, self.quiet.after(at - 3 * _DAY))
        return max(nights, default=None)

    def _still(self, since: datetime) -> Iterator[Stretch]:
        nights = self.quiet.after(since) if self.quiet is not None else iter(())
        return heapq.merge(nights, sorted(self.stopped))
