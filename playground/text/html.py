"""Telegram's HTML as plain text and entities."""

from __future__ import annotations

import re

from playground.errors import unparsed
from playground.text.characters import Entity, utf16
from playground.text.links import DATE_TIME_FORMAT, link_entity

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
            raise unparsed(f"Unexpected end tag at byte offset {begin}")
        while i < size and source[i] not in _SPACE and source[i] != 0x3E:
            i += 1
        name = source[begin + 2 : i].decode("utf-8", "replace").lower()
        while i < size and source[i] in _SPACE:
            i += 1
        if i >= size or source[i] != 0x3E:
            raise unparsed(f"Unclosed end tag at byte offset {begin}")
        i += 1
        tag, attributes, start, index = stack.pop()
        if name and name != tag:
            raise unparsed(f'Unmatched end tag at byte offset {begin}, expected "</{tag}>", found "</{name}>"')
        if offset > start:
            _close(entities, tag, attributes, start, offset - start, "".join(out[index:]))
    if stack:
        raise unparsed(f'Can\'t find end tag corresponding to start tag "{stack[-1][0]}"')
    for entity in entities:
        if entity["type"] == "code":
            entity.pop("language", None)  # only a pre may name its language
    plain = "".join(out)
    try:
        plain = plain.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError:
        raise unparsed(
            "Text contains invalid Unicode characters after decoding HTML entities, check for unmatched surrogate "
            "code units"
        ) from None
    return plain, entities


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


def _start_tag(source: bytes, begin: int) -> tuple[int, str, dict[str, str]]:
    """The tag that starts at *begin*: where it ends, its name, its attributes."""
    size, i = len(source), begin + 1
    while i < size and source[i] not in _SPACE and source[i] != 0x3E:
        i += 1
    if i >= size:
        raise unparsed(f"Unclosed start tag at byte offset {begin}")
    tag = source[begin + 1 : i].decode("utf-8", "replace").lower()
    if tag not in _TAGS:
        raise unparsed(f'Unsupported start tag "{tag}" at byte offset {begin}')
    attributes: dict[str, str] = {}
    while True:
        while i < size and source[i] in _SPACE:
            i += 1
        if i >= size:
            raise unparsed(f'Unclosed start tag "{tag}" at byte offset {begin}')
        if source[i] == 0x3E:
            break
        start = i
        while i < size and source[i] not in _SPACE and source[i] not in b"=>":
            i += 1
        name = source[start:i].decode("utf-8", "replace").lower()
        if not name:
            raise unparsed(f'Empty attribute name in the tag "{tag}" at byte offset {begin}')
        while i < size and source[i] in _SPACE:
            i += 1
        if i < size and source[i] != 0x3D:
            if tag == "blockquote" and name == "expandable":
                attributes[name] = ""
                continue
            raise unparsed(
                f'Expected equal sign in declaration of an attribute of the tag "{tag}" at byte offset {begin}'
            )
        i += 1
        while i < size and source[i] in _SPACE:
            i += 1
        if i >= size:
            raise unparsed(f'Unclosed start tag "{tag}" at byte offset {begin}')
        if source[i] not in b"'\"":
            start = i
            while i < size and (source[i : i + 1].isalnum() or source[i] in b".-"):
                i += 1
            attributes[name] = source[start:i].decode().lower()
            if i >= size or (source[i] not in _SPACE and source[i] != 0x3E):
                raise unparsed(f"Unexpected end of name token at byte offset {start}")
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
            raise unparsed(f"Unclosed start tag at byte offset {begin}")
        i += 1
        attributes[name] = b"".join(value).decode("utf-8", "replace")
    if tag == "span" and attributes.get("class") != "tg-spoiler":
        raise unparsed(f'Tag "span" must have class "tg-spoiler" at byte offset {begin}')
    if tag == "tg-time":
        if not re.fullmatch(r"\d{1,11}", attributes.get("unix", "")):
            raise unparsed(f'Tag "tg-time" must have a valid "unix" attribute at byte offset {begin}')
        if not DATE_TIME_FORMAT.fullmatch(attributes.get("format", "")):
            raise unparsed(f'Invalid date-time format specified in the tag "tg-time" at byte offset {begin}')
    return i + 1, tag, attributes


def _close(entities: list[Entity], tag: str, attributes: dict[str, str], offset: int, length: int, inner: str) -> None:
    """Append the entity that a closed *tag* makes, if it makes one."""
    kind = _TAGS[tag]
    entity: Entity = {"type": kind, "offset": offset, "length": length}
    if kind == "a":
        link = link_entity(attributes.get("href") or inner)
        if link:
            entities.append({**entity, **link})
        return
    if kind == "custom_emoji":
        if not re.fullmatch(r"-?\d+", attributes.get("emoji-id", "")):
            raise unparsed("Invalid custom emoji identifier specified")
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
