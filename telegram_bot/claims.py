"""What people say in public of themselves and of others: told in the line of the turn, held against the truth at the
end (telegram_bot/truth.py). A claim is words: nothing secret is looked at to make it or to tell it."""

from __future__ import annotations

import core
from db.records import GameRow, SeatRow
from db.store import Unit
from telegram_bot import show
from telegram_bot.happenings import Claimed, What
from telegram_bot.memo import Claim, memo_of, remembering
from telegram_bot.texts import say_plain

ROLES: tuple[What, ...] = ("human", "infected", "thing")


def why_not(game: GameRow, step: core.Step, row: SeatRow) -> str:
    """Why a player may say nothing now; "" if something."""
    if game.status not in ("playing", "paused"):
        return say_plain("alert.over")
    if row.seat not in step.table.seats:
        return say_plain("claims.dead")
    if any(claim.turn == game.turn and claim.seat == row.seat for claim in memo_of(game).claims):
        return say_plain("claims.once")
    return ""


def make(unit: Unit, step: core.Step, row: SeatRow, number: int) -> str:
    """A player says that somebody is something; returns a toast. *number*: of the seat in the roster, times three, and
    of the role."""
    game = unit.game
    assert game is not None
    if refused := why_not(game, step, row):
        return refused
    who, what = divmod(number, len(ROLES))
    if who >= len(game.roster) or game.roster[who].seat not in step.table.seats:
        return say_plain("toast.stale")
    said = Claimed(row.seat, game.roster[who].seat, ROLES[what])
    memo, claim = memo_of(game), Claim(game.turn, said.seat, said.about, said.what)
    unit.game = remembering(game, claims=(*memo.claims, claim), tale=show.with_claim(memo.tale, step, claim))
    unit.happened(said)
    show.tale(unit, step)
    return say_plain("claims.said")
