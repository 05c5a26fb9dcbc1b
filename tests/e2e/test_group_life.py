"""A group changes under a game: the bot loses what it needs and gets it back, topics close, people are gone."""

from __future__ import annotations

from random import Random

import pytest

from tests.e2e.house import Data, House
from tests.e2e.players import Party, answers_in, any_button
from tests.e2e.test_whole_games import call_off

HOUR = 3600


def calls_in(party: Party, after: int) -> list[str]:
    """The bot's calls to the group since then."""
    found = party.telegram.get("/calls", chat=party.group["id"], after=after)["calls"]
    return [f"{call['method']} {call.get('description', 'ok')}" for call in found]


def last_call(party: Party) -> int:
    return int(party.telegram.get("/calls", last=1)["calls"][-1]["n"])


def playing(home: House, seed: int, **group: object) -> Party:
    party = Party(home, 4, Random(seed))
    party.group = party.telegram.group("The camp", party.people, **group)
    party.gather()
    party.pass_a_moment(10)  # the board is pinned
    return party


def hours_pass(party: Party, hours: int) -> None:
    for _ in range(hours):
        party.telegram.forward(HOUR)
        party.telegram.wait(idle=True, quiet=1.2)  # a tick of the clock at least


def change(party: Party, what: str, **how: object) -> None:
    party.telegram.post(f"/groups/{party.group['id']}/{what}", **how)


def board(party: Party) -> str:
    found = party.of_group("The camp, turn")
    assert found is not None
    return str(found["text"])


def answers_once(party: Party, person: Data) -> None:
    """One answer in the private chat, and no look at what comes of it."""
    before = party.answers
    for _ in range(10):
        if party.answers > before:
            return
        hand = party.hand(person)
        assert hand is not None
        party.press(person, hand, any_button(party, hand, answers_in(hand)), private=True)
    raise AssertionError(f"no answer in ten presses: {hand}")


def goes_on(party: Party, awaited: list[Data] | None = None) -> None:
    """Who was awaited is awaited still, and answers, and the group sees it."""
    for _ in range(5):
        party.pass_a_moment(10)
    party.telegram.wait(idle=True, quiet=1.2)
    assert "paused" not in board(party)
    now, after = party.awaited(), last_call(party)
    assert now and awaited in (None, now)
    answers_once(party, now[0])
    for _ in range(3):
        party.pass_a_moment(10)
    assert [call for call in calls_in(party, after) if call.endswith(" ok")]
    call_off(party)


@pytest.mark.parametrize(
    ("gone", "back"),
    [
        (["remove"], ["add"]),
        (["ban"], ["unban", "add"]),
        (["restrict"], ["demote"]),
    ],
    ids=["removed", "banned", "muted"],
)
def test_the_bot_is_gone_and_back_and_the_game_goes_on_where_it_was(
    home: House, gone: list[str], back: list[str]
) -> None:
    party = playing(home, 21, kind="supergroup")
    awaited = party.awaited()
    for what in gone:
        change(party, what, person="bot")
    after = last_call(party)
    hours_pass(party, 5)
    assert not calls_in(party, after)
    for what in back:
        change(party, what, person="bot")
    goes_on(party, awaited)


def test_a_group_that_lets_nobody_write_stops_its_game_and_no_storm_of_errors_breaks_out(home: House) -> None:
    """The bot is told neither that nobody may write nor that everybody may again."""
    party = playing(home, 22, kind="supergroup")
    awaited = party.awaited()
    change(party, "permissions", can_send_messages=False)
    after = last_call(party)
    answers_once(party, awaited[0])  # in the private chat, and the board changes
    hours_pass(party, 5)
    refused = calls_in(party, after)
    assert refused and len(refused) <= 5 * 6 + 2, refused  # a try every ten minutes
    change(party, "permissions", can_send_messages=True)
    hours_pass(party, 1)
    goes_on(party)


def test_a_board_is_pinned_again_when_the_bot_may_pin_again(home: House) -> None:
    party = playing(home, 23, kind="supergroup", bot="admin")
    group = party.group["id"]
    assert party.telegram.get(f"/chats/{group}")["pinned"]
    change(party, "promote", person="bot", rights={"can_delete_messages": True})
    party.telegram.write(party.people[0], "/status", group)
    party.pass_a_moment(10)
    moved = party.of_group("The camp, turn")
    assert moved is not None and moved["id"] not in party.telegram.get(f"/chats/{group}")["pinned"]
    change(party, "promote", person="bot", rights={"can_pin_messages": True})
    party.pass_a_moment(10)
    assert moved["id"] in party.telegram.get(f"/chats/{group}")["pinned"]
    call_off(party)


def test_a_deleted_account_is_called_no_more_and_the_clock_answers_for_it(home: House) -> None:
    party = playing(home, 24)
    gone = party.awaited()[0]
    party.telegram.post(f"/people/{gone['id']}/delete")
    after = last_call(party)
    turn = party.turn
    hours_pass(party, 8)  # a question or two of the turn are left to the clock
    assert party.turn > turn or gone not in party.awaited()
    knocks = party.telegram.get("/calls", chat=gone["id"], after=after)["calls"]
    assert len(knocks) <= 2, knocks
    party.people.remove(gone)
    change(party, "promote", person=party.people[0]["id"])  # who may end it whoever opened it
    call_off(party)


def test_a_closed_topic_stops_its_game_until_it_is_open_again(home: House) -> None:
    party = playing(home, 25, kind="supergroup", forum=True)
    awaited = party.awaited()
    change(party, "topics/1/close")
    after = last_call(party)
    answers_once(party, awaited[0])  # in the private chat
    hours_pass(party, 4)
    refused = calls_in(party, after)
    assert len(refused) <= 4 * 12 + 2 and any("TOPIC_CLOSED" in call for call in refused), refused
    change(party, "topics/1/reopen")
    goes_on(party)
