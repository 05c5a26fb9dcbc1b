"""The world in a file, so that a game can go on after the playground was stopped."""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import json
import os
import tempfile
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playground.things import Bot, Callback, Chat, Member, Message, Ring, Settings, Topic, Update, User, Webhook
from playground.world import World

FORMAT = 1


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple, deque)):
        return [_plain(v) for v in value]
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode()}
    return value


def snapshot(world: World) -> dict[str, Any]:
    """The world as it is now, in plain data."""
    return {
        "format": FORMAT,
        "base": world.base,
        "offset": world.offset,
        "seq": world.seq,
        "last_ids": world.last_ids,
        "settings": _plain(world.settings),
        "users": [_plain(u) for u in world.users.values()],
        "chats": [_plain(c) for c in world.chats.values() if not c.is_private]
        + [_plain(c) for c in world.private.values()],
        "bots": [_plain(b) for b in world.bots.values()],
        "callbacks": [_plain(c) for c in list(world.callbacks.values())[-500:]],
        "alerts": _plain(list(world.alerts)[-200:]),
        "files": _plain(world.files),
    }


def write(path: Path, data: dict[str, Any]) -> None:
    """Write a snapshot, all or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".new")
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            json.dump(data, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def _numbered(made: dict[str, Any]) -> dict[int, Any]:
    return {int(k): v for k, v in made.items()}


def _message(data: dict[str, Any]) -> Message:
    data["rings"] = [Ring(**r) for r in data["rings"]]
    data["reactions"] = _numbered(data["reactions"])
    return Message(**data)


def _chat(data: dict[str, Any]) -> Chat:
    data["members"] = {int(k): Member(**m) for k, m in data["members"].items()}
    data["topics"] = {int(k): Topic(**t) for k, t in data["topics"].items()}
    data["messages"] = {int(k): _message(m) for k, m in data["messages"].items()}
    data["ephemeral"] = {int(k): _message(m) for k, m in data["ephemeral"].items()}
    return Chat(**data)


def _bot(data: dict[str, Any]) -> Bot:
    data["webhook"] = Webhook(**data["webhook"])
    data["pending"] = {int(k): Update(**{**u, "state": "waiting"}) for k, u in data["pending"].items()}
    return Bot(**data)


def load(path: Path, clock: Callable[[], float]) -> World | None:
    """The world of a file; None if there is none yet. A file that cannot be read is put aside, not overwritten."""
    try:
        data = json.loads(path.read_text("ascii"))
        if data.get("format") != FORMAT:
            raise ValueError(f"format {data.get('format')}")
        world = World(data["base"], clock)
        world.offset, world.seq = data["offset"], data["seq"]
        world.last_ids.update(data["last_ids"])
        world.settings = Settings(**data["settings"])
        world.users = {u["id"]: User(**u) for u in data["users"]}
        for item in data["chats"]:
            chat = _chat(item)
            world.chats.setdefault(chat.id, chat)
            if chat.is_private:
                world.private[chat.bot_id, chat.user_id] = chat
        world.bots = {b["id"]: _bot(b) for b in data["bots"]}
        world.callbacks = {c["id"]: Callback(**c) for c in data["callbacks"]}
        world.alerts.extend(data["alerts"])
        world.files = {k: {**f, "data": base64.b64decode(f["data"]["base64"])} for k, f in data["files"].items()}
        for bot in world.bots.values():
            for number in bot.pending:
                while next(world._numbers) < number:
                    pass
        return world
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as problem:
        aside = path.with_suffix(path.suffix + ".unreadable")
        os.replace(path, aside)
        print(f"playground: {path} could not be read ({problem}); it is now {aside.name}, and a new world begins.")
        return None
