"""The record: every call a bot made and every delivery it got, in order."""

from __future__ import annotations

from collections import deque
from typing import Any

from playground.methods import File


class Record:
    """What went over the wire, numbered; the oldest entries are forgotten after *size*."""

    def __init__(self, size: int = 50_000) -> None:
        self.entries: deque[dict[str, Any]] = deque(maxlen=size)
        self.count = 0
        self.violations: list[dict[str, Any]] = []

    def add(self, what: str, **entry: Any) -> dict[str, Any]:
        """Note a call or a delivery."""
        self.count += 1
        entry = {"n": self.count, "what": what, **entry}
        self.entries.append(entry)
        return entry

    @property
    def calls(self) -> list[dict[str, Any]]:
        """The calls alone."""
        return [e for e in self.entries if e["what"] == "call"]

    @property
    def deliveries(self) -> list[dict[str, Any]]:
        """The deliveries alone."""
        return [e for e in self.entries if e["what"] == "delivery"]

    def clear(self) -> None:
        """Forget everything but the count."""
        self.entries.clear()
        self.violations.clear()


def plain(params: dict[str, Any]) -> dict[str, Any]:
    """Parameters as they can be written down: a file by its name and size."""
    return {
        name: {"file": value.name, "size": len(value.data)} if isinstance(value, File) else value
        for name, value in params.items()
    }
