"""The web process without Telegram's limits, which would hide what it can do: python -m bench.unlimited."""

from __future__ import annotations

import os

from telegram_bot import config, service, web
from telegram_bot.__main__ import prepare, run_async
from telegram_bot.limits import Limits


async def work(settings: config.Config) -> None:
    built = await service.build(settings, limits=Limits.none())
    try:
        await web.run(settings, built, host="127.0.0.1")
    finally:
        await built.close()


def main() -> None:
    settings = prepare(config.read(os.environ))
    profile = os.environ.get("BENCH_PROFILE")
    if profile is None:
        run_async(work(settings))
        return
    import cProfile
    import time

    with cProfile.Profile(time.process_time) as profiler:
        run_async(work(settings))
    profiler.dump_stats(profile)


if __name__ == "__main__":
    main()
