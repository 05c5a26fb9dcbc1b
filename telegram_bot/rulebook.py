"""What the bot says about the rules: in short, card by card, and a line for each option."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from typing import Any

import core
from core import Card, Options
from telegram_bot.names import clean
from telegram_bot.texts import Markup, has, say, say_plain

KINDS = ("action", "defence", "obstacle", "panic", "contagion")


# --- /rules ---


def short() -> str:
    """How the game goes, on one or two screens of a phone, as HTML."""
    return say("rules.short")


def about(query: str, players: int | None = None, options: Options | None = None) -> str:
    """What `/rules axe` answers, as HTML: the card that *query* means, those it may mean, or the list of all; and what
    `/rules options` does.

    With *players* (and *options*) it tells how many of the card are in play at that table.
    """
    if _letters(query) in ("", "cards", "all"):
        return listing()
    if _letters(query) in ("options", "option"):
        return options_in_full()
    cards = find(query)
    if len(cards) == 1:
        return card(cards[0], players, options)
    if cards:
        return say("rules.which", cards=[_name(name) for name in cards])
    return listing(query)


def card(name: Card, players: int | None = None, options: Options | None = None) -> str:
    """A card: its kind, its sentence, what a player may want to know besides, and how many there are."""
    rule = core.CARDS[name]
    lines = [say("rules.card", card=name, kind=say(f"rules.kind.{rule.kind}")), say("rules.sentence", text=rule.text)]
    if has(f"rules.note.{name}"):
        lines.append(say(f"rules.note.{name}"))
    if name == "Quarantine" and options is not None:
        lines.append(say(f"rules.quarantine.{options.quarantine}"))
    if name != "The Thing":
        lines.append(_number(name, players, options))
    return "\n".join(lines)


def _number(name: Card, players: int | None, options: Options | None) -> Markup:
    if players is None or not core.LEAST <= players <= core.MOST:
        return say("rules.in_the_box", n=core.box(core.MOST)[name])
    try:
        number = core.deck_in_use(options or Options(), players)[name]
    except core.Refused:  # the lobby will say why
        number = core.box(players)[name]
    return say("rules.in_play", n=number, players=players)


def listing(query: str = "") -> str:
    """All cards by kind; with a *query* that means none of them, it says so first."""
    lines = [say("rules.unknown", query=clean(query))] if query else []
    for kind in KINDS:
        names = [_name(name) for name, rule in core.CARDS.items() if rule.kind == kind]
        # Not as "a, b and c": "No, Thanks!" and "One, Two..." have commas of their own.
        lines.append(say("rules.of_kind", kind=say(f"rules.kind.{kind}"), cards=Markup(" · ".join(names))))
    return "\n".join([*lines, say("rules.ask")])


def _name(name: Card) -> Markup:
    return say("rules.name", card=name)


def find(query: str) -> list[Card]:
    """The cards that *query* may mean: case, blanks and punctuation do not count, a part will do, so will a slip."""
    wanted = _letters(query)
    if not wanted:
        return []
    names = {_letters(name): name for name in core.CARDS}
    if wanted in names:
        return [names[wanted]]
    for matches in (
        [letters for letters in names if letters.startswith(wanted)],
        [letters for letters in names if wanted in letters and len(wanted) > 2],
        get_close_matches(wanted, names, n=3, cutoff=0.75),
    ):
        if matches:
            return [names[letters] for letters in matches]
    return []


def _letters(text: str) -> str:
    return "".join(char for char in text[:100].casefold() if char.isalnum())


# --- options ---


@dataclass(frozen=True)
class OptionText:
    """An option in words: a *name* for a button, a *short* line beside it, the *text* in full; *on* is its value when
    switched on."""

    key: str
    on: Any

    @property
    def name(self) -> str:
        return say_plain(f"rules.option.{self.key}.name")

    @property
    def short(self) -> str:
        return say_plain(f"rules.option.{self.key}.short")

    @property
    def text(self) -> str:
        return say_plain(f"rules.option.{self.key}.text")

    @property
    def off(self) -> Any:
        return getattr(Options(), self.key)

    def is_on(self, options: Mapping[str, Any]) -> bool:
        value = options.get(self.key, self.off)
        return bool(value == self.on if self.key == "deck" else value != self.off)

    def toggled(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The *options* with this one the other way; what is at its default is left out."""
        others = {key: value for key, value in options.items() if key != self.key}
        return others if self.is_on(options) else others | {self.key: self.on}


OPTIONS: tuple[OptionText, ...] = (
    OptionText("quarantine", "open"),
    OptionText("missed_infects", True),
    OptionText("last_infected_loses", True),
    OptionText("thing_in_deck", True),
    OptionText("hot_deck", True),
    OptionText("neighbours_only", True),
    OptionText("vengeance", True),
    OptionText("deck", core.presets()["deck"].deck),
    OptionText("secrecy", "fast"),
)
INFECTED = OptionText("infected_delta", 1)  # any number (R60): the lobby counts up and down


def options_in_full() -> str:
    """Every option with all that it changes."""
    told = [say("rules.option_line", name=option.name, text=option.text) for option in (*OPTIONS, INFECTED)]
    return "\n".join([say("rules.options"), *told])


def changed_options(options: Mapping[str, Any]) -> list[str]:
    """The names of the options that are not at their default, as plain text."""
    changed = [option.name for option in OPTIONS if option.is_on(options)]
    if options.get("deck") and not option_text("deck").is_on(options):
        changed.append(say_plain("rules.own_deck"))
    if delta := options.get("infected_delta", 0):
        changed.append(say_plain("rules.infected_by", delta=f"{delta:+d}".replace("-", "\u2212")))
    return changed


@cache
def option_text(key: str) -> OptionText:
    """The option of that name."""
    return next(option for option in (*OPTIONS, INFECTED) if option.key == key)
