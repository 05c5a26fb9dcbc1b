"""Several updates at the very same time: the game's row decides who is first, and everything happens once."""

from __future__ import annotations

import asyncio

from tests.telegram_bot.camp import Camp, data_of, said

FOUR = ("Ann", "Bob", "Cid", "Dan")
WHISKY = ["Whisky"] * 4
TABLE = {"Ann": WHISKY, "Bob": WHISKY, "Cid": WHISKY, "Dan": ["The Thing", "Whisky", "Whisky", "Whisky"]}


async def test_five_newgames_at_once_open_one_lobby(camp: Camp) -> None:
    await asyncio.gather(*(camp.write(name, "/newgame") for name in (*FOUR, "Eve")))
    assert camp.game_id and len(await camp.store.games_in(camp.place[0])) == 1


async def test_thirteen_joins_at_once_leave_one_outside(camp: Camp) -> None:
    await camp.write("Ann", "/newgame")
    join = data_of(await camp.screen("lobby"), "Join / leave")
    names = [f"Guest {number}" for number in range(12)]
    toasts = [said(reply) for reply in await asyncio.gather(*(camp.press_data(name, join) for name in names))]
    roster = (await camp.game()).roster
    assert len(roster) == 12 and len({row.seat for row in roster}) == 12
    assert sum("12 is the most" in toast for toast in toasts) == 1


async def test_two_starts_at_once_deal_once(camp: Camp) -> None:
    await camp.gather(*FOUR)
    start = data_of(await camp.screen("lobby"), "Start with 4")
    await asyncio.gather(*(camp.press_data("Ann", start) for _ in range(3)))
    game = await camp.game()
    assert game.status == "playing" and [row.kind for row in await camp.store.screens(game.id)].count("board") == 1


async def test_a_press_and_the_deadline_at_once_answer_once(camp: Camp) -> None:
    await camp.begin(*FOUR)
    await camp.lay(TABLE, ["Analysis"])
    await camp.press_hand("Ann", "Analysis")
    discard = data_of(await camp.hand("Ann"), "Discard it")
    version = (await camp.game()).version
    await asyncio.gather(camp.press_data("Ann", discard, camp.person("Ann")["id"]), camp.forward(150 * 60 + 1))
    game = await camp.game()
    first = [answer for answer in await camp.store.answers(game.id) if answer.version == version + 1]
    assert len(first) == 1 and first[0].by in ("player", "clock")


async def test_two_rematches_at_once_open_one_lobby(camp: Camp) -> None:
    await camp.begin(*FOUR)
    await camp.write("Ann", "/endgame")
    await camp.press("Ann", "End it", "ending")
    again = data_of(await camp.screen("end"), "Again, same people")
    await asyncio.gather(*(camp.press_data(name, again) for name in FOUR))
    assert len(await camp.store.games_in(camp.place[0])) == 1


async def test_two_votes_at_once_are_both_counted(camp: Camp) -> None:
    await camp.begin(*FOUR)
    await camp.write("Bob", "/endgame")
    end = data_of(await camp.screen("ending"), "End it")
    await asyncio.gather(camp.press_data("Cid", end), camp.press_data("Dan", end))
    assert (await camp.game()).status == "over"
