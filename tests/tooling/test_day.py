"""The bench of a day in a group: it is the same every time, its people sleep, and its figures are what they say."""

from __future__ import annotations

import tomllib
from datetime import timedelta
from random import Random

import pytest

import core
from bench import day
from bench.day import MONDAY, Evening, Person, Way, lengths, played, rising, rounded, summed_up
from telegram_bot.lengths import MEASURED
from telegram_bot.pace import PACES


def test_the_same_games_are_played_every_time() -> None:
    assert played(4, Way(), 3) == played(4, Way(), 3)
    assert played(4, Way(), 3) != played(4, Way(), 3, seed="another")


def test_a_game_is_counted_whole() -> None:
    for game in [*played(4, Way(), 4), *played(6, Way(prepared=0.7), 2)]:
        assert 0 < game.waking <= game.hours and game.people + game.by_clock <= game.answers
        assert game.waits <= game.answers and 0 < game.pings <= game.answers and game.group > 3


def test_orders_ahead_spare_pings_and_time_outs() -> None:
    without, ahead = (summed_up(played(6, Way(prepared=share), 12)) for share in (0.0, 1.0))
    assert ahead.pings < without.pings and ahead.clock < without.clock


def test_orders_of_every_kind_answer_what_they_are_for() -> None:
    for kind, about in (("prepared", "answer"), ("defended", "defend"), ("in_one_go", "offer")):
        games = played(6, Way(**{kind: 1.0}), 6)
        assert sum(game.kinds[about].by_clock for game in games if about in game.kinds) == 0, kind


def test_nudges_are_pings_and_spare_time_outs() -> None:
    without, pushed = (summed_up(played(6, Way(nudges=pushed), 24)) for pushed in (False, True))
    assert pushed.clock < without.clock and pushed.waking < without.waking


def test_who_is_nudged_hears_it_once_an_hour_and_not_in_quiet_hours() -> None:
    game, person = Evening(4, Way(nudges=True), "one"), Person(Way(), Random("one"))
    game.now = at = MONDAY + timedelta(hours=21.5)
    person.hours = person.hours._replace(stopped=((MONDAY, MONDAY + timedelta(days=2)),))  # away: nothing helps
    late = at + timedelta(hours=13)
    assert game._nudged(person, late, late) == late
    assert game.pings == 3 and person.nudged_at == MONDAY + timedelta(hours=24 + 9.5), "22:30, 8:30, 9:30"


def test_the_hours_of_all_kinds_are_the_hours_of_the_game() -> None:
    for game in played(4, Way(), 4):
        assert sum(kind.hours for kind in game.kinds.values()) == pytest.approx(game.waking)
        assert sum(kind.asked for kind in game.kinds.values()) == game.answers
        assert sum(kind.by_clock for kind in game.kinds.values()) == game.by_clock


def test_a_blitz_takes_no_night_and_a_slow_game_many() -> None:
    assert all(game.hours == game.waking < 5 for game in played(4, Way(PACES["blitz"]), 3))
    assert all(game.hours > 24 for game in played(4, Way(PACES["slow"]), 3))


def test_people_answer_when_they_are_awake_and_here() -> None:
    person = Person(Way(), Random("one"))
    for hour in range(0, 24 * 30, 5):
        at = person.answers_at(MONDAY + timedelta(hours=hour))
        assert 8 <= at.hour <= 23 and not person.is_away(at)
    assert 2 <= len(person.hours.stopped) <= 40, "one day in ten of 200"


def test_figures_that_fall_are_averaged() -> None:
    assert rising([1, 3, 2, 4]) == [1, 2.5, 2.5, 4] and rising([3, 2, 1]) == [2, 2, 2]
    assert [rounded(hours) for hours in (0.0944, 1.449, 16.2, 523.0)] == [0.094, 1.4, 16.0, 520.0]


def test_it_writes_what_the_lobby_reads() -> None:
    content = tomllib.loads(lengths(2))
    assert list(content) == list(MEASURED)
    for figures in content.values():
        assert list(figures) == [str(players) for players in range(core.LEAST, core.MOST + 1)]
        assert list(figures.values()) == sorted(figures.values()) and all(
            0 < low <= high for low, high in figures.values()
        )


def test_the_command_prints_every_way_and_its_goals(capsys: pytest.CaptureFixture[str]) -> None:
    before = day.LENGTHS.read_bytes()
    day.main(["--games", "2", "--no-write"])
    printed = capsys.readouterr().out
    assert all(title in printed for title in (*day.WAYS, *day.ELSE)) and "goal: 24 waking hours" in printed
    assert day.LENGTHS.read_bytes() == before
