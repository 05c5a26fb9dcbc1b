"""What happens to the bot, to the group, and to who is in it."""

from __future__ import annotations

from telegram import Update
from telegram.constants import ChatMemberStatus, ChatType
from telegram.ext import ContextTypes

from telegram_bot import members
from telegram_bot.handlers.base import Handlers
from telegram_bot.handlers.updates import chat_after, date_of, known, message_of, moves_of, named, thread_of
from telegram_bot.reply import Reply


class Moves(Handlers):
    """Who is blocked, added, gone or back; a group that became a supergroup; a topic that was opened again."""

    async def membership(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        """The bot was blocked or unblocked by a person; added to a group, removed, or given other rights."""
        changed = update.my_chat_member
        assert changed is not None
        if changed.chat.type == ChatType.PRIVATE:
            blocked = changed.new_chat_member.status == ChatMemberStatus.BANNED
            person = named(changed.from_user, "blocked" if blocked else "open")
            async with self._at_last(update, person) as is_new:
                if is_new and blocked:
                    await members.blocked(self.store, person)
            return None
        chat = chat_after(changed)
        async with self._at_last(update, chat=chat) as is_new:
            if is_new:
                if chat.road == "open":
                    await self.store.roads_anew(chat.id)  # an administrator may send what others may not
                await members.bot_moved(self.store, chat)
        return None

    async def people_moved(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        """Somebody left the group, was banned, or is back: administrators get a chat_member, others a message."""
        chat = update.effective_chat
        assert chat is not None
        async with self._at_last(update) as is_new:
            for user, is_in in moves_of(update) if is_new else ():
                if not user.is_bot:
                    move = members.returned if is_in else members.left
                    await move(self.store, chat.id, known(user, False), date_of(update))
        return None

    async def migrated(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        """The group became a supergroup: both signs of it say the same (field/telegram.md 1.3)."""
        message = message_of(update)
        if message.migrate_to_chat_id:
            await self.store.migrate(message.chat.id, message.migrate_to_chat_id)
        elif message.migrate_from_chat_id:
            await self.store.migrate(message.migrate_from_chat_id, message.chat.id)
        return None

    async def topic_reopened(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> Reply | None:
        """A closed forum topic is open again (General is 1): what waited for it is not kept waiting."""
        message = message_of(update)
        await self.store.topic_open(message.chat.id, thread_of(message) or 1)
        return None
