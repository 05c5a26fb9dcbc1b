"""Names as people see them: cleaned, cut, told apart, escaped. The one place where a name from Telegram is touched."""

from __future__ import annotations

import html as _html
from collections.abc import Iterator, Sequence
from functools import lru_cache
from unicodedata import category, normalize

LONGEST = 24  # visible characters; an emoji counts as four
NAMELESS = "Nameless"

_ISOLATE, _END = "\u2068", "\u2069"
_JOINER, _PICTURE, _KEYCAP, _FLAG, _LAST_TAG = "\u200d", "\ufe0f", "\u20e3", "\U0001f3f4", "\U000e007f"
_MARKS = 2  # on one letter; more is a flood that climbs over the lines above
_PARTS = 4  # joined into one emoji, as in a family

# Where emoji and other pictures are.
_EMOJI = ((0x1F000, 0x1FAFF), (0x2300, 0x23FF), (0x2600, 0x27BF), (0x2B00, 0x2BFF))
# Letters and symbols that show nothing though Unicode does not call them blank.
_BLANK = frozenset("\u115f\u1160\u3164\uffa0\u2800")
# Marks that show nothing: they could make two names look alike and differ.
_HIDDEN = frozenset("\u034f\u17b4\u17b5\u180b\u180c\u180d\u180f")
# Letters of other alphabets that nobody can tell from Latin ones.
_LOOKALIKES = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u051b\u051d\u04bb\u0432\u043a\u043c\u043d\u0442"
    "\u03b1\u03bf\u03c1\u03bd\u03b9\u03ba\u03c4\u03c5\u03c7\u03b5\u03b7\u03b2\u03b6\u03bc",
    "aeopcyxijsdqwhbkmht" "aopviktuxenbzm",
)


@lru_cache(maxsize=4096)  # every screen of a game has the same few names on it, a dozen times over
def clean(raw: str) -> str:
    """*raw* as it may be shown: one line, at most LONGEST visible characters, nothing invisible, nothing that reorders.

    What is left of an invisible name is "Nameless". Cleaning a clean name changes nothing.
    """
    text = "".join(_characters(normalize("NFC", raw[:1000])))
    # A mark may have met its letter only now that the invisible between them is gone.
    return _cut(list(_characters(normalize("NFC", text))), LONGEST) or NAMELESS


def tell_apart(names: Sequence[str]) -> list[str]:
    """The names of a roster, cleaned; who is called like somebody before gets a number.

    Whoever comes later changes no name before: `["Ann", "ANN", "Ann 2"]` are Ann, ANN 2 and Ann 2 2.
    """
    told: list[str] = []
    taken: set[str] = set()
    for name in map(clean, names):
        own, number = name, 1
        while _skeleton(own) in taken:
            number += 1
            own = _cut(list(_characters(name)), LONGEST - len(f" {number}")) + f" {number}"
        taken.add(_skeleton(own))
        told.append(own)
    return told


def shortened(names: Sequence[str], room: int) -> list[str]:
    """The names of a roster where there is little room: at most so many code points each (but one character at least),
    and still told apart.

    >>> shortened(["Wilhelmina of the North", "Wilhelmina of the South", "Bob"], 11)
    ['Wilhelmina…', 'Wilhelmina… 2', 'Bob']
    """
    cut = []
    for name in map(clean, names):
        characters = list(_characters(name))
        if len(name) > room:
            while len(characters) > 1 and len("".join(characters)) > room - 1:
                characters.pop()
            name = "".join(characters).rstrip(" \u2026") + "\u2026"
        cut.append(name)
    return tell_apart(cut)


def html(name: str) -> str:
    """*name* for a message in HTML: escaped, and isolated so that it reorders nothing around it."""
    return _ISOLATE + _html.escape(clean(name), quote=False) + _END


def plain(name: str) -> str:
    """*name* for a button or an alert, where there is no HTML."""
    return _ISOLATE + clean(name) + _END


def _characters(text: str) -> Iterator[str]:
    """What a reader sees as one character each: letters with their marks, whole emoji; the invisible is gone."""
    whole = ""  # the character that may still grow
    joining = False
    for char in text:
        kind = category(char)
        if kind[0] == "Z" or char.isspace() or char in _BLANK:
            if whole and whole != " ":
                yield whole
                whole = " "
        elif char == _JOINER:
            joining = _is_emoji(whole) and whole.count(_JOINER) < _PARTS - 1
            continue
        elif joining and _is_emoji(char):
            whole += _JOINER + char
        elif (more := _grown(whole, char, kind)) is not None:
            whole = more
        else:
            if whole:
                yield whole
            whole = char
        joining = False
    if whole and whole != " ":
        yield whole


def _grown(whole: str, char: str, kind: str) -> str | None:
    """*whole* with *char* on it, or without if it would show nothing; None if *char* begins a character of its own."""
    if char == _PICTURE:
        fits = whole[-1:] != char and (_is_emoji(whole) or whole in "0123456789#*")
        return whole + char if whole.strip() and fits else whole
    if char == _KEYCAP:
        return whole + char if whole[:1] in tuple("0123456789#*") and whole[1:] in ("", _PICTURE) else whole
    if "\U000e0020" <= char <= _LAST_TAG:  # the flags of England, Scotland, Wales
        return whole + char if whole[:1] == _FLAG and whole[-1] != _LAST_TAG and len(whole) < 8 else whole
    if "\U0001f3fb" <= char <= "\U0001f3ff" and _is_emoji(whole):  # a colour of skin, once
        return whole if "\U0001f3fb" <= whole[-1] <= "\U0001f3ff" else whole + char
    if _is_region(char) and len(whole) == 1 and _is_region(whole):
        return whole + char
    if kind in ("Mn", "Mc"):
        if not whole.strip() or _is_variant(char) or char in _HIDDEN or _is_emoji(whole):
            return whole
        return whole + char if sum(category(c) in ("Mn", "Mc") for c in whole) < _MARKS else whole
    if kind in ("Cc", "Cf", "Cs", "Co", "Me") or _is_ignorable(char):
        return whole
    return None


def _cut(characters: list[str], room: int) -> str:
    """As many characters as there is room for; an ellipsis tells that some are missing."""
    costs = list(map(_cost, characters))
    if sum(costs) > room:
        while characters and sum(costs) > room - 1:
            characters.pop()
            costs.pop()
        return "".join(characters).rstrip(" \u2026") + "\u2026" if characters else ""
    return "".join(characters).strip()


def _cost(character: str) -> int:
    """How much room a character takes: more for emoji, and for single signs that hold a whole sentence."""
    if _is_emoji(character) or "\U00012000" <= character[0] <= "\U0001254f":
        return 4
    meaning = len(normalize("NFKC", character[0]))
    return 8 if character[0] == "\ufdfd" else meaning if meaning > 4 else 1


def _skeleton(name: str) -> str:
    """What is left of a name when case, width, blanks and alphabets that look alike do not count."""
    folded = normalize("NFKC", normalize("NFKC", name).casefold()).translate(_LOOKALIKES)
    return "".join(char for char in folded if not char.isspace() and char not in (_PICTURE, _JOINER))


def _is_emoji(character: str) -> bool:
    code = ord(character[0]) if character else 0
    return any(first <= code <= last for first, last in _EMOJI)


def _is_region(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _is_variant(char: str) -> bool:
    return "\ufe00" <= char <= "\ufe0e" or "\U000e0100" <= char <= "\U000e01ef"


def _is_ignorable(char: str) -> bool:
    """Places of Unicode that are empty and show nothing."""
    code = ord(char)
    return 0xE0000 <= code <= 0xE0FFF or 0xFFF0 <= code <= 0xFFFB or code == 0x2065 or code & 0xFFFE == 0xFFFE
