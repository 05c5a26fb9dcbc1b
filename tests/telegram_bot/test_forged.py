"""Forged callback data (issue 3, 3): it is checked against the presser, the game, the version and the asks.

What is forged is made of what is real: every button that anybody has had in two games of one evening, pressed by
others, in other places, a moment too late, with another game, version or number in it, or with a letter changed. A
forger knows the source, and every number but the hands.
"""

from __future__ import annotations

import logging
import string
from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple, get_args

import pytest

import core
from db import clock
from db.records import GameRow
from telegram_bot import callback, orders, panel
from telegram_bot.callback import Pressed
from telegram_bot.memo import memo_of
from tests.telegram_bot.camp import GROUP, Camp, said, user

FOUR = ("Ann", "Bob", "Cid", "Dan")
OTHERS = ("Fay", "Gus", "Hal", "Ida")
HANDS = {
    "Ann": ["Flamethrower", "Axe", "Suspicion", "No Barbeque!"],
    "Bob": ["No Barbeque!", "Analysis", "I'm Comfortable", "No, Thanks!"],
    "Cid": ["The Thing", "Infected!", "Scary", "Seduction"],
    "Dan": ["Resolute", "Whisky", "Axe", "Missed!"],
}
ELSEWHERE = -100777
STRANGERS = [user(70_000 + i, f"Eve {i}") for i in range(5)]

# What a player may press at any time of the own accord, whatever is asked: it looks at the own hand, or speaks.
FREE = ("hand", "say", "nudge", "front", "table", "know", "bring", "claims", "claim_about", "claim", "prepare")
ANSWERS = ("card", "confirm", "choose", "then", "then_not", "declare")


class Game(NamedTuple):
    """A game that stands still while it is forged for."""

    row: GameRow
    step: core.Step

    def offers(self, person: int, pressed: Pressed) -> bool:
        """Whether this is no forgery: this very press is open to that person now."""
        row = self.row.seat_of(person)
        if row is None or pressed.what in FREE:
            return row is not None
        if pressed.what in ANSWERS:
            return memo_of(self.row).asked.get(row.seat) == pressed.version
        slot = pressed.what.removeprefix("order_")
        if slot not in orders.SLOTS or pressed.version > self.row.version:
            return False
        choices = orders.may_prepare(core.view(self.step, row.seat), slot)  # type: ignore[arg-type]
        return pressed.number in [orders.number(choice) for choice in choices]


class Forger:
    """Makes callback data out of every button there was."""

    def __init__(self, dice: Random, games: list[Game], real: list[str]) -> None:
        self.dice, self.games, self.real = dice, {game.row.id: game for game in games}, real
        self.whats = sorted({callback.read(data).what for data in real} | set(ANSWERS))  # type: ignore[union-attr]

    def forged(self, person: int) -> str:
        """Data that is open to nobody, or to somebody else."""
        while True:
            data = self._data()
            pressed = callback.read(data)
            game = self.games.get(pressed.game) if pressed is not None else None
            if game is None or pressed is None or not game.offers(person, pressed):
                return data

    def _data(self) -> str:
        dice, data = self.dice, self.dice.choice(self.real)
        pressed = callback.read(data)
        assert pressed is not None
        match dice.randrange(6):
            case 0:
                return data
            case 1:
                return str(self._another(pressed))
            case 2:
                return str(self._another(self._another(pressed)))
            case 3:
                place = dice.randrange(len(data))
                return data[:place] + dice.choice(string.ascii_letters + string.digits + "._-\0é") + data[place + 1 :]
            case 4:
                parts = data.split(".")
                dice.shuffle(parts)
                return ".".join(parts)
        noise = (dice.choice((dice.randrange(32, 127), dice.randrange(0x3000))) for _ in range(dice.randrange(64)))
        return "".join(map(chr, noise))

    def _another(self, pressed: Pressed) -> Pressed:
        """With a part of another button."""
        dice, game = self.dice, self.dice.choice(list(self.games.values()))
        asked = dice.choice([0, *memo_of(game.row).asked.values()])
        match dice.randrange(5):
            case 0:
                return pressed._replace(room=dice.choice(get_args(callback.Room)))
            case 1:
                return pressed._replace(game=dice.choice([*self.games, 0, 99_999, 36**12 - 1]))
            case 2:
                version = dice.choice((asked, game.row.version, game.row.version + 1, 36**6 - 1))
                return pressed._replace(version=version)
            case 3:
                return pressed._replace(what=dice.choice(self.whats))
        return pressed._replace(number=dice.choice((*range(6), 17, 50, dice.randrange(36**6), 36**6 - 1)))


async def an_evening(camp: Camp, place: int, names: tuple[str, ...]) -> list[str]:
    """A game that has come to an offer; every button that anybody had on the way."""
    camp.place, camp.game_id = (place, 0), 0
    seen: set[str] = set()
    await camp.gather(*names)
    seen |= set(data_in([row.wanted for row in (await camp.rows()).values()]))
    await camp.press(names[0], "Start with 4")
    hands = dict(zip(names, HANDS.values(), strict=True))
    await camp.lay(hands, ["Whisky"])
    one, two, *_ = names
    answers = (one, "discard", "Whisky"), (one, "give", "Axe"), (two, "give", "Analysis"), (two, "discard", "Axe")
    for who, *choice in answers:
        seen |= await buttons_of(camp)
        await camp.answer(who, *choice)
    for _ in range(3):
        await camp.write(one, "/endgame")
        seen |= await buttons_of(camp)
        await camp.press(one, "Play on", "ending")
    return sorted(seen)


async def buttons_of(camp: Camp) -> set[str]:
    """All that can be pressed now by anybody, with every page of every hand."""
    game, step = await camp.game(), await camp.step()
    wanted = [row.wanted for row in (await camp.rows()).values()]
    now = await clock.now(camp.store.engine)
    for row in game.roster:
        wanted += pages_of(panel.desk(game, "The camp", step, row.seat, now), len(game.roster))
    return set(data_in(wanted))


def pages_of(desk: panel.Desk, players: int) -> Iterator[Any]:
    yield panel.front(desk)
    yield panel.claims_page(desk)
    yield panel.claim_page(desk, players - 1)
    yield panel.orders_page(desk)
    yield panel.declaration_page(desk)
    for slot in orders.SLOTS:
        yield panel.order_page(desk, slot)
    if desk.view.ask is not None and desk.view.ask.about == core.STEP_TWO:
        for card in panel.hand_cards(desk.view):
            yield panel.card_page(desk, card)


def data_in(wanted: Any) -> Iterator[str]:
    return (one.data for screen in wanted for row in screen.rows for one in row if one.data)


async def changed_by(camp: Camp, game_id: int) -> dict[str, Any]:
    """All of a game that a press could change, but for whose hand is looked at."""
    camp.game_id = game_id
    everything = await camp.everything()
    screens = {key: screen for key, screen in everything["screens"].items() if not key[1]}
    return everything | {"screens": screens}


async def storm(camp: Camp, number: int, caplog: pytest.LogCaptureFixture) -> None:
    """So many forged presses, by players and strangers, everywhere: none accepted, nothing changed, all answered."""
    real, games = [], []
    for place, names in ((ELSEWHERE, OTHERS), (GROUP, FOUR)):
        real += await an_evening(camp, place, names)
        games.append(Game(await camp.game(), await camp.step()))
    caplog.set_level(logging.WARNING)
    forger = Forger(Random(number), games, real)
    dice = forger.dice
    before = [await changed_by(camp, game.row.id) for game in games]
    for at in range(1, number + 1):
        who = dice.choice([*STRANGERS, *camp.people.values()])
        reply = await camp.press_data(who, forger.forged(who["id"]), dice.choice((who["id"], GROUP, ELSEWHERE)))
        if who in STRANGERS:
            assert not [card for card in core.CARDS if card in said(reply)]
        if at % 500 == 0 or at == number:
            assert [await changed_by(camp, game.row.id) for game in games] == before
    for place in (GROUP, ELSEWHERE):
        assert len(await camp.store.games_in(place)) == 1
        chat = await camp.store.chat(place)
        assert chat is not None and not chat.settings
    assert not caplog.records


async def test_forged_presses_are_never_accepted(camp: Camp, caplog: pytest.LogCaptureFixture) -> None:
    await storm(camp, 2_000, caplog)


@pytest.mark.long
async def test_a_hundred_thousand_forged_presses_are_never_accepted(
    camp: Camp, caplog: pytest.LogCaptureFixture
) -> None:
    await storm(camp, 100_000, caplog)
