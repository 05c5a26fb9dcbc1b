"""Floods from one person are dropped quietly, and change nothing; what is said to a group has its measure."""

from __future__ import annotations

import asyncio
import json

import pytest

from db.store import ASIDES, Store
from telegram_bot.flood import COMMANDS, PAGES, SAME, WAITING, Measure
from telegram_bot.limits import Lane, Limits
from tests.telegram_bot.camp import GROUP, Camp, data_of, said
from tests.telegram_bot.test_settings import kept, keyboard, menu
from tests.telegram_bot.test_waiting import MINUTE, at_the_table

FOUR = ("Ann", "Bob", "Cid", "Dan")


async def test_a_command_written_too_often_is_not_answered_and_changes_nothing(camp: Camp) -> None:
    await camp.begin(*FOUR)
    answers = [await camp.write("Dan", "/help") for _ in range(3 * SAME)]
    assert all(answers[:SAME]) and not any(answers[SAME:])
    for _ in range(SAME):
        await camp.write("Dan", "/status")
    before = await camp.everything()
    for _ in range(10):
        assert await camp.write("Dan", "/status") is None
    assert await camp.everything() == before


async def test_it_is_answered_again_a_minute_later(camp: Camp) -> None:
    for _ in range(2 * SAME):
        await camp.write("Dan", "/help")
    await camp.forward(MINUTE + 1)
    assert await camp.write("Dan", "/help")


async def test_others_are_answered_during_the_flood_of_one(camp: Camp) -> None:
    for number in range(4 * COMMANDS):
        await camp.write("Dan", ("/help", "/blame", "/rules", "/pace", "/status")[number % 5])
    assert await camp.write("Ann", "/help") and await camp.write("Bob", "/rules axe")


@pytest.mark.parametrize("words", ("hello", "/nosuchcommand", "/start", "/hand", "/recap"))
async def test_a_flood_in_the_private_chat_is_dropped_too(camp: Camp, words: str) -> None:
    answers = [await camp.write("Dan", words, private=True) for _ in range(3 * SAME)]
    assert all(answers[:SAME]) and not any(answers[SAME:])


async def test_an_anonymous_administrator_is_one_person_too(camp: Camp) -> None:
    anonymous = {"id": 1087968824, "is_bot": True, "first_name": "Group", "username": "GroupAnonymousBot"}
    group = {"id": GROUP, "type": "supergroup", "title": "The camp"}
    answers = [await camp.write(anonymous, "/help", sender_chat=group) for _ in range(2 * SAME)]
    assert all(answers[:SAME]) and not any(answers[SAME:])


async def test_a_group_hears_no_more_answers_in_a_minute_than_it_takes(camp: Camp) -> None:
    answers = [await camp.write(f"P{number}", "/help") for number in range(30)]
    assert sum(answer is not None for answer in answers) == ASIDES
    assert await camp.write("Ann", "/help", private=True), "another chat"
    await camp.forward(MINUTE + 5)
    assert await camp.write("P1", "/help")


async def test_answers_that_come_in_a_burst_wait_for_each_other(camp: Camp) -> None:
    for number in range(6):
        await camp.write(f"P{number}", "/help")
    first, second, third, fourth = camp.far_end.rested
    assert 0 < first <= 3 and 0 < second <= 3 and third <= 6 and fourth <= 6
    assert first + second < third + fourth, "two in three seconds"


async def test_answers_that_wait_leave_telegram_connections_for_the_others(database_url: str) -> None:
    async with Store(database_url) as store:
        rests = asyncio.Event()
        measure = Measure(store, lambda seconds: rests.wait())  # type: ignore[arg-type, return-value]
        groups = range(GROUP, GROUP - WAITING - 5, -1)
        for group in groups:
            assert await measure.may_say(group) and await measure.may_say(group)
        waiting = [asyncio.create_task(measure.may_say(group)) for group in groups]
        done, rest = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        while len(done) < 5:
            more, rest = await asyncio.wait(rest, return_when=asyncio.FIRST_COMPLETED)
            done |= more
        assert [task.result() for task in done] == [False] * 5 and len(rest) == WAITING
        rests.set()
        assert all([await task for task in rest])


def test_the_sender_leaves_room_for_answers_and_answers_leave_room_for_the_game() -> None:
    lane = Lane.of(GROUP, Limits(), 0.0)
    lane.aside = tuple(float(at) for at in range(ASIDES))
    said = {True: 0, False: 0}
    for number, edit in enumerate((True,) * 10 + (False,) * 10):
        now = 30 + 1.4 * number  # within a minute of all answers
        if not lane.wait(now, counts=True, edit=edit):
            lane.take()
            lane.answered(now)
            said[edit] += 1
    assert said[True] and said[False] and ASIDES + sum(said.values()) <= 20


async def test_taps_on_the_settings_are_kept_when_there_is_no_room_to_show_them(camp: Camp) -> None:
    shown = await menu(camp)
    for _ in range(20):
        await camp.press_data("Ann", keyboard(shown)["Pace"])
    assert len(camp.far_end.edits) < ASIDES
    slow = json.dumps(camp.far_end.edits[-1])
    assert "Slow" in slow
    toast = said(await camp.press_data("Ann", keyboard(camp.far_end.edits[-1])["○ Slow"]))
    assert toast.startswith("What you chose is kept.") and (await kept(camp))["pace"] == "slow"


async def test_who_turns_pages_without_end_is_told_in_alerts(camp: Camp) -> None:
    await at_the_table(camp)
    camp.far_end.ephemeral = "shown"
    board = data_of(await camp.screen("board"), "🃏 My hand")
    for _ in range(3 * PAGES):
        reply = await camp.press_data("Dan", board)
    assert reply is not None and reply["show_alert"]
    dans = [call for _, call in camp.far_end.said if str(camp.person("Dan")["id"]) in json.dumps(call)]
    assert len(dans) <= PAGES + 1, "and the harmless line before the first"
    await camp.press_data("Ann", board)
    assert str(camp.person("Ann")["id"]) in json.dumps(camp.far_end.said[-1][1])
