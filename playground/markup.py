"""Keyboards under messages: read from a call, checked as Telegram checks them."""

from __future__ import annotations

import json
from typing import Any

from playground.errors import bad
from playground.text.links import USER_LINK, checked_link

# Undocumented; python-telegram-bot's constants and field/telegram.md 1.1.
BUTTONS, ROW = 100, 8
STYLES = ("danger", "success", "primary")
_ACTIONS = (
    "url",
    "callback_data",
    "web_app",
    "login_url",
    "switch_inline_query",
    "switch_inline_query_current_chat",
    "switch_inline_query_chosen_chat",
    "copy_text",
    "callback_game",
    "pay",
    "disabled",
)


def read_markup(value: Any, *, inline_only: bool = False, private: bool = True) -> dict[str, Any] | None:
    """The reply markup of a call, as it will be kept; None for none."""
    if value is None or value == "":
        return None
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            raise bad("can't parse reply keyboard markup JSON object") from None
    if value is None:
        return None
    if not isinstance(value, dict):
        raise bad("object expected as reply markup")
    if "inline_keyboard" in value:
        rows = _rows(value["inline_keyboard"], private)
        if not rows:
            return None
        markup: dict[str, Any] = {"inline_keyboard": rows}
        if value.get("force_reply") is True:
            markup["force_reply"] = True
        return markup
    if inline_only:
        if value:
            raise bad("inline keyboard expected")
        return None
    if "keyboard" in value or value.get("remove_keyboard") or value.get("force_reply"):
        return dict(value)
    return None


def _rows(rows: Any, private: bool) -> list[list[dict[str, Any]]]:
    if not isinstance(rows, list):
        raise bad('can\'t parse inline keyboard: Field "inline_keyboard" must be of type Array')
    kept = []
    for row in rows:
        if not isinstance(row, list):
            raise bad("can't parse inline keyboard: expected an Array of InlineKeyboardButton")
        if len(row) > ROW:
            raise bad("reply markup is too long")
        if row:
            kept.append([_button(button, private) for button in row])
    if sum(map(len, kept)) > BUTTONS:
        raise bad("reply markup is too long")
    return kept


def _button(button: Any, private: bool) -> dict[str, Any]:
    if not isinstance(button, dict):
        raise bad("can't parse inline keyboard button: InlineKeyboardButton must be an Object")
    text = button.get("text")
    if not isinstance(text, str):
        raise bad("can't parse inline keyboard button: Can't find field \"text\"")
    if not text.strip():
        raise bad("inline keyboard button text must be non-empty")
    kept: dict[str, Any] = {"text": text}
    if button.get("icon_custom_emoji_id"):
        kept["icon_custom_emoji_id"] = str(button["icon_custom_emoji_id"])
    if button.get("style"):
        if button["style"] not in STYLES:
            raise bad("can't parse inline keyboard button: invalid button style specified")
        kept["style"] = button["style"]
    action = next(
        (name for name in _ACTIONS if name in button and button[name] is not None and button[name] is not False), None
    )
    if action is None:
        raise bad("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard")
    value = button[action]
    if action == "callback_data":
        if not isinstance(value, str):
            raise bad('can\'t parse inline keyboard button: Field "callback_data" must be of type String')
        if not 1 <= len(value.encode("utf-8", "surrogatepass")) <= 64:  # bytes, not letters: field/telegram.md 1.1
            raise bad("BUTTON_DATA_INVALID")
    elif action == "url":
        if not isinstance(value, str):
            raise bad('can\'t parse inline keyboard button: Field "url" must be of type String')
        if not USER_LINK.fullmatch(value):
            value = checked_link(value)
            if not value:
                raise bad("BUTTON_URL_INVALID")
    elif action == "copy_text":
        text = value.get("text") if isinstance(value, dict) else None
        if not isinstance(text, str) or not 1 <= len(text) <= 256:
            raise bad("BUTTON_COPY_TEXT_INVALID")
        value = {"text": text}
    elif action == "disabled":
        if not isinstance(value, dict):
            raise bad('can\'t parse inline keyboard button: Field "disabled" must be of type Object')
        value = {}
    elif action == "web_app" and not private:
        raise bad("BUTTON_TYPE_INVALID")  # in groups only direct links open a Mini App: field/telegram.md 1.4
    kept[action] = value
    return kept
