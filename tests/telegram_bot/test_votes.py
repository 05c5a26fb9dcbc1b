"""What a group decides in mid-game: to pause and go on, to play at another pace, to end."""

from __future__ import annotations

from datetime import timedelta

import pytest

from db.records import Person
from telegram_bot import members, pace
from telegram_bot.memo import memo_of
from tests.telegram_bot.camp import Camp, buttons, data_of, plain, said
from tests.telegram_bot.test_waiting import HOUR, MINUTE, at_the_table, call_of, now, timers

SECOND = timedelta(seconds=1)


async def only_players(camp: Camp) -> None:
    """Who opened the game is not here: nobody decides alone."""
    await at_the_table(camp)
    async with camp.store.engine.begin() as connection:
        await connection.exec_driver_sql("update games set opened_by = 1")


# --- pausing ---


async def test_most_of_the_living_people_pause_a_game(camp: Camp) -> None:
    await only_players(camp)
    assert await camp.write("Ann", "/pause") is None
    question = await camp.screen("vote pause")
    assert "Ann wants to pause the game. 1 of 3 are for it" in plain(question.text)
    assert buttons(question) == ["Pause", "Play on"]
    assert await camp.press("Bob", "Pause", "vote pause") == "Counted: 2 of 3."
    assert "2 of 3 are for it" in plain((await camp.screen("vote pause")).text)
    assert await camp.press("Bob", "Pause", "vote pause") == "You have said so already."
    assert (await camp.game()).status == "playing"
    assert await camp.press("Cid", "Pause", "vote pause") == "Decided."
    assert (await camp.game()).status == "paused"
    told = await camp.screen("vote pause")
    assert "the game is paused" in plain(told.text) and buttons(told) == []


async def test_asking_for_it_is_a_vote_too(camp: Camp) -> None:
    await only_players(camp)
    for name in ("Ann", "Bob", "Cid"):
        await camp.write(name, "/pause")
    assert (await camp.game()).status == "paused"


async def test_an_administrator_pauses_and_resumes_alone_and_the_opener_does_not(camp: Camp) -> None:
    await at_the_table(camp)
    assert await camp.write("Ann", "/pause") is None
    question = plain((await camp.screen("vote pause")).text)
    assert "1 of 3 are for it; an administrator can decide alone" in question
    assert (await camp.game()).status == "playing"
    camp.appoint("Eve")
    assert await camp.press("Eve", "Pause", "vote pause") == "Decided."
    assert (await camp.game()).status == "paused" and "paused" in plain((await camp.screen("vote pause")).text)
    camp.appoint("Dan")
    await camp.write("Ann", "/resume")
    assert (await camp.game()).status == "paused"
    await camp.write("Dan", "/resume")
    assert (await camp.game()).status == "playing" and "goes on" in plain((await camp.screen("vote resume")).text)


async def test_who_is_not_in_the_game_or_burned_has_no_say(camp: Camp) -> None:
    await only_players(camp)
    reply = await camp.write("Eve", "/pause")
    assert reply and "not in this game" in reply["text"]
    await camp.write("Ann", "/pause")
    assert await camp.press("Eve", "Pause", "vote pause") == "This is not your game."
    await camp.write("Dan", "/leave")
    assert await camp.press("Dan", "Pause", "vote pause") == "This is not your game."
    assert await camp.press("Bob", "Pause", "vote pause") == "Decided."  # two of the three who are left


async def test_whoever_leaves_the_group_has_no_say_and_is_not_waited_for(camp: Camp) -> None:
    await only_players(camp)
    at = await now(camp)
    for name in ("Cid", "Dan"):
        await members.left(camp.store, camp.place[0], Person(camp.person(name)["id"], name), at.timestamp())
    await camp.write("Ann", "/pause")
    assert "1 of 2 are for it" in plain((await camp.screen("vote pause")).text)
    assert await camp.press("Bob", "Pause", "vote pause") == "Decided."


@pytest.mark.parametrize("word", ["/leave", "/holiday 3d"])
async def test_a_vote_that_has_most_of_who_are_left_is_carried_at_once(camp: Camp, word: str) -> None:
    await only_players(camp)
    await camp.write("Ann", "/pause")
    await camp.press("Bob", "Pause", "vote pause")
    assert (await camp.game()).status == "playing"
    await camp.write("Dan", word)
    await camp.forward(1)
    assert (await camp.game()).status == "paused" and buttons(await camp.screen("vote pause")) == []


async def test_the_vote_of_who_burns_does_not_count_any_more(camp: Camp) -> None:
    await at_the_table(camp, ann=["Flamethrower", "Whisky", "Suspicion", "Scary"])
    async with camp.store.engine.begin() as connection:
        await connection.exec_driver_sql("update games set opened_by = 1")
    await camp.write("Bob", "/pace slow")
    await camp.press("Dan", "Play at it", "vote pace")
    await camp.answer("Ann", "play", "Flamethrower", "Dan")
    await camp.forward(2 * MINUTE)
    assert len((await camp.step()).table.seats) == 3
    assert "1 of 2 are for it" in plain((await camp.screen("vote pace")).text)
    assert await camp.press("Dan", "Play at it", "vote pace") == "This is not your game."
    reply = await camp.write("Dan", "/pause")
    assert reply and "Only who is alive and plays has a say" in reply["text"]
    assert (await camp.game()).pace == "day"
    assert await camp.press("Cid", "Play at it", "vote pace") == "Decided."


async def test_an_anonymous_administrator_pauses_and_who_is_none_any_more_does_not(camp: Camp) -> None:
    await only_players(camp)
    camp.appoint("Dan")
    await camp.write("Bob", "/pause")
    camp.appoint()
    assert await camp.press("Dan", "Pause", "vote pause") == "Counted: 2 of 3."
    assert (await camp.game()).status == "playing"
    anonymous = {"id": camp.place[0], "type": "supergroup", "title": "The camp"}
    group = {"id": 1087968824, "is_bot": True, "first_name": "Group", "username": "GroupAnonymousBot"}
    assert await camp.write(group, "/pause", sender_chat=anonymous) is None
    assert (await camp.game()).status == "paused"
    channel = {"id": -100777, "type": "channel", "title": "News"}
    reply = await camp.write(group, "/resume", sender_chat=channel)
    assert reply and "not in this game" in reply["text"] and (await camp.game()).status == "paused"
    await camp.write(group, "/resume", sender_chat=anonymous)
    assert (await camp.game()).status == "playing"


async def test_a_pause_wins_nobody_time_who_goes_and_comes_in_it(camp: Camp) -> None:
    await at_the_table(camp)
    (before,) = await timers(camp, pace.DEADLINE)
    await camp.forward(2 * HOUR)
    camp.appoint("Ann")
    await camp.write("Ann", "/pause")
    await camp.forward(10 * HOUR)
    await camp.write("Ann", "/leave")
    await camp.write("Ann", "/join")
    await camp.write("Ann", "/resume")
    (after,) = await timers(camp, pace.DEADLINE)
    assert abs(after - before - timedelta(hours=10)) < 5 * SECOND


async def test_who_was_for_it_takes_that_back(camp: Camp) -> None:
    await only_players(camp)
    await camp.write("Ann", "/pause")
    await camp.press("Bob", "Pause", "vote pause")
    assert "administrator can close" in await camp.press("Cid", "Play on", "vote pause")
    assert await camp.press("Bob", "Play on", "vote pause") == "Counted: 1 of 3."
    stale = data_of(await camp.screen("vote pause"), "Pause")
    assert await camp.press("Ann", "Play on", "vote pause") == "Settled: it stays as it is."
    assert not await camp.has("vote pause")
    assert said(await camp.press_data("Cid", stale)) == "That question is settled."
    await camp.write("Ann", "/pause")
    assert said(await camp.press_data("Cid", stale)) == "That question is settled."


async def test_a_paused_game_takes_no_moves_and_says_so(camp: Camp) -> None:
    await at_the_table(camp)
    await camp.press_hand("Ann", "Axe")
    discard = data_of(await camp.hand("Ann"), "Discard it")
    camp.appoint("Ann")
    await camp.write("Ann", "/pause")
    assert "The game is paused" in plain((await camp.screen("board")).text)
    assert "No answer is taken" in plain((await camp.hand("Ann")).text)
    before = (await camp.everything())["answers"]
    paused = "The game is paused. /resume goes on."
    assert said(await camp.press_data("Ann", discard, camp.person("Ann")["id"])) == paused
    assert await camp.press_hand("Ann", "Axe") == paused
    assert (await camp.everything())["answers"] == before
    await camp.press_hand("Ann", "Table")
    assert "The game is paused" in plain((await camp.hand("Ann")).text)
    for command in ("/blame", "/nudge"):
        reply = await camp.write("Bob", command)
        assert reply and "paused" in reply["text"]


async def test_in_a_paused_game_nobodys_time_runs(camp: Camp) -> None:
    await at_the_table(camp)
    before = sorted(await timers(camp, pace.DEADLINE) + await timers(camp, pace.REMIND))
    await camp.forward(20 * MINUTE)
    camp.appoint("Ann")
    await camp.write("Ann", "/pause")
    await camp.forward(50 * HOUR)
    assert (await camp.game()).version == memo_of(await camp.game()).asked["s1"]
    await camp.write("Ann", "/resume")
    after = sorted(await timers(camp, pace.DEADLINE) + await timers(camp, pace.REMIND))
    moved = [new - old for old, new in zip(before, after, strict=True)]
    assert all(abs(gap - timedelta(hours=50)) < 5 * SECOND for gap in moved)
    await camp.forward(5 * MINUTE)
    await camp.answer("Ann", "discard", "Axe")
    assert memo_of(await camp.game()).used == {}


async def test_a_bot_player_is_paused_too(camp: Camp) -> None:
    await at_the_table(camp)
    await camp.write("Bob", "/leave")
    await camp.answer("Ann", "discard", "Axe")
    await camp.answer("Ann", "give", "Whisky")
    camp.appoint("Ann")
    await camp.write("Ann", "/pause")
    version = (await camp.game()).version
    await camp.forward(HOUR)
    assert (await camp.game()).version == version
    await camp.write("Ann", "/resume")
    await camp.forward(10)
    assert (await camp.game()).version > version


async def test_the_bots_leaving_and_the_groups_pause_do_not_undo_each_other(camp: Camp) -> None:
    await at_the_table(camp)
    camp.appoint("Ann")
    await camp.write("Ann", "/pause")
    await camp.write("Bob", "/status")
    assert (await camp.game()).status == "paused"
    reply = await camp.write("Ann", "/pause")
    assert reply and "paused already" in reply["text"]
    await camp.write("Ann", "/resume")
    reply = await camp.write("Ann", "/resume")
    assert reply and "The game is on" in reply["text"]


async def test_after_a_pause_the_question_is_at_the_end_of_the_chat_without_a_sound(camp: Camp) -> None:
    await at_the_table(camp, private=("Bob", "Cid", "Dan"))
    await camp.answer("Ann", "discard", "Axe")
    called, bob = await call_of(camp, "Ann"), await camp.hand_row("Bob")
    assert called is not None
    camp.appoint("Ann")
    await camp.write("Ann", "/pause")
    await camp.write("Ann", "/resume")
    anew = await call_of(camp, "Ann")
    assert anew is not None and anew.post == called.post + 1 and not anew.wanted.ring
    assert "until" in plain(anew.wanted.text) and await camp.hand_row("Bob") == bob
    await camp.answer("Ann", "give", "Whisky")
    bob = await camp.hand_row("Bob")
    await camp.write("Ann", "/pause")
    await camp.write("Ann", "/resume")
    assert (await camp.hand_row("Bob")).post == bob.post + 1 and not (await camp.hand_row("Bob")).wanted.ring


# --- another pace ---


async def test_the_pace_is_changed_by_most_and_by_nobody_alone(camp: Camp) -> None:
    await at_the_table(camp)
    camp.far_end.administrators = {camp.person("Ann")["id"]}
    assert await camp.write("Ann", "/pace 10m 1h") is None
    question = await camp.screen("vote pace")
    assert "Ann wants another pace: 10 minutes an answer and 1 hour in the bank. 1 of 3" in plain(question.text)
    (asked,) = memo_of(await camp.game()).asked_at.values()
    await camp.press("Bob", "Play at it", "vote pace")
    await camp.press("Cid", "Play at it", "vote pace")
    game = await camp.game()
    assert game.pace == "10m 1h"
    assert await timers(camp, pace.DEADLINE) == [pace.moment(asked) + timedelta(minutes=70)]
    assert "The pace is now 10 minutes an answer" in plain((await camp.screen("vote pace")).text)


async def test_another_proposal_takes_the_place_of_the_first(camp: Camp) -> None:
    await at_the_table(camp)
    await camp.write("Ann", "/pace 10m 1h")
    old = data_of(await camp.screen("vote pace"), "Play at it")
    await camp.write("Bob", "/pace slow")
    assert "8 hours an answer" in plain((await camp.screen("vote pace")).text)
    assert said(await camp.press_data("Cid", old)) == "That question is settled."
    camp.appoint("Eve")
    for name in ("Eve", "Cid"):
        assert "until those who are for it take that back" in await camp.press(name, "As it is", "vote pace")
    assert await camp.press("Eve", "Play at it", "vote pace") == "This is not your game."
    for name in ("Cid", "Dan"):
        await camp.press(name, "Play at it", "vote pace")
    assert (await camp.game()).pace == "slow"


async def test_with_a_quicker_pace_nobody_is_late_at_once(camp: Camp) -> None:
    await at_the_table(camp, "slow")
    await camp.forward(5 * HOUR)
    version = (await camp.game()).version
    for name in ("Ann", "Bob", "Cid"):
        await camp.write(name, "/pace blitz")
    await camp.forward(60)
    assert (await camp.game()).version == version
    await camp.forward(40)
    assert (await camp.game()).version > version


async def test_half_of_the_bank_stays_half_of_the_bank(camp: Camp) -> None:
    await at_the_table(camp)
    await camp.forward(90 * MINUTE)
    await camp.answer("Ann", "discard", "Axe")
    used = memo_of(await camp.game()).used["s1"]
    for name in ("Ann", "Bob", "Cid"):
        await camp.write(name, "/pace slow")
    assert memo_of(await camp.game()).used["s1"] == pytest.approx(12 * used)


async def test_a_pace_that_is_none_or_the_present_one_is_not_put_to_the_group(camp: Camp) -> None:
    await at_the_table(camp)
    for words, told in (("30m 2h", "the pace already"), ("soon", "like /pace"), ("1s", "30 seconds")):
        reply = await camp.write("Ann", f"/pace {words}")
        assert reply and told in reply["text"]
    assert not await camp.has("vote pace")


# --- ending ---


async def test_most_of_the_living_people_end_a_game(camp: Camp) -> None:
    await only_players(camp)
    await camp.write("Ann", "/endgame")
    assert buttons(await camp.screen("ending")) == ["End it", "Play on"]
    await camp.press("Bob", "End it", "ending")
    assert await camp.press("Cid", "End it", "ending") == "Decided."
    assert (await camp.game()).status == "over" and not await camp.has("ending")


async def test_the_opener_is_asked_once_more(camp: Camp) -> None:
    await at_the_table(camp)
    await camp.write("Ann", "/endgame")
    assert "for good" in plain((await camp.screen("ending")).text) and (await camp.game()).status == "playing"
    assert await camp.press("Ann", "Play on", "ending") == "Settled: it stays as it is."
    await camp.write("Ann", "/endgame")
    await camp.press("Ann", "End it", "ending")
    assert (await camp.game()).status == "over"


async def test_a_paused_game_can_be_ended(camp: Camp) -> None:
    await at_the_table(camp)
    camp.appoint("Ann")
    await camp.write("Ann", "/pause")
    await camp.write("Ann", "/endgame")
    await camp.press("Ann", "End it", "ending")
    assert (await camp.game()).status == "over"


async def test_open_questions_go_with_the_game(camp: Camp) -> None:
    await only_players(camp)
    await camp.write("Ann", "/pace slow")
    await camp.write("Ann", "/pause")
    for name in ("Ann", "Bob", "Cid"):
        await camp.write(name, "/endgame")
    assert not any([await camp.has(kind) for kind in ("ending", "vote pace", "vote pause")])


@pytest.mark.parametrize("what", ["end", "pause", "resume", "pace", "again", "nonsense"])
async def test_a_forged_vote_counts_for_nothing(camp: Camp, what: str) -> None:
    await only_players(camp)
    before = await camp.everything()
    for number in (0, 1, 2):
        assert said(await camp.press_data("Bob", f"v.{camp.game_id}.0.{what}.{number}")) == "That question is settled."
    assert await camp.everything() == before
