"""A press is one transaction: done once, whole or not at all, whoever else presses."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from random import Random
from typing import Any

import psycopg
import pytest
from msgspec.structs import replace
from sqlalchemy import event

from db import clock
from db.records import Answer, ByGame, ByPlace, Chat, GameRow, Nothing, Person, SeatRow, Timer, Wanted
from db.screens import Body
from db.store import Away, Failed, Newer, Store
from db.url import conninfo
from tests.db.conftest import ANN, BOB, CAMP, opened

SECRET = "Flamethrower, Infected!"


async def watched(store: Store) -> list[str]:
    """Everything that the engine says to the database from now on, but for the NOTIFY that comes a moment later."""
    store.after_commit.append(lambda: True)
    if store._notifying is not None:
        await store._notifying
    said: list[str] = []
    engine = store.engine.sync_engine
    event.listen(engine, "begin", lambda connection: said.append("begin"))
    event.listen(engine, "commit", lambda connection: said.append("commit"))
    event.listen(engine, "rollback", lambda connection: said.append("rollback"))
    event.listen(engine, "before_cursor_execute", lambda connection, cursor, sql, *more: said.append(sql.split()[0]))
    return said


async def play(store: Store, game_id: int, update_id: int | None = None) -> bool:
    """One answer; False if the update was applied before."""
    find = ByGame(game_id)
    async with store.press(update_id=update_id, find=find, person=ANN, chat=CAMP) as unit:
        if not unit.fresh:
            return False
        unit.answered("s1", ("play", "Axe"), by="player")
        assert unit.game is not None
        deadline = Timer("deadline", unit.now + timedelta(hours=1), "s2")
        unit.game = replace(unit.game, turn_start=SECRET, timers=(deadline,))
        unit.happened({"kind": "played", "card": "Axe"})
        unit.happened({"kind": "awaited"})
        unit.show("board", Wanted(text=f"version {unit.game.version}", pin=True))
        unit.show("hand", Wanted(text=SECRET, protect=True), receiver=ANN.id)
    return True


async def test_a_press_is_two_statements_between_begin_and_commit(store: Store, game: GameRow) -> None:
    await play(store, game.id)
    said = await watched(store)
    await play(store, game.id, update_id=1)
    assert said == ["begin", "with", "with", "commit"]


async def test_a_repeated_update_is_one_statement_and_nothing_happens(store: Store, game: GameRow) -> None:
    await play(store, game.id, update_id=1)
    said = await watched(store)
    assert not await play(store, game.id, update_id=1)
    assert said == ["begin", "with", "rollback"]
    assert len(await store.answers(game.id)) == 1


async def test_the_log_is_looked_back_in_whole_turns(store: Store, game: GameRow) -> None:
    """So that its beginning does not tell how much happened that only some know of."""
    for turn, happened in ((1, "a card drawn"), (2, "an infection"), (2, "an exchange"), (3, "a card drawn")):
        async with store.press(update_id=None, find=ByGame(game.id)) as unit:
            assert unit.game is not None
            unit.game = replace(unit.game, turn=turn)
            unit.happened({"kind": happened})
    assert [one.turn for one in await store.events(game.id, turns=2)] == [2, 2, 3]
    assert [one.turn for one in await store.events(game.id, turns=9)] == [1, 2, 2, 3]


async def test_a_press_that_changes_nothing_is_remembered_all_the_same(store: Store, game: GameRow) -> None:
    async with store.press(update_id=1, find=ByGame(game.id)) as unit:
        assert unit.fresh
    async with store.press(update_id=1, find=ByGame(game.id)) as unit:
        assert not unit.fresh and unit.game is None and unit.people == {}


async def test_everything_a_press_says_is_there_afterwards(store: Store, game: GameRow) -> None:
    await play(store, game.id)
    found = await store.game(game.id)
    assert found is not None and (found.version, found.turn_start, found.happened) == (1, SECRET, 2)
    assert found.next_at == found.timers[0].at
    (answer,) = await store.answers(game.id)
    assert isinstance(answer, Answer) and (answer.version, answer.choice, answer.by) == (1, ("play", "Axe"), "player")
    assert [one.event["kind"] for one in await store.events(game.id)] == ["played", "awaited"]
    assert {(one.kind, one.receiver, one.chat_id) for one in await store.screens(game.id)} == {
        ("board", 0, -5),
        ("hand", 42, 42),
    }
    chat = await store.chat(-5)
    assert chat is not None and chat.title == "Camp"


async def test_an_exception_leaves_no_trace(store: Store, game: GameRow) -> None:
    with pytest.raises(ZeroDivisionError):
        async with store.press(update_id=1, find=ByGame(game.id)) as unit:
            unit.answered("s1", ("pass",), by="player")
            unit.show("board", Wanted(text="never"))
            1 / 0  # noqa: B018
    assert await store.answers(game.id) == [] and await store.screens(game.id) == []
    assert await play(store, game.id, update_id=1)


async def test_the_same_update_delivered_fifty_times_to_three_processes_is_applied_once(
    store: Store, database_url: str, game: GameRow
) -> None:
    async with Store(database_url) as second, Store(database_url) as third:
        applied = await asyncio.gather(*(play((store, second, third)[n % 3], game.id, update_id=7) for n in range(50)))
    assert sum(applied) == 1
    found = await store.game(game.id)
    assert found is not None and found.version == 1 and len(await store.answers(game.id)) == 1


async def test_presses_on_one_game_come_one_after_the_other(store: Store, database_url: str, game: GameRow) -> None:
    async with Store(database_url) as second:
        await asyncio.gather(*(play((store, second)[n % 2], game.id, update_id=n) for n in range(60)))
    found = await store.game(game.id)
    assert found is not None and (found.version, found.happened) == (60, 120)
    assert [one.version for one in await store.answers(game.id)] == list(range(1, 61))
    assert [one.seq for one in await store.events(game.id)] == list(range(1, 121))
    assert (await store.screens(game.id))[0].wanted.text == "version 60"


async def test_who_waits_for_a_game_sees_who_sat_down_meanwhile(store: Store, game: GameRow) -> None:
    async with store.press(update_id=1, find=ByGame(game.id), person=Person(44, "Cid")) as unit:
        assert unit.game is not None
        waiting = asyncio.create_task(people(store, game.id))
        await blocked(store)
        unit.game = replace(unit.game, roster=(*unit.game.roster, SeatRow("s3", "Cid", 44)))
    assert await waiting == {42, 43, 44}


async def people(store: Store, game_id: int) -> set[int]:
    async with store.press(update_id=2, find=ByGame(game_id), person=ANN) as unit:
        assert unit.game is not None
        assert {seat.person for seat in unit.game.roster} == set(unit.people)
        return set(unit.people)


async def blocked(store: Store) -> None:
    """Wait until somebody waits for a lock."""
    query = "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
    while not (await store._run(query)).scalar():
        pass


async def test_of_two_who_open_a_game_in_one_place_the_second_finds_the_first_one(
    store: Store, database_url: str
) -> None:
    async def newgame(store: Store, number: int) -> int:
        async with store.press(update_id=number, find=ByPlace(-5, 3), person=ANN, chat=CAMP) as unit:
            if unit.game is None:
                assert unit.new_game_id is not None
                unit.open_game(opened_by=ANN.id, pace="day", public_seed=str(number))
                unit.show("lobby", Wanted(text="An expedition gathers"))
        assert unit.game is not None
        return unit.game.id

    async with Store(database_url) as second:
        ids = await asyncio.gather(*(newgame((store, second)[n % 2], n) for n in range(20)))
    assert len(set(ids)) == 1
    assert len(await store.games_in(-5)) == 1


async def test_topics_of_a_group_hold_a_game_each(store: Store) -> None:
    first, second = await opened(store, thread_id=0), await opened(store, thread_id=9)
    assert {game.id for game in await store.games_of(ANN.id)} == {first.id, second.id}
    async with store.press(update_id=None, find=ByPlace(-5, 9)) as unit:
        assert unit.game is not None and unit.game.id == second.id


async def test_after_a_game_is_over_its_place_is_free(store: Store, game: GameRow) -> None:
    async with store.press(update_id=None, find=ByGame(game.id)) as unit:
        assert unit.game is not None
        unit.game = replace(unit.game, status="over", ended_at=unit.now, timers=(Timer("deadline", unit.now),))
    again = await opened(store)
    assert again.id != game.id
    assert [one.id for one in await store.games_of(ANN.id)] == [again.id]
    assert {one.id for one in await store.games_of(ANN.id, ended=True)} == {game.id, again.id}
    async with store.claim_due() as unit:
        assert unit is None


async def test_who_leaves_the_roster_is_not_found_there_any_more(store: Store, game: GameRow) -> None:
    async with store.press(update_id=None, find=ByGame(game.id)) as unit:
        assert unit.game is not None
        unit.game = replace(unit.game, roster=unit.game.roster[1:])
    assert await store.games_of(ANN.id) == []
    assert [one.id for one in await store.games_of(BOB.id)] == [game.id]


async def test_a_game_of_newer_rules_is_left_to_newer_code(store: Store, database_url: str) -> None:
    game = await opened(store, rules_v=1, timers=(Timer("deadline", await clock.now(store.engine)),))
    async with Store(database_url, rules_v=2) as newer, newer.press(update_id=None, find=ByGame(game.id)) as unit:
        assert unit.game is not None
        unit.game = replace(unit.game, rules_v=2)
    with pytest.raises(Newer):
        await play(store, game.id, update_id=1)
    async with store.claim_due() as claimed:
        assert claimed is None
    async with Store(database_url, rules_v=2) as newer:
        assert await play(newer, game.id, update_id=1)  # the older process did not remember it


async def test_a_person_is_written_again_only_when_there_is_news(
    store: Store, game: GameRow, database_url: str
) -> None:
    async with store.press(update_id=1, person=ANN, chat=CAMP):
        pass
    said = await watched(store)
    async with store.press(update_id=2, person=ANN, chat=CAMP):
        pass
    assert said == ["begin", "with", "commit"]
    async with store.press(update_id=3, person=replace(ANN, name="Anna", private="unknown")) as unit:
        assert unit.person is not None and (unit.person.name, unit.person.private) == ("Anna", "open")
    found = await store.person(ANN.id)
    assert found is not None and (found.name, found.private) == ("Anna", "open")
    seen = found.seen_at
    clock.move(database_url, 7200)
    async with store.press(update_id=4, person=replace(ANN, name="Anna")):
        pass
    found = await store.person(ANN.id)
    assert found is not None and found.seen_at is not None and seen is not None and found.seen_at > seen


async def test_what_a_group_chose_outlasts_what_an_update_says_of_it(store: Store) -> None:
    async with store.press(update_id=1, chat=CAMP) as unit:
        unit.keeps(Chat(-5, settings={"language": "de"}, rights={"pin": True}, road="open"))
    async with store.press(update_id=2, chat=Chat(-5, "New title", "supergroup")):
        pass
    found = await store.chat(-5)
    assert found == Chat(-5, "New title", "supergroup", {"language": "de"}, {"pin": True}, "open")


async def test_a_connection_that_died_in_the_pool_is_no_failure(store: Store, database_url: str, game: GameRow) -> None:
    await play(store, game.id, update_id=1)
    kill_others(database_url)
    assert await play(store, game.id, update_id=2)
    kill_others(database_url)
    assert await store.game(game.id) is not None


async def test_killed_between_the_statements_nothing_happened_and_the_update_can_come_again(
    store: Store, database_url: str, game: GameRow
) -> None:
    with pytest.raises(Away):
        async with store.press(update_id=1, find=ByGame(game.id)) as unit:
            unit.answered("s1", ("pass",), by="player")
            kill_others(database_url)
    assert await store.answers(game.id) == []
    assert await play(store, game.id, update_id=1)


def kill_others(database_url: str) -> None:
    with psycopg.connect(conninfo(database_url), autocommit=True) as connection:
        connection.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity"
            " where datname = current_database() and pid <> pg_backend_pid()"
        )


async def test_processes_that_are_killed_at_random_apply_every_update_once(
    store: Store, database_url: str, game: GameRow
) -> None:
    dice, done = Random(1), asyncio.Event()

    async def deliver(update_id: int) -> None:
        while True:  # as Telegram does until it gets its 200
            try:
                await play(store, game.id, update_id=update_id)
                return
            except Away:
                await asyncio.sleep(0)

    async def kill() -> None:
        while not done.is_set():
            await asyncio.sleep(dice.random() / 50)
            await asyncio.to_thread(kill_others, database_url)

    killer = asyncio.create_task(kill())
    await asyncio.gather(*(deliver(n // 2) for n in range(120)))  # each twice
    done.set()
    await killer
    found = await store.game(game.id)
    assert found is not None and (found.version, found.happened) == (60, 120)


async def test_no_database_is_said_so(game: GameRow) -> None:
    async with Store("postgresql://nobody@127.0.0.1:9/none") as store:
        with pytest.raises(Away):
            async with store.press(update_id=1):
                pass
        assert not await store.ready()


async def test_a_press_that_waits_too_long_for_a_game_gives_up(store: Store, game: GameRow) -> None:
    async with store.press(update_id=1, find=ByGame(game.id)):
        with pytest.raises(Away):
            await store._run("set local lock_timeout = 1")
            async with store.engine.begin() as connection:
                await connection.exec_driver_sql("set lock_timeout = '10ms'")
            await play(store, game.id, update_id=2)


@pytest.mark.parametrize("wrong", ["status", "next", "event"])
async def test_no_error_says_what_the_table_holds(store: Store, game: GameRow, wrong: str) -> None:
    with pytest.raises(Exception) as caught:
        async with store.press(update_id=1, find=ByGame(game.id)) as unit:
            assert unit.game is not None
            unit.game = replace(unit.game, turn_start=SECRET, status="sleeping" if wrong == "status" else "playing")
            if wrong == "next":
                unit.game = replace(unit.game, digest=SECRET + "\0")
            unit.show("hand", Wanted(text=SECRET), receiver=42)
            if wrong == "event":
                unit.happened({"card": SECRET + "\0"})
    assert isinstance(caught.value, Failed)
    error: Any = caught.value
    assert error.__suppress_context__ and "Infected" not in str(error)
    assert "Infected" not in repr((unit.game, await store.screens(game.id), Wanted(text=SECRET), Body(SECRET)))


async def test_nothing_is_shown_without_a_game(store: Store) -> None:
    with pytest.raises(RuntimeError):
        async with store.press(update_id=1, find=Nothing()) as unit:
            unit.show("board", Wanted(text="where?"))
