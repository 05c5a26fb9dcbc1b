"""Everything that is shown in whole games of people with hostile names: it is legal, complete and fits."""

from __future__ import annotations

from random import Random

import pytest

import core
from core import Live, Step
from telegram_bot import callback, narrator, panel, screens
from telegram_bot.memo import remembering
from telegram_bot.names import plain
from tests.core.evenings import any_options, by_dice
from tests.telegram_bot.shown import HOSTILE, NOW, after, alert_fits, fits, offered, row_of


def steps(live: Live) -> Step:
    """A live game as the screens want it."""
    return Step(core.Game("", (), ""), [], list(live.table.events[-60:]), live.asks, live.standing, live.table, True)


def check_all(number: int, seed: str, answers: int = 10_000) -> set[str]:
    """Play a game of dice and look at everything after every answer; which questions were met."""
    dice = Random(seed)
    options = any_options(dice, number)
    game = row_of(number)
    live = Live(core.deal([row.seat for row in game.roster], options, seed))
    met: set[str] = set()
    log: list[tuple[int, core.Event]] = []
    told = 0
    for _ in range(answers):
        if live.outcome is not None:
            break
        step = steps(live)
        game = after(game, step)
        log += [(live.table.turn, event) for event in live.table.events[told:]]
        told = len(live.table.events)
        for seat, ask in live.asks.items():
            met.add(ask.about)
            choices = offered(game, step, seat)
            assert sorted(choices) == sorted(ask.choices), (ask, choices)
        fits(screens.board(game, core.view(step, None), NOW, "stay_away_bot"))
        somebody = dice.choice(game.roster)
        at = panel.desk(game, "The camp", step, somebody.seat, NOW)
        fits(panel.front(at))
        fits(panel.know_page(at, log))
        fits(panel.table_page(at, core.view(step, None)))
        alert_fits(screens.hand_alert(game, at.view))
        fits(screens.call(game, somebody, NOW, "stay_away_bot"))
        live.answer(*by_dice(live, dice))
    if live.outcome is not None:
        fits(screens.the_end(game, steps(live)))
        for row in game.roster:
            fits(panel.front(panel.desk(game, "The camp", steps(live), row.seat, NOW)))
    return met


@pytest.mark.parametrize("number", [4, 6, 12])
def test_every_legal_answer_has_a_button_and_no_other_has(number: int) -> None:
    check_all(number, f"evening {number}", answers=250)


@pytest.mark.long
@pytest.mark.parametrize("number", range(4, 13))
def test_every_question_of_many_games_has_its_buttons(number: int) -> None:
    met: set[str] = set()
    for seed in range(3):
        met |= check_all(number, f"{number}/{seed}")
    assert core.STEP_TWO in met and core.ANSWER in met


def test_twelve_hostile_names_fit_everywhere_in_the_lobby() -> None:
    game = row_of(12)
    for page in ("", "options", "pace"):
        fits(screens.lobby(remembering(game, page=page), NOW))
    fits(screens.lobby_started(game))
    for row in game.roster:
        fits(screens.lobby_called_off(row.name))


def test_hostile_names_are_told_apart() -> None:
    names = [row.name for row in row_of(12).roster]
    assert len(set(names)) == 12 and all(name.strip() for name in names)
    assert sum(name.replace(" 2", "") == "Ann" for name in names) == 2


@pytest.mark.parametrize("number", [4, 12])
def test_the_tale_of_hostile_names_fits(number: int) -> None:
    game, dice = row_of(number), Random(5)
    live = Live(core.deal([row.seat for row in game.roster], core.read_options({}, number), "tale"))
    for _ in range(200):
        if live.outcome is None:
            live.answer(*by_dice(live, dice))
    names = screens.names_of(game)
    for turn in narrator.by_turn(live.table.events):
        seen = [event for each in turn if (event := core.seen_by(each, None)) is not None]
        fits(screens.screen(narrator.tell_turn(seen, names, "public")))


def test_buttons_carry_names_as_plain_text() -> None:
    """A button has no HTML: nothing is escaped there, and nothing needs to be."""
    assert plain("Bob & <b>") == "\u2068Bob & <b>\u2069"
    assert HOSTILE[0] == "<b>Ann</b>" and callback.read("l.7.0.join.0") is not None
