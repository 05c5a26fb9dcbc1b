"""The control API: everything people do, everything that can be seen, and everything that can go wrong, over HTTP.

Each function of Controls is one address; its keyword arguments are the fields it takes. The manual is
docs/playground.md.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import re
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from playground import text, views
from playground.errors import Mistake, Refused
from playground.methods import METHODS
from playground.things import PERMISSIONS, RIGHTS, Bot, Callback, Chat, Message, Settings, User
from playground.world import World

if TYPE_CHECKING:
    from playground.server import Playground

PAGE = Path(__file__).parent / "page"
ROUTES: list[tuple[str, str, str]] = []  # HTTP method, path, function

Data = dict[str, Any]


def get(path: str) -> Callable[[Any], Any]:
    """Answer GET at this path."""
    return _route("GET", path)


def post(path: str) -> Callable[[Any], Any]:
    """Answer POST at this path."""
    return _route("POST", path)


def _route(verb: str, path: str) -> Callable[[Any], Any]:
    def note(function: Any) -> Any:
        ROUTES.append((verb, path, function.__name__))
        return function

    return note


def _number(value: Any, name: str, default: int = 0) -> int:
    if value is None or value == "":
        return default
    try:
        return int(value)
    except (TypeError, ValueError):
        raise Mistake(f"{name} is a number, not {value!r}") from None


def _seconds(value: Any, name: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise Mistake(f"{name} is a number of seconds, not {value!r}") from None


def _yes(value: Any) -> bool:
    return value if isinstance(value, bool) else str(value).lower() in ("1", "true", "yes")


class Controls:
    """The hands at the controls."""

    def __init__(self, playground: Playground) -> None:
        self.playground = playground

    @property
    def world(self) -> World:
        """The world as it is now."""
        return self.playground.world

    # --- whom and what is meant

    def person(self, ref: Any, *, bots: bool = False) -> User:
        """Somebody by id, @username or name; "bot" is the bot where a bot can be meant."""
        if ref is None or ref == "":
            raise Mistake("say who: an id, a @username or a name")
        if bots and str(ref).lower() == "bot":
            return self.world.users[self.world.bot.id]
        users = self.world.users
        if isinstance(ref, int) or re.fullmatch(r"\d+", str(ref)):
            user = users.get(int(ref))
            if user is not None and (bots or not user.is_bot):
                return user
        elif str(ref).startswith("@"):
            for user in users.values():
                if user.username.lower() == str(ref)[1:].lower() and (bots or not user.is_bot):
                    return user
        found = [u for u in users.values() if ref in (u.name, u.first_name) and (bots or not u.is_bot)]
        if len(found) > 1:
            raise Mistake(f"{len(found)} people are called {ref}; use an id", 409)
        if not found:
            raise Mistake(f"there is nobody {ref!r}", 404)
        return found[0]

    def bot(self, ref: Any = None) -> Bot:
        """A bot by id, @username or token; the first without."""
        if ref in (None, ""):
            return self.world.bot
        for bot in self.world.bots.values():
            if (
                str(ref) in (str(bot.id), bot.token)
                or str(ref).lstrip("@").lower() == self.world.users[bot.id].username.lower()
            ):
                return bot
        raise Mistake(f"there is no bot {ref!r}", 404)

    def chat(self, ref: Any, viewer: User | None = None, bot: Any = None) -> Chat:
        """A chat by id, @username or title; "private" is the viewer's chat with the bot, as is the viewer's own id."""
        if ref is None or ref == "":
            raise Mistake("say which chat: an id, a @username, a title, or private")
        if ref == "private":
            if viewer is None:
                raise Mistake("say whose private chat, with as")
            return self.world.private_chat(viewer.id, self.bot(bot).id)
        if isinstance(ref, int) or re.fullmatch(r"-?\d+", str(ref)):
            number = int(ref)
            user = self.world.users.get(number)
            if user is not None and not user.is_bot:
                return self.world.private_chat(number, self.bot(bot).id)
            if number in self.world.chats:
                return self.world.chats[number]
        found = [
            c
            for c in self.world.chats.values()
            if not c.is_private
            and not c.migrated_to
            and (c.title == ref or (c.username and "@" + c.username.lower() == str(ref).lower()))
        ]
        if len(found) > 1:
            raise Mistake(f"{len(found)} groups are called {ref}; use an id", 409)
        if not found:
            raise Mistake(f"there is no chat {ref!r}", 404)
        return found[0]

    def group(self, ref: Any) -> Chat:
        """A group."""
        chat = self.chat(ref)
        if chat.is_private:
            raise Mistake("that is a private chat")
        return chat

    # --- the whole

    @get("/control/ready")
    async def ready(self) -> Data:
        """Whether it runs, and where."""
        bot = self.world.bot
        return {
            "ready": True,
            "page": self.playground.url + "/",
            "api": self.playground.url,
            "bot": views.person(self.world.users[bot.id]),
            "seq": self.world.seq,
            "methods": sorted(name for name, _ in METHODS.values()),
        }

    @get("/control/state")
    async def state(self) -> Data:
        """Everything but the messages: people, chats, bots, settings, the clock."""
        world = self.world
        chats = [
            views.chat(world, c)
            for c in [*(c for c in world.chats.values() if not c.is_private), *world.private.values()]
        ]
        return {
            "seq": world.seq,
            "people": [views.person(u) for u in world.people() if u.id in world.users and not u.is_bot],
            "bots": [self._bot_view(b) for b in world.bots.values()],
            "chats": chats,
            "settings": asdict(world.settings),
            "clock": {"now": world.now(), "offset": world.offset},
            "born": world.base,
        }

    def _bot_view(self, bot: Bot) -> Data:
        hook = bot.webhook
        return views.person(self.world.users[bot.id]) | {
            "privacy": bot.privacy,
            "webhook": hook.url,
            "pending": len(bot.pending),
            "last_error": hook.last_error_message,
            "allowed_updates": bot.allowed_updates,
            "description": bot.descriptions.get("", ""),
            "polling": bot.id in self.playground.delivery._polls,
        }

    @post("/control/reset")
    async def reset(self, seed_group: Any = False) -> Data:
        """Begin anew; the bot keeps its token, its webhook and its commands."""
        await self.playground.reset(_yes(seed_group))
        return await self.state()

    @get("/control/settings")
    async def settings(self) -> Data:
        """What is set."""
        return asdict(self.world.settings)

    @post("/control/settings")
    async def set_settings(self, **given: Any) -> Data:
        """Set limits, windows and how updates are doubled and held back."""
        settings = self.world.settings
        known = {f.name: f.type for f in fields(Settings)}
        for name, value in given.items():
            if name not in known:
                raise Mistake(f"there is no setting {name}; there are {', '.join(known)}")
            old = getattr(settings, name)
            setattr(settings, name, _yes(value) if isinstance(old, bool) else type(old)(value))
        if "seed" in given:
            self.world.random.seed(settings.seed)
        self.world.tell("settings")
        return asdict(settings)

    # --- time

    @get("/control/clock")
    async def clock(self) -> Data:
        """What time it is here."""
        return {"now": self.world.now(), "offset": self.world.offset}

    @post("/control/clock")
    async def move_clock(self, forward: Any = 0) -> Data:
        """Move this Telegram's clock, and with a database the bot's: the bot's first, so that both move or none."""
        seconds = _seconds(forward, "forward")
        url, moved, why = self.playground.database_url, False, "no database was given (DATABASE_URL)"
        if url:
            try:
                from db import clock
            except ImportError as missing:
                why = f"db.clock cannot be imported: {missing}"
            else:
                try:
                    await asyncio.to_thread(clock.move, url, seconds)
                    moved, why = True, ""
                except Exception as problem:  # whatever it is, the person at the controls must read it
                    raise Mistake(
                        f"the bot's clock could not be moved, so none was: {type(problem).__name__}: {problem}", 503
                    ) from None
        self.world.forward(seconds)
        return {"now": self.world.now(), "offset": self.world.offset, "bot_clock_moved": moved, "why": why}

    # --- people

    @get("/control/people")
    async def people(self) -> Data:
        """Everybody."""
        return {"people": [views.person(u) for u in self.world.people()]}

    @post("/control/people")
    async def add_person(
        self,
        name: str = "",
        last_name: str = "",
        username: str = "",
        language: str = "en",
        id: Any = 0,
        groups: Any = (),
    ) -> Data:
        """Make a person, in these groups if any are named."""
        user = self.world.add_person(name, last_name, username, language, _number(id, "id"))
        for ref in groups:
            self.world.set_member(self.group(ref), user.id, "member")
        return views.person(user)

    @post("/control/people/{who}")
    async def change_person(
        self,
        who: Any,
        name: Any = None,
        last_name: Any = None,
        username: Any = None,
        language: Any = None,
        offline: Any = None,
    ) -> Data:
        """Change somebody's name, @username or language, or take them offline (ephemeral messages get lost)."""
        user = self.person(who)
        user.first_name = user.first_name if name is None else str(name)
        user.last_name = user.last_name if last_name is None else str(last_name)
        user.username = user.username if username is None else str(username).lstrip("@")
        user.language_code = user.language_code if language is None else str(language)
        user.offline = user.offline if offline is None else _yes(offline)
        self.world.tell("person", person=user.id)
        return views.person(user)

    @post("/control/people/{who}/block")
    async def block(self, who: Any, bot: Any = None) -> Data:
        """Block the bot."""
        user = self.person(who)
        self.world.block(user, self.bot(bot))
        return views.chat(self.world, self.chat("private", user, bot))

    @post("/control/people/{who}/unblock")
    async def unblock(self, who: Any, bot: Any = None) -> Data:
        """Take the block back."""
        user = self.person(who)
        self.world.block(user, self.bot(bot), blocked=False)
        return views.chat(self.world, self.chat("private", user, bot))

    @post("/control/people/{who}/delete")
    async def delete_account(self, who: Any) -> Data:
        """Delete the account."""
        user = self.person(who)
        self.world.delete_account(user)
        return views.person(user)

    @post("/control/people/{who}/restart")
    async def restart_app(self, who: Any) -> Data:
        """Restart the person's app: what was ephemeral is gone."""
        return {"forgotten": self.world.forget_ephemeral(self.person(who))}

    @post("/control/people/{who}/start")
    async def start(self, who: Any, payload: str = "", bot: Any = None) -> Data:
        """Press START in the private chat, with the payload of a deep link."""
        user = self.person(who)
        chat = self.chat("private", user, bot)
        if payload and not re.fullmatch(r"[\w-]{1,64}", payload, re.ASCII):
            raise Mistake("a payload has 1 to 64 of A-Z, a-z, 0-9, _ and -")
        message = self.world.write(chat, user, f"/start {payload}".strip())
        return views.message(self.world, chat, message, user)

    @get("/control/people/{who}/private")
    async def private(self, who: Any, since: Any = None, bot: Any = None) -> Data:
        """The person's private chat with the bot."""
        user = self.person(who)
        return await self.messages("private", user.id, since=since, bot=bot)

    @get("/control/people/{who}/alerts")
    async def alerts(self, who: Any) -> Data:
        """The toasts, alerts and links this person was shown in answer to presses."""
        user = self.person(who)
        return {"alerts": [a for a in self.world.alerts if a["person"] == user.id]}

    @get("/control/commands")
    async def commands(self, chat: Any = None, as_: Any = None, bot: Any = None) -> Data:
        """The commands this person is offered in this chat."""
        user = self.person(as_)
        there = self.chat(chat or "private", user, bot)
        present = (
            [self.bot(there.bot_id)]
            if there.is_private
            else [b for b in self.world.bots.values() if self.world.member(there, b.id).present]
        )
        return {
            "commands": [
                {**c, "bot": self.world.users[b.id].username}
                for b in present
                for c in self.world.commands_for(b, there, user)
            ]
        }

    # --- bots

    @post("/control/bots")
    async def add_bot(self, token: str = "", username: str = "", name: str = "", privacy: Any = True) -> Data:
        """One more bot, with a token of its own."""
        if not re.fullmatch(r"\d+:[\w-]+", token):
            raise Mistake("a token looks like 1001:SECRET")
        return self._bot_view(self.world.add_bot(token, username, name, _yes(privacy)))

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
        with_bot = bot == "admin" or _yes(bot)
        group = self.world.add_group(
            title, kind, chief, members, [self.world.bot] if with_bot else [], _yes(forum), username
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
        return self._set(group, person, "kicked", by, until=_number(until, "until"))

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
        return self._set(group, person, "restricted", by, permissions=permissions, until=_number(until, "until"))

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
        return self._set(group, person, "administrator", by, rights=rights, anonymous=_yes(anonymous), title=title)

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
        chat.permissions.update({k: _yes(v) for k, v in given.items()})
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
        topic = chat.topics.get(_number(thread, "thread"))
        if topic is None or topic.deleted:
            raise Mistake(f"there is no topic {thread}", 404)
        self.world.change_topic(chat, topic, what, self._by(chat, by) or next(iter(chat.members)))
        return views.chat(self.world, chat)

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
        topic = _number(thread, "thread")
        message = self.world.write(
            there,
            user,
            text,
            entities=entities,
            parse_mode=parse_mode,
            thread_id=0 if topic == 1 else topic,
            reply_to=_number(reply_to, "reply_to"),
            as_chat=_yes(anonymous),
        )
        return views.message(self.world, there, message, user)

    @post("/control/edit")
    async def edit(self, as_: Any = None, chat: Any = "private", message: Any = 0, text: str = "") -> Data:
        """A person edits their own message."""
        user = self.person(as_)
        there = self.chat(chat, user)
        return views.message(self.world, there, self.world.edit(there, user, _number(message, "message"), text), user)

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
        self.world.react(there, user, _number(message, "message"), [emoji] if emoji else [])
        return views.message(self.world, there, self._message(there, message), user)

    @post("/control/pin")
    async def pin(self, as_: Any = None, chat: Any = "private", message: Any = 0, silent: Any = False) -> Data:
        """A person pins a message."""
        user = self.person(as_)
        there = self.chat(chat, user)
        self.world.pin(there, self._message(there, message), user.id, _yes(silent))
        return views.chat(self.world, there)

    @post("/control/unpin")
    async def unpin(self, as_: Any = None, chat: Any = "private", message: Any = 0) -> Data:
        """A person takes a pin away."""
        user = self.person(as_)
        there = self.chat(chat, user)
        if _number(message, "message") not in there.pinned:
            raise Mistake("that is not pinned", 404)
        self.world.unpin(there, _number(message, "message"))
        return views.chat(self.world, there)

    @post("/control/open")
    async def open(self, as_: Any = None, url: str = "", start: Any = True) -> Data:
        """Follow a link of the bot: t.me/BOT?start=X opens the private chat and, with *start*, presses START."""
        user = self.person(as_)
        parts = urlsplit(url if "//" in url else f"https://{url}")
        if parts.scheme == "tg" and parts.netloc == "resolve":
            query = parse_qs(parts.query, keep_blank_values=True)
            name = query.get("domain", [""])[0]
        else:
            query, name = parse_qs(parts.query, keep_blank_values=True), parts.path.strip("/")
        bot = next(
            (b for b in self.world.bots.values() if self.world.users[b.id].username.lower() == name.lower()), None
        )
        if bot is None or (parts.netloc not in ("t.me", "telegram.me", "resolve")):
            return {"url": url, "opened": "outside"}
        chat = self.chat("private", user, bot.id)
        payload = query.get("start", [""])[0]
        if _yes(start) and ("start" in query):
            return {"opened": "private", "message": await self.start(user.id, payload, bot.id)}
        return {"opened": "private", "chat": views.chat(self.world, chat), "payload": payload}

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
        shown = views.visible(self.world, there, viewer, None if thread in (None, "") else _number(thread, "thread"))
        answer: Data = {"chat": there.id, "seq": self.world.seq}
        if since not in (None, ""):
            first = _number(since, "since")
            answer["gone"] = [
                {"id": m.id, "ephemeral": m.ephemeral_id}
                for m in [*there.messages.values(), *there.ephemeral.values()]
                if (m.deleted or m.lost) and m.seq > first
            ]
            shown = [m for m in shown if m.seq > first]
        if last not in (None, ""):
            shown = shown[-_number(last, "last") :]
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
        found = chat.messages.get(_number(message, "message"))
        if found is None or found.deleted:
            raise Mistake(f"there is no message {message}", 404)
        return found

    # --- pressing

    @post("/control/press")
    async def press(
        self,
        as_: Any = None,
        chat: Any = "private",
        message: Any = None,
        ephemeral: Any = None,
        row: Any = None,
        col: Any = None,
        text: Any = None,
        data: Any = None,
        force: Any = False,
        wait: Any = 10,
        bot: Any = None,
        thread: Any = None,
    ) -> Data:
        """Press a button, and wait for what the bot answers.

        The button is named by row and column, by its text, or by its data; without a message it is looked for from the
        newest message up. It must be there for that person, unless *force*: then the data go out as they are.
        """
        user = self.person(as_)
        there = self.chat(chat, user, bot)
        if _yes(force):
            if data is None:
                raise Mistake("force needs data")
            return await self._press(
                user, there, _number(message, "message"), _number(ephemeral, "ephemeral"), str(data), wait
            )
        if not there.is_private and not self.world.member(there, user.id).present:
            raise Mistake(f"{user.name} is not in this group", 403)
        topic = None if thread in (None, "") else _number(thread, "thread")
        only = (_number(message, "message"), _number(ephemeral, "ephemeral"))
        shown = views.visible(self.world, there, user, topic, only if any(only) else None)
        if not shown:
            raise Mistake("that message is not there", 404)
        found, button = self._button(list(reversed(shown)), row, col, text, data)
        kind = button["kind"]
        if kind == "data":
            return await self._press(user, there, found.id, found.ephemeral_id, button["data"], wait) | {
                "button": button["text"]
            }
        if kind == "disabled":
            raise Mistake(f"the button {button['text']} is disabled", 409)
        return {"kind": kind, "button": button["text"], "message": found.id, kind: button[kind]}

    @staticmethod
    def _button(shown: list[Message], row: Any, col: Any, text: Any, data: Any) -> tuple[Message, Data]:
        """The button that is meant: exactly that text before a part of it."""
        if text is None and data is None and row is None:
            raise Mistake("say which button: row and col, text, or data")
        tests: list[Callable[[Data], bool]] = [
            lambda b: (text is None or b["text"] == text) and (data is None or b.get("data") == data)
        ]
        if text is not None and data is None:
            tests.append(lambda b: str(text) in b["text"])
        for test in tests:
            for message in shown:
                for r, buttons in enumerate(views.buttons(message.markup)):
                    for c, button in enumerate(buttons):
                        if (
                            (row is None or r == _number(row, "row"))
                            and (col is None or c == _number(col, "col"))
                            and test(button)
                        ):
                            return message, button
        there = [[b["text"] for b in buttons] for m in shown[:1] for buttons in views.buttons(m.markup)]
        raise Mistake("there is no such button", 404, buttons=there)

    async def _press(self, user: User, chat: Chat, message: int, ephemeral: int, data: str, wait: Any) -> Data:
        bot = self.bot(chat.bot_id) if chat.is_private else self.world.bot
        found = chat.ephemeral.get(ephemeral) or chat.messages.get(message)
        if found is not None:
            bot = self.world.bots.get(found.sender_id, bot)
        callback = self.world.press(bot, user, chat, message, ephemeral, data)
        await self._answered(callback, _seconds(wait, "wait"))
        answer = callback.answer or {"text": "", "show_alert": False, "url": ""}
        return {
            "kind": "data",
            "query": callback.id,
            "update_id": callback.update_id,
            "message": message,
            "ephemeral": ephemeral,
            "data": data,
            "answered": callback.answer is not None,
            "seconds": round(max(0.0, callback.answered_at - callback.at), 4),
            **answer,
        }

    async def _answered(self, callback: Callback, seconds: float) -> None:
        """Wait for the answer to a press alone: a bench has hundreds of them under way."""
        if seconds <= 0:
            return
        answered = asyncio.Event()
        self.world.answer_listeners[callback.id] = answered.set
        try:
            await asyncio.wait_for(answered.wait(), min(seconds, 600))
        except TimeoutError:
            pass
        finally:
            self.world.answer_listeners.pop(callback.id, None)

    @get("/control/queries/{query}")
    async def query(self, query: str) -> Data:
        """A press, and how it was answered."""
        callback = self.world.callbacks.get(query)
        if callback is None:
            raise Mistake("there is no such query", 404)
        return asdict(callback)

    # --- waiting

    async def _until(self, look: Callable[[], Any], seconds: float) -> Any:
        """The first thing *look* finds; None when the time is over."""
        found = look()
        if found is not None and found is not False:
            return found
        if seconds <= 0:
            return None
        news = asyncio.Event()
        world, end = self.world, time.monotonic() + min(seconds, 600)
        world.listeners.append(news.set)
        try:
            while True:
                found = look()
                if found is not None and found is not False:
                    return found
                left = end - time.monotonic()
                if left <= 0 or self.playground.stopping:
                    return None
                try:
                    await asyncio.wait_for(news.wait(), min(left, 0.05 if getattr(look, "impatient", False) else left))
                except TimeoutError:
                    pass
                news.clear()
        finally:
            world.listeners.remove(news.set)

    def busy(self) -> str:
        """What is still going on with the bots, "" for nothing."""
        for bot in self.world.bots.values():
            self.world.drop_expired(bot)
            if bot.pending:
                return f"{len(bot.pending)} updates wait for the bot"
        if self.playground.delivery.in_flight:
            return "an update is being delivered"
        if self.playground.active:
            return "a call is under way"
        return ""

    @post("/control/wait")
    async def wait(
        self,
        timeout: Any = 10,  # noqa: ASYNC109 (it is a field of the API)
        since: Any = 0,
        chat: Any = None,
        as_: Any = None,
        thread: Any = None,
        text: Any = None,
        regex: Any = None,
        button: Any = None,
        message: Any = None,
        from_bot: Any = False,
        gone: Any = None,
        idle: Any = False,
        quiet: Any = 0.15,
        alert: Any = False,
        call: Any = None,
        after: Any = 0,
    ) -> Data:
        """Wait until something is so; 408 when it is not within *timeout* seconds.

        idle: the bot has taken every update, and nothing happened for *quiet* seconds. chat (with as): a message that
        person sees, new or changed after the event *since*, holds text, fits regex, has the button, has the id
        message, is from_bot; or, with gone, that message is not there any more. alert: as was shown one after *since*
        (its at). call: a call of that method is on the record after number *after*.
        """
        seconds = _seconds(timeout, "timeout")
        first = _number(since, "since")
        if _yes(idle):
            hush = _seconds(quiet, "quiet")

            def calm() -> bool:
                return not self.busy() and time.monotonic() - self.playground.last_activity >= hush

            calm.impatient = True  # type: ignore[attr-defined]
            if not await self._until(calm, seconds):
                raise Mistake(f"the bot is not idle: {self.busy() or 'it keeps calling'}", 408)
            return {"idle": True, "seq": self.world.seq}
        if call is not None:
            number = _number(after, "after")

            def called() -> Data | None:
                for entry in reversed(self.playground.record.entries):
                    if entry["n"] <= number:
                        return None
                    if entry["what"] == "call" and entry["method"].lower() == str(call).lower():
                        return entry
                return None

            found = await self._until(called, seconds)
            if found is None:
                raise Mistake(f"no call of {call} within {seconds:g} s", 408)
            return {"call": found, "seq": self.world.seq}
        viewer = self.person(as_) if as_ not in (None, "") else None
        if _yes(alert):
            if viewer is None:
                raise Mistake("say whose alert, with as")
            moment = float(since or 0)
            found = await self._until(
                lambda: next(
                    (a for a in reversed(self.world.alerts) if a["person"] == viewer.id and a["at"] > moment), None
                ),
                seconds,
            )
            if found is None:
                raise Mistake(f"no alert within {seconds:g} s", 408)
            return {"alert": found, "seq": self.world.seq}
        if chat is None:
            found = await self._until(lambda: self.world.seq > first, seconds)
            if not found:
                raise Mistake(f"nothing happened within {seconds:g} s", 408)
            return {"seq": self.world.seq}
        there = self.chat(chat, viewer)
        pattern = re.compile(str(regex)) if regex is not None else None
        topic = None if thread in (None, "") else _number(thread, "thread")
        if gone is not None:
            number = _number(gone, "gone")
            if not await self._until(
                lambda: all(m.id != number for m in views.visible(self.world, there, viewer)), seconds
            ):
                raise Mistake(f"message {number} is still there after {seconds:g} s", 408)
            return {"gone": number, "seq": self.world.seq}

        def fits(m: Message) -> bool:
            return (
                m.seq > first
                and (text is None or str(text) in m.text)
                and (pattern is None or pattern.search(m.text) is not None)
                and (button is None or any(str(button) in b["text"] for r in views.buttons(m.markup) for b in r))
                and (message is None or m.id == _number(message, "message"))
                and (not _yes(from_bot) or self.world.users[m.sender_id].is_bot)
            )

        def seen() -> Message | None:
            if there.seq <= first:
                return None
            return next((m for m in reversed(views.visible(self.world, there, viewer, topic)) if fits(m)), None)

        match = await self._until(seen, seconds)
        if match is None:
            tail = [m.text for m in views.visible(self.world, there, viewer, topic)[-3:]]
            raise Mistake(f"no such message within {seconds:g} s", 408, seq=self.world.seq, last=tail)
        return {"message": views.message(self.world, there, match, viewer), "seq": self.world.seq}

    @get("/control/events")
    async def events(self, since: Any = None) -> Any:
        """Server-sent events: one for everything that happens, after the event *since* or from now on."""
        start = self.world.seq if since in (None, "") else _number(since, "since")
        return StreamingResponse(
            self._stream(start), media_type="text/event-stream", headers={"Cache-Control": "no-store"}
        )

    async def _stream(self, seq: int) -> AsyncIterator[str]:
        news = asyncio.Event()
        world = self.world
        world.listeners.append(news.set)
        try:
            yield f"retry: 400\nevent: hello\ndata: {json.dumps({'seq': world.seq, 'born': world.base})}\n\n"
            while not self.playground.stopping and self.playground.world is world:
                fresh = []
                for event in reversed(world.events):
                    if event["seq"] <= seq:
                        break
                    if event["kind"] not in ("update", "delivered", "taken"):
                        fresh.append(event)
                seq = world.seq
                for event in reversed(fresh):
                    yield f"data: {json.dumps(event)}\n\n"
                try:
                    await asyncio.wait_for(news.wait(), 10)
                except TimeoutError:
                    yield ": still here\n\n"
                news.clear()
        finally:
            if news.set in world.listeners:
                world.listeners.remove(news.set)

    # --- the record

    @get("/control/calls")
    async def calls(
        self, after: Any = 0, method: str = "", chat: Any = None, errors: Any = False, last: Any = None
    ) -> Data:
        """Every call the bot made: method, params, encoding, result or error, time."""
        number, there = _number(after, "after"), self.chat(chat).id if chat not in (None, "") else None
        found = [
            e
            for e in self.playground.record.entries
            if e["n"] > number
            and e["what"] == "call"
            and (not method or e["method"].lower() == method.lower())
            and (not _yes(errors) or not e["ok"])
            and (there is None or str(e["params"].get("chat_id")) == str(there))
        ]
        return {
            "calls": found[-_number(last, "last") :] if last not in (None, "") else found,
            "n": self.playground.record.count,
        }

    @get("/control/traffic")
    async def traffic(self, after: Any = 0) -> Data:
        """Calls and deliveries in the order in which they came."""
        number = _number(after, "after")
        return {
            "traffic": [e for e in self.playground.record.entries if e["n"] > number],
            "n": self.playground.record.count,
        }

    @get("/control/violations")
    async def violations(self) -> Data:
        """Calls that did not fit the schema (with --check-schema)."""
        return {"violations": self.playground.record.violations}

    @get("/control/rings")
    async def rings(self, person: Any = None, chat: Any = None, since: Any = 0) -> Data:
        """Whose phone rang, why, and whether with a sound: of messages after the event *since*."""
        who = self.person(person).id if person not in (None, "") else 0
        there = self.chat(chat).id if chat not in (None, "") else 0
        first = _number(since, "since")
        chats = {id(c): c for c in [*self.world.chats.values(), *self.world.private.values()]}
        found = [
            {
                "chat": c.id,
                "message": m.id,
                "order": m.order,
                "at": m.date,
                "text": m.text,
                "person": r.user_id,
                "why": r.why,
                "sound": r.sound,
            }
            for c in chats.values()
            if there in (0, c.id)
            for m in c.messages.values()
            if m.seq > first
            for r in m.rings
            if who in (0, r.user_id)
        ]
        return {"rings": sorted(found, key=lambda r: r["order"]), "seq": self.world.seq}

    # --- updates

    @get("/control/updates")
    async def updates(self, last: Any = 200) -> Data:
        """The updates so far: kind, queue, attempts and what became of each."""
        return {
            "updates": [asdict(u) for u in list(self.world.updates)[-_number(last, "last", 200) :]],
            "pending": {str(b.id): len(b.pending) for b in self.world.bots.values()},
        }

    @post("/control/updates")
    async def inject(self, update: Any = None, bot: Any = None, key: str = "") -> Data:
        """Give the bot an update of any shape; without an update_id it gets the next one."""
        if not isinstance(update, dict):
            raise Mistake("update is an object")
        kind = next((k for k in update if k != "update_id"), "nothing")
        number = update.get("update_id")
        made = self.world.enqueue(
            self.bot(bot),
            kind,
            key or f"injected {self.world.seq}",
            {k: v for k, v in update.items() if k != "update_id"},
            number,
        )
        return {"update_id": made.id}

    @post("/control/updates/{update}/repeat")
    async def repeat(self, update: Any, bot: Any = None) -> Data:
        """Deliver an update once more."""
        number = _number(update, "update")
        old = next((u for u in reversed(self.world.updates) if u.id == number), None)
        if old is None:
            raise Mistake(f"there is no update {number}", 404)
        self.world.enqueue(self.bot(bot), old.kind, f"{old.key} again {self.world.seq}", old.payload, number)
        return {"update_id": number}

    @post("/control/updates/hold")
    async def hold(self) -> Data:
        """Deliver nothing for now."""
        self.playground.delivery.paused = True
        return {"held": True}

    @post("/control/updates/release")
    async def release(self) -> Data:
        """Deliver again."""
        self.playground.delivery.paused = False
        self.playground.delivery.kick()
        return {"held": False}

    # --- faults

    @get("/control/faults")
    async def faults(self) -> Data:
        """The faults that hold, and how often each struck."""
        return {"faults": [f.shape() for f in self.playground.faults.rules]}

    @post("/control/faults")
    async def add_fault(self, **given: Any) -> Data:
        """Make calls fail: kind, method, chat, text, seconds, skip, times, share, person."""
        for name in ("chat", "person"):
            if given.get(name):
                given[name] = (self.chat if name == "chat" else self.person)(given[name]).id
        return self.playground.faults.add(given).shape()

    @post("/control/faults/clear")
    async def clear_faults(self, id: Any = None) -> Data:
        """Take a fault away, or all."""
        rules = self.playground.faults.rules
        rules[:] = [f for f in rules if id not in (None, "") and f.id != _number(id, "id")]
        return await self.faults()


# --- HTTP around it


async def _page(request: Request) -> Response:
    name = request.path_params.get("name") or "index.html"
    path = PAGE / name
    if path.parent != PAGE or not path.is_file() or path.suffix not in (".html", ".css", ".js", ".svg"):
        return PlainTextResponse("not found", 404)
    return FileResponse(
        path,
        headers={
            "Cache-Control": "no-cache",
            "X-Content-Type-Options": "nosniff",
            "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
            "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
            "frame-ancestors 'none'",
            "Referrer-Policy": "no-referrer",
        },
    )


def _endpoint(controls: Controls, name: str) -> Callable[[Request], Any]:
    function = getattr(controls, name)
    parameters = inspect.signature(function).parameters
    anything = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    known = [p for p, v in parameters.items() if v.kind is not v.VAR_KEYWORD]

    async def answer(request: Request) -> Response:
        try:
            given: Data = dict(request.query_params)
            body = await request.body()
            if body:
                try:
                    value = json.loads(body)
                except ValueError:
                    raise Mistake("the body is no JSON") from None
                if not isinstance(value, dict):
                    raise Mistake("the body is no JSON object")
                given |= value
            given |= request.path_params
            given = _whole(given)
            if "as" in given:
                given["as_"] = given.pop("as")
            wrong = [k for k in given if k not in known]
            if wrong and not anything:
                fields_ = ", ".join(k.rstrip("_") for k in known) or "none"
                raise Mistake(f"there is no field {', '.join(wrong)} here; there are {fields_}")
            result = await function(**given)
        except Mistake as mistake:
            return JSONResponse({"error": str(mistake), **mistake.more}, mistake.status)
        except Refused as refusal:
            return JSONResponse({"error": refusal.description}, 400)
        except (TypeError, ValueError, AttributeError) as problem:
            return JSONResponse({"error": f"that could not be read: {problem}"}, 400)
        if isinstance(result, Response):
            return result
        return _Json(result)

    return answer


def _whole(value: Any) -> Any:
    """*value* with every text in it made whole: JSON can spell half characters, Telegram cannot."""
    if isinstance(value, str):
        return text.whole(value)
    if isinstance(value, dict):
        return {_whole(k): _whole(v) for k, v in value.items()}
    return [_whole(v) for v in value] if isinstance(value, list) else value


class _Json(JSONResponse):
    """JSON in ASCII: whatever a hostile name holds arrives as it is."""

    def render(self, content: Any) -> bytes:
        return json.dumps(content, ensure_ascii=True, allow_nan=False, separators=(",", ":"), default=str).encode()


class _Guard:
    """Turns away what another web page sends here: a foreign Origin, or a Host that is no address of this machine."""

    def __init__(self, app: Any, host: str) -> None:
        self.app, self.host = app, host

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            headers = {k: v.decode("latin-1") for k, v in scope["headers"]}
            host, origin = headers.get(b"host", ""), headers.get(b"origin")
            if not self._is_home(host) or (origin is not None and urlsplit(origin).netloc != host):
                response = JSONResponse(
                    {"error": "this playground listens to its own page and to scripts, not to other pages"}, 403
                )
                await response(scope, receive, send)
                return
        await self.app(scope, receive, send)

    def _is_home(self, host: str) -> bool:
        name = re.sub(r":\d+$", "", host)
        # A foreign page can only point its own domain here (DNS rebinding), and a domain has a dot and a letter.
        return (
            name in (self.host, "localhost")
            or "." not in name
            or re.fullmatch(r"[\d.]+|\[[0-9a-fA-F:.]+\]", name) is not None
        )


def app(playground: Playground) -> Any:
    """The control API and the page as an ASGI application."""
    controls = playground.controls = Controls(playground)
    routes = [
        Route(path, _endpoint(controls, name), methods=[verb])
        for verb, path, name in sorted(ROUTES, key=lambda r: (r[1].count("{"), -len(r[1])))
    ]
    routes += [Route("/", _page), Route("/{name}", _page)]
    return _Guard(Starlette(routes=routes, exception_handlers={404: _nothing, 405: _nothing}), playground.host)


async def _nothing(request: Request, problem: Exception) -> Response:
    status = getattr(problem, "status_code", 404)
    why = (
        "this address does not take " + request.method
        if status == 405
        else "there is no such address; docs/playground.md has them all"
    )
    return JSONResponse({"error": why}, status)
