"""Groups: who comes and goes, what a group becomes, its topics."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from playground import shapes
from playground.errors import Mistake
from playground.things import GENERAL, PERMISSIONS, RIGHTS, USUAL_RIGHTS, Bot, Chat, Member, Topic, User
from playground.world.messages import Messages


class Groups(Messages):
    """Groups, supergroups and forums."""

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
