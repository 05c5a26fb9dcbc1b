"""Text as Telegram keeps it: cleaned, trimmed, its markup turned into entities with UTF-16 offsets.

The parsers follow td/telegram/MessageEntity.cpp of TDLib in what they accept, in what they say when they do not, and in
counting bytes of UTF-8 in their complaints (field/telegram.md 4.4).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from playground.errors import bad

Entity = dict[str, Any]

TEXT_LIMIT = 4096  # code points after parsing: field/telegram.md 1.1
CAPTION_LIMIT = 1024
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
_FOUND = ("mention", "hashtag", "cashtag", "bot_command", "url", "email", "phone_number")
DATE_TIME_FORMAT = re.compile(r"r|w?[dD]?[tT]?")


def utf16(text: str) -> int:
    """The length of *text* in UTF-16 code units."""
    return len(text) + sum(ch > "\uffff" for ch in text)


def piece(text: str, entity: Entity) -> str:
    """The part of *text* that *entity* covers."""
    units = text.encode("utf-16-le", "surrogatepass")
    start = entity["offset"] * 2
    return units[start : start + entity["length"] * 2].decode("utf-16-le", "replace")


def whole(text: str) -> str:
    """*text* without half characters, which no app can send and no UTF-8 can hold."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


# --- cleaning and trimming


def _cleaned(ch: str) -> str:
    if ch == "\r" or "\u2028" <= ch <= "\u202e" or ch in "\u0333\u033f\u030a":
        return ""  # clean_input_string: line separators and direction overrides never reach a message
    if ch < " " and ch != "\n":
        return " "
    return ch


def clean(text: str) -> str:
    """*text* without what TDLib's clean_input_string takes out."""
    return "".join(map(_cleaned, text))


def _moved(text: str, keep: Callable[[int, str], str], entities: list[Entity]) -> tuple[str, list[Entity]]:
    """*text* with each character replaced by what *keep* says, and the entities moved along."""
    places, new, out = [0], 0, []
    for i, ch in enumerate(text):
        kept = keep(i, ch)
        out.append(kept)
        if ch > "\uffff":
            places.append(new)
        new += utf16(kept)
        places.append(new)
    moved = []
    for entity in entities:
        start = places[min(entity["offset"], len(places) - 1)]
        end = places[min(entity["offset"] + entity["length"], len(places) - 1)]
        if end > start:
            moved.append({**entity, "offset": start, "length": end - start})
    return "".join(out), moved


def _trimmed(text: str, entities: list[Entity]) -> tuple[str, list[Entity]]:
    """*text* without white space at both ends."""
    left, right = len(text) - len(text.lstrip(" \n\t")), len(text.rstrip(" \n\t"))
    if left == 0 and right == len(text):
        return text, entities
    return _moved(text, lambda i, ch: ch if left <= i < right else "", entities)


def blank(text: str) -> bool:
    """Whether nothing in *text* can be seen."""
    return not text.strip(
        " \n\t\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u200b\u200c\u200d"
        "\u200e\u200f\u202f\u205f\u2060\u3000\ufeff\u2800"
    )


# --- HTML

_TAGS = {
    "b": "bold",
    "strong": "bold",
    "i": "italic",
    "em": "italic",
    "u": "underline",
    "ins": "underline",
    "s": "strikethrough",
    "strike": "strikethrough",
    "del": "strikethrough",
    "tg-spoiler": "spoiler",
    "span": "spoiler",
    "a": "a",
    "code": "code",
    "pre": "pre",
    "blockquote": "blockquote",
    "tg-emoji": "custom_emoji",
    "tg-time": "date_time",
}
_NAMED = {b"lt": 60, b"gt": 62, b"amp": 38, b"quot": 34}
_SPACE = b" \t\r\n\v\f\0"
_REFERENCE = re.compile(rb"&(?:#x([0-9a-fA-F]+)|#([0-9]+)|([a-zA-Z]+));?")


def _reference(source: bytes, at: int) -> tuple[str, int] | None:
    """The character that a reference such as ``&lt;`` at *at* stands for, and where it ends."""
    found = _REFERENCE.match(source, at)
    if not found:
        return None
    if found[3] is not None:
        code = _NAMED.get(found[3], 0)
    else:
        code = int(found[1], 16) if found[1] else int(found[2])
    if not 0 < code < 0x10FFFF or found.end() - at > 11:
        return None
    return chr(code), found.end()


def parse_html(text: str) -> tuple[str, list[Entity]]:
    """The plain text and the entities of Telegram's HTML; raises the refusal that Telegram would send."""
    source = text.encode("utf-8", "surrogatepass")
    size = len(source)
    out: list[str] = []
    offset = 0  # UTF-16 units written so far
    entities: list[Entity] = []
    stack: list[tuple[str, dict[str, str], int, int]] = []  # tag, attributes, offset, index in out
    i = 0
    while i < size:
        c = source[i]
        if c == 0x26:  # &
            reference = _reference(source, i)
            if reference:
                out.append(reference[0])
                offset += utf16(reference[0])
                i = reference[1]
                continue
        if c != 0x3C:  # <
            end = i + 1
            while end < size and source[end] not in b"<&":
                end += 1
            chunk = source[i:end].decode("utf-8", "surrogatepass")
            out.append(chunk)
            offset += utf16(chunk)
            i = end
            continue
        begin = i
        i += 1
        if source[i : i + 1] != b"/":
            i, tag, attributes = _start_tag(source, begin)
            stack.append((tag, attributes, offset, len(out)))
            continue
        if not stack:
            raise _unparsed(f"Unexpected end tag at byte offset {begin}")
        while i < size and source[i] not in _SPACE and source[i] != 0x3E:
            i += 1
        name = source[begin + 2 : i].decode("utf-8", "replace").lower()
        while i < size and source[i] in _SPACE:
            i += 1
        if i >= size or source[i] != 0x3E:
            raise _unparsed(f"Unclosed end tag at byte offset {begin}")
        i += 1
        tag, attributes, start, index = stack.pop()
        if name and name != tag:
            raise _unparsed(f'Unmatched end tag at byte offset {begin}, expected "</{tag}>", found "</{name}>"')
        if offset > start:
            _close(entities, tag, attributes, start, offset - start, "".join(out[index:]))
    if stack:
        raise _unparsed(f'Can\'t find end tag corresponding to start tag "{stack[-1][0]}"')
    for entity in entities:
        if entity["type"] == "code":
            entity.pop("language", None)  # only a pre may name its language
    plain = "".join(out)
    try:
        plain = plain.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError:
        raise _unparsed(
            "Text contains invalid Unicode characters after decoding HTML entities, check for unmatched surrogate "
            "code units"
        ) from None
    return plain, entities


def _unparsed(why: str) -> Exception:
    return bad(f"can't parse entities: {why}")


def _start_tag(source: bytes, begin: int) -> tuple[int, str, dict[str, str]]:
    """The tag that starts at *begin*: where it ends, its name, its attributes."""
    size, i = len(source), begin + 1
    while i < size and source[i] not in _SPACE and source[i] != 0x3E:
        i += 1
    if i >= size:
        raise _unparsed(f"Unclosed start tag at byte offset {begin}")
    tag = source[begin + 1 : i].decode("utf-8", "replace").lower()
    if tag not in _TAGS:
        raise _unparsed(f'Unsupported start tag "{tag}" at byte offset {begin}')
    attributes: dict[str, str] = {}
    while True:
        while i < size and source[i] in _SPACE:
            i += 1
        if i >= size:
            raise _unparsed(f'Unclosed start tag "{tag}" at byte offset {begin}')
        if source[i] == 0x3E:
            break
        start = i
        while i < size and source[i] not in _SPACE and source[i] not in b"=>":
            i += 1
        name = source[start:i].decode("utf-8", "replace").lower()
        if not name:
            raise _unparsed(f'Empty attribute name in the tag "{tag}" at byte offset {begin}')
        while i < size and source[i] in _SPACE:
            i += 1
        if i < size and source[i] != 0x3D:
            if tag == "blockquote" and name == "expandable":
                attributes[name] = ""
                continue
            raise _unparsed(
                f'Expected equal sign in declaration of an attribute of the tag "{tag}" at byte offset {begin}'
            )
        i += 1
        while i < size and source[i] in _SPACE:
            i += 1
        if i >= size:
            raise _unparsed(f'Unclosed start tag "{tag}" at byte offset {begin}')
        if source[i] not in b"'\"":
            start = i
            while i < size and (source[i : i + 1].isalnum() or source[i] in b".-"):
                i += 1
            attributes[name] = source[start:i].decode().lower()
            if i >= size or (source[i] not in _SPACE and source[i] != 0x3E):
                raise _unparsed(f"Unexpected end of name token at byte offset {start}")
            continue
        quote, value = source[i], []
        i += 1
        while i < size and source[i] != quote:
            reference = _reference(source, i) if source[i] == 0x26 else None
            if reference:
                value.append(reference[0].encode("utf-8", "surrogatepass"))
                i = reference[1]
            else:
                value.append(source[i : i + 1])
                i += 1
        if i >= size:
            raise _unparsed(f"Unclosed start tag at byte offset {begin}")
        i += 1
        attributes[name] = b"".join(value).decode("utf-8", "replace")
    if tag == "span" and attributes.get("class") != "tg-spoiler":
        raise _unparsed(f'Tag "span" must have class "tg-spoiler" at byte offset {begin}')
    if tag == "tg-time":
        if not re.fullmatch(r"\d{1,11}", attributes.get("unix", "")):
            raise _unparsed(f'Tag "tg-time" must have a valid "unix" attribute at byte offset {begin}')
        if not DATE_TIME_FORMAT.fullmatch(attributes.get("format", "")):
            raise _unparsed(f'Invalid date-time format specified in the tag "tg-time" at byte offset {begin}')
    return i + 1, tag, attributes


def _close(entities: list[Entity], tag: str, attributes: dict[str, str], offset: int, length: int, inner: str) -> None:
    """Append the entity that a closed *tag* makes, if it makes one."""
    kind = _TAGS[tag]
    entity: Entity = {"type": kind, "offset": offset, "length": length}
    if kind == "a":
        link = _link_entity(attributes.get("href") or inner)
        if link:
            entities.append({**entity, **link})
        return
    if kind == "custom_emoji":
        if not re.fullmatch(r"-?\d+", attributes.get("emoji-id", "")):
            raise _unparsed("Invalid custom emoji identifier specified")
        entity["custom_emoji_id"] = attributes["emoji-id"]
    elif kind == "date_time":
        entity["unix_time"] = int(attributes["unix"])
        if attributes.get("format"):
            entity["date_time_format"] = attributes["format"]
    elif kind == "blockquote" and "expandable" in attributes:
        entity["type"] = "expandable_blockquote"
    elif kind in ("pre", "code"):
        twin = entities[-1] if entities else None
        other = "code" if kind == "pre" else "pre"
        same = twin is not None and (twin["type"], twin["offset"], twin["length"]) == (other, offset, length)
        language = attributes.get("class", "").removeprefix("language-") if kind == "code" else ""
        if not attributes.get("class", "").startswith("language-"):
            language = ""
        if same and twin is not None and (language or twin.get("language")):
            twin["type"] = "pre"  # <pre><code class="language-x"> is one entity
            twin["language"] = twin.get("language") or language
            return
        if language:
            entity["language"] = language
    entities.append(entity)


_USER_LINK = re.compile(r"tg:(?://)?user\?id=(\d+)", re.IGNORECASE)
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


def _link_entity(url: str) -> Entity | None:
    user = _USER_LINK.fullmatch(url.strip())
    if user:
        return {"type": "text_mention", "user_id": int(user[1])}
    link = checked_link(url)
    return {"type": "text_link", "url": link} if link else None


# --- MarkdownV2

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
                raise _unparsed(f"Character '{ch}' is reserved and must be escaped with the preceding '\\'")
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
        raise _unparsed(f"Can't find end of {name} entity at byte offset {stack[-1][3]}")
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
        raise _unparsed(f"Can't find end of a URL at byte offset {byte(start)}")
    return "".join(out), i + 1


def _markdown_link(opened: str, url: str) -> Entity | None:
    if opened == "[":
        return _link_entity(url)
    time = re.fullmatch(r"tg://time\?unix=(\d+)(?:&format=([a-zA-Z]*))?", url)
    if time and DATE_TIME_FORMAT.fullmatch(time[2] or ""):
        return {"type": "date_time", "unix_time": int(time[1])} | ({"date_time_format": time[2]} if time[2] else {})
    emoji = re.fullmatch(r"tg://emoji\?id=(\d+)", url)
    if emoji:
        return {"type": "custom_emoji", "custom_emoji_id": emoji[1]}
    raise _unparsed("Custom emoji entity must contain a tg://emoji URL")


# --- entities given beside the text


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
            link = _link_entity(str(item.get("url", "")))
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


def _checked_bounds(text: str, entities: list[Entity]) -> list[Entity]:
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


# --- what Telegram finds by itself

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


# --- putting it together


def _untangled(entities: list[Entity]) -> list[Entity]:
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


def formatted(
    text: str,
    parse_mode: str = "",
    entities: Any = None,
    known: Callable[[int], bool] = lambda _id: True,
    limit: int = TEXT_LIMIT,
    caption: bool = False,
) -> tuple[str, list[Entity]]:
    """The text and entities of a message as Telegram will keep them.

    *known* tells whether the bot may mention that user; another mention stays plain text. Raises the refusal in
    Telegram's words for what cannot be parsed, is empty or too long.
    """
    mode = parse_mode.lower()
    if mode and mode not in ("html", "markdown", "markdownv2", "none"):
        raise bad("unsupported parse_mode")
    if mode == "html":
        plain, marked = parse_html(clean(text))
    elif mode in ("markdown", "markdownv2"):
        plain, marked = parse_markdown(clean(text))
    elif entities:
        marked = _checked_bounds(text, given(entities))
        plain, marked = _moved(text, lambda _i, ch: _cleaned(ch), marked)
    else:
        plain, marked = clean(text), []
    plain, marked = _trimmed(plain, marked)
    if blank(plain):
        if caption:
            return "", []
        raise bad("message text is empty")
    if len(plain) > limit:
        raise bad("message caption is too long" if caption else "message is too long")
    marked = [e for e in marked if e["type"] != "text_mention" or known(e["user_id"])]
    taken = [(e["offset"], e["offset"] + e["length"]) for e in marked if e["type"] not in (*STYLES, *QUOTES)]
    for entity in found(plain):
        start, end = entity["offset"], entity["offset"] + entity["length"]
        if all(end <= low or start >= high for low, high in taken):
            marked.append(entity)
    return plain, _untangled(marked)


def command_of(text: str, entities: list[Entity]) -> tuple[str, str] | None:
    """The command a message begins with, and the bot it is addressed to ("" for any)."""
    for entity in entities:
        if entity["type"] == "bot_command" and entity["offset"] == 0:
            name, _, bot = piece(text, entity)[1:].partition("@")
            return name.lower(), bot
    return None
