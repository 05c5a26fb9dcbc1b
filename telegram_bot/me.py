"""Who the bot is on Telegram: told once by getMe at the start of the process, needed for links and commands."""

from __future__ import annotations

_username = ""


def introduce(username: str) -> None:
    global _username
    _username = username


def username() -> str:
    return _username
