"""Who chooses when no person does: the clock (R65, R66), and the bot players. Both from a view alone."""

from collections import Counter
from random import Random
from typing import Any

import pytest

import core
from core import DECLARE, Live, Options, Step, begin, players, scenario
from core.players import bot, clock
from tests.core.evenings import SEATS, any_options, by_dice, evening

WHISKY = ["Whisky"] * 4


def lay(seed: str = "players", **changes: Any) -> Step:
    """A table for four: Ann begins and Dan is The Thing, unless *changes* say otherwise."""
    data = {
        "title": "A table for four",
        "seats": ["Ann", "Bob", "Cid", "Dan"],
        "hands": {"Ann": WHISKY, "Bob": WHISKY, "Cid": WHISKY, "Dan": ["The Thing", *WHISKY[1:]]},
        "deck": WHISKY,
        **changes,
    }
    return begin(scenario.lay_table(data, seed))


def thing_to_offer(seed: str, **changes: Any) -> Step:
    """The Thing is to offer a card to Ann, a Human; it holds an Infected! and two others."""
    hand = ["The Thing", "Infected!", "Axe", "Scary"]
    step = lay(seed, turn="Dan", hands={"Ann": WHISKY, "Bob": WHISKY, "Cid": WHISKY, "Dan": hand}, **changes)
    return core.apply(step.game, "Dan", ("discard", "Whisky"))


# --- the clock ---


def test_the_late_thing_infects_like_any_other() -> None:
    """Each card it may give comes as often as the others: that its time ran out proves nothing (R66)."""
    given = Counter(clock.answer_for(thing_to_offer(f"late {n}"), "Dan") for n in range(900))
    assert set(given) == {("give", "Infected!"), ("give", "Axe"), ("give", "Scary")}
    assert all(240 < number < 360 for number in given.values()), given


def test_the_late_are_answered_for_from_their_own_view() -> None:
    """What the others hold changes nothing in what the clock chooses, and the choice can be repeated."""
    one = thing_to_offer("own view")
    other = thing_to_offer("own view", deck=["Whisky", "Axe", "Axe", "Axe"])
    assert core.view(one, "Dan") == core.view(other, "Dan")
    assert clock.answer_for(one, "Dan") == clock.answer_for(other, "Dan") == clock.answer_for(one, "Dan")


def test_the_clock_answers_every_question_and_never_plays_or_refuses() -> None:
    for number in range(40):
        dice = Random(number)
        options = any_options(dice, 4 + number % 9)
        step = core.new_game(SEATS[: 4 + number % 9], options, f"clock {number}")
        while step.outcome is None and step.table.turn < 15:
            seat = next(iter(step.asks))
            choice = clock.answer_for(step, seat)
            assert choice in (*step.asks[seat].choices, *step.standing.get(seat, ()))
            assert choice[0] != "play" and choice[0:2] != ("show", "all")
            assert choice[0] != "defend" or choice[1] == "No Barbeque!"
            live = Live(core.thaw(step.game.turn_start))
            for answer in step.game.answers:
                live.answer(*answer)
            step = core.apply(step.game, *by_dice(live, dice))


def test_fire_and_its_defence_are_spared_while_there_is_another_card() -> None:
    step = lay(hands={**hands(), "Ann": ["Flamethrower", "No Barbeque!", "Flamethrower", "Axe"]})
    thrown = {clock.choose(core.view(step, "Ann"), Random(n)) for n in range(60)}
    assert thrown == {("discard", "Axe"), ("discard", "Whisky")}
    step = lay(hands={**hands(), "Ann": ["Flamethrower", "No Barbeque!"] * 2}, deck=["Flamethrower", *WHISKY])
    assert len({clock.choose(core.view(step, "Ann"), Random(n)) for n in range(60)}) == 2


def hands() -> dict[str, list[str]]:
    return {"Ann": WHISKY, "Bob": WHISKY, "Cid": WHISKY, "Dan": ["The Thing", *WHISKY[1:]]}


# --- the bot player ---


def chosen(step: Step, seat: str, seed: int = 1) -> core.Choice:
    return bot.choose(core.view(step, seat), Random(seed))


@pytest.mark.parametrize("players_", [4, 6, 9, 12])
def test_bot_players_play_every_game_to_its_end(players_: int) -> None:
    """They never choose what is not offered: a live game refuses it."""
    for game in range(8):
        dice = Random(f"bots {game}")
        options = any_options(dice, players_) if game else Options()
        live = Live(core.deal(SEATS[:players_], options, f"bots {game}"))
        for _ in evening(live, dice, by_bots):
            assert live.table.turn < 2000


@pytest.mark.parametrize("deck", [
    {"Infected!": 11, "Whisky": 60},  # The Thing cannot move to who sits further away
    {"Infected!": 5, "Flamethrower": 1, "Whisky": 40, "Suspicion": 5, "Barred Door": 9, "Axe": 1},
])
def test_bot_players_end_a_game_that_could_go_on_for_ever(deck: dict[str, int]) -> None:
    live = Live(core.deal(SEATS[:6], core.read_options({"deck": deck, "vengeance": True}, 6), "for ever"))
    for _ in evening(live, Random(1), by_bots):
        assert live.table.turn < 5000


def by_bots(live: Live, dice: Random) -> tuple[core.Seat, core.Choice]:
    seat = next(iter(live.asks))
    return seat, players.bot.choose(core.view_of(live.table, live.asks, live.standing, seat), dice)


@pytest.mark.long
@pytest.mark.parametrize("number", range(4, 13))
def test_neither_side_is_without_a_chance_among_bot_players(number: int) -> None:
    games, humans = 150, 0
    for game in range(games):
        live = Live(core.deal(SEATS[:number], Options(), f"chance {game}"))
        for _ in evening(live, Random(game), by_bots):
            pass
        assert live.outcome is not None
        humans += any(live.table.roles[seat] == "human" for seat in live.outcome.winners)
    assert 0.2 < humans / games < 0.7


def test_a_human_burns_whom_it_has_seen_to_be_the_thing() -> None:
    step = lay(hands={**hands(), "Ann": ["Flamethrower", "Analysis", *WHISKY[2:]]}, deck=["Whisky", *WHISKY])
    step = core.apply(step.game, "Ann", ("play", "Analysis", "Dan"))
    assert bot.suspicion(core.view(step, "Ann"), "Dan") == 1
    for seat, choice in [("Ann", ("give", "Whisky")), ("Bob", ("give", "Whisky"))]:
        step = core.apply(step.game, seat, choice)
    while step.table.turn_of != "Ann" or step.asks["Ann"].about != core.STEP_TWO:
        (seat,) = step.asks
        choice = ("discard", "Whisky") if step.asks[seat].about == core.STEP_TWO else ("give", "Whisky")
        step = core.apply(step.game, seat, choice)
    assert chosen(step, "Ann") == ("play", "Flamethrower", "Dan")


def test_a_human_looks_at_what_it_distrusts_and_refuses_it() -> None:
    step = lay(hands={**hands(), "Bob": ["Scary", "No, Thanks!", *WHISKY[2:]], "Ann": ["Infected!", *WHISKY[1:]]},
               turn="Dan", deck=["Oops!", "Oops!", *WHISKY])
    step = core.apply(step.game, "Dan", ("give", "Whisky"))  # shown to all: The Thing
    step = core.apply(step.game, "Ann", ("give", "Whisky"))
    assert step.table.turn_of == "Ann"  # shows its Infected! to all
    step = core.apply(step.game, "Ann", ("give", "Whisky"))
    assert 0.5 < bot.suspicion(core.view(step, "Bob"), "Ann") < 1
    assert chosen(step, "Bob") == ("defend", "Scary")


def test_all_know_who_gave_an_infected_card_in_the_open() -> None:
    hand = ["The Thing", "Infected!", "Axe", "Scary"]
    step = lay(turn="Dan", hands={**hands(), "Dan": hand}, quarantines={"Ann": 1}, options={"quarantine": "open"})
    for seat, choice in [("Dan", ("discard", "Whisky")), ("Dan", ("give", "Infected!")), ("Ann", ("give", "Whisky"))]:
        step = core.apply(step.game, seat, choice)
    assert bot.suspicion(core.view(step, "Cid"), "Dan") == 1


def test_the_thing_infects_and_declares_only_what_is_true() -> None:
    assert chosen(thing_to_offer("infects"), "Dan") == ("give", "Infected!")
    infected = {name: ["Infected!", *WHISKY[1:]] for name in ("Ann", "Bob", "Cid")}
    roles = {"Ann": "infected", "Bob": "infected", "Cid": "infected"}
    step = lay(turn="Dan", hands={**hands(), **infected}, roles=roles)
    assert chosen(step, "Dan") == DECLARE
    step = lay(turn="Dan", hands={**hands(), **infected}, roles={**roles, "Bob": "human"})
    assert all(chosen(step, "Dan", seed) != DECLARE for seed in range(50))


def test_an_infected_gives_its_spare_infected_card_to_the_thing() -> None:
    held = {"Cid": ["Infected!", "Infected!", "Axe", "Scary"]}
    step = lay(turn="Cid", hands={**hands(), **held}, roles={"Cid": "infected"})
    step = core.apply(step.game, "Cid", ("discard", "Whisky"))
    assert chosen(step, "Cid") == ("give", "Infected!")


def test_an_infected_burns_humans_and_never_the_thing() -> None:
    held = {"Cid": ["Infected!", "Flamethrower", "Axe", "Scary"]}
    step = lay(turn="Cid", hands={**hands(), **held}, roles={"Cid": "infected"}, doors=[["Bob", "Cid"]])
    assert all(chosen(step, "Cid", seed)[:2] != ("play", "Flamethrower") for seed in range(50))
    step = lay(turn="Cid", hands={**hands(), **held, "Bob": ["Oops!", *WHISKY[1:]]}, roles={"Cid": "infected"})
    assert chosen(step, "Cid") == ("play", "Flamethrower", "Bob")


def test_a_bot_player_knows_no_more_than_its_view() -> None:
    """In two worlds that look the same to it, it chooses the same."""
    from tests.core.test_two_worlds import other_world, turn_starts

    for game in range(6):
        dice = Random(game)
        for text in turn_starts(f"bot {game}", 4 + game, Options())[::3]:
            one = Live(core.thaw(text))
            (seat, *_) = one.asks
            other = Live(other_world(text, seat, dice))
            if seat in other.asks:
                mine = [core.view_of(live.table, live.asks, live.standing, seat) for live in (one, other)]
                if mine[0] == mine[1]:
                    assert bot.choose(mine[0], Random(1)) == bot.choose(mine[1], Random(1))
