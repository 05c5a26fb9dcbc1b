"""By which road a private text reached somebody from a group, and how much was said there in the last minute."""

from __future__ import annotations

from sqlalchemy import text

from db import clock
from db.records import ByGame, ByPlace, Chat, GameRow, Nothing, RoadHere
from db.store import Store
from tests.db.conftest import ANN, BOB, CAMP
from tests.db.test_presses import watched


async def road(store: Store, game: GameRow) -> RoadHere:
    async with store.press(update_id=None, find=ByGame(game.id), person=ANN) as unit:
        return unit.road


async def test_a_press_knows_the_road_to_its_presser_from_this_group(store: Store, game: GameRow) -> None:
    assert await road(store, game) == RoadHere()
    await store.took_road(ANN.id, game.chat_id, "ephemeral")
    await store.took_road(ANN.id, game.chat_id - 1, "alert")
    await store.took_road(BOB.id, game.chat_id, "private")
    found = await road(store, game)
    assert found.road == "ephemeral" and found.at is not None and not found.flooded
    async with store.press(update_id=None, find=ByPlace(game.chat_id), person=BOB, chat=CAMP) as unit:
        assert unit.road.road == "private"
    async with store.press(update_id=None, find=ByPlace(game.chat_id, 9), person=BOB, chat=CAMP) as unit:
        assert unit.game is None and unit.road.road == "private"
    async with store.press(update_id=None, find=Nothing(), person=ANN, chat=Chat(game.chat_id - 1)) as unit:
        assert unit.road.road == "alert"
    assert {who: known.road for who, known in (await store.roads_from(game.chat_id)).items()} == {
        ANN.id: "ephemeral",
        BOB.id: "private",
    }


async def test_a_road_that_is_taken_again_is_known_since_then(store: Store, game: GameRow, database_url: str) -> None:
    await store.took_road(ANN.id, game.chat_id, "alert")
    before = (await road(store, game)).at
    clock.move(database_url, 100)
    await store.took_road(ANN.id, game.chat_id, "alert")
    after = (await road(store, game)).at
    assert before is not None and after is not None and (after - before).total_seconds() >= 100


async def test_what_was_refused_is_forgotten_when_the_group_changes_and_what_works_is_not(
    store: Store, game: GameRow
) -> None:
    await store.took_road(ANN.id, game.chat_id, "ephemeral")
    await store.took_road(BOB.id, game.chat_id, "alert")
    await store.roads_anew(game.chat_id)
    assert list(await store.roads_from(game.chat_id)) == [ANN.id]


async def test_a_supergroup_begins_without_the_roads_of_the_group_it_was(store: Store, game: GameRow) -> None:
    await store.took_road(BOB.id, game.chat_id, "alert")
    await store.migrate(game.chat_id, -777)
    assert await store.roads_from(game.chat_id) == {} and await store.roads_from(-777) == {}


async def test_what_is_said_aside_is_counted_in_the_same_two_statements(
    store: Store, game: GameRow, database_url: str
) -> None:
    said = await watched(store)
    for _ in range(3):
        async with store.press(update_id=None, find=ByGame(game.id), person=ANN) as unit:
            unit.say_aside()
    assert said == ["begin", "with", "with", "commit"] * 3
    assert (await road(store, game)).said == 3
    clock.move(database_url, 61)
    async with store.press(update_id=None, find=ByGame(game.id), person=ANN) as unit:
        assert unit.road.said == 0
        unit.say_aside()
    async with store.engine.connect() as connection:
        kept = await connection.execute(text("select cardinality(sent) from limits where thread_id = -1"))
        assert kept.scalar_one() == 1, "only the last minute is kept"


async def test_a_group_that_telegram_wants_silent_is_flooded_until_then(
    store: Store, game: GameRow, database_url: str
) -> None:
    await store.flooded(game.chat_id, 30)
    await store.flooded(game.chat_id, 5)  # a shorter one does not shorten it
    assert (await road(store, game)).flooded
    clock.move(database_url, 20)
    assert (await road(store, game)).flooded
    clock.move(database_url, 11)
    assert not (await road(store, game)).flooded
