"""What must be true of anything shown: it parses, and fits Telegram's limits (field/telegram.md 1.1)."""

from __future__ import annotations

from datetime import UTC, datetime

from core import Choice, Seat, Step
from db.records import GameRow, SeatRow, Wanted
from playground.text import formatted, utf16
from telegram_bot import callback, panel
from telegram_bot.memo import remembering
from telegram_bot.names import tell_apart

NOW = datetime(2026, 3, 1, 18, 0, tzinfo=UTC)

HOSTILE = (
    "<b>Ann</b>",
    "Bob & <script>",
    "\u202eeve\u202c",
    "\u0645\u062d\u0645\u062f",
    "\u200b\u2060\u200c",
    "\U0001f9ea" * 60,
    "Ann",
    "A\u200bnn",
    "W" * 64,
    "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466" * 12,
    "Z\u0351\u0351\u0351\u0351a\u0351\u0351\u0351lgo" * 5,
    "&lt;&#8238;'\"",
)


def fits(wanted: Wanted) -> str:
    """The text of a screen as its reader sees it, which Telegram takes."""
    text, _ = formatted(wanted.text, "HTML")
    assert utf16(text) <= 4096
    rows = wanted.rows
    assert all(rows) and sum(map(len, rows)) <= 100 and all(len(row) <= 8 for row in rows)
    for one in (one for row in rows for one in row):
        assert one.text.strip() and len(one.text) <= 64, one.text
        assert (one.data is None) != (one.url is None)
        if one.data is not None:
            assert len(one.data.encode()) <= 64 and callback.read(one.data) is not None
    assert text.count("\u2068") == text.count("\u2069")
    assert not any(mark in text for mark in "\u202a\u202b\u202d\u202e\u2066\u2067\u200b\u200f")
    return text


def row_of(number: int, options: dict[str, object] | None = None) -> GameRow:
    """A game of so many people, all of hostile names."""
    roster = tuple(SeatRow(f"s{i}", name, 9000 + i) for i, name in enumerate(tell_apart(HOSTILE[:number]), 1))
    return GameRow(
        id=7,
        chat_id=-100,
        status="playing",
        opened_by=9001,
        pace="day",
        public_seed="seed",
        roster=roster,
        options=options or {},
    )


def after(game: GameRow, step: Step) -> GameRow:
    """The row once a step is saved: who is asked since which version."""
    asked = dict.fromkeys(step.asks, game.version)
    return remembering(game, asked=asked)


def offered(game: GameRow, step: Step, seat: Seat) -> list[Choice]:
    """The answers that can be reached from the hand of a seat by pressing its buttons."""
    at = panel.desk(game, "The camp", step, seat, NOW)
    choices: list[Choice] = []
    front = panel.front(at)
    fits(front)
    ask = at.view.ask
    assert ask is not None
    for pressed in pressable(front):
        if pressed.what == "choose":
            choices.append(ask.choices[pressed.number])
        elif pressed.what == "card":
            page = panel.card_page(at, panel.hand_cards(at.view)[pressed.number])
            fits(page)
            for further in pressable(page):
                if further.what == "confirm":
                    sure = panel.confirm_page(at, further.number)
                    fits(sure)
                    (further,) = [last for last in pressable(sure) if last.what == "choose"]
                if further.what == "choose":
                    choices.append(ask.choices[further.number])
        elif pressed.what == "declaration":
            page = panel.declaration_page(at)
            fits(page)
            assert [last.what for last in pressable(page)] == ["declare", "front"]
    return choices


def pressable(wanted: Wanted) -> list[callback.Pressed]:
    return [pressed for row in wanted.rows for one in row if one.data and (pressed := callback.read(one.data))]


def alert_fits(text: str) -> None:
    assert 0 < len(text) <= 200 and utf16(text) <= 200
