"""What is in the world, its clock, its news, and the updates that wait for bots."""

from __future__ import annotations

import itertools
import random
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from playground.things import EPOCH, HOURS_24, LIFETIMES, Bot, Callback, Chat, Settings, Update, User


class News:
    """Everything there is, and what is told of it."""

    def __init__(self, base: int | None = None, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self.offset = 0.0
        # Ids grow with the time of birth: a bot that remembers an older playground never meets an id of it again.
        self.base = int((clock() - EPOCH) * 10) if base is None else base
        self.settings = Settings()
        self.users: dict[int, User] = {}
        self.chats: dict[int, Chat] = {}
        self.private: dict[tuple[int, int], Chat] = {}
        self.bots: dict[int, Bot] = {}
        self.callbacks: dict[str, Callback] = {}
        self.files: dict[str, dict[str, Any]] = {}
        self.last_ids = {
            "user": 5_000_000_000 + self.base,
            "group": 4_000_000_000 + self.base,
            "supergroup": 2_000_000_000 + self.base,
            "message": 0,
            "ephemeral": self.base % 1_000_000,
            "file": 0,
            "order": 0,
        }
        self.seq = 0
        self.events: deque[dict[str, Any]] = deque(maxlen=20_000)
        self.alerts: deque[dict[str, Any]] = deque(maxlen=5_000)
        self.updates: deque[Update] = deque(maxlen=10_000)  # all of them, for the record
        self.listeners: list[Callable[[], None]] = []
        self.answer_listeners: dict[str, Callable[[], None]] = {}  # who waits for the answer to a press
        self.lose_ephemeral: Callable[[int, int], bool] = lambda chat_id, user_id: False
        self.random = random.Random(self.base)
        self._numbers = itertools.count(1)

    def now(self) -> float:
        """The time in this Telegram."""
        return self._clock() + self.offset

    def stamp(self) -> int:
        """The time as a message carries it."""
        return int(self.now())

    def tell(self, kind: str, chat_id: int = 0, **more: Any) -> int:
        """Note that something happened, and wake whoever waits."""
        self.seq += 1
        self.events.append({"seq": self.seq, "kind": kind, "chat": chat_id, "at": round(self.now(), 3), **more})
        chat = self.chats.get(chat_id)
        if chat:
            chat.seq = self.seq
        if chat_id > 0 and len(self.bots) > 1:  # a person has a chat with each bot, all of the same number
            for bot_id in self.bots:
                if (bot_id, chat_id) in self.private:
                    self.private[bot_id, chat_id].seq = self.seq
        for listener in self.listeners:
            listener()
        return self.seq

    def forward(self, seconds: float) -> None:
        """Move the clock."""
        self.offset += seconds
        self.tell("clock", seconds=seconds)

    def _new_id(self, what: str) -> int:
        self.last_ids[what] += 1
        return self.last_ids[what]

    # --- updates

    def give(self, bot: Bot, kind: str, key: str, payload: dict[str, Any]) -> Update | None:
        """Queue an update for a bot that wants this kind."""
        if not bot.wants(kind):
            return None
        key = key if key.startswith("user") else f"{kind.removeprefix('edited_')} {key}"
        return self.enqueue(bot, kind, key, {kind: payload})

    def enqueue(self, bot: Bot, kind: str, key: str, payload: dict[str, Any], update_id: int | None = None) -> Update:
        """Queue an update of any shape."""
        if update_id is None:
            update_id = bot.next_update
            bot.next_update += 1
        now = self.now()
        update = Update(update_id, kind, key, payload, now, now + LIFETIMES.get(kind, HOURS_24))
        if self.settings.delayed and self.random.random() < self.settings.delayed:
            update.not_before = now + self.random.random() * self.settings.delay
            update.key = f"{key} late {update_id}"  # it may be overtaken
        copies = 2 if self.settings.duplicate and self.random.random() < self.settings.duplicate else 1
        for copy in range(copies):
            twin = (
                update
                if copy == 0
                else Update(update_id, kind, f"{key} again {next(self._numbers)}", payload, now, update.expires)
            )
            bot.pending[next(self._numbers)] = twin
            self.updates.append(twin)
        self.tell("update", update=update_id)
        return update

    def drop_expired(self, bot: Bot) -> None:
        """Forget updates whose time is over: 150 seconds for a press, 24 hours for the rest."""
        now = self.now()
        for number, update in list(bot.pending.items()):
            if update.expires <= now and update.state == "waiting":
                update.state = "expired"
                del bot.pending[number]
