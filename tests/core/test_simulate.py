"""`stay-away simulate`: whole games in memory, counted, and recorded as scenarios that go as they say."""

import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

import core
from core import Live, scenario
from telegram_bot.__main__ import main
from telegram_bot.commands import plain_yaml
from tests.core.evenings import SEATS, any_options, evening

NAMES = ["No", "on", "1", "+2", "left", "right", "expect", "🔥", "a: b", "Infected!", "pass", ""]


def simulate(*words: str) -> int:
    return main(["simulate", "--players", "5", "--games", "6", "--seed", "s", *words])


@pytest.mark.parametrize("policy", ["random", "bot"])
def test_the_figures_are_printed_and_written(policy: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert simulate("--policy", policy, "--json", str(tmp_path / "figures.json")) == 0
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert list(figures) == [
        "games", "turns", "answers", "seconds", "answers_per_second", "games_per_second", "endings",
    ]  # fmt: skip
    assert figures["games"] == 6 == sum(figures["endings"].values())
    assert figures["answers"] > figures["turns"] > 6 and figures["seconds"] > 0
    printed = capsys.readouterr().out
    assert all(str(figures[name]) in printed for name in ("games", "turns", "answers", "answers_per_second"))
    assert all(why in printed for why in figures["endings"])


@pytest.mark.parametrize("policy", ["random", "bot"])
def test_recorded_games_are_scenarios_that_go_as_they_say(
    policy: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert simulate("--policy", policy, "--record", str(tmp_path / "in" / "here"), "--option", "vengeance=true") == 0
    files = sorted((tmp_path / "in" / "here").iterdir())
    assert len(files) == 6
    assert main(["scenario", *map(str, files)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "6 passed, 0 failed"


def test_the_same_seed_gives_the_same_games_in_every_process(tmp_path: Path) -> None:
    records = []
    for hash_seed in ("0", "1"):
        folder = tmp_path / hash_seed
        subprocess.run(
            [sys.executable, "-m", "telegram_bot", "simulate", "--players", "7", "--games", "3", "--seed", "5",
             "--policy", "bot", "--record", str(folder)],
            env={**os.environ, "PYTHONHASHSEED": hash_seed}, check=True, capture_output=True,
        )  # fmt: skip
        records.append([file.read_text(encoding="utf-8") for file in sorted(folder.iterdir())])
    assert records[0] == records[1] and len(set(records[0])) == 3


@pytest.mark.parametrize("words", [
    ["--option", "preset=nonsense"], ["--option", "vengence=true"], ["--option", "vengeance=yes"], ["--option", "x"],
    ["--option", "infected_delta=-9"], ["--option", "deck={Axe: 1}"], ["--option", "deck=["], ["--option", "=1"],
    ["--players", "3"], ["--players", "13"], ["--games", "-1"], ["--json", "/nowhere/at/all"],
    ["--record", "/dev/null/x"],
])  # fmt: skip
def test_what_cannot_be_played_is_told_in_one_line(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert simulate(*words) == 2
    told = capsys.readouterr()
    assert not told.out and len(told.err.splitlines()) == 1


@pytest.mark.parametrize("option", [
    "preset=open_quarantine", "preset=deck", "infected_delta=+2", "secrecy=fast", "quarantine=open",
    "deck={Infected!: 6, Flamethrower: 3, Whisky: 30}",
])
def test_options_are_read_as_yaml(option: str) -> None:
    assert simulate("--option", option) == 0


def check_record(number: int, seed: str) -> None:
    """A game of random options and awkward names goes the same way when its record is played."""
    dice = Random(seed)
    options = any_options(dice, number)
    table = core.deal(SEATS[:number], options, seed)
    first = core.freeze(table)
    live = Live(table)
    answers = list(evening(live, dice))
    names = dict(zip(SEATS, dice.sample(NAMES, 12), strict=True))
    data: Any = scenario.record(first, answers, f"A game of {number}", names)
    again = plain_yaml.load(plain_yaml.dump(data))
    assert again == data
    scenario.play(again, seed="another")


@pytest.mark.parametrize("number", range(4, 13))
def test_a_record_of_any_game_goes_as_it_says(number: int) -> None:
    check_record(number, f"record {number}")


@pytest.mark.long
@pytest.mark.parametrize("number", range(4, 13))
def test_records_of_many_games_go_as_they_say(number: int) -> None:
    for game in range(60):
        check_record(number, f"records {number} {game}")
