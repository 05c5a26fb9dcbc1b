"""Who is awaited hears of it once, and the others can see and say so; in quiet hours nothing rings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from db import clock as the_clock
from db.records import ByGame, Chat, Nothing, ScreenRow
from telegram_bot import members, pace
from telegram_bot.hours import quiet_of
from telegram_bot.memo import memo_of
from tests.telegram_bot.camp import Camp, buttons, data_of, plain, said
from tests.telegram_bot.test_hours import goes

FOUR = ("Ann", "Bob", "Cid", "Dan")
HOUR = 3600
MINUTE = 60


async def at_the_table(
    camp: Camp,
    word: str = "day",
    private: Sequence[str] = FOUR,
    ann: Sequence[str] = ("Axe", "Whisky", "Suspicion", "Scary"),
    deck: Sequence[str] = ("Whisky",),
) -> None:
    """Ann is on turn and has drawn; who has a private chat hears of questions there."""
    await camp.open_private_chats(*private)
    await camp.gather(*FOUR, private=False)
    await camp.write("Ann", f"/pace {word}")
    await camp.press("Ann", "Start with 4")
    hands = {"Ann": list(ann), "Bob": ["Axe", "Whisky", "The Thing", "No, Thanks!"]}
    hands |= {name: ["Axe", "Whisky", "Suspicion", "Analysis"] for name in ("Cid", "Dan")}
    await camp.lay(hands, deck)


async def round_and_round(camp: Camp) -> None:
    """All four are asked at once for a card to pass on."""
    await at_the_table(camp, deck=("Round and Round",))
    assert len((await camp.step()).asks) == 4


async def call_of(camp: Camp, name: str) -> ScreenRow | None:
    game = await camp.game()
    return (await camp.rows()).get((f"call {camp.seat_of(game, name)}", 0))


async def timers(camp: Camp, kind: str) -> list[datetime]:
    return [timer.at for timer in (await camp.game()).timers if timer.kind == kind]


async def now(camp: Camp) -> datetime:
    async with camp.store.press(update_id=None, find=Nothing()) as unit:
        return unit.now


async def settings(camp: Camp, **chosen: Any) -> None:
    async with camp.store.press(update_id=None, find=Nothing(), chat=Chat(camp.place[0])) as unit:
        unit.keeps(Chat(camp.place[0], settings=chosen))
    await members.new_hours(camp.store, camp.place[0])


async def quiet(camp: Camp, begins: int, ends: int) -> None:
    """The group's quiet hours are so many minutes from now."""
    at = await now(camp)
    walls = [(at + timedelta(minutes=minutes)).strftime("%H:%M") for minutes in (begins, ends)]
    await settings(camp, zone="UTC", quiet_from=walls[0], quiet_to=walls[1])


# --- reminders ---


async def test_at_half_of_the_time_the_panel_comes_anew_without_a_sound(camp: Camp) -> None:
    await at_the_table(camp)
    before = {who: await camp.hand_row(who) for who in FOUR}
    await camp.forward(74 * MINUTE)
    assert {who: await camp.hand_row(who) for who in FOUR} == before
    await camp.forward(2 * MINUTE)
    after = await camp.hand_row("Ann")
    assert after.post == before["Ann"].post + 1 and not after.wanted.ring
    assert "The camp is still waiting for you." in plain(after.wanted.text)
    assert all([await camp.hand_row(who) == before[who] for who in FOUR[1:]])


async def test_shortly_before_the_end_it_comes_once_more_and_then_never_again(camp: Camp) -> None:
    await at_the_table(camp)
    before = (await camp.hand_row("Ann")).post
    await camp.forward(76 * MINUTE)
    await camp.forward(70 * MINUTE)
    assert (await camp.hand_row("Ann")).post == before + 2 and await timers(camp, pace.REMIND) == []


async def test_without_a_private_chat_the_call_in_the_group_comes_anew(camp: Camp) -> None:
    await at_the_table(camp, private=("Bob", "Cid", "Dan"))
    before = await call_of(camp, "Ann")
    assert before is not None and before.wanted.ring
    await camp.forward(76 * MINUTE)
    after = await call_of(camp, "Ann")
    assert after is not None and after.post == before.post + 1 and not after.wanted.ring


async def test_who_is_looking_at_the_hand_is_not_reminded(camp: Camp) -> None:
    await at_the_table(camp)
    await camp.forward(74 * MINUTE + 40)
    await camp.press_hand("Ann", "Axe")
    before = await camp.hand_row("Ann")
    await camp.forward(MINUTE / 2)
    assert await camp.hand_row("Ann") == before and len(await timers(camp, pace.REMIND)) == 1


async def test_who_has_answered_is_not_reminded(camp: Camp) -> None:
    await at_the_table(camp)
    await camp.answer("Ann", "discard", "Axe")
    await camp.answer("Ann", "give", "Whisky")
    before = await camp.hand_row("Ann")
    await camp.forward(76 * MINUTE)
    assert (await camp.hand_row("Ann")).post == before.post


async def test_a_reminder_that_is_met_together_with_the_deadline_is_left_out(camp: Camp) -> None:
    await at_the_table(camp)
    await camp.forward(3 * HOUR)
    assert "still waiting" not in plain((await camp.hand("Ann")).text)


# --- /nudge ---


async def test_a_nudge_rings_once(camp: Camp) -> None:
    await at_the_table(camp)
    before = (await camp.hand_row("Ann")).post
    reply = await camp.write("Bob", "/nudge")
    assert reply and plain(reply["text"]) == "Nudged: Ann."
    row = await camp.hand_row("Ann")
    assert row.post == before + 1 and row.wanted.ring


async def test_a_nudge_calls_in_the_group_who_has_no_private_chat(camp: Camp) -> None:
    await at_the_table(camp, private=())
    before = await call_of(camp, "Ann")
    await camp.write("Bob", "/nudge")
    after = await call_of(camp, "Ann")
    assert before is not None and after is not None and after.post == before.post + 1 and after.wanted.ring


async def test_a_person_is_nudged_once_an_hour_whoever_does_it_and_whatever_is_asked(camp: Camp) -> None:
    await at_the_table(camp)
    await camp.write("Bob", "/nudge")
    await camp.answer("Ann", "discard", "Axe")
    before = await camp.hand_row("Ann")
    reply = await camp.write("Cid", "/nudge")
    assert reply and "less than an hour ago" in reply["text"] and await camp.hand_row("Ann") == before
    await camp.forward(HOUR)
    reply = await camp.write("Cid", "/nudge")
    assert reply and plain(reply["text"]) == "Nudged: Ann."


async def test_nobody_nudges_themselves_and_strangers_nudge_nobody(camp: Camp) -> None:
    await at_the_table(camp)
    before = await camp.everything()
    reply = await camp.write("Ann", "/nudge")
    assert reply and reply["text"] == "It is you who is awaited."
    reply = await camp.write("Eve", "/nudge")
    assert reply and "not in this game" in reply["text"]
    assert await camp.everything() == before


async def test_a_bot_player_is_not_nudged(camp: Camp) -> None:
    await at_the_table(camp)
    await camp.write("Ann", "/leave")
    reply = await camp.write("Bob", "/nudge")
    assert reply and "bot player" in reply["text"]


async def test_who_is_looking_at_the_hand_is_not_nudged(camp: Camp) -> None:
    await at_the_table(camp)
    await camp.press_hand("Ann", "Axe")
    before = await camp.hand_row("Ann")
    reply = await camp.write("Bob", "/nudge")
    assert reply and "right now" in reply["text"] and await camp.hand_row("Ann") == before


async def test_who_has_just_answered_is_not_nudged_for_the_next_question(camp: Camp) -> None:
    await at_the_table(camp)
    await camp.press_hand("Ann", "Axe")
    await camp.press_hand("Ann", "Discard it")
    before = await camp.hand_row("Ann")
    reply = await camp.write("Bob", "/nudge")
    assert reply and "right now" in reply["text"] and await camp.hand_row("Ann") == before
    await camp.forward(2 * MINUTE)
    reply = await camp.write("Bob", "/nudge")
    assert reply and plain(reply["text"]) == "Nudged: Ann."


# --- /blame ---


async def test_blame_says_who_is_awaited_how_long_already_and_until_when(camp: Camp) -> None:
    await at_the_table(camp)
    await camp.forward(45 * MINUTE)
    reply = await camp.write("Eve", "/blame")
    assert reply and plain(reply["text"]).startswith("Waiting for Ann for 45 minutes now, until ")
    assert "\n" not in reply["text"]


async def test_a_button_under_it_nudges(camp: Camp) -> None:
    await at_the_table(camp)
    reply = await camp.write("Bob", "/blame")
    assert reply
    (row,) = reply["reply_markup"]["inline_keyboard"]
    assert [button["text"] for button in row] == ["Nudge"]
    assert plain(said(await camp.press_data("Bob", row[0]["callback_data"]))) == "Nudged: Ann."
    assert "less than an hour" in said(await camp.press_data("Cid", row[0]["callback_data"]))


async def test_without_a_game_nobody_is_blamed(camp: Camp) -> None:
    for command in ("/blame", "/nudge", "/pause", "/resume", "/holiday 3d", "/back", "/pace"):
        reply = await camp.write("Ann", command)
        assert reply and "No game is on here" in reply["text"]
    await camp.write("Ann", "/newgame")
    for command in ("/blame", "/nudge", "/pause", "/resume", "/holiday 3d", "/back"):
        reply = await camp.write("Ann", command)
        assert reply and "has not begun yet" in reply["text"]


@pytest.mark.parametrize("command", ["/blame", "/nudge", "/pause", "/resume", "/pace 10m", "/holiday 3d", "/back"])
async def test_these_commands_are_for_groups(camp: Camp, command: str) -> None:
    reply = await camp.write("Ann", command, private=True)
    assert reply and "in the group where you play" in reply["text"]


# --- the last one ---


async def test_the_last_of_several_is_told_so_on_the_panel_and_the_board(camp: Camp) -> None:
    await round_and_round(camp)
    for name in ("Ann", "Bob", "Cid"):
        assert "last one" not in plain((await camp.hand("Dan")).text)
        assert "alone" not in plain((await camp.screen("board")).text)
        await camp.answer(name, "give", "Axe")
    assert "You are the last one they wait for." in plain((await camp.hand("Dan")).text)
    assert "Waiting for Dan alone; all others have answered, until" in plain((await camp.screen("board")).text)
    reply = await camp.write("Ann", "/blame")
    assert reply and plain(reply["text"]).startswith("Waiting for Dan alone, for ")


async def test_who_is_asked_alone_is_not_the_last_one(camp: Camp) -> None:
    await at_the_table(camp)
    assert "last one" not in plain((await camp.hand("Ann")).text)
    assert "alone" not in plain((await camp.screen("board")).text)


# --- quiet hours ---


async def test_in_quiet_hours_the_clock_stands_still_and_moves_are_taken(camp: Camp) -> None:
    await at_the_table(camp)
    (before,) = await timers(camp, pace.DEADLINE)
    await quiet(camp, 30, 150)
    (after,) = await timers(camp, pace.DEADLINE)
    assert abs(after - before - timedelta(hours=2)) < timedelta(seconds=1)
    await camp.forward(60 * MINUTE)
    await camp.answer("Ann", "discard", "Axe")
    assert memo_of(await camp.game()).used.get("s1", 0) < MINUTE + 1


async def test_nothing_rings_in_quiet_hours_and_once_after_them(camp: Camp) -> None:
    await at_the_table(camp)
    await quiet(camp, -10, 120)
    bob = await camp.hand_row("Bob")
    await camp.answer("Ann", "discard", "Axe")
    await camp.answer("Ann", "give", "Whisky")
    shown = await camp.hand_row("Bob")
    assert shown.post == bob.post and "offers you a card" in plain(shown.wanted.text)
    assert len(await timers(camp, pace.WAKE)) == 1
    await camp.forward(121 * MINUTE)
    rung = await camp.hand_row("Bob")
    assert rung.post == bob.post + 1 and rung.wanted.ring and await timers(camp, pace.WAKE) == []


async def test_nobody_is_called_in_the_group_in_quiet_hours_but_once_after_them(camp: Camp) -> None:
    await at_the_table(camp, private=())
    await quiet(camp, -10, 120)
    await camp.answer("Ann", "discard", "Axe")
    await camp.answer("Ann", "give", "Whisky")
    assert await call_of(camp, "Bob") is None and await call_of(camp, "Ann") is None
    await camp.forward(121 * MINUTE)
    called = await call_of(camp, "Bob")
    assert called is not None and called.wanted.ring and await call_of(camp, "Cid") is None


async def test_who_has_answered_in_the_night_hears_nothing_in_the_morning(camp: Camp) -> None:
    await at_the_table(camp)
    await quiet(camp, -10, 120)
    await camp.answer("Ann", "discard", "Axe")
    await camp.answer("Ann", "give", "Whisky")
    await camp.answer("Bob", "give", "Whisky")
    posts = {who: (await camp.hand_row(who)).post for who in FOUR}
    await camp.forward(121 * MINUTE)
    rung = {who for who in FOUR if (await camp.hand_row(who)).post > posts[who]}
    assert rung == {row.name for row in (await camp.game()).roster if row.seat in memo_of(await camp.game()).asked}


async def test_several_questions_of_a_night_are_one_call_in_the_morning(camp: Camp) -> None:
    await at_the_table(camp, private=("Ann", "Cid", "Dan"))
    await quiet(camp, -10, 120)
    await camp.answer("Ann", "discard", "Axe")
    await camp.answer("Ann", "give", "Whisky")
    await camp.answer("Bob", "give", "Whisky")
    await camp.answer("Bob", "discard", "Axe")
    await camp.answer("Bob", "give", "Whisky")
    await camp.answer("Cid", "give", "Whisky")
    cid, others = await camp.hand_row("Cid"), {who: await camp.hand_row(who) for who in ("Ann", "Dan")}
    await camp.forward(121 * MINUTE)
    rung = await camp.hand_row("Cid")
    assert rung.post == cid.post + 1 and rung.wanted.ring and await call_of(camp, "Bob") is None
    assert {who: await camp.hand_row(who) for who in others} == others
    await camp.forward(MINUTE)
    assert await camp.hand_row("Cid") == rung and await timers(camp, pace.WAKE) == []


@pytest.mark.parametrize("private", [FOUR, ()])
async def test_what_waited_rings_when_the_group_gives_up_its_quiet_hours(
    camp: Camp, private: Sequence[str]
) -> None:
    await at_the_table(camp, private=private)
    await quiet(camp, -10, 120)
    await camp.answer("Ann", "discard", "Axe")
    await camp.answer("Ann", "give", "Whisky")
    await settings(camp, zone="UTC", quiet_from="", quiet_to="")
    await camp.forward(1)
    row = await camp.hand_row("Bob") if private else await call_of(camp, "Bob")
    assert row is not None and row.wanted.ring and await timers(camp, pace.WAKE) == []


async def test_what_waited_rings_when_the_game_goes_on_at_one_sitting(camp: Camp) -> None:
    await at_the_table(camp)
    await quiet(camp, -10, 120)
    await camp.answer("Ann", "discard", "Axe")
    await camp.answer("Ann", "give", "Whisky")
    for name in ("Ann", "Cid", "Dan"):
        await camp.write(name, "/pace evening")
    await camp.forward(1)
    assert (await camp.hand_row("Bob")).wanted.ring


async def test_who_was_called_before_the_quiet_hours_were_set_is_not_called_again(camp: Camp) -> None:
    await at_the_table(camp)
    before = (await camp.hand_row("Ann")).post
    await quiet(camp, -10, 20)
    await camp.forward(25 * MINUTE)
    assert (await camp.hand_row("Ann")).post == before


async def test_in_another_zone_the_night_is_another_for_the_open_question(camp: Camp) -> None:
    await at_the_table(camp)
    asked = await now(camp)
    walls = [(asked + timedelta(minutes=minutes)).strftime("%H:%M") for minutes in (60, 120)]
    await settings(camp, zone="UTC", quiet_from=walls[0], quiet_to=walls[1])
    (there,) = await timers(camp, pace.DEADLINE)
    await settings(camp, zone="Asia/Kolkata", quiet_from=walls[0], quiet_to=walls[1])
    (here,) = await timers(camp, pace.DEADLINE)
    assert there - here == timedelta(hours=1), "in Kolkata it will be half past five hours later"
    (morning,) = await timers(camp, pace.MORNING)
    assert abs(morning - asked - timedelta(hours=24 + 2 - 5.5)) < timedelta(minutes=1)


async def test_a_nudge_waits_for_the_end_of_the_quiet_hours(camp: Camp) -> None:
    await at_the_table(camp)
    await quiet(camp, -10, 120)
    before = await camp.hand_row("Ann")
    reply = await camp.write("Bob", "/nudge")
    assert reply and "It is quiet until" in reply["text"] and await camp.hand_row("Ann") == before


async def test_blame_counts_no_quiet_hours(camp: Camp) -> None:
    await at_the_table(camp)
    await quiet(camp, 20, 200)
    await camp.forward(205 * MINUTE)
    reply = await camp.write("Bob", "/blame")
    assert reply and 24 <= int(plain(reply["text"]).split(" for ")[2].split()[0]) <= 26


async def test_what_is_played_at_one_sitting_knows_no_quiet_hours(camp: Camp) -> None:
    await at_the_table(camp, "blitz")
    (before,) = await timers(camp, pace.DEADLINE)
    await quiet(camp, -10, 120)
    assert await timers(camp, pace.DEADLINE) == [before]
    await camp.answer("Ann", "discard", "Axe")
    await camp.answer("Ann", "give", "Whisky")
    assert (await camp.hand_row("Bob")).wanted.ring


# --- the bot was down ---


async def outage(camp: Camp, seconds: int) -> None:
    """Nobody ticked for so long, and somebody does now."""
    await camp.clock.tick()
    await silence(camp, seconds)


async def silence(camp: Camp, seconds: int) -> None:
    """The same, where the last tick was before the clock was moved."""
    query = "update meta set value = to_jsonb(now() - make_interval(secs => :s)) where key = 'heartbeat'"
    await camp.store._run(query, s=seconds)
    await camp.clock.tick()


async def test_an_outage_moves_deadlines_and_reminders_and_costs_nothing(camp: Camp) -> None:
    await at_the_table(camp)
    before = sorted(await timers(camp, pace.DEADLINE) + await timers(camp, pace.REMIND))
    await camp.forward(40 * MINUTE)
    await outage(camp, 20 * MINUTE)
    after = sorted(await timers(camp, pace.DEADLINE) + await timers(camp, pace.REMIND))
    moved = [new - old for old, new in zip(before, after, strict=True)]
    assert all(abs(gap - timedelta(minutes=20)) < timedelta(seconds=10) for gap in moved) and len(set(moved)) == 1
    await camp.answer("Ann", "discard", "Axe")  # after 40 minutes, in 20 of which the bot was down
    assert memo_of(await camp.game()).used == {}


async def test_who_presses_before_the_first_tick_after_an_outage_pays_nothing_for_it(camp: Camp) -> None:
    await at_the_table(camp)
    await camp.clock.tick()
    await camp.forward(40 * MINUTE)
    await camp.store._run(
        "update meta set value = to_jsonb(now() - make_interval(secs => 1200)) where key = 'heartbeat'"
    )
    camp.clock._lived_at = -math.inf  # this process has just begun
    await camp.press_hand("Ann", "Axe")
    await camp.press_hand("Ann", "Discard it")
    assert memo_of(await camp.game()).used == {}
    assert len(await camp.store.answers(camp.game_id)) == 1


async def test_an_outage_during_a_pause_of_the_group_counts_once(camp: Camp) -> None:
    await at_the_table(camp)
    before = await timers(camp, pace.DEADLINE)
    camp.far_end.administrators.add(camp.person("Ann")["id"])
    await camp.write("Ann", "/pause")
    await camp.forward(2 * HOUR)
    await outage(camp, 20 * MINUTE)
    await camp.write("Ann", "/resume")
    after = await timers(camp, pace.DEADLINE)
    assert abs(after[0] - before[0] - timedelta(hours=2)) < timedelta(seconds=10)


async def test_an_outage_in_quiet_hours_moves_nothing(camp: Camp) -> None:
    await at_the_table(camp)
    await quiet(camp, -60, 120)
    before = await timers(camp, pace.DEADLINE)
    await outage(camp, 20 * MINUTE)
    after = await timers(camp, pace.DEADLINE)
    assert abs(after[0] - before[0]) < timedelta(seconds=10)


async def test_while_the_bot_is_out_of_the_group_no_timer_runs(camp: Camp) -> None:
    await at_the_table(camp)
    before = sorted(await timers(camp, pace.DEADLINE) + await timers(camp, pace.REMIND))
    await camp.forward(10 * MINUTE)
    await members.bot_moved(camp.store, Chat(camp.place[0], road="left"))
    await camp.forward(30 * HOUR)
    await members.bot_moved(camp.store, Chat(camp.place[0], road="open"))
    after = sorted(await timers(camp, pace.DEADLINE) + await timers(camp, pace.REMIND))
    moved = [new - old for old, new in zip(before, after, strict=True)]
    assert all(abs(gap - timedelta(hours=30)) < timedelta(seconds=5) for gap in moved)


# --- all of it at once ---


@pytest.mark.parametrize("seed", range(6))
async def test_whatever_happens_the_deadline_is_what_a_stopped_watch_says(camp: Camp, seed: int) -> None:
    """Pauses, outages, the bot out of the group, other quiet hours in other zones, the player gone and back: in any
    order, and over each other, the deadline follows from what happened when, and from nothing else."""
    dice = Random(seed)
    await at_the_table(camp, "10m 20h")
    camp.appoint("Ann")
    seat = camp.seat_of(await camp.game(), "Ann")
    asked, stopped, chosen = await now(camp), [], {}
    for _ in range(14):
        since = await now(camp)
        minutes = dice.randrange(5, 50)
        match dice.choice(("wait", "pause", "pause", "outage", "out", "night", "night", "away")):
            case "wait":
                await camp.forward(minutes * MINUTE)
            case "pause":
                await camp.write("Ann", "/pause")
                await camp.forward(minutes * MINUTE)
                if dice.random() < 0.3:
                    await outage(camp, 4 * MINUTE)  # and nobody counts it twice
                await camp.write("Ann", "/resume")
                stopped.append((since, await now(camp)))
            case "outage":
                await camp.clock.tick()
                the_clock.move(camp.url, minutes * MINUTE)
                await outage(camp, minutes * MINUTE)
                stopped.append((since, await now(camp)))
            case "out":
                await members.bot_moved(camp.store, Chat(camp.place[0], road="left"))
                await camp.forward(minutes * MINUTE)
                await members.bot_moved(camp.store, Chat(camp.place[0], road="open"))
                stopped.append((since, await now(camp)))
            case "night":
                begins = since + timedelta(minutes=dice.randrange(-300, 300))
                walls = [(begins + timedelta(minutes=more)).strftime("%H:%M") for more in (0, dice.randrange(30, 500))]
                zone = dice.choice(("UTC", "Asia/Kathmandu", "America/St_Johns", "Australia/Lord_Howe"))
                chosen = {"zone": zone, "quiet_from": walls[0], "quiet_to": walls[1]}
                await settings(camp, **chosen)
            case "away":
                await camp.write("Ann", "/leave")
                await camp.write("Ann", "/join")
        game = await camp.game()
        assert game.status == "playing" and pace.moment(memo_of(game).asked_at[seat]) - asked < timedelta(seconds=5)
        at, left, hours = asked, 20 * 60 + 10, quiet_of(chosen)
        while left:
            left -= goes(hours, tuple(stopped), at)
            at += timedelta(minutes=1)
        (there,) = await timers(camp, pace.DEADLINE)
        assert abs(there - at) <= timedelta(minutes=1 + len(stopped))
        assert there == pace.question(game, seat, chosen).deadline, "and another process computes the same"
        assert await camp.store.answers(camp.game_id) == []


# --- a holiday ---


async def test_a_holiday_is_told_to_the_group_and_a_bot_player_sits_in(camp: Camp) -> None:
    await at_the_table(camp)
    reply = await camp.write("Cid", "/holiday 3d")
    assert reply and plain(reply["text"]).startswith("Cid is away") and "\n" not in reply["text"]
    row = (await camp.game()).seat_of(camp.person("Cid")["id"])
    assert row is not None and row.played_by == "bot"
    assert "It ends by itself at" in plain((await camp.hand("Cid")).text)


async def test_the_seat_is_given_back_when_the_days_are_over(camp: Camp) -> None:
    await at_the_table(camp)
    await camp.write("Cid", "/holiday 2h")
    await camp.forward(2 * HOUR + 1)
    game = await camp.game()
    row = game.seat_of(camp.person("Cid")["id"])
    assert row is not None and row.played_by == "person" and await timers(camp, pace.BACK) == []
    told = (await camp.rows())[f"back {row.seat}", 0]
    assert "Cid is back" in plain(told.wanted.text)


async def test_who_comes_back_in_mid_question_hears_of_it(camp: Camp) -> None:
    await at_the_table(camp)
    await camp.write("Ann", "/holiday 1h")
    async with camp.store.press(update_id=None, find=ByGame(camp.game_id)) as unit:
        assert unit.game is not None  # the bot player is slow today
        unit.game = replace(unit.game, timers=tuple(timer for timer in unit.game.timers if timer.kind != pace.BOT))
    before = await camp.hand_row("Ann")
    await camp.forward(HOUR + 1)
    after = await camp.hand_row("Ann")
    assert after.post == before.post + 1 and after.wanted.ring and len(await timers(camp, pace.DEADLINE)) == 1


@pytest.mark.parametrize("back", ["/back", "/join", "Play on myself"])
async def test_back_ends_a_holiday_before_its_time(camp: Camp, back: str) -> None:
    await at_the_table(camp)
    await camp.write("Cid", "/holiday 3d")
    if back.startswith("/"):
        await camp.write("Cid", back)
    else:
        await camp.press_hand("Cid", back)
    row = (await camp.game()).seat_of(camp.person("Cid")["id"])
    assert row is not None and row.played_by == "person" and await timers(camp, pace.BACK) == []


@pytest.mark.parametrize("command", ["/back", "/join", "/holiday 2d", "/leave"])
async def test_who_burned_on_holiday_does_not_come_back(camp: Camp, command: str) -> None:
    await at_the_table(camp, ann=["Flamethrower", "Whisky", "Suspicion", "Scary"])
    await camp.write("Dan", "/holiday 3d")
    await camp.answer("Ann", "play", "Flamethrower", "Dan")
    await camp.forward(10)
    before = await camp.everything()
    reply = await camp.write("Dan", command)
    assert reply and "You burned" in reply["text"] and await camp.everything() == before
    await camp.answer("Ann", "give", "Whisky")
    await camp.forward(3 * 24 * HOUR)
    assert not [kind for kind, _ in await camp.rows() if kind.startswith("back ")]


async def test_a_second_announcement_takes_the_place_of_the_first(camp: Camp) -> None:
    await at_the_table(camp)
    await camp.write("Cid", "/holiday 2h")
    await camp.write("Cid", "/holiday 1d")
    assert len(await timers(camp, pace.BACK)) == 1
    await camp.forward(3 * HOUR)
    row = (await camp.game()).seat_of(camp.person("Cid")["id"])
    assert row is not None and row.played_by == "bot"


@pytest.mark.parametrize("words", ["", "soon", "10m", "31d", "3 days and more", "-3d"])
async def test_a_holiday_without_a_fitting_time_is_none(camp: Camp, words: str) -> None:
    await at_the_table(camp)
    before = await camp.everything()
    reply = await camp.write("Cid", f"/holiday {words}")
    assert reply and "/holiday 3d" in reply["text"] and await camp.everything() == before


async def test_who_is_not_in_the_game_has_no_holiday_from_it(camp: Camp) -> None:
    await at_the_table(camp)
    for command in ("/holiday 3d", "/back"):
        reply = await camp.write("Eve", command)
        assert reply and "not in this game" in reply["text"]
    reply = await camp.write("Cid", "/back")
    assert reply and plain(reply["text"]) == "Cid is here."


# --- the table page ---


async def test_the_table_page_says_what_is_left_of_the_bank(camp: Camp) -> None:
    await at_the_table(camp)
    await camp.press_hand("Ann", "Table")
    assert "Your bank: 2 hours left." in plain((await camp.hand("Ann")).text)
    assert "‹ Back" in buttons(await camp.hand("Ann")) and data_of(await camp.hand("Ann"), "‹ Back")
