"""The words: every text that the code asks for is there, its places are filled, and no text lies unused."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import telegram_bot
from telegram_bot import texts
from telegram_bot.texts import BadText, Markup, join, places, say, say_plain

SOURCES = sorted(Path(telegram_bot.__file__).parent.rglob("*.py"))


class Source:
    """A module of the bot: the keys it names, whole or by their beginning, and how it calls `say`."""

    def __init__(self, path: Path) -> None:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        nodes = list(ast.walk(tree))
        self.words = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
        self.beginnings = {
            node.values[0].value
            for node in nodes
            if isinstance(node, ast.JoinedStr) and node.values and isinstance(node.values[0], ast.Constant)
        }
        imported = {
            alias.asname or alias.name
            for node in nodes
            if isinstance(node, ast.ImportFrom) and node.module == "telegram_bot.texts"
            for alias in node.names
        }
        self.says = imported & {"say", "say_plain"}
        calls = [node for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
        self.calls = [(f"{path.name}:{call.lineno}", call) for call in calls if call.func.id in self.says]


def keys_of(argument: ast.expr) -> Iterator[str]:
    """The keys that an argument may be: one, or one of two."""
    if isinstance(argument, ast.Constant):
        yield argument.value
    elif isinstance(argument, ast.IfExp):
        yield from keys_of(argument.body)
        yield from keys_of(argument.orelse)


READ = [Source(path) for path in SOURCES]
CALLS = [(where, node) for source in READ for where, node in source.calls]


@pytest.mark.parametrize("where, call", CALLS, ids=[where for where, _ in CALLS])
def test_every_text_asked_for_is_there_with_all_its_places_filled(where, call):
    given_ = {keyword.arg for keyword in call.keywords}
    for key in keys_of(call.args[0]):
        for sentence in texts.wordings(key):
            assert None in given_ or places(sentence) <= given_, f"{where}: {key}"


def test_no_text_lies_unused():
    words = {word for source in READ for word in source.words}
    beginnings = tuple(start for source in READ for start in source.beginnings if "." in start)
    unused = [key for key in texts.texts() if key not in words and not key.startswith(beginnings)]
    assert unused == []


def test_a_value_is_escaped_and_markup_is_not(monkeypatch):
    speak(monkeypatch, greet="Hello {name}, {n} < 3")
    assert say("greet", name="<b>&", n=2) == "Hello &lt;b&gt;&amp;, 2 < 3"
    assert say("greet", name=Markup("<b>Ann</b>"), n=2) == "Hello <b>Ann</b>, 2 < 3"
    assert isinstance(say("greet", name="x", n=1), Markup)


def test_a_plain_text_has_no_html(monkeypatch):
    speak(monkeypatch, greet="Hello {name}.")
    assert say_plain("greet", name="<b>&") == "Hello <b>&."
    assert say_plain("greet", name=Markup("A&amp;B")) == "Hello A&B."
    with pytest.raises(BadText, match="HTML"):
        say_plain("greet", name=Markup("<b>Ann</b>"))


def test_a_list_reads_as_people_say_it(monkeypatch):
    speak(monkeypatch, here="Here: {names}.")
    assert [join(["Ann", "Bob", "Cid"][:n]) for n in range(4)] == ["", "Ann", "Ann and Bob", "Ann, Bob and Cid"]
    assert say("here", names=["<Ann>", Markup("<b>Bob</b>")]) == "Here: &lt;Ann&gt; and <b>Bob</b>."


def test_a_number_chooses_its_form(monkeypatch):
    left = {"zero": "None left.", "one": "One left.", "other": "{n} left."}
    speak(monkeypatch, left=left, some={"one": "1", "other": "{n}"})
    assert [say("left", n=n) for n in (0, 1, 2)] == ["None left.", "One left.", "2 left."]
    assert say("some", n=0) == "0"
    with pytest.raises(BadText, match="no value n"):
        say("left")


def test_a_value_that_ends_a_sentence_wants_no_second_full_stop(monkeypatch):
    speak(monkeypatch, drew="You drew {card}. Well.", trail="{card}...")
    assert say("drew", card="Missed!") == "You drew Missed! Well."
    assert say("drew", card=Markup("<i>Three, Four...</i>")) == "You drew <i>Three, Four...</i> Well."
    assert say("drew", card=Markup("<i>Axe</i>")) == "You drew <i>Axe</i>. Well."
    assert say("trail", card="Oops!") == "Oops!..."


def test_what_is_missing_is_told(monkeypatch):
    speak(monkeypatch, greet="Hello {name}", many=("one", "two"))
    for key, values, why in (("greet", {}, "no value for {name}"), ("nothing", {}, "no text"), ("many", {}, "several")):
        with pytest.raises(BadText, match=why):
            say(key, **values)


@pytest.mark.parametrize("wrong", ({"a": 1}, {"a": "{"}, {"a": "{0}"}, {"a": "{}"}, {"a": {"one": "x"}}, {"a": [1]}))
def test_a_text_that_cannot_be_said_is_refused_when_it_is_read(wrong):
    with pytest.raises(BadText):
        list(texts._flat(wrong))


@given(st.text())
def test_any_value_may_stand_in_any_place(value):
    said = texts.fill("<i>{x}</i>", {"x": value})
    assert said.startswith("<i>") and said.endswith("</i>") and said.count("<") == 2


def speak(monkeypatch: pytest.MonkeyPatch, **words: object) -> None:
    """The texts are these alone."""
    monkeypatch.setattr(texts, "texts", lambda: words)
