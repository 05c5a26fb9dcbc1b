"""Whole games on the real processes, from /newgame to the last line, pressing only buttons that are there."""

from __future__ import annotations

from random import Random

import pytest

from tests.e2e.house import Data, House
from tests.e2e.players import Party, any_button, bored_thing, fiery

GROUP_CALLS = ("sendMessage", "editMessageText", "editMessageReplyMarkup")


def calls_to(party: Party, chat: int) -> list[Data]:
    """What was sent and edited there since the party gathered, and was accepted."""
    found = party.telegram.get("/calls", chat=chat, after=party.after)["calls"]
    return [call for call in found if call["method"] in GROUP_CALLS and call["ok"]]


def check_budget(party: Party, turns: int, others: int = 0) -> None:
    """Issue 3, section 4, from the playground's record. *others*: messages of the group that no turn is told in."""
    calls = calls_to(party, party.group["id"])
    times = [call["at"] for call in calls]
    for start in times:
        assert sum(start <= at < start + 60 for at in times) <= 20, "more than 20 sends and edits a minute in the group"
    sent = [call for call in calls if call["method"] == "sendMessage"]
    told = [call for call in sent if "tg://user" not in str(call["params"])]
    # The lobby, the board, the end.
    assert len(told) <= turns + 3 + others, f"{len(told)} new messages in {turns} turns"
    began = next(number for number, call in enumerate(calls) if "The camp, turn" in str(call["params"].get("text")))
    edits = sum(call["method"] != "sendMessage" for call in calls[began:])
    # The last turn closes the board; and it is not over yet where the game is left.
    assert edits <= 5 * (turns + 1), f"{edits} edits in {turns} turns"
    refused = party.telegram.get("/calls", errors=1, after=party.after)["calls"]
    assert not [call for call in refused if call.get("error_code") == 429], "Telegram's limits were met"


def check_rings(party: Party) -> None:
    """At most one sounding private message an answer awaited."""
    rung = 0
    for person in party.people:
        mine = party.telegram.get("/rings", person=person["id"])["rings"]
        rung += sum(1 for ring in mine if ring["sound"] and ring["chat"] == person["id"])
    # Each person's START was answered with sound, and the last question of each may be open.
    assert rung <= party.answers + 2 * len(party.people), f"{rung} rings for {party.answers} answers"


def test_four_people_play_from_newgame_to_the_winner(home: House) -> None:
    party = Party(home, 4, Random(4))
    party.gather()
    end = party.play(fiery)
    assert end is not None and "The Thing" in end["text"]
    check_budget(party, last_turn(party))
    check_rings(party)


def test_twelve_people_play_blitz_from_newgame_to_the_winner(home: House) -> None:
    party = Party(home, 12, Random(12))
    party.gather("Pace", "Blitz")
    end = party.play(bored_thing(after=12))
    assert end is not None and "The Thing" in end["text"]
    check_budget(party, last_turn(party))
    check_rings(party)


@pytest.mark.long
def test_eight_people_play_from_newgame_to_the_winner(home: House) -> None:
    party = Party(home, 8, Random(8))
    party.gather()
    end = party.play(bored_thing(after=10))
    assert end is not None and "The Thing" in end["text"]
    check_budget(party, last_turn(party))
    check_rings(party)


def test_bot_players_in_a_row_share_messages_in_a_blitz_of_twelve(home: House) -> None:
    """One person, and eleven who answer within seconds."""
    party = Party(home, 1, Random(9))
    party.gather("Pace", "Blitz", bots=11)
    end = party.play(any_button, turns=15)
    turns = party.turn if end is None else last_turn(party)
    check_budget(party, turns)
    check_rings(party)
    tales = [call for call in calls_to(party, party.group["id"]) if call["method"] == "sendMessage"]
    assert len(tales) < turns, "they share messages"
    call_off(party)


def test_one_person_plays_with_three_bot_players(home: House) -> None:
    party = Party(home, 1, Random(1))
    party.gather(bots=3)
    end = party.play(any_button, turns=9)
    check_budget(party, party.turn if end is None else last_turn(party))
    call_off(party)


def test_every_deadline_passes_by_moving_the_clock(home: House) -> None:
    """Nobody ever answers: the clock does, until it is plain that nobody is there, and the game ends by itself."""
    party = Party(home, 4, Random(5))
    party.gather()
    reached = 0
    for _ in range(40):
        if party.of_group(button="Again, same people"):
            break
        reached = max(reached, party.turn)
        party.let_the_clock_ring(150 * 60 + 5)  # the base time, and the whole bank
    assert reached >= 3 and party.of_group(button="Again, same people")


def test_who_has_no_private_chat_is_called_and_answers_after_opening_it(home: House) -> None:
    party = Party(home, 4, Random(6), started=False)
    party.gather()
    party.telegram.wait(chat=party.group["id"], text="the camp waits for you")
    first, *_ = party.awaited()
    call = party.of_group("the camp waits for you")
    assert call is not None and any(ring["person"] == first["id"] for ring in call["rang"])
    link = next(one for row in call["buttons"] for one in row if one["kind"] == "url")
    party.telegram.post("/open", **{"as": first["id"]}, url=link["url"])
    party.telegram.wait(idle=True)
    party.pass_a_moment()
    assert party.look_and_answer(first, any_button)
    party.pass_a_moment(10)
    call = party.of_group("the camp waits for you")
    assert call is None or not any(ring["person"] == first["id"] for ring in call["rang"])
    call_off(party)


def last_turn(party: Party) -> int:
    party.pass_a_moment(60)  # what waited for Telegram's limits
    board = party.of_group("The game ended in turn")
    assert board is not None
    return int("".join(filter(str.isdigit, board["text"].rpartition("turn")[2])))


def call_off(party: Party) -> None:
    """Leave no game behind whose clock would tick into the next test."""
    if party.of_group(button="Again, same people"):
        return
    party.telegram.write(party.people[0], "/endgame", party.group["id"])
    party.press_in_group(party.people[0], "End it")
    party.telegram.wait(chat=party.group["id"], button="Again, same people")


def test_the_group_becomes_a_supergroup_and_somebody_blocks_the_bot_in_mid_game(home: House) -> None:
    """Old hands go on working, the board is posted anew, and who cannot be written to is called in the group."""
    party = Party(home, 4, Random(8))
    party.gather()
    first, *_ = party.awaited()  # a PANIC! may ask everybody
    hand = party.hand(first)
    assert hand is not None
    upgraded = party.telegram.post(f"/groups/{party.group['id']}/upgrade")
    party.moved_to(upgraded)
    party.telegram.wait(chat=party.group["id"], text="The camp, turn")
    assert party.look_and_answer(first, any_button)
    (blocker,) = party.people[:1]
    party.telegram.post(f"/people/{blocker['id']}/block")
    for _ in range(60):
        party.pass_a_moment(10)
        awaited = party.awaited()
        if blocker in awaited:
            break
        for person in awaited:
            party.look_and_answer(person, any_button)
    call = party.telegram.wait(chat=party.group["id"], text="the camp waits for you")["message"]
    assert any(ring["person"] == blocker["id"] for ring in call["rang"])
    call_off(party)
