"""Quiet hours: the clock of a game stands still in them, on every night of the year."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import settings as settings_of
from hypothesis import strategies as st

from telegram_bot import settings
from telegram_bot.hours import Hours, Quiet, quiet_of, wall_time, zone

BERLIN = ZoneInfo("Europe/Berlin")
NIGHT = Quiet(BERLIN, time(23), time(8))
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)

ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Africa/Cairo")
zones = st.sampled_from(ZONES).map(ZoneInfo)
walls = st.integers(0, 24 * 60 - 1).map(lambda minute: time(*divmod(minute, 60)))
moments = st.datetimes(datetime(2020, 1, 1), datetime(2035, 1, 1), timezones=st.just(UTC))
spans = st.timedeltas(timedelta(), timedelta(days=3))


@st.composite
def quiets(draw: st.DrawFn) -> Quiet:
    begins = draw(walls)
    length = draw(st.integers(10, 20 * 60))
    minute = begins.hour * 60 + begins.minute + length
    return Quiet(draw(zones), begins, time(*divmod(minute % (24 * 60), 60)))


@st.composite
def stretches(draw: st.DrawFn, near: datetime) -> tuple[datetime, datetime]:
    begins = near + draw(st.timedeltas(timedelta(days=-1), timedelta(days=2)))
    return begins, begins + draw(spans)


@st.composite
def clocks(draw: st.DrawFn) -> tuple[Hours, datetime]:
    """Quiet hours and pauses, and a moment near them."""
    since = draw(moments)
    return Hours(draw(st.none() | quiets()), tuple(draw(st.lists(stretches(since), max_size=3)))), since


def berlin(text: str, fold: int = 0) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN, fold=fold).astimezone(UTC)


# --- over midnight ---


def test_the_clock_stands_still_over_midnight() -> None:
    hours = Hours(NIGHT)
    asked = berlin("2026-06-10 22:40")
    assert hours.later(asked, 20 * MINUTE) == berlin("2026-06-10 23:00")
    assert hours.later(asked, 30 * MINUTE) == berlin("2026-06-11 08:10")
    assert hours.between(asked, berlin("2026-06-11 08:10")) == 30 * MINUTE


@pytest.mark.parametrize("at", ["2026-06-10 23:00", "2026-06-11 03:00", "2026-06-11 07:59"])
def test_who_is_asked_in_the_quiet_hours_has_the_whole_time_after_them(at: str) -> None:
    hours = Hours(NIGHT)
    assert hours.is_quiet(berlin(at)) and hours.wakes(berlin(at)) == berlin("2026-06-11 08:00")
    assert hours.later(berlin(at), 30 * MINUTE) == berlin("2026-06-11 08:30")


@pytest.mark.parametrize("at", ["2026-06-10 22:59", "2026-06-11 08:00", "2026-06-11 12:00"])
def test_by_day_it_is_not_quiet(at: str) -> None:
    assert not Hours(NIGHT).is_quiet(berlin(at)) and Hours(NIGHT).wakes(berlin(at)) == berlin(at)


def test_a_siesta_is_within_a_day() -> None:
    hours = Hours(Quiet(BERLIN, time(13), time(15)))
    assert hours.later(berlin("2026-06-10 12:30"), HOUR) == berlin("2026-06-10 15:30")
    assert not hours.is_quiet(berlin("2026-06-10 23:30"))


def test_a_long_time_goes_over_several_nights() -> None:
    # 15 hours a day: 32 of them are two days and two hours.
    assert Hours(NIGHT).later(berlin("2026-06-10 08:00"), 32 * HOUR) == berlin("2026-06-12 10:00")


# --- the days when the clocks change ---


def test_the_night_of_spring_is_an_hour_shorter() -> None:
    hours = Hours(NIGHT)
    evening, morning = berlin("2026-03-28 22:50"), berlin("2026-03-29 08:20")
    assert morning - evening == 8 * HOUR + 30 * MINUTE
    assert hours.later(evening, 30 * MINUTE) == morning and hours.between(evening, morning) == 30 * MINUTE


def test_the_night_of_autumn_is_an_hour_longer() -> None:
    hours = Hours(NIGHT)
    evening, morning = berlin("2026-10-24 22:50"), berlin("2026-10-25 08:20")
    assert morning - evening == 10 * HOUR + 30 * MINUTE
    assert hours.later(evening, 30 * MINUTE) == morning and hours.between(evening, morning) == 30 * MINUTE


def test_a_time_that_spring_skips_falls_as_much_later() -> None:
    hours = Hours(Quiet(BERLIN, time(2, 30), time(9)))
    assert hours.later(berlin("2026-03-29 01:00"), 2 * HOUR) == berlin("2026-03-29 09:30")


def test_a_time_that_autumn_has_twice_is_its_first() -> None:
    hours = Hours(Quiet(BERLIN, time(23), time(2, 30)))
    assert hours.wakes(berlin("2026-10-25 01:00")) == berlin("2026-10-25 02:30", fold=0)
    assert not hours.is_quiet(berlin("2026-10-25 02:30", fold=1))


@given(quiets(), moments)
def test_it_is_quiet_when_the_wall_clock_says_so(quiet: Quiet, at: datetime) -> None:
    local = at.astimezone(quiet.zone)
    if any((local + d).utcoffset() != (local - d).utcoffset() for d in (timedelta(days=1), timedelta(days=2))):
        return  # the days when the clocks change have tests of their own
    wall = local.time()
    inside = quiet.begins <= wall < quiet.ends
    if quiet.ends < quiet.begins:
        inside = wall >= quiet.begins or wall < quiet.ends
    assert Hours(quiet).is_quiet(at) == inside


# --- any night, any zone ---


def at_a_change(draw: st.DrawFn, zone: ZoneInfo) -> datetime:
    """A moment within two days of a change of the clocks in *zone*, if there is one in that year."""
    year = draw(st.integers(2005, 2035))
    days = [datetime(year, 1, 1, tzinfo=UTC) + timedelta(days=day) for day in range(366)]
    offsets = [day.astimezone(zone).utcoffset() for day in days]
    changes = [day for day, one, next_one in zip(days, offsets, offsets[1:], strict=False) if one != next_one]
    return draw(st.sampled_from(changes or days)) + MINUTE * draw(st.integers(-2 * 24 * 60, 2 * 24 * 60))


@st.composite
def menus(draw: st.DrawFn) -> tuple[Quiet, datetime]:
    """Quiet hours as a group can set them, in any zone there is, near a change of the clocks."""
    choice = draw(st.sampled_from([choice for choice in settings.QUIET if choice]))
    begins, _, ends = choice.partition(" ")
    zone = draw(st.sampled_from(sorted(settings.zones())))
    quiet = quiet_of({"zone": zone, "quiet_from": begins, "quiet_to": ends})
    assert quiet is not None and quiet.zone.key == zone
    return quiet, at_a_change(draw, quiet.zone)


def goes(quiet: Quiet | None, stopped: tuple[tuple[datetime, datetime], ...], at: datetime) -> bool:
    """Whether the clock goes at a moment: what a person with a watch would say."""
    wall = at.astimezone(quiet.zone if quiet is not None else UTC).time()
    if quiet is None:
        is_quiet = False
    elif quiet.begins < quiet.ends:
        is_quiet = quiet.begins <= wall < quiet.ends
    else:
        is_quiet = wall >= quiet.begins or wall < quiet.ends
    return not is_quiet and not any(begins <= at < ends for begins, ends in stopped)


@settings_of(max_examples=150)
@given(menus(), st.integers(1, 20 * 60), st.lists(st.tuples(st.integers(-600, 2000), st.integers(0, 900)), max_size=4))
def test_a_watch_that_is_stopped_by_hand_says_the_same(
    menu: tuple[Quiet, datetime], minutes: int, stops: list[tuple[int, int]]
) -> None:
    """Minute by minute, with pauses and outages across the night: on both days of the year, at midnight or not, in
    zones of half hours, in the south, and in those that skip midnight."""
    quiet, since = menu
    stopped = tuple((since + begins * MINUTE, since + (begins + length) * MINUTE) for begins, length in stops)
    hours, at, left = Hours(quiet, stopped), since, minutes
    while left:
        left -= goes(quiet, stopped, at)
        at += MINUTE
    assert hours.later(since, minutes * MINUTE) == at
    assert hours.between(since, at) == minutes * MINUTE


def test_quiet_hours_whose_beginning_is_skipped_are_none_that_night() -> None:
    # In Cairo the wall clock goes from 0:00 to 1:00; what is skipped falls at 1:30, after the end.
    quiet = Quiet(ZoneInfo("Africa/Cairo"), time(0, 30), time(1, 15))
    since = datetime(2026, 4, 23, 21, 50, tzinfo=UTC)
    assert Hours(quiet).later(since, HOUR) == since + HOUR


# --- equations ---


@given(clocks(), spans)
def test_what_goes_forward_can_be_read_back(at: tuple[Hours, datetime], by: timedelta) -> None:
    hours, since = at
    assert hours.between(since, hours.later(since, by)) == by


@given(clocks(), spans, spans)
def test_two_times_in_a_row_are_one(at: tuple[Hours, datetime], first: timedelta, second: timedelta) -> None:
    hours, since = at
    assert hours.later(hours.later(since, first), second) == hours.later(since, first + second)


@given(clocks(), spans, spans)
def test_later_is_later(at: tuple[Hours, datetime], first: timedelta, more: timedelta) -> None:
    hours, since = at
    assert since + first <= hours.later(since, first) <= hours.later(since, first + more)


@given(clocks(), spans)
def test_a_moment_is_never_in_the_middle_of_the_quiet_hours(at: tuple[Hours, datetime], by: timedelta) -> None:
    hours, since = at
    then = hours.later(since, by)
    assert not hours.is_quiet(then) or not hours.is_quiet(then - timedelta(microseconds=1)) or then == since


@given(clocks(), st.data())
def test_pauses_that_meet_or_are_told_twice_count_once(at: tuple[Hours, datetime], data: st.DataObject) -> None:
    hours, since = at
    more = tuple(data.draw(st.permutations(hours.stopped + hours.stopped)))
    assert hours.later(since, HOUR) == hours._replace(stopped=more).later(since, HOUR)


@given(clocks())
def test_what_stood_still_before_does_not_matter(at: tuple[Hours, datetime]) -> None:
    hours, since = at
    old = (since - 5 * HOUR, since - HOUR)
    assert hours._replace(stopped=(*hours.stopped, old)).later(since, HOUR) == hours.later(since, HOUR)


# --- what a group chose ---


def test_a_group_without_quiet_hours_has_none() -> None:
    assert quiet_of(None) is None
    for chosen in ({}, {"zone": "Europe/Berlin"}, {"quiet_from": "23:00"}, {"quiet_from": "8:00", "quiet_to": "8:00"}):
        assert quiet_of(chosen) is None


def test_a_group_with_quiet_hours_has_them_in_its_zone() -> None:
    chosen = {"zone": "Europe/Berlin", "quiet_from": "23:00", "quiet_to": "08:00"}
    assert quiet_of(chosen) == NIGHT
    assert quiet_of({**chosen, "zone": None}) == NIGHT._replace(zone=ZoneInfo("UTC"))


@pytest.mark.parametrize("name", ["Europe/Nowhere", "", "..", "/etc/passwd", "Europe", "../../etc/x", None, 7, "a\0b"])
def test_what_is_no_zone_is_none(name: object) -> None:
    assert zone(name) is None


@pytest.mark.parametrize("text", ["24:00", "8", "8:60", "", ":", "-1:00", "08:00:00", "\u0664:00", None, 8])
def test_what_is_no_time_of_the_day_is_none(text: object) -> None:
    assert wall_time(text) is None
