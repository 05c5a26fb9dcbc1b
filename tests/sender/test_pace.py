"""Telegram's limits, kept before it has to: a chat a second, a group twenty sends and edits a minute, thirty in all."""

import asyncio
from math import inf

from hypothesis import given
from hypothesis import strategies as st

from db.records import Button
from db.store import Store
from telegram_bot.limits import Bucket, Lane, Limits
from telegram_bot.private import BUSY
from tests.sender.conftest import SAID, Camp


def most_in_a_minute(times: list[float]) -> int:
    return max((sum(1 for other in times if at <= other < at + 60) for at in times), default=0)


async def blitz(camp: Camp, seconds: int, step: int = 2) -> None:
    """A game in which something happens every two seconds: a line a turn, and a board that changes all the time."""
    rows = ((Button("My hand", data="h"),),)
    for second in range(0, seconds, step):
        await camp.show(f"turn {second // 10}", f"turn {second // 10}, at {second}", once=True)
        await camp.show("board", f"the camp at {second}", rows=rows, anew=second % 50 == 0)
        await camp.later(step)


async def test_a_blitz_never_says_more_than_twenty_things_a_minute_and_ends_as_it_should(camp: Camp) -> None:
    await blitz(camp, 200)
    times = [call["at"] for call in camp.calls(*SAID)]
    assert most_in_a_minute(times) <= 20
    assert all(call["ok"] for call in camp.calls())
    for _ in range(10):
        await camp.later(10)
    assert await camp.store.pending() == 0
    assert "the camp at 198" in camp.seen()
    lines = [text for text in camp.seen() if text.startswith("turn")]
    assert lines == [f"turn {n}, at {n * 10 + 8}" for n in range(20)]


async def test_what_is_said_aside_to_members_counts_with_it(camp: Camp) -> None:
    camp.world.set_member(camp.group, camp.telegram.bot.id, "administrator", camp.ann.id)
    to = {"ephemeral_message_parameters": {"receiver_user_id": camp.ann.id}}
    alerts = 0
    for second in range(0, 180, 5):
        async with camp.press() as unit:
            if busy := unit.road.said > BUSY:
                alerts += 1  # as private.py does, once Telegram has complained of one
            else:
                unit.say_aside()
        if not busy:
            await camp.bot.send_message(camp.group.id, f"your hand at {second}", api_kwargs=to)
        await camp.show(f"turn {second // 10}", f"turn {second // 10}, at {second}", once=True)
        await camp.show("board", f"the camp at {second}")
        await camp.later(5)
    times = [call["at"] for call in camp.calls(*SAID)]
    assert most_in_a_minute(times) <= 20
    assert all(call["ok"] for call in camp.calls())
    assert alerts < 9, "most of what people press is shown"


async def test_however_much_is_said_aside_the_game_goes_on(camp: Camp) -> None:
    for _ in range(100):
        async with camp.press() as unit:
            unit.say_aside()
    await camp.show("turn 1", "Ann draws.")
    await camp.show("board", "the camp")
    await camp.sent()
    assert camp.seen() == ["Ann draws.", "the camp"]


async def test_near_the_limit_new_messages_go_before_edits(camp: Camp) -> None:
    await camp.show("board", "0")
    for n in range(1, 16):
        await camp.show("board", f"{n}")
        await camp.later(3)
    await camp.show("board", "last")
    assert await camp.sent() > 1
    assert "last" not in camp.seen()
    await camp.show("turn 1", "Ann draws.")
    await camp.show("turn 2", "Bob draws.")
    await camp.later(2)
    assert camp.seen() == ["15", "Ann draws.", "Bob draws."]
    await camp.later(60)
    assert camp.seen() == ["last", "Ann draws.", "Bob draws."]


async def test_limits_used_up_outlive_the_sender_that_used_them(camp: Camp) -> None:
    for n in range(20):
        await camp.show(f"turn {n}", f"line {n}")
    for _ in range(18):
        await camp.later(1)
    assert len(camp.seen()) == 20
    await camp.show("turn 20", "line 20")
    await camp.stop()
    assert await camp.sent() > 30
    assert len(camp.seen()) == 20
    await camp.later(62)
    assert len(camp.seen()) == 21
    assert all(call["ok"] for call in camp.calls())


async def test_a_person_gets_three_messages_at_once_and_then_one_a_second(camp: Camp) -> None:
    camp.start(camp.ann)
    for n in range(6):
        await camp.show(f"note {n}", f"{n}", receiver=camp.ann.id)
    await camp.sent()
    assert len(camp.said()) == 3
    for count in (4, 5, 6):
        await camp.later(1)
        assert len(camp.said()) == count


async def test_who_is_asked_for_an_answer_hears_it_before_the_chatter_of_others(camp: Camp) -> None:
    people = [camp.world.add_person(f"P{n}") for n in range(40)]
    for person in people:
        camp.start(person)
        await camp.show("hand", f"{person.first_name}", receiver=person.id)
    camp.start(camp.bob)
    await camp.show("hand", "Bob, you are asked", receiver=camp.bob.id, ring=True)
    await camp.sender(Limits(overall=4))
    while not camp.said():
        await camp.sent()
    assert camp.said()[0] == "sendMessage Bob, you are asked"
    assert len(camp.said()) < 40


async def test_lifted_limits_hold_nothing_back(camp: Camp) -> None:
    camp.world.settings.limits = False
    await camp.sender(Limits.none())
    for n in range(50):
        await camp.show(f"turn {n}", f"line {n}")
    assert await camp.sent() == inf
    assert camp.seen() == [f"line {n}" for n in range(50)]


async def test_a_press_in_another_process_is_shown_without_waiting_for_the_next_look(camp: Camp) -> None:
    sender = await camp.sender()
    await camp.sent()
    async with Store(camp.url) as elsewhere:
        camp.store, here = elsewhere, camp.store
        await camp.show("board", "from elsewhere")
        woken = asyncio.create_task(sender._woken.wait())
        await woken
        camp.store = here
    await camp.sent()
    assert camp.seen() == ["from elsewhere"]


@given(st.lists(st.tuples(st.floats(0, 10), st.booleans()), max_size=200))
def test_a_lane_never_lets_more_than_twenty_through_in_a_minute(steps: list[tuple[float, bool]]) -> None:
    now, lane, times = 0.0, Lane.of(-1, Limits(), 0.0), []
    for pause, edit in steps:
        now += pause
        if lane.wait(now, counts=True, edit=edit) == 0:
            lane.take()
            lane.answered(now)
            times.append(now)
    assert most_in_a_minute(times) <= 20


@given(st.lists(st.floats(0, 5), max_size=100))
def test_a_bucket_that_says_when_keeps_its_word(pauses: list[float]) -> None:
    now, bucket = 0.0, Bucket(1.0, 3, 3, 0.0)
    for pause in pauses:
        now += pause
        now += bucket.wait(now)
        assert bucket.wait(now) == 0
        bucket.take()
