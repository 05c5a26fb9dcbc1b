"""One world: the real web application, store, sender and clock; at the far end of the wire all that people get to see.

Its time stands still until it is moved: what a person, a timer or a limit does has its hour, the same in both worlds.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from datetime import datetime
from math import ceil, inf
from typing import Any, NamedTuple

import aiohttp
import psycopg
import uvicorn
from aiohttp import web
from msgspec.structs import replace

import core
from core import Step
from db.clock import MOVE
from db.records import ByGame, GameRow
from db.store import Store
from db.url import conninfo
from telegram_bot import me, play, sender
from telegram_bot.clock import Clock
from telegram_bot.door import Door, application
from telegram_bot.transport import request_for
from telegram_bot.web import Server, create_app
from tests.telegram_bot.camp import ALL_ABOUT_A_GROUP

BOT = {"id": 1000, "is_bot": True, "first_name": "Stay Away!", "username": "stay_away_bot"}
SECRET = "a secret"
Data = dict[str, Any]

STANDING = """
create or replace function stay_away_now() returns timestamptz language sql stable as $$
    select timestamptz '2026-03-02 12:00+00'
        + make_interval(secs => coalesce((select (value #>> '{}')::float8 from meta where key = 'clock'), 0))
$$
"""


class Seen(NamedTuple):
    """A call as it came over the wire, and when."""

    at: float
    method: str
    body: bytes


class Telegram:
    """A Bot API server: nearly every call succeeds, and is kept for whoever sees what comes of it.

    *seen* is by reader: a chat; a member of a group, for what is said aside; who pressed, for what closed the query.
    """

    def __init__(self) -> None:
        self.at = 0.0
        self.address = ""
        self.started: set[int] = set()
        self.seen: dict[tuple[str, int], list[Seen]] = defaultdict(list)
        self.queries: dict[str, int] = {}
        self.refusals: list[str] = []  # what the next calls that say something are answered
        self._numbers: Counter[int] = Counter()
        self._asides: Counter[tuple[int, int]] = Counter()

    async def handle(self, request: web.BaseRequest) -> web.Response:
        method, body = request.path.rpartition("/")[2], await request.read()
        answer = self.take(method, json.loads(body) if body else {}, body)
        return web.json_response(answer, status=answer.get("error_code", 200))

    def take(self, method: str, given: Data, body: bytes, *, replies: bool = False) -> Data:
        """A call; one in the body of a webhook's answer is seen where it comes, in no order with the sender's."""
        seen = Seen(round(self.at, 3), method, body)
        if method == "getMe":
            return {"ok": True, "result": BOT}
        if method == "getChat":
            about = {"id": int(given["chat_id"]), "permissions": {"can_send_messages": True}}
            return {"ok": True, "result": ALL_ABOUT_A_GROUP | about}
        if method == "getChatMember":
            member = {"id": int(given["user_id"]), "is_bot": False, "first_name": "Somebody"}
            return {"ok": True, "result": {"status": "member", "user": member}}
        if method == "answerCallbackQuery":
            self.seen["presses of", self.queries[given["callback_query_id"]]].append(seen)
            return {"ok": True, "result": True}
        if self.refusals and method.startswith(("send", "edit")):
            return {"ok": False, "error_code": 400, "description": self.refusals.pop()}
        chat = int(given["chat_id"])
        aside = given.get("ephemeral_message_parameters", given if "receiver_user_id" in given else {})
        if receiver := int(aside.get("receiver_user_id", 0)):
            self.seen["aside to", receiver].append(seen)
            self._asides[chat, receiver] += 1
            told = {"message_id": 0, "ephemeral_message_id": self._asides[chat, receiver]}
        else:
            self.seen["replies in" if replies else "chat of", chat].append(seen)
            if chat > 0 and chat not in self.started:
                refused = "Forbidden: bot can't initiate conversation with a user"
                return {"ok": False, "error_code": 403, "description": refused}
            if method != "sendMessage" or replies:
                return {"ok": True, "result": True}
            self._numbers[chat] += 1
            told = {"message_id": self._numbers[chat]}
        kind = "private" if chat > 0 else "supergroup"
        return {"ok": True, "result": told | {"date": 1_790_000_000, "chat": {"id": chat, "type": kind}}}


class Sender(sender.Sender):
    """The sender; between two looks at the database no time passes."""

    def now(self) -> float:
        return self._clock[0]


class Chance:
    """What chance brings to both worlds alike: the seed of a game that opens, and the tables that are dealt next."""

    def __init__(self) -> None:
        self.seed = ""
        self.tables: list[str] = []

    def token(self, size: int = 32) -> str:
        return self.seed

    def new_game(self, seats: Any, options: Any, seed: str) -> Step:
        return core.begin(core.thaw(self.tables.pop(0)))


class World:
    """A database of its own, one process, and a Telegram."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.telegram = Telegram()
        self.game_id = 0

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[World]:
        async with contextlib.AsyncExitStack() as stack:
            self.hours = stack.enter_context(psycopg.connect(conninfo(self.url), autocommit=True))
            self.hours.execute(STANDING)
            self.telegram.address = await stack.enter_async_context(_listening(self.telegram))
            self.store = Store(self.url, rules_v=core.RULES_VERSION, state_v=core.STATE_VERSION)
            await stack.enter_async_context(self.store)
            request = request_for(self.telegram.address)
            app = application("1000:TEST", request, self.telegram.address, self.store)
            await app.initialize()
            stack.push_async_callback(app.shutdown)
            me.introduce(BOT["username"])
            self.clock = Clock(self.store)
            door = Door(app, self.store, self.clock)
            door.gate.passes = lambda person: True  # type: ignore[method-assign]  # whoever presses here takes time for it
            self.address = await stack.enter_async_context(_serving(create_app(door, SECRET, _ready)))
            self.http = await stack.enter_async_context(aiohttp.ClientSession(trust_env=False))
            self.sender = Sender(self.store, app.bot)
            work = asyncio.create_task(self.sender.run())
            try:
                yield self
            finally:
                work.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await work

    # --- time ---

    @property
    def at(self) -> float:
        return self.telegram.at

    async def settle(self) -> float:
        """Until all is said that may be said now; after how many seconds more may be said."""
        return await self.sender.idle()

    async def forward(self, seconds: float) -> None:
        """Time passes, in which timers ring and what had to wait is said, each at its hour."""
        end = at_last(self.at + seconds)
        while True:
            rings = self.next_ring()
            says = at_last(self.at + await self.settle())
            soonest = max(min(rings, says), self.at)
            if soonest > end:
                break
            await self._pass(soonest)
            if rings <= self.at:
                while await self.clock.take_one():
                    pass
        await self._pass(end)
        await self.settle()

    def next_ring(self) -> float:
        """When the next timer of any game is due."""
        row = self.hours.execute("select min(next_at) from games where next_at is not null").fetchone()
        return inf if row is None or row[0] is None else hour(row[0])

    async def stand_at(self, hour: float) -> None:
        """It is that hour, and what was due just before has been done; what is due at that very hour has not."""
        await self.forward(hour - self.at - 0.001)
        await self._pass(hour)

    async def _pass(self, at: float) -> None:
        self.hours.execute(MOVE, {"seconds": at - self.at})
        self.telegram.at = at

    # --- what people do ---

    async def take(self, update: Data) -> None:
        """An update by the webhook; a call in the body of its answer is done, as Telegram does it."""
        status, body = await self.post(update)
        assert status == 200, update
        if body:
            given = json.loads(body)
            self.telegram.take(given["method"], given, body, replies=True)

    async def post(self, update: Data) -> tuple[int, bytes]:
        shown = {"X-Telegram-Bot-Api-Secret-Token": SECRET}
        async with self.http.post(f"{self.address}/telegram", json=update, headers=shown) as answer:
            return answer.status, await answer.read()

    async def get(self, path: str) -> bytes:
        async with self.http.get(f"{self.address}{path}") as answer:
            return await answer.read()

    # --- what is so ---

    async def game(self) -> GameRow:
        game = await self.store.game(self.game_id)
        assert game is not None
        return game

    async def step(self) -> Step:
        return play.standing(await self.game())

    async def close_game(self) -> None:
        """Nothing more comes of it."""
        async with self.store.press(update_id=None, find=ByGame(self.game_id)) as unit:
            assert unit.game is not None
            unit.game = replace(unit.game, status="over", timers=())


NOON = 1772452800.0  # 2026-03-02 12:00 UTC


def hour(moment: datetime) -> float:
    """A moment by the hours of a world, which count in milliseconds."""
    return at_last(moment.timestamp() - NOON)


def at_last(seconds: float) -> float:
    return seconds if seconds == inf else ceil(round(seconds, 6) * 1000) / 1000


async def _ready() -> str:
    return ""


@contextlib.asynccontextmanager
async def _listening(telegram: Telegram) -> AsyncIterator[str]:
    runner = web.ServerRunner(web.Server(telegram.handle), shutdown_timeout=0)  # type: ignore[arg-type]
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield "http://{}:{}".format(*runner.addresses[0][:2])
    finally:
        await runner.cleanup()


@contextlib.asynccontextmanager
async def _serving(app: Any) -> AsyncIterator[str]:
    server = Server(uvicorn.Config(app, log_config=None, access_log=False, lifespan="off"))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        task = asyncio.create_task(server.serve(sockets=[listening]))
        try:
            yield "http://{}:{}".format(*listening.getsockname())
        finally:
            server.should_exit = True
            await task
