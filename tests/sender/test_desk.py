"""What the sender reads and writes, when presses come between."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from msgspec.structs import replace

from db.records import ByGame, GameRow, ScreenRow, Wanted
from db.screens import Desk, Screen
from db.store import Store
from tests.db.conftest import opened


@pytest.fixture
async def store(database_url: str) -> AsyncIterator[Store]:
    async with Store(database_url) as store:
        yield store


@pytest.fixture
async def game(store: Store) -> GameRow:
    return await opened(store)


@pytest.fixture
async def desk(store: Store) -> AsyncIterator[Desk]:
    desk = await Desk.open(store.url, lambda: None)
    assert await desk.lead("one")
    yield desk
    await desk.close()


async def show(store: Store, game: GameRow, text: str, once: bool = False, anew: bool = False) -> None:
    async with store.press(update_id=None, find=ByGame(game.id)) as unit:
        (unit.post_anew if anew else unit.show)("board", Wanted(text=text, once=once))


async def read(desk: Desk) -> Screen:
    _, (screen,) = await desk.wanting((), (), 9)
    return screen


async def row(store: Store, game: GameRow) -> ScreenRow:
    (found,) = await store.screens(game.id)
    return found


async def test_what_was_wanted_while_something_else_was_sent_is_still_wanted(
        store: Store, desk: Desk, game: GameRow) -> None:
    await show(store, game, "old")
    screen = await read(desk)
    await show(store, game, "new")
    await desk.write([screen.posted(7)], [], [])
    assert (await row(store, game)).wanting
    screen = await read(desk)
    assert (screen.deed, screen.target, screen.body.text) == ("edit", 7, "new")


async def test_what_was_posted_anew_meanwhile_is_posted_again(store: Store, desk: Desk, game: GameRow) -> None:
    await show(store, game, "old")
    screen = await read(desk)
    await show(store, game, "old", anew=True)
    await desk.write([screen.posted(7)], [], [])
    screen = await read(desk)
    assert screen.deed == "post"
    await desk.write([screen.posted(8)], [], [])
    screen = await read(desk)
    assert (screen.deed, screen.target) == ("strip", 7)


async def test_a_refusal_holds_for_what_was_refused_and_not_for_what_is_wanted_now(
        store: Store, desk: Desk, game: GameRow) -> None:
    await show(store, game, "too long")
    screen = await read(desk)
    await show(store, game, "short")
    await desk.write([replace(screen, refused="Message is too long")], [], [])
    assert (await read(desk)).body.text == "short"


async def test_a_tale_that_was_perhaps_sent_is_not_sent_again_though_it_goes_on(
        store: Store, desk: Desk, game: GameRow) -> None:
    await show(store, game, "Ann draws.", once=True)
    screen = await read(desk)
    await desk.trying([screen])
    assert (await read(desk)).deed == "doubt"
    await show(store, game, "Ann draws, and reads.", once=True)
    await desk.write([replace(screen, trying=None, refused="perhaps sent")], [], [])
    await show(store, game, "Ann draws, and reads, and burns.", once=True)
    assert not (await row(store, game)).wanting


async def test_who_lost_the_lead_does_not_unsay_what_the_next_one_showed(
        store: Store, desk: Desk, game: GameRow) -> None:
    await show(store, game, "the camp")
    screen = await read(desk)
    await desk.write([screen.posted(8)], [], [])  # the next one's
    await desk.write([screen.posted(7)], [], [])  # what landed late
    assert (await row(store, game)).message_id == 8


async def test_what_was_sent_to_the_group_is_dropped_when_it_became_a_supergroup_meanwhile(
        store: Store, desk: Desk, game: GameRow) -> None:
    await show(store, game, "the camp")
    screen = await read(desk)
    await store.migrate(-5, -100)
    await desk.write([screen.posted(7)], [], [])
    screen = await read(desk)
    assert (screen.chat_id, screen.deed) == (-100, "post")


async def test_only_one_desk_has_the_lead(store: Store, desk: Desk) -> None:
    other = await Desk.open(store.url, lambda: None)
    assert not await other.lead("other")
    await desk.close()
    while not await other.lead("other"):
        pass
    await other.close()
