"""`stay-away export GAME`: one stored game as a scenario, to look at what happened or to play it again."""

from __future__ import annotations

import asyncio

import core
from core import scenario
from db.store import Store
from telegram_bot.commands import plain_yaml
from telegram_bot.errors import Wrong
from telegram_bot.names import tell_apart


async def export(database_url: str, game_id: int) -> str:
    """The game of that number as the text of a scenario file. Raises Wrong: no such game, or not to be replayed."""
    async with Store(database_url, rules_v=core.RULES_VERSION, state_v=core.STATE_VERSION) as store:
        game = await store.game(game_id)
        answers = await store.answers(game_id)
    if game is None or game.turn_start is None:
        raise Wrong(f"there is no game {game_id} that has begun")
    table = core.thaw(game.turn_start)
    first = core.deal([row.seat for row in game.roster], table.options, table.seed)
    called = dict(zip((row.seat for row in game.roster), tell_apart([row.name for row in game.roster]), strict=True))
    try:
        data = scenario.record(first, [(one.seat, one.choice) for one in answers], f"Game {game_id}", called)
    except core.NotLegal:
        raise Wrong(f"game {game_id} was played by other rules than these: it cannot be replayed") from None
    return plain_yaml.dump(data)


def run(database_url: str, game_id: int) -> None:
    print(asyncio.run(export(database_url, game_id)), end="")
