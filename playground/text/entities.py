"""Entities: those given beside the text, those that Telegram finds by itself, and how all of them nest."""

from __future__ import annotations

import re
from typing import Any

from playground.errors import bad
from playground.text.characters import Entity, utf16
from playground.text.links import DATE_TIME_FORMAT, link_entity

ENTITY_LIMIT = 100  # more are silently dropped: field/telegram.md 1.1

STYLES = ("bold", "italic", "underline", "strikethrough", "spoiler")
QUOTES = ("blockquote", "expandable_blockquote")
_PRIORITY = {
    "blockquote": 0,
    "expandable_blockquote": 0,
    "pre": 10,
    "code": 20,
    "text_link": 49,
    "text_mention": 49,
    "bold": 90,
    "italic": 91,
    "underline": 92,
    "strikethrough": 93,
    "spoiler": 94,
    "custom_emoji": 99,
}
_GIVEN = (*STYLES, *QUOTES, "pre", "code", "text_link", "text_mention", "custom_emoji", "date_time")


def given(entities: Any) -> list[Entity]:
    """The entities of an ``entities`` parameter; of an unknown kind are left out, as Telegram does."""
    if not isinstance(entities, list):
        raise bad("can't parse entities: expected an Array of MessageEntity")
    result = []
    for item in entities:
        if not isinstance(item, dict):
            raise bad("can't parse entities: MessageEntity must be an Object")
        kind = item.get("type")
        if not isinstance(kind, str):
            raise bad("can't parse entities: Can't find field \"type\"")
        for field in ("offset", "length"):
            if not isinstance(item.get(field), int) or isinstance(item.get(field), bool):
                raise bad(f"can't parse entities: Can't find field \"{field}\"")
        if kind not in _GIVEN:
            continue  # what Telegram finds by itself may be named, and is ignored
        entity: Entity = {"type": kind, "offset": item["offset"], "length": item["length"]}
        if kind == "text_link":
            link = link_entity(str(item.get("url", "")))
            if not link:
                raise bad("Entity URL is invalid: Wrong HTTP URL")
            entity.update(link)
        elif kind == "text_mention":
            user = item.get("user")
            if not isinstance(user, dict) or not isinstance(user.get("id"), int):
                raise bad("can't parse entities: Can't find field \"user\"")
            entity["user_id"] = user["id"]
        elif kind == "pre" and item.get("language"):
            entity["language"] = str(item["language"])
        elif kind == "custom_emoji":
            entity["custom_emoji_id"] = str(item.get("custom_emoji_id", ""))
        elif kind == "date_time":
            if not isinstance(item.get("unix_time"), int):
                raise bad("can't parse entities: Can't find field \"unix_time\"")
            form = item.get("date_time_format") or ""
            if not isinstance(form, str) or not DATE_TIME_FORMAT.fullmatch(form):
                raise bad("can't parse entities: invalid date-time format specified")
            entity["unix_time"] = item["unix_time"]
            if form:
                entity["date_time_format"] = form
        result.append(entity)
    return result


def checked_bounds(text: str, entities: list[Entity]) -> list[Entity]:
    """The entities that lie on whole characters of *text*."""
    size = utf16(text)
    halves, at = set(), 0
    for ch in text:
        if ch > "\uffff":
            halves.add(at + 1)
            at += 1
        at += 1
    kept = []
    for entity in entities:
        start, end = entity["offset"], entity["offset"] + entity["length"]
        if start < 0 or entity["length"] < 0 or end > size:
            raise bad(
                f"can't parse entities: Receive entity with incorrect offset {start} or length {entity['length']}"
            )
        if start in halves or end in halves:
            raise bad(
                "can't parse entities: Entity begins in a middle of a UTF-16 symbol"
                if start in halves
                else "can't parse entities: Entity ends in a middle of a UTF-16 symbol"
            )
        if entity["length"]:
            kept.append(entity)
    return kept


_FIND = re.compile(
    r"(?P<url>https?://[^\s<>\"]+[^\s<>\".,;:!?')\]]|(?<![\w@.])(?:[a-z0-9-]+\.)+(?:me|com|org|net|io|dev|ru|de)(?:/[^\s<>\"]*[^\s<>\".,;:!?')\]])?(?![\w@]))"
    r"|(?P<email>(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+)"
    r"|(?P<mention>(?<![\w@])@[A-Za-z]\w{2,31}(?!\w))"
    r"|(?P<bot_command>(?<![\w/<>@])/[A-Za-z0-9_]{1,64}(?:@\w{3,32})?(?![\w/@]))"
    r"|(?P<hashtag>(?<!\w)#\w*[^\W\d]\w*)"
    r"|(?P<cashtag>(?<![\w$])\$[A-Z]{1,8}(?!\w))",
    re.ASCII | re.IGNORECASE,
)


def found(text: str) -> list[Entity]:
    """Mentions, commands, addresses and tags in *text*, as the server marks them."""
    if not any(ch in text for ch in "@/#$."):
        return []
    entities, at, units = [], 0, 0
    for match in _FIND.finditer(text):
        units += utf16(text[at : match.start()])
        length = utf16(match[0])
        entities.append({"type": match.lastgroup or "", "offset": units, "length": length})
        units, at = units + length, match.end()
    return entities


def untangled(entities: list[Entity]) -> list[Entity]:
    """Entities that nest as Telegram lets them: styles leave code alone, quotes hold all, others exclude each other."""
    entities = sorted(entities, key=lambda e: (e["offset"], -e["length"], _PRIORITY.get(e["type"], 50)))
    quotes: list[Entity] = []
    apart: list[Entity] = []
    styles: list[Entity] = []
    for entity in entities:
        if entity["type"] in QUOTES:
            if not quotes or quotes[-1]["offset"] + quotes[-1]["length"] <= entity["offset"]:
                quotes.append(entity)
        elif entity["type"] in STYLES:
            styles.append(entity)
        elif not apart or apart[-1]["offset"] + apart[-1]["length"] <= entity["offset"]:
            apart.append(entity)
    codes = [(e["offset"], e["offset"] + e["length"]) for e in apart if e["type"] in ("pre", "code")]
    cut: list[Entity] = []
    for style in styles:
        start, end = style["offset"], style["offset"] + style["length"]
        for low, high in codes:
            if low < end and high > start:
                if low > start:
                    cut.append({**style, "offset": start, "length": low - start})
                start = max(start, high)
        if end > start:
            cut.append({**style, "offset": start, "length": end - start})
    merged: dict[str, Entity] = {}
    kept: list[Entity] = []
    for style in sorted(cut, key=lambda e: (e["offset"], -e["length"])):
        before = merged.get(style["type"])
        if before and style["offset"] <= before["offset"] + before["length"]:
            before["length"] = max(before["length"], style["offset"] + style["length"] - before["offset"])
            continue
        merged[style["type"]] = style = dict(style)
        kept.append(style)
    result = sorted([*quotes, *apart, *kept], key=lambda e: (e["offset"], -e["length"], _PRIORITY.get(e["type"], 50)))
    return result[:ENTITY_LIMIT]
