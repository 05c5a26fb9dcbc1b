"""The settings of a group: one declarative table that makes the menu, the validation, the help and the defaults.

Opened with /settings by an administrator; rights are checked at every tap (failures.md 5.55: an ex-administrator used
an old menu). What is chosen is kept in `chats.settings`, and a new lobby begins with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any
from zoneinfo import available_timezones

from telegram_bot import rulebook
from telegram_bot.callback import Pressed
from telegram_bot.names import clean
from telegram_bot.pace import DEFAULT_PACE, PACES
from telegram_bot.reply import Row
from telegram_bot.texts import Markup, say, say_plain

Settings = Mapping[str, Any]
CHAT = 0  # the "game" of a button that belongs to none

QUIET = ("", "21:00 07:00", "22:00 07:00", "22:00 08:00", "23:00 07:00", "23:00 08:00", "00:00 08:00", "01:00 09:00")
LANGUAGES = ("en",)  # a slot: texts of other languages go to seeds/texts
CITIES = 24  # zones on one page of the menu


@dataclass(frozen=True)
class Setting:
    """A setting: its *key* in the database and in seeds/texts, and its *choices*, the default first."""

    key: str
    choices: tuple[str, ...]

    @property
    def name(self) -> str:
        return say_plain(f"settings.{self.key}.name")

    @property
    def help(self) -> str:
        return say_plain(f"settings.{self.key}.help")

    def now(self, settings: Settings) -> str:
        """The choice in force: what was chosen if it is one, else the default."""
        chosen = settings.get(self.key)
        return chosen if chosen in self.choices else self.choices[0]

    def label(self, choice: str) -> str:
        """A choice in words."""
        if self.key == "pace":
            return say_plain(f"pace.{choice}")
        if self.key == "quiet" and choice:
            return choice.replace(" ", "\u2013")
        return say_plain(f"settings.{self.key}.{choice or 'none'}")


TABLE = (
    Setting("pace", (DEFAULT_PACE, *(word for word in PACES if word != DEFAULT_PACE))),
    Setting("quiet", QUIET),
    Setting("pin", ("yes", "no")),
    Setting("starts", ("opener", "anyone")),
    Setting("ends", ("opener", "administrators")),
    Setting("bots", ("yes", "no")),
    Setting("language", LANGUAGES),
)
PAGES = ("zone", "options")  # what has a page of its own instead of a few choices


def of(key: str) -> Setting:
    return next(setting for setting in TABLE if setting.key == key)


def value(settings: Settings | None, key: str) -> str:
    """What a group has chosen for *key*, or the default."""
    return of(key).now(settings or {})


def changed(settings: Settings, key: str, choice: str) -> dict[str, Any]:
    """The settings with one choice changed; a choice that is none changes nothing."""
    kept = dict(settings)
    if choice in of(key).choices:
        kept[key] = choice
        if key == "quiet":  # what hours.py reads
            kept["quiet_from"], _, kept["quiet_to"] = choice.partition(" ")
    return kept


def options_of(settings: Settings | None) -> dict[str, Any]:
    """The options of the game with which a new lobby of this group begins."""
    options = (settings or {}).get("options")
    return dict(options) if isinstance(options, dict) else {}


def zone_of(settings: Settings) -> str:
    zone = settings.get("zone")
    return zone if isinstance(zone, str) and zone in zones() else "UTC"


# --- zones: a region, then a page of its cities ---


@cache
def zones() -> frozenset[str]:
    return frozenset(available_timezones())


@cache
def regions() -> tuple[str, ...]:
    """The first words of zones that people live in, and UTC."""
    places = ("Africa", "America", "Antarctica", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific")
    return (*(place for place in places if cities(place)), "UTC")


@cache
def cities(region: str) -> tuple[str, ...]:
    return tuple(sorted(zone for zone in zones() if zone.startswith(f"{region}/")))


# --- the menu ---


def front(settings: Settings) -> tuple[str, list[Row]]:
    """The first page: every setting with its choice, and a button for each."""
    lines = [say("settings.title")]
    buttons = []
    for number, setting in enumerate(TABLE):
        chosen = setting.label(setting.now(settings))
        lines.append(say("settings.line", name=setting.name, choice=chosen))
        buttons.append(_button(setting.name, "open", number))
    lines.append(say("settings.line", name=say_plain("settings.zone.name"), choice=zone_of(settings)))
    names = rulebook.changed_options(options_of(settings)) or [say_plain("settings.options.none")]
    lines.append(say("settings.line", name=say_plain("settings.options.name"), choice=", ".join(names)))
    buttons.append(_button(say_plain("settings.zone.name"), "zone"))
    buttons.append(_button(say_plain("settings.options.name"), "options"))
    return _page(lines, [*_pairs(buttons), [_button(say_plain("settings.done"), "done")]])


def choice_page(settings: Settings, number: int) -> tuple[str, list[Row]]:
    """One setting: what it does, and its choices."""
    setting = TABLE[number]
    lines = [say("settings.one", name=setting.name, help=setting.help)]
    now = setting.now(settings)
    buttons = []
    for at, choice in enumerate(setting.choices):
        key = "lobby.button_on" if choice == now else "lobby.button_off"
        buttons.append(_button(say_plain(key, name=setting.label(choice)), "choose", number * 100 + at))
    return _page(lines, [*_pairs(buttons), [_back("front")]])


def zone_page(settings: Settings) -> tuple[str, list[Row]]:
    lines = [say("settings.one", name=say_plain("settings.zone.name"), help=say_plain("settings.zone.help"))]
    lines.append(say("settings.zone.now", zone=zone_of(settings)))
    buttons = [_button(region, "region", number * 100) for number, region in enumerate(regions())]
    return _page(lines, [*_pairs(buttons), [_back("front")]])


def region_page(number: int) -> tuple[str, list[Row]]:
    """A page of the cities of a region; *number* is the region times 100 and the page."""
    region, at = regions()[number // 100], number % 100
    found = cities(region)
    shown = found[at * CITIES : (at + 1) * CITIES]
    everywhere = sorted(zones())
    buttons = [_button(zone.partition("/")[2].replace("_", " "), "set_zone", everywhere.index(zone)) for zone in shown]
    turn = []
    if at:
        turn.append(_button("\u2039", "region", number - 1))
    if (at + 1) * CITIES < len(found):
        turn.append(_button("\u203a", "region", number + 1))
    return _page(
        [say("settings.zone.region", region=region)], [*_pairs(buttons, 3), *([turn] if turn else []), [_back("zone")]]
    )


def options_page(settings: Settings) -> tuple[str, list[Row]]:
    """The options with which a new lobby begins."""
    options = options_of(settings)
    name, text = say_plain("settings.options.name"), say_plain("settings.options.help")
    lines = [say("settings.one", name=name, help=text)]
    buttons = []
    for number, option in enumerate(rulebook.OPTIONS):
        on = option.is_on(options)
        lines.append(say("lobby.option", name=option.name, text=option.short))
        key = "lobby.button_on" if on else "lobby.button_off"
        buttons.append(_button(say_plain(key, name=option.name), "option", 2 * number + (not on)))
    return _page(lines, [*_pairs(buttons), [_back("front")]])


def _page(lines: list[Markup], rows: list[Row]) -> tuple[str, list[Row]]:
    return "\n".join(lines), rows


def _button(text: str, what: str, number: int = 0) -> tuple[str, dict[str, str]]:
    return text, {"callback_data": str(Pressed("settings", CHAT, what, 0, number))}


def _back(what: str) -> tuple[str, dict[str, str]]:
    return _button(say_plain("lobby.button_back"), what)


def _pairs(buttons: list[tuple[str, dict[str, str]]], width: int = 2) -> list[Row]:
    return [buttons[at : at + width] for at in range(0, len(buttons), width)]


# --- a tap ---


#: Taps that may set other quiet hours.
HOURS = ("choose", "region", "set_zone")


def tap(settings: Settings, pressed: Pressed) -> tuple[dict[str, Any], tuple[str, list[Row]] | None]:
    """What a tap makes of the settings, and the page to show; None closes the menu. Numbers that fit nothing change
    nothing, and the same tap twice is the same as once."""
    number = pressed.number
    kept = dict(settings)
    match pressed.what:
        case "open" if number < len(TABLE):
            return kept, choice_page(kept, number)
        case "choose" if number // 100 < len(TABLE) and number % 100 < len(TABLE[number // 100].choices):
            setting = TABLE[number // 100]
            kept = changed(kept, setting.key, setting.choices[number % 100])
        case "zone":
            return kept, zone_page(kept)
        case "region" if number // 100 < len(regions()):
            if regions()[number // 100] == "UTC":
                kept["zone"] = "UTC"
            elif number % 100 * CITIES < len(cities(regions()[number // 100])):
                return kept, region_page(number)
        case "set_zone" if number < len(zones()):
            kept["zone"] = sorted(zones())[number]
        case "options":
            return kept, options_page(kept)
        case "option" if number < 2 * len(rulebook.OPTIONS):
            option = rulebook.OPTIONS[number // 2]
            options = options_of(kept)
            if option.is_on(options) != (number % 2 == 1):
                options = option.toggled(options)
            kept["options"] = options
            return kept, options_page(kept)
        case "done":
            return kept, None
    return kept, front(kept)


def told(title: str | None) -> str:
    """What stays of a closed menu."""
    return say("settings.closed", group=clean(title or ""))
