"""Which update goes to which handler. The handlers know Telegram's objects and none of the rules."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Any, TypeAlias

from telegram import Update
from telegram.ext import (
    Application,
    CallbackQueryHandler,
    ChatMemberHandler,
    CommandHandler,
    ContextTypes,
    MessageHandler,
    filters,
)

import core
from db.store import ByGame, Store
from telegram_bot import play, private
from telegram_bot.flood import Measure
from telegram_bot.handlers.administration import Administration
from telegram_bot.handlers.games import Games
from telegram_bot.handlers.moves import Moves
from telegram_bot.handlers.presses import Presses
from telegram_bot.handlers.reading import Reading
from telegram_bot.handlers.times import Times
from telegram_bot.reply import Reply

App: TypeAlias = "Application[Any, Any, Any, Any, Any, Any]"
Handler: TypeAlias = "Callable[[Update, ContextTypes.DEFAULT_TYPE], Awaitable[Reply | None]]"


class Router:
    """The handlers, for one store. `register` gives them to an Application; replies come in `REPLY`."""

    def __init__(self, store: Store, measure: Measure) -> None:
        self.store = store
        self.measure = measure
        shared = (store, private.Asides(store), measure)
        self.games = Games(*shared)
        self.times = Times(*shared)
        self.reading = Reading(*shared)
        self.administration = Administration(*shared)
        self.presses = Presses(*shared)
        self.moves = Moves(*shared)

    def register(self, app: App) -> None:
        """Give every handler to an application of python-telegram-bot."""
        for name, handler in self._commands().items():
            app.add_handler(CommandHandler(name, self._replying(handler), filters.UpdateType.MESSAGE))
        app.add_handler(CallbackQueryHandler(self._replying(self.presses.pressed)))
        app.add_handler(ChatMemberHandler(self._replying(self.moves.membership), ChatMemberHandler.MY_CHAT_MEMBER))
        app.add_handler(ChatMemberHandler(self._replying(self.moves.people_moved), ChatMemberHandler.CHAT_MEMBER))
        moved = filters.StatusUpdate.LEFT_CHAT_MEMBER | filters.StatusUpdate.NEW_CHAT_MEMBERS
        app.add_handler(MessageHandler(moved, self._replying(self.moves.people_moved)))
        app.add_handler(MessageHandler(filters.StatusUpdate.MIGRATE, self._replying(self.moves.migrated)))
        reopened = filters.StatusUpdate.FORUM_TOPIC_REOPENED
        app.add_handler(MessageHandler(reopened, self._replying(self.moves.topic_reopened)))
        written = filters.UpdateType.MESSAGE & filters.ChatType.PRIVATE & ~filters.StatusUpdate.ALL
        app.add_handler(MessageHandler(written, self._replying(self.reading.help)))

    def _commands(self) -> dict[str, Handler]:
        return {
            "newgame": self.games.newgame,
            "join": self.games.join,
            "leave": self.games.leave,
            "deck": self.games.deck,
            "startgame": self.games.startgame,
            "nextgame": self.games.nextgame,
            "extend": self.games.extend,
            "status": self.reading.status,
            "hand": self.reading.hand,
            "rules": self.reading.rules,
            "endgame": self.games.endgame,
            "pause": self.times.pause,
            "resume": self.times.resume,
            "pace": self.times.pace,
            "nudge": self.times.nudge,
            "blame": self.times.blame,
            "recap": self.reading.recap,
            "holiday": self.times.holiday,
            "back": self.times.back,
            "settings": self.administration.group_settings,
            "doctor": self.administration.doctor,
            "games": self.reading.games,
            "start": self.reading.start,
            "help": self.reading.help,
        }

    def _replying(self, handler: Handler) -> Any:
        async def replying(update: Update, context: ContextTypes.DEFAULT_TYPE) -> None:
            begun: set[int] = set()
            while True:
                try:
                    said = await handler(update, context)
                    break
                except core.Diverged as changed:  # and nothing was written
                    (game_id,) = changed.args
                    if game_id in begun:
                        raise
                    begun.add(game_id)
                    await self._begin_turn_again(game_id)
            drops = said is not None and said["method"] == "sendMessage"
            REPLY.set(None if drops and said and not await self.measure.may_say(said["chat_id"]) else said)

        return replying

    async def _begin_turn_again(self, game_id: int) -> None:
        """The rules changed under a turn in play; whoever comes first, a press or the clock, begins it again."""
        async with self.store.press(update_id=None, find=ByGame(game_id)) as unit:
            assert unit.game is not None
            try:
                play.standing(unit.game)
            except core.Diverged:
                play.begin_turn_again(unit)


# What the handler of this update replied: python-telegram-bot's handlers return nothing to their caller.
REPLY: ContextVar[Reply | None] = ContextVar("reply", default=None)
