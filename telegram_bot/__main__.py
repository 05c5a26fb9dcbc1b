"""The command line, and the only place that knows every concrete part.

`stay-away COMMAND` and `python -m telegram_bot COMMAND` are the same. A command is a row in COMMANDS; what it needs is
imported when it is called, so that `stay-away migrate` does not wait for a web server to load.
"""

import argparse
import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any, NamedTuple

from .errors import Wrong


class Command(NamedTuple):
    """One command: what it is for, what it takes, and what it does (the exit code is what it returns, or 0)."""

    help: str
    options: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int | None]


def main(arguments: list[str] | None = None) -> int:
    """Do what the command line says. What is wrong with the set-up is told in one line, with exit code 2."""
    parser = argparse.ArgumentParser(prog="stay-away", description="Stay Away! on Telegram")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, command in COMMANDS.items():
        command.options(commands.add_parser(name, help=command.help, description=command.help))
    chosen = parser.parse_args(arguments)
    try:
        return COMMANDS[chosen.command].run(chosen) or 0
    except Wrong as wrong:
        print(f"stay-away: {wrong}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


# -- what talks to Telegram


def web(options: argparse.Namespace) -> None:
    from . import config, web

    async def work() -> None:
        async with api_of(settings) as api:
            await introduce(api)
            service = await build(settings)
            try:
                await patiently(lambda: web.set_webhook(api, settings))
                await web.run(settings, service, host=options.host)
                end_within(1.0)
            finally:
                await service.close()

    settings = prepare(config.read(os.environ))
    run_async(work())


def end_within(seconds: float) -> None:
    """All is put away: what hangs all the same (a database that does not answer) holds the end of the process up for so
    long and no longer, whatever still waits for it."""
    end = threading.Timer(seconds, os._exit, (0,))
    end.daemon = True
    end.start()


def poll(options: argparse.Namespace) -> None:
    from . import config, poll

    async def work() -> None:
        async with api_of(settings) as api:
            await introduce(api)
            service = await build(settings)
            try:
                await poll.run(api, service.door, settings.database, service.background)
                end_within(1.0)
            finally:
                await service.close()

    settings = prepare(config.read(os.environ))
    run_async(work())


def migrate(options: argparse.Namespace) -> None:
    from sqlalchemy.exc import OperationalError

    from db import migrate as migrations

    from . import config

    settings = config.read(os.environ)
    config.set_up_logging(settings)
    config.check_database(settings.database)
    try:
        done = migrations.upgrade(settings.database)
    except OperationalError as error:
        raise Wrong(f"the migration did not get through ({type(error.orig).__name__}) and changed nothing: "
                    "run it again") from None
    print("migrated" if done else "nothing to migrate")


def play(options: argparse.Namespace) -> int:
    from . import home

    return home.play(Path(options.data) if options.data else home.DATA, browser=not options.no_browser)


def scenario(options: argparse.Namespace) -> int:
    from .commands import scenario

    return scenario.run(options.files)


def export(options: argparse.Namespace) -> None:
    from . import config, home
    from .commands import export

    with home.kept(config.read(os.environ)) as database:
        export.run(database, options.game)


def dead(options: argparse.Namespace) -> None:
    from . import config, home
    from .commands import dead

    settings = config.read(os.environ)
    if options.retry is None:
        with home.kept(settings) as database:
            run_async(dead.listed(database))
    else:
        run_async(dead.run(prepare(settings), options.retry))


def simulate(options: argparse.Namespace) -> int:
    from .commands import simulate

    return simulate.run(options)


def prepare(settings: Any) -> Any:
    """What web and poll need before they begin: a token, and a database with our tables in it."""
    from sqlalchemy.exc import OperationalError

    from db import migrate as migrations

    from . import config

    config.set_up_logging(settings)
    settings.bot_token  # noqa: B018  says so if it is missing
    for last in (False, True):
        config.check_database(settings.database, absent=15.0)
        try:
            # Where nobody runs the release step (and at home): behind a lock, and quick when there is nothing to do.
            migrations.upgrade(settings.database)
            break
        except OperationalError:  # it went away just then
            if last:
                raise
    return settings


def api_of(settings: Any) -> Any:
    from .transport import Api, request_for

    @contextlib.asynccontextmanager
    async def opened() -> Any:
        async with request_for(settings.telegram_api, pool_size=4) as request:
            yield Api(request, settings.telegram_api, settings.bot_token)

    return opened()


async def introduce(api: Any) -> None:
    """Learn that the token is good."""
    from . import web

    await patiently(lambda: web.introduce(api))


async def build(settings: Any) -> Any:
    """The bot, put together (telegram_bot/service.py)."""
    from .service import build

    return await patiently(lambda: build(settings))


async def patiently(what: Callable[[], Awaitable[Any]]) -> Any:
    """Do at the start what needs a Bot API server, which may take a moment to be there, and may stumble."""
    from telegram.error import InvalidToken, TelegramError

    from .transport import Refused

    for pause in (1, 2, 4, 8, None):
        try:
            return await what()
        except (TelegramError, Refused) as error:
            if isinstance(error, InvalidToken) or isinstance(error, Refused) and error.code < 500 and error.code != 429:
                raise
            if pause is None:
                raise Wrong(f"no Bot API server answers at TELEGRAM_API ({type(error).__name__}): "
                            "check the network, or that address") from None
            asked = error.retry_after if isinstance(error, Refused) else None
            await asyncio.sleep(max(pause, asked or 0))


def run_async(work: Coroutine[Any, Any, None]) -> None:
    """Run *work* on uvloop where there is one."""
    from . import config

    loop_factory: Callable[[], asyncio.AbstractEventLoop] = asyncio.new_event_loop
    with contextlib.suppress(ImportError):
        import uvloop

        loop_factory = uvloop.new_event_loop
    with asyncio.Runner(loop_factory=loop_factory) as runner:
        runner.get_loop().set_exception_handler(config.tell_discreetly)
        runner.run(work)


# -- the table


def nothing(parser: argparse.ArgumentParser) -> None:
    """A command without options."""


def web_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", default="", help="listen at this address only")


def play_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", metavar="FOLDER", help="where the games are kept (.local in the checkout)")
    parser.add_argument("--no-browser", action="store_true", help="do not open the page, only print its address")


def scenario_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE", help="a table, a script, and what must be true in between")


def export_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", type=int, metavar="GAME", help="its number (buttons and links of its screens carry it)")


def dead_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--retry", metavar="UPDATE", help="try this update again, or all of them")


def simulate_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--players", type=int, required=True, metavar="N", help="4 to 12")
    parser.add_argument("--games", type=int, required=True, metavar="G", help="how many games")
    parser.add_argument("--seed", required=True, metavar="S", help="the same seed gives the same games")
    parser.add_argument("--policy", choices=("random", "bot"), default="random", help="who plays: dice, or bot players")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="an option of the game")
    parser.add_argument("--record", metavar="DIR", help="write each game there, as a scenario")
    parser.add_argument("--json", metavar="FILE", help="write the figures there")


COMMANDS = {
    "web": Command("take Telegram's updates over a webhook, on PORT", web_options, web),
    "poll": Command("fetch Telegram's updates, for who has no public address", nothing, poll),
    "migrate": Command("bring the database up to date", nothing, migrate),
    "play": Command("everything on this machine: a Postgres, the bot, and without BOT_TOKEN the playground",
                    play_options, play),
    "scenario": Command("play scenarios on the rules, and say which of them hold", scenario_options, scenario),
    "export": Command("print one stored game as a scenario", export_options, export),
    "dead": Command("list the updates that were put aside, or try them again", dead_options, dead),
    "simulate": Command("play whole games in memory, and count", simulate_options, simulate),
}


if __name__ == "__main__":
    sys.exit(main())
