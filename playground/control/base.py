"""Whom and what a request means, and the table of addresses."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from playground.errors import Mistake
from playground.things import Bot, Chat, User
from playground.world import World

if TYPE_CHECKING:
    from playground.server import Playground


ROUTES: list[tuple[str, str, str]] = []  # HTTP method, path, function

Data = dict[str, Any]
F = TypeVar("F", bound=Callable[..., Any])


def get(path: str) -> Callable[[F], F]:
    """Answer GET at this path."""
    return _route("GET", path)


def post(path: str) -> Callable[[F], F]:
    """Answer POST at this path."""
    return _route("POST", path)


def _route(verb: str, path: str) -> Callable[[F], F]:
    def note(function: F) -> F:
        ROUTES.append((verb, path, function.__name__))
        return function

    return note


def as_number(value: Any, name: str, default: int = 0) -> int:
    """A field as a number."""
    if value is None or value == "":
        return default
    try:
        return int(value)
    except (TypeError, ValueError):
        raise Mistake(f"{name} is a number, not {value!r}") from None


def as_seconds(value: Any, name: str) -> float:
    """A field as seconds."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise Mistake(f"{name} is a number of seconds, not {value!r}") from None


def as_yes(value: Any) -> bool:
    """A field as yes or no."""
    return value if isinstance(value, bool) else str(value).lower() in ("1", "true", "yes")


class Base:
    """Whom and what a request means."""

    def __init__(self, playground: Playground) -> None:
        self.playground = playground

    @property
    def world(self) -> World:
        """The world as it is now."""
        return self.playground.world

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
