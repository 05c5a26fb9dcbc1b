"""Orders ahead: what is prepared answers by itself, after a while, and looks like an answer given at that moment."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import event

import core
from db.records import Answer, ByGame, Timer
from db.store import Store
from telegram_bot import orders, pace, play, screens
from telegram_bot.callback import Pressed
from telegram_bot.clock import Clock
from telegram_bot.memo import memo_of
from telegram_bot.orders import Ends, Order, Slot
from tests.telegram_bot.camp import Camp, buttons, data_of, plain, said

FOUR = ("Ann", "Bob", "Cid", "Dan")
A_WHILE = 100  # seconds: longer than any pause of a game at the pace of a day
HANDS: dict[str, Sequence[str]] = {
    "Ann": ["Axe", "Whisky", "Suspicion", "Analysis"],
    "Bob": ["Axe", "Whisky", "Suspicion", "No, Thanks!"],
    "Cid": ["Axe", "Whisky", "Suspicion", "Analysis"],
    "Dan": ["Axe", "Whisky", "The Thing", "Infected!"],
}
REFUSE = ("defend", "No, Thanks!")


async def at_the_table(camp: Camp, deck: Sequence[str] = ("Whisky",), private: bool = True, **hands: Any) -> None:
    """Four people; Ann is on turn and has drawn, Bob comes next."""
    more: Mapping[str, Any] = hands.pop("more", {})
    await camp.begin(*FOUR, private=private)
    await camp.lay({**HANDS, **hands}, deck, **more)


async def prepare(camp: Camp, who: str, slot: Slot, *choice: str, ends: Ends | None = None) -> None:
    """An order, without a panel."""
    async with camp.store.press(update_id=None, find=ByGame(camp.game_id)) as unit:
        assert unit.game is not None
        seat, step = camp.seat_of(unit.game, who), play.standing(unit.game)
        game = orders.prepare(unit.game, step, seat, slot, choice)
        if ends is not None:
            game = orders.condition(game, seat, slot, ends)
        play.order_changed(unit, game, step, seat)


async def prepared(camp: Camp, who: str) -> dict[Slot, Order]:
    game = await camp.game()
    return dict(orders.of(game, camp.seat_of(game, who)).by_slot)


async def void(camp: Camp, who: str) -> list[str]:
    """Why orders are void."""
    game = await camp.game()
    return [one.why for one in orders.of(game, camp.seat_of(game, who)).void]


async def last_answer(camp: Camp) -> Answer:
    return (await camp.store.answers(camp.game_id))[-1]


async def who_answered(camp: Camp) -> tuple[str, tuple[str, ...], str]:
    """Who answered last, what, and by whom."""
    answer, game = await last_answer(camp), await camp.game()
    row = game.seat(answer.seat)
    assert row is not None
    return row.name, answer.choice, answer.by


async def asked(camp: Camp) -> list[str]:
    game, step = await camp.game(), await camp.step()
    return [row.name for row in game.roster if row.seat in step.asks]


async def timers(camp: Camp, kind: str) -> list[Timer]:
    return [timer for timer in (await camp.game()).timers if timer.kind == kind]


async def words(camp: Camp, who: str) -> str:
    return plain((await camp.hand(who)).text)


async def ann_offers(camp: Camp, card: str = "Axe") -> None:
    await camp.answer("Ann", "discard", "Whisky")
    await camp.answer("Ann", "give", card)


async def a_turn(camp: Camp, who: str, offered: str = "Axe", returned: str = "Axe") -> None:
    """A whole turn of *who*, who discards and exchanges a card with the next."""
    following = FOUR[(FOUR.index(who) + 1) % 4]
    await camp.answer(who, "discard", "Whisky")
    await camp.answer(who, "give", offered)
    await camp.answer(following, "give", returned)


# --- the next exchange ---


async def test_a_card_prepared_answers_the_next_offer_after_a_while(camp: Camp) -> None:
    await at_the_table(camp)
    await prepare(camp, "Bob", "answer", "give", "Suspicion")
    await ann_offers(camp)
    assert await asked(camp) == ["Bob"] and len(await timers(camp, pace.DEADLINE)) == 1
    await camp.forward(A_WHILE)
    assert await who_answered(camp) == ("Bob", ("give", "Suspicion"), "order")
    assert await prepared(camp, "Bob") == {} and await void(camp, "Bob") == []


@pytest.mark.parametrize("card", core.REFUSALS)
async def test_a_refusal_prepared_refuses_the_next_offer(camp: Camp, card: str) -> None:
    await at_the_table(camp, Bob=["Axe", "Whisky", "Suspicion", card])
    await prepare(camp, "Bob", "answer", "defend", card)
    await ann_offers(camp)
    await camp.forward(A_WHILE)
    assert (await camp.store.answers(camp.game_id))[2].choice == ("defend", card)
    assert (await camp.store.answers(camp.game_id))[2].by == "order"
    assert await prepared(camp, "Bob") == {}


async def test_an_order_for_once_ends_with_the_next_exchange_whoever_answers_it(camp: Camp) -> None:
    await at_the_table(camp)
    await prepare(camp, "Bob", "answer", *REFUSE, ends="once")
    await ann_offers(camp)
    await camp.answer("Bob", "give", "Axe")
    assert await prepared(camp, "Bob") == {} and await timers(camp, pace.ORDER) == []
    assert await void(camp, "Bob") == []


async def test_an_order_until_ones_turn_ends_when_it_begins(camp: Camp) -> None:
    await at_the_table(camp)
    await prepare(camp, "Bob", "answer", *REFUSE, ends="turn")
    await prepare(camp, "Bob", "pass", "pass")
    await prepare(camp, "Cid", "answer", "give", "Axe", ends="turn")
    await a_turn(camp, "Ann")
    assert await prepared(camp, "Bob") == {} and await void(camp, "Bob") == []
    assert set(await prepared(camp, "Cid")) == {"answer"}


async def test_an_order_until_taken_back_outlives_its_use_and_the_own_turn(camp: Camp) -> None:
    await at_the_table(camp, Bob=["Axe", "Axe", "Whisky", "Suspicion"])
    await prepare(camp, "Bob", "answer", "give", "Axe", ends="kept")
    await ann_offers(camp, "Suspicion")
    await camp.forward(A_WHILE)
    assert await who_answered(camp) == ("Bob", ("give", "Axe"), "order")
    assert set(await prepared(camp, "Bob")) == {"answer"}
    await a_turn(camp, "Bob", "Suspicion", "Suspicion")
    assert set(await prepared(camp, "Bob")) == {"answer"}


async def test_an_order_that_used_up_its_only_card_ends_without_a_word(camp: Camp) -> None:
    await at_the_table(camp)
    await prepare(camp, "Bob", "answer", *REFUSE, ends="kept")
    await ann_offers(camp)
    await camp.forward(A_WHILE)
    assert (await prepared(camp, "Bob"), await void(camp, "Bob")) == ({}, [])


# --- attacks ---


FIRE: dict[str, Any] = {"Ann": ["Flamethrower", "Whisky", "Suspicion", "Axe"]}
CHANGE: dict[str, Any] = {"Ann": ["Change Places!", "Whisky", "Suspicion", "Axe"]}


async def test_no_barbeque_prepared_stops_the_fire(camp: Camp) -> None:
    await at_the_table(camp, **FIRE, Bob=["Axe", "Whisky", "Suspicion", "No Barbeque!"])
    await prepare(camp, "Bob", "fire", "defend", "No Barbeque!")
    await camp.answer("Ann", "play", "Flamethrower", "Bob")
    await camp.forward(A_WHILE)
    assert await who_answered(camp) == ("Bob", ("defend", "No Barbeque!"), "order")
    assert await prepared(camp, "Bob") == {}


async def test_im_comfortable_prepared_keeps_the_seat(camp: Camp) -> None:
    await at_the_table(camp, **CHANGE, Bob=["Axe", "Whisky", "Suspicion", "I'm Comfortable"])
    await prepare(camp, "Bob", "seat", "defend", "I'm Comfortable")
    await prepare(camp, "Bob", "pass", "pass")
    await camp.answer("Ann", "play", "Change Places!", "Bob")
    await camp.forward(A_WHILE)
    assert await who_answered(camp) == ("Bob", ("defend", "I'm Comfortable"), "order")
    assert set(await prepared(camp, "Bob")) == {"pass"}


async def test_who_passes_on_defences_moves_along_with_the_defence_in_hand(camp: Camp) -> None:
    await at_the_table(camp, **CHANGE, Bob=["Axe", "Whisky", "Suspicion", "I'm Comfortable"])
    await prepare(camp, "Bob", "pass", "pass")
    await camp.answer("Ann", "play", "Change Places!", "Bob")
    await camp.forward(A_WHILE)
    assert await who_answered(camp) == ("Bob", core.PASS, "order")
    assert set(await prepared(camp, "Bob")) == {"pass"}


async def test_nobody_burns_by_an_order_with_no_barbeque_in_hand(camp: Camp) -> None:
    await at_the_table(camp, **FIRE, Bob=["Axe", "Whisky", "Suspicion", "No Barbeque!"])
    await prepare(camp, "Bob", "pass", "pass")
    await camp.answer("Ann", "play", "Flamethrower", "Bob")
    await camp.forward(A_WHILE)
    assert await asked(camp) == ["Bob"] and await timers(camp, pace.ORDER) == []
    assert (await camp.hand_row("Bob")).wanted.ring


async def test_who_holds_no_defence_passes_as_without_an_order(camp: Camp) -> None:
    await at_the_table(camp, **FIRE)
    await prepare(camp, "Bob", "pass", "pass")
    await camp.answer("Ann", "play", "Flamethrower", "Bob")
    assert len(await timers(camp, pace.PASS)) == 1 and await timers(camp, pace.ORDER) == []
    await camp.forward(A_WHILE)
    assert "Bob" not in [row.name for row in (await camp.game()).roster if row.seat in (await camp.step()).table.seats]


# --- the card to offer ---


async def test_a_card_prepared_is_offered_in_the_own_turn_in_the_go_of_step_two(camp: Camp) -> None:
    await at_the_table(camp)
    await prepare(camp, "Bob", "offer", "give", "Suspicion")
    await a_turn(camp, "Ann")
    await camp.press_hand("Bob", "Whisky")
    assert "✓ offer Suspicion" in buttons(await camp.hand("Bob"))
    await camp.press_hand("Bob", "Discard it")
    assert await who_answered(camp) == ("Bob", ("give", "Suspicion"), "order")
    assert await asked(camp) == ["Cid"] and await prepared(camp, "Bob") == {}


async def test_where_nobody_pressed_for_step_two_the_offer_comes_after_a_while(camp: Camp) -> None:
    await at_the_table(camp, ["Whisky", "Oops!"])
    await prepare(camp, "Bob", "offer", "give", "Suspicion")
    await a_turn(camp, "Ann")
    assert await asked(camp) == ["Bob"] and len(await timers(camp, pace.ORDER)) == 1
    await camp.forward(A_WHILE)
    assert await who_answered(camp) == ("Bob", ("give", "Suspicion"), "order")


async def test_after_an_attack_that_had_to_be_answered_the_offer_comes_after_a_while(camp: Camp) -> None:
    await at_the_table(camp, **CHANGE)
    await camp.press_hand("Ann", "Change Places!")
    await camp.press_hand("Ann", "↪ offer Suspicion")
    await camp.press_hand("Ann", "on Bob (left)")
    await camp.forward(A_WHILE)
    assert await asked(camp) == ["Ann"] and len(await timers(camp, pace.ORDER)) == 1
    await camp.forward(A_WHILE)
    assert await who_answered(camp) == ("Ann", ("give", "Suspicion"), "order")


async def test_the_card_to_offer_is_for_one_turn_with_or_without_an_exchange(camp: Camp) -> None:
    await at_the_table(camp, more={"doors": [["Bob", "Cid"]]})
    await prepare(camp, "Bob", "offer", "give", "Suspicion")
    await prepare(camp, "Ann", "offer", "give", "Suspicion")
    await ann_offers(camp)
    assert await prepared(camp, "Ann") == {}
    await prepare(camp, "Ann", "offer", "give", "Suspicion")  # after the offer: for the next turn
    await camp.answer("Bob", "give", "Axe")
    assert set(await prepared(camp, "Ann")) == {"offer"} == set(await prepared(camp, "Bob"))
    await camp.answer("Bob", "discard", "Whisky")
    assert await asked(camp) == ["Cid"]
    assert (await prepared(camp, "Bob"), await void(camp, "Bob")) == ({}, [])


async def test_friends_are_asked_before_the_offer_of_step_three(camp: Camp) -> None:
    await at_the_table(camp, ["Can't We Be Friends?"])
    await prepare(camp, "Ann", "offer", "give", "Suspicion")
    await camp.answer("Ann", "choose", "Cid")
    await camp.forward(A_WHILE)
    assert await asked(camp) == ["Ann"] and set(await prepared(camp, "Ann")) == {"offer"}
    await camp.answer("Ann", "give", "Axe")
    await camp.answer("Cid", "give", "Axe")
    await camp.forward(A_WHILE)
    assert await who_answered(camp) == ("Ann", ("give", "Suspicion"), "order")


async def test_seduction_takes_the_place_of_step_three_and_its_card(camp: Camp) -> None:
    await at_the_table(camp, Ann=["Seduction", "Axe", "Whisky", "Suspicion"])
    await camp.press_hand("Ann", "Seduction")
    await camp.press_hand("Ann", "↪ offer Axe")
    await camp.press_hand("Ann", "on Cid")
    assert await who_answered(camp) == ("Ann", ("give", "Axe"), "order") and await asked(camp) == ["Cid"]


# --- step 2 and the card to offer in one go ---


async def test_step_two_and_the_card_to_offer_are_one_press(camp: Camp) -> None:
    await at_the_table(camp)
    await camp.press_hand("Ann", "Whisky")
    page = buttons(await camp.hand("Ann"))
    assert {"↪ offer Axe", "↪ offer Suspicion", "↪ offer Whisky"} <= set(page)  # there are two Whiskys
    await camp.press_hand("Ann", "↪ offer Axe")
    await camp.press_hand("Ann", "↪ offer Suspicion")  # changed
    assert {"↪ offer Axe", "✓ offer Suspicion"} <= set(buttons(await camp.hand("Ann")))
    await camp.press_hand("Ann", "Discard it")
    assert [(one.choice, one.by) for one in await camp.store.answers(camp.game_id)] == [
        (("discard", "Whisky"), "player"),
        (("give", "Suspicion"), "order"),
    ]
    assert await asked(camp) == ["Bob"] and await prepared(camp, "Ann") == {}


async def test_a_press_with_orders_is_one_transaction_of_two_statements(camp: Camp) -> None:
    await at_the_table(camp)
    said: list[tuple[Any, str]] = []
    engine = camp.store.engine.sync_engine
    event.listen(engine, "commit", lambda connection: said.append((connection, "commit")))
    event.listen(
        engine,
        "before_cursor_execute",
        lambda connection, _, sql, *more: said.append((connection, sql.split()[0])),
    )

    async def heard(who: str, button: str) -> list[str]:
        data, person = data_of(await camp.hand(who), button), camp.person(who)["id"]
        said.clear()
        await camp.take(
            callback_query={
                "id": "1",
                "from": camp.person(who),
                "chat_instance": "1",
                "message": {"message_id": 1, "date": 1_790_000_000, "chat": {"id": person, "type": "private"}},
                "data": data,
            }
        )
        # The sender is woken after the commit, on a connection of its own, and nobody waits for that.
        waking = [connection for connection, word in said if word == "notify"]
        pressing = [connection for connection, word in said if word == "with" and connection not in waking]
        return [word for connection, word in said if connection in pressing]

    for who, button in (
        ("Bob", "Prepare an answer"),
        ("Bob", "To an offer"),
        ("Bob", "Axe"),
        ("Bob", "Until my turn"),
        ("Ann", "Whisky"),
        ("Ann", "↪ offer Suspicion"),
        ("Ann", "Discard it"),
        ("Bob", "Take it back"),
    ):
        assert await heard(who, button) == ["with", "with", "commit"], button
    assert len(await camp.store.answers(camp.game_id)) == 2


async def test_a_ticked_card_is_unticked_by_a_press(camp: Camp) -> None:
    await at_the_table(camp)
    await camp.press_hand("Ann", "Whisky")
    await camp.press_hand("Ann", "↪ offer Axe")
    await camp.press_hand("Ann", "✓ offer Axe")
    assert await prepared(camp, "Ann") == {}
    await camp.press_hand("Ann", "Discard it")
    assert await asked(camp) == ["Ann"]


async def test_the_card_that_is_discarded_is_not_offered_too(camp: Camp) -> None:
    await at_the_table(camp)
    await camp.press_hand("Ann", "Axe")
    assert "↪ offer Axe" not in buttons(await camp.hand("Ann"))
    await camp.press_hand("Ann", "‹ Back")
    await camp.press_hand("Ann", "Whisky")
    await camp.press_hand("Ann", "↪ offer Axe")
    await camp.press_hand("Ann", "‹ Back")
    await camp.press_hand("Ann", "Axe")
    await camp.press_hand("Ann", "Discard it")
    assert await asked(camp) == ["Ann"] and await void(camp, "Ann") == [orders.GONE]
    assert "Void, for the card is gone: Axe" in await words(camp, "Ann")
    await camp.answer("Ann", "give", "Whisky")
    assert await void(camp, "Ann") == []


async def test_a_card_that_may_not_go_to_the_next_player_is_asked_for_as_usual(camp: Camp) -> None:
    infected = ["Infected!", "Infected!", "Infected!", "Axe"]
    await at_the_table(camp, Ann=infected, more={"roles": {"Ann": "infected"}})
    await camp.press_hand("Ann", "Whisky")
    await camp.press_hand("Ann", "↪ offer Infected!")
    await camp.press_hand("Ann", "Discard it")
    assert await asked(camp) == ["Ann"] and await void(camp, "Ann") == [orders.MAY_NOT]
    assert "Void, for it may not be given there: Infected!" in await words(camp, "Ann")


async def test_in_isolation_no_card_to_offer_is_asked_for(camp: Camp) -> None:
    await at_the_table(camp, more={"quarantines": {"Ann": 3}})
    await camp.press_hand("Ann", "Whisky")
    assert buttons(await camp.hand("Ann")) == ["Discard it", "‹ Back"]


# --- void ---


async def test_an_order_whose_card_is_gone_is_void_and_the_hand_says_so(camp: Camp) -> None:
    await at_the_table(camp)
    await a_turn(camp, "Ann")
    await prepare(camp, "Bob", "answer", "give", "Suspicion", ends="kept")
    await camp.answer("Bob", "discard", "Suspicion")
    await camp.answer("Bob", "give", "Whisky")
    await camp.answer("Cid", "give", "Axe")
    assert await prepared(camp, "Bob") == {} and await void(camp, "Bob") == [orders.GONE]
    assert "Void, for the card is gone: Suspicion, for a card offered to you" in await words(camp, "Bob")


async def test_an_answer_that_may_not_be_given_to_that_player_is_void_and_the_question_rings(camp: Camp) -> None:
    infected = ["Infected!", "Infected!", "Axe", "Whisky"]
    await at_the_table(camp, Bob=infected, more={"roles": {"Bob": "infected"}})
    await prepare(camp, "Bob", "answer", "give", "Infected!")
    await ann_offers(camp)
    row = await camp.hand_row("Bob")
    assert row.wanted.ring and "Void, for it may not be given there: Infected!" in plain(row.wanted.text)
    await camp.forward(A_WHILE)
    assert await asked(camp) == ["Bob"]


async def test_the_last_infected_card_is_for_nobody_and_an_order_to_give_it_void(camp: Camp) -> None:
    hands = {"Ann": ["The Thing", "Axe", "Whisky", "Whisky"], "Bob": ["Infected!", "Infected!", "Axe", "Whisky"]}
    await at_the_table(camp, **hands, Dan=["Axe"] * 4, more={"roles": {"Bob": "infected"}})
    await prepare(camp, "Bob", "answer", "give", "Infected!", ends="kept")
    await ann_offers(camp)
    await camp.forward(A_WHILE)
    assert await who_answered(camp) == ("Bob", ("give", "Infected!"), "order")
    assert (await prepared(camp, "Bob"), await void(camp, "Bob")) == ({}, [orders.MAY_NOT])


async def test_where_the_thing_is_dead_an_infected_prepares_no_infected_card(camp: Camp) -> None:
    hands = {"Ann": ["Flamethrower", "Axe", "Whisky", "Whisky"], "Bob": ["The Thing", "Axe", "Axe", "Whisky"]}
    infected = ["Infected!", "Infected!", "Axe", "Whisky"]
    hands |= {"Cid": infected, "Dan": ["Axe"] * 4}
    await camp.begin(*FOUR)
    await camp.lay(hands, ["Whisky"], {"vengeance": True}, roles={"Cid": "infected"})
    await prepare(camp, "Cid", "answer", "give", "Infected!", ends="kept")
    await camp.answer("Ann", "play", "Flamethrower", "Bob")
    await camp.forward(A_WHILE)
    assert await asked(camp) == ["Ann"], "and the game goes on"
    view = core.view(await camp.step(), camp.seat_of(await camp.game(), "Cid"))
    assert orders.may_prepare(view, "answer") == [("give", "Axe"), ("give", "Whisky")]
    await camp.answer("Ann", "give", "Axe")
    assert await asked(camp) == ["Cid"] and await void(camp, "Cid") == [orders.MAY_NOT]


async def test_a_card_that_only_lies_on_the_table_is_not_gone(camp: Camp) -> None:
    await at_the_table(camp)
    await prepare(camp, "Ann", "answer", "give", "Suspicion", ends="kept")
    await ann_offers(camp, "Suspicion")
    await camp.answer("Bob", *REFUSE)
    assert set(await prepared(camp, "Ann")) == {"answer"}


async def test_who_burned_has_no_orders(camp: Camp) -> None:
    await at_the_table(camp, **FIRE)
    await prepare(camp, "Bob", "answer", "give", "Axe", ends="kept")
    await camp.answer("Ann", "play", "Flamethrower", "Bob")
    await camp.forward(A_WHILE)
    await camp.answer("Ann", "give", "Axe")
    await camp.answer("Cid", "give", "Axe")
    assert await prepared(camp, "Bob") == {}


# --- changed until used ---


async def test_by_the_panel_an_order_is_prepared_changed_and_taken_back(camp: Camp) -> None:
    await at_the_table(camp)
    await camp.press_hand("Bob", "Prepare an answer")
    assert buttons(await camp.hand("Bob")) == ["My offer", "To an offer", "Pass on defences", "‹ Back"]
    await camp.press_hand("Bob", "To an offer")
    assert buttons(await camp.hand("Bob"))[:3] == ["Axe", "No, Thanks!", "Suspicion"]
    assert "✋ No, Thanks!" in buttons(await camp.hand("Bob"))
    await camp.press_hand("Bob", "Axe")
    assert "Prepared: Axe, for a card offered to you, once." in await words(camp, "Bob")
    assert {"Until my turn", "Until I take it back", "Take it back"} <= set(buttons(await camp.hand("Bob")))
    await camp.press_hand("Bob", "✋ No, Thanks!")
    await camp.press_hand("Bob", "Until my turn")
    assert await prepared(camp, "Bob") == {"answer": Order(REFUSE, "turn")}
    await camp.press_hand("Bob", "‹ Back")
    await camp.press_hand("Bob", "‹ Back")
    prepared_line = "Prepared: ✋ No, Thanks!, against a card offered to you, until your turn."
    assert prepared_line in await words(camp, "Bob")
    await camp.press_hand("Bob", "Prepare an answer")
    await camp.press_hand("Bob", "To an offer")
    await camp.press_hand("Bob", "Take it back")
    assert await prepared(camp, "Bob") == {}


async def test_every_kind_has_its_page(camp: Camp) -> None:
    await at_the_table(camp, Bob=["Axe", "No Barbeque!", "Suspicion", "I'm Comfortable"])
    found: dict[str, list[str]] = {}
    for slot in ("My offer", "To an offer", "To fire", "To a seat change", "Pass on defences"):
        await camp.press_hand("Bob", "Prepare an answer")
        await camp.press_hand("Bob", slot)
        await camp.press_hand("Bob", buttons(await camp.hand("Bob"))[0])
        found[slot] = buttons(await camp.hand("Bob"))[-4:]
        await camp.press_hand("Bob", "‹ Back")
        await camp.press_hand("Bob", "‹ Back")
    assert set(await prepared(camp, "Bob")) == set(orders.SLOTS)
    assert found["To fire"] == found["To a seat change"] == ["Until my turn", "Take it back", "‹ Back"]
    assert found["Pass on defences"] == ["Take it back", "‹ Back"]
    assert (await words(camp, "Bob")).count("Prepared:") == 5


async def test_while_an_order_waits_to_answer_its_owner_sees_it_and_may_answer_otherwise(camp: Camp) -> None:
    await at_the_table(camp)
    await prepare(camp, "Bob", "answer", "give", "Suspicion")
    await ann_offers(camp)
    row = await camp.hand_row("Bob")
    assert "Your order answers soon, unless you do: Suspicion, for a card offered to you." in plain(row.wanted.text)
    assert {"Axe", "✋ No, Thanks!", "Take it back"} <= set(buttons(row.wanted)) and not row.wanted.ring
    await camp.press_hand("Bob", "Axe")
    assert await who_answered(camp) == ("Bob", ("give", "Axe"), "player") and await timers(camp, pace.ORDER) == []
    await camp.forward(A_WHILE)
    assert await who_answered(camp) == ("Bob", ("give", "Axe"), "player")


async def test_taken_back_while_it_waits_the_question_stays_open(camp: Camp) -> None:
    await at_the_table(camp)
    await prepare(camp, "Bob", "answer", "give", "Suspicion")
    await ann_offers(camp)
    await camp.press_hand("Bob", "Take it back")
    assert "Your order" not in await words(camp, "Bob")
    await camp.forward(A_WHILE)
    assert await asked(camp) == ["Bob"] and len(await timers(camp, pace.DEADLINE)) == 1


async def test_changed_while_it_waits_the_new_one_answers(camp: Camp) -> None:
    await at_the_table(camp)
    await prepare(camp, "Bob", "answer", "give", "Suspicion")
    await ann_offers(camp)
    await prepare(camp, "Bob", "answer", *REFUSE)
    await camp.forward(A_WHILE)
    assert await who_answered(camp) == ("Bob", REFUSE, "order")


async def test_prepared_on_an_old_page_while_asked_it_answers_this_question(camp: Camp) -> None:
    await at_the_table(camp)
    await camp.press_hand("Bob", "Prepare an answer")
    await camp.press_hand("Bob", "To an offer")
    page = await camp.hand("Bob")
    await ann_offers(camp)
    bob = camp.person("Bob")["id"]
    assert said(await camp.press_data("Bob", data_of(page, "Axe"), bob)) == ""
    assert "Your order answers soon" in await words(camp, "Bob")
    await camp.forward(A_WHILE)
    assert await who_answered(camp) == ("Bob", ("give", "Axe"), "order")


# --- presses that are doubled, stale or forged ---


async def test_a_doubled_press_changes_nothing(camp: Camp) -> None:
    await at_the_table(camp)
    await camp.press_hand("Bob", "Prepare an answer")
    await camp.press_hand("Bob", "To an offer")
    page, bob = await camp.hand("Bob"), camp.person("Bob")["id"]
    for _ in range(2):
        await camp.press_data("Bob", data_of(page, "Axe"), bob)
    assert await prepared(camp, "Bob") == {"answer": Order(("give", "Axe"))}
    page = await camp.hand("Bob")
    for _ in range(2):
        assert said(await camp.press_data("Bob", data_of(page, "Take it back"), bob)) == ""
    assert await prepared(camp, "Bob") == {}


async def test_a_press_on_a_page_from_before_the_order_was_used_is_stale(camp: Camp) -> None:
    await at_the_table(camp)
    await camp.press_hand("Bob", "Prepare an answer")
    await camp.press_hand("Bob", "To an offer")
    page, bob = await camp.hand("Bob"), camp.person("Bob")["id"]
    await camp.press_hand("Bob", "Whisky")
    await ann_offers(camp)
    await camp.forward(A_WHILE)
    assert await who_answered(camp) == ("Bob", ("give", "Whisky"), "order")
    assert said(await camp.press_data("Bob", data_of(page, "Axe"), bob)) == "That was before. Here is now."
    assert await prepared(camp, "Bob") == {} and "Your turn" in await words(camp, "Bob")


async def test_a_button_means_its_card_even_when_the_hand_has_changed(camp: Camp) -> None:
    await at_the_table(camp)
    await camp.press_hand("Cid", "Prepare an answer")
    await camp.press_hand("Cid", "To an offer")
    page, cid = await camp.hand("Cid"), camp.person("Cid")["id"]
    await a_turn(camp, "Ann")
    await a_turn(camp, "Bob", "Whisky", "Suspicion")
    toast = said(await camp.press_data("Cid", data_of(page, "Suspicion"), cid))
    assert toast == "That cannot be done any more. Here is now."
    await camp.press_data("Cid", data_of(page, "Axe"), cid)
    assert await prepared(camp, "Cid") == {"answer": Order(("give", "Axe"))}


@pytest.mark.parametrize(
    "what, number",
    [
        ("order_answer", orders.number(("give", "The Thing"))),
        ("order_answer", orders.number(("give", "Infected!"))),
        ("order_answer", orders.number(("defend", "Scary"))),
        ("order_answer", orders.number(("defend", "No Barbeque!"))),
        ("order_fire", orders.number(("defend", "No Barbeque!"))),
        ("order_offer", orders.number(REFUSE)),
        ("order_offer", 0),
        ("order_nothing", 0),
        ("ends_kept", 1),
        ("ends_never", 1),
        ("ends_once", 99),
        ("take_back", 5),
        ("then", 0),
        ("then_not", 16 * 99),
        ("prepare", 99),
    ],
)
async def test_what_is_forged_prepares_nothing(camp: Camp, what: str, number: int) -> None:
    await at_the_table(camp)
    game, bob = await camp.game(), camp.person("Bob")["id"]
    await camp.press_data("Bob", str(Pressed("panel", game.id, what, game.version, number)), bob)
    assert await prepared(camp, "Bob") == {}
    await camp.press_data("Eve", str(Pressed("panel", game.id, what, game.version, number)), camp.person("Eve")["id"])
    assert (await camp.game()).orders == {}


async def test_a_condition_that_a_kind_does_not_have_is_not_taken(camp: Camp) -> None:
    await at_the_table(camp)
    await prepare(camp, "Bob", "pass", "pass", ends="kept")
    assert await prepared(camp, "Bob") == {"pass": Order(core.PASS, "turn")}


async def test_the_number_of_a_choice_is_its_own() -> None:
    choices = [(verb, card) for verb in ("give", "defend") for card in core.CARDS]
    assert len({orders.number(choice) for choice in choices}) == len(choices)


# --- who plays, and when ---


async def test_orders_rest_while_a_bot_player_sits_in_and_are_there_when_the_owner_is_back(camp: Camp) -> None:
    await at_the_table(camp)
    await prepare(camp, "Bob", "answer", *REFUSE, ends="once")
    await camp.write("Bob", "/leave")
    assert "Prepare" not in " ".join(buttons(await camp.hand("Bob"))) and "Prepared" not in await words(camp, "Bob")
    game = await camp.game()
    pressed = Pressed("panel", game.id, "order_answer", game.version, orders.number(("give", "Axe")))
    assert said(await camp.press_data("Bob", str(pressed), camp.person("Bob")["id"])) != ""
    await ann_offers(camp)
    assert [timer.kind for timer in (await camp.game()).timers if timer.seat == camp.seat_of(game, "Bob")] == [pace.BOT]
    await camp.press_hand("Bob", "Play on myself")
    assert "Your order answers soon" in await words(camp, "Bob")
    await camp.forward(A_WHILE)
    assert await who_answered(camp) == ("Bob", REFUSE, "order")


async def test_a_bot_player_uses_no_order(camp: Camp) -> None:
    await at_the_table(camp)
    await prepare(camp, "Bob", "answer", *REFUSE, ends="kept")
    await camp.write("Bob", "/leave")
    await ann_offers(camp)
    before = len(await camp.store.answers(camp.game_id))
    await camp.forward(7)
    assert (await camp.store.answers(camp.game_id))[before].by == "bot player"
    assert "Void" not in await words(camp, "Bob")


async def test_who_sits_in_for_somebody_neither_sees_nor_uses_nor_changes_the_orders(camp: Camp) -> None:
    await at_the_table(camp)
    await camp.open_private_chats("Eve")
    await prepare(camp, "Bob", "answer", *REFUSE, ends="kept")
    async with camp.store.press(update_id=None, find=ByGame(camp.game_id)) as unit:
        assert unit.game is not None
        eve, bob = camp.person("Eve")["id"], camp.seat_of(unit.game, "Bob")
        roster = tuple(replace(row, sitter=eve) if row.seat == bob else row for row in unit.game.roster)
        unit.game = replace(unit.game, roster=roster)
    await ann_offers(camp)
    assert await timers(camp, pace.ORDER) == [] and "order" not in await words(camp, "Eve")
    await camp.press_hand("Eve", "Whisky")
    await a_turn(camp, "Bob", "Axe", "Axe")
    assert "Prepare" not in await words(camp, "Eve") + " ".join(buttons(await camp.hand("Eve")))
    game = await camp.game()
    pressed = Pressed("panel", game.id, "take_back", game.version, 1)
    await camp.press_data("Eve", str(pressed), camp.person("Eve")["id"])
    assert await prepared(camp, "Bob") == {"answer": Order(REFUSE, "kept")}


async def test_while_the_game_is_paused_no_order_answers(camp: Camp) -> None:
    await at_the_table(camp)
    await prepare(camp, "Bob", "answer", *REFUSE)
    await ann_offers(camp)
    async with camp.store.press(update_id=None, find=ByGame(camp.game_id)) as unit:
        play.pause(unit, "group", unit.now)
    await camp.forward(A_WHILE)
    assert await asked(camp) == ["Bob"]
    async with camp.store.press(update_id=None, find=ByGame(camp.game_id)) as unit:
        play.resume(unit)
    assert len(await timers(camp, pace.ORDER)) == 1
    await camp.forward(A_WHILE)
    assert await who_answered(camp) == ("Bob", REFUSE, "order")


async def test_another_process_uses_an_order_after_a_restart(camp: Camp) -> None:
    await at_the_table(camp)
    await prepare(camp, "Bob", "answer", *REFUSE)
    async with Store(camp.url, rules_v=core.RULES_VERSION, state_v=core.STATE_VERSION) as store:
        camp.store, camp.clock, before = store, Clock(store), camp.store
        await ann_offers(camp)
        await camp.forward(A_WHILE)
        assert await who_answered(camp) == ("Bob", REFUSE, "order")
        camp.store = before


async def test_the_end_of_a_game_forgets_all_orders_and_the_next_begins_without(camp: Camp) -> None:
    await at_the_table(camp)
    await prepare(camp, "Bob", "answer", *REFUSE, ends="kept")
    async with camp.store.press(update_id=None, find=ByGame(camp.game_id)) as unit:
        play.call_off(unit)
    assert (await camp.game()).orders == {}
    await camp.press("Ann", "Again, same people", "end")
    assert (await camp.game()).orders == {}


async def test_round_and_round_is_no_exchange(camp: Camp) -> None:
    await at_the_table(camp, ["Round and Round"])
    for who in FOUR:
        await prepare(camp, who, "offer", "give", "Axe")
    await prepare(camp, "Bob", "answer", "give", "Suspicion", ends="kept")
    await camp.forward(A_WHILE)
    assert await asked(camp) == list(FOUR) and await timers(camp, pace.ORDER) == []
    await camp.answer("Bob", "give", "Suspicion")
    for who in ("Ann", "Cid", "Dan"):
        assert await void(camp, "Bob") == []
        await camp.answer(who, "give", "Axe")
    # Cid has Bob's card for the Axe. Ann has Dan's Axe, and offers it in her next turn, for this one had no step 3.
    assert await void(camp, "Bob") == await void(camp, "Cid") == [orders.GONE]
    assert set(await prepared(camp, "Ann")) == set(await prepared(camp, "Bob")) == {"offer"}


# --- what the others can tell ---


async def in_public(camp: Camp) -> dict[str, tuple[Any, ...]]:
    """All the group sees, without when it was, and whose game and seed it is."""
    seen = {}
    for (kind, receiver), row in (await camp.rows()).items():
        if receiver == 0:
            wanted = row.wanted
            shown = [re.sub(r"<tg-time.*?</tg-time>", "(time)", wanted.text)]
            for one in (button for line in wanted.rows for button in line):
                shown.append(f"{one.text}: {re.sub(r'^(.)[.][^.]+|g[0-9]+$', '', one.data or one.url or '')}")
            seen[kind] = (*shown, wanted.ring, wanted.pin, wanted.once, wanted.old)
    return seen


async def a_world(camp: Camp, topic: int, private: bool, hands: dict[str, Any], deck: Sequence[str] = ()) -> None:
    """The same table as in another topic."""
    camp.place = (camp.place[0], topic)
    await camp._look()
    await camp.begin(*FOUR, private=private)
    async with camp.store.press(update_id=None, find=ByGame(camp.game_id)) as unit:
        assert unit.game is not None
        unit.game = replace(unit.game, public_seed="the same for both")
    await camp.lay({**HANDS, **hands}, deck or ["Whisky"])


ATTACKS: list[tuple[dict[str, Any], list[tuple[str, ...]], Slot, tuple[str, ...]]] = [
    ({}, [("discard", "Whisky"), ("give", "Axe")], "answer", ("give", "Suspicion")),
    ({}, [("discard", "Whisky"), ("give", "Axe")], "answer", REFUSE),
    (
        {**FIRE, "Bob": ["Axe", "Whisky", "Suspicion", "No Barbeque!"]},
        [("play", "Flamethrower", "Bob")],
        "fire",
        ("defend", "No Barbeque!"),
    ),
    (
        {**CHANGE, "Bob": ["Axe", "Whisky", "Suspicion", "I'm Comfortable"]},
        [("play", "Change Places!", "Bob")],
        "pass",
        core.PASS,
    ),
]


@pytest.mark.parametrize("private", [True, False])
@pytest.mark.parametrize("hands, moves, slot, choice", ATTACKS)
async def test_with_and_without_an_order_the_group_sees_the_same(
    camp: Camp,
    monkeypatch: pytest.MonkeyPatch,
    private: bool,
    hands: dict[str, Any],
    moves: list[tuple[str, ...]],
    slot: Slot,
    choice: tuple[str, ...],
) -> None:
    monkeypatch.setattr(play, "secrets", SimpleNamespace(token_hex=lambda size: "7" * 2 * size))  # one deal for both
    seen: list[list[Any]] = []
    for topic, ordered in ((11, True), (12, False)):
        await a_world(camp, topic, private, hands)
        if ordered:
            await prepare(camp, "Bob", slot, *choice)
        moments, before = [await in_public(camp)], len(await camp.events())
        for move in moves:
            await camp.answer("Ann", *move)
            moments.append(await in_public(camp))
        if ordered:
            (timer,) = await timers(camp, pace.ORDER)
            await camp.forward(A_WHILE)
        else:
            await camp.forward(A_WHILE)
            assert await asked(camp) == ["Bob"]
            await camp.answer("Bob", *choice)
        assert (await who_answered(camp))[:2] == ("Bob", choice)
        moments.append(await in_public(camp))
        memo = memo_of(await camp.game())
        happened = [one.event for one in await camp.events()][before:]
        seen.append([moments, happened, memo.called, list(memo.asked), memo.tale.told])
    assert seen[0] == seen[1]


@pytest.mark.parametrize("private", [True, False])
async def test_in_one_go_or_in_two_the_group_sees_the_same(
    camp: Camp, monkeypatch: pytest.MonkeyPatch, private: bool
) -> None:
    monkeypatch.setattr(play, "secrets", SimpleNamespace(token_hex=lambda size: "7" * 2 * size))
    seen: list[Any] = []
    for topic, in_one_go in ((11, True), (12, False)):
        await a_world(camp, topic, private, {})
        if in_one_go:
            await prepare(camp, "Ann", "offer", "give", "Axe")
        for choice in [("discard", "Whisky"), ("give", "Axe")][: 1 if in_one_go else 2]:
            game, step = await camp.game(), await camp.step()
            ask = step.asks[camp.seat_of(game, "Ann")]
            number, version = ask.choices.index(choice), memo_of(game).asked[ask.seat]
            pressed = Pressed("panel", game.id, "choose", version, number)
            await camp.press_data("Ann", str(pressed), camp.person("Ann")["id"])
        assert await asked(camp) == ["Bob"]
        game = await camp.game()
        seen.append([await in_public(camp), memo_of(game).called, memo_of(game).asked, game.version])
    assert seen[0] == seen[1]


async def test_in_the_group_an_order_is_prepared_on_the_panel_that_nobody_else_sees(camp: Camp) -> None:
    await at_the_table(camp, private=False)
    camp.far_end.ephemeral = "shown"
    await camp.press("Bob", "🃏 My hand", "board")
    for button in ("Prepare an answer", "To an offer", "✋ No, Thanks!"):
        rows = camp.far_end.said[-1][1]["reply_markup"]["inline_keyboard"]
        data = next(one["callback_data"] for row in rows for one in row if plain(one["text"]) == button)
        await camp.press_data("Bob", data)
    call = camp.far_end.said[-1][1]
    receivers = [given.get("ephemeral_message_parameters", given)["receiver_user_id"] for _, given in camp.far_end.said]
    assert set(receivers) == {camp.person("Bob")["id"]} and "Prepared: ✋ No, Thanks!" in plain(call["text"])
    assert await prepared(camp, "Bob") == {"answer": Order(REFUSE)}


async def test_to_prepare_something_changes_nothing_that_others_see(camp: Camp) -> None:
    await at_the_table(camp)
    before, game = await in_public(camp), await camp.game()
    await camp.press_hand("Bob", "Prepare an answer")
    await camp.press_hand("Bob", "To an offer")
    await camp.press_hand("Bob", "✋ No, Thanks!")
    after = await camp.game()
    assert await in_public(camp) == before
    assert replace(after, orders={}, touched_at=None) == replace(game, touched_at=None)
    others = {who: (await camp.hand_row(who)).wanted for who in ("Ann", "Cid", "Dan")}
    assert not any("No, Thanks!" in wanted.text for wanted in others.values())


async def test_people_without_a_private_chat_are_called_whether_they_have_an_order_or_not(camp: Camp) -> None:
    await at_the_table(camp, private=False)
    await prepare(camp, "Bob", "answer", *REFUSE)
    await ann_offers(camp)
    game = await camp.game()
    row = (await camp.rows())[f"call {camp.seat_of(game, 'Bob')}", 0]
    assert row.wanted.ring and "waits for you" in row.wanted.text


async def test_a_nudge_is_told_to_the_others_and_not_heard_by_who_has_an_order(camp: Camp) -> None:
    await at_the_table(camp)
    await prepare(camp, "Bob", "answer", *REFUSE)
    await ann_offers(camp)
    reply = await camp.write("Cid", "/nudge")
    assert reply is not None and plain(reply["text"]) == "Nudged: Bob."
    assert not (await camp.hand_row("Bob")).wanted.ring


async def test_a_pause_is_the_same_for_an_order_and_for_who_can_only_pass(camp: Camp) -> None:
    await at_the_table(camp)
    game = await camp.game()
    now = game.started_at
    assert now is not None
    for version in range(200):
        at = replace(game, version=version)
        pause = (pace.by_order(at, "s2", now).at - now).total_seconds()
        assert pace.pass_by_itself(at, "s2", now).at == pace.by_order(at, "s2", now).at and 24 <= pause <= 96


async def test_no_card_of_an_order_shows_where_it_should_not(camp: Camp) -> None:
    await at_the_table(camp)
    await prepare(camp, "Bob", "answer", *REFUSE)
    game = await camp.game()
    mine = orders.of(game, camp.seat_of(game, "Bob"))
    assert "Thanks" not in f"{game!r}{game.memo}{mine!r}{mine.by_slot!r}{orders.Fit('answer', REFUSE)!r}"
    board = screens.board(game, core.view(await camp.step(), None), game.started_at or pace.moment(0), "bot")
    assert "Thanks" not in repr(board) + str(await in_public(camp))


# --- whole games ---


@pytest.mark.parametrize("secrecy", ["strict", "fast"])
@pytest.mark.parametrize("seed", range(3))
async def test_in_whole_games_orders_answer_what_they_are_for_and_nothing_else(
    camp: Camp, monkeypatch: pytest.MonkeyPatch, seed: int, secrecy: str
) -> None:
    """Everybody prepares this and that at any time, changes it, takes it back, goes and comes; the rules go on."""
    monkeypatch.setattr(play, "secrets", SimpleNamespace(token_hex=lambda size: f"{seed}" * 2 * size))
    dice = Random(f"{seed}/{secrecy}")
    await camp.begin(*FOUR, "Eve", "Fay")
    async with camp.store.press(update_id=None, find=ByGame(camp.game_id)) as unit:
        assert unit.game is not None and unit.game.turn_start is not None
        table = core.thaw(unit.game.turn_start)
        table.options = replace(table.options, secrecy=secrecy, vengeance=bool(seed % 2))
        unit.game = replace(unit.game, turn_start=core.freeze(table), answers=(), digest="")
        play.begin_turn_again(unit)
    used: set[Slot] = set()
    for _ in range(160):
        game = await camp.game()
        if game.status != "playing":
            break
        step = play.standing(game)
        async with camp.store.press(update_id=None, find=ByGame(camp.game_id)) as unit:
            assert unit.game is not None
            for seat in step.table.seats:
                slot = dice.choice(orders.SLOTS)
                choices = orders.may_prepare(core.view(step, seat), slot)
                changed = unit.game
                if choices and dice.random() < 0.5:
                    changed = orders.prepare(changed, step, seat, slot, dice.choice(choices))
                elif dice.random() < 0.3:
                    changed = orders.take_back(changed, seat, slot)
                changed = orders.condition(changed, seat, slot, dice.choice(("once", "turn", "kept")))
                play.order_changed(unit, changed, step, seat)
        game = await camp.game()
        waiting = {timer.seat for timer in game.timers if timer.kind == pace.ORDER}
        fitting = {seat: fit for seat in step.asks if (fit := orders.fitting(game, step, seat)) is not None}
        assert waiting == set(fitting)
        before = len(await camp.store.answers(camp.game_id))
        if waiting:
            await camp.forward(A_WHILE)
            given = (await camp.store.answers(camp.game_id))[before:]
            assert waiting <= {one.seat for one in given if one.by == "order"}
            for one in given:
                if one.seat not in fitting or one.by != "order" or step.asks.get(one.seat) is None:
                    continue
                (fit, ask), held = (fitting.pop(one.seat), step.asks[one.seat]), orders.of(game, one.seat).by_slot
                used.add(fit.slot)
                assert held[fit.slot].choice == fit.choice == one.choice in ask.choices
                expected: dict[str, tuple[str, ...]] = {core.OFFER: ("offer",), core.ANSWER: ("answer",)}
                of_card = ("fire",) if ask.card == orders.FIRE else ("seat", "pass")
                assert fit.slot in expected.get(ask.about, of_card)
        else:
            seat = dice.choice(list(step.asks))
            row = game.seat(seat)
            assert row is not None
            await camp.answer(row.name, *dice.choice(step.asks[seat].choices))
    game = await camp.game()
    assert game.status == "playing" or game.orders == {}
    assert {"offer", "answer"} <= used, "and they are used"
