"""Somebody floods the bot: the others notice nothing, and Telegram has nothing to complain of."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from tests.e2e.house import Data, House, buttons
from tests.e2e.players import Party, any_button
from tests.e2e.test_whole_games import call_off

SAYS = ("sendMessage", "editMessageText", "editMessageReplyMarkup", "editEphemeralMessageText")
MOST = 20  # sends and edits in a group, in any minute


def most_in_a_minute(calls: Sequence[Data]) -> int:
    times = [call["at"] for call in calls]
    return max((sum(start <= at < start + 60 for at in times) for start in times), default=0)


def said_in(party: Party, after: int) -> list[Data]:
    """What was sent and edited in the group since, whether Telegram took it or not."""
    calls = party.telegram.get("/calls", chat=party.group["id"], after=after)["calls"]
    return [call for call in calls if call["method"] in SAYS]


def last_call(party: Party) -> int:
    return int(party.telegram.get("/calls", last=1)["calls"][-1]["n"])


def check_that_the_game_goes_on(party: Party) -> None:
    turn = party.turn
    party.play(any_button, turns=turn + 1)
    assert party.turn > turn


def check_that_nobody_notices(party: Party, after: int) -> None:
    """Telegram had nothing to refuse in the group, and the game goes on."""
    party.telegram.settle()
    party.pass_a_moment(5)
    said = said_in(party, after)
    # How many ephemeral messages it takes is not known: there may be one too many, and then none for a while.
    refused = [call for call in said if not call["ok"] and "ephemeral_message_parameters" not in call["params"]]
    assert not refused, "Telegram's limits were met"
    assert most_in_a_minute(said) <= MOST
    party.pass_a_moment(30)
    check_that_the_game_goes_on(party)
    assert most_in_a_minute(said_in(party, after)) <= MOST


@pytest.mark.parametrize(
    "words",
    [
        ("/status",),
        ("/help", "/blame", "/recap", "/doctor", "/settings", "/nextgame", "/status", "/endgame", "/pause", "/resume"),
        ("/nosuchcommand",),
    ],
    ids=["one", "all", "one that does not exist"],
)
def test_one_person_floods_a_group_with_commands(home: House, words: tuple[str, ...]) -> None:
    party = Party(home, 4, Random(3))
    party.gather()
    party.pass_a_moment(60)
    flooder, after = party.people[3], last_call(party)
    for number in range(60):
        party.telegram.write(flooder, words[number % len(words)], party.group["id"])
    check_that_nobody_notices(party, after)
    call_off(party)


def test_one_person_floods_a_group_with_presses(home: House) -> None:
    """On the own hand in the group, on buttons of a game in another group, and on what no button ever said."""
    other, party = Party(home, 4, Random(4)), Party(home, 4, Random(5))
    other.gather()
    party.gather()
    board, foreign = party.of_group(button="My hand"), other.of_group(button="My hand")
    assert board is not None and foreign is not None
    party.pass_a_moment(60)
    flooder, after = party.people[3], last_call(party)
    mine, theirs = ([one["data"] for one in buttons(message) if one.get("data")] for message in (board, foreign))
    before = other.look(other.group["id"]).copy()
    for number in range(60):
        data = (mine[0], theirs[0], "banana", theirs[0].replace("hand", "nudge"))[number % 4]
        party.telegram.press(flooder, party.group["id"], message=board["id"], data=data, force=True, wait=0)
    check_that_nobody_notices(party, after)
    assert other.look(other.group["id"]) == before
    call_off(party)
    call_off(other)


def test_an_administrator_floods_the_settings(home: House) -> None:
    party = Party(home, 4, Random(6))
    party.gather()
    party.pass_a_moment(60)
    owner, after = party.people[0], last_call(party)
    party.telegram.write(owner, "/settings", party.group["id"])
    menu = party.telegram.wait(chat=party.group["id"], button="Quiet hours")["message"]
    taps = [one["data"] for one in buttons(menu)][:4]
    for number in range(60):
        party.telegram.press(owner, party.group["id"], message=menu["id"], data=taps[number % 4], force=True, wait=0)
    check_that_nobody_notices(party, after)
    call_off(party)


def test_one_person_floods_the_private_chat(home: House) -> None:
    party = Party(home, 4, Random(7))
    party.gather()
    party.pass_a_moment(60)
    after = last_call(party)
    for number in range(60):
        party.telegram.write(party.people[3], ("hello", "/hand", "/recap", "/games")[number % 4])
    check_that_nobody_notices(party, after)
    call_off(party)
