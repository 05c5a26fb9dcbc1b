"""How people come together: /nextgame, a start that is set, a ready check, a lobby that stays open."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace

from db import clock as the_clock
from db.store import ByGame
from telegram_bot import gathering, hours, pace
from telegram_bot.memo import memo_of
from tests.telegram_bot.camp import GROUP, Camp, Reply, buttons, data_of, plain, said
from tests.telegram_bot.test_waiting import HOUR, MINUTE, at_the_table, now, outage, settings, silence, timers

FOUR = ("Ann", "Bob", "Cid", "Dan")


def text_of(reply: Reply) -> str:
    assert reply is not None
    return plain(reply["text"])


async def callers(camp: Camp) -> list[str]:
    return [person.name for person in await camp.store.callers(GROUP, 0)]


# --- /nextgame ---


async def test_who_asked_for_it_is_called_when_a_lobby_opens(camp: Camp) -> None:
    await camp.open_private_chats("Eve")
    assert "in the private chat when the next game opens" in text_of(await camp.write("Eve", "/nextgame"))
    assert "called here when the next game opens" in text_of(await camp.write("Fay", "/nextgame"))
    await camp.write("Ann", "/newgame")
    rows = await camp.rows()
    eve = rows["nextgame", camp.person("Eve")["id"]]
    assert eve.chat_id == camp.person("Eve")["id"] and eve.wanted.ring and "in The camp" in plain(eve.wanted.text)
    here = rows["nextgame 0", 0].wanted
    assert here.ring and f'tg://user?id={camp.person("Fay")["id"]}' in here.text and "Eve" not in here.text
    assert "2 were called, as they had asked." in plain((await camp.screen("lobby")).text)


async def test_nextgame_again_takes_it_back(camp: Camp) -> None:
    await camp.write("Eve", "/nextgame")
    assert "will not be called" in text_of(await camp.write("Eve", "/nextgame"))
    await camp.write("Ann", "/newgame")
    assert not await camp.has("nextgame 0") and "called" not in plain((await camp.screen("lobby")).text)


async def test_who_opens_the_lobby_is_not_called_to_it(camp: Camp) -> None:
    await camp.write("Ann", "/nextgame")
    await camp.write("Ann", "/newgame")
    assert not await camp.has("nextgame 0")


async def test_no_more_are_mentioned_in_one_message_than_ring(camp: Camp) -> None:
    for number in range(7):
        await camp.write(f"P{number}", "/nextgame")
    await camp.write("Ann", "/newgame")
    texts = [(await camp.screen(f"nextgame {number}")).text for number in (0, 1)]
    assert [text.count("tg://user") for text in texts] == [5, 2]


async def test_a_call_is_kept_until_a_game_has_started(camp: Camp) -> None:
    """failures.md 5.94: a lobby that was called off took it away."""
    await camp.write("Eve", "/nextgame")
    await camp.gather(*FOUR, private=False)
    await camp.press("Ann", "Call it off")
    assert await callers(camp) == ["Eve"] and not await camp.has("nextgame 0")
    await camp.gather(*FOUR, private=False)
    assert await camp.has("nextgame 0")
    await camp.press("Ann", "Start with 4")
    assert await callers(camp) == [] and not await camp.has("nextgame 0")


async def test_who_asks_while_a_lobby_is_open_is_called_to_the_game_after_it(camp: Camp) -> None:
    await camp.gather(*FOUR, private=False)
    assert "one gathers right now" in text_of(await camp.write("Eve", "/nextgame"))
    await camp.write("Bob", "/nextgame")
    await camp.press("Ann", "Start with 4")
    assert await callers(camp) == ["Eve"], "Bob is in it"


async def test_a_rematch_calls_them_too(camp: Camp) -> None:
    await camp.begin(*FOUR)
    await camp.write("Eve", "/nextgame")
    await camp.open_private_chats("Fay")
    await camp.write("Fay", "/nextgame")
    await camp.write("Ann", "/endgame")
    await camp.press("Ann", "End it", "ending")
    await camp.press("Bob", "Again, same people", "end")
    assert await camp.has("nextgame 0")
    fay = (await camp.rows())["nextgame", camp.person("Fay")["id"]]
    assert "gathers in The camp." in plain(fay.wanted.text)
    assert [row.name for row in (await camp.game()).roster] == list(FOUR), "and keeps the people"


async def test_a_call_makes_no_sound_in_quiet_hours(camp: Camp) -> None:
    await camp.write("Eve", "/nextgame")
    at = await now(camp)
    begins, ends = at - timedelta(hours=1), at + timedelta(hours=1)
    await settings(camp, zone="UTC", quiet_from=f"{begins:%H:%M}", quiet_to=f"{ends:%H:%M}")
    await camp.write("Ann", "/newgame")
    assert not (await camp.screen("nextgame 0")).ring


async def test_who_left_the_group_is_called_to_no_game_there(camp: Camp) -> None:
    await camp.write("Eve", "/nextgame")
    await camp.write("Fay", "/nextgame")
    await camp.write("Eve", "...", left_chat_member=camp.person("Eve"))
    assert await callers(camp) == ["Fay"]


async def test_a_call_outlives_a_lobby_to_which_nobody_came(camp: Camp) -> None:
    await camp.write("Eve", "/nextgame")
    await camp.gather("Ann", private=False)
    await camp.forward(25 * HOUR)
    assert (await camp.game()).status == "called_off" and await callers(camp) == ["Eve"]


async def test_callers_move_with_their_group(camp: Camp) -> None:
    await camp.write("Eve", "/nextgame")
    await camp.store.migrate(GROUP, -100777)
    assert [person.name for person in await camp.store.callers(-100777, 0)] == ["Eve"] and await callers(camp) == []


# --- a start that is set ---


async def set_start(camp: Camp, minutes: int = 60, names: tuple[str, ...] = FOUR) -> None:
    await camp.gather(*names, private=False)
    assert await camp.write("Ann", f"/startgame {minutes}m") is None


async def test_a_start_is_set_in_the_groups_zone(camp: Camp) -> None:
    await settings(camp, zone="Asia/Tokyo")
    await camp.gather(*FOUR, private=False)
    await camp.write("Ann", "/startgame 20:30")
    (start,) = await timers(camp, pace.START)
    assert f"{start.astimezone(ZoneInfo('Asia/Tokyo')):%H:%M}" == "20:30"
    assert timedelta() < start - await now(camp) <= timedelta(days=1)
    assert "Starts at" in plain((await camp.screen("lobby")).text)


@pytest.mark.parametrize("words", ("24:00", "soon", "0", "3d", "-5m", "20:60"))
async def test_what_is_no_time_is_told_how_to_write_one(camp: Camp, words: str) -> None:
    await camp.gather(*FOUR, private=False)
    assert "Write a time of day" in text_of(await camp.write("Ann", f"/startgame {words}"))
    assert (await camp.game()).status == "lobby" and await timers(camp, pace.START) == []


async def test_a_time_of_day_is_a_button_too_and_two_taps_want_the_same(camp: Camp) -> None:
    await camp.gather(*FOUR, private=False)
    await camp.press("Bob", "Set a time")
    page = await camp.screen("lobby")
    chosen = buttons(page)[2]
    assert "Only" in said(await camp.press_data("Bob", data_of(page, chosen))), "to set it is to start it"
    for _ in range(2):
        assert said(await camp.press_data("Ann", data_of(page, chosen))) == "Done."
    (start,) = await timers(camp, pace.START)
    assert f"{start:%H:%M}" == chosen
    await camp.press("Ann", "Set a time")
    await camp.press("Ann", "No fixed time")
    assert await timers(camp, pace.START) == [] and "Starts at" not in plain((await camp.screen("lobby")).text)


async def test_ten_minutes_before_people_are_asked_whether_they_are_ready(camp: Camp) -> None:
    await set_start(camp)
    await camp.forward(49 * MINUTE)
    assert not await camp.has("ready")
    await camp.forward(1 * MINUTE + 1)
    asked = await camp.screen("ready")
    assert asked.ring and asked.text.count("tg://user") == 4 and buttons(asked) == ["I am ready"]


async def test_the_game_starts_with_who_is_ready_and_leaves_the_others_behind(camp: Camp) -> None:
    await set_start(camp, 5, (*FOUR, "Eve", "Fay"))
    for name in ("Ann", "Bob", "Cid", "Eve"):
        assert await camp.press(name, "I am ready", "ready") == "The lamp is lit for you."
    assert "Ready: Ann, Bob, Cid and Eve." in plain((await camp.screen("ready")).text)
    await camp.forward(5 * MINUTE + 1)
    game = await camp.game()
    assert game.status == "playing" and [row.name for row in game.roster] == ["Ann", "Bob", "Cid", "Eve"]
    assert "left behind: Dan and Fay" in plain((await camp.screen("ready")).text)


async def test_bot_players_are_always_ready_but_do_not_go_alone(camp: Camp) -> None:
    await set_start(camp, 5, ("Ann", "Bob"))
    for _ in range(3):
        await camp.press("Ann", "+ Bot player")
    await camp.press("Ann", "I am ready", "ready")
    await camp.forward(5 * MINUTE + 1)
    game = await camp.game()
    assert game.status == "playing" and len(game.roster) == 4 and game.roster[0].name == "Ann"


async def test_with_too_few_the_lobby_stays_and_says_so(camp: Camp) -> None:
    await set_start(camp, 5)
    await camp.press("Bob", "I am ready", "ready")
    await camp.forward(5 * MINUTE + 1)
    game = await camp.game()
    assert game.status == "lobby" and len(game.roster) == 4 and await timers(camp, pace.START) == []
    assert "only 1 is ready, and it takes 4" in plain((await camp.screen("ready")).text)
    assert "Starts at" not in plain((await camp.screen("lobby")).text)
    assert await camp.press("Ann", "Start with 4") == "" and (await camp.game()).status == "playing"


async def test_bot_players_alone_do_not_leave(camp: Camp) -> None:
    await set_start(camp, 5, ("Ann",))
    for _ in range(4):
        await camp.press("Ann", "+ Bot player")
    await camp.forward(5 * MINUTE + 1)
    assert (await camp.game()).status == "lobby" and "nobody is ready" in plain((await camp.screen("ready")).text)


async def test_who_joins_after_the_question_is_ready(camp: Camp) -> None:
    await set_start(camp, 5, FOUR[:3])
    for name in FOUR[:3]:
        await camp.press(name, "I am ready", "ready")
    await camp.press("Dan", "Join / leave")
    assert "Dan" in plain((await camp.screen("ready")).text)
    await camp.forward(5 * MINUTE + 1)
    assert (await camp.game()).status == "playing"


async def test_who_is_not_in_the_lobby_cannot_be_ready_and_an_old_question_is_settled(camp: Camp) -> None:
    await set_start(camp, 5)
    asked = data_of(await camp.screen("ready"), "I am ready")
    assert "Join first" in said(await camp.press_data("Eve", asked))
    await camp.write("Ann", "/startgame off")
    assert not await camp.has("ready")
    assert said(await camp.press_data("Bob", asked)) == "That question is settled."


async def test_a_start_by_hand_and_a_call_off_take_the_question_away(camp: Camp) -> None:
    await set_start(camp, 5)
    await camp.press("Ann", "Start with 4")
    assert not await camp.has("ready") and await timers(camp, pace.START) == []


async def test_a_change_in_the_lobby_keeps_the_time_that_was_set(camp: Camp) -> None:
    await set_start(camp)
    before = await timers(camp, pace.START)
    await camp.press("Eve", "Join / leave")
    assert await timers(camp, pace.START) == before


@pytest.mark.parametrize("day", (datetime(2026, 3, 29, tzinfo=UTC), datetime(2026, 10, 25, tzinfo=UTC)))
def test_the_next_time_of_day_is_never_past_on_the_days_when_the_clocks_change(day: datetime) -> None:
    zone = ZoneInfo("Europe/Berlin")
    for hour in range(24):
        at = day + timedelta(hours=hour)
        for minutes in range(0, 24 * 60, 30):
            found = hours.next_time(zone, minutes, at)
            assert at < found <= at + timedelta(hours=25)


async def test_who_leaves_the_lobby_is_not_ready_any_more(camp: Camp) -> None:
    await set_start(camp, 5, (*FOUR, "Eve"))
    for name in ("Ann", "Bob", "Cid", "Dan"):
        await camp.press(name, "I am ready", "ready")
    await camp.write("Dan", "/leave")
    asked = plain((await camp.screen("ready")).text)
    assert "Ready: Ann, Bob and Cid." in asked and "Dan" not in asked
    await camp.forward(5 * MINUTE + 1)
    assert (await camp.game()).status == "lobby" and "only 3 are ready" in plain((await camp.screen("ready")).text)


async def test_a_start_that_the_rules_refuse_says_why(camp: Camp) -> None:
    await set_start(camp, 5)
    async with camp.store.press(update_id=None, find=ByGame(camp.game_id)) as unit:
        assert unit.game is not None
        unit.game = replace(unit.game, options={"deck": {"Axe": 1}})
    for name in FOUR:
        await camp.press(name, "I am ready", "ready")
    await camp.forward(5 * MINUTE + 1)
    text = plain((await camp.screen("ready")).text)
    assert (await camp.game()).status == "lobby" and "so it cannot start" in text and "takes 4" not in text


async def test_a_lobby_does_not_close_before_the_start_that_was_set(camp: Camp) -> None:
    """A day has 25 hours in autumn."""
    await camp.gather(*FOUR, private=False)
    async with camp.store.press(update_id=None, find=ByGame(camp.game_id)) as unit:
        gathering.set_start(unit, unit.now + timedelta(hours=25))
    (start,), (close,) = await timers(camp, pace.START), await timers(camp, pace.CLOSE)
    assert close >= start


async def test_a_start_that_was_set_is_a_time_of_day_that_no_outage_moves(camp: Camp) -> None:
    await set_start(camp)
    before = [*await timers(camp, pace.READY), *await timers(camp, pace.START)]
    await outage(camp, 20 * MINUTE)
    assert [*await timers(camp, pace.READY), *await timers(camp, pace.START)] == before
    assert not await camp.has("ready")


async def test_a_ready_check_that_was_missed_comes_late_and_the_start_in_time(camp: Camp) -> None:
    await set_start(camp)
    (start,) = await timers(camp, pace.START)
    await camp.clock.tick()
    the_clock.move(camp.url, 55 * MINUTE)
    await silence(camp, 20 * MINUTE)
    assert await timers(camp, pace.START) == [start] and (await camp.screen("ready")).ring
    await camp.forward(5 * MINUTE + 1)
    assert "nobody is ready" in plain((await camp.screen("ready")).text)


async def test_when_the_bot_was_down_at_the_start_people_are_asked_anew_and_it_is_in_ten_minutes(camp: Camp) -> None:
    await set_start(camp)
    await camp.clock.tick()
    the_clock.move(camp.url, 70 * MINUTE)
    await silence(camp, 30 * MINUTE)
    (start,) = await timers(camp, pace.START)
    assert timedelta(minutes=9) < start - await now(camp) <= timedelta(minutes=10)
    assert f"{start:%H:%M} UTC" in plain((await camp.screen("lobby")).text), "and the lobby says so"
    for name in FOUR:
        await camp.press(name, "I am ready", "ready")
    await camp.forward(10 * MINUTE + 1)
    assert (await camp.game()).status == "playing"


# --- /extend ---


async def test_a_lobby_is_kept_open_for_days(camp: Camp) -> None:
    await camp.gather("Ann", "Bob", private=False)
    assert "stays open until" in text_of(await camp.write("Bob", "/extend"))
    await camp.press("Cid", "Join / leave")
    await camp.forward(71 * HOUR)
    assert (await camp.game()).status == "lobby"
    await camp.forward(2 * HOUR)
    assert (await camp.game()).status == "called_off"


async def test_only_who_is_in_it_keeps_a_lobby_open(camp: Camp) -> None:
    await camp.gather("Ann", private=False)
    assert "Join first" in text_of(await camp.write("Eve", "/extend"))


async def test_who_is_awaited_takes_the_base_time_once_more_for_a_question(camp: Camp) -> None:
    await at_the_table(camp)
    (before,) = await timers(camp, pace.DEADLINE)
    assert "Ann takes 30 minutes more, until" in text_of(await camp.write("Ann", "/extend"))
    (after,) = await timers(camp, pace.DEADLINE)
    assert after - before == timedelta(minutes=30)
    assert "once for a question" in text_of(await camp.write("Ann", "/extend"))
    assert await timers(camp, pace.DEADLINE) == [after]
    await camp.answer("Ann", "discard", "Axe")
    assert "takes 30 minutes more" in text_of(await camp.write("Ann", "/extend")), "another question"


async def test_time_that_was_taken_is_not_paid_from_the_bank(camp: Camp) -> None:
    await at_the_table(camp)
    await camp.write("Ann", "/extend")
    await camp.forward(50 * MINUTE)
    await camp.answer("Ann", "discard", "Axe")
    assert memo_of(await camp.game()).used == {}


async def test_others_cannot_take_time_for_whom_they_wait_for(camp: Camp) -> None:
    await at_the_table(camp)
    before = await timers(camp, pace.DEADLINE)
    assert "Only who is awaited" in text_of(await camp.write("Bob", "/extend"))
    assert "Only who is awaited" in text_of(await camp.write("Eve", "/extend"))
    assert await timers(camp, pace.DEADLINE) == before
