"""Two games with one public history that differ only in hidden cards look the same to who cannot know (issue 3, 3)."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.telegram_bot.camp import Camp

FOUR = ("Ann", "Bob", "Cid", "Dan")
DAN = ["Whisky", "Axe", "Axe", "Axe"]
Hands = dict[str, list[str]]
World = tuple[Hands, dict[str, Any], list[tuple[str, ...]]]


def hands(ann: list[str], bob: list[str], cid: list[str]) -> Hands:
    return {"Ann": ann, "Bob": bob, "Cid": cid, "Dan": DAN}


W4 = ["Whisky"] * 4
THING = ["The Thing", "Whisky", "Whisky", "Whisky"]
INFECTED = ["Infected!", "Whisky", "Whisky", "Whisky"]

# What Dan, who only watches, and the group cannot tell apart: two worlds, each with what is answered in it.
PAIRS: dict[str, tuple[World, World]] = {
    "who is The Thing": (
        (
            hands(W4, W4, THING),
            {},
            [("Ann", "discard", "Suspicion"), ("Ann", "give", "Whisky"), ("Bob", "give", "Whisky")],
        ),
        (
            hands(W4, THING, W4),
            {},
            [("Ann", "discard", "Suspicion"), ("Ann", "give", "Whisky"), ("Bob", "give", "Whisky")],
        ),
    ),
    "which card was discarded": (
        (hands(W4, W4, THING), {}, [("Ann", "discard", "Suspicion")]),
        (hands(W4, W4, THING), {}, [("Ann", "discard", "Whisky")]),
    ),
    "whether an exchange infected": (
        (
            hands(["The Thing", "Infected!", "Whisky", "Whisky"], W4, W4),
            {},
            [("Ann", "discard", "Suspicion"), ("Ann", "give", "Infected!"), ("Bob", "give", "Whisky")],
        ),
        (
            hands(["The Thing", "Infected!", "Whisky", "Whisky"], W4, W4),
            {},
            [("Ann", "discard", "Suspicion"), ("Ann", "give", "Whisky"), ("Bob", "give", "Whisky")],
        ),
    ),
    "whether a refusal is held": (
        (hands(W4, W4, THING), {}, [("Ann", "discard", "Suspicion"), ("Ann", "give", "Whisky")]),
        (
            hands(W4, ["No, Thanks!", "Missed!", "Scary", "Whisky"], THING),
            {},
            [("Ann", "discard", "Suspicion"), ("Ann", "give", "Whisky")],
        ),
    ),
    "whether fire can be answered": (
        (hands(W4, W4, THING), {"deck": ["Flamethrower"]}, [("Ann", "play", "Flamethrower", "Bob")]),
        (
            hands(W4, ["No Barbeque!", "Whisky", "Whisky", "Whisky"], THING),
            {"deck": ["Flamethrower"]},
            [("Ann", "play", "Flamethrower", "Bob")],
        ),
    ),
    "what was burned": (
        (
            hands(W4, INFECTED, THING),
            {"deck": ["Flamethrower"], "roles": {"Bob": "infected"}},
            [("Ann", "play", "Flamethrower", "Bob"), ("Bob", "pass")],
        ),
        (
            hands(W4, W4, THING),
            {"deck": ["Flamethrower"]},
            [("Ann", "play", "Flamethrower", "Bob"), ("Bob", "pass")],
        ),
    ),
    "what Analysis saw": (
        (hands(W4, INFECTED, THING), {"deck": ["Analysis"]}, [("Ann", "play", "Analysis", "Bob")]),
        (hands(W4, THING, W4), {"deck": ["Analysis"]}, [("Ann", "play", "Analysis", "Bob")]),
    ),
    "what Scary saw": (
        (
            hands(["Infected!", "The Thing", "Whisky", "Whisky"], ["Scary", "Whisky", "Whisky", "Whisky"], W4),
            {},
            [("Ann", "discard", "Suspicion"), ("Ann", "give", "Infected!"), ("Bob", "defend", "Scary")],
        ),
        (
            hands(["Infected!", "The Thing", "Whisky", "Whisky"], ["Scary", "Whisky", "Whisky", "Whisky"], W4),
            {},
            [("Ann", "discard", "Suspicion"), ("Ann", "give", "Whisky"), ("Bob", "defend", "Scary")],
        ),
    ),
    "what Resolute kept": (
        (
            hands(W4, W4, THING),
            {"deck": ["Resolute", "Axe", "Flamethrower", "Scary"]},
            [("Ann", "play", "Resolute"), ("Ann", "keep", "Flamethrower")],
        ),
        (
            hands(W4, W4, THING),
            {"deck": ["Resolute", "Axe", "Flamethrower", "Scary"]},
            [("Ann", "play", "Resolute"), ("Ann", "keep", "Axe")],
        ),
    ),
}


async def seen(camp: Camp, world: World) -> dict[str, Any]:
    """What the group and Dan have on their screens in that world, but for the hour."""
    lay, more, answers = world
    await camp.begin(*FOUR)
    deck = more.get("deck", ["Suspicion"])
    await camp.lay(lay, deck, **{name: value for name, value in more.items() if name != "deck"})
    for who, *choice in answers:
        await camp.answer(who, *choice)
    dan = camp.person("Dan")["id"]
    game, mine = await camp.game(), {}
    names = {row.seat: row.name for row in game.roster}
    for (kind, receiver), row in (await camp.rows()).items():
        if receiver in (0, dan):
            text = re.sub(r"<tg-time.*?</tg-time>", "an hour", row.wanted.text)
            buttons = [
                [re.sub(r"\.[0-9a-z]+\.", ".", one.data or one.text, count=1) for one in line]
                for line in row.wanted.rows
            ]
            label = re.sub(r"s\d+", lambda seat: names.get(seat[0], seat[0]), kind)
            mine[label, receiver] = (text, buttons, row.wanted.ring, row.post)
    timers = sorted((timer.kind, names.get(timer.seat or "", "")) for timer in game.timers if timer.kind != "pass")
    return {"screens": mine, "timers": timers, "version": game.version}


@pytest.mark.parametrize("name", PAIRS)
async def test_the_group_and_who_only_watches_see_the_same_in_both_worlds(
    camp: Camp, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("secrets.token_hex", lambda size=16: "0" * size)  # the same seats, dice and words
    one, other = PAIRS[name]
    first = await seen(camp, one)
    await camp.write("Ann", "/endgame")
    await camp.press("Ann", "End it", "ending")
    second = await seen(camp, other)
    links = re.compile(r"g\d+")
    assert links.sub("g", str(first)) == links.sub("g", str(second))


def test_the_pairs_differ() -> None:
    assert all(one != other for one, other in PAIRS.values())
