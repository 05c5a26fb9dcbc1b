"""What all methods share: reading a call, finding the chat and the right, sending and editing."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from playground import shapes, text
from playground.errors import Refused, bad, forbidden
from playground.limits import Limits
from playground.markup import read_markup
from playground.things import GENERAL, Bot, Chat, Message
from playground.world import World

Params = dict[str, Any]
METHODS: dict[str, tuple[str, Callable[[BotApi, Bot, Call], Any]]] = {}


class File:
    """A file of a multipart request."""

    def __init__(self, name: str, data: bytes) -> None:
        self.name, self.data = name, data


class Call:
    """The parameters of a call, read as Telegram reads them: everything may be text."""

    def __init__(self, params: Params) -> None:
        self.params = params

    def has(self, name: str) -> bool:
        """Whether it was given, and is not empty."""
        return self.params.get(name) not in (None, "")

    def text(self, name: str, default: str = "") -> str:
        """As text."""
        value = self.params.get(name)
        if value is None or isinstance(value, File):
            return default
        return value if isinstance(value, str) else json.dumps(value)

    def integer(self, name: str, default: int = 0) -> int:
        """As a number; what is none is the default."""
        value = self.params.get(name)
        if isinstance(value, bool) or value is None:
            return default
        try:
            return int(str(value).strip())
        except ValueError:
            return default

    def flag(self, name: str) -> bool:
        """As yes or no: true, yes and 1 are yes (Client::to_bool)."""
        return str(self.params.get(name, "")).lower() in ("true", "yes", "1")

    def json(self, name: str, wrong: str) -> Any:
        """As an object, given as such or as JSON text."""
        value = self.params.get(name)
        if not isinstance(value, str):
            return value
        if value == "":
            return None
        try:
            return json.loads(value)
        except ValueError:
            raise bad(wrong) from None


def method(handler: Callable[[BotApi, Bot, Call], Any]) -> Callable[[BotApi, Bot, Call], Any]:
    """Make a function a method of the Bot API, under its own name in camel case."""
    name = re.sub(r"_(\w)", lambda m: m[1].upper(), handler.__name__.rstrip("_"))
    METHODS[name.lower()] = (name, handler)
    return handler


class BotApi:
    """The bot's side of the world."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.limits = Limits(world.settings)

    def __call__(self, bot: Bot, name: str, params: Params) -> Any:
        """The result of a call; raises what Telegram refuses. Names are read in any case."""
        found = METHODS.get(name.lower())
        if found is None:
            raise Refused(404, "method not found")
        return found[1](self, bot, Call(params))

    # --- reading what is meant

    def chat(self, bot: Bot, call: Call, *, read: bool = False) -> Chat:
        """The chat of ``chat_id``, if the bot has any business there; *read* is enough for questions."""
        world, given = self.world, call.text("chat_id").strip()
        if not given:
            raise bad("chat_id is empty")
        chat: Chat | None = None
        if given.startswith("@"):
            chat = next(
                (c for c in world.chats.values() if c.username and c.username.lower() == given[1:].lower()), None
            )
        elif re.fullmatch(r"-?\d+", given):
            number = int(given)
            if number > 0 and number in world.users:
                if number == bot.id or world.users[number].is_bot:
                    raise forbidden("the bot can't send messages to the bot")
                chat = world.private_chat(number, bot.id)
            else:
                chat = world.chats.get(number)
        if chat is None:
            raise bad("chat not found")
        if read:
            if not chat.is_private:
                self._present(bot, chat)
            return chat
        if chat.is_private:
            if world.users[chat.user_id].deleted:
                raise forbidden("user is deactivated")
            if chat.blocked:
                raise forbidden("bot was blocked by the user")
            if not chat.started:
                raise forbidden("bot can't initiate conversation with a user")
        elif chat.migrated_to:
            raise bad("group chat was upgraded to a supergroup chat", migrate_to_chat_id=chat.migrated_to)
        else:
            self._present(bot, chat)
        return chat

    def _present(self, bot: Bot, chat: Chat) -> None:
        if chat.gone:
            raise forbidden(f"the {chat.kind} chat was deleted")
        member = self.world.member(chat, bot.id)
        if member.status == "kicked":
            raise forbidden(f"bot was kicked from the {chat.kind} chat")
        if not member.present:
            if bot.id not in chat.members:
                raise (
                    bad("chat not found")
                    if chat.kind == "group"
                    else forbidden("bot is not a member of the supergroup chat")
                )
            raise forbidden(f"bot is not a member of the {chat.kind} chat")

    def _right(self, bot: Bot, chat: Chat, right: str) -> bool:
        """Whether the bot has a right, by itself or with everybody."""
        member = self.world.member(chat, bot.id)
        if member.is_admin:  # the rights to write are no administrator's rights: such a one always may
            return member.status == "creator" or right.startswith("can_send_") or bool(member.rights.get(right))
        if member.status == "restricted" and not member.permissions.get(right):
            return False
        return bool(chat.permissions.get(right))

    def may_send(self, bot: Bot, chat: Chat, what: str = "can_send_messages", named: str = "text messages") -> None:
        """Refuse where the bot may not write."""
        if chat.is_private:
            return
        member = self.world.member(chat, bot.id)
        if member.is_admin:
            return
        if not self._right(bot, chat, "can_send_messages") or not self._right(bot, chat, what):
            raise bad(f"not enough rights to send {named} to the chat")

    def thread(self, bot: Bot, chat: Chat, call: Call) -> int:
        """The topic to write to, 0 for none."""
        thread = call.integer("message_thread_id")
        if not chat.is_forum:
            if not thread:
                return 0
            root = chat.messages.get(thread)
            if chat.kind != "supergroup" or root is None or root.deleted:
                raise bad("message thread not found")
            return 0
        if thread == GENERAL:
            # General is written to without a thread: field/telegram.md 1.3.
            raise bad("message thread not found")
        topic = chat.topics.get(thread or GENERAL)
        if topic is None or topic.deleted:
            raise bad("message thread not found")
        if topic.closed:
            member = self.world.member(chat, bot.id)
            if not (member.is_admin and member.rights.get("can_manage_topics", member.status == "creator")):
                raise bad("TOPIC_CLOSED")
        return thread

    def reply(self, chat: Chat, call: Call) -> tuple[int, int]:
        """The public and the ephemeral message that is replied to."""
        given = call.json("reply_parameters", "can't parse reply parameters JSON object")
        number = allow = None
        if isinstance(given, dict):
            ephemeral = given.get("ephemeral_message_id")
            if isinstance(ephemeral, int) and ephemeral:
                return 0, ephemeral
            number, allow = given.get("message_id"), given.get("allow_sending_without_reply")
        elif given is not None:
            raise bad("can't parse reply parameters JSON object")
        elif call.has("reply_to_message_id"):  # the old way, still read
            number, allow = call.integer("reply_to_message_id"), call.flag("allow_sending_without_reply")
        if not isinstance(number, int) or number <= 0:
            return 0, 0  # a reply to 0 is a public message that answers nothing: field/telegram.md 0.3
        replied = chat.messages.get(number)
        if replied is None or replied.deleted:
            if allow:
                return 0, 0
            raise bad("message to be replied not found")
        return number, 0

    def formatted(
        self,
        call: Call,
        name: str = "text",
        entities: str = "entities",
        limit: int = text.TEXT_LIMIT,
        caption: bool = False,
    ) -> tuple[str, list[dict[str, Any]]]:
        """A text parameter with its markup."""
        given = call.json(entities, "can't parse entities: expected an Array of MessageEntity")
        return text.formatted(
            call.text(name), call.text("parse_mode"), given, lambda user_id: user_id in self.world.users, limit, caption
        )

    def message(self, chat: Chat, call: Call, missing: str, name: str = "message_id") -> Message:
        """The message that is meant, or the refusal *missing*."""
        if not call.has(name):
            raise bad("message identifier is not specified")
        message = chat.messages.get(call.integer(name))
        if message is None or message.deleted:
            raise bad(missing)
        return message

    def shape(self, message: Message, bot: Bot) -> dict[str, Any]:
        """The Message that a method returns."""
        return shapes.message(self.world, message, bot)

    # --- sending

    def send(
        self, bot: Bot, call: Call, what: str, named: str, content: Callable[[], dict[str, Any]]
    ) -> dict[str, Any]:
        """Send something: the way that all send methods share."""
        ephemeral = call.json("ephemeral_message_parameters", "can't parse ephemeral message parameters JSON object")
        chat = self.chat(bot, call)
        fields = content()
        markup = read_markup(call.params.get("reply_markup"), private=chat.is_private)
        if ephemeral is not None:
            return self._send_ephemeral(bot, chat, call, ephemeral, fields, markup)
        self.may_send(bot, chat, what, named)
        thread = self.thread(bot, chat, call)
        reply_to, ephemeral_reply = self.reply(chat, call)
        if ephemeral_reply:
            raise bad("message to be replied not found")  # a reply to an ephemeral message must be one itself
        self.limits.take(bot.id, chat, self.world.now())
        inline = markup if markup and "inline_keyboard" in markup else None
        message = self.world.post(
            chat,
            bot.id,
            thread_id=thread,
            reply_to=reply_to,
            markup=inline,
            reply_markup=None if inline else markup,
            silent=call.flag("disable_notification"),
            protected=call.flag("protect_content"),
            effect_id=call.text("message_effect_id"),
            **fields,
        )
        return self.shape(message, bot)

    def _send_ephemeral(
        self, bot: Bot, chat: Chat, call: Call, given: Any, fields: dict[str, Any], markup: dict[str, Any] | None
    ) -> dict[str, Any]:
        """Send to one member of a group: within 15 s of what they did, or at any time as an administrator (1.5)."""
        world = self.world
        if not isinstance(given, dict):
            raise bad("can't parse ephemeral message parameters JSON object")
        receiver = given.get("receiver_user_id")
        if isinstance(receiver, str) and receiver.isdigit():
            receiver = int(receiver)
        if not isinstance(receiver, int) or isinstance(receiver, bool):
            raise bad("can't parse ephemeral message parameters: Can't find field \"receiver_user_id\"")
        if chat.is_private:
            raise bad("BOT_NOT_ADMIN")  # reported of private chats
        if markup and any("login_url" in button for row in markup.get("inline_keyboard", ()) for button in row):
            raise bad("BUTTON_TYPE_INVALID")
        person = world.users.get(receiver)
        if person is None:
            raise bad("user not found")
        if person.is_bot or not world.member(chat, receiver).present:
            raise bad("PARTICIPANT_ID_INVALID")
        reply_to, ephemeral_reply = self.reply(chat, call)
        query_id, replaces = given.get("callback_query_id"), 0
        now, window = world.now(), world.settings.ephemeral_seconds
        if query_id:
            callback = world.callbacks.get(str(query_id))
            if callback is None or callback.bot_id != bot.id or callback.answers or now - callback.at > window:
                # Answering closes the query: the ephemeral message comes first (1.5).
                raise bad("query is too old and response timeout expired or query ID is invalid")
            if callback.user_id != receiver or callback.chat_id != chat.id:
                raise bad("USER_ID_INVALID")
            if given.get("replace_callback_query_message"):
                if callback.ephemeral_id:
                    raise bad("MESSAGE_ID_INVALID")  # those are edited
                replaces = callback.message_id
        elif ephemeral_reply:
            command = world.ephemeral(chat, ephemeral_reply)
            if command is None or command.sender_id != receiver or now - command.date > window:
                raise bad("message to be replied not found")
        elif not world.member(chat, bot.id).is_admin:
            raise bad("BOT_NOT_ADMIN")
        thread = call.integer("message_thread_id")
        if thread:
            thread = self.thread(bot, chat, call)
        self.limits.take(bot.id, chat, now)
        message = world.add_ephemeral(
            chat,
            bot.id,
            receiver,
            thread_id=thread,
            replaces=replaces,
            reply_to=reply_to,
            markup=markup,
            silent=call.flag("disable_notification"),
            protected=call.flag("protect_content"),
            **fields,
        )
        return self.shape(message, bot)

    # --- editing

    def editable(self, bot: Bot, call: Call) -> tuple[Chat, Message]:
        """The bot's own message that is to be edited."""
        if call.has("inline_message_id"):
            raise bad("MESSAGE_ID_INVALID")  # this Telegram has no inline mode
        chat = self.chat(bot, call)
        message = self.message(chat, call, "message to edit not found")
        if message.sender_id != bot.id or message.service is not None:
            raise bad("message can't be edited")
        if not chat.is_private and not self._right(bot, chat, "can_send_messages"):
            raise bad("CHAT_WRITE_FORBIDDEN")
        return chat, message

    def ephemeral_message(self, bot: Bot, call: Call) -> tuple[Chat, Message]:
        """The ephemeral message that an ephemeral method means."""
        chat = self.chat(bot, call)
        message = self.world.ephemeral(chat, call.integer("ephemeral_message_id"))
        if message is None or message.sender_id != bot.id or message.receiver_id != call.integer("receiver_user_id"):
            raise bad("message to edit not found")
        return chat, message

    def change(self, bot: Bot, chat: Chat, message: Message, **fields: Any) -> None:
        """Edit what is there; what would stay the same is refused."""
        if all(getattr(message, name) == value for name, value in fields.items()):
            raise bad(
                "message is not modified: specified new message content and reply markup are exactly the same as a "
                "current content and reply markup of the message"
            )
        self.limits.take(bot.id, chat, self.world.now())
        for name, value in fields.items():
            setattr(message, name, value)
        message.edit_date = self.world.stamp()
        message.edits += 1
        message.seq = self.world.tell(
            "edit", chat.id, message=message.id, ephemeral=message.ephemeral_id, by=bot.id, thread=message.thread_id
        )
