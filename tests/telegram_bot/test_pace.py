"""Paces, banks and deadlines: pure functions of event times; and how they are chosen and shown."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

import core
from telegram_bot import lengths, pace, screens
from telegram_bot.hours import Hours, Quiet
from telegram_bot.memo import memo_of
from telegram_bot.pace import PACES, Pace, Question
from tests.telegram_bot.camp import Camp, buttons, data_of, plain, said
from tests.telegram_bot.test_hours import clocks

SECOND, MINUTE, HOUR, NONE = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1), timedelta()
NOON = datetime(2026, 6, 10, 12, tzinfo=UTC)
FOUR = ("Ann", "Bob", "Cid", "Dan")

spans = st.timedeltas(NONE, timedelta(days=2))
paces = st.sampled_from([*PACES.values(), *(pace.read(text) for text in ("10m 1h", "2m 0", "45s 1d", "3d 14d"))])
abouts = st.sampled_from([core.STEP_TWO, core.OFFER, core.ANSWER, core.DEFEND, core.PASS_ON, core.TARGET])


@st.composite
def questions(draw: st.DrawFn) -> Question:
    hours, asked = draw(clocks())
    chosen = draw(paces)
    used = draw(st.timedeltas(NONE, max(chosen.bank, SECOND)))
    return Question(chosen, draw(abouts), asked, used, hours)


# --- how long an answer may take ---


@pytest.mark.parametrize(
    ("word", "base", "bank"),
    [
        ("blitz", 90 * SECOND, 3 * MINUTE),
        ("evening", 5 * MINUTE, 15 * MINUTE),
        ("day", 30 * MINUTE, 2 * HOUR),
        ("slow", 8 * HOUR, 24 * HOUR),
    ],
)
def test_a_pace_is_a_time_for_an_answer_and_a_bank(word: str, base: timedelta, bank: timedelta) -> None:
    assert PACES[word] == Pace(base, bank) and str(PACES[word]) == word


def test_an_exchange_answer_has_half_the_base_and_a_defence_a_quarter() -> None:
    day = PACES["day"]
    assert day.share(core.STEP_TWO) == day.share(core.OFFER) == day.share(core.TARGET) == 30 * MINUTE
    assert day.share(core.ANSWER) == day.share(core.PASS_ON) == 15 * MINUTE
    assert day.share(core.DEFEND) == 7.5 * MINUTE


def test_the_deadline_is_when_the_share_and_the_bank_are_used_up() -> None:
    assert Question(PACES["day"], core.STEP_TWO, NOON).deadline == NOON + 2.5 * HOUR
    assert Question(PACES["day"], core.DEFEND, NOON).deadline == NOON + 2 * HOUR + 7.5 * MINUTE
    assert Question(PACES["day"], core.STEP_TWO, NOON, used=90 * MINUTE).deadline == NOON + HOUR
    assert Question(PACES["day"], core.STEP_TWO, NOON, used=2 * HOUR).deadline == NOON + 30 * MINUTE


def test_only_what_goes_over_the_share_is_paid_from_the_bank() -> None:
    question = Question(PACES["day"], core.STEP_TWO, NOON, used=10 * MINUTE)
    assert question.used_at(NOON + 30 * MINUTE) == 10 * MINUTE
    assert question.used_at(NOON + 31 * MINUTE) == 11 * MINUTE
    assert question.used_at(question.deadline) == question.used_at(question.deadline + HOUR) == 2 * HOUR


def test_quiet_hours_and_pauses_cost_nothing() -> None:
    night = Hours(Quiet(ZoneInfo("UTC"), time(23), time(8)), ((NOON, NOON + HOUR),))
    question = Question(PACES["slow"], core.STEP_TWO, NOON, hours=night)
    # 32 hours from 13 o'clock on: ten, a day of fifteen, and seven.
    assert question.deadline == NOON + timedelta(days=2) + 3 * HOUR
    # 13 to 23 are ten hours, two more than the share; the night between is not counted.
    assert question.used_at(NOON + 20 * HOUR) == 2 * HOUR


@given(questions(), spans)
def test_who_answers_at_the_deadline_has_used_the_whole_bank(question: Question, early: timedelta) -> None:
    assert question.used_at(question.deadline) == max(question.pace.bank, question.used)
    before = question.used_at(question.deadline - early)
    assert question.used <= before <= max(question.pace.bank, question.used)


@given(questions(), spans)
def test_the_rest_of_the_bank_is_there_for_the_next_question(question: Question, after: timedelta) -> None:
    used = question.used_at(question.hours.later(question.asked_at, after))
    then = question._replace(used=used)
    paid = min(max(after - question.share, NONE), max(question.pace.bank - question.used, NONE))
    assert then.time == question.time - paid


@given(questions())
def test_nobody_has_less_than_the_share(question: Question) -> None:
    assert question.deadline >= question.hours.later(question.asked_at, question.share)


@given(questions(), spans, st.lists(spans, max_size=4))
def test_a_pause_takes_nothing_of_the_time(question: Question, before: timedelta, pauses: list[timedelta]) -> None:
    """However often the game is paused at one moment of it, the time left after it is the time left before."""
    at = min(question.hours.later(question.asked_at, before), question.deadline)
    left, stopped, now = question.hours.between(at, question.deadline), question.hours.stopped, at
    for pause in pauses:
        stopped, now = (*stopped, (now, now + pause)), now + pause
    paused = question._replace(hours=question.hours._replace(stopped=stopped))
    assert paused.hours.between(now, paused.deadline) == left - paused.hours.between(at, now) == left


@given(questions(), spans)
def test_after_a_change_of_pace_everybody_has_the_share_again(question: Question, at: timedelta) -> None:
    changed = question.asked_at + at
    then = question._replace(quickened=changed)
    assert then.deadline >= question.deadline
    assert then.deadline >= then.hours.later(changed, then.share)


# --- reminders ---


@pytest.mark.parametrize(
    ("word", "lead"), [("blitz", 30 * SECOND), ("evening", 2 * MINUTE), ("day", 5 * MINUTE), ("slow", HOUR)]
)
def test_the_last_reminder_comes_shortly_before_the_end(word: str, lead: timedelta) -> None:
    question = Question(PACES[word], core.STEP_TWO, NOON)
    assert question.reminders[-1] == question.deadline - lead


def test_another_comes_at_half_of_the_time_but_not_in_blitz() -> None:
    assert Question(PACES["day"], core.STEP_TWO, NOON).reminders == (NOON + 75 * MINUTE, NOON + 145 * MINUTE)
    assert Question(PACES["blitz"], core.STEP_TWO, NOON).reminders == (NOON + 240 * SECOND,)


def test_a_short_time_has_no_reminder_right_after_the_call() -> None:
    assert Question(PACES["day"], core.DEFEND, NOON, used=2 * HOUR).reminders == ()
    assert Question(PACES["blitz"], core.DEFEND, NOON, used=3 * MINUTE).reminders == ()


@given(questions())
def test_reminders_are_in_the_time_and_never_in_quiet_hours(question: Question) -> None:
    reminders = question.reminders
    assert len(reminders) <= 2 and list(reminders) == sorted(set(reminders))
    for at in reminders:
        assert question.asked_at < at < question.deadline
        assert not question.hours.is_quiet(at) or not question.hours.is_quiet(at - timedelta(microseconds=1))


# --- a pace of one's own ---


@pytest.mark.parametrize(
    ("text", "base", "bank"),
    [
        ("10m 1h", 10 * MINUTE, HOUR),
        ("10min 1h", 10 * MINUTE, HOUR),
        ("90s 0", 90 * SECOND, NONE),
        ("1h30m 1d", 90 * MINUTE, 24 * HOUR),
        ("20M 2H", 20 * MINUTE, 2 * HOUR),
        ("20m", 20 * MINUTE, 80 * MINUTE),
        ("Evening", 5 * MINUTE, 15 * MINUTE),
    ],
)
def test_a_pace_is_written_as_two_times_or_by_name(text: str, base: timedelta, bank: timedelta) -> None:
    assert pace.read(text) == Pace(base, bank)


@pytest.mark.parametrize(
    "text", ["", "fast", "10", "10m 1h 2d", "-5m 1h", "m", "10x 1h", "1h 10m extra", "\u0663m 1h", "99999999m"]
)
def test_what_is_no_pace_is_refused(text: str) -> None:
    with pytest.raises(pace.Unfit, match="unreadable"):
        pace.read(text)


@pytest.mark.parametrize("text", ["10s 1h", "0 1h", "4d 1h", "10m 15d"])
def test_a_pace_out_of_bounds_is_refused(text: str) -> None:
    with pytest.raises(pace.Unfit, match="bounds"):
        pace.read(text)


@given(st.timedeltas(pace.LEAST_BASE, pace.MOST_BASE), st.timedeltas(NONE, pace.MOST_BANK))
def test_a_pace_comes_back_from_the_database(base: timedelta, bank: timedelta) -> None:
    one = Pace(base - base % SECOND, bank - bank % SECOND)
    assert pace.read(str(one)) == one


def test_a_pace_as_long_as_a_preset_is_the_preset() -> None:
    assert str(pace.read("30m 2h")) == "day" and str(pace.read("1800s 120m")) == "day"


@pytest.mark.parametrize(
    ("time", "words"),
    [
        (60 * SECOND, "1 minute"),
        (90 * SECOND, "90 seconds"),
        (30 * MINUTE, "30 minutes"),
        (HOUR, "1 hour"),
        (80 * MINUTE, "1 hour 20 minutes"),
        (24 * HOUR, "24 hours"),
        (50 * HOUR, "2 days 2 hours"),
        (timedelta(days=14), "2 weeks"),
        (NONE, "0 seconds"),
    ],
)
def test_a_time_is_told_in_words(time: timedelta, words: str) -> None:
    assert screens.span(time) == words


# --- how long a game takes ---


def test_the_length_of_every_game_is_known() -> None:
    for chosen in [*PACES.values(), *map(Pace, pace.BASES, pace.BASES)]:
        for players in range(core.LEAST, core.MOST + 1):
            low, high = lengths.hours(chosen, players)
            assert 0 < low <= high and screens.length((low, high)).startswith("about ")


def test_more_players_and_slower_paces_take_longer() -> None:
    for chosen in PACES.values():
        known = [lengths.hours(chosen, players) for players in range(core.LEAST, core.MOST + 1)]
        assert known == sorted(known)
    for players in range(core.LEAST, core.MOST + 1):
        ladder = sorted([*PACES.values(), *map(Pace, pace.BASES, pace.BASES)])
        lows = [lengths.hours(one, players)[0] for one in ladder]
        assert lows == sorted(lows)


def test_a_day_is_told_in_days_an_evening_in_hours_and_a_blitz_in_minutes() -> None:
    assert screens.length((19, 32)) == "about 1 to 2 days"
    assert screens.length((3.2, 5)) == "about 3 to 5 hours"
    assert screens.length((0.4, 0.7)) == "about 25 to 40 minutes"
    assert screens.length((0.094, 0.21)) == "about 5 to 15 minutes"
    assert screens.length((0.9, 1.6)) == "about 1 to 2 hours"
    assert screens.length((114, 224)) == "about 1 to 2 weeks"


# --- in the lobby ---


async def test_the_lobby_says_how_long_an_answer_and_the_game_take(camp: Camp) -> None:
    await camp.gather(*FOUR)
    low, high = lengths.hours(PACES["day"], 4)
    text = plain((await camp.screen("lobby")).text)
    assert f"Day pace: 30 minutes an answer and 2 hours in the bank; {screens.length((low, high))}." in text


async def test_buttons_step_base_and_bank(camp: Camp) -> None:
    await camp.gather(*FOUR)
    await camp.press("Ann", "Pace")
    page = await camp.screen("lobby")
    assert "answer: 30 minutes" in buttons(page) and "bank: 2 hours" in buttons(page)
    less, more = (row for row in page.rows if len(row) == 3)
    await camp.press_data("Ann", less[0].data)
    await camp.press_data("Ann", more[2].data)
    assert (await camp.game()).pace == "20m 3h"
    page = await camp.screen("lobby")
    assert "● Own: 20 minutes an answer, bank 3 hours" in plain(page.text)
    await camp.press("Ann", "‹ Back")
    assert "Own pace: 20 minutes an answer and 3 hours in the bank" in plain((await camp.screen("lobby")).text)


async def test_two_taps_on_the_same_step_are_one_step(camp: Camp) -> None:
    await camp.gather(*FOUR)
    await camp.press("Ann", "Pace")
    more = next(row for row in (await camp.screen("lobby")).rows if len(row) == 3)[2].data
    await camp.press_data("Ann", more)
    await camp.press_data("Bob", more)
    assert (await camp.game()).pace == "45m 2h"


async def test_the_steps_end(camp: Camp) -> None:
    await camp.gather(*FOUR)
    await camp.write("Ann", "/pace 3d 0")
    await camp.press("Ann", "Pace")
    base, bank = (row for row in (await camp.screen("lobby")).rows if len(row) == 3)
    await camp.press_data("Ann", base[2].data)
    await camp.press_data("Ann", bank[0].data)
    assert (await camp.game()).pace == "3d 0"


async def test_a_pace_is_written_in_the_lobby(camp: Camp) -> None:
    await camp.gather(*FOUR)
    assert await camp.write("Bob", "/pace 10m 1h") is None
    assert (await camp.game()).pace == "10m 1h"
    reply = await camp.write("Bob", "/pace quickly")
    assert reply and "like /pace 10m 1h" in reply["text"]
    reply = await camp.write("Bob", "/pace 1s 1h")
    assert reply and "30 seconds" in reply["text"]
    reply = await camp.write("Eve", "/pace blitz")
    assert reply and "Join first" in reply["text"]
    reply = await camp.write("Eve", "/pace")
    assert reply and "Own pace: 10 minutes an answer and 1 hour in the bank" in reply["text"]
    assert (await camp.game()).pace == "10m 1h"


async def test_a_step_that_is_none_changes_nothing(camp: Camp) -> None:
    await camp.gather(*FOUR)
    await camp.press("Ann", "Pace")
    forged = data_of(await camp.screen("lobby"), "‹ Back").replace("back.0", "set_bank.zz")
    assert said(await camp.press_data("Ann", forged)) == ""
    assert (await camp.game()).pace == "day"


# --- in play ---


async def deadline(camp: Camp, name: str) -> datetime:
    game = await camp.game()
    seat = camp.seat_of(game, name)
    (at,) = [timer.at for timer in game.timers if timer.kind == pace.DEADLINE and timer.seat == seat]
    return at


async def asked_at(camp: Camp, name: str) -> datetime:
    game = await camp.game()
    return pace.moment(memo_of(game).asked_at[camp.seat_of(game, name)])


async def used(camp: Camp, name: str) -> float:
    game = await camp.game()
    return memo_of(game).used.get(camp.seat_of(game, name), 0.0)


async def at_the_table(camp: Camp, word: str = "day") -> None:
    """Ann is on turn and has drawn; everybody holds harmless cards."""
    await camp.gather(*FOUR)
    await camp.write("Ann", f"/pace {word}")
    await camp.press("Ann", "Start with 4")
    hands = {"Ann": ["Axe", "Whisky", "Suspicion", "Scary"], "Bob": ["Axe", "Whisky", "The Thing", "No, Thanks!"]}
    hands |= {name: ["Axe", "Whisky", "Suspicion", "Analysis"] for name in ("Cid", "Dan")}
    await camp.lay(hands, ["Whisky"])


async def test_a_quick_answer_costs_nothing(camp: Camp) -> None:
    await at_the_table(camp)
    assert await deadline(camp, "Ann") == await asked_at(camp, "Ann") + 2.5 * HOUR
    await camp.forward(29 * 60)
    await camp.answer("Ann", "discard", "Axe")
    assert await used(camp, "Ann") == 0


async def test_a_slow_answer_uses_the_bank_by_as_much(camp: Camp) -> None:
    await at_the_table(camp)
    await camp.forward(50 * 60)
    await camp.answer("Ann", "discard", "Axe")
    paid = await used(camp, "Ann")
    assert 20 * 60 <= paid < 21 * 60
    assert await deadline(camp, "Ann") == await asked_at(camp, "Ann") + 2.5 * HOUR - timedelta(seconds=paid)
    await camp.answer("Ann", "give", "Whisky")
    assert await deadline(camp, "Bob") == await asked_at(camp, "Bob") + 2 * HOUR + 15 * MINUTE


async def test_who_let_the_time_run_out_has_an_empty_bank(camp: Camp) -> None:
    await at_the_table(camp)
    await camp.forward(2.5 * 3600 + 1)
    assert await used(camp, "Ann") == 2 * 3600
    assert await deadline(camp, "Ann") == await asked_at(camp, "Ann") + 30 * MINUTE


async def test_a_rematch_is_played_at_the_same_pace(camp: Camp) -> None:
    await at_the_table(camp, "10m 1h")
    await camp.write("Ann", "/endgame")
    await camp.press("Ann", "End it", "ending")
    await camp.press("Bob", "Again, same people", "end")
    assert (await camp.game()).pace == "10m 1h"


async def test_who_takes_the_seat_back_has_the_whole_time(camp: Camp) -> None:
    await at_the_table(camp)
    await camp.write("Ann", "/leave")
    game = await camp.game()
    assert [timer.kind for timer in game.timers if timer.seat == camp.seat_of(game, "Ann")] == [pace.BOT]
    await camp.write("Ann", "/join")
    assert await deadline(camp, "Ann") == await asked_at(camp, "Ann") + 2.5 * HOUR
