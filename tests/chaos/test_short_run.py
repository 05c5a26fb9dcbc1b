"""bench/chaos.py in short: nothing is lost, doubled or wrong, whatever dies meanwhile."""

from __future__ import annotations

from pathlib import Path

from bench.chaos import Chaos
from bench.nursery import Nursery
from bench.processes import postgres
from bench.verdict import GOALS


async def test_nothing_is_lost_doubled_or_wrong_while_everything_goes_wrong(tmp_path: Path, nursery: Nursery) -> None:
    # Twenty seconds of it. `python -m bench.chaos` plays to the end.
    chaos = Chaos(games=3, players=4, processes=3, kill_every=1.5, restart_every=8.0, seed=7, minutes=0.3, quiet=True)
    async with postgres(tmp_path) as server:
        verdict = await chaos.run(tmp_path, server, nursery)
    assert chaos.kills > 3 and chaos.restarts and chaos.presses and chaos.wire.calls["reset_after"], chaos.told()
    assert not {goal: verdict.cases[goal] for goal in GOALS if verdict.figures[goal]}, str(verdict)
