"""Everything on one machine: what bin/play does.

A Postgres unless DATABASE_URL is set; then the bot on real Telegram if BOT_TOKEN is set (webhook if PUBLIC_URL is set,
else long polling), otherwise on the playground. Whatever dies is told and begun again; Ctrl-C or SIGTERM ends all.
"""

import contextlib
import ctypes
import os
import secrets
import select
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import webbrowser
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import db
from db import migrate
from db.local import LocalPostgres, NoPostgres

from . import config
from .config import Config
from .errors import Wrong

CHECKOUT = Path(db.__file__).resolve().parents[1]
DATA = CHECKOUT / ".local"
PATIENCE = 30.0  # seconds for a part to begin to answer
OFTEN = 5  # deaths within a minute that are one too many


class Stop(Exception):
    """We are told to stop."""


@dataclass
class Part:
    """A process of ours: how it is started, and where it answers when it is up."""

    name: str
    command: list[str]
    environment: dict[str, str]
    answers_at: str | None = None
    process: subprocess.Popen[bytes] | None = None
    deaths: tuple[float, ...] = ()


def play(folder: Path, *, browser: bool = True) -> int:
    """Play until told to stop, keeping everything in *folder*; the exit code."""
    settings = config.read(os.environ)
    config.set_up_logging(settings)
    if not settings.token:
        for name in ("PUBLIC_URL", "TELEGRAM_API"):
            if os.environ.get(name):
                raise Wrong(f"{name} is set, but BOT_TOKEN is not: set both, or neither for the playground")
    for name, port in ports_of(settings).items():
        check_free(name, port)
    with signals() as wakeup, contextlib.ExitStack() as cleanup:
        parts: list[Part] = []
        try:
            settings, postgres = with_database(settings, folder, cleanup)
            migrate.upgrade(settings.database)
            parts = parts_of(settings, postgres.folder if postgres else folder)
            for part in parts:
                start(part)
                if code := wait_for(part, wakeup):
                    return max(code, 1)  # it has said why
            greet(settings, browser)
            return watch(parts, postgres, wakeup)
        except Stop:
            return 0
        finally:
            say("stopping")
            stop(parts)


# -- the parts


def ports_of(settings: Config) -> dict[str, int]:
    if not settings.token:
        return {"PORT": settings.port, "PLAYGROUND_PORT": settings.playground_port}
    return {"PORT": settings.port} if settings.public_url else {}


def with_database(settings: Config, folder: Path,
                  cleanup: contextlib.ExitStack) -> tuple[Config, LocalPostgres | None]:
    """The settings with a database in them: the one that was set, or one of our own."""
    if settings.database_url:
        config.check_database(settings.database_url)
        return settings, None
    postgres = LocalPostgres(folder)
    try:
        url = postgres.start()
    except NoPostgres as none:
        raise Wrong(str(none)) from None
    cleanup.callback(postgres.stop)
    return replace(settings, database_url=url), postgres


@contextlib.contextmanager
def kept(settings: Config) -> Iterator[str]:
    """The database with the games: the one that was set, else the one in which bin/play keeps them, running or not."""
    with contextlib.ExitStack() as cleanup:
        if DATA.exists():
            settings, _ = with_database(settings, DATA, cleanup)
        else:
            config.check_database(settings.database)
        yield settings.database


def parts_of(settings: Config, folder: Path) -> list[Part]:
    """The processes to run, in the order in which they need each other."""
    ours = {"DATABASE_URL": settings.database, "PORT": str(settings.port)}
    bot = [sys.executable, "-m", "telegram_bot"]
    if settings.token and settings.public_url:
        return [Part("web", [*bot, "web"], ours, f"http://127.0.0.1:{settings.port}/healthz")]
    if settings.token:
        return [Part("poll", [*bot, "poll"], ours)]
    folder.mkdir(parents=True, exist_ok=True)
    page = f"http://127.0.0.1:{settings.playground_port}"
    # A token of the form that Telegram's have; it opens nothing but this playground.
    ours |= {"BOT_TOKEN": f"110201543:{secrets.token_urlsafe(26)}", "TELEGRAM_API": page,
             "PUBLIC_URL": f"http://127.0.0.1:{settings.port}", "PLAYGROUND_PORT": str(settings.playground_port),
             # The chats last as long as the games in the database.
             "PLAYGROUND_STATE": os.environ.get("PLAYGROUND_STATE") or str(folder / "playground.json")}
    return [
        Part("playground", [sys.executable, "-m", "playground"], ours, f"{page}/"),
        Part("web", [*bot, "web", "--host", "127.0.0.1"], ours, f"http://127.0.0.1:{settings.port}/healthz"),
    ]


def start(part: Part) -> None:
    # A session of its own: Ctrl-C on the terminal is for us, and we stop the parts in our order.
    part.process = subprocess.Popen(part.command, cwd=CHECKOUT, env=os.environ | part.environment,
                                    stdin=subprocess.DEVNULL, start_new_session=True, preexec_fn=end_with_parent())


def wait_for(part: Part, wakeup: socket.socket) -> int:
    """Wait until *part* answers; its exit code if it ended instead, else 0."""
    deadline = time.monotonic() + PATIENCE
    while part.process and part.process.poll() is None and part.answers_at and not answers(part.answers_at):
        if time.monotonic() > deadline:
            raise Wrong(f"the {part.name} process does not answer at {part.answers_at}: its messages are above")
        pause(wakeup, 0.05)
    return (part.process and part.process.returncode) or 0


def watch(parts: list[Part], postgres: LocalPostgres | None, wakeup: socket.socket) -> int:
    """Look after everything; return when there is no point in going on."""
    while True:
        pause(wakeup, 1.0)
        if postgres and not postgres.is_up():
            say("the local Postgres is gone: starting it again")
            postgres.start()
        for part in parts:
            code = part.process.poll() if part.process else None
            if code is None:
                continue
            now = time.monotonic()
            part.deaths = tuple(at for at in part.deaths if now - at < 60) + (now,)
            how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
            if len(part.deaths) >= OFTEN:
                say(f"the {part.name} process {how}, for the {OFTEN}th time in a minute: giving up")
                return 1
            # It is not waited for: it may itself wait for another that has to be begun again.
            say(f"the {part.name} process {how}: starting it again")
            start(part)


def stop(parts: list[Part]) -> None:
    """Ask all to end, the last first; after ten seconds make them."""
    running = [part.process for part in reversed(parts) if part.process and part.process.poll() is None]
    for process in running:
        process.terminate()
    deadline = time.monotonic() + 12
    for process in running:
        try:
            process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def end_with_parent() -> Callable[[], object] | None:
    """On Linux the parts end when we are killed, and leave no port taken."""
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None).prctl
    PR_SET_PDEATHSIG = 1
    return lambda: prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


# -- the outside


def check_free(name: str, port: int) -> None:
    """Refuse a port that another program has, before anything is started."""
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError as error:
        raise Wrong(f"port {port} cannot be had ({os.strerror(error.errno or 0)}); is Stay Away! running already? "
                    f"Stop that program, or choose another port: {name}={port + 10} bin/play") from None


def answers(address: str) -> bool:
    try:
        # No proxy: it is this machine that we ask.
        urllib.request.build_opener(urllib.request.ProxyHandler({})).open(address, timeout=5).close()
    except urllib.error.HTTPError as answer:
        answer.close()
        return True
    except OSError:
        return False
    return True


def greet(settings: Config, browser: bool) -> None:
    if settings.token:
        how = "over the webhook" if settings.public_url else "by long polling"
        say(f"the bot is on Telegram, {how} (Ctrl-C stops it)")
        return
    page = f"http://127.0.0.1:{settings.playground_port}/"
    say(f"play at {page} (Ctrl-C stops everything)")
    # Without a screen the webbrowser module would start a text browser on this very terminal.
    if browser and sys.stdout.isatty() and (sys.platform == "darwin" or os.environ.get("DISPLAY")
                                            or os.environ.get("WAYLAND_DISPLAY")):
        webbrowser.open(page)


def say(line: str) -> None:
    print(f"stay-away: {line}", flush=True)


@contextlib.contextmanager
def signals() -> Iterator[socket.socket]:
    """A socket that becomes readable when we are told to stop, whatever we are doing at the time."""
    ear, mouth = socket.socketpair()
    ear.setblocking(False)
    mouth.setblocking(False)
    before = {each: signal.signal(each, lambda *_: None) for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    wakeup = signal.set_wakeup_fd(mouth.fileno())
    try:
        yield ear
    finally:
        signal.set_wakeup_fd(wakeup)
        for each, handler in before.items():
            signal.signal(each, handler)
        ear.close()
        mouth.close()


def pause(wakeup: socket.socket, seconds: float) -> None:
    """Wait, but not for somebody who told us to stop."""
    readable, _, _ = select.select([wakeup], [], [], seconds)
    if readable:
        raise Stop
