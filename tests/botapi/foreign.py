"""What the playground says, read by clients we did not write: aiogram, which must know every field, and PTB."""

from __future__ import annotations

from typing import Any

import aiogram.methods
import telegram
from aiogram import Bot as AiogramBot
from aiogram.types import Update
from pydantic import BaseModel, TypeAdapter, ValidationError

_aiogram_bot = AiogramBot("1000:TEST")
_adapters: dict[str, TypeAdapter[Any]] = {}


def unknown_fields(value: Any, where: str = "") -> list[str]:
    """The fields of a parsed object that the client does not know, at any depth."""
    if isinstance(value, BaseModel):
        found = [f"{where}.{name}: unknown in {type(value).__name__}" for name in (value.model_extra or {})]
        for name in value.__class__.model_fields:
            found += unknown_fields(getattr(value, name, None), f"{where}.{name}")
        return found
    if isinstance(value, (list, tuple)):
        return [f for i, item in enumerate(value) for f in unknown_fields(item, f"{where}[{i}]")]
    return []


def check_update(update: dict[str, Any]) -> list[str]:
    """What is wrong with an update, for aiogram and for python-telegram-bot."""
    problems = _check(TypeAdapter(Update), update, "update")
    try:
        parsed = telegram.Update.de_json(update, None)
        if parsed is None or all(getattr(parsed, kind, None) is None for kind in telegram.Update.ALL_TYPES):
            problems.append("update: python-telegram-bot finds nothing in it")
    except Exception as problem:  # whatever a client throws at an update is our fault
        problems.append(f"update: python-telegram-bot: {type(problem).__name__}: {problem}")
    return problems


def check_result(method: str, result: Any) -> list[str]:
    """What is wrong with the result of a method, for aiogram."""
    if method not in _adapters:
        model = getattr(aiogram.methods, method[0].upper() + method[1:])
        _adapters[method] = TypeAdapter(model.__returning__)
    return _check(_adapters[method], result, method)


def _check(adapter: TypeAdapter[Any], value: Any, where: str) -> list[str]:
    try:
        parsed = adapter.validate_python(value, context={"bot": _aiogram_bot})
    except ValidationError as problem:
        return [f"{where}: {e['loc']}: {e['msg']}" for e in problem.errors()[:5]]
    return unknown_fields(parsed, where)


def check_playground(playground: Any) -> list[str]:
    """What is wrong with anything a playground said so far, and with any call it got."""
    problems = [f"{v['method']}: {p}" for v in playground.record.violations for p in v["problems"]]
    for call in playground.calls:
        if call["ok"] and call["method"] != "getUpdates":
            problems += check_result(call["method"], call["result"])
    for update in playground.world.updates:
        if update.kind in telegram.Update.ALL_TYPES and not update.key.startswith("injected"):
            problems += check_update(update.body())
    return problems
