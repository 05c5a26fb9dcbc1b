"""/rules: short, and card by card, found however it is written; and a line for every option."""

from __future__ import annotations

import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import core
from telegram_bot import rulebook
from telegram_bot.texts import texts
from tests.texts.evening import as_read


def test_the_rules_in_short_fit_two_screens_of_a_phone():
    read = as_read(rulebook.short())
    assert len(read) < 1200
    for word in ("The Thing", "Infected!", "PANIC!", "Flamethrower", "/rules axe"):
        assert word in read


@pytest.mark.parametrize("query, cards", [
    ("axe", ["Axe"]),
    ("AXE!", ["Axe"]),
    ("  no thanks ", ["No, Thanks!"]),
    ("youd better", ["You'd Better Run!"]),
    ("You’d better run", ["You'd Better Run!"]),
    ("party", ["So This Is the Party?"]),
    ("three four", ["Three, Four..."]),
    ("the", ["The Thing"]),
    ("thing", ["The Thing"]),
    ("barbecue", ["No Barbeque!"]),
    ("flamethower", ["Flamethrower"]),
    ("whiskey", ["Whisky"]),
    ("no", ["No, Thanks!", "No Barbeque!"]),
    ("zeppelin", []),
    ("!!", []),
])  # fmt: skip
def test_a_card_is_found_however_it_is_written(query, cards):
    assert rulebook.find(query) == cards


@pytest.mark.parametrize("card", core.CARDS)
def test_every_card_is_found_by_its_name_and_told_with_its_sentence(card):
    told = as_read(rulebook.about(card, 12))
    assert told.startswith(f"{card} · ") and core.CARDS[card].text in told
    assert len(told) < 500


def test_how_many_there_are_is_told_for_this_table():
    assert "1 in the deck with 4 players." in as_read(rulebook.about("axe", 4))
    assert "2 in the deck with 9 players." in as_read(rulebook.about("axe", 9))
    assert "None in the deck with 4 players." in as_read(rulebook.about("revelations", 4))
    assert "2 in the box" in as_read(rulebook.about("axe"))
    assert "10 in the deck with 4 players." in as_read(rulebook.about("infected", 4, core.Options(infected_delta=2)))
    assert "8 in the deck with 4 players." in as_read(rulebook.about("infected", 4, core.Options(infected_delta=-20)))
    assert "open Quarantine" in as_read(rulebook.about("quarantine", 9, core.Options(quarantine="open")))


def test_what_is_no_card_gets_the_list():
    told = as_read(rulebook.about("zeppelin"))
    assert told.startswith("No card is called “zeppelin”") and all(card in told for card in core.CARDS)
    assert rulebook.about("") == rulebook.about("cards") == rulebook.listing()
    assert as_read(rulebook.about("no")) == "Which one? No, Thanks! and No Barbeque!"


@given(st.text(max_size=300))
def test_any_question_has_an_answer_that_fits(query):
    told = rulebook.about(query, 6)
    assert 0 < len(told) < 3500
    assert not re.search(r"<(?!/?(b|i|code)>)", told)


@pytest.mark.parametrize("option", (*rulebook.OPTIONS, rulebook.INFECTED), ids=lambda option: option.key)
def test_every_option_has_a_name_for_a_button_and_one_line(option):
    assert len(option.name) <= 18 and len(option.text) <= 100 and "\n" not in option.text
    assert len(f"{option.name}: {option.short}") <= 45, "a line and a bit of a phone"
    assert f"{option.name}: {option.text}" in as_read(rulebook.about("options"))


def test_a_list_of_cards_keeps_names_with_commas_apart():
    assert "Scary · No, Thanks! · Missed!" in as_read(rulebook.listing())


def test_there_is_a_line_for_every_option_of_the_rules():
    known = {option.key for option in (*rulebook.OPTIONS, rulebook.INFECTED)}
    assert known == set(core.Options.__struct_fields__)


@pytest.mark.parametrize("option", rulebook.OPTIONS, ids=lambda option: option.key)
def test_an_option_is_switched_on_and_off_again(option):
    others = {"infected_delta": 1}
    on = option.toggled(others)
    assert option.is_on(on) and not option.is_on(others)
    assert option.toggled(on) == others
    assert rulebook.changed_options(on) == [option.name, "Infected! +1"]
    assert core.read_options(on, 12) == msgspec.convert(on, core.Options)


def test_there_is_a_note_for_real_cards_only():
    notes = {key.removeprefix("rules.note.") for key in texts() if key.startswith("rules.note.")}
    assert notes <= set(core.CARDS)
