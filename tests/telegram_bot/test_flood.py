"""Floods from one person are dropped quietly, and nobody else notices."""

from __future__ import annotations

from telegram_bot import flood
from tests.telegram_bot.camp import Camp, data_of, said

FOUR = ("Ann", "Bob", "Cid", "Dan")


async def test_a_flood_of_one_person_is_dropped_quietly_and_the_others_play_on(camp: Camp) -> None:
    await camp.gather(*FOUR)
    camp.door.gate = flood.Gate(now=lambda: 0.0)  # all at the same moment
    join = data_of(await camp.screen("lobby"), "Join / leave")
    for _ in range(flood.BURST):
        await camp.press_data("Bob", join)
    before = await camp.everything()
    for _ in range(5):
        assert said(await camp.press_data("Bob", join)) == ""
        assert await camp.write("Bob", "/help") is None
    assert await camp.everything() == before
    assert await camp.write("Cid", "/help") is not None


def test_a_person_who_was_silent_may_speak_again() -> None:
    seconds = iter([0.0] * (flood.BURST + 1) + [1.0] * 20)
    gate = flood.Gate(now=lambda: next(seconds))
    assert [gate.passes(7) for _ in range(flood.BURST + 1)][-2:] == [True, False]
    assert sum(gate.passes(7) for _ in range(20)) == flood.RATE


def test_a_gate_remembers_a_bounded_number_of_people() -> None:
    gate = flood.Gate(now=lambda: 0.0)
    for person in range(flood.REMEMBERED + 100):
        gate.passes(person)
    assert len(gate._people) == flood.REMEMBERED
