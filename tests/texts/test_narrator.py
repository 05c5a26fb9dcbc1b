"""The story of a game: it grows, it hides what it must, it fits on a phone, and it does not repeat itself."""

from __future__ import annotations

import re
from collections import Counter
from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import core
from core import events, turn
from core.cards.registry import PANICS, PLAYABLE
from telegram_bot import happenings, narrator
from telegram_bot.texts import places, texts, wordings
from tests.texts.evening import as_read, names, play
from tests.texts.happened import (
    ANN,
    BOB,
    CID,
    DAN,
    EVENING,
    FOUR,
    NAMES,
    TURNS,
    discarded,
    drew,
    exchange,
    panic,
    shown,
    swapped,
)

KINDS = [key for key, text in texts().items() if key.startswith("story.") and isinstance(text, tuple)]
KINDS.remove("story.numbers")
LONG = "&" * 24  # the longest a name can be, in HTML


def everything_said(monkeypatch: pytest.MonkeyPatch, number: int) -> dict[str, str]:
    """Each kind in its wording of that *number*, as it was last said."""
    said: dict[str, str] = {}
    fill = narrator.fill

    def kept(sentence, values):  # type: ignore[no-untyped-def]
        said[kind] = told = fill(sentence, values)
        return told

    def chosen(n: int, seed: str, of: str, *_: object) -> int:
        nonlocal kind
        kind = of
        return number % n

    kind = ""
    monkeypatch.setattr(narrator, "fill", kept)
    monkeypatch.setattr(narrator, "next_wording", chosen)
    for happened in EVENING:
        narrator.tell_turn(happened, NAMES, "seed")
    for quiet in range(100, 110):
        narrator.tell_turn([events.TurnBegan(ANN, quiet), discarded(ANN)], NAMES, "seed")
    return said


@pytest.mark.parametrize("number", range(max(len(wordings(kind)) for kind in KINDS)))
def test_every_wording_of_every_kind_can_be_said_and_is_a_sentence(monkeypatch, number):
    said = everything_said(monkeypatch, number)
    assert set(said) == set(KINDS)
    for kind, told in said.items():
        read = as_read(told)
        assert re.search(r"[.!?][\"…]?$", read), (kind, read)
        assert not re.search(r"  |[!?.] ?\.|,,| [,.]|[{}]", read.replace("...", "")), (kind, read)
        assert re.match(r"[A-Z🔥⏳🗣\"]", read), (kind, read)


@pytest.mark.parametrize("kind", KINDS)
def test_there_are_four_wordings_or_more_for_everything(kind):
    assert len(set(map(str, wordings(kind)))) == len(wordings(kind)) >= 4


@pytest.mark.parametrize("kind", KINDS)
def test_nobody_is_called_he_or_she(kind):
    for sentence in wordings(kind):
        assert not re.search(r"\b(he|she|him|her|his|hers|himself|herself)\b", str(sentence), re.IGNORECASE)


def test_a_card_is_named_in_every_wording_that_tells_of_it():
    for kind in KINDS:
        if re.match(r"story\.(played|played_on_self|defended|panic)\.", kind):
            assert all("card" in places(sentence) for sentence in wordings(kind)), kind


def test_who_acts_and_who_is_meant_is_named_in_every_wording():
    both = {
        "story.offered": {"taker"},
        "story.offered_then": {"taker"},
        "story.handed_on.to": {"giver", "substitute"},
        "story.exchanged_instead": {"giver", "taker"},
        "story.not_exchanged.door": {"seat", "other"},
        "story.not_exchanged.quarantine": {"seat", "other"},
        "story.burned.any": {"seat", "by"},
        "story.seats.swapped": {"one", "other"},
        "story.seats.also": {"one", "other"},
        "story.door.barred": {"left", "right"},
        "story.door.removed": {"left", "right"},
        "story.shown.Just Between Us...": {"friend"},
        "story.clock.ran_out": {"seat"},
    }
    aimed = [card for card in PLAYABLE if card not in ("Axe", "Whisky", "Resolute", "Watch Your Back", "Barred Door")]
    both |= {f"story.played.{card}": {"seat", "at"} for card in aimed}
    for kind, needed in both.items():
        for sentence in wordings(kind):
            assert needed <= places(sentence), (kind, sentence)


def test_every_card_has_its_own_story():
    def of(family: str) -> set[str]:
        return {kind.removeprefix(family) for kind in KINDS if kind.startswith(family)}

    assert of("story.played.") == set(PLAYABLE)
    assert of("story.panic.") == set(PANICS)
    assert of("story.defended.") == {card for card, rule in core.CARDS.items() if rule.kind == "defence"}


def test_every_event_and_every_end_is_told():
    kinds = {kind for kind in vars(events).values() if isinstance(kind, type) and issubclass(kind, events.Event)}
    kinds |= set(happenings.AnyHappening.__args__)
    secret = {events.Event, events.Bare, events.TurnedInfected, events.TurnedThing, events.CardDrawn}
    assert kinds - secret <= set(narrator._TELLERS)
    assert set(narrator._WHYS) == {
        turn.THING_BURNED,
        turn.NO_HUMAN_LEFT,
        turn.THING_ALONE,
        turn.FALSE_DECLARATION,
        turn.LAST_ONE,
        turn.ONE_FACTION,
    }


# --- it grows ---


def assert_grows(happened, called, room=narrator.LONGEST):
    told = ""
    for number in range(len(happened) + 1):
        longer = narrator.tell_turn(happened[:number], called, "seed", room)
        assert longer.startswith(told)
        assert not longer[len(told) :] or told == "" or longer[len(told)] in " \n"
        told = longer


@pytest.mark.parametrize("happened", EVENING, ids=range(1, len(EVENING) + 1))
def test_a_story_only_grows(happened):
    assert_grows(happened, NAMES)


@pytest.mark.parametrize("players", (4, 7, 12))
def test_the_stories_of_random_games_only_grow(players):
    table = play(players, f"grows {players}", at_random=True, late=0.1, turns=60)
    for happened in narrator.by_turn(table.events):
        assert_grows(happened, names(players))


ANYTHING = st.sampled_from([event for happened in TURNS for event in happened])


@given(st.lists(ANYTHING, max_size=30), st.integers(400, 3500))
def test_even_nonsense_is_told_within_bounds_and_grows(happened, room):
    called = dict.fromkeys(NAMES, LONG)
    assert len(narrator.tell_turn(happened, called, "seed", room)) <= room
    assert_grows(happened, called, room)


# --- it fits ---


def people(number: int) -> dict[str, str]:
    return {f"s{i}": LONG for i in range(1, number + 1)}


def longest_turns() -> list[list[core.Event]]:
    seats = list(people(12))
    began = events.TurnBegan("s1", 1000)
    widest = ("So This Is the Party?", "You'd Better Run!", "I'm Comfortable", "Watch Your Back")
    refused = [
        event
        for one, other in zip(seats[1:], seats[2:], strict=False)
        for event in (
            events.Defended(one, "Missed!", "s1"),
            events.HandedOn("s1", one, other),
            events.PanicsPassedOver(one, 7),
            drew(one, again=True),
        )
    ]
    doors = [events.DoorRemoved(one, other) for one, other in zip(seats, seats[1:], strict=False)]
    tents = [events.QuarantineEnded(seat) for seat in seats]
    chairs = [events.SeatsSwapped(one, other) for one, other in zip(seats[::2], seats[1::2], strict=True)]
    passed = [events.CardPassedOn(giver=s, taker="s1", card="You'd Better Run!", face_up=True) for s in seats]
    resolute = [
        event
        for _ in range(12)
        for event in (
            events.CardPlayed("s1", "Resolute"),
            events.PanicsPassedOver("s1", 2),
            drew("s1", again=True),
            events.CardKept("s1", "Resolute"),
        )
    ]
    fire = [
        events.CardPlayed("s1", "Flamethrower", "s2"),
        events.Eliminated("s2", "s1"),
        events.GameEnded(turn.THING_BURNED, tuple(seats)),
    ]
    return [
        [began, panic("s1", "Revelations"), *[shown(s, "Revelations", None, *widest) for s in seats], *refused],
        [began, panic("s1", "So This Is the Party?"), *tents, *doors, *chairs, *refused],
        [began, panic("s1", "Round and Round"), *passed, *[discarded(s, surplus=True) for s in seats]],
        [began, *resolute, *fire],
        [began, *refused, *refused, *fire],
    ]


@pytest.mark.parametrize("happened", longest_turns())
def test_the_longest_turn_with_the_longest_names_fits(happened):
    told = narrator.tell_turn(happened, people(12), "seed")
    assert len(told) <= narrator.LONGEST
    assert_grows(happened, people(12))


def test_a_death_and_the_end_are_told_on_a_full_page_too():
    told = narrator.tell_turn(longest_turns()[3], people(12), "seed")
    assert "The page is full" in told and told.count("🔥") == 1 and "Humans win" in told


def test_a_turn_of_revelations_with_ordinary_names_is_told_whole():
    called = names(12)
    hands = [shown(seat, "Revelations", None, *FOUR) for seat in called]
    told = narrator.tell_turn([events.TurnBegan("s1", 9), panic("s1", "Revelations"), *hands], called, "seed")
    assert all(name in told for name in called.values()) and "page is full" not in told


def test_a_turn_takes_two_to_four_lines_on_a_phone():
    lengths = []
    for players in (4, 6, 8):
        table = play(players, "phone", at_random=True)
        stories = [narrator.tell_turn(happened, names(players), "x") for happened in narrator.by_turn(table.events)]
        lengths += [len(as_read(story).partition("\n")[2]) for story in stories]
    lengths.sort()
    assert lengths[len(lengths) // 2] < 4 * 48
    assert lengths[len(lengths) * 9 // 10] < 7 * 48


# --- it does not repeat itself ---


@given(st.integers(4, 30), st.text(max_size=5), st.integers(0, 200))
def test_a_wording_does_not_come_again_in_near_turns(number, seed, turn):
    near = [narrator.next_wording(number, seed, "kind", turn + i) for i in range(number // 2 + 1)]
    assert len(set(near)) == len(near)


@given(st.integers(4, 30), st.integers(0, 200))
def test_all_wordings_are_used(number, turn):
    assert {narrator.next_wording(number, "x", "kind", turn + i) for i in range(2 * number)} == set(range(number))


@given(st.integers(1, 30), st.integers(0, 200))
def test_a_turn_uses_every_wording_before_one_comes_twice(number, turn):
    used: Counter[int] = Counter()
    for _ in range(number):
        used[narrator.next_wording(number, "x", "kind", turn, used)] += 1
    assert set(used.values()) == {1}


def test_another_game_has_other_words():
    assert narrator.tell_turn(EVENING[0], NAMES, "one") != narrator.tell_turn(EVENING[0], NAMES, "two")


# --- it keeps secrets ---


def otherwise(event: core.Event) -> core.Event:
    """The event of another world: another card wherever the group may not know which."""
    public = core.seen_by(event, None)
    if public is None:
        return event
    hidden = {
        part: "Axe" if getattr(event, part) != "Axe" else "Whisky"
        for part in event.__struct_fields__
        if getattr(event, part) is not None and getattr(public, part) is None and part != "cards"
    }
    if getattr(event, "cards", None) and public.cards is None:  # type: ignore[attr-defined]
        hidden["cards"] = ("Axe",) * len(event.cards)  # type: ignore[assignment, attr-defined]
    return msgspec.structs.replace(event, **hidden)


@pytest.mark.parametrize("options", ({}, {"quarantine": "open"}, {"thing_in_deck": True}))
def test_the_same_public_events_give_the_same_words_whatever_the_cards(options):
    table = play(6, "worlds", at_random=True, **options)
    for happened in narrator.by_turn(table.events):
        told = narrator.tell_turn(happened, names(6), "x")
        other = [otherwise(event) for event in happened if not isinstance(event, events.TurnedInfected)]
        assert narrator.tell_turn(other, names(6), "x") == told
        masked = [public for event in happened if (public := core.seen_by(event, None)) is not None]
        assert narrator.tell_turn(masked, names(6), "x") == told


def test_two_deals_that_the_group_cannot_tell_apart_have_one_story():
    """Two hands exchanged in the dark: the group reads the same, whatever lies in them."""
    stories = set()
    for swap in (False, True):
        table = core.deal(list(names(5)), core.Options(), "deal")
        if swap:
            one, other = table.seats[2], table.seats[3]
            for part in (table.hands, table.roles):
                part[one], part[other] = part[other], part[one]  # type: ignore[index, assignment]
        live = core.Live(table)
        dice = Random("same")
        for _ in range(2):  # draw and discard, offer: all hidden
            (seat,) = live.asks
            live.answer(seat, dice.choice([c for c in live.asks[seat].choices if c[0] in ("discard", "give")]))
        stories.add(narrator.tell_turn(table.events, names(5), "x"))
    assert len(stories) == 1


def test_a_hand_shown_to_one_is_not_read_by_all():
    for by, to in (("Analysis", BOB), ("Suspicion", BOB), ("Scary", BOB), ("Just Between Us...", BOB)):
        told = narrator.tell_turn([events.TurnBegan(ANN, 3), shown(ANN, by, (to,), *FOUR)], NAMES, "x")
        assert "Missed!" not in told and "Axe" not in told


# --- what it says ---


def test_a_turn_reads_as_on_the_screens_of_the_founders():
    happened = [events.TurnBegan(ANN, 17), drew(ANN), discarded(ANN), *exchange(ANN, BOB)]
    told = as_read(narrator.tell_turn(happened, NAMES, "x"))
    assert told.startswith("17 · Ann\n")
    assert "Ann" in told.partition("\n")[2] and "Bob" in told


def test_a_story_tells_nothing_of_a_draw_alone():
    assert narrator.tell_turn([drew(ANN)], NAMES, "x") == ""


def test_resolute_is_one_sentence_for_three_draws_and_two_discards():
    cards = [events.CardPlayed(ANN, "Resolute"), *[drew(ANN, again=True)] * 3, events.CardKept(ANN, "Axe")]
    told = narrator.tell_turn([*cards, discarded(ANN), discarded(ANN)], NAMES, "x")
    assert told == narrator.tell_turn(cards, NAMES, "x")
    assert len(narrator.tell_turn([*cards, discarded(ANN), discarded(ANN), discarded(ANN)], NAMES, "x")) > len(told)


def test_a_surplus_card_among_the_three_of_resolute_is_told():
    surplus = [drew(ANN, again=True), discarded(ANN, surplus=True)]
    cards = [events.CardPlayed(ANN, "Resolute"), *surplus, *[drew(ANN, again=True)] * 3, events.CardKept(ANN, "Axe")]
    kept = narrator.tell_turn(cards, NAMES, "x")
    assert kept == narrator.tell_turn([*cards, discarded(ANN), discarded(ANN)], NAMES, "x")
    assert kept != narrator.tell_turn([*cards, discarded(ANN), discarded(ANN), discarded(ANN)], NAMES, "x")


def test_the_panic_that_waits_for_a_choice_is_not_called_vain_by_a_declaration():
    told = narrator.tell_turn([panic(ANN, "Just Between Us..."), events.Declared(CID, False)], NAMES, "x")
    assert "reach" not in told.partition("\n")[2]


def test_the_quarantine_of_the_dead_is_not_mourned():
    told = narrator.tell_turn([events.Eliminated(BOB, ANN), events.QuarantineEnded(BOB)], NAMES, "x")
    assert "Quarantine" not in told


def test_a_name_full_of_markup_breaks_nothing():
    called = NAMES | {ANN: "<b>A&B</b>\u202e"}
    told = narrator.tell_turn(EVENING[0], called, "x")
    assert "&lt;b&gt;A&amp;B&lt;/b&gt;" in told and "\u202e" not in told


# --- what a player learns alone ---


def learnt(event: core.Event, me: str) -> str | None:
    line = narrator.tell_private(event, me, NAMES)
    return None if line is None else as_read(line)


def test_an_exchange_is_remembered_by_both_from_their_own_side():
    event = swapped(ANN, BOB, given="Axe", returned="Whisky")
    assert learnt(event, ANN) == "Bob got Axe from you, you got Whisky"
    assert learnt(event, BOB) == "Ann got Whisky from you, you got Axe"
    assert learnt(event, CID) is None


def test_an_infection_is_remembered_by_these_two_alone():
    event = events.TurnedInfected(BOB, ANN)
    assert learnt(event, BOB) == "Ann is The Thing, and has infected you. You are Infected now. It does not hurt."
    assert learnt(event, ANN) == "you infected Bob"
    assert learnt(event, CID) is None


def test_a_hand_shown_is_remembered_by_who_saw_it_and_who_showed_it():
    event = shown(ANN, "Analysis", (BOB,), *FOUR)
    assert learnt(event, BOB) == "Analysis: Ann holds Axe (2), Missed! and No, Thanks!"
    assert learnt(event, ANN) == "Analysis: Bob saw your Axe (2), Missed! and No, Thanks!"
    assert learnt(event, CID) is None
    assert learnt(shown(ANN, "Oops!", None, "Axe"), DAN) == "Oops!: Ann showed everybody Axe"


def test_what_others_draw_is_remembered_only_if_it_lay_face_up():
    assert learnt(drew(ANN, "Axe"), ANN) == "you drew Axe"
    assert learnt(drew(ANN, "Axe"), BOB) is None
    assert learnt(drew(ANN, "Axe", up=True), BOB) == "Ann drew Axe, face up"


def test_every_private_sentence_can_be_said(monkeypatch):
    said = set()
    say = narrator.say
    monkeypatch.setattr(narrator, "say", lambda key, **values: (said.add(key), say(key, **values))[1])
    for event in [event for happened in EVENING for event in happened]:
        for me in NAMES:
            narrator.tell_private(event, me, NAMES)
    assert {key for key in said if key.startswith("private.")} == {key for key in texts() if key.startswith("private.")}
