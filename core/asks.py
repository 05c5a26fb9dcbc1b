"""How a rule puts a question to a seat, or to several at once. Every ask carries its legal choices."""

from __future__ import annotations

from collections.abc import Coroutine, Generator, Sequence
from typing import Any, TypeAlias

import msgspec

Seat: TypeAlias = str
Card: TypeAlias = str
Choice: TypeAlias = tuple[str, ...]
Answers: TypeAlias = dict[Seat, Choice]
Rule: TypeAlias = Coroutine[Any, Answers, None]

# What a question is about.
STEP_TWO = "step two"  # play or discard (R17)
KEEP = "keep"  # one of the three of Resolute (R30)
OFFER = "offer"  # the card to offer (R18)
ANSWER = "answer"  # a card in return, or a defence (R18)
DEFEND = "defend"  # a defence against a card, or none
TARGET = "target"  # whom a PANIC! card concerns
FORGET = "forget"  # three cards to discard (R47)
SWAP = "swap"  # the card to leave on the deck (R50)
SHOW = "show"  # what to show in Revelations (R51)
PASS_ON = "pass on"  # the card for the next player, all at once (R48)

PASS: Choice = ("pass",)
DECLARE: Choice = ("declare",)


class Ask(msgspec.Struct, frozen=True):
    """A question to one *seat*, answered by one of its *choices*.

    *about* is one of the words above; *card* is the card it turns on (played on the seat, or being resolved), *of* the
    other seat (who is offered to, who offers, who attacks).
    """

    seat: Seat
    about: str
    choices: tuple[Choice, ...]
    card: Card | None = None
    of: Seat | None = None

    def __await__(self) -> Generator[tuple[Ask, ...], Answers, Choice]:
        return (yield (self,))[self.seat]


class AskAll:
    """Questions to several seats at once; nobody learns an answer before all are in (R48)."""

    def __init__(self, asks: Sequence[Ask]) -> None:
        self.asks = tuple(asks)

    def __await__(self) -> Generator[tuple[Ask, ...], Answers, Answers]:
        return (yield self.asks)
