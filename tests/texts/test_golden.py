"""A story to read: when a wording changes, the difference shows what players would notice.

    python -m tests.texts.test_golden    writes it anew
"""

from __future__ import annotations

from pathlib import Path

from telegram_bot import narrator
from tests.texts.evening import as_read
from tests.texts.happened import EVENING, NAMES

GOLDEN = Path(__file__).with_name("evening.txt")


def told() -> str:
    return "\n\n".join(as_read(narrator.tell_turn(happened, NAMES, "golden")) for happened in EVENING) + "\n"


def test_the_evening_reads_as_it_did():
    assert told() == GOLDEN.read_text(encoding="utf-8")


if __name__ == "__main__":
    GOLDEN.write_text(told(), encoding="utf-8")
