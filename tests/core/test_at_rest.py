"""A game at rest is text: it goes on in any process, the same way, and what is not legal changes nothing."""

import gc
import os
import subprocess
import sys
from collections.abc import Iterable
from itertools import product
from random import Random

import msgspec
import pytest

import core
from core import CARDS, Game, Live, NotLegal
from tests.core.evenings import SEATS, any_options, by_dice


def process(hash_seed: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.core.another_process"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
    )


def ask(worker: subprocess.Popen[str], game: Game) -> Game | None:
    assert worker.stdin is not None and worker.stdout is not None
    worker.stdin.write(msgspec.json.encode(game).decode() + "\n")
    worker.stdin.flush()
    line = worker.stdout.readline()
    return msgspec.json.decode(line, type=Game) if line.strip() else None


def test_a_game_goes_on_in_another_process_after_every_answer() -> None:
    with process("1") as one, process("2") as other, process("3") as third:
        for players in (4, 8, 12):
            options = any_options(Random(players), players)
            game: Game | None = core.new_game(SEATS[:players], options, f"processes {players}").game
            answers = 0
            while game is not None and answers < 300:
                last = game
                game = ask((one, other)[answers % 2], last)
                assert game == ask(third, last)
                answers += 1
            assert answers > 10


def test_apply_and_a_live_game_are_the_same_game() -> None:
    for number in range(4, 13):
        dice = Random(number)
        options = any_options(dice, number)
        step = core.new_game(SEATS[:number], options, "same")
        live = Live(core.deal(SEATS[:number], options, "same"))
        told = len(live.table.events)
        while live.outcome is None and live.table.turn < 30:
            seat, choice = by_dice(live, dice)
            live.answer(seat, choice)
            step = core.apply(step.game, seat, choice)
            assert core.digest(step.table) == core.digest(live.table) == step.game.digest
            assert (step.asks, step.standing) == (live.asks, live.standing)
            assert step.events == live.table.events[told:]
            told = len(live.table.events)
            assert core.resume(step.game).asks == step.asks


def test_a_step_stays_what_it_was() -> None:
    """Also when Python clears away the coroutine that led to it, with a card in the midst of its effect."""
    step = core.new_game(SEATS[:8], core.Options(), "stays")
    steps, dice = [step], Random("stays")
    while step.outcome is None and step.table.turn < 60:
        seat = dice.choice(list(step.asks))
        step = core.apply(step.game, seat, dice.choice(step.asks[seat].choices))
        steps.append(step)
    gc.collect()
    assert any(step.table.aside for step in steps)
    assert all(core.digest(step.table) == step.game.digest for step in steps)


def test_the_text_of_a_table_says_everything() -> None:
    dice = Random("text")
    live = Live(core.deal(SEATS[:6], core.Options(), "text"))
    for _ in range(200):
        if live.outcome is None:
            live.answer(*by_dice(live, dice))
        assert core.freeze(core.thaw(core.freeze(live.table))) == core.freeze(live.table)


def any_choices(names: Iterable[core.Seat], dice: Random) -> list[core.Choice]:
    """Choices of every kind, most of them nonsense."""
    cards, seats = list(CARDS), [*names, "nobody", "left"]
    choices: list[core.Choice] = [("pass",), ("declare",), (), ("play",), ("timeout",)]
    choices += [(verb, card) for verb in ("play", "discard", "give", "defend", "keep", "swap") for card in cards]
    choices += [("play", card, seat) for card, seat in product(cards, seats)]
    choices += [("play", card, seat, side) for card, seat, side in product(cards, seats, ("left", "right"))]
    choices += [("choose", seat) for seat in (*seats, "right")]
    choices += [("show", way) for way in ("all", "Infected!", "nothing")]
    choices += [("forget", *sorted(dice.choices(cards, k=3))) for _ in range(20)]
    return choices


def test_what_is_not_offered_is_refused_and_changes_nothing() -> None:
    for players in (4, 7, 12):
        dice = Random(players)
        live = Live(core.deal(SEATS[:players], any_options(dice, players), "illegal"))
        while live.outcome is None and live.table.turn < 6:
            before, asks, said = core.digest(live.table), dict(live.asks), len(live.table.events)
            for seat in (*SEATS[:players], "nobody"):
                legal = live.asks[seat].choices if seat in live.asks else ()
                for choice in any_choices(SEATS[:players], dice):
                    if choice not in legal and choice not in live.standing.get(seat, ()):
                        with pytest.raises(NotLegal):
                            live.answer(seat, choice)
            assert (core.digest(live.table), live.asks, len(live.table.events)) == (before, asks, said)
            live.answer(*by_dice(live, dice))


def test_what_is_not_offered_is_refused_of_a_game_at_rest() -> None:
    step = core.new_game(SEATS[:5], core.Options(), "rest")
    first = step.table.turn_of
    for seat, choice in [("s9", ("pass",)), (first, ("pass",)), (first, ("discard", "Oops!"))]:
        with pytest.raises(NotLegal):
            core.apply(step.game, seat, choice)


def test_a_game_whose_rules_changed_in_the_middle_of_a_turn_says_so() -> None:
    step = core.new_game(SEATS[:5], core.Options(), "changed")
    seat, ask = next(iter(step.asks.items()))
    step = core.apply(step.game, seat, ask.choices[-1])
    with pytest.raises(core.Diverged):
        core.resume(msgspec.structs.replace(step.game, digest="0" * 16))
    with pytest.raises(core.Diverged):
        core.resume(msgspec.structs.replace(step.game, answers=(*step.game.answers, ("s1", ("pass",)))))
