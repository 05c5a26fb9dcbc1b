"""Who the bot is, and what it offers: name, description, commands, menu button."""

from __future__ import annotations

import re
from typing import Any

from playground import shapes
from playground.errors import bad
from playground.methods.api import BotApi, Call, method
from playground.things import Bot


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
