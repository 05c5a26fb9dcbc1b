"""The web process: takes Telegram's updates, commits, then answers; and says how it is.

Our own endpoint, because python-telegram-bot's confirms an update before it is processed. What it needs of the rest of
the bot is a *door*: a coroutine that takes an update, commits all that follows from it, and returns the reply that may
ride in the body of the answer (a Bot API call such as answerCallbackQuery), or nothing.
"""

import asyncio
import contextlib
import hmac
import json
import logging
import os
import re
import signal
import socket
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any, Protocol

import msgspec
import sqlalchemy.exc
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from .config import Config
from .errors import TryAgain, Wrong, told
from .transport import Api, Refused

log = logging.getLogger(__name__)

ALLOWED_UPDATES = ["message", "callback_query", "my_chat_member", "chat_member"]
LARGEST = 1_000_000
# Heroku, Render and the rest give 30 s between SIGTERM and SIGKILL; we need no more than this.
FINISH = 10.0

Update = dict[str, Any]
Reply = dict[str, Any] | None
Door = Callable[[Update], Awaitable[Reply]]
# "" when all is well, else the reason.
Ready = Callable[[], Awaitable[str]]
# Runs until it is cancelled: the sender, the clock.
Background = Callable[[], Awaitable[None]]

# The database is away, or its pool is empty: Telegram shall keep the update.
AWAY = (sqlalchemy.exc.OperationalError, sqlalchemy.exc.InterfaceError, sqlalchemy.exc.TimeoutError)


class Service(Protocol):
    """What `service.build(config)` returns: the bot, put together."""

    @property
    def door(self) -> Door: ...

    @property
    def background(self) -> Sequence[Background]: ...

    async def ready(self) -> str: ...

    async def close(self) -> None: ...


REFUSED = "BOT_TOKEN was refused by Telegram: copy it anew from @BotFather (it changes when revoked)"


class Unreadable(Exception):
    """The body is not a JSON object with an integer update_id."""


class TooLarge(Exception):
    """The body is over a megabyte."""


# -- the application


def create_app(door: Door, secret: str, ready: Ready) -> Starlette:
    """The web application around *door*; who does not show *secret* does not get in."""
    expected = secret.encode()

    async def telegram(request: Request) -> Response:
        shown = request.headers.get("x-telegram-bot-api-secret-token", "").encode("latin-1")
        if not hmac.compare_digest(shown, expected):
            return PlainTextResponse("the secret is missing or wrong", 401)
        try:
            update = read_update(await body_of(request))
        except TooLarge:
            return PlainTextResponse("over a megabyte", 413)
        except Unreadable:
            return PlainTextResponse("not a JSON object with an integer update_id", 400)
        try:
            reply = await door(update)
        except TryAgain as wait:
            return PlainTextResponse("not now", 503, {"Retry-After": str(wait.after)})
        except AWAY as error:
            log.warning("update %d: no database (%s)", update["update_id"], told(error))
            return PlainTextResponse("not now", 503, {"Retry-After": "2"})
        except Exception as error:
            # The door has counted the failure; the third time it puts the update aside.
            log.error("update %d failed: %s", update["update_id"], told(error))
            return PlainTextResponse("failed", 500)
        if reply is None:
            return Response()
        return Response(msgspec.json.encode(reply), media_type="application/json")

    async def healthz(request: Request) -> Response:
        return PlainTextResponse("alive")

    async def readyz(request: Request) -> Response:
        if request.app.state.stopping:
            return PlainTextResponse("stopping", 503)
        try:
            async with asyncio.timeout(5):
                reason = await ready()
        except Exception as error:
            log.warning("not ready: %s", told(error))
            reason = "no answer from the database"
        return PlainTextResponse(reason or "ready", 503 if reason else 200)

    app = Starlette(routes=[
        Route("/telegram", telegram, methods=["POST"]),
        Route("/healthz", healthz),
        Route("/readyz", readyz),
    ])
    app.router.redirect_slashes = False
    app.state.stopping = False
    return app


async def body_of(request: Request) -> bytes:
    """The body, and never more of it in memory than we would take."""
    declared = request.headers.get("content-length", "0")
    if declared.isdigit() and int(declared) > LARGEST:
        raise TooLarge
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST:
            raise TooLarge
    return bytes(body)


def read_update(body: bytes) -> Update:
    """The update in *body*.

    >>> read_update(b'{"update_id": 7, "message": {}}')
    {'update_id': 7, 'message': {}}
    """
    try:
        update = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError, ValueError):
        update = read_leniently(body)
    if not isinstance(update, dict):
        raise Unreadable
    number = update.get("update_id")
    if type(number) is not int or not -(2**63) <= number < 2**63:  # a bool is an int, to Python alone
        raise Unreadable
    if b"\\u0000" in body:
        update = storable(update)
    return dict(update)


def read_leniently(body: bytes) -> Any:
    """The same for half a surrogate pair, which JSON allows, and msgspec and Postgres do not."""
    try:
        return storable(json.loads(body.decode(), parse_constant=refuse))
    except (ValueError, RecursionError):
        raise Unreadable from None


def refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def storable(value: Any) -> Any:
    """*value* without what Postgres cannot keep: NUL and lone surrogates."""
    if isinstance(value, str):
        return re.sub("[\0\ud800-\udfff]", "\ufffd", value)
    if isinstance(value, dict):
        return {storable(key): storable(each) for key, each in value.items()}
    if isinstance(value, list):
        return [storable(each) for each in value]
    return value


# -- the process


class Server(uvicorn.Server):
    """uvicorn without its signal handlers: they end the process before our sender has put its things away."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def serve(app: Starlette, sockets: list[socket.socket], background: Sequence[Background] = ()) -> None:
    """Serve *app* and run *background* until SIGTERM or SIGINT; then finish what was begun, in ten seconds at most."""
    server = Server(uvicorn.Config(app, log_config=None, access_log=False, lifespan="off", server_header=False,
                                   # uvicorn's 5 s would cut connections that Telegram and routers keep for a minute.
                                   timeout_keep_alive=75, timeout_graceful_shutdown=int(FINISH) - 2))
    async with stopping() as stop:
        work = [asyncio.create_task(keep_up(each)) for each in background]
        serving = asyncio.create_task(server.serve(sockets=sockets))
        waiting = asyncio.create_task(stop.wait())
        try:
            await asyncio.wait({serving, waiting}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            app.state.stopping = True
            waiting.cancel()
            server.should_exit = True
            for task in work:  # what the presses in flight leave to be said, others say
                task.cancel()
            await asyncio.wait({serving, *work}, timeout=FINISH - 1)
            for each in sockets:
                each.close()
        if serving.done():
            serving.result()


async def run(config: Config, service: Service, *, host: str = "") -> None:
    """The web process: everything in one, the endpoint, the sender and the clock."""
    app = create_app(service.door, config.secret, service.ready)
    await serve(app, listen(host, config.port), service.background)


@contextlib.asynccontextmanager
async def stopping() -> Any:
    """An event that SIGTERM (hosts) or SIGINT (people, fly.io) sets."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    signals = (signal.SIGTERM, signal.SIGINT)
    for each in signals:
        loop.add_signal_handler(each, stop.set)
    try:
        yield stop
    finally:
        for each in signals:
            loop.remove_signal_handler(each)


async def keep_up(work: Background) -> None:
    """Run *work* for good: when it fails, say so and begin it again, less and less often."""
    pause = 1.0
    while True:
        begun = time.monotonic()
        try:
            await work()
            return
        except Exception as error:
            log.error("%s failed and begins again: %s", getattr(work, "__qualname__", "a background job"), told(error))
        pause = 1.0 if time.monotonic() - begun > 60 else min(pause * 2, 30.0)
        await asyncio.sleep(pause)


def listen(host: str, port: int) -> list[socket.socket]:
    """The sockets to serve on; without a *host*, every address of both families (some hosts route IPv6 inside)."""
    try:
        if not host and socket.has_dualstack_ipv6():
            with contextlib.suppress(OSError):
                return [socket.create_server(("::", port), family=socket.AF_INET6, dualstack_ipv6=True, backlog=2048)]
        return [socket.create_server((host or "0.0.0.0", port), backlog=2048)]
    except OSError as error:
        raise Wrong(f"PORT {port} cannot be had ({os.strerror(error.errno or 0)}): stop the program that has it, "
                    "or set PORT to another number") from None


# -- telling Telegram where we are


async def set_webhook(api: Api, config: Config) -> bool:
    """Have the updates sent to us; True if Telegram did not know yet. What is waiting there stays waiting for us."""
    url = config.webhook_url
    if url is None:
        return False
    now = await api.call("getWebhookInfo")
    if now.get("url") == url and sorted(now.get("allowed_updates") or []) == sorted(ALLOWED_UPDATES):
        return False
    await api.call("setWebhook", {"url": url, "secret_token": config.secret, "allowed_updates": ALLOWED_UPDATES,
                                  "max_connections": 40, "drop_pending_updates": False})
    return True


async def introduce(api: Api) -> dict[str, Any]:
    """Who we are, as Telegram says; a wrong token ends here."""
    try:
        me = await api.call("getMe")
    except Refused as refused:
        if refused.code in (401, 404):
            raise Wrong(REFUSED) from None
        raise
    return dict(me)
