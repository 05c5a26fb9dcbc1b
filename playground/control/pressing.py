"""Pressing buttons."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from playground import views
from playground.errors import Mistake
from playground.things import Callback, Chat, Message, User

if TYPE_CHECKING:
    pass
from playground.control.base import Base, Data, as_number, as_seconds, as_yes, get, post


class Pressing(Base):
    """Presses and their answers."""

    # --- pressing

    @post("/control/press")
    async def press(
        self,
        as_: Any = None,
        chat: Any = "private",
        message: Any = None,
        ephemeral: Any = None,
        row: Any = None,
        col: Any = None,
        text: Any = None,
        data: Any = None,
        force: Any = False,
        wait: Any = 10,
        bot: Any = None,
        thread: Any = None,
    ) -> Data:
        """Press a button, and wait for what the bot answers.

        The button is named by row and column, by its text, or by its data; without a message it is looked for from the
        newest message up. It must be there for that person, unless *force*: then the data go out as they are.
        """
        user = self.person(as_)
        there = self.chat(chat, user, bot)
        if as_yes(force):
            if data is None:
                raise Mistake("force needs data")
            return await self._press(
                user, there, as_number(message, "message"), as_number(ephemeral, "ephemeral"), str(data), wait
            )
        if not there.is_private and not self.world.member(there, user.id).present:
            raise Mistake(f"{user.name} is not in this group", 403)
        topic = None if thread in (None, "") else as_number(thread, "thread")
        only = (as_number(message, "message"), as_number(ephemeral, "ephemeral"))
        shown = views.visible(self.world, there, user, topic, only if any(only) else None)
        if not shown:
            raise Mistake("that message is not there", 404)
        found, button = self._button(list(reversed(shown)), row, col, text, data)
        kind = button["kind"]
        if kind == "data":
            return await self._press(user, there, found.id, found.ephemeral_id, button["data"], wait) | {
                "button": button["text"]
            }
        if kind == "disabled":
            raise Mistake(f"the button {button['text']} is disabled", 409)
        return {"kind": kind, "button": button["text"], "message": found.id, kind: button[kind]}

    @staticmethod
    def _button(shown: list[Message], row: Any, col: Any, text: Any, data: Any) -> tuple[Message, Data]:
        """The button that is meant: exactly that text before a part of it."""
        if text is None and data is None and row is None:
            raise Mistake("say which button: row and col, text, or data")
        tests: list[Callable[[Data], bool]] = [
            lambda b: (text is None or b["text"] == text) and (data is None or b.get("data") == data)
        ]
        if text is not None and data is None:
            tests.append(lambda b: str(text) in b["text"])
        for test in tests:
            for message in shown:
                for r, buttons in enumerate(views.buttons(message.markup)):
                    for c, button in enumerate(buttons):
                        if (
                            (row is None or r == as_number(row, "row"))
                            and (col is None or c == as_number(col, "col"))
                            and test(button)
                        ):
                            return message, button
        there = [[b["text"] for b in buttons] for m in shown[:1] for buttons in views.buttons(m.markup)]
        raise Mistake("there is no such button", 404, buttons=there)

    async def _press(self, user: User, chat: Chat, message: int, ephemeral: int, data: str, wait: Any) -> Data:
        bot = self.bot(chat.bot_id) if chat.is_private else self.world.bot
        found = chat.ephemeral.get(ephemeral) or chat.messages.get(message)
        if found is not None:
            bot = self.world.bots.get(found.sender_id, bot)
        callback = self.world.press(bot, user, chat, message, ephemeral, data)
        await self._answered(callback, as_seconds(wait, "wait"))
        answer = callback.answer or {"text": "", "show_alert": False, "url": ""}
        return {
            "kind": "data",
            "query": callback.id,
            "update_id": callback.update_id,
            "message": message,
            "ephemeral": ephemeral,
            "data": data,
            "answered": callback.answer is not None,
            "seconds": round(max(0.0, callback.answered_at - callback.at), 4),
            **answer,
        }

    async def _answered(self, callback: Callback, seconds: float) -> None:
        """Wait for the answer to a press alone: a bench has hundreds of them under way."""
        if seconds <= 0:
            return
        answered = asyncio.Event()
        self.world.answer_listeners[callback.id] = answered.set
        try:
            await asyncio.wait_for(answered.wait(), min(seconds, 600))
        except TimeoutError:
            pass
        finally:
            self.world.answer_listeners.pop(callback.id, None)

    @get("/control/queries/{query}")
    async def query(self, query: str) -> Data:
        """A press, and how it was answered."""
        callback = self.world.callbacks.get(query)
        if callback is None:
            raise Mistake("there is no such query", 404)
        return asdict(callback)
