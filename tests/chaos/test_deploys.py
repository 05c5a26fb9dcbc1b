"""A deploy changes the rules under games in play, while older processes are still there."""

from __future__ import annotations

import signal

import psycopg

from bench.people import Crowd
from bench.processes import Processes
from db.url import conninfo
from tests.chaos.conftest import Housed, beside, time_goes_by, until

MENDED = "The rules were mended under this turn"


def the_game(house: Processes, what: str) -> object:
    with psycopg.connect(conninfo(house.database)) as connection:
        row = connection.execute(f"select {what} from games").fetchone()  # type: ignore[arg-type]
    return row and row[0]


async def test_a_changed_rule_begins_the_turn_again_and_older_processes_leave_the_game_alone(housed: Housed) -> None:
    async with housed(2) as house:
        crowd = Crowd(house.telegram, 1, 4, "deploy")
        async with beside(time_goes_by(house)), beside(crowd.play()) as playing:
            await until(lambda: the_game(house, "version") or 0)
            crowd.rest()  # a start takes a while, and the game shall not end meanwhile
            house.end(1, signal.SIGTERM)
            await house.ended(1)
            house.start(1, "tests.chaos.newer_rules", "web", "--host", "127.0.0.1")
            await house.up(1)
            crowd.go_on()
            await until(lambda: the_game(house, "rules_v") == 2)
            # The older process is still asked half of the time, and refuses; Telegram comes again, and finds the newer.
            version = the_game(house, "version")
            await until(lambda: playing.done() or the_game(house, "version") > version + 3)  # type: ignore[operator]
        told = [message["text"] for message in await house.telegram.messages(crowd.games[0].group)]
        assert sum(MENDED in text for text in told) == 1
        assert not house.complaints()
