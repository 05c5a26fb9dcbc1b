"""docs/failures.md: every row of the founders' tables is there, and every test that it names exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# The tables of docs/failures.md in order, and how many rows each of the founders' has.
ROWS = {
    "failures.md, 1": 25,
    "failures.md, 5": 100,
    "telegram.md, 2": 21,
    "telegram.md, 3": 16,
    "3.4": 71,
    "telegram.md, 4": 3,
    "4.4": 25,
}


def tables() -> dict[str, list[tuple[range, str]]]:
    """The rows of each table, by the beginning of its heading: which they are, and what is said of them."""
    found: dict[str, list[tuple[range, str]]] = {}
    for line in (ROOT / "docs" / "failures.md").read_text().splitlines():
        if line.startswith("##"):
            heading = line.lstrip("# ")
            found[next(name for name in ROWS if heading.startswith(name))] = rows = []
        elif row := re.match(r"\| (\d+)(?:–(\d+))? \| (.*) \|$", line):
            rows.append((range(int(row[1]), int(row[2] or row[1]) + 1), row[3]))
    return found


@pytest.mark.parametrize("table", ROWS)
def test_every_row_is_handled_once(table: str) -> None:
    numbers = [number for rows, _ in tables()[table] for number in rows]
    assert numbers == list(range(1, ROWS[table] + 1))


def test_a_row_names_a_test_or_says_why_not() -> None:
    for table, rows in tables().items():
        for numbers, said in rows:
            assert "test_" in said or said.startswith("— "), f"{table}, {numbers}: {said}"


def test_every_test_that_is_named_exists() -> None:
    written = "\n".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))
    there = set(re.findall(r"^(?:async )?def (test_\w+)\(", written, re.MULTILINE))
    named = {name for rows in tables().values() for _, said in rows for name in re.findall(r"\btest_\w+", said)}
    assert not named - there
