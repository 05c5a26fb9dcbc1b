"""Messages: send, edit, delete, pin, react, answer a press."""

from __future__ import annotations

import re
import struct
from typing import Any

from playground import text
from playground.errors import Refused, bad
from playground.markup import read_markup
from playground.methods.api import BotApi, Call, File, method
from playground.things import HOURS_24, Bot, Chat, Member, Message

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


def _source(api: BotApi, bot: Bot, call: Call, what: str) -> Message:
    """The message that is copied or forwarded."""
    chat = api.chat(bot, Call({"chat_id": call.params.get("from_chat_id")}), read=True)
    message = api.message(chat, call, f"message to {what} not found")
    if message.service is not None or message.protected and message.sender_id != bot.id:
        raise bad("message can't be copied" if what == "copy" else "message can't be forwarded")
    return message


@method
def copy_message(api: BotApi, bot: Bot, call: Call) -> Any:
    """Send what a message says once more; the answer is its id alone."""
    source = _source(api, bot, call, "copy")

    def content() -> dict[str, Any]:
        return {"text": source.text, "entities": source.entities, "photo": source.photo}

    return {"message_id": api.send(bot, call, "can_send_messages", "text messages", content)["message_id"]}


@method
def forward_message(api: BotApi, bot: Bot, call: Call) -> Any:
    """Pass a message on, with its author's name."""
    source = _source(api, bot, call, "forward")
    author, date = source.forwarded_from or source.sender_id, source.forwarded_date or source.date

    def content() -> dict[str, Any]:
        same = {"text": source.text, "entities": source.entities, "photo": source.photo}
        return {**same, "forwarded_from": author, "forwarded_date": date}

    return api.send(bot, call, "can_send_messages", "text messages", content)


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
