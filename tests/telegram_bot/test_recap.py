"""What happened since somebody last looked, and the line of a morning."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from core.events import (
    CardDiscarded,
    CardDrawn,
    CardPlayed,
    Eliminated,
    Exchanged,
    HandShown,
    Offered,
    PanicDrawn,
    TurnBegan,
)
from db.records import Event as Logged
from playground.text import formatted
from telegram_bot import pace, private, recap, screens
from telegram_bot.texts import say
from tests.telegram_bot.camp import GROUP, Camp, Reply, plain
from tests.telegram_bot.test_waiting import HOUR, MINUTE, at_the_table, now, settings, timers

NAMES = {"s1": "Ann", "s2": "Bob", "s3": "Cid", "s4": "Dan"}


def a_turn(number: int, *, fire: bool = False) -> list[object]:
    """A turn of one of the four: a discard and an exchange, or a flamethrower."""
    seat, other = f"s{number % 4 + 1}", f"s{(number + 1) % 4 + 1}"
    began = [TurnBegan(turn=number, seat=seat), CardDrawn(seat=seat, card="Axe")]
    if fire:
        return [*began, CardPlayed(seat, "Flamethrower", other), Eliminated(other, seat)]
    exchange = [Offered(seat, other, "Axe"), Exchanged(giver=seat, taker=other, given="Axe", returned="Whisky")]
    return [*began, CardDiscarded(seat=seat, card="Axe"), *exchange]


def told(turns: int, fire: int = 0, most: int = recap.LINES) -> list[str]:
    events = [event for number in range(1, turns + 1) for event in a_turn(number, fire=number == fire)]
    return [plain(line) for line in recap.tell(events, NAMES, most)]  # type: ignore[arg-type]


# --- the lines ---


@pytest.mark.parametrize("turns", (1, 5, 10, 11, 40))
@pytest.mark.parametrize("most", (2, 3, 10))
def test_a_recap_has_no_more_lines_than_it_may(turns: int, most: int) -> None:
    lines = told(turns, most=most)
    assert len(lines) == min(turns, most) or turns > most and 2 <= len(lines) <= most


def test_every_turn_has_a_line_where_there_is_room() -> None:
    assert told(2) == ["1 · Bob: Bob and Cid exchange.", "2 · Cid: Cid and Dan exchange."]


def test_quiet_turns_are_counted_and_a_burned_player_is_told() -> None:
    lines = told(30, fire=7)
    assert lines[0] == "25 quiet turns from turn 1 on."
    assert lines[1] == "7 · Dan: Flamethrower at Ann, 🔥 Ann burned."
    assert len(lines) == 6 and lines[-1].startswith("30 · ")


def test_no_line_of_a_recap_tells_what_the_group_did_not_see() -> None:
    assert not any("Axe" in line or "Whisky" in line for line in told(9))


def test_a_turn_that_has_only_begun_is_not_told() -> None:
    assert recap.tell(a_turn(3)[:2], NAMES) == []  # type: ignore[arg-type]


A_FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
HOSTILE = ("&<>" * 40, A_FAMILY * 6, "W\u0301\u0302" * 40, "\u202e<b>" * 9)
HAND = ("No Barbeque!", "Can't We Be Friends?", "You'd Better Run!", "Axe")


@pytest.mark.parametrize("turns", (0, 1, 9, 60))
def test_a_recap_of_many_turns_and_hostile_names_is_ten_lines_that_telegram_takes(turns: int) -> None:
    """The worst turn: everybody shows the hand, twelve times."""
    names = {f"s{number}": f"{HOSTILE[number % 4]}{number}" for number in range(1, 13)}
    log = []
    for turn in range(1, turns + 1):
        shown = [HandShown(seat, "Revelations", None, HAND) for seat in names]
        for event in (TurnBegan(turn=turn, seat=f"s{turn % 12 + 1}"), PanicDrawn("s1", "Revelations"), *shown):
            log.append(Logged(len(log) + 1, turn, msgspec.to_builtins(event), datetime.now(UTC)))
    awaited = say("board.waiting", names=[screens.named(name) for name in names.values()], until="")
    text = recap.page(log, 0, names, awaited)
    assert len(text.split("\n")) <= 10 and private.length(text) <= 4096
    assert turns == 0 or f"{turns} · " in text
    formatted(text, "HTML")


# --- /recap ---


def text_of(reply: Reply) -> str:
    assert reply is not None
    return plain(reply["text"])


async def test_a_recap_comes_to_the_private_chat_where_there_is_one(camp: Camp) -> None:
    await at_the_table(camp)
    await camp.answer("Ann", "discard", "Axe")
    reply = await camp.write("Bob", "/recap")
    assert reply is not None and reply["chat_id"] == camp.person("Bob")["id"]
    told = text_of(reply)  # the first deal, before the table was laid, may have begun with a PANIC! card
    assert told.startswith("Since you last looked\n1 · ")
    assert "a card goes face down.\nWaiting for Ann, until" in told


async def test_who_has_no_private_chat_gets_it_in_the_group_without_a_sound(camp: Camp) -> None:
    await at_the_table(camp, private=("Ann",))
    reply = await camp.write("Bob", "/recap")
    assert reply is not None and reply["chat_id"] == GROUP and reply["disable_notification"]


async def test_an_ephemeral_recap_is_seen_by_its_writer_alone(camp: Camp) -> None:
    await at_the_table(camp)
    reply = await camp.write("Bob", "/recap", message_id=0, ephemeral_message_id=31)
    assert reply is not None and reply["ephemeral_message_parameters"] == {"receiver_user_id": camp.person("Bob")["id"]}
    assert reply["reply_parameters"] == {"ephemeral_message_id": 31}


async def test_a_second_recap_tells_only_what_is_new(camp: Camp) -> None:
    await at_the_table(camp)
    await camp.answer("Ann", "discard", "Axe")
    await camp.write("Bob", "/recap")
    assert "1 · Ann" in text_of(await camp.write("Bob", "/recap")), "within a quarter of an hour it is one sitting"
    await camp.forward(16 * MINUTE)
    assert text_of(await camp.write("Bob", "/recap")).startswith("Nothing has happened since you last looked.")
    await camp.answer("Ann", "give", "Whisky")
    await camp.answer("Bob", "give", "Axe")
    assert "Ann and Bob exchange" in text_of(await camp.write("Bob", "/recap"))


async def test_looking_at_the_hand_counts_as_looking(camp: Camp) -> None:
    await at_the_table(camp)
    await camp.answer("Ann", "discard", "Axe")
    await camp.press_hand("Bob", "Table")
    assert "1 · Ann" in text_of(await camp.write("Bob", "/recap")), "the same sitting"
    await camp.forward(16 * MINUTE)
    await camp.press_hand("Bob", "‹ Back")
    assert "Nothing has happened" in text_of(await camp.write("Bob", "/recap"))
    assert "1 · Ann" in text_of(await camp.write("Cid", "/recap")), "Cid has not looked"


async def test_who_is_not_in_the_game_may_ask_too(camp: Camp) -> None:
    await at_the_table(camp)
    await camp.answer("Ann", "discard", "Axe")
    assert "1 · Ann" in text_of(await camp.write("Eve", "/recap"))


async def test_without_a_game_there_is_nothing_to_tell(camp: Camp) -> None:
    assert "No game is on here" in text_of(await camp.write("Ann", "/recap"))
    assert "You are in no game now" in text_of(await camp.write("Ann", "/recap", private=True))


async def test_of_many_games_those_that_do_not_fit_are_not_taken_for_seen(
    camp: Camp, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = [(GROUP - number, 0) for number in range(3)]
    for camp.place in places:
        await at_the_table(camp)
        await camp.answer("Ann", "discard", "Axe")
    monkeypatch.setattr(recap, "LONGEST", 100)
    first = text_of(await camp.write("Bob", "/recap", private=True))
    assert first.count("a card goes face down") == 1 and "And 2 more games" in first
    await camp.forward(16 * MINUTE)
    monkeypatch.undo()
    again = text_of(await camp.write("Bob", "/recap", private=True))
    assert again.count("a card goes face down") == 2 and again.count("Nothing has happened") == 1


async def test_in_the_private_chat_all_games_are_told_under_their_groups(camp: Camp) -> None:
    await at_the_table(camp)
    await camp.answer("Ann", "discard", "Axe")
    reply = await camp.write("Bob", "/recap", private=True)
    assert reply is not None and reply["chat_id"] == camp.person("Bob")["id"]
    assert text_of(reply).startswith("The camp:\nSince you last looked\n1 · ")
    assert "1 · Ann: a card goes face down" in text_of(reply)


# --- the morning ---


async def until_the_evening(camp: Camp, quiet: float = 2) -> None:
    """A game, whose group will be quiet in half an hour, for so many hours."""
    await at_the_table(camp, word="6h 12h")
    at = await now(camp)
    begins, ends = at + timedelta(minutes=30), at + timedelta(minutes=30, hours=quiet)
    await settings(camp, quiet_from=f"{begins:%H:%M}", quiet_to=f"{ends:%H:%M}", zone="UTC")
    await camp.answer("Ann", "discard", "Axe")
    await camp.forward(40 * MINUTE)


async def test_a_morning_tells_what_happened_in_the_night_and_who_is_awaited(camp: Camp) -> None:
    await until_the_evening(camp)
    await camp.answer("Ann", "give", "Whisky")
    await camp.answer("Bob", "give", "Axe")
    assert not await camp.has("morning")
    await camp.forward(2 * HOUR)
    lines = plain((await camp.screen("morning")).text).split("\n")
    assert lines[:2] == ["🌅 Morning in the camp.", "1 · Ann: Ann and Bob exchange."]
    assert lines[2].startswith("Waiting for Bob, until ") and len(lines) == 3
    assert not (await camp.screen("morning")).ring


async def test_a_morning_after_a_silent_night_says_who_is_awaited(camp: Camp) -> None:
    await until_the_evening(camp)
    await camp.forward(2 * HOUR)
    lines = plain((await camp.screen("morning")).text).split("\n")
    assert len(lines) == 2 and "Nothing happened" in lines[0] and lines[1].startswith("Waiting for Ann")


async def test_a_morning_comes_once_a_day(camp: Camp) -> None:
    await until_the_evening(camp)
    await camp.forward(2 * HOUR)
    first = (await camp.rows())["morning", 0]
    (tomorrow,) = await timers(camp, pace.MORNING)
    assert timedelta(hours=23) < tomorrow - await now(camp) <= timedelta(hours=24)
    await camp.forward(3 * HOUR)
    assert (await camp.rows())["morning", 0].post == first.post


async def test_there_is_no_morning_for_a_group_without_quiet_hours(camp: Camp) -> None:
    await at_the_table(camp)
    assert await timers(camp, pace.MORNING) == []


async def test_there_is_no_morning_in_a_paused_game(camp: Camp) -> None:
    await until_the_evening(camp)
    camp.appoint("Ann")
    await camp.write("Ann", "/pause")
    await camp.forward(24 * HOUR)
    await camp.write("Ann", "/resume")
    await camp.forward(1)
    assert not await camp.has("morning")


async def test_a_morning_line_that_would_come_hours_later_does_not_come(camp: Camp) -> None:
    await until_the_evening(camp)
    await camp.forward(7 * HOUR)
    assert not await camp.has("morning")
