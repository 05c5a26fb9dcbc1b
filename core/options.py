"""The options of a game (RULES.md sections 5 to 8), validated, with presets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, get_args, get_type_hints

import msgspec

from core.asks import Card
from core.cards.registry import CARDS, INFECTED, THING, box

LEAST, MOST = 4, 12
MOST_CARDS = 1000  # in a deck of the players' own making


class Refused(ValueError):
    """Options, a deck or a number of players that cannot be played; str() is a sentence that says why."""


class Options(msgspec.Struct, frozen=True, omit_defaults=True):
    """The options of a game; each default is the reading that RULES.md calls the default."""

    quarantine: Literal["isolation", "open"] = "isolation"  # R40
    missed_infects: bool = False  # R37
    last_infected_loses: bool = False  # R58
    thing_in_deck: bool = False  # R59
    infected_delta: int = 0  # R60
    hot_deck: bool = False  # R61
    neighbours_only: bool = False  # R62
    deck: dict[Card, int] | None = None  # R63
    vengeance: bool = False  # R64
    secrecy: Literal["strict", "fast"] = "strict"  # section 8


@cache
def presets() -> dict[str, Options]:
    """Named options to start from: the two readings of Quarantine, and each variant of RULES.md section 7."""
    whole_box = {card: number for card, number in box(MOST).items() if card != THING}
    return {
        "default": Options(),
        "open_quarantine": Options(quarantine="open"),
        "thing_in_deck": Options(thing_in_deck=True),
        "infected_delta": Options(infected_delta=2),
        "hot_deck": Options(hot_deck=True),
        "neighbours_only": Options(neighbours_only=True),
        "deck": Options(deck=whole_box),
        "vengeance": Options(vengeance=True),
    }


def read_options(given: Mapping[str, Any], players: int) -> Options:
    """The options *given* by name, for that number of players. Raises Refused: unknown, misspelt, not to be played.

    `preset` names the options to start from.
    """
    named = dict(given)
    preset = named.pop("preset", "default")
    if not isinstance(preset, str) or preset not in presets():
        raise Refused(f"There is no preset {preset!r}. The presets are: {', '.join(presets())}.")
    hints = get_type_hints(Options)
    for name, value in named.items():
        if name not in hints:
            raise Refused(f"There is no option {name!r}. The options are: {', '.join(hints)}.")
        if hints[name] is int and isinstance(value, bool):
            raise Refused(f"The option {name} takes a whole number, not {value!r}.")
        try:
            named[name] = msgspec.convert(value, hints[name])
        except msgspec.ValidationError:
            raise Refused(f"The option {name} takes {_takes(hints[name])}, not {value!r}.") from None
    options = msgspec.structs.replace(presets()[preset], **named)
    deck_in_use(options, players)
    return options


def _takes(hint: Any) -> str:
    if hint is bool:
        return "true or false"
    if hint is int:
        return "a whole number"
    if isinstance(get_args(hint)[0], str):
        return " or ".join(get_args(hint))
    return "a list of cards with their numbers"


def deck_in_use(options: Options, players: int) -> Counter[Card]:
    """All the cards of a game with that many players, The Thing included (R12, R60, R63). Raises Refused."""
    if not LEAST <= players <= MOST:
        raise Refused(f"The game is for {LEAST} to {MOST} players, not for {players}.")
    cards = Counter(box(players) if options.deck is None else _own_deck(options.deck))
    cards[INFECTED] += options.infected_delta
    if cards.total() > MOST_CARDS:
        raise Refused(f"This deck has {cards.total()} cards; {MOST_CARDS} are the most that can be played with.")
    if cards[INFECTED] < 1:
        raise Refused("At least one Infected! card must be left in the deck.")
    _check_playable(cards, options, players)
    return cards


def _own_deck(deck: Mapping[Card, int]) -> dict[Card, int]:
    for card, number in deck.items():
        if card == THING:
            raise Refused("The Thing is always in the deck, once: leave it out of the list.")
        if card not in CARDS:
            raise Refused(f"There is no card {card!r}.")
        if number < 0:
            raise Refused(f"There cannot be {number} of {card}.")
    return {THING: 1, **deck}


def _check_playable(cards: Counter[Card], options: Options, players: int) -> None:
    """Refuse a deck that cannot be dealt, or with which a game could not go on or end (R61, R63)."""
    pool = dealt_from(cards, options)
    if len(pool) < (needed := 4 * players - (not options.thing_in_deck)):
        raise Refused(f"This deck has {len(pool)} cards to deal from; {players} players need {needed}.")
    if not cards["Flamethrower"] and cards[INFECTED] < players - 1:
        raise Refused("A deck without a Flamethrower needs an Infected! card for every other player.")
    if cards["Barred Door"] and not (cards["Axe"] or cards["Three, Four..."] or cards["So This Is the Party?"]):
        raise Refused("A deck with Barred Doors needs a card that removes them.")
    harmless = sum(n for card, n in cards.items() if CARDS[card].kind in ("action", "defence") or card == THING)
    if harmless < 4 * players + 4:
        raise Refused(
            f"{players} players need at least {4 * players + 4} cards that are no Infected!, PANIC! or obstacle; "
            f"this deck has {harmless}."
        )


def dealt_from(cards: Counter[Card], options: Options) -> list[Card]:
    """The cards that may be dealt at the start, The Thing not among them (R13, R61)."""
    late = ("Flamethrower", "Analysis") if options.hot_deck else ()
    return [
        card
        for card, number in cards.items()
        if card not in (THING, INFECTED) and CARDS[card].kind != "panic" and card not in late
        for _ in range(number)
    ]
