"""The founders' scenarios, played on the rules; and what the form of a scenario allows and refuses."""

from pathlib import Path

import pytest

from core import scenario
from telegram_bot.commands.scenario import read

FILES = sorted((Path(__file__).parent.parent / "scenarios").glob("*.yaml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_scenario_goes_as_it_says(file: Path) -> None:
    scenario.play(read(str(file)))
