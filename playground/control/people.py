"""People, what they follow, and bots."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from playground import views
from playground.errors import Mistake

if TYPE_CHECKING:
    pass
from playground.control.base import Data, as_number, as_yes, get, post
from playground.control.chats import Chats


class People(Chats):
    """People and bots."""

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
        user = self.world.add_person(name, last_name, username, language, as_number(id, "id"))
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
        user.offline = user.offline if offline is None else as_yes(offline)
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

    @post("/control/open")
    async def open(self, as_: Any = None, url: str = "", start: Any = True, group: Any = None) -> Data:
        """Follow a link of the bot: t.me/BOT?start=X opens the private chat and, with *start*, presses START.

        t.me/BOT?startgroup=X adds the bot to *group*, and writes /start@BOT X there.
        """
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
        if "startgroup" in query:
            there = self.group(group)
            if not self.world.member(there, bot.id).present:
                self.world.set_member(there, bot.id, "member", user.id)
            words = f"/start@{self.world.users[bot.id].username} {query['startgroup'][0]}".strip()
            return {
                "opened": "group",
                "message": views.message(self.world, there, self.world.write(there, user, words), user),
            }
        chat = self.chat("private", user, bot.id)
        payload = query.get("start", [""])[0]
        if as_yes(start) and ("start" in query):
            return {"opened": "private", "message": await self.start(user.id, payload, bot.id)}
        return {"opened": "private", "chat": views.chat(self.world, chat), "payload": payload}

    # --- bots

    @post("/control/bots")
    async def add_bot(self, token: str = "", username: str = "", name: str = "", privacy: Any = True) -> Data:
        """One more bot, with a token of its own."""
        if not re.fullmatch(r"\d+:[\w-]+", token):
            raise Mistake("a token looks like 1001:SECRET")
        return views.bot(self.world, self.world.add_bot(token, username, name, as_yes(privacy)))
