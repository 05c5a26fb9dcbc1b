"""How the program is set up: the environment, read once, or one line that says what is wrong with it."""

import asyncio
import difflib
import hashlib
import hmac
import logging
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import psycopg

from db import url as database

from .errors import Wrong, told

log = logging.getLogger(__name__)

log = logging.getLogger(__name__)

TELEGRAM = "https://api.telegram.org"

KNOWN = {
    "BOT_TOKEN": "the bot's token, from @BotFather",
    "PUBLIC_URL": "the https address at which Telegram reaches the web process",
    "WEBHOOK_SECRET": "what Telegram shows us with each update; derived from the token if absent",
    "DATABASE_URL": "postgresql://user:password@host:5432/name",
    "PORT": "where the web process listens (8080)",
    "TELEGRAM_API": "the address of another Bot API server",
    "LOG_LEVEL": "debug, info, warning or error (info)",
    "PLAYGROUND_PORT": "where the playground listens (8081)",
}


@dataclass(frozen=True)
class Config:
    """All that may be set. Secrets are left out of the repr, so that no log shows them."""

    token: str | None = field(default=None, repr=False)
    secret: str = field(default="", repr=False)
    database_url: str | None = field(default=None, repr=False)
    public_url: str | None = None
    port: int = 8080
    telegram_api: str = TELEGRAM
    log_level: str = "INFO"
    playground_port: int = 8081

    @property
    def webhook_url(self) -> str | None:
        """Where updates are to be sent. The fingerprint changes with the secret, which Telegram never tells back."""
        if not self.public_url or not self.token:
            return None
        fingerprint = hmac.new(self.token.encode(), self.secret.encode(), hashlib.sha256).hexdigest()[:12]
        return f"{self.public_url}/telegram?secret={fingerprint}"

    @property
    def bot_token(self) -> str:
        if not self.token:
            raise Wrong("BOT_TOKEN is not set: get one from @BotFather in Telegram and set it")
        return self.token

    @property
    def database(self) -> str:
        if not self.database_url:
            raise Wrong("DATABASE_URL is not set: set it to postgresql://user:password@host:5432/name "
                        "(bin/play brings a Postgres of its own)")
        return self.database_url


def read(environment: Mapping[str, str]) -> Config:
    """The configuration that *environment* describes."""
    given = {name: value.strip() for name, value in environment.items() if name in KNOWN and value.strip()}
    for name in environment:
        refuse_unknown(name, given)
    token = given.get("BOT_TOKEN")
    if token and not re.fullmatch(r"[0-9]+:[A-Za-z0-9_-]+", token):
        raise Wrong("BOT_TOKEN is no bot token: one looks like 123456789:AAF... and comes from @BotFather")
    api = address("TELEGRAM_API", given.get("TELEGRAM_API", TELEGRAM), ("https", "http"), "http://127.0.0.1:8081")
    return Config(
        token=token,
        secret=secret(given.get("WEBHOOK_SECRET"), token),
        database_url=database_url(given.get("DATABASE_URL")),
        public_url=public_url(given.get("PUBLIC_URL"), api),
        port=port("PORT", given.get("PORT", "8080")),
        telegram_api=api,
        log_level=log_level(given.get("LOG_LEVEL", "info")),
        playground_port=port("PLAYGROUND_PORT", given.get("PLAYGROUND_PORT", "8081")),
    )


def refuse_unknown(name: str, given: Mapping[str, str]) -> None:
    """Refuse a name that can only be a misspelt option: an environment holds many that are none of ours."""
    if name in KNOWN:
        return
    if name.upper().startswith("STAY_AWAY_"):
        raise Wrong(f"{name} is no option: there are {', '.join(KNOWN)}")
    for meant in difflib.get_close_matches(name.upper(), KNOWN, n=1, cutoff=0.9):
        if meant not in given and len(meant) > 4:
            raise Wrong(f"{name} is no option: did you mean {meant} ({KNOWN[meant]})?")


def secret(given: str | None, token: str | None) -> str:
    if given is None:
        return hmac.new((token or "").encode(), b"stay-away webhook", hashlib.sha256).hexdigest()
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,256}", given):
        raise Wrong("WEBHOOK_SECRET must be 1 to 256 of A-Z, a-z, 0-9, _ and -: choose another, or leave it out")
    return given


def database_url(given: str | None) -> str | None:
    if given is None:
        return None
    try:
        return database.text(database.normal(given))
    except database.BadUrl as bad:
        raise Wrong(f"DATABASE_URL is wrong: {bad}; set it to postgresql://user:password@host:5432/name") from None


def public_url(given: str | None, api: str) -> str | None:
    if given is None:
        return None
    # Telegram itself calls https only; a Bot API server of one's own may sit next door.
    found = address("PUBLIC_URL", given, ("https",) if api == TELEGRAM else ("https", "http"), "https://bot.example.org")
    if api == TELEGRAM and urlsplit(found).port not in (None, 443, 80, 88, 8443):
        raise Wrong("PUBLIC_URL has a port that Telegram does not call: use 443, 80, 88 or 8443")
    return found


def address(name: str, given: str, schemes: tuple[str, ...], example: str) -> str:
    try:
        parts = urlsplit(given)
        fine = parts.scheme in schemes and parts.hostname and not parts.query and not parts.fragment and (parts.port, 1)
    except ValueError:
        fine = False
    if not fine or parts.username or re.search(r"[\s\\]", given):
        raise Wrong(f"{name} must be an address that begins with {' or '.join(f'{scheme}://' for scheme in schemes)}, "
                    f"such as {example}")
    return given.rstrip("/")


def port(name: str, given: str) -> int:
    if not re.fullmatch(r"[0-9]{1,5}", given) or not 0 < int(given) < 65536:
        raise Wrong(f"{name} must be a number from 1 to 65535, and is {given!r:.40}")
    return int(given)


def log_level(given: str) -> str:
    if given.upper() not in ("DEBUG", "INFO", "WARNING", "ERROR"):
        raise Wrong(f"LOG_LEVEL must be debug, info, warning or error, and is {given!r:.40}")
    return given.upper()


# -- what only a try can tell


def check_database(url: str, absent: float = 0.0, starting: float = 60.0) -> None:
    """Refuse a database that does not answer.

    One that says it is just starting, or stopping, is waited for, *starting* seconds; and a server that is not there at
    all *absent* seconds, for it may be between the two.
    """
    begun, waits = time.monotonic(), False
    while True:
        try:
            psycopg.connect(database.conninfo(url), connect_timeout=10).close()
            return
        except psycopg.Error as error:
            # Its first line names host, port and user, never the password.
            reason = (str(error).strip().splitlines() or ["no reason given"])[0]
            said = str(error)
            patience = starting if "the database system is" in said else absent if is_absent(said) else 0.0
            if time.monotonic() - begun >= patience:
                raise Wrong(f"DATABASE_URL leads to no database: {reason}; start it, or correct the address") from None
            if not waits:
                log.warning("waiting for the database: %s", reason)
            waits = True
        time.sleep(0.2)


def is_absent(said: str) -> bool:
    """Whether there is no server behind an address that may have had one a moment ago, by libpq's words.

    >>> is_absent("connection failed: Connection refused"), is_absent("password authentication failed")
    (True, False)
    """
    return any(words in said for words in ("Connection refused", "Connection reset", "No such file",
                                           "server closed the connection"))


class Discreet(logging.Formatter):
    """Writes log lines without the secrets of the set-up, whoever put them there (a library), and without what an
    exception says: that may be a hand."""

    def __init__(self, settings: Config) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")
        password = database.normal(settings.database_url).password if settings.database_url else None
        self.secrets = [each for each in (settings.token, settings.secret, password) if each]

    def format(self, record: logging.LogRecord) -> str:
        line = super().format(record)
        for each in self.secrets:
            line = line.replace(each, "***")
        return line

    def formatException(self, info: Any) -> str:
        return told(info[1]) if info[1] is not None else ""


def set_up_logging(settings: Config) -> None:
    """Log to stderr, a line an event."""
    handler = logging.StreamHandler()
    handler.setFormatter(Discreet(settings))
    logging.basicConfig(level=settings.log_level, handlers=[handler], force=True)
    # Where a line cannot be written, the traceback of that would show the words of whatever exception it is about.
    logging.raiseExceptions = False
    # Below warnings these show whole requests, and in them hands. Nobody's LOG_LEVEL may ask for that.
    for name in ("httpx", "httpcore", "aiohttp", "telegram", "apscheduler", "sqlalchemy", "alembic", "asyncio",
                 "uvicorn"):
        logging.getLogger(name).setLevel(logging.WARNING)
    # That a connection died while it was given back is told with a whole traceback, and means nothing: the next is new.
    logging.getLogger("sqlalchemy.pool").setLevel(logging.CRITICAL)


def tell_discreetly(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """What asyncio says of a task that nobody asked how it ended: not with what its exception says."""
    error = context.get("exception")
    log.error("%s (%s)", context.get("message"), told(error) if error is not None else "no exception")
