"""A camp on a Telegram of our own: a group, its people, a game whose screens the tests want, and a sender."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from telegram import Bot

from db import clock
from db.records import ByGame, ByPlace, Chat, Person, ScreenRow, SeatRow, Wanted
from db.store import Store, Unit
from playground.server import Playground
from telegram_bot.limits import Limits
from telegram_bot.sender import Sender
from telegram_bot.transport import request_for

# Methods that put something into a chat, or change it.
SAID = ("sendMessage", "editMessageText", "editMessageReplyMarkup")


async def until(happened: Callable[[], bool]) -> None:
    """Wait for something that other processes do, or that has no event of its own."""
    async with asyncio.timeout(60):
        while not happened():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


class Camp:
    """A group with a game in it, seen from all sides: what is wanted, what was called, what people see."""

    def __init__(self, url: str, telegram: Playground, store: Store, bot: Bot) -> None:
        self.url = url
        self.telegram = telegram
        self.store = store
        self.bot = bot
        self.world = telegram.world
        self.ann = self.world.add_person("Ann")
        self.bob = self.world.add_person("Bob")
        self.group = self.world.add_group("Camp", people=[self.ann, self.bob], bots=[telegram.bot])
        self.game_id = 0
        self.senders: list[tuple[Sender, asyncio.Task[None]]] = []

    # What is wanted.

    async def open_game(self, chat: Any = None, thread_id: int = 0) -> int:
        """A game of its own in the group (or in another chat); its number."""
        chat = chat or self.group
        roster = (SeatRow("s1", "Ann", self.ann.id), SeatRow("s2", "Bob", self.bob.id))
        find = ByPlace(chat.id, thread_id)
        async with self.store.press(update_id=None, find=find, chat=Chat(chat.id, "Camp", "group")) as unit:
            unit.open_game(opened_by=self.ann.id, pace="day", public_seed="", roster=roster, status="playing")
            unit.knows(Person(self.ann.id, "Ann"))
            unit.knows(Person(self.bob.id, "Bob"))
        assert unit.game is not None
        return unit.game.id

    @contextlib.asynccontextmanager
    async def press(self, game_id: int = 0) -> AsyncIterator[Unit]:
        async with self.store.press(update_id=None, find=ByGame(game_id or self.game_id)) as unit:
            yield unit

    async def show(
        self, kind: str, text: str, receiver: int = 0, anew: bool = False, game: int = 0, **more: Any
    ) -> None:
        async with self.press(game) as unit:
            want = unit.post_anew if anew else unit.show
            want(kind, Wanted(text=text, **more), receiver)

    async def take_away(self, kind: str, receiver: int = 0) -> None:
        async with self.press() as unit:
            unit.take_away(kind, receiver)

    # Sending.

    async def sender(self, limits: Limits | None = None, store: Store | None = None) -> Sender:
        """One more sender; the first leads."""
        sender = Sender(store or self.store, self.bot, limits=limits)
        self.senders.append((sender, asyncio.create_task(sender.run())))
        return sender

    async def sent(self, sender: Sender | None = None) -> float:
        """Wait until everything that may be said now is said; after how many seconds there is more."""
        if not self.senders:
            await self.sender()
        sender, task = next(((one, task) for one, task in self.senders if sender in (None, one)))
        idle = asyncio.create_task(sender.idle())
        await asyncio.wait({idle, task}, return_when=asyncio.FIRST_COMPLETED, timeout=60)
        if not idle.done():
            idle.cancel()
            raise AssertionError(f"the sender is never idle: {task}")
        return await idle

    async def later(self, seconds: float) -> float:
        """Let time pass for everybody, and everything be said that may be said then."""
        self.world.forward(seconds)
        await asyncio.to_thread(clock.move, self.url, seconds)
        return await self.sent()

    async def stop(self) -> None:
        """Stop the senders, as SIGTERM does."""
        for _, task in self.senders:
            task.cancel()
        results = await asyncio.gather(*(task for _, task in self.senders), return_exceptions=True)
        self.senders.clear()
        for result in results:
            assert isinstance(result, asyncio.CancelledError), result

    # What came of it.

    def seen(self, chat: Any = None) -> list[str]:
        """The texts of the bot that stand in a chat now, oldest first."""
        chat = chat or self.group
        return [m.text for m in chat.live() if m.sender_id == self.telegram.bot.id and m.service is None]

    def private(self, person: Any) -> Any:
        return self.world.private_chat(person.id, self.telegram.bot.id)

    def start(self, person: Any) -> None:
        """The person has begun a private chat with the bot."""
        self.private(person).started = True

    def calls(self, *methods: str, chat: int = 0) -> list[dict[str, Any]]:
        """The bot's calls so far."""
        calls = (call for call in self.telegram.calls if not methods or call["method"] in methods)
        return [call for call in calls if not chat or int(call["params"].get("chat_id", 0)) == chat]

    def said(self, chat: int = 0) -> list[str]:
        """What calls there were that say something, in order: "sendMessage text"."""
        return [f"{call['method']} {call['params'].get('text', '')}".strip() for call in self.calls(*SAID, chat=chat)]

    def fault(self, kind: str, method: str = "*", **more: Any) -> None:
        self.telegram.faults.add({"kind": kind, "method": method, **more})

    async def screen(self, kind: str, receiver: int = 0, game: int = 0) -> ScreenRow:
        rows = await self.store.screens(game or self.game_id)
        return next(row for row in rows if (row.kind, row.receiver) == (kind, receiver))


@pytest.fixture
async def camp(database_url: str) -> AsyncIterator[Camp]:
    async with Playground(limits=True) as telegram:
        request = request_for(telegram.url)
        bot = Bot("1000:TEST", base_url=f"{telegram.url}/bot", request=request, get_updates_request=request)
        async with Store(database_url) as store, bot:
            camp = Camp(database_url, telegram, store, bot)
            camp.game_id = await camp.open_game()
            try:
                yield camp
            finally:
                await camp.stop()
