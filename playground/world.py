"""The world of a Telegram that lives in this process. Pure: no sockets, no tasks, no files.

What people do are methods of World and end in updates in a bot's queue; what bots do is methods.py. Times are seconds
of the world's own clock, which can be moved.
"""

from __future__ import annotations

import itertools
import random
import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from playground import shapes, text
from playground.errors import Mistake, Refused
from playground.things import (
    ANONYMOUS,
    EPOCH,
    GENERAL,
    HOURS_24,
    LIFETIMES,
    PERMISSIONS,
    RIGHTS,
    USUAL_RIGHTS,
    Bot,
    Callback,
    Chat,
    Member,
    Message,
    Ring,
    Settings,
    Topic,
    Update,
    User,
)


class World:
    """All of it, and what people can do in it."""

    def __init__(self, base: int | None = None, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self.offset = 0.0
        # Ids grow with the time of birth: a bot that remembers an older playground never meets an id of it again.
        self.base = int((clock() - EPOCH) * 10) if base is None else base
        self.settings = Settings()
        self.users: dict[int, User] = {}
        self.chats: dict[int, Chat] = {}
        self.private: dict[tuple[int, int], Chat] = {}
        self.bots: dict[int, Bot] = {}
        self.callbacks: dict[str, Callback] = {}
        self.files: dict[str, dict[str, Any]] = {}
        self.last_ids = {
            "user": 5_000_000_000 + self.base,
            "group": 4_000_000_000 + self.base,
            "supergroup": 2_000_000_000 + self.base,
            "message": 0,
            "ephemeral": self.base % 1_000_000,
            "file": 0,
            "order": 0,
        }
        self.seq = 0
        self.events: deque[dict[str, Any]] = deque(maxlen=20_000)
        self.alerts: deque[dict[str, Any]] = deque(maxlen=5_000)
        self.updates: deque[Update] = deque(maxlen=10_000)  # all of them, for the record
        self.listeners: list[Callable[[], None]] = []
        self.answer_listeners: dict[str, Callable[[], None]] = {}  # who waits for the answer to a press
        self.lose_ephemeral: Callable[[int, int], bool] = lambda chat_id, user_id: False
        self.random = random.Random(self.base)
        self._numbers = itertools.count(1)

    # --- time and news

    def now(self) -> float:
        """The time in this Telegram."""
        return self._clock() + self.offset

    def stamp(self) -> int:
        """The time as a message carries it."""
        return int(self.now())

    def tell(self, kind: str, chat_id: int = 0, **more: Any) -> int:
        """Note that something happened, and wake whoever waits."""
        self.seq += 1
        self.events.append({"seq": self.seq, "kind": kind, "chat": chat_id, "at": round(self.now(), 3), **more})
        chat = self.chats.get(chat_id)
        if chat:
            chat.seq = self.seq
        if chat_id > 0 and len(self.bots) > 1:  # a person has a chat with each bot, all of the same number
            for bot_id in self.bots:
                if (bot_id, chat_id) in self.private:
                    self.private[bot_id, chat_id].seq = self.seq
        for listener in self.listeners:
            listener()
        return self.seq

    def forward(self, seconds: float) -> None:
        """Move the clock."""
        self.offset += seconds
        self.tell("clock", seconds=seconds)

    def _new_id(self, what: str) -> int:
        self.last_ids[what] += 1
        return self.last_ids[what]

    # --- people and bots

    def add_bot(self, token: str, username: str = "", name: str = "", privacy: bool = True) -> Bot:
        """A new bot; its id is what stands before the colon of its token."""
        number = token.partition(":")[0]
        bot_id = int(number) if number.isdigit() and int(number) else self._new_id("user")
        if bot_id in self.users:
            raise Mistake(f"there is a user {bot_id} already", 409)
        self.users[bot_id] = User(bot_id, name or "Stay Away!", username=username or "stay_away_bot", is_bot=True)
        bot = self.bots[bot_id] = Bot(bot_id, token, privacy, next_update=self.base % 2_000_000_000 + 1)
        self.tell("person", person=bot_id)
        return bot

    @property
    def bot(self) -> Bot:
        """The first bot."""
        return next(iter(self.bots.values()))

    def add_person(
        self, name: str, last_name: str = "", username: str = "", language: str = "en", user_id: int = 0
    ) -> User:
        """A new person. Two may have the same name, no two the same @username."""
        if not isinstance(name, str) or not name:
            raise Mistake("a person needs a name")
        if username:
            username = username.lstrip("@")
            if any(u.username.lower() == username.lower() for u in self.users.values()):
                raise Mistake(f"@{username} is taken", 409)
        if user_id and user_id in self.users:
            raise Mistake(f"there is a user {user_id} already", 409)
        user = User(user_id or self._new_id("user"), name, last_name, username, language)
        self.users[user.id] = user
        self.tell("person", person=user.id)
        return user

    def people(self) -> list[User]:
        """Everybody who is no bot."""
        return [u for u in self.users.values() if not u.is_bot]

    def private_chat(self, user_id: int, bot_id: int) -> Chat:
        """The chat of a person with a bot; it exists as soon as somebody looks."""
        chat = self.private.get((bot_id, user_id))
        if chat is None:
            chat = Chat(user_id, "private", user_id=user_id, bot_id=bot_id)
            self.private[bot_id, user_id] = chat
            if user_id not in self.chats:
                self.chats[user_id] = chat  # the first bot's, for reading by number
        return chat

    def delete_account(self, user: User) -> None:
        """The person deletes their account; in groups they stay as a Deleted Account."""
        user.deleted = True
        user.username = ""
        self.tell("person", person=user.id)

    def block(self, user: User, bot: Bot, blocked: bool = True) -> None:
        """The person blocks the bot, or takes it back."""
        chat = self.private_chat(user.id, bot.id)
        if chat.blocked == blocked:
            return
        chat.blocked = blocked
        old, new = ("member", "kicked") if blocked else ("kicked", "member")
        me = self.users[bot.id]
        self.give(
            bot,
            "my_chat_member",
            str(chat.id),
            {
                "chat": shapes.chat(self, chat),
                "from": shapes.user(user),
                "date": self.stamp(),
                "old_chat_member": shapes.bare_member(me, old),
                "new_chat_member": shapes.bare_member(me, new),
            },
        )
        self.tell("chat", chat.id)

    # --- groups

    def add_group(
        self,
        title: str,
        kind: str = "group",
        owner: User | None = None,
        people: Iterable[User] = (),
        bots: Iterable[Bot] = (),
        forum: bool = False,
        username: str = "",
    ) -> Chat:
        """A new group with these people in it; a forum is a supergroup."""
        if kind not in ("group", "supergroup"):
            raise Mistake(f"kind is group or supergroup, not {kind}")
        if forum or username:
            kind = "supergroup"
        number = self._new_id(kind)
        chat = Chat(
            -number if kind == "group" else -1_000_000_000_000 - number,
            kind,
            title or "Group",
            is_forum=forum,
            username=username.lstrip("@"),
        )
        people = list(people)
        owner = owner or (people[0] if people else None)
        if owner:
            chat.members[owner.id] = Member(owner.id, "creator")
        for person in people:
            chat.members.setdefault(person.id, Member(person.id))
        self.chats[chat.id] = chat
        if forum:
            chat.topics[GENERAL] = Topic(GENERAL, "General")
        if owner:
            service = "group_chat_created" if kind == "group" else "supergroup_chat_created"
            self.post(chat, owner.id, service={service: True})
        self.tell("chat", chat.id)
        for bot in bots:
            self.set_member(chat, bot.id, "member", by=owner.id if owner else bot.id)
        return chat

    def member(self, chat: Chat, user_id: int) -> Member:
        """How that user stands in the group."""
        member = chat.members.get(user_id) or Member(user_id, "left")
        if member.until and member.until <= self.now() and member.status in ("restricted", "kicked"):
            member.status, member.until = ("member" if member.status == "restricted" else "left"), 0
        return member

    def set_member(
        self,
        chat: Chat,
        user_id: int,
        status: str,
        by: int = 0,
        *,
        rights: dict[str, bool] | None = None,
        permissions: dict[str, bool] | None = None,
        until: int = 0,
        anonymous: bool = False,
        title: str = "",
        quiet: bool = False,
    ) -> Member:
        """Change how somebody stands in a group, with the service message and the updates that this brings."""
        if chat.is_private:
            raise Mistake("a private chat has no members")
        if chat.migrated_to:
            raise Mistake(f"this group became the supergroup {chat.migrated_to}", 409)
        if user_id not in self.users:
            raise Mistake(f"there is no user {user_id}", 404)
        old = self.member(chat, user_id)
        by = by or user_id
        new = Member(user_id, status, until=until, anonymous=anonymous, title=title, notify=old.notify)
        if status == "administrator":
            new.rights = {name: bool((rights if rights is not None else USUAL_RIGHTS).get(name)) for name in RIGHTS}
            new.rights["can_manage_chat"] = True  # implied by any other right
        if status == "restricted":
            given = permissions if permissions is not None else {"can_send_messages": False}
            new.permissions = {
                name: given.get(name, "can_send_messages" not in given or bool(given["can_send_messages"]))
                for name in PERMISSIONS
            }
        before = shapes.member(self, old)
        chat.members[user_id] = new
        joined, gone = not old.present and new.present, old.present and not new.present
        after = shapes.member(self, new)
        if before != after:
            self._tell_member(chat, user_id, by, before, after, was_admin=old.is_admin)
        if quiet:
            pass
        elif joined:
            self.post(chat, by, service={"new_chat_members": [user_id]})
        elif gone:
            # A bot that was put out of a supergroup is no member any more and does not see the line.
            self.post(
                chat, by, service={"left_chat_member": user_id}, unseen_by=user_id if chat.kind == "supergroup" else 0
            )
        self.tell("member", chat.id, person=user_id, status=status)
        return new

    def _tell_member(self, chat: Chat, user_id: int, by: int, before: Any, after: Any, was_admin: bool) -> None:
        payload = {
            "chat": shapes.chat(self, chat),
            "from": shapes.user(self.users[by]),
            "date": self.stamp(),
            "old_chat_member": before,
            "new_chat_member": after,
        }
        for bot in self.bots.values():
            if bot.id == user_id:
                self.give(bot, "my_chat_member", str(chat.id), payload)
            elif self.member(chat, bot.id).is_admin:
                # Others' comings and goings are for administrators who asked: field/telegram.md 1.3.
                self.give(bot, "chat_member", f"user{by}", payload)

    def upgrade(self, chat: Chat, by: int = 0) -> Chat:
        """Make a supergroup of a group: a new chat with a new id; the message ids of the old one are dead."""
        if chat.kind != "group":
            raise Mistake("only a basic group can become a supergroup", 409)
        if chat.migrated_to:
            raise Mistake(f"it became {chat.migrated_to} already", 409)
        by = (
            by
            or next((m.user_id for m in chat.members_present() if m.status == "creator"), 0)
            or next(iter(chat.members))
        )
        new = Chat(
            -1_000_000_000_000 - self._new_id("supergroup"),
            "supergroup",
            chat.title,
            migrated_from=chat.id,
            permissions=dict(chat.permissions),
        )
        new.members = {
            m.user_id: Member(
                m.user_id, m.status, dict(m.rights), dict(m.permissions), m.until, m.anonymous, m.title, m.notify
            )
            for m in chat.members.values()
        }
        self.chats[new.id] = new
        self.post(chat, by, service={"migrate_to_chat_id": new.id})
        chat.migrated_to = new.id
        chat.pinned.clear()
        self.post(new, by, service={"migrate_from_chat_id": chat.id})
        self.tell("chat", chat.id, migrated_to=new.id)
        self.tell("chat", new.id)
        return new

    def add_topic(self, chat: Chat, name: str, by: int, icon_color: int = 7322096) -> Topic:
        """Open a topic; a supergroup without topics becomes a forum by it."""
        if chat.kind != "supergroup":
            raise Mistake("only a supergroup has topics")
        if not 1 <= len(name) <= 128:
            raise Mistake("a topic's name has 1 to 128 characters")
        if not chat.is_forum:
            chat.is_forum = True
            chat.topics.setdefault(GENERAL, Topic(GENERAL, "General"))
        topic_id = chat.last_id + 1
        topic = chat.topics[topic_id] = Topic(topic_id, name, icon_color)
        self.post(
            chat, by, thread_id=topic_id, service={"forum_topic_created": {"name": name, "icon_color": icon_color}}
        )
        self.tell("chat", chat.id)
        return topic

    def change_topic(self, chat: Chat, topic: Topic, what: str, by: int) -> None:
        """Close, reopen or delete a topic; with it go its messages."""
        thread = 0 if topic.id == GENERAL else topic.id
        if what in ("close", "reopen"):
            if topic.closed != (what == "close"):
                topic.closed = what == "close"
                service = "forum_topic_closed" if topic.closed else "forum_topic_reopened"
                self.post(chat, by, thread_id=thread, service={service: {}})
        elif what == "delete":
            if topic.id == GENERAL:
                raise Mistake("General cannot be deleted")
            topic.deleted = True
            for message in list(chat.live()):
                if message.thread_id == topic.id and message.is_topic:
                    self.remove(message)
        else:
            raise Mistake(f"a topic can be closed, reopened or deleted, not {what}")
        self.tell("chat", chat.id)

    # --- messages

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

    # --- buttons

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

    # --- updates

    def give(self, bot: Bot, kind: str, key: str, payload: dict[str, Any]) -> Update | None:
        """Queue an update for a bot that wants this kind."""
        if not bot.wants(kind):
            return None
        key = key if key.startswith("user") else f"{kind.removeprefix('edited_')} {key}"
        return self.enqueue(bot, kind, key, {kind: payload})

    def enqueue(self, bot: Bot, kind: str, key: str, payload: dict[str, Any], update_id: int | None = None) -> Update:
        """Queue an update of any shape."""
        if update_id is None:
            update_id = bot.next_update
            bot.next_update += 1
        now = self.now()
        update = Update(update_id, kind, key, payload, now, now + LIFETIMES.get(kind, HOURS_24))
        if self.settings.delayed and self.random.random() < self.settings.delayed:
            update.not_before = now + self.random.random() * self.settings.delay
            update.key = f"{key} late {update_id}"  # it may be overtaken
        copies = 2 if self.settings.duplicate and self.random.random() < self.settings.duplicate else 1
        for copy in range(copies):
            twin = (
                update
                if copy == 0
                else Update(update_id, kind, f"{key} again {next(self._numbers)}", payload, now, update.expires)
            )
            bot.pending[next(self._numbers)] = twin
            self.updates.append(twin)
        self.tell("update", update=update_id)
        return update

    def drop_expired(self, bot: Bot) -> None:
        """Forget updates whose time is over: 150 seconds for a press, 24 hours for the rest."""
        now = self.now()
        for number, update in list(bot.pending.items()):
            if update.expires <= now and update.state == "waiting":
                update.state = "expired"
                del bot.pending[number]
