"""The front page cannot lie."""

import doctest
from pathlib import Path

from telegram_bot import service

README = Path(__file__).parents[1] / "README.md"


def test_what_the_readme_shows_is_so() -> None:
    failed, tried = doctest.testfile(str(README), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert tried > 0 and failed == 0


def test_every_command_of_the_menus_is_told() -> None:
    told = README.read_text(encoding="utf-8")
    for name in {*service.GROUP_COMMANDS, *service.PRIVATE_COMMANDS}:
        assert f"`/{name}" in told, name
