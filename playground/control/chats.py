"""Writing and reading."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from playground import views
from playground.errors import Mistake
from playground.things import Chat, Message

if TYPE_CHECKING:
    pass
from playground.control.base import Base, Data, as_number, as_yes, get, post


class Chats(Base):
    """What is written and read in chats."""

    # --- writing and reading

    @post("/control/write")
    async def write(
        self,
        as_: Any = None,
        chat: Any = "private",
        text: str = "",
        thread: Any = 0,
        reply_to: Any = 0,
        entities: Any = None,
        parse_mode: str = "",
        anonymous: Any = False,
        bot: Any = None,
    ) -> Data:
        """A person writes a text or a command."""
        user = self.person(as_)
        there = self.chat(chat, user, bot)
        topic = as_number(thread, "thread")
        message = self.world.write(
            there,
            user,
            text,
            entities=entities,
            parse_mode=parse_mode,
            thread_id=0 if topic == 1 else topic,
            reply_to=as_number(reply_to, "reply_to"),
            as_chat=as_yes(anonymous),
        )
        return views.message(self.world, there, message, user)

    @post("/control/edit")
    async def edit(self, as_: Any = None, chat: Any = "private", message: Any = 0, text: str = "") -> Data:
        """A person edits their own message."""
        user = self.person(as_)
        there = self.chat(chat, user)
        return views.message(self.world, there, self.world.edit(there, user, as_number(message, "message"), text), user)

    @post("/control/delete")
    async def delete(self, as_: Any = None, chat: Any = "private", message: Any = 0) -> Data:
        """A person deletes a message: their own, any in private, any as an administrator."""
        user = self.person(as_)
        there = self.chat(chat, user)
        found = self._message(there, message)
        if not (there.is_private or found.sender_id == user.id or self.world.member(there, user.id).is_admin):
            raise Mistake(f"{user.name} may not delete that", 403)
        self.world.remove(found)
        return {"deleted": found.id}

    @post("/control/react")
    async def react(self, as_: Any = None, chat: Any = "private", message: Any = 0, emoji: Any = None) -> Data:
        """A person reacts, or takes the reaction back (without emoji)."""
        user = self.person(as_)
        there = self.chat(chat, user)
        self.world.react(there, user, as_number(message, "message"), [emoji] if emoji else [])
        return views.message(self.world, there, self._message(there, message), user)

    @post("/control/pin")
    async def pin(self, as_: Any = None, chat: Any = "private", message: Any = 0, silent: Any = False) -> Data:
        """A person pins a message."""
        user = self.person(as_)
        there = self.chat(chat, user)
        self.world.pin(there, self._message(there, message), user.id, as_yes(silent))
        return views.chat(self.world, there)

    @post("/control/unpin")
    async def unpin(self, as_: Any = None, chat: Any = "private", message: Any = 0) -> Data:
        """A person takes a pin away."""
        user = self.person(as_)
        there = self.chat(chat, user)
        if as_number(message, "message") not in there.pinned:
            raise Mistake("that is not pinned", 404)
        self.world.unpin(there, as_number(message, "message"))
        return views.chat(self.world, there)

    @get("/control/chats/{chat}")
    async def chat_info(self, chat: Any, as_: Any = None) -> Data:
        """All about a chat."""
        return views.chat(self.world, self.chat(chat, self.person(as_) if as_ else None))

    @get("/control/chats/{chat}/messages")
    async def messages(
        self, chat: Any, as_: Any = None, since: Any = None, thread: Any = None, last: Any = None, bot: Any = None
    ) -> Data:
        """Read a chat as a person; without one, all of it. With *since*, what is new or changed, and what is gone."""
        viewer = self.person(as_) if as_ not in (None, "") else None
        there = self.chat(chat, viewer, bot)
        if viewer and not there.is_private and not there.members.get(viewer.id):
            raise Mistake(f"{viewer.name} is not in this group", 403)
        if viewer and there.is_private and there.user_id != viewer.id:
            raise Mistake("that is somebody else's private chat", 403)
        shown = views.visible(self.world, there, viewer, None if thread in (None, "") else as_number(thread, "thread"))
        answer: Data = {"chat": there.id, "seq": self.world.seq}
        if since not in (None, ""):
            first = as_number(since, "since")
            answer["gone"] = [
                {"id": m.id, "ephemeral": m.ephemeral_id}
                for m in [*there.messages.values(), *there.ephemeral.values()]
                if (m.deleted or m.lost) and m.seq > first
            ]
            shown = [m for m in shown if m.seq > first]
        if last not in (None, ""):
            shown = shown[-as_number(last, "last") :]
        return answer | {"messages": [views.message(self.world, there, m, viewer) for m in shown]}

    @get("/control/files/{file}")
    async def file(self, file: str) -> Any:
        """A picture that was sent."""
        found = self.world.files.get(file)
        if found is None:
            raise Mistake("there is no such file", 404)
        kind = "image/png" if found["data"][:4] == b"\x89PNG" else "image/jpeg"
        return Response(found["data"], media_type=kind)

    def _message(self, chat: Chat, message: Any) -> Message:
        found = chat.messages.get(as_number(message, "message"))
        if found is None or found.deleted:
            raise Mistake(f"there is no message {message}", 404)
        return found
