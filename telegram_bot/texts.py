"""The words of the bot: whole sentences from seeds/texts/*.toml, with named places. Code passes values, never speech.

A key is the path to a text in any of the files: `say("lobby.full", most=12)` is `full` of the table `[lobby]`. A text
is a sentence, a table `one`/`other` (and `zero`, if it likes) chosen by the value *n*, or a list of wordings.
"""

from __future__ import annotations

import html
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from string import Formatter
from typing import Any, TypeAlias

Sentence: TypeAlias = "str | dict[str, str]"

PLURALS = frozenset(("zero", "one", "other"))


class Markup(str):
    """HTML already: it is not escaped again."""


class BadText(ValueError):
    """A text that is missing, is there twice, or has places that do not fit."""


def say(key: str, **values: Any) -> Markup:
    """The text of *key* as HTML, its places filled: escaped unless Markup, a list as "Ann, Bob and Cid"."""
    return fill(_sentence(key), values)


def say_plain(key: str, **values: Any) -> str:
    """The text of *key* for a button, a toast or an alert, where there is no HTML."""
    return _fill(_sentence(key), {place: _as_plain(value) for place, value in values.items()})


def wordings(key: str) -> tuple[Sentence, ...]:
    """All wordings of *key*; a single text is its only wording."""
    text = texts().get(key)
    if text is None:
        raise BadText(f"there is no text {key!r} in seeds/texts")
    return text if isinstance(text, tuple) else (text,)


def has(key: str) -> bool:
    return key in texts()


def fill(sentence: Sentence, values: Mapping[str, Any]) -> Markup:
    """A sentence as HTML, its places filled."""
    filled = {place: _as_html(value) for place, value in values.items()}
    return Markup(_fill(sentence, filled | ({"n": values["n"]} if "n" in values else {})))


def places(sentence: Sentence) -> frozenset[str]:
    """The names of the places of a sentence; *n* counts as one where it chooses the form."""
    if isinstance(sentence, dict):
        return frozenset({"n"}).union(*map(places, sentence.values()))
    return frozenset(place for _, place, _, _ in Formatter().parse(sentence) if place is not None)


def join(items: list[str]) -> str:
    """"Ann", "Ann and Bob", "Ann, Bob and Cid"."""
    *others, last = items or [""]
    return f"{', '.join(others)} and {last}" if others else last


@cache
def texts() -> Mapping[str, Sentence | tuple[Sentence, ...]]:
    """All texts by key. Raises BadText where two files have the same key or a text cannot be read."""
    found: dict[str, Sentence | tuple[Sentence, ...]] = {}
    for file in sorted(files("seeds").joinpath("texts").iterdir(), key=lambda file: file.name):
        if file.name.endswith(".toml"):
            try:
                content = tomllib.loads(file.read_text(encoding="utf-8"))
            except tomllib.TOMLDecodeError as error:
                raise BadText(f"{file.name}: {error}") from None
            for key, text in _flat(content):
                if key in found:
                    raise BadText(f"{file.name}: {key!r} is there already")
                found[key] = text
    return found


def _flat(table: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Sentence | tuple[Sentence, ...]]]:
    for name, value in table.items():
        key = path + name
        if isinstance(value, list):
            yield key, tuple(_checked(key, text) for text in value)
        elif isinstance(value, dict) and not value.keys() <= PLURALS:
            yield from _flat(value, key + ".")
        else:
            yield key, _checked(key, value)


def _checked(key: str, text: Any) -> Sentence:
    forms = text.values() if isinstance(text, dict) else [text]
    if not all(isinstance(form, str) for form in forms) or (isinstance(text, dict) and "other" not in text):
        raise BadText(f"{key!r} is no sentence")
    try:
        names = places(text)
    except ValueError as error:
        raise BadText(f"{key!r}: {error}") from None
    if not all(name.isidentifier() for name in names):
        raise BadText(f"{key!r} has a place without a name")
    return text  # type: ignore[no-any-return]


def _sentence(key: str) -> Sentence:
    first, *others = wordings(key)
    if others:
        raise BadText(f"{key!r} has several wordings")
    return first


def _fill(sentence: Sentence, values: Mapping[str, Any]) -> str:
    if isinstance(sentence, dict):
        n = values.get("n")
        if n is None:
            raise BadText(f"no value n to choose a form of {sentence['other']!r}")
        return _fill(sentence["one" if n == 1 else "zero" if n == 0 and "zero" in sentence else "other"], values)
    said = ""
    closed = False  # the value before ends a sentence by itself: "Missed!" wants no full stop
    for words, place, _, _ in Formatter().parse(sentence):
        said += words[1:] if closed and words.startswith(".") and not words.startswith("..") else words
        if place is None:
            break
        if place not in values:
            raise BadText(f"no value for {{{place}}} in {sentence!r}")
        value = str(values[place])
        said += value
        closed = _ends_sentence(value)
    return said


def _ends_sentence(value: str) -> bool:
    bare = value.rstrip("\u2069")
    while bare.endswith(">") and "</" in bare:
        bare = bare[: bare.rindex("</")].rstrip("\u2069")
    return bare.endswith((".", "!", "?", "\u2026"))


def _as_html(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return join([_as_html(item) for item in value])
    return value if isinstance(value, Markup) else html.escape(str(value), quote=False)


def _as_plain(value: Any) -> Any:
    if isinstance(value, Markup):
        if "<" in value:
            raise BadText(f"HTML in a plain text: {value!r}")
        return html.unescape(value)
    if isinstance(value, (list, tuple)):
        return join([str(item) for item in value])
    return value
