"""What was said in public, held against what was so: a few lines at the end of a game."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core import Seat, Table
from db.records import GameRow
from telegram_bot.memo import Claim, memo_of
from telegram_bot.names import html
from telegram_bot.texts import Markup, say


def of(game: GameRow, table: Table, names: Mapping[Seat, str]) -> Iterator[Markup]:
    """Who told the truth, and who did not, in two lines at most."""
    told: dict[Seat, list[bool]] = {}
    for claim in memo_of(game).claims:
        told.setdefault(claim.seat, []).append(is_true(claim, table))
    honest, others = [], []
    for seat, said in told.items():
        name, wrong = Markup(html(names[seat])), said.count(False)
        if wrong:
            others.append(say("claims.of", name=name, n=wrong, all=len(said)))
        else:
            honest.append(say("claims.times", name=name, n=len(said)))
    if honest:
        yield say("claims.honest", names=honest)
    if others:
        yield say("claims.others", names=others)


def is_true(claim: Claim, table: Table) -> bool:
    """Whether it was so when it was said; in the very turn of an infection both may be said."""
    infected = next((one.turn for one in table.infections if one.seat == claim.about), None)
    if infected is None or claim.turn > infected:
        return claim.what == table.roles[claim.about]
    return claim.what == "human" or claim.turn == infected and claim.what == "infected"
