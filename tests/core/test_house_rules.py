"""The core is pure: what it imports, and who imports it."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HOUSE = Path(__file__).parent.parent.parent
ROOMS = {
    "core": {"core"},
    "db": {"core", "db"},
    "telegram_bot": {"core", "db", "telegram_bot", "seeds"},
}
DOORS = {"core", "core.events", "core.players", "core.scenario"}  # what core/__init__.py hands out, and what is in it
# No clock, no files, no network, no threads, no chance of its own.
IMPURE = {"asyncio", "time", "datetime", "os", "io", "pathlib", "socket", "threading", "subprocess", "secrets", "uuid"}
FILES = [file for room in ROOMS for file in sorted((HOUSE / room).rglob("*.py"))]
OF_THE_CORE = [file for file in FILES if file.is_relative_to(HOUSE / "core")]
CLAUSES = {*map(str, range(1, 67)), "21a"}  # of RULES.md


def imports(file: Path) -> Iterator[str]:
    """The modules that a file imports, by their full names."""
    package = ".".join(file.relative_to(HOUSE).parent.parts)
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            yield ".".join([*above, *([node.module] if node.module else [])])


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(HOUSE)))
def test_imports_point_down(file: Path) -> None:
    room = file.relative_to(HOUSE).parts[0]
    ours = {module for module in imports(file) if (HOUSE / module.split(".")[0]).is_dir()}
    assert {module.split(".")[0] for module in ours} <= ROOMS[room]
    if room != "core":
        assert {module for module in ours if module.split(".")[0] == "core"} <= DOORS


@pytest.mark.parametrize("file", OF_THE_CORE, ids=lambda file: file.name)
def test_the_core_is_pure(file: Path) -> None:
    others = {module.split(".")[0] for module in imports(file)} - {"core", "msgspec"}
    assert others <= sys.stdlib_module_names - IMPURE
    calls = {
        node.func.id
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert not calls & {"open", "print", "input", "hash", "id", "exec", "eval"}


def test_every_clause_is_cited_where_it_is_done() -> None:
    cited: set[str] = set()
    for file in OF_THE_CORE:
        for first, letter, last in re.findall(r"\bR(\d+)(a?)(?: to R(\d+))?", file.read_text(encoding="utf-8")):
            cited |= {first + letter} if not last else set(map(str, range(int(first), int(last) + 1)))
    assert cited == CLAUSES
