"""The methods of the Bot API, on the world: what a bot can do, and what it is refused, in Telegram's words."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from playground import shapes, text
from playground.errors import Refused, bad, forbidden
from playground.limits import Limits
from playground.markup import read_markup
from playground.things import GENERAL, HOURS_24, UPDATE_KINDS, Bot, Chat, Member, Message
from playground.world import World

Params = dict[str, Any]
METHODS: dict[str, tuple[str, Callable[[BotApi, Bot, Call], Any]]] = {}

# core.telegram.org/bots/api#reactiontypeemoji
REACTIONS = set(
    """
    ❤ 👍 👎 🔥 🥰 👏 😁 🤔 🤯 😱 🤬 😢 🎉 🤩 🤮 💩 🙏 👌 🕊 🤡
    🥱 🥴 😍 🐳 ❤‍🔥 🌚 🌭 💯 🤣 ⚡ 🍌 🏆 💔 🤨 😐 🍓 🍾 💋 🖕 😈
    😴 😭 🤓 👻 👨‍💻 👀 🎃 🙈 😇 😨 🤝 ✍ 🤗 🫡 🎅 🎄 ☃ 💅 🤪 🗿
    🆒 💘 🙉 🦄 😘 💊 🙊 😎 👾 🤷‍♂ 🤷 🤷‍♀ 😡
    """.split()
)
ACTIONS = {
    "typing",
    "upload_photo",
    "record_video",
    "upload_video",
    "record_voice",
    "upload_voice",
    "upload_document",
    "choose_sticker",
    "find_location",
    "record_video_note",
    "upload_video_note",
}


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


def _scope(api: BotApi, bot: Bot, call: Call) -> str:
    """The scope and language of a command list, as one key."""
    scope = call.json("scope", "can't parse BotCommandScope") or {"type": "default"}
    if not isinstance(scope, dict) or not isinstance(scope.get("type"), str):
        raise bad("can't parse BotCommandScope: Can't find field \"type\"")
    language = call.text("language_code")
    if language and not re.fullmatch(r"[a-z]{2}", language):
        raise bad("invalid language code specified")
    kind = scope["type"]
    if kind in ("default", "all_private_chats", "all_group_chats", "all_chat_administrators"):
        return f"{kind}|{language}"
    if kind not in ("chat", "chat_administrators", "chat_member"):
        raise bad("can't parse BotCommandScope: Unsupported type specified")
    chat = api.chat(bot, Call({"chat_id": scope.get("chat_id", "")}), read=True)
    if kind == "chat_member":
        return f"{kind} {chat.id} {scope.get('user_id')}|{language}"
    return f"{kind} {chat.id}|{language}"


# --- who am I


@method
def get_me(api: BotApi, bot: Bot, call: Call) -> Any:
    """The bot itself."""
    return shapes.me(bot, api.world.users[bot.id])


@method
def log_out(api: BotApi, bot: Bot, call: Call) -> Any:
    """Leave this server; here that changes nothing."""
    return True


@method
def close(api: BotApi, bot: Bot, call: Call) -> Any:
    """Close the bot on this server; here that changes nothing."""
    return True


# --- messages


@method
def send_message(api: BotApi, bot: Bot, call: Call) -> Any:
    """Send a text."""

    def content() -> dict[str, Any]:
        words, entities = api.formatted(call)
        preview = call.json("link_preview_options", "can't parse link preview options JSON object")
        if preview is None and call.flag("disable_web_page_preview"):
            preview = {"is_disabled": True}
        return {
            "text": words,
            "entities": entities,
            "link_preview": preview if isinstance(preview, dict) and preview else None,
        }

    return api.send(bot, call, "can_send_messages", "text messages", content)


@method
def send_photo(api: BotApi, bot: Bot, call: Call) -> Any:
    """Send a picture: a file, an address, or one that was sent before."""

    def content() -> dict[str, Any]:
        words, entities = api.formatted(call, "caption", "caption_entities", text.CAPTION_LIMIT, caption=True)
        return {"text": words, "entities": entities, "photo": _photo(api, call)}

    return api.send(bot, call, "can_send_photos", "photos", content)


def _photo(api: BotApi, call: Call) -> str:
    world, given = api.world, call.params.get("photo")
    if isinstance(given, str) and given.startswith("attach://"):
        given = call.params.get(given.removeprefix("attach://"))
    if isinstance(given, File):
        if not given.data:
            raise bad("file must be non-empty")
        if len(given.data) > 10 * 1024 * 1024:
            raise bad("file is too big")
        width, height = _size(given.data)
        if width + height > 10_000 or max(width, height) > 20 * min(width, height):
            raise bad("PHOTO_INVALID_DIMENSIONS")
        number = world._new_id("file")
        file_id = f"AgACAgIAAxkBAAI{number:08d}playground"
        world.files[file_id] = {
            "unique": f"AQAD{number:08d}",
            "width": width,
            "height": height,
            "size": len(given.data),
            "data": given.data,
        }
        return file_id
    if isinstance(given, str) and given in world.files:
        return given
    if isinstance(given, str) and given.startswith(("http://", "https://")):
        raise bad("failed to get HTTP URL content")  # there is no world outside
    if not given:
        raise bad("there is no photo in the request")
    raise bad("wrong file identifier/HTTP URL specified")


def _size(data: bytes) -> tuple[int, int]:
    """Width and height of a PNG or JPEG."""
    if data[:8] == b"\x89PNG\r\n\x1a\n" and len(data) >= 24:
        width, height = struct.unpack(">II", data[16:24])
        return width, height
    if data[:2] == b"\xff\xd8":
        at = 2
        while at + 9 < len(data):
            marker, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
            if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
                height, width = struct.unpack(">HH", data[at + 5 : at + 9])
                return width, height
            at += 2 + length
    raise bad("IMAGE_PROCESS_FAILED")


@method
def edit_message_text(api: BotApi, bot: Bot, call: Call) -> Any:
    """Change a text; without a keyboard, the keyboard goes."""
    chat, message = api.editable(bot, call)
    words, entities = api.formatted(call)
    markup = read_markup(call.params.get("reply_markup"), inline_only=True, private=chat.is_private)
    if not message.can_hold_text:
        raise bad("there is no text in the message to edit")
    api.change(bot, chat, message, text=words, entities=entities, markup=markup)
    return api.shape(message, bot)


@method
def edit_message_caption(api: BotApi, bot: Bot, call: Call) -> Any:
    """Change a caption."""
    chat, message = api.editable(bot, call)
    words, entities = api.formatted(call, "caption", "caption_entities", text.CAPTION_LIMIT, caption=True)
    markup = read_markup(call.params.get("reply_markup"), inline_only=True, private=chat.is_private)
    if not message.photo:
        raise bad("there is no caption in the message to edit")
    api.change(bot, chat, message, text=words, entities=entities, markup=markup)
    return api.shape(message, bot)


@method
def edit_message_reply_markup(api: BotApi, bot: Bot, call: Call) -> Any:
    """Change a keyboard."""
    chat, message = api.editable(bot, call)
    markup = read_markup(call.params.get("reply_markup"), inline_only=True, private=chat.is_private)
    api.change(bot, chat, message, markup=markup)
    return api.shape(message, bot)


@method
def delete_message(api: BotApi, bot: Bot, call: Call) -> Any:
    """Delete a message that may be deleted."""
    chat = api.chat(bot, call)
    message = api.message(chat, call, "message to delete not found")
    if not _deletable(api, bot, chat, message):
        raise bad("message can't be deleted")
    api.world.remove(message)
    return True


def _deletable(api: BotApi, bot: Bot, chat: Chat, message: Message) -> bool:
    """Bot API, deleteMessage: one's own under 48 hours old; anything at any age with an administrator's right."""
    member = Member(bot.id) if chat.is_private else api.world.member(chat, bot.id)
    if member.is_admin and member.rights.get("can_delete_messages", member.status == "creator"):
        return True
    if api.world.now() - message.date > 2 * HOURS_24:
        return False
    if message.service and {"group_chat_created", "supergroup_chat_created", "forum_topic_created"} & set(
        message.service
    ):
        return False
    return chat.is_private or message.sender_id == bot.id


@method
def delete_messages(api: BotApi, bot: Bot, call: Call) -> Any:
    """Delete several; those that cannot be found are skipped."""
    chat = api.chat(bot, call)
    ids = call.json("message_ids", "can't parse message identifiers")
    if not isinstance(ids, list) or not ids:
        raise bad("message identifiers are not specified")
    if len(ids) > 100:
        raise bad("too many message identifiers specified")
    messages = [chat.messages.get(i if isinstance(i, int) else int(i) if str(i).isdigit() else 0) for i in ids]
    present = [m for m in messages if m is not None and not m.deleted]
    if any(not _deletable(api, bot, chat, m) for m in present):
        raise bad("message can't be deleted")
    for message in present:
        api.world.remove(message)
    return True


@method
def edit_ephemeral_message_text(api: BotApi, bot: Bot, call: Call) -> Any:
    """Change an ephemeral text; whether it arrives is not known."""
    chat, message = api.ephemeral_message(bot, call)
    words, entities = api.formatted(call)
    if len(words) > api.world.settings.ephemeral_edit_limit:
        raise bad("MEDIA_CAPTION_TOO_LONG")  # telegram-bot-api#881
    markup = read_markup(call.params.get("reply_markup"), inline_only=True, private=False)
    api.change(bot, chat, message, text=words, entities=entities, markup=markup)
    return True


@method
def edit_ephemeral_message_reply_markup(api: BotApi, bot: Bot, call: Call) -> Any:
    """Change the keyboard of an ephemeral message."""
    chat, message = api.ephemeral_message(bot, call)
    api.change(bot, chat, message, markup=read_markup(call.params.get("reply_markup"), inline_only=True, private=False))
    return True


@method
def delete_ephemeral_message(api: BotApi, bot: Bot, call: Call) -> Any:
    """Take an ephemeral message away."""
    try:
        _, message = api.ephemeral_message(bot, call)
    except Refused as refusal:
        if "message to edit not found" in refusal.description:
            raise bad("message to delete not found") from None
        raise
    api.world.remove(message)
    return True


@method
def answer_callback_query(api: BotApi, bot: Bot, call: Call) -> Any:
    """Answer a press: with nothing, a toast, an alert or a link. Free of limits (telegram-bot-api#648)."""
    world = api.world
    callback = world.callbacks.get(call.text("callback_query_id"))
    if callback is None or callback.bot_id != bot.id or world.now() - callback.at > world.settings.callback_seconds:
        raise bad("query is too old and response timeout expired or query ID is invalid")
    words, url = call.text("text"), call.text("url")
    if len(words) > 200:
        raise bad("MESSAGE_TOO_LONG")
    if url and not re.fullmatch(r"(https?://)?(t\.me|telegram\.me)/\w+\?start=[\w-]{0,64}", url):
        raise bad("URL_INVALID")
    callback.answers += 1
    if callback.answer is None:
        # A second answer finds the query closed; it changes nothing for the person.
        callback.answer = {"text": text.clean(words), "show_alert": call.flag("show_alert"), "url": url}
        callback.answered_at = world.now()
        if words or url:
            world.alerts.append(
                {
                    "person": callback.user_id,
                    "chat": callback.chat_id,
                    "message": callback.message_id,
                    "query": callback.id,
                    "at": round(world.now(), 3),
                    **callback.answer,
                }
            )
        if callback.id in world.answer_listeners:
            world.answer_listeners[callback.id]()
        world.tell("answer", callback.chat_id, person=callback.user_id, query=callback.id, **callback.answer)
    return True


@method
def send_chat_action(api: BotApi, bot: Bot, call: Call) -> Any:
    """Say that something is being done."""
    chat = api.chat(bot, call)
    if call.text("action") not in ACTIONS:
        raise bad("wrong parameter action in request")
    api.may_send(bot, chat)
    api.world.tell("action", chat.id, action=call.text("action"), thread=call.integer("message_thread_id"))
    return True


@method
def set_message_reaction(api: BotApi, bot: Bot, call: Call) -> Any:
    """React to a message, with one emoji at most."""
    chat = api.chat(bot, call)
    message = api.message(chat, call, "message to react not found")
    given = call.json("reaction", "can't parse reaction types JSON object") or []
    if not isinstance(given, list):
        raise bad("expected an Array of ReactionType")
    emoji = []
    for reaction in given:
        if not isinstance(reaction, dict) or reaction.get("type") not in ("emoji", "custom_emoji", "paid"):
            raise bad("invalid reaction type specified")
        if reaction["type"] != "emoji" or str(reaction.get("emoji", "")).rstrip("\ufe0f") not in REACTIONS:
            raise bad("REACTION_INVALID")
        emoji.append(reaction["emoji"])
    if len(emoji) > 1:
        raise bad("REACTIONS_TOO_MANY")
    message.reactions.pop(bot.id, None)
    if emoji:
        message.reactions[bot.id] = emoji
    message.seq = api.world.tell("reaction", chat.id, message=message.id)
    return True


# --- pins


def _may_pin(api: BotApi, bot: Bot, chat: Chat) -> None:
    if not chat.is_private and not api._right(bot, chat, "can_pin_messages"):
        raise bad("not enough rights to manage pinned messages in the chat")


@method
def pin_chat_message(api: BotApi, bot: Bot, call: Call) -> Any:
    """Pin a message."""
    chat = api.chat(bot, call)
    message = api.message(chat, call, "message to pin not found")
    if message.service is not None:
        raise bad("message can't be pinned")
    _may_pin(api, bot, chat)
    if chat.pinned and chat.pinned[-1] == message.id:
        return True  # pinned already: nothing happens, and nobody is told again
    api.world.pin(chat, message, bot.id, silent=call.flag("disable_notification"))
    return True


@method
def unpin_chat_message(api: BotApi, bot: Bot, call: Call) -> Any:
    """Unpin one message, the newest pin if none is named."""
    chat = api.chat(bot, call)
    if call.has("message_id"):
        message = api.message(chat, call, "Message to unpin not found")
        _may_pin(api, bot, chat)
        if message.id in chat.pinned:
            api.world.unpin(chat, message.id)
        return True
    _may_pin(api, bot, chat)
    if not chat.pinned:
        raise bad("Message to unpin not found")
    api.world.unpin(chat, chat.pinned[-1])
    return True


@method
def unpin_all_chat_messages(api: BotApi, bot: Bot, call: Call) -> Any:
    """Clear the pins."""
    chat = api.chat(bot, call)
    _may_pin(api, bot, chat)
    for number in list(chat.pinned):
        api.world.unpin(chat, number)
    return True


# --- chats and members


@method
def get_chat(api: BotApi, bot: Bot, call: Call) -> Any:
    """All about a chat."""
    return shapes.full_chat(api.world, api.chat(bot, call, read=True), bot)


@method
def get_chat_member(api: BotApi, bot: Bot, call: Call) -> Any:
    """How a user stands in a chat."""
    chat = api.chat(bot, call, read=True)
    user = api.world.users.get(call.integer("user_id"))
    if user is None:
        raise bad("invalid user_id specified" if not call.has("user_id") else "user not found")
    if chat.is_private:
        if user.id not in (chat.user_id, bot.id):
            raise bad("member not found")
        return shapes.bare_member(user, "member")
    return shapes.member(api.world, api.world.member(chat, user.id))


@method
def get_chat_administrators(api: BotApi, bot: Bot, call: Call) -> Any:
    """The administrators of a group; of the bots only itself."""
    chat = api.chat(bot, call, read=True)
    if chat.is_private:
        raise bad("there are no administrators in the private chat")
    return [
        shapes.member(api.world, m)
        for m in chat.members_present()
        if m.is_admin and (m.user_id == bot.id or not api.world.users[m.user_id].is_bot)
    ]


@method
def get_chat_member_count(api: BotApi, bot: Bot, call: Call) -> Any:
    """How many are in a chat."""
    chat = api.chat(bot, call, read=True)
    return 2 if chat.is_private else len(chat.members_present())


@method
def leave_chat(api: BotApi, bot: Bot, call: Call) -> Any:
    """Leave a group."""
    chat = api.chat(bot, call)
    if chat.is_private:
        raise bad("chat member status can't be changed in private chats")
    api.world.set_member(chat, bot.id, "left")
    return True


def _topic_right(api: BotApi, bot: Bot, call: Call) -> Chat:
    chat = api.chat(bot, call)
    if not chat.is_forum:
        raise bad("the chat is not a forum")
    if not api._right(bot, chat, "can_manage_topics"):
        raise bad("not enough rights to create a topic")
    return chat


@method
def create_forum_topic(api: BotApi, bot: Bot, call: Call) -> Any:
    """Open a topic; it counts as a message (td#2592)."""
    chat = _topic_right(api, bot, call)
    name = call.text("name").strip()
    if not 1 <= len(name) <= 128:
        raise bad("topic name must be non-empty" if not name else "topic name is too long")
    api.limits.take(bot.id, chat, api.world.now())
    topic = api.world.add_topic(chat, name, bot.id, call.integer("icon_color", 7322096))
    return {"message_thread_id": topic.id, "name": topic.name, "icon_color": topic.icon_color}


def _change_topic(api: BotApi, bot: Bot, call: Call, what: str) -> bool:
    chat = _topic_right(api, bot, call)
    topic = chat.topics.get(call.integer("message_thread_id"))
    if topic is None or topic.deleted:
        raise bad("message thread not found")
    if what != "delete" and topic.closed == (what == "close"):
        raise bad("TOPIC_NOT_MODIFIED")
    api.world.change_topic(chat, topic, what, bot.id)
    return True


@method
def close_forum_topic(api: BotApi, bot: Bot, call: Call) -> Any:
    """Close a topic."""
    return _change_topic(api, bot, call, "close")


@method
def reopen_forum_topic(api: BotApi, bot: Bot, call: Call) -> Any:
    """Reopen a topic."""
    return _change_topic(api, bot, call, "reopen")


@method
def delete_forum_topic(api: BotApi, bot: Bot, call: Call) -> Any:
    """Delete a topic with its messages."""
    return _change_topic(api, bot, call, "delete")


# --- the bot's face


@method
def set_my_commands(api: BotApi, bot: Bot, call: Call) -> Any:
    """Set the commands of a scope and language."""
    given = call.json("commands", "can't parse commands JSON object")
    if not isinstance(given, list):
        raise bad("expected an Array of BotCommand")
    if len(given) > 100:
        raise bad("BOT_COMMANDS_TOO_MUCH")
    commands = []
    for command in given:
        if not isinstance(command, dict):
            raise bad("expected an Object")
        name, description = (
            str(command.get("command", "")).lstrip("/").lower(),
            str(command.get("description", "")).strip(),
        )
        if not re.fullmatch(r"[a-z0-9_]{1,32}", name):
            raise bad("BOT_COMMAND_INVALID")
        if not 1 <= len(description) <= 256:
            raise bad("BOT_COMMAND_DESCRIPTION_INVALID" if description else "command description must be non-empty")
        commands.append(
            {"command": name, "description": description}
            | ({"is_ephemeral": True} if command.get("is_ephemeral") else {})
        )
    key = _scope(api, bot, call)
    bot.commands[key] = commands
    if not commands:
        del bot.commands[key]
    api.world.tell("commands")
    return True


@method
def get_my_commands(api: BotApi, bot: Bot, call: Call) -> Any:
    """The commands of a scope and language."""
    return bot.commands.get(_scope(api, bot, call), [])


@method
def delete_my_commands(api: BotApi, bot: Bot, call: Call) -> Any:
    """Take the commands of a scope and language away."""
    bot.commands.pop(_scope(api, bot, call), None)
    api.world.tell("commands")
    return True


def _set_text(bot_texts: dict[str, str], call: Call, name: str, limit: int, wrong: str) -> bool:
    words, language = call.text(name), call.text("language_code")
    if language and not re.fullmatch(r"[a-z]{2}", language):
        raise bad("invalid language code specified")
    if len(words) > limit:
        raise bad(wrong)
    bot_texts[language] = words
    if not words:
        del bot_texts[language]
    return True


@method
def set_my_name(api: BotApi, bot: Bot, call: Call) -> Any:
    """Set the bot's name."""
    _set_text(bot.names, call, "name", 64, "BOT_TITLE_INVALID")
    if not call.text("language_code") and call.has("name"):
        api.world.users[bot.id].first_name = call.text("name")
        api.world.tell("person", person=bot.id)
    return True


@method
def get_my_name(api: BotApi, bot: Bot, call: Call) -> Any:
    """The bot's name."""
    return {
        "name": bot.names.get(call.text("language_code")) or bot.names.get("") or api.world.users[bot.id].first_name
    }


@method
def set_my_description(api: BotApi, bot: Bot, call: Call) -> Any:
    """Set what an empty chat with the bot shows."""
    return _set_text(bot.descriptions, call, "description", 512, "BOT_DESCRIPTION_INVALID")


@method
def get_my_description(api: BotApi, bot: Bot, call: Call) -> Any:
    """What an empty chat with the bot shows."""
    return {"description": bot.descriptions.get(call.text("language_code")) or bot.descriptions.get("", "")}


@method
def set_my_short_description(api: BotApi, bot: Bot, call: Call) -> Any:
    """Set what the bot's profile shows."""
    return _set_text(bot.short_descriptions, call, "short_description", 120, "BOT_ABOUT_INVALID")


@method
def get_my_short_description(api: BotApi, bot: Bot, call: Call) -> Any:
    """What the bot's profile shows."""
    return {
        "short_description": bot.short_descriptions.get(call.text("language_code"))
        or bot.short_descriptions.get("", "")
    }


@method
def set_chat_menu_button(api: BotApi, bot: Bot, call: Call) -> Any:
    """Set the button beside the text field."""
    button = call.json("menu_button", "can't parse menu button JSON object") or {"type": "default"}
    if not isinstance(button, dict) or button.get("type") not in ("default", "commands", "web_app"):
        raise bad("can't parse menu button: MenuButton must be an Object")
    bot.menu_buttons[str(api.chat(bot, call, read=True).id) if call.has("chat_id") else ""] = button
    return True


@method
def get_chat_menu_button(api: BotApi, bot: Bot, call: Call) -> Any:
    """The button beside the text field."""
    return bot.menu_buttons.get(call.text("chat_id")) or bot.menu_buttons.get("") or {"type": "commands"}


# --- updates; getUpdates itself waits, and lives in delivery.py


def allowed(call: Call, bot: Bot) -> None:
    """Remember which kinds of updates are wanted; unset keeps what was (field/telegram.md 2)."""
    if "allowed_updates" not in call.params:
        return
    given = call.json("allowed_updates", "can't parse allowed_updates JSON object")
    if given is not None and not isinstance(given, list):
        raise bad("expected an Array of String")
    bot.allowed_updates = [kind for kind in given or [] if kind in UPDATE_KINDS]


@method
def set_webhook(api: BotApi, bot: Bot, call: Call) -> Any:
    """Say where updates go."""
    url, secret = call.text("url").strip(), call.text("secret_token")
    if len(secret) > 256:
        raise bad("secret token is too long")
    if secret and not re.fullmatch(r"[A-Za-z0-9_-]+", secret):
        raise bad("secret token contains unallowed characters")
    if url:
        _check_url(url)
    allowed(call, bot)
    if call.flag("drop_pending_updates"):
        for update in bot.pending.values():
            update.state = "dropped"
        bot.pending.clear()
    hook = bot.webhook
    hook.url, hook.secret = url, secret if url else ""
    hook.max_connections = min(100, max(1, call.integer("max_connections", 40)))
    hook.ip_address = call.text("ip_address")
    hook.last_error_date, hook.last_error_message = 0, ""
    for update in bot.pending.values():
        update.attempts, update.not_before = 0, 0.0
    api.world.tell("webhook")
    return True


def _check_url(url: str) -> None:
    """A webhook is https; on this machine (an address, or a name without a dot) plain http will do."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise bad("invalid webhook URL specified") from None
    if not host or parts.scheme not in ("http", "https") or re.search(r"\s", url):
        raise bad("invalid webhook URL specified")
    at_home = "." not in host or re.fullmatch(r"[\d.]+", host) is not None or ":" in host
    if parts.scheme == "http" and not at_home:
        raise bad("bad webhook: An HTTPS URL must be provided for webhook")
    if not at_home and port not in (None, 443, 80, 88, 8443):
        raise bad("bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443")


@method
def delete_webhook(api: BotApi, bot: Bot, call: Call) -> Any:
    """Let updates wait for getUpdates."""
    return set_webhook(api, bot, Call({"drop_pending_updates": call.params.get("drop_pending_updates")}))


@method
def get_webhook_info(api: BotApi, bot: Bot, call: Call) -> Any:
    """How delivery goes."""
    hook = bot.webhook
    api.world.drop_expired(bot)
    info: dict[str, Any] = {"url": hook.url, "has_custom_certificate": False, "pending_update_count": len(bot.pending)}
    if hook.url:
        info["max_connections"] = hook.max_connections
        info["ip_address"] = hook.ip_address or "127.0.0.1"
    if hook.last_error_message:
        info |= {"last_error_date": hook.last_error_date, "last_error_message": hook.last_error_message}
    if bot.allowed_updates:
        info["allowed_updates"] = list(bot.allowed_updates)
    return info


def get_updates(api: BotApi, bot: Bot, call: Call) -> Any:
    """Updates from an offset on; those before it are confirmed. Answers at once, waiting is delivery.py's."""
    world, offset = api.world, call.integer("offset")
    limit = min(100, max(1, call.integer("limit", 100)))
    world.drop_expired(bot)
    ids = sorted({u.id for u in bot.pending.values()})
    if offset < 0:
        offset = ids[offset] if len(ids) >= -offset else (ids[0] if ids else 0)
    now, taken, seen = world.now(), [], set()
    for number, update in list(bot.pending.items()):
        if update.id < offset and offset:
            update.state, update.handled_at = "delivered", now
            del bot.pending[number]
    for update in sorted(bot.pending.values(), key=lambda u: u.id):
        if update.id >= offset and update.not_before <= now and update.id not in seen and len(taken) < limit:
            seen.add(update.id)
            update.attempts += 1
            taken.append(update.body())
    if not bot.pending:
        world.tell("taken")
    return taken


METHODS["getupdates"] = ("getUpdates", get_updates)
