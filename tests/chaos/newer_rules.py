"""The bot of tomorrow's deploy: cards are drawn from the bottom of the deck. python -m tests.chaos.newer_rules web"""

from __future__ import annotations

import sys

import core
import core.game
from core import Card, Table
from telegram_bot.__main__ import main


def take_bottom(table: Table) -> Card | None:
    if not table.deck and table.pile:
        table.renew_deck()
    return table.deck.pop(0) if table.deck else None


if __name__ == "__main__":
    core.RULES_VERSION = core.game.RULES_VERSION = 2
    Table.take_top = take_bottom  # type: ignore[method-assign]
    sys.exit(main())
