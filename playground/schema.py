"""Whether a call fits the Bot API's machine-readable schema: unknown, missing and misspelt parameters, at any depth."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

# "Exactly one of the fields other than ..." is prose in the schema.
_ONE_ACTION = {"InlineKeyboardButton": ("text", "icon_custom_emoji_id", "style")}


class Schema:
    """The methods and types of one Bot API version, as aiogram's source distribution holds them."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.version = data["api"]["version"]
        self.entities = {e["name"]: e for section in data["items"] for e in section["children"]}
        self.methods = {n.lower(): e for n, e in self.entities.items() if e.get("category") == "methods"}
        self.types = {n: e for n, e in self.entities.items() if e.get("category") == "types"}
        self.unions = {
            n: [v for v in re.findall(r"^ *- *(\w+)", e["description"], re.MULTILINE) if v in self.types]
            for n, e in self.types.items()
            if not e.get("annotations")
        }

    @classmethod
    def read(cls, path: str | Path) -> Schema:
        """The schema of a file."""
        return cls(json.loads(Path(path).read_text("utf-8")))

    def check_call(self, method: str, params: dict[str, Any], form: bool = False) -> list[str]:
        """What is wrong with a call, in sentences; nothing is a call that fits.

        *form*: the parameters came as a form or in an address, where numbers are text and objects are JSON text.
        """
        entity = self.methods.get(method.lower())
        if entity is None:
            return [f"there is no method {method}"]
        known = {a["name"]: a for a in entity.get("annotations", ())}
        problems = [
            f"{entity['name']} has no parameter {name}"
            for name in params
            if name not in known and not _attached(name, params)
        ]
        problems += [
            f"{entity['name']} needs {name}" for name, a in known.items() if a["required"] and params.get(name) is None
        ]
        for name, value in params.items():
            if name in known and value is not None:
                problems += self._check(value, known[name]["type"], name, form)
        return problems

    def _check(self, value: Any, kind: str, where: str, form: bool) -> list[str]:
        """What is wrong with a value; *form* only ever concerns the top level."""
        kinds = re.split(r" or |, | and ", kind) if not kind.startswith("Array of ") else [kind]
        if form and isinstance(value, str):
            if "String" in kinds or "InputFile" in kinds:
                return []
            if kinds == ["Boolean"] or kinds == ["True"]:
                return (
                    []
                    if value.lower() in ("true", "false", "1", "0", "yes", "no")
                    else [f"{where}: {value!r} is no Boolean"]
                )
            if "Integer" in kinds:
                return [] if re.fullmatch(r"-?\d+", value) else [f"{where}: {value!r} is no Integer"]
            if "Float" in kinds:
                return [] if re.fullmatch(r"-?\d+(\.\d+)?", value) else [f"{where}: {value!r} is no Float"]
            if value == "":
                return []
        if isinstance(value, str) and not {
            "String",
            "Integer",
            "Float",
            "Boolean",
            "True",
            "InputFile",
            "RichText",
        } & set(kinds):
            try:
                value = json.loads(value)  # objects may be JSON-serialized in every encoding
            except ValueError:
                return [f"{where}: no JSON: {value[:60]!r}"]
        return self._check_one_of(value, kinds, where)

    def _check_one_of(self, value: Any, kinds: list[str], where: str) -> list[str]:
        best: list[str] | None = None
        for kind in kinds:
            problems = self._check_kind(value, kind, where)
            if not problems:
                return []
            if best is None or len(problems) < len(best):
                best = problems
        return best or []

    def _check_kind(self, value: Any, kind: str, where: str) -> list[str]:
        if kind.startswith("Array of "):
            if not isinstance(value, list):
                return [f"{where}: not an Array"]
            inner = kind.removeprefix("Array of ")
            kinds = [inner] if inner.startswith("Array of ") else re.split(r" or |, | and ", inner)
            return [p for i, item in enumerate(value) for p in self._check_one_of(item, kinds, f"{where}[{i}]")]
        if kind == "String":
            return [] if isinstance(value, str) else [f"{where}: {value!r} is no String"]
        if kind == "Integer":
            return (
                [] if isinstance(value, int) and not isinstance(value, bool) else [f"{where}: {value!r} is no Integer"]
            )
        if kind == "Float":
            return (
                []
                if isinstance(value, (int, float)) and not isinstance(value, bool)
                else [f"{where}: {value!r} is no Float"]
            )
        if kind == "Boolean":
            return [] if isinstance(value, bool) else [f"{where}: {value!r} is no Boolean"]
        if kind == "True":
            return [] if value is True else [f"{where}: {value!r} is not True"]
        if kind == "InputFile":
            return [] if not isinstance(value, (bool, int, float, list)) else [f"{where}: no file"]
        if kind == "RichText":
            return []  # text, a list, or an object of many shapes
        if self.unions.get(kind):
            return self._check_union(value, kind, where)
        entity = self.types.get(kind)
        if entity is None:
            return [f"{where}: the schema has no type {kind}"]
        if not isinstance(value, dict):
            return [f"{where}: {value!r} is no {kind}"]
        known = {a["name"]: a for a in entity.get("annotations", ())}
        problems = [f"{where}: {kind} has no field {name}" for name in value if name not in known]
        problems += [
            f"{where}: {kind} needs {name}" for name, a in known.items() if a["required"] and value.get(name) is None
        ]
        if kind in _ONE_ACTION:
            actions = [name for name in value if name in known and name not in _ONE_ACTION[kind]]
            if len(actions) != 1:
                problems.append(f"{where}: {kind} needs exactly one action, not {len(actions)}")
        for name, item in value.items():
            if name in known and item is not None:
                inner = known[name]["type"]
                kinds = [inner] if inner.startswith("Array of ") else re.split(r" or |, | and ", inner)
                problems += self._check_one_of(item, kinds, f"{where}.{name}")
                problems += _constant(item, known[name]["description"], f"{where}.{name}")
        return problems

    def _check_union(self, value: Any, kind: str, where: str) -> list[str]:
        members = self.unions[kind]
        if isinstance(value, dict):
            tagged = [
                m
                for m in members
                if any(
                    _constant(value.get(a["name"]), a["description"], "") == [] and _says(a["description"])
                    for a in self.types[m].get("annotations", ())
                )
            ]
            if len(tagged) == 1:
                return self._check_kind(value, tagged[0], where)
        return self._check_one_of(value, members, where)


def _says(description: str) -> str:
    """The one value that a discriminating field may have, from its prose."""
    found = re.search(r"(?:must be|always) [\"'“*]?(\w+)[\"'”*]?\.?\s*$", description.split("\n")[0])
    return found[1] if found and found[1] not in ("positive", "True", "False", "private", "unique") else ""


def _constant(value: Any, description: str, where: str) -> list[str]:
    must = _says(description)
    return [f"{where}: {value!r} must be {must}"] if must and str(value) != must else []


def _attached(name: str, params: dict[str, Any]) -> bool:
    """Whether a part is a file that another parameter names."""
    return any(isinstance(v, str) and f"attach://{name}" in v for v in params.values())
