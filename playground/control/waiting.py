"""Waiting, so that no script needs to sleep."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any

from starlette.responses import StreamingResponse

from playground import views
from playground.errors import Mistake
from playground.things import Message

if TYPE_CHECKING:
    pass
from playground.control.base import Base, Data, as_number, as_seconds, as_yes, get, post


class Waiting(Base):
    """Waiting for what will be so."""

    # --- waiting

    async def _until(self, look: Callable[[], Any], seconds: float) -> Any:
        """The first thing *look* finds; None when the time is over."""
        found = look()
        if found is not None and found is not False:
            return found
        if seconds <= 0:
            return None
        news = asyncio.Event()
        world, end = self.world, time.monotonic() + min(seconds, 600)
        world.listeners.append(news.set)
        try:
            while True:
                found = look()
                if found is not None and found is not False:
                    return found
                left = end - time.monotonic()
                if left <= 0 or self.playground.stopping:
                    return None
                try:
                    await asyncio.wait_for(news.wait(), min(left, 0.05 if getattr(look, "impatient", False) else left))
                except TimeoutError:
                    pass
                news.clear()
        finally:
            world.listeners.remove(news.set)

    def busy(self) -> str:
        """What is still going on with the bots, "" for nothing."""
        for bot in self.world.bots.values():
            self.world.drop_expired(bot)
            if bot.pending:
                return f"{len(bot.pending)} updates wait for the bot"
        if self.playground.delivery.in_flight:
            return "an update is being delivered"
        if self.playground.active:
            return "a call is under way"
        return ""

    @post("/control/wait")
    async def wait(
        self,
        timeout: Any = 10,  # noqa: ASYNC109 (it is a field of the API)
        since: Any = 0,
        chat: Any = None,
        as_: Any = None,
        thread: Any = None,
        text: Any = None,
        regex: Any = None,
        button: Any = None,
        message: Any = None,
        from_bot: Any = False,
        gone: Any = None,
        idle: Any = False,
        quiet: Any = 0.15,
        alert: Any = False,
        call: Any = None,
        after: Any = 0,
    ) -> Data:
        """Wait until something is so; 408 when it is not within *timeout* seconds.

        idle: the bot has taken every update, and nothing happened for *quiet* seconds. chat (with as): a message that
        person sees, new or changed after the event *since*, holds text, fits regex, has the button, has the id
        message, is from_bot; or, with gone, that message is not there any more. alert: as was shown one after *since*
        (its at). call: a call of that method is on the record after number *after*.
        """
        seconds = as_seconds(timeout, "timeout")
        first = as_number(since, "since")
        if as_yes(idle):
            hush = as_seconds(quiet, "quiet")

            def calm() -> bool:
                return not self.busy() and time.monotonic() - self.playground.last_activity >= hush

            calm.impatient = True  # type: ignore[attr-defined]
            if not await self._until(calm, seconds):
                raise Mistake(f"the bot is not idle: {self.busy() or 'it keeps calling'}", 408)
            return {"idle": True, "seq": self.world.seq}
        if call is not None:
            number = as_number(after, "after")

            def called() -> Any:
                for entry in reversed(self.playground.record.entries):
                    if entry["n"] <= number:
                        return None
                    if entry["what"] == "call" and entry["method"].lower() == str(call).lower():
                        return entry
                return None

            found = await self._until(called, seconds)
            if found is None:
                raise Mistake(f"no call of {call} within {seconds:g} s", 408)
            return {"call": found, "seq": self.world.seq}
        viewer = self.person(as_) if as_ not in (None, "") else None
        if as_yes(alert):
            if viewer is None:
                raise Mistake("say whose alert, with as")
            moment = float(since or 0)
            found = await self._until(
                lambda: next(
                    (a for a in reversed(self.world.alerts) if a["person"] == viewer.id and a["at"] > moment), None
                ),
                seconds,
            )
            if found is None:
                raise Mistake(f"no alert within {seconds:g} s", 408)
            return {"alert": found, "seq": self.world.seq}
        if chat is None:
            found = await self._until(lambda: self.world.seq > first, seconds)
            if not found:
                raise Mistake(f"nothing happened within {seconds:g} s", 408)
            return {"seq": self.world.seq}
        there = self.chat(chat, viewer)
        pattern = re.compile(str(regex)) if regex is not None else None
        topic = None if thread in (None, "") else as_number(thread, "thread")
        if gone is not None:
            number = as_number(gone, "gone")
            if not await self._until(
                lambda: all(m.id != number for m in views.visible(self.world, there, viewer)), seconds
            ):
                raise Mistake(f"message {number} is still there after {seconds:g} s", 408)
            return {"gone": number, "seq": self.world.seq}

        def fits(m: Message) -> bool:
            return (
                m.seq > first
                and (text is None or str(text) in m.text)
                and (pattern is None or pattern.search(m.text) is not None)
                and (button is None or any(str(button) in b["text"] for r in views.buttons(m.markup) for b in r))
                and (message is None or m.id == as_number(message, "message"))
                and (not as_yes(from_bot) or self.world.users[m.sender_id].is_bot)
            )

        def seen() -> Message | None:
            if there.seq <= first:
                return None
            return next((m for m in reversed(views.visible(self.world, there, viewer, topic)) if fits(m)), None)

        match = await self._until(seen, seconds)
        if match is None:
            tail = [m.text for m in views.visible(self.world, there, viewer, topic)[-3:]]
            raise Mistake(f"no such message within {seconds:g} s", 408, seq=self.world.seq, last=tail)
        return {"message": views.message(self.world, there, match, viewer), "seq": self.world.seq}

    @get("/control/events")
    async def events(self, since: Any = None) -> Any:
        """Server-sent events: one for everything that happens, after the event *since* or from now on."""
        start = self.world.seq if since in (None, "") else as_number(since, "since")
        return StreamingResponse(
            self._stream(start), media_type="text/event-stream", headers={"Cache-Control": "no-store"}
        )

    async def _stream(self, seq: int) -> AsyncIterator[str]:
        news = asyncio.Event()
        world = self.world
        world.listeners.append(news.set)
        try:
            yield f"retry: 400\nevent: hello\ndata: {json.dumps({'seq': world.seq, 'born': world.base})}\n\n"
            while not self.playground.stopping and self.playground.world is world:
                fresh = []
                for event in reversed(world.events):
                    if event["seq"] <= seq:
                        break
                    if event["kind"] not in ("update", "delivered", "taken"):
                        fresh.append(event)
                seq = world.seq
                for event in reversed(fresh):
                    yield f"data: {json.dumps(event)}\n\n"
                try:
                    await asyncio.wait_for(news.wait(), 10)
                except TimeoutError:
                    yield ": still here\n\n"
                news.clear()
        finally:
            if news.set in world.listeners:
                world.listeners.remove(news.set)
