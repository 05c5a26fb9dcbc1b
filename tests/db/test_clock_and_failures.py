"""Due games, outages, failures, what is forgotten; and groups that become supergroups."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta

import pytest
from msgspec.structs import replace

from db import clock
from db.records import ByGame, ByPlace, GameRow, Timer, Wanted
from db.store import Store
from tests.db.conftest import ANN, opened


async def due_in(store: Store, seconds: float, chat_id: int = -5) -> GameRow:
    now = await clock.now(store.engine)
    timers = (Timer("deadline", now + timedelta(seconds=seconds), "s1"), Timer("reminder", now + timedelta(days=9)))
    return await opened(store, chat_id, status="playing", timers=timers)


async def next_due(store: Store) -> datetime | None:
    """What the clock goes by: the earliest `next_at` of all games."""
    async with store.engine.connect() as connection:
        found: datetime | None = (await connection.exec_driver_sql("select min(next_at) from games")).scalar()
    return found


async def claim(store: Store) -> int | None:
    async with store.claim_due() as unit:
        if unit is None:
            return None
        assert unit.game is not None
        unit.answered("s1", ("pass",), by="clock")
        unit.game = replace(unit.game, timers=())
        return unit.game.id


async def test_a_game_is_claimed_when_its_timer_is_due_and_not_before(store: Store, database_url: str) -> None:
    game = await due_in(store, 30)
    assert await next_due(store) == game.timers[0].at
    assert await claim(store) is None
    clock.move(database_url, 31)
    assert await claim(store) == game.id
    assert await claim(store) is None
    assert await next_due(store) is None


async def test_two_processes_never_claim_the_same_game(store: Store, database_url: str) -> None:
    games = [await due_in(store, 0, chat_id=-n) for n in range(1, 31)]
    claimed: list[int] = []

    async def work(store: Store) -> None:
        while (found := await claim(store)) is not None:
            claimed.append(found)

    async with Store(database_url) as second:
        await asyncio.gather(*(work(one) for one in (store, second) for _ in range(3)))
    assert sorted(claimed) == [game.id for game in games]
    for game in games:
        assert len(await store.answers(game.id)) == 1


async def test_a_press_and_the_clock_at_once_answer_one_after_the_other(store: Store) -> None:
    game = await due_in(store, 0)
    async with store.press(update_id=1, find=ByGame(game.id)) as unit:
        assert await claim(store) is None  # locked, so left alone
        assert unit.game is not None
        unit.game = replace(unit.game, timers=())
    assert await claim(store) is None


async def test_a_claim_that_raises_can_be_put_off(store: Store, database_url: str) -> None:
    game = await due_in(store, 0)
    with pytest.raises(ZeroDivisionError):
        async with store.claim_due():
            1 / 0  # noqa: B018
    await store.put_off(game.id, 60)
    assert await claim(store) is None
    clock.move(database_url, 61)
    assert await claim(store) == game.id


async def silent_for(store: Store, seconds: float) -> None:
    """As if the last tick of any process had been so long ago, in real time."""
    await store._run(
        "update meta set value = to_jsonb(now() - make_interval(secs => :s)) where key = 'heartbeat'", s=seconds)


async def test_after_an_outage_every_timer_moves_by_it_once(store: Store, database_url: str) -> None:
    game = await due_in(store, 30)
    lobby = await opened(store, -7, timers=(Timer("close", game.timers[0].at),))
    over = await due_in(store, 30, chat_id=-8)
    async with store.press(update_id=None, find=ByGame(over.id)) as unit:
        unit.game = replace(over, status="over")
    assert await store.forgive_outage() == []
    await silent_for(store, 600)
    async with Store(database_url) as second:
        forgiven = await asyncio.gather(*(one.forgive_outage() for one in (store, second, store, second)))
    moved = [found for found in forgiven if found]
    assert len(moved) == 1
    assert [number for number, _ in moved[0]] == [game.id, lobby.id]
    gap = moved[0][0][1]
    assert 600 <= gap < 660
    after = await store.game(game.id)
    assert after is not None
    for old, new in zip(game.timers, after.timers, strict=True):
        assert abs((new.at - old.at).total_seconds() - gap) < 0.001 and new.seat == old.seat
    due = await next_due(store)
    assert due is not None and abs((due - after.timers[0].at).total_seconds()) < 0.001


async def test_after_an_outage_the_clock_is_told_to_tell_the_groups(store: Store) -> None:
    game = await due_in(store, 30)
    await store.forgive_outage()
    await silent_for(store, 600)
    await store.forgive_outage(tell="outage")
    async with store.claim_due() as unit:
        assert unit is not None and unit.game is not None and unit.game.id == game.id
        assert [timer.kind for timer in unit.game.timers if timer.at <= unit.now] == ["outage"]


async def test_a_short_silence_is_no_outage(store: Store) -> None:
    await due_in(store, 30)
    await store.forgive_outage()
    await silent_for(store, 55)
    assert await store.forgive_outage() == []


async def test_the_clock_that_was_moved_is_no_outage(store: Store, database_url: str) -> None:
    await due_in(store, 30)
    await store.forgive_outage()
    clock.move(database_url, 86400)
    assert await store.forgive_outage() == []


async def test_an_update_that_failed_three_times_is_put_aside(store: Store) -> None:
    raw = {"update_id": 9, "text": "nul \0 and half \ud800 and \\u0000 and a fire \N{FIRE}"}
    assert [(await store.failed(9, "KeyError at play", raw)).put_aside for _ in range(3)] == [False, False, True]
    await store.failed(10, "ValueError", {})
    failure, = await store.failures()
    assert (failure.update_id, failure.attempts, failure.error) == (9, 3, "KeyError at play")
    assert failure.raw["text"].endswith("and a fire \N{FIRE}")
    assert [one.update_id for one in await store.failures(all=True)] == [9, 10]
    await store.retried(9)
    assert await store.failures() == []


async def test_an_update_that_cannot_be_read_is_put_aside_at_once(store: Store) -> None:
    assert (await store.put_aside(9, "unknown kind", {"update_id": 9})).put_aside
    assert len(await store.failures()) == 1


async def test_what_nobody_asks_for_any_more_is_forgotten(store: Store, database_url: str, game: GameRow) -> None:
    async with store.press(update_id=1, find=ByGame(game.id)) as unit:
        assert unit.game is not None
        unit.show("board", Wanted(text="the camp"))
        unit.show("call", Wanted(text="Bob!"))
    async with store.press(update_id=2, find=ByGame(game.id)) as unit:
        unit.take_away("call")
    assert await store.prune() == 0
    clock.move(database_url, 8 * 86400)
    assert await store.prune() == 3
    assert [screen.kind for screen in await store.screens(game.id)] == ["board"]
    async with store.press(update_id=3, find=ByGame(game.id)) as unit:
        assert unit.fresh


async def test_a_group_that_became_a_supergroup_keeps_its_game(store: Store, game: GameRow) -> None:
    async with store.press(update_id=None, find=ByGame(game.id)) as unit:
        unit.show("board", Wanted(text="the camp", pin=True))
        unit.show("hand", Wanted(text="hand"), receiver=ANN.id)
    assert await store.migrate(-5, -100)
    assert not await store.migrate(-5, -100)
    async with store.press(update_id=None, find=ByPlace(-100)) as unit:
        assert unit.game is not None and unit.game.id == game.id
    assert {(screen.kind, screen.chat_id) for screen in await store.screens(game.id)} == {("board", -100), ("hand", 42)}


async def test_two_games_that_meet_in_a_supergroup_leave_the_one_that_plays(store: Store, game: GameRow) -> None:
    playing = await opened(store, -100, status="playing")
    await store.migrate(-5, -100)
    lobby = await store.game(game.id)
    assert lobby is not None and (lobby.status, lobby.chat_id) == ("called_off", -100)
    async with store.press(update_id=None, find=ByPlace(-100)) as unit:
        assert unit.game is not None and unit.game.id == playing.id


async def test_a_press_that_waits_for_a_migration_writes_to_the_supergroup(store: Store, game: GameRow) -> None:
    async def press() -> None:
        async with store.press(update_id=1, find=ByGame(game.id)) as unit:
            unit.show("board", Wanted(text="the camp"))

    await asyncio.gather(store.migrate(-5, -100), press(), press_again(store, game.id))
    await store.migrate(-5, -100)
    assert {screen.chat_id for screen in await store.screens(game.id)} == {-100}


async def press_again(store: Store, game_id: int) -> None:
    async with store.press(update_id=2, find=ByGame(game_id)) as unit:
        unit.show("turn 1", Wanted(text="Ann draws."))
