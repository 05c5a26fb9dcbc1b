"""`stay-away scenario FILE...`: plays scenarios on the rules and says which of them hold."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from core import scenario
from telegram_bot.commands import plain_yaml

HELD, FAILED, UNFIT = "PASS", "FAIL", "UNFIT"


def run(files: Sequence[str]) -> int:
    """One line a file, and how many passed. 0: all; 1: not all; 2: a file does not fit the form."""
    verdicts = [report(file) for file in files]
    print(f"{verdicts.count(HELD)} passed, {verdicts.count(FAILED)} failed")
    return 2 if UNFIT in verdicts else 1 if FAILED in verdicts else 0


def report(file: str) -> str:
    """Play one file and print its line."""
    title = ""
    try:
        data = read(file)
        title = data.get("title", "")
        scenario.play(data)
    except scenario.Unfit as why:
        return say(UNFIT, file, str(why))
    except scenario.Failed as why:
        return say(FAILED, file, f"{title}: {why}")
    return say(HELD, file, title)


def say(verdict: str, file: str, words: str) -> str:
    line = " ".join(f"{verdict} {file}: {words}".split())  # one line, whatever a title holds
    print(line.encode(sys.stdout.encoding or "utf-8", "backslashreplace").decode(sys.stdout.encoding or "utf-8"))
    return verdict


def read(file: str) -> dict[str, Any]:
    """The scenario in a file, as data. Raises scenario.Unfit where there is none."""
    try:
        data = plain_yaml.load(Path(file).read_bytes())
    except OSError as why:
        raise scenario.Unfit(why.strerror or "cannot be read") from None
    except ValueError as why:  # a NUL in the name
        raise scenario.Unfit(str(why)) from None
    except yaml.YAMLError as why:
        raise scenario.Unfit(f"no YAML as it is read here: {why}") from None
    if not isinstance(data, dict):
        raise scenario.Unfit("a scenario goes by keys")
    return data
