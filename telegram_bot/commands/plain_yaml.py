"""YAML as the scenarios mean it: only true and false are booleans, only digits are numbers, everything else is text.

PyYAML's own loader reads `No` as false, `1.5` and `010` as numbers and `2001-01-01` as a date, keeps the last of two
equal keys, and lets a few lines of aliases grow without bounds. So the tree is built here, from the parser's events.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TypeAlias

import yaml

PARSER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]{0,17})")
TEXT_TAGS = ("!", "tag:yaml.org,2002:str")
BRANCH_TAGS = (None, "!", "tag:yaml.org,2002:seq", "tag:yaml.org,2002:map")
DEEPEST = 50
LARGEST = 3_000_000  # values, with every alias written out; the record of a game of 12 has some thousands

Sized: TypeAlias = tuple[Any, int]  # a value, and how many values it holds when aliases are written out


class Numeral(int):
    """A number that remembers how it was written: where a name belongs, it is that text."""

    written: str

    def __str__(self) -> str:
        return self.written


def load(text: str | bytes) -> Any:
    """The one document in *text*. Raises yaml.YAMLError: no YAML, several documents, a key twice, or too much."""
    return _Tree(yaml.parse(text, Loader=PARSER)).read()


class _Tree:
    def __init__(self, events: Iterator[Any]) -> None:
        self.events = events
        self.anchors: dict[str, Sized] = {}

    def read(self) -> Any:
        next(self.events)  # the stream begins
        if not isinstance(next(self.events), yaml.DocumentStartEvent):
            raise yaml.YAMLError("the file is empty")
        value, _ = self.value(next(self.events), 0)
        next(self.events)  # the document ends
        if not isinstance(next(self.events), yaml.StreamEndEvent):
            raise yaml.YAMLError("the file holds more than one document")
        return value

    def value(self, event: Any, depth: int) -> Sized:
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self.anchors:
                raise yaml.YAMLError(f"*{event.anchor} stands for nothing")
            return self.anchors[event.anchor]
        if depth > DEEPEST:
            raise yaml.YAMLError("the file is nested too deep")
        if isinstance(event, yaml.ScalarEvent):
            sized: Sized = (scalar(event), 1)
        else:
            if event.tag not in BRANCH_TAGS:
                raise yaml.YAMLError(f"there is no tag {event.tag}")
            sized = self.items(depth) if isinstance(event, yaml.SequenceStartEvent) else self.pairs(depth)
        if sized[1] > LARGEST:
            raise yaml.YAMLError("the file is too large")
        if event.anchor is not None:
            self.anchors[event.anchor] = sized
        return sized

    def items(self, depth: int) -> Sized:
        items, size = [], 1
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            item, more = self.value(event, depth + 1)
            items.append(item)
            size += more
        return items, size

    def pairs(self, depth: int) -> Sized:
        """A mapping; its keys are names and words, so they are text however they look."""
        pairs: dict[str, Any] = {}
        size = 1
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            if not isinstance(event, yaml.ScalarEvent):
                raise yaml.YAMLError("a key is a name or a word")
            if event.value in pairs:
                raise yaml.YAMLError(f"the key {event.value!r} stands there twice")
            pairs[event.value], more = self.value(next(self.events), depth + 1)
            size += more
        return pairs, size


def scalar(event: Any) -> Any:
    """A plain `true`, `false`, number or nothing; everything else is the text as it stands."""
    if not event.implicit[0]:
        if event.tag is not None and event.tag not in TEXT_TAGS:
            raise yaml.YAMLError(f"there is no tag {event.tag}")
        return event.value
    match event.value:
        case "true":
            return True
        case "false":
            return False
        case "":
            return None
    if not INTEGER.fullmatch(event.value):
        return event.value
    number = Numeral(event.value)
    number.written = event.value
    return number


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


_Dumper.add_representer(Numeral, yaml.SafeDumper.represent_int)


def dump(data: Any) -> str:
    """*data* as text that any reader of YAML takes for the same: names like `No` are quoted."""
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, default_flow_style=None, allow_unicode=True, width=1000)
