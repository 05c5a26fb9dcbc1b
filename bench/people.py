"""Hundreds of people at their phones: they look when something changes, and press only buttons that are there.

Nobody polls: the playground tells what happened in which chat, and whoever it concerns looks at the own chat. A press
is not waited for; who sees nothing change after a while looks again, as people do.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random

import aiohttp

from bench.control import Data, Nothing, Telegram, buttons

NAMES = ("Ann", "Bob", "Cid", "Dan", "Eve", "Fay", "Gus", "Hal", "Ida", "Jon", "Kim", "Leo")
#: Buttons of a hand that turn pages and answer nothing.
PAGES = ("Table", "What I know", "Prepare an answer", "Declare: no Human is left")
PREPARES = ("↪ offer", "✓ offer")  # what prepares an answer only
BACK = "‹ Back"
#: Who sees nothing happen looks again after so many seconds; a page is turned for its own sake once in so many looks.
IMPATIENT = 6.0
A_MOMENT = 0.5  # to read a toast; who pressed on at once would be taken for a flood (telegram_bot/flood.py)
ROUND = 30.0
CURIOUS = 0.03
AWAY = (aiohttp.ClientError, TimeoutError, Nothing)


@dataclass
class Player:
    """Somebody in a game."""

    id: int
    name: str
    game: Game
    pressed_at: float = 0.0
    looked_at: float = 0.0
    queued: bool = False


@dataclass
class Game:
    """A game as its people know it: a group and who is in it."""

    number: int
    group: int
    players: list[Player] = field(default_factory=list)
    began: bool = False
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def over(self) -> bool:
        return self.ended.is_set()


class Crowd:
    """Plays *games* games of *size*, *at_once* at a time; `play` returns when all have ended."""

    def __init__(
        self, telegram: Telegram, games: int, size: int, seed: object, hands: int = 24, at_once: int = 40
    ) -> None:
        self.telegram = telegram
        self.dice = Random(f"{seed}/people")
        self.size = size
        self.number = games
        self.games: list[Game] = []
        self.presses = 0
        self.resting = False
        self._players: dict[int, Player] = {}
        self._groups: dict[int, Game] = {}
        self._looking: asyncio.Queue[Player] = asyncio.Queue()
        self._hands = hands
        self._tables = asyncio.Semaphore(at_once)

    @property
    def over(self) -> int:
        return sum(game.over for game in self.games)

    async def play(self) -> None:
        """Play until every game has ended."""
        since = (await self.telegram.get("ready"))["seq"]
        async with asyncio.TaskGroup() as tasks:
            beside = [tasks.create_task(self._follow(since)), tasks.create_task(self._get_impatient())]
            beside += [tasks.create_task(self._look()) for _ in range(self._hands)]
            await asyncio.gather(*(self._game(number) for number in range(self.number)))
            for task in beside:
                task.cancel()

    def rest(self) -> None:
        """Let nobody press anything for a while."""
        self.resting = True

    def go_on(self) -> None:
        self.resting = False
        self._wake(self._players.values())

    # A lobby.

    async def _game(self, number: int) -> None:
        async with self._tables:
            people = [await self.telegram.person(f"{NAMES[i]} {number}") for i in range(self.size)]
            for one in people:
                await self._surely(self.telegram.post, f"people/{one['id']}/start")
            group = await self.telegram.group(f"Camp {number}", people, bot="admin")
            game = Game(number, group["id"])
            game.players = [Player(one["id"], one["name"], game) for one in people]
            self.games.append(game)
            opener = game.players[0]
            await self.telegram.write(opener.id, "/newgame", game.group)
            for player in game.players[1:]:
                await self._join(game, player)
            self._groups[game.group] = game
            self._players |= {player.id: player for player in game.players}
            while not game.began:
                await self._press_in_group(game, opener, f"Start with {self.size}")
                game.began = await self._reads(game, "The camp, turn")
            for player in game.players:
                self._touch(player)
            await game.ended.wait()

    async def _join(self, game: Game, player: Player) -> None:
        """Press until one's name is there; a second press would take it out again, so it is waited for."""
        while True:
            await self._press_in_group(game, player, "Join / leave")
            if await self._reads(game, player.name):
                return

    async def _press_in_group(self, game: Game, player: Player, text: str) -> None:
        """Press a button of the group, as soon as it is there."""
        with contextlib.suppress(*AWAY):
            found = await self.telegram.post("wait", chat=game.group, button=text, timeout=20)
            button = next(one for one in buttons(found["message"]) if one["text"] == text)
            self.presses += 1
            await self.telegram.press(player.id, found["message"]["id"], button["data"], game.group, wait=20)

    async def _reads(self, game: Game, text: str) -> bool:
        with contextlib.suppress(*AWAY):
            await self.telegram.post("wait", chat=game.group, text=text, timeout=8)
            return True
        return False

    async def _surely(self, what: object, *how: object) -> None:
        for _ in range(5):
            with contextlib.suppress(*AWAY):
                await what(*how)  # type: ignore[operator]
                return

    # Who looks when.

    def _touch(self, player: Player) -> None:
        if not player.queued and not player.game.over:
            player.queued = True
            self._looking.put_nowait(player)

    async def _follow(self, since: int) -> None:
        while True:
            with contextlib.suppress(*AWAY):
                async for event in self.telegram.events(since):
                    since = event.get("seq", since)
                    await self._happened(event)
            self._wake(self._players.values())  # what was told meanwhile is not told again

    async def _happened(self, event: Data) -> None:
        kind, chat = event.get("kind"), event.get("chat", 0)
        if kind in ("message", "edit") and (player := self._players.get(chat)) is not None and event["by"] != player.id:
            self._touch(player)
        elif kind == "answer" and event.get("text") and (player := self._players.get(event["person"])) is not None:
            asyncio.get_running_loop().call_later(A_MOMENT, self._touch, player)
        elif kind == "message" and (game := self._groups.get(chat)) is not None:
            await self._look_at(game)

    async def _look_at(self, game: Game) -> None:
        """Has it ended?"""
        with contextlib.suppress(*AWAY):
            last = await self.telegram.messages(game.group, last=4)
            if not game.over and any(
                one["text"] == "Again, same people" for message in last for one in buttons(message)
            ):
                game.ended.set()

    async def _get_impatient(self) -> None:
        while True:
            await asyncio.sleep(0.5)
            now = time.monotonic()
            for player in self._players.values():
                waited = now - player.pressed_at
                if (player.pressed_at and waited > IMPATIENT) or now - player.looked_at > ROUND:
                    self._touch(player)
            for game in self.games:
                if game.began and not game.over and self.dice.random() < 0.02:
                    await self._look_at(game)

    def _wake(self, players: Iterable[Player]) -> None:
        for player in players:
            self._touch(player)

    # What one does then.

    async def _look(self) -> None:
        while True:
            player = await self._looking.get()
            player.queued = False
            if player.game.over or self.resting:
                continue
            player.looked_at, player.pressed_at = time.monotonic(), 0.0
            with contextlib.suppress(*AWAY):
                await self._act(player)

    async def _act(self, player: Player) -> None:
        hand = next(
            (
                message
                for message in reversed(await self.telegram.private(player.id, last=3))
                if any(button["kind"] == "data" for button in buttons(message))
            ),
            None,
        )
        if hand is None:
            return
        there = [button for button in buttons(hand) if button["kind"] == "data"]
        choices = [b for b in there if b["text"] not in (*PAGES, BACK) and not b["text"].startswith(PREPARES)]
        if not choices:
            choices = [button for button in there if button["text"] == BACK]
            if not choices and self.dice.random() < CURIOUS:
                choices = [button for button in there if button["text"] in PAGES[:3]]
        if choices:
            player.pressed_at = time.monotonic()
            self.presses += 1
            await self.telegram.press(player.id, hand["id"], self.dice.choice(choices)["data"])
