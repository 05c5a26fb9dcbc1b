"""Text becomes what Telegram keeps: parsed, trimmed, with offsets in UTF-16."""

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.errors import Refused
from playground.text import formatted, piece, utf16


def kinds(text, mode="HTML", **more):
    plain, entities = formatted(text, mode, **more)
    return plain, [(e["type"], piece(plain, e)) for e in entities]


def refusal(text, mode="HTML", **more):
    with pytest.raises(Refused) as caught:
        formatted(text, mode, **more)
    return caught.value.description


@pytest.mark.parametrize(
    ("text", "plain", "entities"),
    [
        ("<b>a</b><strong>b</strong>", "ab", [("bold", "ab")]),
        (
            "<i>a</i> <em>b</em> <u>c</u> <ins>d</ins>",
            "a b c d",
            [("italic", "a"), ("italic", "b"), ("underline", "c"), ("underline", "d")],
        ),
        ("<s>a</s> <strike>b</strike> <del>c</del>", "a b c", [("strikethrough", x) for x in "abc"]),
        ('<tg-spoiler>a</tg-spoiler> <span class="tg-spoiler">b</span>', "a b", [("spoiler", "a"), ("spoiler", "b")]),
        ("<b>bold <i>both</i></b>", "bold both", [("bold", "bold both"), ("italic", "both")]),
        ("<code>x</code> <pre>y</pre>", "x y", [("code", "x"), ("pre", "y")]),
        ("<b>a <code>b</code> c</b>", "a b c", [("bold", "a "), ("code", "b"), ("bold", " c")]),
        ("<blockquote>q</blockquote>", "q", [("blockquote", "q")]),
        ("<blockquote expandable>q</blockquote>", "q", [("expandable_blockquote", "q")]),
        ("<B>a</b>", "a", [("bold", "a")]),
        ("&lt;b&gt; &amp; &quot; &#65; &#x42; &copy;", '<b> & " A B &copy;', []),
        ("😀<b>😀</b>", "😀😀", [("bold", "😀")]),
        ("  <b> a </b>  ", "a", [("bold", "a")]),
        ("a\u202eb\r\nc\td", "ab\nc d", []),
        ('<a href="no link">x</a>', "x", []),
        ("<b></b>x", "x", []),
    ],
)
def test_html_becomes_entities(text, plain, entities):
    assert kinds(text) == (plain, entities)


def test_a_link_to_a_user_is_a_mention():
    assert formatted('<a href="tg://user?id=5">Ann</a>', "HTML")[1] == [
        {"type": "text_mention", "offset": 0, "length": 3, "user_id": 5}
    ]


def test_a_mention_of_somebody_unknown_stays_plain():
    assert formatted('<a href="tg://user?id=5">Ann</a>', "HTML", known=lambda user_id: False) == ("Ann", [])


def test_a_link_is_kept_with_its_scheme():
    assert formatted('<a href="example.com">x</a>', "HTML")[1][0]["url"] == "http://example.com/"


def test_a_time_is_written_tg_time():
    assert formatted('<tg-time unix="1700000000" format="wDT">soon</tg-time>', "HTML") == (
        "soon",
        [{"type": "date_time", "offset": 0, "length": 4, "unix_time": 1700000000, "date_time_format": "wDT"}],
    )
    assert formatted('<tg-time unix="1700000000">soon</tg-time>', "HTML")[1] == [
        {"type": "date_time", "offset": 0, "length": 4, "unix_time": 1700000000}
    ]


def test_a_pre_may_name_its_language():
    assert formatted('<pre><code class="language-python">x</code></pre>', "HTML")[1] == [
        {"type": "pre", "offset": 0, "length": 1, "language": "python"}
    ]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("<b>x", 'Can\'t find end tag corresponding to start tag "b"'),
        ("жж<x>y</x>", 'Unsupported start tag "x" at byte offset 4'),
        ("a</b>", "Unexpected end tag at byte offset 1"),
        ("<b>x</i>", 'Unmatched end tag at byte offset 4, expected "</b>", found "</i>"'),
        ("a < b", 'Unsupported start tag "" at byte offset 2'),
        ("<b", "Unclosed start tag at byte offset 0"),
        ("<b>x</b", "Unclosed end tag at byte offset 4"),
        ("<span>x</span>", 'Tag "span" must have class "tg-spoiler" at byte offset 0'),
        ('<a href="x>y</a>', "Unclosed start tag at byte offset 0"),
        ("<a href>y</a>", 'Expected equal sign in declaration of an attribute of the tag "a" at byte offset 0'),
        ('<tg-time unix="soon">y</tg-time>', "tg-time"),
        ('<tg-time unix="5" format="q">y</tg-time>', "format"),
    ],
)
def test_broken_html_is_refused_with_its_place(text, why):
    description = refusal(text)
    assert description.startswith("Bad Request: can't parse entities: ") and why in description


@pytest.mark.parametrize("text", ["", "   \n", "<b> </b>", "\u200b\u2800", "\u202e"])
def test_nothing_to_see_is_no_text(text):
    assert refusal(text) == "Bad Request: message text is empty"


def test_length_counts_after_parsing_and_in_letters():
    assert formatted("<b>" + "x" * 4096 + "</b>", "HTML")[0] == "x" * 4096
    assert formatted("😀" * 4096, "")[0] == "😀" * 4096
    assert refusal("x" * 4097) == "Bad Request: message is too long"
    assert refusal("x" * 1025, limit=1024, caption=True) == "Bad Request: message caption is too long"


def test_only_three_ways_to_write():
    assert refusal("x", "XML") == "Bad Request: unsupported parse_mode"
    assert kinds("*b* _i_ __u__ ~s~ ||p|| `c` [l](http://e.com)", "MarkdownV2")[1] == [
        ("bold", "b"),
        ("italic", "i"),
        ("underline", "u"),
        ("strikethrough", "s"),
        ("spoiler", "p"),
        ("code", "c"),
        ("text_link", "l"),
    ]
    assert "is reserved and must be escaped" in refusal("a.b", "MarkdownV2")
    assert "Can't find end of Bold entity at byte offset 0" in refusal("*a", "MarkdownV2")


def test_telegram_finds_commands_mentions_and_links_itself():
    assert kinds("/start@a_bot @ann https://e.com/x, #tag t.me/a_bot?start=1 a/b")[1] == [
        ("bot_command", "/start@a_bot"),
        ("mention", "@ann"),
        ("url", "https://e.com/x"),
        ("hashtag", "#tag"),
        ("url", "t.me/a_bot?start=1"),
    ]


def test_entities_may_stand_beside_the_text():
    given_ = [
        {"type": "bold", "offset": 0, "length": 2},
        {"type": "date_time", "offset": 3, "length": 1, "unix_time": 5, "date_time_format": "r"},
        {"type": "url", "offset": 0, "length": 1},
    ]
    assert formatted("😀 x", "", given_)[1] == [
        {"type": "bold", "offset": 0, "length": 2},
        {"type": "date_time", "offset": 3, "length": 1, "unix_time": 5, "date_time_format": "r"},
    ]


@pytest.mark.parametrize(
    "entity",
    [
        {"type": "bold", "offset": 0, "length": 9},
        {"type": "bold", "offset": -1, "length": 1},
        {"type": "bold", "offset": 1, "length": 1},
        {"type": "text_mention", "offset": 0, "length": 1},
        {"type": "date_time", "offset": 0, "length": 2},
        {"type": "text_link", "offset": 0, "length": 2, "url": "none"},
        {"offset": 0, "length": 1},
    ],
)
def test_entities_that_do_not_fit_are_refused(entity):
    assert refusal("😀", "", entities=[entity]).startswith("Bad Request: ")


def test_entities_move_with_what_is_cut():
    assert formatted("  \u202ea b ", "", [{"type": "bold", "offset": 5, "length": 1}]) == (
        "a b",
        [{"type": "bold", "offset": 2, "length": 1}],
    )


def test_more_than_a_hundred_entities_are_dropped():
    assert len(formatted(" ".join(["<b>x</b> y"] * 120), "HTML")[1]) == 100


@given(st.text(min_size=1, max_size=60))
def test_escaped_text_comes_out_as_it_went_in(text):
    try:
        plain = formatted(text, "")[0]
    except Refused:
        return
    assert formatted(html.escape(text, quote=False), "HTML")[0] == plain


PIECES = [
    *"<>/ab &;\"'= 😀ж\n*_~|[]()`>!.\\",
    "<b>",
    "</b>",
    "<i>",
    "</i>",
    '<a href="tg://user?id=1">',
    "</a>",
    "<code>",
    "</code>",
    "<pre>",
    "</pre>",
    "||",
    "```",
    "](http://e.com)",
]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join), st.sampled_from(["HTML", "MarkdownV2", ""]))
def test_any_text_is_parsed_or_refused(text, mode):
    try:
        plain, entities = formatted(text, mode)
    except Refused as refused:
        assert refused.code == 400
        return
    size = utf16(plain)
    assert all(0 <= e["offset"] and 0 < e["length"] and e["offset"] + e["length"] <= size for e in entities)
