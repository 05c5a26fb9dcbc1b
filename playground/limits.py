"""How much a bot may send: Telegram's buckets, and the 429 of who takes more (field/telegram.md 1.2)."""

from __future__ import annotations

import math
from collections import deque

from playground.errors import Refused
from playground.things import Chat, Settings


class Limits:
    """What was sent lately. Sends and edits share the limits: td#2592; answers to callback queries are free: #648."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._minute: dict[tuple[int, int], deque[float]] = {}
        self._burst: dict[tuple[int, int], tuple[float, float]] = {}
        self._overall: dict[int, tuple[float, float]] = {}

    def take(self, bot_id: int, chat: Chat, now: float) -> None:
        """Count one send or edit, or refuse it and say after how many seconds it would be taken."""
        if not self.settings.limits:
            return
        key = (bot_id, chat.id)
        wait = 0.0
        minute = self._minute.setdefault(key, deque())
        if not chat.is_private:
            while minute and minute[0] <= now - 60:
                minute.popleft()
            if len(minute) >= self.settings.group_per_minute:
                wait = minute[0] + 60 - now
        burst = self._refilled(self._burst.get(key), self.settings.chat_burst, self.settings.chat_per_second, now)
        if burst < 1:
            wait = max(wait, (1 - burst) / self.settings.chat_per_second)
        overall = self._refilled(
            self._overall.get(bot_id), self.settings.overall_per_second, self.settings.overall_per_second, now
        )
        if overall < 1:
            wait = max(wait, (1 - overall) / self.settings.overall_per_second)
        if wait > 0:
            seconds = max(1, math.ceil(wait))
            raise Refused(429, f"retry after {seconds}", retry_after=seconds)
        if not chat.is_private:
            minute.append(now)
        self._burst[key] = (burst - 1, now)
        self._overall[bot_id] = (overall - 1, now)

    @staticmethod
    def _refilled(bucket: tuple[float, float] | None, size: float, rate: float, now: float) -> float:
        if bucket is None:
            return size
        return min(size, bucket[0] + max(0.0, now - bucket[1]) * rate)
