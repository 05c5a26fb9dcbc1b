"""No log line, error text or log of Postgres names a card or a role, whatever goes wrong (issue 3, 3)."""

from __future__ import annotations

import asyncio
import contextlib
import io
import logging
import re
from collections.abc import Callable, Iterator
from random import Random

import psycopg
import pytest
from msgspec.structs import replace

import core
from db.local import LocalPostgres
from db.store import Unit
from db.url import conninfo
from telegram_bot import config, panel, show
from telegram_bot.callback import Pressed
from telegram_bot.commands import dead
from telegram_bot.memo import memo_of
from tests.core.test_two_worlds import turn_starts
from tests.worlds.twins import Evening, Twins
from tests.worlds.world import World

ROLES = re.compile(r"""['"](human|infected|thing)['"]|\bHuman\b|role=""")


class Told:
    """All that was written while games were played: our log as a process writes it, and Postgres' own."""

    def __init__(self, ours: io.StringIO, postgres: LocalPostgres) -> None:
        self.ours, self.log = ours, postgres.beside("log")
        self.begin = self.log.stat().st_size

    def everything(self) -> str:
        return self.ours.getvalue() + self.log.read_bytes()[self.begin :].decode(errors="replace")


def secrets_in(text: str) -> list[str]:
    return [card for card in core.CARDS if card in text] + [found[0] for found in ROLES.finditer(text)]


@pytest.fixture
def told(postgres: LocalPostgres, monkeypatch: pytest.MonkeyPatch) -> Iterator[Told]:
    """The log is set up as in a process, at its most talkative."""
    root, ours = logging.getLogger(), io.StringIO()
    handlers, level = root.handlers[:], root.level
    monkeypatch.setattr(logging, "raiseExceptions", True)
    monkeypatch.setattr("sys.stderr", ours)
    config.set_up_logging(config.read(environment("postgresql:///nowhere") | {"LOG_LEVEL": "debug"}))
    yield Told(ours, postgres)
    root.handlers[:] = handlers
    root.setLevel(level)


def environment(url: str, telegram: str = "http://127.0.0.1:1") -> dict[str, str]:
    return {"DATABASE_URL": url, "BOT_TOKEN": "1000:TEST", "TELEGRAM_API": telegram}


async def refused_press(evening: Evening, world: World, update_id: int) -> tuple[int, bytes]:
    """Whoever is asked answers, in one of the worlds."""
    step, game = await world.step(), await world.game()
    row = next(row for row in game.roster if row.seat in step.asks and row.person is not None)
    pressed = Pressed("panel", game.id, "choose", memo_of(game).asked[row.seat], 0)
    somebody = evening.people[row.seat]
    chat = {"id": evening.group, "type": "supergroup", "title": "The camp"}
    message = {"message_id": 0, "ephemeral_message_id": 1, "date": 1, "chat": chat}
    query = {"id": "7", "from": somebody, "chat_instance": "1", "data": str(pressed), "message": message}
    world.telegram.queries["7"] = somebody["id"]
    return await world.post({"update_id": update_id, "callback_query": query})


def fails_with(everything: Callable[[], object]) -> Callable[..., None]:
    def failing(*given: object, **more: object) -> None:
        raise LookupError(everything(), given, more)

    return failing


async def test_nothing_that_is_written_down_names_a_card_or_a_role_whatever_goes_wrong(
    twins: Twins, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = twins.worlds[0]
    dice = Random("logs")
    table = dice.choice(turn_starts("logs", 5, core.read_options({}, 5)))
    evening = Evening(twins, (table, table), dice, ())
    await evening.gather()
    for _ in range(20):
        await evening.somebody_answers()
    said: list[bytes] = []

    # What Telegram quotes of a message that it refuses.
    hand = "Bad Request: can't parse entities: Unsupported start tag \"The Thing\" in Axe, Infected!"
    world.telegram.refusals = [hand, hand]
    await evening.write(evening.people["s1"], "/status")
    await evening.forward(30)

    # A row that the database refuses: its DETAIL would repeat the table.
    with monkeypatch.context() as patched:
        patched.setattr(show, "went_on", lambda unit, *more, **how: spoil(unit))
        said += [(await refused_press(evening, world, 900_001))[1] for _ in range(3)]

    # A mistake of ours whose words hold the whole table, the view, the question.
    with monkeypatch.context() as patched:
        step = await world.step()
        patched.setattr(panel, "front", fails_with(lambda: (step, step.table, step.asks, step.game)))
        said += [(await refused_press(evening, world, 900_002))[1] for _ in range(3)]
        # The same in the clock, and then with the updates that were put aside.
        while "the clock of game" not in told.everything():
            await world.forward(world.next_ring() - world.at)
        with contextlib.redirect_stdout(told.ours):
            await dead.listed(world.url)
            await dead.run(config.read(environment(world.url, world.telegram.address)), "all")

    # A statement that is cancelled while it waits for the game.
    with psycopg.connect(conninfo(world.url)) as busy:
        busy.execute("select 1 from games where id = %s for update", [world.game_id])
        press = asyncio.create_task(refused_press(evening, world, 900_003))
        cancelled = False
        while not cancelled:
            await asyncio.sleep(0.01)
            cancelled = bool(world.hours.execute(CANCEL).fetchall())
        said.append((await press)[1])

    said += [await world.get(path) for path in ("/", "/healthz", "/readyz", "/telegram", f"/games/{world.game_id}")]
    failures = await world.store.failures(all=True)
    assert [one.update_id for one in failures if one.put_aside] == [900_001, 900_002]
    for one in failures:
        await world.store.retried(one.update_id)
    screens = world.hours.execute("select result, refused from screens").fetchall()
    lines = told.everything()
    for happened in ("LookupError", "failed again", "2 put aside", "violates check constraint", "canceling statement"):
        assert happened in lines, happened
    for text in (lines, str(said), str([one.error for one in failures]), str(screens)):
        assert not secrets_in(text), secrets_in(text)


CANCEL = """
select pg_cancel_backend(pid) from pg_stat_activity
where datname = current_database() and wait_event_type = 'Lock' and pid <> pg_backend_pid()
"""


def spoil(unit: Unit) -> None:
    assert unit.game is not None
    unit.game = replace(unit.game, status="banana")  # type: ignore[arg-type]
