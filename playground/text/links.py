"""Links as Telegram keeps them, and the forms of a time."""

from __future__ import annotations

import re

from playground.text.characters import Entity

DATE_TIME_FORMAT = re.compile(r"r|w?[dD]?[tT]?")
USER_LINK = re.compile(r"tg:(?://)?user\?id=(\d+)", re.IGNORECASE)
_URL = re.compile(
    r"(?:(https?|tg|ton|tonsite)://)?([^\s/?#@:]+@)?(\[[0-9a-fA-F:.]+\]|[^\s/?#:@]+)(:\d{1,5})?([/?#]\S*)?",
    re.IGNORECASE,
)


def checked_link(url: str) -> str:
    """*url* as Telegram keeps it, or an empty string for what it takes for no link (LinkManager::get_checked_link)."""
    found = _URL.fullmatch(url.strip())
    if not found:
        return ""
    scheme, user, host, port, rest = found.groups("")
    if scheme.lower() in ("tg", "ton"):
        return url.strip()
    if "." not in host.strip(".") or host.startswith(".") or (not scheme and user):
        return ""
    return f"{scheme.lower() or 'http'}://{user}{host}{port}{rest or '/'}"


def link_entity(url: str) -> Entity | None:
    """The entity that a link makes: a mention of a user, a text link, or none for what is no link."""
    user = USER_LINK.fullmatch(url.strip())
    if user:
        return {"type": "text_mention", "user_id": int(user[1])}
    link = checked_link(url)
    return {"type": "text_link", "url": link} if link else None
