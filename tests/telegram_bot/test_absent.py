"""Who stays away spoils nothing: excuses, a seat that others claim, a way back, and a game left to the clock."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import text

from db import clock as the_clock
from db.records import ByGame, Chat, GameRow, Nothing, SeatRow
from telegram_bot import members, orders, pace, presence, screens
from telegram_bot.callback import Pressed
from telegram_bot.hours import Hours
from telegram_bot.memo import memo_of, remembering
from tests.telegram_bot.camp import Camp, bare, buttons, data_of, plain, said

FOUR = ("Ann", "Bob", "Cid", "Dan")
HOUR, DAY = 3600, 86400
TAKE, LET_BOT = "Take the seat", "Let a bot player sit in"
HANDS = {"Ann": ["Axe", "Whisky", "Suspicion", "Scary"], "Bob": ["Axe", "Whisky", "The Thing", "No, Thanks!"]} | {
    name: ["Axe", "Whisky", "Suspicion", "Analysis"] for name in ("Cid", "Dan")
}


async def at_the_table(
    camp: Camp, private: Sequence[str] = (*FOUR, "Eve"), hands: Mapping[str, Sequence[str]] = HANDS
) -> None:
    """Ann is on turn, and has drawn a Whisky."""
    await camp.open_private_chats(*private)
    await camp.begin(*FOUR, private=False)
    await camp.lay(hands, ["Whisky"])


async def row_of(camp: Camp, name: str) -> SeatRow:
    row = (await camp.game()).seat_of(camp.person(name)["id"])
    assert row is not None
    return row


async def set_row(camp: Camp, name: str, **changed: Any) -> None:
    async with camp.store.press(update_id=None, find=ByGame(camp.game_id)) as unit:
        assert unit.game is not None
        roster = [replace(row, **changed) if row.person == camp.person(name)["id"] else row for row in unit.game.roster]
        unit.game = replace(unit.game, roster=tuple(roster))


async def now(camp: Camp) -> datetime:
    async with camp.store.press(update_id=None, find=Nothing()) as unit:
        return unit.now


async def deadline(camp: Camp) -> float:
    """The seconds up to the next deadline."""
    at = min(timer.at for timer in (await camp.game()).timers if timer.kind == pace.DEADLINE)
    return (at - await now(camp)).total_seconds()


async def run_out(camp: Camp) -> None:
    """The next deadline passes."""
    await camp.forward(await deadline(camp) + 1)


async def free(camp: Camp, who: str = "Ann") -> str:
    """The seat of somebody who is awaited is on offer; the kind of the screen."""
    await set_row(camp, who, excuses=1)
    await run_out(camp)
    kind = f"absent {(await row_of(camp, who)).seat}"
    assert await camp.has(kind)
    return kind


async def offered(camp: Camp, **changed: Any) -> str:
    """Ann has been away, and is awaited again: somebody may take her seat."""
    await at_the_table(camp, **changed)
    return await free(camp)


# --- excuses ---


async def test_a_missed_deadline_costs_an_excuse_and_several_within_a_day_cost_one(camp: Camp) -> None:
    await at_the_table(camp)
    await run_out(camp)
    assert (await row_of(camp, "Ann")).excuses == 2
    await run_out(camp)
    assert (await camp.store.answers(camp.game_id))[-1].by == "clock"
    assert (await row_of(camp, "Ann")).excuses == 2
    await set_row(camp, "Ann", missed_at=(await now(camp)).timestamp() - DAY)
    await camp.lay(HANDS, ["Whisky"])
    await run_out(camp)
    assert (await row_of(camp, "Ann")).excuses == 1


async def test_who_answers_in_time_keeps_them_and_so_do_bot_players(camp: Camp) -> None:
    await at_the_table(camp)
    await camp.write("Bob", "/leave")
    await camp.answer("Ann", "discard", "Axe")
    await camp.answer("Ann", "give", "Whisky")
    await camp.forward(10)
    assert [row.excuses for row in (await camp.game()).roster] == [3, 3, 3, 3]


async def test_none_is_lost_for_the_time_in_which_the_bot_was_down(camp: Camp) -> None:
    await at_the_table(camp)
    left = await deadline(camp)
    await camp.clock.tick()
    the_clock.move(camp.url, left + HOUR)
    async with camp.store.engine.begin() as connection:
        beat = "update meta set value = to_jsonb(now() - make_interval(secs => :gap)) where key = 'heartbeat'"
        await connection.execute(text(beat), {"gap": left + HOUR})
    await camp.clock.tick()
    assert [row.excuses for row in (await camp.game()).roster] == [3, 3, 3, 3]


async def test_none_is_lost_while_the_game_is_paused(camp: Camp) -> None:
    await at_the_table(camp)
    camp.appoint("Ann")
    await camp.write("Ann", "/pause")
    await camp.forward(DAY)
    await camp.write("Ann", "/resume")
    await camp.clock.tick()
    assert (await row_of(camp, "Ann")).excuses == 3 and await camp.store.answers(camp.game_id) == []


async def test_none_is_lost_in_quiet_hours(camp: Camp) -> None:
    await at_the_table(camp)
    at = await now(camp)
    walls = [(at + timedelta(minutes=minutes)).strftime("%H:%M") for minutes in (1, 600)]
    chosen = {"zone": "UTC", "quiet_from": walls[0], "quiet_to": walls[1]}
    async with camp.store.press(update_id=None, find=Nothing(), chat=Chat(camp.place[0])) as unit:
        unit.keeps(Chat(camp.place[0], settings=chosen))
    await members.new_hours(camp.store, camp.place[0])
    await camp.forward(9 * HOUR)
    assert (await row_of(camp, "Ann")).excuses == 3 and await camp.store.answers(camp.game_id) == []


async def test_the_seat_of_somebody_who_left_the_group_loses_none_and_may_be_claimed_at_once(camp: Camp) -> None:
    await at_the_table(camp)
    ann = camp.person("Ann")
    await members.left(camp.store, camp.place[0], (await people(camp))["Ann"], 1.0)
    await camp.clock.tick()
    row = await row_of(camp, "Ann")
    assert row.gone and row.excuses == 3 and (await camp.store.answers(camp.game_id))[-1].by == "clock"
    assert buttons(await camp.screen(f"gone {row.seat}")) == [TAKE, LET_BOT]
    await camp.press("Eve", TAKE, f"gone {row.seat}")
    assert (await row_of(camp, "Ann")).sitter == camp.person("Eve")["id"]
    await members.returned(camp.store, camp.place[0], (await people(camp))["Ann"], 1.0)
    row = await row_of(camp, "Ann")
    assert row.sitter is None and not row.gone and row.person == ann["id"]


async def people(camp: Camp) -> dict[str, Any]:
    found = {name: await camp.store.person(one["id"]) for name, one in camp.people.items()}
    return {name: person for name, person in found.items() if person is not None}


# --- the offer ---


async def test_without_excuses_the_seat_is_offered_once_and_the_line_blames_nobody_further(camp: Camp) -> None:
    kind = await offered(camp)
    screen = (await camp.rows())[kind, 0]
    assert "Ann has been away" in plain(screen.wanted.text) and buttons(screen.wanted) == [TAKE, LET_BOT]
    await run_out(camp)
    assert (await camp.rows())[kind, 0].post == screen.post


async def test_with_excuses_it_is_not(camp: Camp) -> None:
    await at_the_table(camp)
    await run_out(camp)
    assert not [kind for kind, _ in await camp.rows() if kind.startswith("absent")]


async def test_whoever_answers_after_all_keeps_the_seat_with_one_excuse(camp: Camp) -> None:
    kind = await offered(camp)
    data = data_of(await camp.screen(kind), TAKE)
    await camp.press_hand("Ann", bare((await camp.hand("Ann")).rows[0][0].text))
    assert (await row_of(camp, "Ann")).excuses == 1 and not await camp.has(kind)
    assert said(await camp.press_data("Eve", data)) == "That seat is not free any more."
    assert (await row_of(camp, "Ann")).sitter is None


async def test_an_order_keeps_the_seat_as_an_answer_does(camp: Camp) -> None:
    """Else the group could tell that it was an order."""
    kind = await offered(camp)
    await run_out(camp)
    assert await camp.has(kind)
    await camp.lay({"Dan": HANDS["Dan"]} | {name: HANDS[name] for name in ("Ann", "Bob", "Cid")}, ["Whisky"])
    await camp.press_hand("Ann", "Prepare an answer")
    await camp.press_hand("Ann", "To an offer")
    await camp.press_hand("Ann", "Whisky")
    await camp.answer("Dan", "discard", "Axe")
    await camp.answer("Dan", "give", "Whisky")
    assert await camp.has(kind)
    await camp.forward(120)
    assert (await camp.store.answers(camp.game_id))[-1].by == "order"
    assert (await row_of(camp, "Ann")).excuses == 1 and not await camp.has(kind)


async def test_the_absent_who_presses_is_here(camp: Camp) -> None:
    kind = await offered(camp)
    assert "the seat is yours" in await camp.press("Ann", TAKE, kind)
    row = await row_of(camp, "Ann")
    assert row.sitter is None and row.played_by == "person" and row.excuses == 1 and not await camp.has(kind)


async def test_somebody_from_outside_takes_the_seat_and_sees_what_it_knows(camp: Camp) -> None:
    kind = await offered(camp)
    before = await camp.hand("Ann")
    await camp.press("Eve", TAKE, kind)
    eve = await camp.hand("Eve")
    assert [button for button in buttons(before) if button != "‹ Back"] == buttons(eve)
    assert await camp.press_hand("Eve", "What I know") == ""
    assert "What you know" in plain((await camp.hand("Eve")).text)
    ann = await camp.hand("Ann")
    assert "Somebody else plays for you" in ann.text and buttons(ann) == ["Play on myself"]


async def test_the_sitter_answers_and_the_owner_cannot(camp: Camp) -> None:
    kind = await offered(camp)
    old = data_of(await camp.hand("Ann"), bare((await camp.hand("Ann")).rows[0][0].text))
    await camp.press("Eve", TAKE, kind)
    before = len(await camp.store.answers(camp.game_id))
    assert "Somebody else plays for you" in said(await camp.press_data("Ann", old, camp.person("Ann")["id"]))
    assert len(await camp.store.answers(camp.game_id)) == before
    await camp.press_hand("Eve", bare((await camp.hand("Eve")).rows[0][0].text))
    assert (await camp.store.answers(camp.game_id))[-1].by == "player"


async def test_what_rings_rings_for_the_sitter_alone(camp: Camp) -> None:
    kind = await offered(camp, private=("Ann", "Bob", "Cid", "Dan", "Eve"))
    await camp.press("Eve", TAKE, kind)
    ann, eve = await camp.hand_row("Ann"), await camp.hand_row("Eve")
    await camp.lay(HANDS, ["Whisky"])
    await camp.write("Bob", "/nudge")
    assert await camp.hand_row("Ann") == ann and (await camp.hand_row("Eve")).post > eve.post
    await camp.write("Ann", "/hand")
    assert "Whisky" not in (await camp.hand("Ann")).text


async def test_without_a_private_chat_the_sitter_is_called_in_the_group_by_the_name_of_the_seat(camp: Camp) -> None:
    kind = await offered(camp, private=("Bob", "Cid", "Dan"))
    call = f"call {(await row_of(camp, 'Ann')).seat}"
    assert str(camp.person("Ann")["id"]) in (await camp.screen(call)).text
    await camp.press("Eve", TAKE, kind)
    wanted = await camp.screen(call)
    assert str(camp.person("Eve")["id"]) in wanted.text and str(camp.person("Ann")["id"]) not in wanted.text
    assert "Ann" in plain(wanted.text) and "Eve" not in plain(wanted.text)


async def test_the_hand_comes_aside_to_the_sitter_and_no_cards_to_the_owner(camp: Camp) -> None:
    kind = await offered(camp)
    camp.far_end.ephemeral = "shown"
    await camp.press("Eve", TAKE, kind)
    told = [given for _, given in camp.far_end.said]
    assert told and all(str(camp.person("Eve")["id"]) in str(given) for given in told)
    camp.far_end.said.clear()
    await camp.press("Ann", "🃏 My hand", "board")
    text = str([given for _, given in camp.far_end.said])
    assert "Somebody else plays for you" in text and "Suspicion" not in text


async def test_a_living_player_lets_a_bot_player_sit_in_and_strangers_and_the_dead_do_not(camp: Camp) -> None:
    kind = await offered(camp)
    assert "Only who plays here" in await camp.press("Eve", LET_BOT, kind)
    assert (await row_of(camp, "Ann")).played_by == "person"
    await camp.press("Bob", LET_BOT, kind)
    assert (await row_of(camp, "Ann")).played_by == "bot"
    await camp.forward(10)
    assert (await camp.store.answers(camp.game_id))[-1].by == "bot player"


async def test_players_and_the_dead_take_no_second_seat(camp: Camp) -> None:
    hands = HANDS | {"Ann": ["Flamethrower", "Whisky", "Suspicion", "Scary"]}
    await at_the_table(camp, hands=hands)
    await camp.answer("Ann", "play", "Flamethrower", "Dan")
    if "Dan" in [name for name in FOUR if camp.seat_of(await camp.game(), name) in (await camp.step()).asks]:
        await camp.answer("Dan", "pass")
    kind = await free(camp)
    for who in ("Bob", "Dan"):
        assert "in this game already" in await camp.press(who, TAKE, kind)
    assert "Only who plays here" in await camp.press("Dan", LET_BOT, kind)
    assert (await row_of(camp, "Ann")).sitter is None and (await row_of(camp, "Ann")).played_by == "person"


async def test_who_has_seen_one_hand_never_sits_before_another(camp: Camp) -> None:
    kind = await offered(camp)
    await camp.press("Eve", TAKE, kind)
    await camp.write("Eve", "/leave")
    await camp.lay({"Bob": HANDS["Bob"]} | {name: HANDS[name] for name in ("Ann", "Cid", "Dan")}, ["Whisky"])
    kind = await free(camp, "Bob")
    assert "another hand" in await camp.press("Eve", TAKE, kind)
    assert (await row_of(camp, "Bob")).sitter is None


async def test_the_group_sees_the_same_whoever_took_the_seat(camp: Camp) -> None:
    kind = await offered(camp)
    seat = (await row_of(camp, "Ann")).seat
    await camp.press("Eve", TAKE, kind)
    with_sitter = (await camp.screen(kind)), shown(await camp.game(), seat)
    await camp.write("Eve", "/leave")
    assert (await row_of(camp, "Ann")).played_by == "bot"
    assert (await camp.screen(kind), shown(await camp.game(), seat)) == with_sitter
    assert "Eve" not in plain(with_sitter[0].text) and "Ann (away)" in plain((await camp.screen("board")).text)


def shown(game: GameRow, seat: str) -> str:
    row = game.seat(seat)
    assert row is not None
    return str(screens.shown(row))


@pytest.mark.parametrize("way", ["the panel", "/join", "/back"])
async def test_the_owner_comes_back_and_knows_what_the_seat_knows(camp: Camp, way: str) -> None:
    kind = await offered(camp)
    await camp.press("Eve", TAKE, kind)
    if way == "the panel":
        await camp.press_hand("Ann", "Play on myself")
    else:
        await camp.write("Ann", way)
    row = await row_of(camp, "Ann")
    assert row.sitter is None and row.played_by == "person" and row.excuses == 1
    assert "Whisky" in str((await camp.hand("Ann")).rows)
    assert not await camp.has("panel", camp.person("Eve")["id"])
    assert "Ann is back" in plain((await camp.screen(kind)).text)


async def test_an_owner_who_left_the_group_and_is_back_has_the_excuses_of_before(camp: Camp) -> None:
    await at_the_table(camp)
    await members.left(camp.store, camp.place[0], (await people(camp))["Ann"], 1.0)
    await camp.clock.tick()
    kind = f"gone {(await row_of(camp, 'Ann')).seat}"
    await camp.press("Eve", TAKE, kind)
    assert (await row_of(camp, "Ann")).excuses == 1, "those of the sitter"
    await camp.write("Eve", "/leave")
    await members.returned(camp.store, camp.place[0], (await people(camp))["Ann"], 1.0)
    assert (await row_of(camp, "Ann")).excuses == 3


async def test_an_owner_comes_back_to_the_own_bank(camp: Camp) -> None:
    kind = await offered(camp)
    seat, used = (await row_of(camp, "Ann")).seat, memo_of(await camp.game()).used
    await camp.press("Eve", TAKE, kind)
    assert used[seat] and seat not in memo_of(await camp.game()).used
    await camp.write("Ann", "/join")
    assert memo_of(await camp.game()).used == used


async def test_a_day_of_missed_deadlines_costs_one_excuse_though_somebody_sat_in_meanwhile(camp: Camp) -> None:
    kind = await offered(camp)
    await camp.press("Eve", TAKE, kind)
    await camp.write("Ann", "/join")
    assert (await row_of(camp, "Ann")).excuses == 1
    await run_out(camp)
    assert (await camp.store.answers(camp.game_id))[-1].by == "clock"
    assert (await row_of(camp, "Ann")).excuses == 1


async def test_a_sitter_who_was_sent_home_sees_and_does_nothing_more(camp: Camp) -> None:
    kind = await offered(camp)
    await camp.press("Eve", TAKE, kind)
    old = data_of(await camp.hand("Eve"), bare((await camp.hand("Eve")).rows[0][0].text))
    await camp.write("Ann", "/join")
    before = await camp.everything()
    assert said(await camp.press_data("Eve", old, camp.person("Eve")["id"])) == "This is not your game."
    assert await camp.everything() == before
    reply = await camp.write("Eve", "/hand")
    assert reply and "not in this game" in reply["text"]


async def test_a_sitter_who_leaves_the_group_hands_the_seat_to_a_bot_player(camp: Camp) -> None:
    kind = await offered(camp)
    await camp.press("Eve", TAKE, kind)
    await members.left(camp.store, camp.place[0], (await people(camp))["Eve"], 1.0)
    row = await row_of(camp, "Ann")
    assert row.sitter is None and row.played_by == "bot" and not await camp.has("panel", camp.person("Eve")["id"])


async def test_a_sitter_who_stays_away_is_relieved_too(camp: Camp) -> None:
    kind = await offered(camp)
    await camp.press("Eve", TAKE, kind)
    await run_out(camp)
    assert (await row_of(camp, "Ann")).excuses == 0 and buttons(await camp.screen(kind)) == [TAKE, LET_BOT]
    await camp.press("Fay", TAKE, kind)
    assert (await row_of(camp, "Ann")).sitter == camp.person("Fay")["id"]
    assert not await camp.has("panel", camp.person("Eve")["id"])


async def test_a_sitter_has_the_vote_of_the_seat_and_its_owner_has_none(camp: Camp) -> None:
    kind = await offered(camp)
    await camp.press("Eve", TAKE, kind)
    reply = await camp.write("Eve", "/pause")
    assert reply is None and "1 of 3" in plain((await camp.screen("vote pause")).text)
    assert await camp.press("Ann", "Pause", "vote pause") == "This is not your game."
    for name in ("Bob", "Cid"):
        await camp.press(name, "Pause", "vote pause")
    assert (await camp.game()).status == "paused"


async def test_who_looks_on_while_a_bot_player_sits_in_declares_and_says_nothing(camp: Camp) -> None:
    await at_the_table(camp, hands=HANDS | {"Ann": ["Axe", "Whisky", "Suspicion", "The Thing"], "Bob": HANDS["Cid"]})
    await camp.write("Ann", "/leave")
    before = await camp.everything()
    version = (await camp.game()).version
    for what in ("declare", "choose", "card", "claims", "claim"):
        data = str(Pressed("panel", camp.game_id, what, version))
        assert "That was before" in said(await camp.press_data("Ann", data, camp.person("Ann")["id"]))
    after = await camp.everything()
    assert after["game"] == before["game"] and after["answers"] == before["answers"]


async def test_two_take_it_and_one_has_it(camp: Camp) -> None:
    kind = await offered(camp)
    data = data_of(await camp.screen(kind), TAKE)
    await camp.press_data("Eve", data)
    assert said(await camp.press_data("Fay", data)) == "That seat is not free any more."
    assert said(await camp.press_data("Eve", data)) != ""
    assert (await row_of(camp, "Ann")).sitter == camp.person("Eve")["id"]


async def test_forged_claims_change_nothing(camp: Camp) -> None:
    await at_the_table(camp)
    before = await camp.everything()
    for what in ("take", "let_bot", "burn"):
        for number in range(6):
            await camp.press_data("Eve", f"a.{camp.game_id:x}.0.{what}.{number}")
            await camp.press_data("Bob", f"a.{camp.game_id:x}.0.{what}.{number}")
    assert await camp.everything() == before


async def test_nobody_takes_a_seat_while_the_game_is_paused(camp: Camp) -> None:
    kind = await offered(camp)
    camp.appoint("Ann")
    await camp.write("Ann", "/pause")
    assert "paused" in await camp.press("Eve", TAKE, kind)
    assert (await row_of(camp, "Ann")).sitter is None


async def test_a_sitter_finds_the_game_among_the_own_ones(camp: Camp) -> None:
    kind = await offered(camp)
    await camp.press("Eve", TAKE, kind)
    reply = await camp.write("Eve", "/games", private=True)
    assert reply and "you are awaited" in reply["text"]
    reply = await camp.write("Ann", "/games", private=True)
    assert reply and "you are awaited" not in reply["text"]


async def test_a_rematch_seats_the_owners_with_all_their_excuses(camp: Camp) -> None:
    kind = await offered(camp)
    await camp.press("Eve", TAKE, kind)
    await camp.write("Ann", "/join")
    await camp.write("Ann", "/endgame")
    await camp.press("Ann", "End it", "ending")
    await camp.press("Bob", "Again, same people", "end")
    rows = [(row.name, row.sitter, row.excuses, row.missed_at) for row in (await camp.game()).roster]
    assert rows == [(name, None, 3, 0.0) for name in FOUR]


# --- a game that nobody plays any more ---


async def test_a_game_left_to_the_clock_ends_with_the_roles_and_without_blame(camp: Camp) -> None:
    await at_the_table(camp)
    for _ in range(60):
        if (await camp.game()).status != "playing":
            break
        await run_out(camp)
    game = await camp.game()
    assert game.status == "over" and game.outcome == {"why": "deserted", "winners": []}
    end = plain((await camp.screen("end")).text)
    assert "Nobody wins" in end and "Bob" in end and "away" not in end
    assert not [kind for kind, _ in await camp.rows() if kind.startswith("absent")]


WHEN = datetime(2026, 9, 1, 12, tzinfo=UTC)


def lonely(pace_word: str = "day", **memo: Any) -> GameRow:
    row = GameRow(id=1, chat_id=-1, opened_by=1, pace=pace_word, public_seed="", started_at=WHEN, status="playing")
    return remembering(row, **memo)


def test_one_night_is_no_desertion() -> None:
    game = lonely(heard=(3, WHEN.timestamp()))
    assert not presence.is_deserted(game, 4, 40, Hours(), WHEN + timedelta(hours=11))
    assert presence.is_deserted(game, 4, 40, Hours(), WHEN + timedelta(hours=12))
    assert not presence.is_deserted(game, 4, 7, Hours(), WHEN + timedelta(days=2)), "no whole round yet"


def test_a_fast_game_is_deserted_sooner() -> None:
    game = lonely("blitz", heard=(3, WHEN.timestamp()))
    assert presence.is_deserted(game, 4, 8, Hours(), WHEN + timedelta(minutes=36))


def test_more_than_half_of_the_last_answers_by_the_clock_is_mostly() -> None:
    game = replace(lonely(), roster=(SeatRow("s1", "Ann", 1), SeatRow("s2", "Bob", 2)))
    for number in range(30):
        by = "clock" if number % 2 else "player"
        game = presence.noted(game, "s1" if by == "clock" else "s2", by, number, WHEN + timedelta(hours=number))
        assert memo_of(game).mostly == 0.0, "half is not more than half"
    game = presence.noted(game, "s1", "clock", 31, WHEN + timedelta(hours=31))
    game = presence.noted(game, "s1", "clock", 31, WHEN + timedelta(hours=31))
    assert memo_of(game).mostly and not presence.is_deserted(game, 12, 31, Hours(), WHEN + timedelta(hours=42))
    assert presence.is_deserted(game, 12, 31, Hours(), WHEN + timedelta(hours=43))
    for _ in range(4):
        game = presence.noted(game, "s2", "player", 32, WHEN + timedelta(hours=44))
    assert memo_of(game).mostly == 0.0


def test_a_bot_player_speaks_for_nobody_and_an_order_for_its_owner() -> None:
    game = replace(lonely(away=("s1",)), roster=(SeatRow("s1", "Ann", 1, excuses=0),))
    assert presence.noted(game, "s1", "bot player", 5, WHEN) == game
    by_hand, by_order = (presence.noted(game, "s1", by, 5, WHEN) for by in ("player", "order"))
    assert memo_of(by_hand).away == () and memo_of(by_order).away == ("s1",)
    assert remembering(by_order, away=()) == by_hand, "nobody can tell one from the other"


# --- a time-out proves nothing (the two worlds) ---

COMMON = {name: ["Axe", "Whisky", "Suspicion", "Analysis"] for name in FOUR}


def world(thing: str, **more: Sequence[str]) -> dict[str, list[str]]:
    """The Thing is somebody's; the others hold what they hold."""
    hands = {name: list(cards) for name, cards in (COMMON | more).items()}
    hands[thing][-1] = "The Thing"
    return hands


WORLDS = {
    "who The Thing is": (world("Bob"), world("Cid")),
    "who The Thing is, on turn": (world("Ann"), world("Dan")),
    "a card of the one who is away": (world("Dan"), world("Dan", Ann=["Flamethrower", "Scary", "Infected!", "Whisky"])),
    "what the answerer could refuse with": (
        world("Dan"),
        world("Dan", Bob=["No, Thanks!", "Missed!", "Infected!", "Axe"]),
    ),
    "infected cards of The Thing": (
        world("Bob", Bob=["Infected!", "Infected!", "Infected!", "Axe"]),
        world("Bob", Bob=["Whisky", "Axe", "Suspicion", "Axe"]),
    ),
}


async def public(camp: Camp) -> SimpleNamespace:
    """All that the group can tell: what is posted and rings there, who hears what in private, when, and the excuses."""
    game, rows = await camp.game(), await camp.rows()
    begun = game.started_at
    assert begun is not None
    timers = sorted((one.kind, one.seat or "", round((one.at - begun).total_seconds() / 60)) for one in game.timers)
    return SimpleNamespace(
        group={kind: (number(row.wanted.text), buttons(row.wanted)) for (kind, to), row in rows.items() if to == 0},
        posts={key: row.post for key, row in rows.items()},
        roster=[replace(row, missed_at=float(row.missed_at > 0)) for row in game.roster],
        status=game.status,
        timers=timers,
        answers=[(answer.version, answer.seat, answer.by) for answer in await camp.store.answers(camp.game_id)],
    )


def number(words: str) -> str:
    """A text without its times, which are those of the moment at which a test runs."""
    return re.sub(r'<tg-time unix="\d+" format="\w+">[^<]*</tg-time>', "<time>", words)


async def silence(camp: Camp, moves: int) -> list[SimpleNamespace]:
    """Nobody answers any more, and somebody claims a seat; what the group sees of it, deadline by deadline."""
    before = (await public(camp)).posts  # the deal before that was not the same
    seen = []
    for move in range(moves):
        await run_out(camp)
        if move == 2:
            await set_row(camp, "Ann", excuses=0)
        offers = sorted(kind for kind, _ in await camp.rows() if kind.startswith("absent"))
        if move == 4:
            await camp.press("Eve", TAKE, offers[0])
        now = await public(camp)
        now.posts = {key: post - before.get(key, 0) for key, post in now.posts.items() if key != ("turn 1", 0)}
        seen.append(now)
    return seen


@pytest.mark.parametrize("difference", WORLDS)
async def test_two_deals_that_differ_in_hidden_cards_are_the_same_to_the_group_when_nobody_answers(
    camp: Camp, difference: str
) -> None:
    worlds = []
    for hands in WORLDS[difference]:
        await camp.open_private_chats(*FOUR, "Eve")
        await camp.begin(*FOUR, private=False)
        async with camp.store.press(update_id=None, find=ByGame(camp.game_id)) as unit:
            assert unit.game is not None
            unit.game = replace(unit.game, public_seed="the same")  # the wordings, not the dice
        await camp.lay(hands, ["Whisky"] * 12)
        worlds.append(await silence(camp, 8))
        await camp.write("Ann", "/endgame")
        await camp.press("Ann", "End it", "ending")
    for left, right in zip(*worlds, strict=True):
        for part, seen in vars(left).items():
            assert seen == vars(right)[part], part


async def test_a_seat_that_is_known_to_be_away_passes_when_its_time_is_up_with_a_defence_or_without(camp: Camp) -> None:
    """Else the one that times out would be known to hold it."""
    timers = []
    for card in ("I'm Comfortable", "Analysis"):
        hands = HANDS | {
            "Ann": ["Change Places!", "Whisky", "Axe", "Scary"],
            "Bob": ["Axe", "Whisky", "The Thing", card],
        }
        await at_the_table(camp, hands=hands)
        async with camp.store.press(update_id=None, find=ByGame(camp.game_id)) as unit:
            assert unit.game is not None
            unit.game = remembering(unit.game, away=(camp.seat_of(unit.game, "Bob"),))
        await camp.answer("Ann", "play", "Change Places!", "Bob")
        timers.append(sorted(one.kind for one in (await camp.game()).timers if one.kind in pace.OF_A_QUESTION))
        await camp.write("Ann", "/endgame")
        await camp.press("Ann", "End it", "ending")
    assert timers[0] == timers[1] and pace.PASS not in timers[0]


async def test_who_is_away_and_has_prepared_to_let_it_happen_does_so_in_the_same_time_with_a_defence_or_without(
    camp: Camp,
) -> None:
    pauses = []
    for card in ("I'm Comfortable", "Analysis"):
        hands = HANDS | {
            "Ann": ["Change Places!", "Whisky", "Axe", "Scary"],
            "Bob": ["Axe", "Whisky", "The Thing", card],
        }
        await at_the_table(camp, hands=hands)
        async with camp.store.press(update_id=None, find=ByGame(camp.game_id)) as unit:
            assert unit.game is not None
            bob = camp.seat_of(unit.game, "Bob")
            prepared = orders.prepare(unit.game, await camp.step(), bob, "pass", ("pass",))
            unit.game = remembering(replace(prepared, public_seed="the same"), away=(bob,))
        await camp.answer("Ann", "play", "Change Places!", "Bob")
        game = await camp.game()
        (pause,) = (timer.at for timer in game.timers if timer.kind in (pace.ORDER, pace.PASS))
        pauses.append(pause.timestamp() - memo_of(game).asked_at[bob])
        await camp.write("Ann", "/endgame")
        await camp.press("Ann", "End it", "ending")
    assert abs(pauses[0] - pauses[1]) < 0.001
