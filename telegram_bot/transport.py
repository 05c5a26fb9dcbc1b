"""How we reach a Bot API server: one pool of connections, for python-telegram-bot and for raw calls.

aiohttp, because python-telegram-bot's own httpx costs 2.8 ms of processor time an update where this costs 1.2, and
12 ms with forty requests in flight (field/telegram.md 5).

Two failures are told apart, because a message sent twice is worse than one sent late:
`NotSent`    no connection was made, so nothing can have happened: send again
`MaybeSent`  the request may have left, and Telegram may have done it: do not blindly send again
Both are `telegram.error.NetworkError`; `MaybeSent` is `telegram.error.TimedOut`. What Telegram answered keeps the types
of python-telegram-bot (BadRequest, Forbidden, RetryAfter ...).
"""

import ipaddress
import ssl
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import certifi
import msgspec
from telegram.error import NetworkError, TelegramError, TimedOut
from telegram.request import BaseRequest, RequestData
from yarl import URL

CONNECT = 5.0
READ = 10.0
POOL = 5.0
WRITE = 20.0


class NotSent(NetworkError):
    """No connection was made, or none was free: the request never left."""


class MaybeSent(TimedOut):
    """The connection broke, or no answer came in time: whether Telegram did it is unknown."""


class Refused(Exception):
    """The Bot API server answered a raw call with an error."""

    def __init__(self, code: int, description: str, retry_after: int | None = None) -> None:
        super().__init__(f"{code} {description}")
        self.code = code
        self.description = description
        self.retry_after = retry_after


class AiohttpRequest(BaseRequest):
    """python-telegram-bot's way to a Bot API server, over aiohttp. *pool_size* requests may be in flight at once."""

    def __init__(self, *, pool_size: int = 64, trust_env: bool = True) -> None:
        self.pool_size = pool_size
        self.trust_env = trust_env
        self.session: aiohttp.ClientSession | None = None

    @property
    def read_timeout(self) -> float:
        return READ

    async def initialize(self) -> None:
        if self.session is None or self.session.closed:
            certificates = ssl.create_default_context()
            certificates.load_verify_locations(certifi.where())  # python.org's macOS builds come without any
            self.session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=self.pool_size, ssl=certificates, ttl_dns_cache=300),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={"User-Agent": self.USER_AGENT},
                trust_env=self.trust_env,
            )

    async def shutdown(self) -> None:
        if self.session is not None:
            await self.session.close()
            self.session = None

    async def do_request(
        self,
        url: str,
        method: str,
        request_data: RequestData | None = None,
        read_timeout: Any = BaseRequest.DEFAULT_NONE,
        write_timeout: Any = BaseRequest.DEFAULT_NONE,
        connect_timeout: Any = BaseRequest.DEFAULT_NONE,
        pool_timeout: Any = BaseRequest.DEFAULT_NONE,
    ) -> tuple[int, bytes]:
        def seconds(given: Any, usual: float) -> float | None:
            return usual if given is BaseRequest.DEFAULT_NONE else given  # None is no limit

        body: Any = None
        headers = {}
        if request_data is not None and request_data.contains_files:
            body = aiohttp.FormData()
            for name, value in request_data.json_parameters.items():
                body.add_field(name, value)
            for name, (filename, content, kind) in request_data.multipart_data.items():
                body.add_field(name, content, filename=filename, content_type=kind)
        elif request_data is not None:
            body = msgspec.json.encode(request_data.parameters)
            headers = {"Content-Type": "application/json"}
        return await self.exchange(
            method, url, body, headers,
            read=seconds(read_timeout, READ), write=seconds(write_timeout, WRITE),
            connect=seconds(connect_timeout, CONNECT), pool=seconds(pool_timeout, POOL))

    async def exchange(self, method: str, url: str, body: Any, headers: Mapping[str, str], *, read: float | None = READ,
                       write: float | None = WRITE, connect: float | None = CONNECT,
                       pool: float | None = POOL) -> tuple[int, bytes]:
        """One request and its answer, or NotSent, or MaybeSent. No message names the address: it holds the token."""
        if self.session is None:
            raise RuntimeError("initialize() comes first")
        limits = aiohttp.ClientTimeout(
            total=None if None in (read, write, connect, pool) else read + write + connect + pool,  # type: ignore[operator]
            connect=None if None in (connect, pool) else connect + pool,  # type: ignore[operator]
            sock_connect=connect, sock_read=read)
        try:
            async with self.session.request(method, URL(url, encoded=True), data=body, headers=headers, timeout=limits,
                                            allow_redirects=False) as answer:
                return answer.status, await answer.read()
        except (aiohttp.ConnectionTimeoutError, aiohttp.ClientConnectorError, aiohttp.InvalidURL) as error:
            raise NotSent(f"No connection: {type(error).__name__}") from error
        except (TimeoutError, aiohttp.ClientError, OSError) as error:
            raise MaybeSent(f"No answer: {type(error).__name__}") from error

    @staticmethod
    def parse_json_payload(payload: bytes) -> dict[str, Any]:
        """What the server said. Unlike the original this does not log what it cannot read: it may be a private text."""
        try:
            return dict(msgspec.json.decode(payload))
        except (msgspec.DecodeError, ValueError, TypeError) as error:
            raise TelegramError("Invalid server response") from error


class Api:
    """Raw calls to the Bot API, for what is said before, or beside, python-telegram-bot's objects."""

    def __init__(self, request: AiohttpRequest, server: str, token: str) -> None:
        self.request = request
        self.base = f"{server}/bot{token}/"

    async def call(self, method: str, parameters: Mapping[str, Any] | None = None, *, read: float = READ) -> Any:
        """The result of *method*; Refused, NotSent or MaybeSent."""
        body = msgspec.json.encode(parameters or {})
        code, payload = await self.request.exchange("POST", self.base + method, body,
                                                    {"Content-Type": "application/json"}, read=read)
        try:
            answer = msgspec.json.decode(payload)
            if answer["ok"]:
                return answer["result"]
            description, more = str(answer.get("description", "")), answer.get("parameters") or {}
        except (msgspec.DecodeError, KeyError, TypeError, AttributeError):
            # A gateway on the way, in HTML.
            description, more = "an answer that is not the Bot API's", {}
        raise Refused(code, description, more.get("retry_after"))


def request_for(server: str, *, pool_size: int = 64) -> AiohttpRequest:
    """A way to *server*. A proxy of the environment is not for a server on this machine."""
    host = urlsplit(server).hostname or ""
    try:
        near = ipaddress.ip_address(host).is_loopback
    except ValueError:
        near = host == "localhost"
    return AiohttpRequest(pool_size=pool_size, trust_env=not near)
