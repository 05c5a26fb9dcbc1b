"""How the end is told: every way a game ends, every role, whoever wins."""

from __future__ import annotations

import pytest

import core
from core import Options, Outcome, Table, turn
from core.table import Dead, Infection
from telegram_bot import narrator
from tests.texts.evening import as_read, names, play

ANN, BOB, CID, DAN, EVE = (f"s{i}" for i in range(1, 6))


def ended(
    why: str, *winners: str, roles: str = "hhiit", dead: tuple[Dead, ...] = (), last: str | None = None, **options: bool
) -> str:
    """The end, as read, of a game of five with these *roles* (Ann, Bob, Cid, Dan, Eve)."""
    return as_read(narrator.tell_end(table(why, *winners, roles=roles, dead=dead, last=last, **options), names(5)))


def table(why: str, *winners: str, roles: str, dead: tuple[Dead, ...], last: str | None, **options: object) -> Table:
    seats = [ANN, BOB, CID, DAN, EVE]
    words = {"h": "human", "i": "infected", "t": "thing"}
    told = core.deal(seats, Options(**options), "end")  # type: ignore[arg-type]
    told.seats = [seat for seat in seats if seat not in {one.seat for one in dead}]
    told.roles = {seat: words[role] for seat, role in zip(seats, roles, strict=True)}  # type: ignore[misc]
    told.infections = [Infection(seat, EVE, 12) for seat in seats if told.roles[seat] == "infected"]
    told.dead, told.turn, told.last_infected = list(dead), 31, last
    told.outcome = Outcome(why, winners)
    return told


def test_the_thing_burns_and_the_humans_win():
    told = ended(turn.THING_BURNED, ANN, dead=(Dead(BOB, ANN, 9), Dead(EVE, ANN, 31)))
    assert told.splitlines()[:4] == [
        "🔥 The Thing was Eve. It burned in turn 31.",
        "The Human wins: Ann.",
        "Infected: Cid (by Eve in turn 12), Dan (by Eve in turn 12).",
        "Burned: Bob (a Human, by Ann in turn 9), Eve (The Thing, by Ann in turn 31). Oh dear.",
    ]
    assert len(told.splitlines()) == 5


def test_the_thing_burns_and_nobody_is_left_to_win():
    told = ended(turn.THING_BURNED, roles="iiiit", dead=(Dead(EVE, DAN, 31),))
    assert "Nobody wins" in told and "Oh dear" not in told


def test_no_human_is_left():
    told = ended(turn.NO_HUMAN_LEFT, CID, DAN, EVE, dead=(Dead(ANN, BOB, 3), Dead(BOB, EVE, 4)))
    assert "The Thing and its Infected win: Cid, Dan, Eve." in told and "Ann (a Human, by Bob in turn 3)" in told


def test_the_thing_wins_alone_if_nobody_was_eliminated():
    told = ended(turn.THING_ALONE, EVE, roles="iiiit")
    assert "The Thing wins, alone: Eve." in told and "Ann (by Eve in turn 12)" in told


def test_the_thing_was_wrong():
    told = ended(turn.FALSE_DECLARATION, ANN, BOB)
    assert "Eve, who declared" in told and "Humans win: Ann, Bob." in told


@pytest.mark.parametrize("roles, winner, head", [
    ("hhhht", EVE, "Eve, The Thing."),
    ("hhhhh", ANN, "it never left the deck"),
    ("thhhh", EVE, "it is a Human. The Thing was Ann."),
])  # fmt: skip
def test_one_player_is_left(roles, winner, head):
    dead = tuple(Dead(seat, EVE, 5) for seat in (ANN, BOB, CID, DAN, EVE) if seat != winner)
    assert head in ended(turn.LAST_ONE, winner, roles=roles, dead=dead)


def test_vengeance_ends_when_one_side_is_gone():
    dead = (Dead(EVE, CID, 20), Dead(ANN, CID, 25), Dead(BOB, DAN, 31))
    told = ended(turn.ONE_FACTION, CID, DAN, dead=dead, vengeance=True)
    assert "The Infected win: Cid, Dan." in told and "Eve (The Thing, by Cid in turn 20)" in told
    told = ended(turn.ONE_FACTION, ANN, BOB, dead=(Dead(EVE, CID, 20), Dead(CID, ANN, 25), Dead(DAN, ANN, 31)))
    assert "Humans win: Ann, Bob." in told


def test_the_last_to_be_converted_loses_if_the_option_says_so():
    told = ended(turn.NO_HUMAN_LEFT, CID, EVE, roles="hiiit", dead=(Dead(ANN, EVE, 2), Dead(BOB, EVE, 2)), last=DAN,
                 last_infected_loses=True)
    assert "Dan was the last Human" in told and "win: Cid, Eve." in told
    assert "last Human, was" not in ended(turn.NO_HUMAN_LEFT, CID, DAN, EVE, roles="iiiit", last=DAN)


def test_who_was_out_when_the_table_was_laid_has_a_role_and_no_killer():
    assert "Ann (a Human)." in ended(turn.THING_BURNED, BOB, dead=(Dead(ANN),))


def test_every_player_is_named_with_a_role_at_every_end():
    for seed in range(12):
        played = play(6, f"end {seed}", at_random=seed % 2 == 1, vengeance=seed % 3 == 0)
        told = as_read(narrator.tell_end(played, names(6)) if played.outcome else narrator.tell_roles(played, names(6)))
        assert all(name in told for name in names(6).values()), told


def test_a_game_called_off_still_tells_who_was_what():
    played = table(turn.THING_BURNED, roles="hhiit", dead=(Dead(BOB, ANN, 9),), last=None)
    played.outcome = None
    told = as_read(narrator.tell_roles(played, names(5)))
    assert told.splitlines()[:4] == [
        "The Thing was Eve.",
        "Human to the end: Ann.",
        "Infected: Cid (by Eve in turn 12), Dan (by Eve in turn 12).",
        "Burned: Bob (a Human, by Ann in turn 9). Oh dear.",
    ]


def test_the_longest_end_with_the_longest_names_fits():
    seats = [f"s{i}" for i in range(1, 13)]
    told = core.deal(seats, Options(), "end")
    told.roles = dict.fromkeys(seats, "infected") | {"s1": "thing"}  # type: ignore[assignment]
    told.infections = [Infection(seat, "s1", 1000) for seat in seats[1:]]
    told.dead = [Dead(seat, "s1", 1000) for seat in seats[2:]]
    told.outcome = Outcome(turn.NO_HUMAN_LEFT, ("s1", "s2"))
    for name in ("W" * 24, "&" * 24):
        called = dict.fromkeys(seats, name)
        for page in (narrator.tell_end(told, called), narrator.tell_roles(told, called)):
            assert len(page) <= 2 * narrator.LONGEST and len(as_read(page)) <= narrator.LONGEST


@pytest.mark.parametrize("side", ("humans", "things", "nobody", "called_off"))
def test_there_are_four_grins_or_more(side):
    assert len(narrator.wordings(f"end.grin.{side}")) >= 4
