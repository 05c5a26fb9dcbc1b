"""Names: whatever people call themselves, it is shown safely, on one line, and told apart."""

from __future__ import annotations

import html as stdlib_html
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from telegram_bot import names
from telegram_bot.names import NAMELESS, clean, html, plain, tell_apart

FAMILY = "👨\u200d👩\u200d👧\u200d👦"
ENGLAND = "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
ODD = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from("Aa1#é\u0301\u0302 \t\n\u00a0\u3000\u200b\u200c\u200d\u200e\u200f"),
        st.sampled_from("\u202a\u202e\u2066\u2069\ufe0f\u20e3"),
        st.sampled_from("👩🏽😀❤🏴🇩🇪\u3164\u2800\u034f\U000e0067\U000e007f\ufdfd\ud800\u0000<>&\""),
    ),
    max_size=80,
)


@given(ODD)
@example("\u0301" * 60)
@example(FAMILY * 30)
@example("\u200d" * 60)
@example("E\u0301\u200b\u0301\u0001\u0302")
@example("E\u200b\u0301\u0301\u0301")
@example("🇩" * 61)
@example(" ".join("👍🏽" * 30))
def test_a_clean_name_is_visible_short_and_stays_clean(raw):
    name = clean(raw)
    assert name and name == name.strip() and clean(name) == name
    assert "\n" not in name and "  " not in name
    assert len(list(names._characters(name))) <= names.LONGEST
    assert len(name) <= names.LONGEST * 3
    assert any(unicodedata.category(char)[0] in "LNPSC" and char not in names._BLANK for char in name)
    for char in name:
        kind = unicodedata.category(char)
        assert kind not in ("Cc", "Cs", "Co", "Zl", "Zp")
        assert kind != "Cf" or char == "\u200d" or "\U000e0020" <= char <= "\U000e007f"


@pytest.mark.parametrize("raw, shown", [
    ("Ann", "Ann"),
    ("  Ann \n\t Lee ", "Ann Lee"),
    ("\u202eevil\u202c", "evil"),
    ("a\u200bb\u2060c\ufeffd", "abcd"),
    ("", NAMELESS),
    ("\u200b\u3164\u2800 \u00ad", NAMELESS),
    ("x" * 60, "x" * 23 + "…"),
    ("😀" * 60, "😀" * 5 + "…"),
    (FAMILY * 20, FAMILY * 5 + "…"),
    (FAMILY, FAMILY),
    (f"{ENGLAND} 🇩🇪 1\ufe0f\u20e3", f"{ENGLAND} 🇩🇪 1\ufe0f\u20e3"),
    ("\U000e0067hidden\U000e007f", "hidden"),
    ("क्षितिज", "क्षितिज"),
    ("กิ่งแก้ว", "กิ่งแก้ว"),
    ("משה", "משה"),
    ("李小龍", "李小龍"),
    ("\u0301\u0301", NAMELESS),
])  # fmt: skip
def test_a_name_is_cleaned(raw, shown):
    assert clean(raw) == unicodedata.normalize("NFC", shown)


def test_marks_that_flood_a_letter_ebb_to_two():
    name = clean("Z\u0337\u0322\u031b\u0338\u0321o\u0338\u0321\u0322\u0337e")
    assert len(name) == 7 and [char for char in name if char.isalpha()] == ["Z", "o", "e"]


@given(ODD)
def test_a_name_is_safe_in_html_and_isolated(raw):
    said = html(raw)
    assert said[0] == "\u2068" and said[-1] == "\u2069"
    inner = said[1:-1]
    assert "<" not in inner and ">" not in inner and not any(mark in inner for mark in "\u2066\u2067\u2068\u2069\u202e")
    assert stdlib_html.unescape(inner.replace("&amp;", "&")).count("<") == clean(raw).count("<")
    assert plain(raw) == f"\u2068{clean(raw)}\u2069"


ALIKE = st.sampled_from(["Ann", "ann", "Ann 2", "ANN 3", "\u0410nn", "", "x" * 30, "😀" * 9])


@given(st.lists(st.one_of(ODD, ALIKE), max_size=12))
@example(["Ann", "Ann", "Ann 2", "Ann 2", "Ann 3", "Ann"])
@example(["x" * 60] * 12)
@example([""] * 12)
def test_nobody_is_confused_and_who_comes_later_changes_no_name(raw):
    told = tell_apart(raw)
    assert len(set(map(names._skeleton, told))) == len(told) == len(raw)
    assert all(clean(name) == name for name in told)
    for number in range(len(raw)):
        assert tell_apart(raw[:number]) == told[:number]
    assert tell_apart(told) == told  # a name once given stays


@pytest.mark.parametrize("raw, told", [
    (["Ann", "Bob"], ["Ann", "Bob"]),
    (["Ann", "Ann"], ["Ann", "Ann 2"]),
    (["Ann", "ANN", "ann"], ["Ann", "ANN 2", "ann 3"]),
    (["Ann 2", "Ann", "Ann"], ["Ann 2", "Ann", "Ann 3"]),
    (["Ann", "\u0410nn"], ["Ann", "\u0410nn 2"]),
    (["Ann", "\uff21nn", "A\u200bnn"], ["Ann", "\uff21nn 2", "Ann 3"]),
    (["", "\u3164"], [NAMELESS, f"{NAMELESS} 2"]),
    (["y" * 30, "y" * 31], ["y" * 23 + "…", "y" * 21 + "… 2"]),
])  # fmt: skip
def test_names_are_told_apart(raw, told):
    assert tell_apart(raw) == told
