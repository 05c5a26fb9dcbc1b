"""Commands for administrators: what new games in the group begin with, and what the bot may do there."""

from __future__ import annotations

from telegram import Update
from telegram.ext import ContextTypes

from telegram_bot import doctor, private, reply, settings, show
from telegram_bot.handlers.base import Handlers, in_groups
from telegram_bot.handlers.updates import message_of, person_of
from telegram_bot.reply import Reply
from telegram_bot.texts import say


class Administration(Handlers):
    """/settings, /doctor."""

    @in_groups
    async def group_settings(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        """/settings: the menu of the group, for administrators."""
        message = message_of(update)
        if not await self._is_administrator(message, context):
            return reply.public(message, say("settings.only_administrators"))
        async with self._at_place(update) as unit:
            if not unit.fresh or unit.chat is None:
                return None
            return reply.public(message, *settings.front(unit.chat.settings or {}))

    @in_groups
    async def doctor(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        message = message_of(update)
        rights, person = await doctor.rights_in(context.bot, message.chat.id), person_of(message)
        roads = await self.store.roads_from(message.chat.id)
        async with self._at_place(update) as unit:
            if not unit.fresh:
                return None
            told = doctor.report(
                rights,
                reads_all=bool(context.bot.can_read_all_group_messages),
                has_topics=bool(message.chat.is_forum),
                wants_pin=settings.value(show.settings(unit), "pin") == "yes",
                roads=roads,
                game=unit.game,
                people=unit.people,
            )
            is_open = person is not None and unit.people[person.id].private == "open"
        if person is not None and is_open and rights is not None and not rights.write:
            return private.message(person.id, told)
        return reply.public(message, told)
