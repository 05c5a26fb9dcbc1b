"""The menus behind "/": what they list is taken, and what is taken is listed."""

from __future__ import annotations

from typing import Any, cast

from telegram_bot import service
from telegram_bot.router import Router
from telegram_bot.texts import say, say_plain
from tests.telegram_bot.camp import plain

TAKEN = set(Router(cast(Any, None), cast(Any, None))._commands())


def test_every_command_is_in_a_menu_and_every_one_of_a_menu_is_taken() -> None:
    assert TAKEN - {"start"} == {*service.GROUP_COMMANDS, *service.PRIVATE_COMMANDS}


def test_no_command_is_listed_twice_and_all_have_a_line() -> None:
    for names in (service.GROUP_COMMANDS, service.PRIVATE_COMMANDS):
        assert len(set(names)) == len(names)
        assert all(0 < len(say_plain(f"commands.{name}")) <= 256 for name in names)


def test_what_is_written_unseen_by_others_is_in_the_menu_of_groups() -> None:
    assert set(service.EPHEMERAL) <= set(service.GROUP_COMMANDS)


def test_help_names_only_what_is_taken() -> None:
    for told in (say("say.help_group"), say("say.help_private")):
        named = [word.strip(",;.") for word in plain(told).split() if word.startswith("/")]
        assert {word[1:] for word in named} <= TAKEN
