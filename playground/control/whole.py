"""The whole: state, settings, the clock."""

from __future__ import annotations

import asyncio
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from playground import views
from playground.errors import Mistake
from playground.methods import METHODS
from playground.things import Settings

if TYPE_CHECKING:
    pass
from playground.control.base import Base, Data, as_seconds, as_yes, get, post


class Whole(Base):
    """The whole of this Telegram."""

    # --- the whole

    @get("/control/ready")
    async def ready(self) -> Data:
        """Whether it runs, and where."""
        bot = self.world.bot
        return {
            "ready": True,
            "page": self.playground.url + "/",
            "api": self.playground.url,
            "bot": views.person(self.world.users[bot.id]),
            "seq": self.world.seq,
            "methods": sorted(name for name, _ in METHODS.values()),
        }

    @get("/control/state")
    async def state(self) -> Data:
        """Everything but the messages: people, chats, bots, settings, the clock."""
        world = self.world
        chats = [
            views.chat(world, c)
            for c in [*(c for c in world.chats.values() if not c.is_private), *world.private.values()]
        ]
        return {
            "seq": world.seq,
            "people": [views.person(u) for u in world.people() if u.id in world.users and not u.is_bot],
            "bots": [views.bot(self.world, b, b.id in self.playground.delivery.polling) for b in world.bots.values()],
            "chats": chats,
            "settings": asdict(world.settings),
            "clock": {"now": world.now(), "offset": world.offset},
            "born": world.base,
        }

    @post("/control/reset")
    async def reset(self, seed_group: Any = False) -> Data:
        """Begin anew; the bot keeps its token, its webhook and its commands."""
        await self.playground.reset(as_yes(seed_group))
        return await self.state()

    @get("/control/settings")
    async def settings(self) -> Data:
        """What is set."""
        return asdict(self.world.settings)

    @post("/control/settings")
    async def set_settings(self, **given: Any) -> Data:
        """Set limits, windows and how updates are doubled and held back."""
        settings = self.world.settings
        known = {f.name: f.type for f in fields(Settings)}
        for name, value in given.items():
            if name not in known:
                raise Mistake(f"there is no setting {name}; there are {', '.join(known)}")
            old = getattr(settings, name)
            setattr(settings, name, as_yes(value) if isinstance(old, bool) else type(old)(value))
        if "seed" in given:
            self.world.random.seed(settings.seed)
        self.world.tell("settings")
        return asdict(settings)

    # --- time

    @get("/control/clock")
    async def clock(self) -> Data:
        """What time it is here."""
        return {"now": self.world.now(), "offset": self.world.offset}

    @post("/control/clock")
    async def move_clock(self, forward: Any = 0) -> Data:
        """Move this Telegram's clock, and with a database the bot's: the bot's first, so that both move or none."""
        seconds = as_seconds(forward, "forward")
        url, moved, why = self.playground.database_url, False, "no database was given (DATABASE_URL)"
        if url:
            try:
                from db import clock
            except ImportError as missing:
                why = f"db.clock cannot be imported: {missing}"
            else:
                try:
                    await asyncio.to_thread(clock.move, url, seconds)
                    moved, why = True, ""
                except Exception as problem:  # whatever it is, the person at the controls must read it
                    raise Mistake(
                        f"the bot's clock could not be moved, so none was: {type(problem).__name__}: {problem}", 503
                    ) from None
        self.world.forward(seconds)
        return {"now": self.world.now(), "offset": self.world.offset, "bot_clock_moved": moved, "why": why}
