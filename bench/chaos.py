"""Whole games by scripted people while everything that can go wrong does.

    python -m bench.chaos --games 200 --players 6 --processes 3 --kill-every 2 --doubled 0.2 --failed 0.1

The real web processes on a real Postgres, and the playground as Telegram. Processes are killed and started again,
updates come twice and late, calls are refused, broken before and after they took effect, answered late or too late, and
Postgres goes down. Telegram's limits hold; its clock, which is the bot's as well, is moved on a little ten times a
second, so that nobody waits for a limit or a bot's pause in real time. In the end all goes quiet, and everything is
held against everything else: see verdict.py. The exit code is 0 if all games ended and nothing is wrong.

Processes are forked off one that has everything imported (nursery.py), as a machine of two cores could otherwise do
little else than import: the code and the way it dies are the same.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import shutil
import signal
import sys
import time
from collections.abc import AsyncIterator, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from bench.control import Telegram
from bench.nursery import Nursery
from bench.people import AWAY, Crowd
from bench.processes import Processes, nursery, postgres, restart, temporary_folder
from bench.verdict import GOALS, Verdict, Wire, judge
from db.local import LocalPostgres
from db.store import Away, Store

#: What becomes of calls that fail, and what share of these it is.
FAILURES: tuple[tuple[dict[str, object], float], ...] = (
    ({"kind": "reset_before"}, 0.2),
    ({"kind": "reset_after"}, 0.2),
    ({"kind": "500"}, 0.1),
    ({"kind": "502"}, 0.1),
    ({"kind": "429", "seconds": 2}, 0.2),
    ({"kind": "slow_after", "seconds": 0.5}, 0.15),
    ({"kind": "slow_after", "seconds": 11.0}, 0.05),  # later than the bot waits
)


@dataclass
class Chaos:
    """A run, as the flags say it."""

    games: int = 20
    players: int = 6
    processes: int = 3
    kill_every: float = 2.0
    restart_every: float = 40.0
    doubled: float = 0.2
    failed: float = 0.1
    term: float = 0.1
    forward: float = 15.0
    seed: int = 1
    minutes: float = 30.0
    at_once: int = 40
    quiet: bool = False

    finished: int = 0
    presses: int = 0
    kills: int = 0
    terms: int = 0
    restarts: int = 0
    seconds: float = 0.0
    deaths: list[str] = field(default_factory=list)
    slow_ends: list[float] = field(default_factory=list)
    killed: list[tuple[int, int]] = field(default_factory=list)
    wire: Wire = field(default_factory=Wire)

    async def run(self, folder: Path, server: LocalPostgres, forks: Nursery) -> Verdict:
        """Play; what came of it."""
        database = server.url
        self.dice = Random(f"{self.seed}/chaos")
        began = time.monotonic()
        async with (
            Processes(folder, database, self.processes, nursery=forks) as house,
            Store(database) as store,
        ):
            self.house, self.server = house, server
            crowd = Crowd(house.telegram, self.games, self.players, self.seed, at_once=self.at_once)
            await self._begin_to_fail(house.telegram)
            async with _beside(
                self._time_goes_by(), self._kill_now_and_then(), self._restart_postgres(), self._tell(crowd)
            ):
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(self.minutes * 60):
                        await crowd.play()
            self.seconds = time.monotonic() - began
            self.finished, self.presses = crowd.over, crowd.presses
            async with _beside(self._time_goes_by()):
                await self._be_quiet(house.telegram, store)
            return await judge(store, house.telegram, self.wire, self.killed, house.complaints())

    # What goes wrong.

    async def _begin_to_fail(self, telegram: Telegram) -> None:
        await telegram.post("settings", duplicate=self.doubled, delayed=self.doubled / 2, delay=3.0, seed=self.seed)
        for number, (fault, share) in enumerate(FAILURES):
            if self.failed:
                await telegram.post(
                    "faults", **fault, times=0, share=self.failed * share, seed=self.seed * 100 + number
                )

    async def _kill_now_and_then(self) -> None:
        while self.kill_every:
            await asyncio.sleep(self.kill_every)
            number = self.dice.randrange(self.processes)
            if not self.house.is_running(number):
                continue
            if self.dice.random() < self.term:
                self.terms += 1
                self.house.end(number, signal.SIGTERM)
                begun = time.monotonic()
                await self.house.ended(number)
                self.slow_ends.append(time.monotonic() - begun)
            else:
                before = await self._recorded()
                self.house.end(number)
                await self.house.ended(number)
                self.kills += 1
                self.killed.append((before, await self._recorded()))
            self.house.start(number)

    async def _restart_postgres(self) -> None:
        while self.restart_every:
            await asyncio.sleep(self.restart_every)
            await restart(self.server)
            self.restarts += 1

    async def _recorded(self) -> int:
        return int((await self.house.telegram.get("traffic", after=10**12))["n"])

    async def _time_goes_by(self) -> None:
        """The clock of Telegram and of the bot goes faster than ours: *forward* seconds more each second."""
        while True:
            await asyncio.sleep(0.1)
            with contextlib.suppress(*AWAY):
                await self.house.telegram.forward(self.forward / 10)

    async def _tell(self, crowd: Crowd) -> None:
        """Look after the processes, read the record, and say how far it is."""
        while True:
            for _ in range(10):
                await asyncio.sleep(1)
                self._raise_the_dead()
            await self.wire.follow(self.house.telegram)
            if not self.quiet:
                print(
                    f"{len(crowd.games)} games begun, {crowd.over} over, {crowd.presses} presses, {self.kills} kills, "
                    f"calls {dict(self.wire.calls)}, deliveries {dict(self.wire.deliveries)}",
                    file=sys.stderr,
                    flush=True,
                )

    def _raise_the_dead(self) -> None:
        """A host starts a process again that ended by itself."""
        for number in self.house.webs:
            code = self.house.running[f"web {number}"].poll()
            if code is not None and code not in (0, -signal.SIGKILL, -signal.SIGTERM):
                self.deaths.append(f"web {number} ended with code {code}")
                self.house.start(number)

    # The end.

    async def _be_quiet(self, telegram: Telegram, store: Store) -> None:
        """Nothing fails any more; wait until everything was taken and everything is shown."""
        await telegram.post("settings", duplicate=0, delayed=0)
        await telegram.post("faults/clear")
        deadline = time.monotonic() + (120 if self.finished == self.games else 30)
        for number in self.house.webs:
            if not self.house.is_running(number):
                self.house.start(number)
            await self.house.up(number)
        while time.monotonic() < deadline:
            with contextlib.suppress(*AWAY, Away):
                await telegram.post("wait", idle=True, quiet=0.5, timeout=20)
                if not await store.pending():
                    break
        await self.wire.follow(telegram)

    def told(self) -> str:
        """What happened, in a few lines."""
        lines = [
            f"{self.finished:8}  of {self.games} games of {self.players} finished in {self.seconds:.0f} s,"
            f" {self.presses} presses",
            f"{self.kills:8}  times a process was killed (-9), {self.terms} stopped (SIGTERM, "
            f"{max(self.slow_ends, default=0):.1f} s at most), {self.restarts} times Postgres died",
            f"{sum(self.wire.calls.values()):8}  calls: {dict(self.wire.calls)}",
            f"{sum(self.wire.deliveries.values()):8}  deliveries: {dict(self.wire.deliveries)}",
            f"{len(self.deaths):8}  processes that ended by themselves",
        ]
        return "\n".join([*lines, *(f"          . {death}" for death in self.deaths[:5])])

    def is_well(self, verdict: Verdict) -> bool:
        return self.finished == self.games and not any(verdict.figures[goal] for goal in GOALS) and not self.deaths


@contextlib.asynccontextmanager
async def _beside(*work: Coroutine[object, object, None]) -> AsyncIterator[None]:
    """While the block runs, these do."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one) for one in work]
        yield
        for task in tasks:
            task.cancel()


def flags() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.chaos", description="Whole games while everything goes wrong."
    )
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--players", type=int, default=6, help="in each game")
    parser.add_argument("--processes", type=int, default=3, help="web processes on one database")
    parser.add_argument("--kill-every", type=float, default=2.0, metavar="SECONDS", help="0: never")
    parser.add_argument("--restart-every", type=float, default=40.0, metavar="SECONDS", help="Postgres; 0: never")
    parser.add_argument("--doubled", type=float, default=0.2, metavar="SHARE", help="of the updates")
    parser.add_argument("--failed", type=float, default=0.1, metavar="SHARE", help="of the calls")
    parser.add_argument("--term", type=float, default=0.1, metavar="SHARE", help="of the kills that are SIGTERM")
    parser.add_argument(
        "--forward", type=float, default=15.0, metavar="SECONDS", help="how far the clock is moved each second"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=30.0, help="give up after so many")
    parser.add_argument("--at-once", type=int, default=40, help="games at a time")
    parser.add_argument("--keep", action="store_true", help="keep the logs")
    return parser


async def main(options: argparse.Namespace) -> int:
    given = vars(options)
    keep = given.pop("keep")
    chaos = Chaos(**given)
    folder = temporary_folder("chaos")
    try:
        async with postgres(folder) as server, nursery() as forks:
            verdict = await chaos.run(folder, server, forks)
    finally:
        if keep:
            print(f"logs in {folder}", file=sys.stderr)
        else:
            shutil.rmtree(folder, ignore_errors=True)
    print(chaos.told(), verdict, sep="\n")
    return 0 if chaos.is_well(verdict) else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main(flags().parse_args())))
