"""The bot, put together: store, application, sender and clock, for the web process and for polling."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from telegram import BotCommand, BotCommandScopeAllGroupChats, BotCommandScopeAllPrivateChats
from telegram.error import RetryAfter, TelegramError

import core
from db import migrate
from db.store import Store
from telegram_bot import me
from telegram_bot.clock import Clock
from telegram_bot.config import Config
from telegram_bot.door import Door, application
from telegram_bot.errors import told
from telegram_bot.limits import Limits
from telegram_bot.router import App
from telegram_bot.sender import Sender
from telegram_bot.texts import say_plain
from telegram_bot.transport import request_for
from telegram_bot.web import Background

log = logging.getLogger(__name__)

TICK_AGE = 30.0  # seconds; a clock that has not ticked for longer is not well
GROUP_COMMANDS = (
    "newgame",
    "join",
    "leave",
    "startgame",
    "nextgame",
    "extend",
    "deck",
    "status",
    "hand",
    "rules",
    "recap",
    "blame",
    "nudge",
    "pause",
    "resume",
    "pace",
    "holiday",
    "back",
    "endgame",
    "settings",
    "doctor",
    "games",
    "help",
)
PRIVATE_COMMANDS = ("hand", "recap", "games", "rules", "help")
EPHEMERAL = (
    "hand",
    "recap",
    "nextgame",
)  # of the group's: the others do not see who writes them, nor the answer (field/telegram.md 1.5)


class Service:
    """What talks to Telegram: a door for updates, and what runs beside it."""

    def __init__(self, store: Store, app: App, limits: Limits | None = None) -> None:
        self.store = store
        self.app = app
        self.clock = Clock(store)
        self.door = Door(app, store, self.clock)
        self.sender = Sender(store, app.bot, limits=limits)

    @property
    def background(self) -> Sequence[Background]:
        return self.sender.run, self.clock.run, self.keep_menus

    async def keep_menus(self) -> None:
        """Set the menus, as soon as Telegram lets us; nobody waits for them."""
        pause = 1.0
        while True:
            try:
                return await set_commands(self.app)
            except TelegramError as error:
                log.warning("the menus are not set yet: %s", told(error))
                # PTB_TIMEDELTA (calls.py): a timedelta.
                asked = error.retry_after.total_seconds() if isinstance(error, RetryAfter) else 0.0  # type: ignore[union-attr]
                await asyncio.sleep(max(pause, asked))
                pause = min(pause * 2, 60.0)

    async def ready(self) -> str:
        """ "" when all is well, else the reason."""
        if not await self.store.ready():
            return "the database does not answer"
        if await self._is_behind():
            return "the database is not up to date: stay-away migrate"
        return self.clock.trouble(TICK_AGE)

    async def _is_behind(self) -> bool:
        async with self.store.engine.connect() as connection:
            revisions = (await connection.exec_driver_sql("select version_num from alembic_version")).scalars()
            return migrate.standing(tuple(revisions)) == "behind"

    async def close(self) -> None:
        await self.app.shutdown()
        await self.store.close()


async def build(config: Config, *, limits: Limits | None = None) -> Service:
    """Everything put together; *limits* are Telegram's, but for a bench."""
    store = Store(config.database, rules_v=core.RULES_VERSION, state_v=core.STATE_VERSION)
    request = request_for(config.telegram_api)
    app = application(config.bot_token, request, config.telegram_api, store)
    try:
        await app.initialize()
    except BaseException:
        await request.shutdown()
        await store.close()
        raise
    me.introduce(app.bot.username)
    return Service(store, app, limits)


async def set_commands(app: App) -> None:
    """The menus behind "/", for groups and for the private chat, and what an empty private chat says."""
    for scope, names in (
        (BotCommandScopeAllGroupChats(), GROUP_COMMANDS),
        (BotCommandScopeAllPrivateChats(), PRIVATE_COMMANDS),
    ):
        aside = EPHEMERAL if names is GROUP_COMMANDS else ()
        commands = [
            BotCommand(
                name, say_plain(f"commands.{name}"), api_kwargs={"is_ephemeral": True} if name in aside else None
            )
            for name in names
        ]
        if _told(await app.bot.get_my_commands(scope=scope)) != _told(commands):
            await app.bot.set_my_commands(commands, scope=scope)
    description = say_plain("commands.description")
    if (await app.bot.get_my_description()).description != description:
        await app.bot.set_my_description(description)


def _told(commands: Sequence[BotCommand]) -> list[tuple[str, str, bool]]:
    """What Telegram knows of commands; python-telegram-bot compares only the parts that it knows itself."""
    return [(one.command, one.description, bool(one.api_kwargs.get("is_ephemeral"))) for one in commands]
