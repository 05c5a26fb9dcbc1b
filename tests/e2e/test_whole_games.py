"""Whole games on the real processes, from /newgame to the last line, pressing only buttons that are there."""

from __future__ import annotations

from random import Random

import pytest

from tests.e2e.house import Data, House, Telegram, buttons
from tests.e2e.players import last_with, look_and_answer, press

NAMES = ["Ann", "Bob", "Cid", "Dan", "Eve", "Fay", "Gus", "Hal", "Ida", "Jon", "Kim", "Leo"]


def gather(telegram: Telegram, number: int) -> tuple[Data, list[Data]]:
    """A group of that many people, each with a private chat, in a lobby that may start."""
    people = [telegram.person(name) for name in NAMES[:number]]
    for person in people:
        telegram.post(f"/people/{person['id']}/start")
    group = telegram.group("The camp", people)
    telegram.write(people[0], "/newgame", group["id"])
    lobby = telegram.wait(chat=group["id"], button="Join")["message"]
    join = next(button for button in buttons(lobby) if button["text"] == "Join / leave")
    for person in people[1:]:
        press(telegram, person, lobby, join, group["id"])
    return group, people


def start(telegram: Telegram, group: Data, opener: Data, number: int) -> None:
    lobby = telegram.wait(chat=group["id"], button=f"Start with {number}")["message"]
    button = next(button for button in buttons(lobby) if button["text"] == f"Start with {number}")
    press(telegram, opener, lobby, button, group["id"])
    telegram.wait(chat=group["id"], text="The camp, turn 1")


def play_to_the_end(telegram: Telegram, group: Data, people: list[Data], dice: Random) -> Data:
    """Everybody answers when awaited; the message that tells the end."""
    for _ in range(2000):
        pressed = [look_and_answer(telegram, person, dice) for person in people]
        if (end := last_with(telegram, group["id"], "Again, same people")) is not None:
            return end
        ended = [m for m in telegram.messages(group["id"]) if any(b["text"] == "Again, same people" for b in buttons(m))]
        if ended:
            return ended[-1]
        if not any(pressed):
            telegram.forward(5)
            telegram.wait(idle=True, quiet=0.05)
    raise AssertionError("the game does not end")


@pytest.mark.parametrize("number", [4, 12])
def test_a_game_is_played_from_newgame_to_the_winner(home: House, number: int) -> None:
    telegram = home.telegram
    group, people = gather(telegram, number)
    start(telegram, group, people[0], number)
    end = play_to_the_end(telegram, group, people, Random(number))
    assert "The Thing" in end["text"]
