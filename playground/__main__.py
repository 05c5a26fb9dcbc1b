"""The playground as a program: ``python -m playground --port 8081``."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import signal
import sys

from playground.server import Playground


def arguments() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(
        prog="playground", description="A Telegram on this machine, for trying a bot without a token."
    )
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (127.0.0.1: this machine only)")
    parser.add_argument(
        "--port",
        type=int,
        default=int(os.environ.get("PLAYGROUND_PORT") or 8081),
        help="the port (PLAYGROUND_PORT, 8081); 0 takes a free one",
    )
    parser.add_argument(
        "--token",
        default=os.environ.get("BOT_TOKEN") or "1000:TEST",
        help="the token of the bot (BOT_TOKEN, 1000:TEST)",
    )
    parser.add_argument("--bot-username", default="stay_away_bot")
    parser.add_argument("--bot-name", default="Stay Away!")
    parser.add_argument("--no-limits", action="store_true", help="without Telegram's limits")
    parser.add_argument("--no-privacy", action="store_true", help="the bot sees every message of its groups")
    parser.add_argument(
        "--seed-group",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="begin with a ready group of four people and the bot",
    )
    parser.add_argument(
        "--state",
        metavar="FILE",
        default=os.environ.get("PLAYGROUND_STATE") or None,
        help="keep the world in this file, and go on from it (PLAYGROUND_STATE)",
    )
    parser.add_argument("--check-schema", metavar="FILE", help="refuse calls that do not fit this Bot API schema")
    parser.add_argument("--database-url", help="the bot's database, to move its clock as well (DATABASE_URL)")
    return parser.parse_args()


async def run(options: argparse.Namespace) -> None:
    """Serve until SIGTERM or SIGINT."""
    check = None
    if options.check_schema:
        from playground.schema import Schema

        check = Schema.read(options.check_schema).check_call
    telegram = Playground(
        token=options.token,
        bot_username=options.bot_username,
        bot_name=options.bot_name,
        host=options.host,
        port=options.port,
        limits=not options.no_limits,
        privacy=not options.no_privacy,
        check=check,
        seed_group=options.seed_group,
        state=options.state,
        database_url=options.database_url,
    )
    end = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(name, end.set)
    try:
        await telegram.start()
    except OSError as problem:
        raise SystemExit(
            f"playground: cannot listen on {options.host}:{options.port}: {problem.strerror or problem}. "
            f"Is another one running? --port takes another port."
        ) from None
    print(f"playground: {telegram.url}/", flush=True)
    await end.wait()
    await telegram.stop()


def main() -> None:
    """Run the playground."""
    try:
        asyncio.run(run(arguments()))
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
