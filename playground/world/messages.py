"""Messages: written, edited, deleted, pinned, reacted to; their buttons; and those that one member alone sees."""

from __future__ import annotations

from typing import Any

from playground import shapes, text
from playground.errors import Mistake, Refused
from playground.things import ANONYMOUS, GENERAL, Bot, Callback, Chat, Member, Message, Ring, Topic, User
from playground.world.people import People


class Messages(People):
    """What is said, and who hears of it."""

    def next_message_id(self, chat: Chat) -> int:
        """The next number: supergroups count for themselves, all other chats together (as for one account)."""
        if chat.kind == "supergroup":
            chat.last_id += 1
            return chat.last_id
        return self._new_id("message")

    def post(self, chat: Chat, sender_id: int, *, thread_id: int = 0, unseen_by: int = 0, **fields: Any) -> Message:
        """Put a message into a chat, ring where it rings, and give it to the bots that may see it."""
        message = Message(
            self.next_message_id(chat), chat.id, self.stamp(), sender_id, order=self._new_id("order"), **fields
        )
        if thread_id and thread_id != GENERAL:
            message.thread_id = thread_id
            message.is_topic = chat.is_forum
        elif message.reply_to and not chat.is_private and chat.kind == "supergroup" and not chat.is_forum:
            # Replies in a supergroup carry a thread id without being in a topic.
            root = chat.messages.get(message.reply_to)
            message.thread_id = (root.thread_id or root.id) if root else 0
        chat.messages[message.id] = message
        sender = self.users[sender_id]
        if sender.is_bot and message.service is None:
            chat.last_bot = sender_id
        message.rings = self._rings(chat, message)
        for bot in self.bots.values():
            if bot.id != unseen_by and self._sees(bot, chat, message):
                self.give(bot, "message", str(chat.id), shapes.message(self, message, bot))
        message.seq = self.tell(
            "message",
            chat.id,
            message=message.id,
            by=sender_id,
            thread=message.thread_id,
            rings=[vars(r) for r in message.rings],
        )
        return message

    def mentioned(self, chat: Chat, message: Message) -> list[int]:
        """Whom a message names: by a link to the user or by @username."""
        names = {u.username.lower(): u.id for u in self.users.values() if u.username}
        result = []
        for entity in message.entities:
            user_id = 0
            if entity["type"] == "text_mention":
                user_id = entity["user_id"]
            elif entity["type"] == "mention":
                user_id = names.get(text.piece(message.text, entity)[1:].lower(), 0)
            if user_id and user_id not in result and user_id in self.users:
                result.append(user_id)
        return result

    def _rings(self, chat: Chat, message: Message) -> list[Ring]:
        """Whose phone a new message rings; edits never come here, because an edit rings nobody."""
        sound = not message.silent
        if chat.is_private:
            me = message.sender_id == chat.user_id
            return [] if me or chat.blocked or message.service else [Ring(chat.user_id, "private", sound)]
        if message.service is not None:
            return []
        rings: dict[int, Ring] = {}
        for user_id in self.mentioned(chat, message):
            rings[user_id] = Ring(user_id, "mention", sound)
        replied = chat.messages.get(message.reply_to)
        if replied and not replied.deleted:
            rings.setdefault(replied.sender_id, Ring(replied.sender_id, "reply", sound))
        for member in chat.members_present():
            if member.notify == "all":
                rings.setdefault(member.user_id, Ring(member.user_id, "group", sound))
        return [
            r
            for r in rings.values()
            if r.user_id != message.sender_id
            and not self.users[r.user_id].is_bot
            and self.member(chat, r.user_id).present
            and self.member(chat, r.user_id).notify != "none"
        ]

    def _sees(self, bot: Bot, chat: Chat, message: Message) -> bool:
        """Whether an update about this message goes to *bot*: membership and privacy mode (field/telegram.md 1.3)."""
        sender = self.users[message.sender_id]
        if chat.is_private:
            return chat.bot_id == bot.id and (not sender.is_bot or bool(message.service))
        member = self.member(chat, bot.id)
        if not member.present:
            left = (message.service or {}).get("left_chat_member")
            return left == bot.id and chat.kind == "group"
        if message.service is not None:
            # A bot sees its own pin too; TDLib skips only its own ordinary messages (need_skip_update_message).
            return "supergroup_chat_created" not in message.service
        if sender.is_bot and message.sender_id != ANONYMOUS:
            return False
        if not bot.privacy or member.is_admin:
            return True
        replied = chat.messages.get(message.reply_to)
        if replied and replied.sender_id == bot.id:
            return True
        command = text.command_of(message.text, message.entities)
        if command is None:
            return False
        if command[1]:
            return command[1].lower() == self.users[bot.id].username.lower()
        others = [b for b in self.bots.values() if b.id != bot.id and self.member(chat, b.id).present]
        return not others or chat.last_bot in (0, bot.id)

    def write(
        self,
        chat: Chat,
        user: User,
        words: str,
        *,
        entities: Any = None,
        parse_mode: str = "",
        thread_id: int = 0,
        reply_to: int = 0,
        as_chat: bool = False,
    ) -> Message:
        """A person writes."""
        self._may_act(chat, user)
        if chat.is_private and chat.blocked:
            raise Mistake(f"{user.name} has blocked the bot; unblock it first", 409)
        member = None if chat.is_private else self.member(chat, user.id)
        if member and not self._may_send(chat, member):
            raise Mistake(f"{user.name} may not write here", 403)
        topic = self._topic(chat, thread_id)
        if (
            topic
            and topic.closed
            and not (member and (member.status == "creator" or member.rights.get("can_manage_topics")))
        ):
            raise Mistake(f"the topic {topic.name} is closed", 403)
        replied = chat.messages.get(reply_to) if reply_to else None
        if reply_to and (replied is None or replied.deleted):
            raise Mistake(f"there is no message {reply_to} to reply to", 404)
        if replied and not thread_id:
            thread_id = replied.thread_id if replied.is_topic else 0

        try:
            plain, marked = text.formatted(words, parse_mode, entities)
        except Refused as refusal:
            raise Mistake(refusal.description) from None
        command = text.command_of(plain, marked)
        if command and not chat.is_private:
            bot = self._commanded(chat, command[1])
            if bot and self._is_ephemeral_command(bot, chat, user, command[0]):
                return self._ephemeral_command(bot, chat, user, plain, marked, thread_id, reply_to)
        fields: dict[str, Any] = {"text": plain, "entities": marked, "reply_to": reply_to}
        anonymous = as_chat or bool(member and member.is_admin and member.anonymous)
        if chat.is_private:
            chat.started = True
        if anonymous and not chat.is_private:
            self.users.setdefault(ANONYMOUS, User(ANONYMOUS, "Group", username="GroupAnonymousBot", is_bot=True))
            return self.post(chat, ANONYMOUS, sender_chat_id=chat.id, thread_id=thread_id, **fields)
        return self.post(chat, user.id, thread_id=thread_id, **fields)

    def _may_act(self, chat: Chat, user: User) -> None:
        if user.deleted:
            raise Mistake("this account was deleted", 409)
        if user.is_bot:
            raise Mistake("a bot acts through the Bot API")
        if chat.migrated_to:
            raise Mistake(f"this group became the supergroup {chat.migrated_to}", 409, migrated_to=chat.migrated_to)
        if chat.is_private:
            if chat.user_id != user.id:
                raise Mistake("that is somebody else's private chat", 403)
        elif not self.member(chat, user.id).present:
            raise Mistake(f"{user.name} is not in this group", 403)

    def _may_send(self, chat: Chat, member: Member) -> bool:
        if member.is_admin:
            return True
        if member.status == "restricted" and not member.permissions.get("can_send_messages"):
            return False
        return bool(chat.permissions.get("can_send_messages"))

    def _topic(self, chat: Chat, thread_id: int) -> Topic | None:
        if not chat.is_forum:
            if thread_id:
                raise Mistake("this chat has no topics")
            return None
        topic = chat.topics.get(thread_id or GENERAL)
        if topic is None or topic.deleted:
            raise Mistake(f"there is no topic {thread_id}", 404)
        return topic

    def _commanded(self, chat: Chat, username: str) -> Bot | None:
        present = [b for b in self.bots.values() if self.member(chat, b.id).present]
        if username:
            return next((b for b in present if self.users[b.id].username.lower() == username.lower()), None)
        return present[0] if len(present) == 1 else None

    def edit(self, chat: Chat, user: User, message_id: int, words: str) -> Message:
        """A person edits their own message."""
        self._may_act(chat, user)
        message = chat.messages.get(message_id)
        if message is None or message.deleted or message.sender_id != user.id or message.service:
            raise Mistake("only one's own messages can be edited", 403)
        message.text, message.entities = text.formatted(words)
        message.edit_date, message.edits = self.stamp(), message.edits + 1
        for bot in self.bots.values():
            if self._sees(bot, chat, message):
                self.give(bot, "edited_message", str(chat.id), shapes.message(self, message, bot))
        message.seq = self.tell("edit", chat.id, message=message.id, by=user.id)
        return message

    def remove(self, message: Message) -> None:
        """Delete a message; bots get no update about it."""
        chat = self.chat_of(message)
        message.deleted = True
        message.markup = None
        if message.ephemeral_id:
            message.lost = True
        elif message.id in chat.pinned:
            chat.pinned.remove(message.id)
        message.seq = self.tell("delete", chat.id, message=message.id, ephemeral=message.ephemeral_id)

    def chat_of(self, message: Message) -> Chat:
        """The chat a message is in."""
        chat = self.chats[message.chat_id]
        if chat.is_private and chat.messages.get(message.id) is not message:
            return next(
                (
                    c
                    for (_, user), c in self.private.items()
                    if user == message.chat_id and c.messages.get(message.id) is message
                ),
                chat,
            )
        return chat

    def pin(self, chat: Chat, message: Message, by: int, silent: bool) -> None:
        """Pin a message. Loudly, it notifies all members of a group (Bot API, pinChatMessage)."""
        if message.id in chat.pinned:
            chat.pinned.remove(message.id)
        chat.pinned.append(message.id)
        note = self.post(
            chat,
            by,
            service={"pinned_message": message.id},
            silent=silent,
            thread_id=message.thread_id if message.is_topic else 0,
        )
        if not silent and not chat.is_private:
            note.rings = [
                Ring(m.user_id, "pin")
                for m in chat.members_present()
                if m.user_id != by and not self.users[m.user_id].is_bot and m.notify != "none"
            ]
        message.seq = self.tell(
            "pin", chat.id, message=message.id, note=note.id, by=by, rings=[vars(r) for r in note.rings]
        )

    def unpin(self, chat: Chat, message_id: int) -> None:
        """Take a pin away."""
        chat.pinned.remove(message_id)
        message = chat.messages.get(message_id)
        seq = self.tell("unpin", chat.id, message=message_id)
        if message:
            message.seq = seq

    def react(self, chat: Chat, user: User, message_id: int, emoji: list[str]) -> None:
        """A person puts a reaction; an administrator bot that asked hears of it."""
        self._may_act(chat, user)
        message = chat.messages.get(message_id)
        if message is None or message.deleted:
            raise Mistake(f"there is no message {message_id}", 404)
        old = message.reactions.get(user.id, [])
        message.reactions[user.id] = emoji
        if not emoji:
            del message.reactions[user.id]
        for bot in self.bots.values():
            if chat.is_private and chat.bot_id == bot.id or not chat.is_private and self.member(chat, bot.id).is_admin:
                self.give(
                    bot,
                    "message_reaction",
                    str(chat.id),
                    {
                        "chat": shapes.chat(self, chat),
                        "message_id": message.id,
                        "user": shapes.user(user),
                        "date": self.stamp(),
                        "old_reaction": [{"type": "emoji", "emoji": e} for e in old],
                        "new_reaction": [{"type": "emoji", "emoji": e} for e in emoji],
                    },
                )
        message.seq = self.tell("reaction", chat.id, message=message.id)

    def press(self, bot: Bot, user: User, chat: Chat, message_id: int, ephemeral_id: int, data: str) -> Callback:
        """A callback query of that person; whether the button is there is the caller's to check."""
        if user.deleted:
            raise Mistake("this account was deleted", 409)
        callback = Callback(
            str(self.random.getrandbits(63)), bot.id, user.id, chat.id, message_id, ephemeral_id, data, self.now()
        )
        payload: dict[str, Any] = {
            "id": callback.id,
            "from": shapes.user(user),
            "chat_instance": shapes.chat_instance(chat),
            "data": data,
        }
        message = chat.ephemeral.get(ephemeral_id) if ephemeral_id else chat.messages.get(message_id)
        if message and not message.deleted:
            payload["message"] = shapes.message(self, message, bot)
        else:
            payload["message"] = {"chat": shapes.chat(self, chat), "message_id": message_id, "date": 0}
        self.callbacks[callback.id] = callback
        if len(self.callbacks) > 50_000:
            for old in list(self.callbacks)[:10_000]:
                del self.callbacks[old]
        update = self.give(bot, "callback_query", f"user{user.id}", payload)
        callback.update_id = update.id if update else 0
        self.tell("press", chat.id, person=user.id, query=callback.id, message=message_id, ephemeral=ephemeral_id)
        return callback

    # --- ephemeral messages (field/telegram.md 1.5)

    def add_ephemeral(
        self, chat: Chat, sender_id: int, receiver_id: int, *, thread_id: int = 0, **fields: Any
    ) -> Message:
        """A message in a group that one member sees; it may not arrive."""
        message = Message(
            0,
            chat.id,
            self.stamp(),
            sender_id,
            receiver_id=receiver_id,
            ephemeral_id=self._new_id("ephemeral"),
            order=self._new_id("order"),
            **fields,
        )
        if thread_id and thread_id != GENERAL:
            message.thread_id, message.is_topic = thread_id, chat.is_forum
        person = self.users[receiver_id]
        message.lost = not person.is_bot and (person.offline or self.lose_ephemeral(chat.id, receiver_id))
        chat.ephemeral[message.ephemeral_id] = message
        message.seq = self.tell(
            "ephemeral", chat.id, ephemeral=message.ephemeral_id, by=sender_id, to=receiver_id, lost=message.lost
        )
        return message

    def forget_ephemeral(self, user: User) -> int:
        """The person restarts the app: what was ephemeral is gone, and the bot does not know."""
        count = 0
        for chat in self.chats.values():
            for message in chat.ephemeral.values():
                if user.id in (message.receiver_id, message.sender_id) and not message.lost:
                    message.lost = True
                    message.seq = self.tell("delete", chat.id, ephemeral=message.ephemeral_id)
                    count += 1
        return count

    def ephemeral(self, chat: Chat, ephemeral_id: int) -> Message | None:
        """An ephemeral message that is still known to the server."""
        message = chat.ephemeral.get(ephemeral_id)
        if message is None or message.deleted or message.date + self.settings.ephemeral_lifetime < self.now():
            return None
        return message

    def commands_for(self, bot: Bot, chat: Chat, user: User) -> list[dict[str, Any]]:
        """The commands that person sees in that chat: the narrowest scope that has a list, first in their language."""
        if chat.is_private:
            scopes = [f"chat {chat.id}", "all_private_chats", "default"]
        else:
            scopes = [f"chat_member {chat.id} {user.id}"]
            if self.member(chat, user.id).is_admin:
                scopes.append(f"chat_administrators {chat.id}")
            scopes.append(f"chat {chat.id}")
            if self.member(chat, user.id).is_admin:
                scopes.append("all_chat_administrators")
            scopes += ["all_group_chats", "default"]
        for scope in scopes:
            for language in (user.language_code.partition("-")[0], ""):
                commands = bot.commands.get(f"{scope}|{language}")
                if commands:
                    return commands
        return []

    def _is_ephemeral_command(self, bot: Bot, chat: Chat, user: User, name: str) -> bool:
        return any(c["command"] == name and c.get("is_ephemeral") for c in self.commands_for(bot, chat, user))

    def _ephemeral_command(
        self,
        bot: Bot,
        chat: Chat,
        user: User,
        words: str,
        entities: list[dict[str, Any]],
        thread_id: int,
        reply_to: int,
    ) -> Message:
        """The command comes to the bot with message id 0, and to nobody else: field/telegram.md 0.3."""
        message = self.add_ephemeral(
            chat, user.id, bot.id, thread_id=thread_id, text=words, entities=entities, reply_to=reply_to
        )
        self.give(bot, "message", str(chat.id), shapes.message(self, message, bot))
        return message
