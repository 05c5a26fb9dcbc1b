"""MarkdownV2 as plain text and entities."""

from __future__ import annotations

import re
from collections.abc import Callable

from playground.errors import unparsed
from playground.text.characters import Entity, utf16
from playground.text.links import DATE_TIME_FORMAT, link_entity

_MARKS = {
    "*": "bold",
    "_": "italic",
    "__": "underline",
    "~": "strikethrough",
    "||": "spoiler",
    "`": "code",
    "```": "pre",
    "[": "link",
    "![": "emoji",
}
_RESERVED = "_*[]()~`>#+-=|{}.!"


def parse_markdown(text: str) -> tuple[str, list[Entity]]:
    """The plain text and the entities of MarkdownV2, block quotations included."""
    out: list[str] = []
    entities: list[Entity] = []
    stack: list[tuple[str, int, int, int]] = []  # mark, offset, index in out, byte offset
    quote: tuple[int, bool] | None = None
    offset = i = 0
    size = len(text)

    def byte(at: int) -> int:
        return len(text[:at].encode("utf-8", "surrogatepass"))

    def add(part: str) -> None:
        nonlocal offset
        out.append(part)
        offset += utf16(part)

    def end_quote(expandable: bool = False) -> None:
        nonlocal quote
        if quote and offset > quote[0]:
            kind = "expandable_blockquote" if expandable or quote[1] else "blockquote"
            entities.append({"type": kind, "offset": quote[0], "length": offset - quote[0]})
        quote = None

    while i < size:
        ch = text[i]
        inside = stack[-1][0] if stack else ""
        code = inside in ("`", "```")
        if ch == "\\" and i + 1 < size and 0 < ord(text[i + 1]) <= 126:
            add(text[i + 1])
            i += 2
            continue
        line_start = i == 0 or text[i - 1] == "\n"
        if quote and ch == "\n" and not code and text[i + 1 : i + 2] != ">":
            add(ch)
            end_quote()
            i += 1
            continue
        if not code and line_start and (ch == ">" or text.startswith("**>", i)):
            if quote is None:
                quote = (offset, ch == "*")
            i += 1 if ch == ">" else 3
            continue
        if code:
            mark = inside if text.startswith(inside, i) else ""
        else:
            mark = next((m for m in ("```", "__", "||", "![") if text.startswith(m, i)), ch if ch in "*_~`[" else "")
            if ch == "]" and inside in ("[", "!["):
                mark = "]"
            if mark == "||" and quote and inside != "||" and text[i + 2 : i + 3] in ("", "\n"):
                end_quote(expandable=True)
                i += 2
                continue
        if not mark:
            if not code and ch in _RESERVED:
                raise unparsed(f"Character '{ch}' is reserved and must be escaped with the preceding '\\'")
            add(ch)
            i += 1
            continue
        if mark == inside or mark == "]":
            opened, start, index, _ = stack.pop()
            i += len(mark)
            entity: Entity = {"type": _MARKS[opened], "offset": start, "length": offset - start}
            if mark == "]":
                target, i = _target(text, i, byte)
                link = _markdown_link(opened, target or "".join(out[index:]))
                if link and offset > start:
                    entities.append({**entity, **link})
                continue
            if opened == "```":
                inner = "".join(out[index:])
                language = re.match(r"([\w+#.-]+)\n", inner)
                if language:
                    out[index:] = [inner[language.end() :]]
                    offset -= utf16(language[0])
                    entity.update(length=offset - start, language=language[1])
                elif inner.startswith("\n"):
                    out[index:] = [inner[1:]]
                    offset -= 1
                    entity["length"] = offset - start
            if offset > start:
                entities.append(entity)
            continue
        stack.append((mark, offset, len(out), byte(i)))
        i += len(mark)
    end_quote()
    if stack:
        name = {"link": "TextUrl", "emoji": "CustomEmoji", "pre": "Pre"}.get(
            _MARKS[stack[-1][0]], _MARKS[stack[-1][0]].capitalize()
        )
        raise unparsed(f"Can't find end of {name} entity at byte offset {stack[-1][3]}")
    return "".join(out), entities


def _target(text: str, i: int, byte: Callable[[int], int]) -> tuple[str, int]:
    """What stands in the parentheses at *i*, and where they end."""
    if text[i : i + 1] != "(":
        return "", i
    start, out, i = i + 1, [], i + 1
    while i < len(text) and text[i] != ")":
        if text[i] == "\\" and i + 1 < len(text):
            i += 1
        out.append(text[i])
        i += 1
    if i >= len(text):
        raise unparsed(f"Can't find end of a URL at byte offset {byte(start)}")
    return "".join(out), i + 1


def _markdown_link(opened: str, url: str) -> Entity | None:
    if opened == "[":
        return link_entity(url)
    time = re.fullmatch(r"tg://time\?unix=(\d+)(?:&format=([a-zA-Z]*))?", url)
    if time and DATE_TIME_FORMAT.fullmatch(time[2] or ""):
        return {"type": "date_time", "unix_time": int(time[1])} | ({"date_time_format": time[2]} if time[2] else {})
    emoji = re.fullmatch(r"tg://emoji\?id=(\d+)", url)
    if emoji:
        return {"type": "custom_emoji", "custom_emoji_id": emoji[1]}
    raise unparsed("Custom emoji entity must contain a tg://emoji URL")
