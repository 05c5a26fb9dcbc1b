"""Calls against the vendored Bot API 10.3 schema: ``check_call("sendMessage", {...})`` lists what is wrong."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from playground.schema import Schema

PATH = Path(__file__).parent / "botapi-schema-10.3.json"


@cache
def schema() -> Schema:
    """The schema, read once."""
    return Schema.read(PATH)


def check_call(method: str, params: dict[str, Any], form: bool = False) -> list[str]:
    """What is wrong with a call; *form* where it came as a form, in which numbers are text."""
    return schema().check_call(method, params, form)


def check_record(calls: list[dict[str, Any]]) -> list[str]:
    """What is wrong with the calls of a playground's record."""
    return [
        f"{c['method']}: {problem}"
        for c in calls
        for problem in check_call(c["method"], c["params"], c["encoding"] in ("form", "multipart", "query"))
    ]
