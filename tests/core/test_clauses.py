"""Clauses of RULES.md that the founders' scenarios leave to us, in the same form: clauses.yaml, a document each."""

from pathlib import Path

import pytest

from core import scenario
from telegram_bot.commands import plain_yaml

DOCUMENTS = (Path(__file__).parent / "clauses.yaml").read_text(encoding="utf-8").split("\n---\n")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda text: text.partition("\n")[0].removeprefix("title: "))
def test_the_clause_holds(document: str) -> None:
    data = plain_yaml.load(document)
    for seed in range(3):
        scenario.play(data, seed=str(seed))
