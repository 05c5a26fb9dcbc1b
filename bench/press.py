"""What a press costs, and how much of them a process bears, beside a bare python-telegram-bot handler.

    python -m bench.press                 all figures, a few minutes
    python -m bench.press cpu             processor time a press, beside the bare handler
    python -m bench.press rate            presses a second, and how long until the edit is seen
    python -m bench.press stored          the same with 100, 10,000 and 100,000 games in the database
    python -m bench.press deadlines       how late 1,000 deadlines are that are due together
    python -m bench.press memory          what a process holds after many presses

A press goes the whole way: webhook, transaction, sender, and the call that edits the message, to a far end that answers
at once (far_end.py), with Telegram's limits lifted. The playground would be slower than the bot. Processor time is that
of the web process alone (user and system, as the kernel counts it). Machines and their neighbours differ from minute to
minute: what is compared runs in turn, in rounds, and the ratio is the figure.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import shutil
import statistics
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from random import Random

import psycopg

from bench.balancer import Wire
from bench.far_end import FarEnd, Rows
from bench.people import BACK, PAGES, PREPARES
from bench.processes import Program, postgres, temporary_folder
from db.local import LocalPostgres
from db.records import ByGame, ByPlace, Person
from db.store import Store
from telegram_bot import lobby, me

TOKEN, SECRET = "1000:TEST", "bench"
GROUP = -1_000_000_000_000


# -- the driver


@dataclass
class Seen:
    """Presses that were made: how many, and how long it took until something changed for the presser."""

    presses: int = 0
    calls: int = 0
    seconds: float = 0.0
    cpu: float = 0.0
    waits: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        return self.presses / self.seconds

    @property
    def milliseconds(self) -> float:
        """Of processor time, a press."""
        return 1000 * self.cpu / self.presses

    def wait(self, share: float) -> float:
        """Milliseconds in which this share of the presses was seen."""
        return 1000 * statistics.quantiles(self.waits, n=1000, method="inclusive")[round(share * 1000) - 1]


class Presser:
    """Presses what is there, in the private chats of *people*, against a web process that talks to *far*."""

    def __init__(self, far: FarEnd, web: Web, people: list[int], seed: int = 1) -> None:
        self.far, self.web, self.people = far, web, people
        self.dice = Random(seed)
        self.update = 1
        self.pressed: dict[int, float] = {}
        self.changed: asyncio.Queue[int] = asyncio.Queue()
        self.change = asyncio.Event()
        far.seen = self._seen
        self.seen = Seen()

    def _seen(self, chat: int, message: int, rows: Rows, at: float) -> None:
        if (began := self.pressed.pop(chat, None)) is not None:
            self.seen.waits.append(at - began)
        if chat > 0:
            self.changed.put_nowait(chat)
            self.change.set()

    def choose(self, person: int, answer: bool) -> tuple[int, str] | None:
        """A button of the newest panel: to answer with, or only to look at a page."""
        panel = max(((m, rows) for m, rows in self.far.panels.get(person, {}).items() if rows), default=None)
        if panel is None:
            return None
        there = [button for row in panel[1] for button in row if "callback_data" in button]
        if answer:
            choices = [b for b in there if b["text"] not in (*PAGES, BACK) and not b["text"].startswith(PREPARES)]
            if not choices:
                choices = [b for b in there if b["text"] == BACK]
        else:
            # To and fro between the hand and the table: an answer to the query and one edit, as the bare handler.
            choices = [b for b in there if b["text"] in (BACK, PAGES[0])] or there
        return (panel[0], str(self.dice.choice(choices)["callback_data"])) if choices else None

    async def press(self, person: int, message: int, data: str) -> None:
        self.update += 1
        user = {"id": person, "is_bot": False, "first_name": f"Person {person}", "language_code": "en"}
        chat = {"id": person, "type": "private", "first_name": user["first_name"]}
        update = {
            "update_id": self.update,
            "callback_query": {
                "id": str(self.update),
                "from": user,
                "chat_instance": "1",
                "data": data,
                "message": {
                    "message_id": message,
                    "date": 1767225600,
                    "chat": chat,
                    "from": ME_SHAPE,
                    "text": TEXT,
                    "reply_markup": {"inline_keyboard": self.far.panels[person].get(message, [])},
                },
            },
        }
        self.pressed[person] = time.perf_counter()
        await self.web.post(json.dumps(update).encode())

    async def run(self, presses: int, *, at_once: int = 8, answer: bool = False, rate: float = 0.0) -> Seen:
        """So many presses: *at_once* people who each wait for the edit, or *rate* a second whoever waits."""
        self.seen = Seen()
        cpu, calls, began = self.web.cpu(), self.far.calls, time.perf_counter()
        await (self._steadily(presses, rate) if rate else self._busily(presses, at_once, answer))
        self.seen.seconds = time.perf_counter() - began
        await self.quiet()
        self.seen.cpu, self.seen.calls = self.web.cpu() - cpu, self.far.calls - calls
        return self.seen

    async def _busily(self, presses: int, at_once: int, answer: bool) -> None:
        """People in turn, so that nobody presses faster than the bot takes from one person (flood.py)."""
        self.changed = asyncio.Queue()
        for person in self.people:
            self.changed.put_nowait(person)
        while self.seen.presses < presses:
            while len(self.pressed) >= at_once:
                async with asyncio.timeout(20):
                    self.change.clear()
                    await self.change.wait()
            async with asyncio.timeout(20):
                person = await self.changed.get()
            if person in self.pressed or (found := self.choose(person, answer)) is None:
                continue
            self.seen.presses += 1
            await self.press(person, *found)

    async def _steadily(self, presses: int, rate: float) -> None:
        began = time.perf_counter()
        for number in range(presses):
            await asyncio.sleep(max(0.0, began + number / rate - time.perf_counter()))
            person = self.people[number % len(self.people)]
            if (found := self.choose(person, False)) is not None:
                self.seen.presses += 1
                await self.press(person, *found)

    async def quiet(self) -> None:
        """Until the bot says nothing any more."""
        while True:
            calls = self.far.calls
            await asyncio.sleep(0.3)
            if self.far.calls == calls:
                return


ME_SHAPE = {"id": 1000, "is_bot": True, "first_name": "Stay Away!", "username": "stay_away_bot"}
TEXT = "It is Bob's turn (turn 3).\nYou are Human.\nYour hand: Suspicion · Axe · Flamethrower · Infected!"


class Web:
    """A web process under test, and connections to it."""

    def __init__(self, program: Program, port: int) -> None:
        self.program, self.port = program, port
        self._free: list[Wire] = []
        self._work: set[asyncio.Task[None]] = set()

    async def post(self, body: bytes) -> None:
        """Bring an update, and do not wait for the answer."""
        task = asyncio.create_task(self._post(body))
        self._work.add(task)
        task.add_done_callback(self._work.discard)

    async def _post(self, body: bytes) -> None:
        reader, writer = await self._wire()
        writer.write(
            b"POST /telegram HTTP/1.1\r\nhost: bench\r\ncontent-type: application/json\r\n"
            b"x-telegram-bot-api-secret-token: %s\r\ncontent-length: %d\r\n\r\n" % (SECRET.encode(), len(body)) + body
        )
        head = await reader.readuntil(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(head.decode())
        length = next(
            (int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), 0
        )
        await reader.readexactly(length)
        self._free.append((reader, writer))

    async def _wire(self) -> Wire:
        while self._free:
            reader, writer = self._free.pop()
            if not reader.at_eof():
                return reader, writer
            writer.close()  # it was idle for too long
        return await asyncio.open_connection("127.0.0.1", self.port)

    def cpu(self) -> float:
        """Seconds of processor time so far: user and system."""
        fields = Path(f"/proc/{self.program.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> float:
        """MB in memory."""
        status = Path(f"/proc/{self.program.pid}/status").read_text()
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024


# -- the two bots


@contextlib.asynccontextmanager
async def bot(folder: Path, far: FarEnd, database: str, **environment: str) -> AsyncIterator[Web]:
    """Our web process, without Telegram's limits."""
    async with Program(
        folder / "bot.log",
        "bench.unlimited",
        BOT_TOKEN=TOKEN,
        DATABASE_URL=database,
        WEBHOOK_SECRET=SECRET,
        TELEGRAM_API=f"http://127.0.0.1:{far.port}",
        **environment,
    ) as program:
        yield Web(program, program.port)


@contextlib.asynccontextmanager
async def bare(folder: Path, far: FarEnd) -> AsyncIterator[Web]:
    """python-telegram-bot as it comes."""
    async with Program(folder / "bare.log", "bench.bare", TELEGRAM_API=f"http://127.0.0.1:{far.port}") as program:
        yield Web(program, program.port)


async def begin_games(store: Store, number: int, size: int = 6, first: int = 0) -> list[int]:
    """So many games in play, begun as people begin them; all who play."""
    me.introduce("stay_away_bot")
    people: list[int] = []
    for game in range(first, first + number):
        crew = [Person(1_000_000 + game * 20 + i, f"Person {i}", private="open") for i in range(size)]
        for person in crew:
            async with store.press(update_id=None, person=person):
                pass
        async with store.press(update_id=None, find=ByPlace(GROUP - game), person=crew[0]) as unit:
            lobby.open_lobby(unit, crew[0], crew[0].name)
            for person in crew[1:]:
                lobby.join(unit, person)
            game_id = unit.game.id if unit.game else 0
        async with store.press(update_id=None, find=ByGame(game_id), person=crew[0]) as unit:
            lobby.start(unit)
        people += [person.id for person in crew]
    return people


def store_games(database: str, number: int) -> None:
    """Copies of the first game, so that there are *number* games in all; each in a group and with people of its own."""
    with psycopg.connect(database.replace("+psycopg", ""), autocommit=True) as connection:
        row = connection.execute("select count(*), min(id) from games").fetchone()
        assert row is not None
        there, first = row
        if there >= number:
            return
        columns = {
            table: [
                name
                for (name,) in connection.execute(
                    "select column_name from information_schema.columns"
                    " where table_name = %s and is_generated = 'NEVER' order by ordinal_position",
                    (table,),
                )
            ]
            for table in ("games", "screens", "seats")
        }

        def copied(table: str, **changed: str) -> str:
            values = [changed.get(name, f"t.{name}") for name in columns[table]]
            return (
                f"insert into {table} ({', '.join(columns[table])}) select {', '.join(values)} from {table} t,"
                f" generate_series({there + 1}, {number}) n where t.{'id' if table == 'games' else 'game_id'} = {first}"
            )

        far = "10000000000"
        connection.execute(
            copied("games", id=f"{far} + n", chat_id=f"{GROUP} * 2 - n", next_at="t.next_at + interval '30 days'")
        )
        connection.execute(copied("seats", game_id=f"{far} + n", person_id=f"{far} + n * 20 + t.person_id % 20"))
        connection.execute(
            copied(
                "screens",
                game_id=f"{far} + n",
                due="nextval('screens_due')",
                receiver=f"case when t.receiver = 0 then 0 else {far} + n * 20 + t.receiver % 20 end",
                chat_id=f"case when t.receiver = 0 then {GROUP} * 2 - n else {far} + n * 20 + t.receiver % 20 end",
            )
        )
        connection.execute("vacuum analyze")


# -- the figures


@dataclass
class Bench:
    """A folder, a Postgres, and how much is measured."""

    folder: Path
    server: LocalPostgres
    presses: int = 2000
    rounds: int = 4
    stored: int = 100_000
    memory_presses: int = 10_000
    database: str = ""
    profile: str | None = None

    @contextlib.asynccontextmanager
    async def playing(self, games: int = 12) -> AsyncIterator[tuple[FarEnd, Presser]]:
        """Our bot with games whose hands are all shown."""
        environment = {"BENCH_PROFILE": self.profile} if self.profile else {}
        async with FarEnd() as far, Store(self.server.url) as store:
            await self._empty(store)
            people = await begin_games(store, games)
            async with bot(self.folder, far, self.server.url, **environment) as web:
                presser = Presser(far, web, people)
                await shown(store)
                yield far, presser

    @staticmethod
    async def _empty(store: Store) -> None:
        async with store.engine.begin() as connection:
            await connection.exec_driver_sql(
                "truncate games, screens, seats, answers, events, updates, people, chats, limits cascade"
            )

    async def cpu(self) -> None:
        """Turning a page is what the bare handler does: an answer and an edit. Playing is what the bot is for."""
        async with FarEnd() as far, bare(self.folder, far) as web:
            for number in range(50):
                far.panels[1_000_000 + number] = {1: [[{"text": BACK, "callback_data": "bare.0.0.0"}]]}
            plain = Presser(far, web, [1_000_000 + number for number in range(50)])
            async with self.playing() as (_, ours):
                for presser in (plain, ours):
                    await presser.run(self.presses // 4)
                bares, pages, plays = [], [], []
                for _ in range(self.rounds):
                    bares.append(await plain.run(self.presses // self.rounds))
                    pages.append(await ours.run(self.presses // self.rounds))
                    plays.append(await ours.run(self.presses // self.rounds, answer=True))
        row("", "ms a press", "ratio", "calls a press", "presses a second")
        least = _middle([one.milliseconds for one in bares])
        for name, runs in (
            ("bare handler, its own HTTP client", bares),
            ("a page of the hand is turned", pages),
            ("whole games are played", plays),
        ):
            cost = _middle([one.milliseconds for one in runs])
            row(
                name,
                f"{cost:.2f}",
                f"{_middle([a.milliseconds / b.milliseconds for a, b in zip(runs, bares, strict=True)]):.2f}",
                f"{sum(r.calls for r in runs) / sum(r.presses for r in runs):.2f}",
                f"{_middle([one.rate for one in runs]):.0f}",
            )
        row("goal: no more than the bare handler", f"{least:.2f}", "1.00")

    async def rate(self) -> None:
        async with self.playing() as (_, presser):
            await presser.run(self.presses // 4)
            row("", "presses a second", "p50 ms", "p99 ms")
            for name, how in (
                ("8 people who wait for the edit", {"at_once": 8}),
                ("32 people", {"at_once": 32}),
                ("100 a second", {"rate": 100.0}),
            ):
                seen = await presser.run(self.presses, **how)
                row(name, f"{seen.rate:.0f}", f"{seen.wait(0.5):.1f}", f"{seen.wait(0.99):.1f}")
            row("goal", "300", "", "50.0 at 100/s")

    async def stored_games(self) -> None:
        row("games stored", "presses a second", "ms a press", "p50 ms at 100/s", "p99 ms at 100/s", "to the first")
        first = 0.0
        async with self.playing(games=12) as (_, presser):
            await presser.run(self.presses // 2)
            for number in (100, 10_000, self.stored):
                await asyncio.to_thread(store_games, self.server.url, number)
                await presser.run(self.presses // 8)
                runs = [await presser.run(self.presses // self.rounds) for _ in range(self.rounds)]
                slow = await presser.run(self.presses // 2, rate=100.0)
                rate = _middle([one.rate for one in runs])
                first = first or rate
                row(
                    f"{number:,}",
                    f"{rate:.0f}",
                    f"{_middle([one.milliseconds for one in runs]):.2f}",
                    f"{slow.wait(0.5):.1f}",
                    f"{slow.wait(0.99):.1f}",
                    f"{rate / first:.2f}",
                )

    async def deadlines(self, number: int = 1000) -> None:
        async with FarEnd() as far, Store(self.server.url) as store:
            await self._empty(store)
            await begin_games(store, number, size=4)
            async with bot(self.folder, far, self.server.url) as web:
                await shown(store)
                cpu = web.cpu()
                async with store.engine.begin() as connection:
                    due = (
                        await connection.exec_driver_sql("select stay_away_now() + interval '3 seconds'")
                    ).scalar_one()
                    await connection.exec_driver_sql(
                        "update games set next_at = %(due)s, timers = (select jsonb_agg("
                        "t || jsonb_build_object('at', %(due)s::timestamptz)) from jsonb_array_elements(timers) t)",
                        {"due": due},
                    )
                answered: list[float] = []
                while len(answered) < number:
                    await asyncio.sleep(0.5)
                    async with store.engine.connect() as connection:
                        found = await connection.exec_driver_sql("select at from answers where by = 'clock'")
                        answered = [(at - due) / timedelta(seconds=1) for (at,) in found]
                done = time.perf_counter()
                await shown(store)
                row(f"{number} deadlines at once, one process", "half by", "all by", "all shown by", "ms a deadline")
                row(
                    "",
                    f"{_middle(answered):.2f} s",
                    f"{max(answered):.2f} s",
                    f"{max(answered) + time.perf_counter() - done:.2f} s",
                    f"{1000 * (web.cpu() - cpu) / number:.2f}",
                )

    async def memory(self) -> None:
        async with self.playing() as (_, presser):
            begun = presser.web.memory()
            row("presses", "MB")
            row("0", f"{begun:.0f}")
            done = 0
            while done < self.memory_presses:
                part = max(1000, self.memory_presses // 5)
                await presser.run(part)
                done += part
                row(f"{done:,}", f"{presser.web.memory():.0f}")
            row("goal", "200")


async def shown(store: Store) -> None:
    """Until everything is shown that is wanted."""
    while await store.pending():  # noqa: ASYNC110
        await asyncio.sleep(0.05)


def _middle(values: list[float]) -> float:
    return statistics.median(values)


def row(*cells: str) -> None:
    print(f"{cells[0]:<38}" + "".join(f"{cell:>20}" for cell in cells[1:]), flush=True)


FIGURES: dict[str, Callable[[Bench], Awaitable[None]]] = {
    "cpu": Bench.cpu,
    "rate": Bench.rate,
    "stored": Bench.stored_games,
    "deadlines": Bench.deadlines,
    "memory": Bench.memory,
}


async def main(options: argparse.Namespace) -> int:
    folder = temporary_folder("press")
    try:
        async with postgres(folder) as server:
            bench = Bench(
                folder,
                server,
                options.presses,
                options.rounds,
                options.stored,
                options.memory_presses,
                profile=options.profile,
            )
            for name in options.figures or FIGURES:
                await FIGURES[name](bench)
                print()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


def flags() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.press", description="What a press costs.")
    parser.add_argument("figures", nargs="*", choices=[*FIGURES, []], metavar="FIGURE", help=", ".join(FIGURES))
    parser.add_argument("--presses", type=int, default=2000, help="for each line of a table")
    parser.add_argument("--rounds", type=int, default=4, help="in which what is compared takes turns")
    parser.add_argument("--stored", type=int, default=100_000, help="most games in the database")
    parser.add_argument("--memory-presses", type=int, default=10_000)
    parser.add_argument("--profile", metavar="FILE", help="write a profile of the web process there (cProfile)")
    return parser


if __name__ == "__main__":
    sys.exit(asyncio.run(main(flags().parse_args())))
