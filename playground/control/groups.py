"""Groups: who is in them, with which rights, and their topics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from playground import views
from playground.errors import Mistake
from playground.things import PERMISSIONS, RIGHTS, Chat

if TYPE_CHECKING:
    pass
from playground.control.base import Base, Data, as_number, as_yes, get, post


class Groups(Base):
    """Groups."""

    # --- groups

    @get("/control/groups")
    async def groups(self) -> Data:
        """All groups."""
        return {"groups": [views.chat(self.world, c) for c in self.world.chats.values() if not c.is_private]}

    @post("/control/groups")
    async def add_group(
        self,
        title: str = "Group",
        kind: str = "group",
        forum: Any = False,
        people: Any = (),
        owner: Any = None,
        bot: Any = True,
        username: str = "",
    ) -> Data:
        """Make a group of these people; the bot is a member (true), administrator ("admin"), or not in it (false)."""
        members = [self.person(p) for p in people]
        chief = self.person(owner) if owner not in (None, "") else None
        with_bot = bot == "admin" or as_yes(bot)
        group = self.world.add_group(
            title, kind, chief, members, [self.world.bot] if with_bot else [], as_yes(forum), username
        )
        if bot == "admin":
            by = chief or (members[0] if members else None)
            self.world.set_member(group, self.world.bot.id, "administrator", by.id if by else 0)
        return views.chat(self.world, group)

    def _by(self, group: Chat, by: Any) -> int:
        """Who does it: who is named, else the owner."""
        if by not in (None, ""):
            return self.person(by, bots=True).id
        return next((m.user_id for m in group.members_present() if m.status == "creator"), 0)

    def _set(self, group: Any, person: Any, status: str, by: Any = None, **more: Any) -> Data:
        chat, user = self.group(group), self.person(person, bots=True)
        doer = user.id if by == "self" else self._by(chat, by)
        self.world.set_member(chat, user.id, status, doer, **more)
        return views.chat(self.world, chat)

    @post("/control/groups/{group}/join")
    async def join(self, group: Any, person: Any = None) -> Data:
        """A person joins by themselves."""
        chat, user = self.group(group), self.person(person)
        if self.world.member(chat, user.id).status == "kicked":
            raise Mistake(f"{user.name} is banned here", 403)
        return (
            self._set(group, person, "member", "self")
            if not self.world.member(chat, user.id).present
            else views.chat(self.world, chat)
        )

    @post("/control/groups/{group}/add")
    async def add(self, group: Any, person: Any = None, by: Any = None) -> Data:
        """Somebody (the owner) adds a person, or "bot"."""
        return self._set(group, person, "member", by)

    @post("/control/groups/{group}/leave")
    async def leave(self, group: Any, person: Any = None) -> Data:
        """A person leaves."""
        return self._set(group, person, "left", "self")

    @post("/control/groups/{group}/remove")
    async def remove(self, group: Any, person: Any = None, by: Any = None) -> Data:
        """Somebody removes a person, or "bot": it can be added again. A bot that is removed is kicked."""
        user = self.person(person, bots=True)
        return self._set(group, person, "kicked" if user.is_bot else "left", by)

    @post("/control/groups/{group}/ban")
    async def ban(self, group: Any, person: Any = None, by: Any = None, until: Any = 0) -> Data:
        """Somebody bans a person, or "bot"."""
        return self._set(group, person, "kicked", by, until=as_number(until, "until"))

    @post("/control/groups/{group}/unban")
    async def unban(self, group: Any, person: Any = None, by: Any = None) -> Data:
        """The ban is taken back; the person is outside."""
        return self._set(group, person, "left", by, quiet=True)

    @post("/control/groups/{group}/restrict")
    async def restrict(
        self, group: Any, person: Any = None, permissions: Any = None, by: Any = None, until: Any = 0
    ) -> Data:
        """Take permissions from a person, or "bot"; without any named, that of writing."""
        self._known(permissions, PERMISSIONS, "permission")
        return self._set(group, person, "restricted", by, permissions=permissions, until=as_number(until, "until"))

    @post("/control/groups/{group}/promote")
    async def promote(
        self,
        group: Any,
        person: Any = None,
        rights: Any = None,
        by: Any = None,
        anonymous: Any = False,
        title: str = "",
    ) -> Data:
        """Make a person, or "bot", an administrator with these rights; without any named, with the usual ones."""
        self._known(rights, RIGHTS, "right")
        return self._set(group, person, "administrator", by, rights=rights, anonymous=as_yes(anonymous), title=title)

    @post("/control/groups/{group}/demote")
    async def demote(self, group: Any, person: Any = None, by: Any = None) -> Data:
        """Make an administrator, or a restricted one, an ordinary member."""
        return self._set(group, person, "member", by)

    @staticmethod
    def _known(given: Any, known: tuple[str, ...], what: str) -> None:
        if given is None:
            return
        if not isinstance(given, dict):
            raise Mistake(f"{what}s are an object of true and false")
        wrong = sorted(set(given) - set(known))
        if wrong:
            raise Mistake(f"there is no {what} {', '.join(wrong)}; there are {', '.join(known)}")

    @post("/control/groups/{group}/permissions")
    async def permissions(self, group: Any, **given: Any) -> Data:
        """Set what every member may do."""
        chat = self.group(group)
        self._known(given, PERMISSIONS, "permission")
        chat.permissions.update({k: as_yes(v) for k, v in given.items()})
        self.world.tell("chat", chat.id)
        return views.chat(self.world, chat)

    @post("/control/groups/{group}/notify")
    async def notify(self, group: Any, person: Any = None, what: str = "mentions") -> Data:
        """What rings for a person in a group: "all", "mentions" (and replies and loud pins), "none"."""
        chat, user = self.group(group), self.person(person)
        if what not in ("all", "mentions", "none"):
            raise Mistake("what is all, mentions or none")
        member = self.world.member(chat, user.id)
        if not member.present:
            raise Mistake(f"{user.name} is not in this group", 404)
        member.notify = what
        return views.chat(self.world, chat)

    @post("/control/groups/{group}/delete")
    async def delete_group(self, group: Any) -> Data:
        """The owner deletes the group, for everybody."""
        chat = self.group(group)
        chat.gone = True
        for member in chat.members_present():
            member.status = "left"
        self.world.tell("chat", chat.id)
        return views.chat(self.world, chat)

    @post("/control/groups/{group}/upgrade")
    async def upgrade(self, group: Any, by: Any = None) -> Data:
        """Make a supergroup of it; the answer is the new chat."""
        chat = self.group(group)
        return views.chat(self.world, self.world.upgrade(chat, self._by(chat, by)))

    @post("/control/groups/{group}/topics")
    async def add_topic(self, group: Any, name: str = "", by: Any = None) -> Data:
        """Open a topic; a supergroup becomes a forum by it, a basic group a supergroup first."""
        chat = self.group(group)
        if chat.kind == "group":
            chat = self.world.upgrade(chat, self._by(chat, by))
        topic = self.world.add_topic(chat, name, self._by(chat, by) or next(iter(chat.members)))
        return {"thread": topic.id, "name": topic.name, "chat": chat.id}

    @post("/control/groups/{group}/topics/{thread}/{what}")
    async def change_topic(self, group: Any, thread: Any, what: str, by: Any = None) -> Data:
        """Close, reopen or delete a topic; General is 1."""
        chat = self.group(group)
        topic = chat.topics.get(as_number(thread, "thread"))
        if topic is None or topic.deleted:
            raise Mistake(f"there is no topic {thread}", 404)
        self.world.change_topic(chat, topic, what, self._by(chat, by) or next(iter(chat.members)))
        return views.chat(self.world, chat)
