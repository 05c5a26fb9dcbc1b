"""The one door for updates, from the webhook and from polling: to a use case, and back with its reply.

An update that fails three times, and one that we cannot read, is put aside with its cause and does not block its chat.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from telegram import Bot, Update
from telegram.ext import Application, ApplicationBuilder
from telegram.request import BaseRequest

from db.store import Away, Newer, Store
from telegram_bot import shape
from telegram_bot.clock import Clock
from telegram_bot.errors import TryAgain, told
from telegram_bot.flood import Gate, Measure, Rest, sender_of
from telegram_bot.reply import Reply
from telegram_bot.router import REPLY, App, Router

log = logging.getLogger(__name__)

class Strict(Application[Any, Any, Any, Any, Any, Any]):
    """An Application whose errors are ours to see: `process_update` swallows them otherwise (field/telegram.md 0.8)."""

    async def process_error(self, update: object, error: Exception, *_: Any, **__: Any) -> bool:
        raise error


def application(token: str, request: BaseRequest, api: str, store: Store, rest: Rest = asyncio.sleep) -> App:
    """python-telegram-bot with our handlers, and without its server, queue of jobs, persistence and rate limiter.

    *rest*: how an answer waits that must not come in a burst.
    """
    app: App = (
        ApplicationBuilder()
        .application_class(Strict)
        .token(token)
        .base_url(f"{api}/bot")
        .request(request)
        .get_updates_request(request)
        .updater(None)
        .job_queue(None)
        .rate_limiter(None)  # type: ignore[arg-type]
        .build()
    )
    Router(store, Measure(store, rest)).register(app)
    return app


class Door:
    """Takes an update, commits all that follows from it, and returns the reply that may ride in the answer's body.

    Raises `TryAgain` when the update cannot be taken now, and whatever failed when it failed; the third failure of an
    update puts it aside.
    """

    def __init__(self, app: App, store: Store, clock: Clock) -> None:
        self.app = app
        self.store = store
        self.clock = clock
        self.gate = Gate()

    async def __call__(self, raw: dict[str, Any]) -> Reply | None:
        sender = sender_of(raw)
        if sender is not None and not self.gate.passes(sender):
            return _close(raw)
        try:
            await self.clock.look_up()
            return await self.take(raw)
        except (Away, Newer) as error:
            raise TryAgain(type(error).__name__) from None
        except Exception as error:
            return await self._failed(int(raw["update_id"]), error, raw)

    async def take(self, raw: dict[str, Any]) -> Reply | None:
        """Take an update without counting its failures; raises whatever fails."""
        update = read(raw, self.app.bot)
        if update is None:
            await self.store.put_aside(int(raw["update_id"]), "of a kind or shape that is not known", raw)
            return _close(raw)
        REPLY.set(None)
        await self.app.process_update(update)
        return REPLY.get()

    async def _failed(self, update_id: int, error: Exception, raw: dict[str, Any]) -> Reply | None:
        try:
            failure = await self.store.failed(update_id, told(error), raw)
        except Away:
            raise TryAgain("Away") from None
        if not failure.put_aside:
            raise error
        log.error("update %d is put aside: %s", update_id, told(error))
        return _close(raw)


def _close(raw: dict[str, Any]) -> Reply | None:
    """An empty answer to the query in an update, if there is one: unanswered it spins for ever."""
    query = raw.get("callback_query")
    if isinstance(query, dict) and isinstance(query.get("id"), str):
        return {"method": "answerCallbackQuery", "callback_query_id": query["id"]}
    return None


def read(raw: dict[str, Any], bot: Bot) -> Update | None:
    """The update as python-telegram-bot's objects; None for a kind or shape that we do not know."""
    if not shape.is_known(raw):
        return None
    try:
        update = Update.de_json(_needed(raw), bot)
        update.effective_message, update.effective_user, update.effective_chat  # noqa: B018  (read once, or not at all)
    except Exception:  # whatever a foreign shape breaks in the library
        return None
    return update


# What we ask of the message that a button stands on. To read its keyboard alone would cost as much as the rest.
_OF_A_MESSAGE = ("message_id", "ephemeral_message_id", "date", "chat", "message_thread_id", "is_topic_message")


def _needed(raw: dict[str, Any]) -> dict[str, Any]:
    query = raw.get("callback_query")
    if not isinstance(query, dict) or not isinstance(message := query.get("message"), dict):
        return raw
    needed = {name: message[name] for name in _OF_A_MESSAGE if name in message}
    return raw | {"callback_query": query | {"message": needed}}
