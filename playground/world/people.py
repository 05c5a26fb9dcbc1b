"""People, bots, and how they stand to each other and in a group."""

from __future__ import annotations

from playground import shapes
from playground.errors import Mistake
from playground.things import Bot, Chat, Member, User
from playground.world.news import News


class People(News):
    """People and bots."""

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

    def member(self, chat: Chat, user_id: int) -> Member:
        """How that user stands in the group."""
        member = chat.members.get(user_id) or Member(user_id, "left")
        if member.until and member.until <= self.now() and member.status in ("restricted", "kicked"):
            member.status, member.until = ("member" if member.status == "restricted" else "left"), 0
        return member
