"""What DATABASE_URL may look like, and the two spellings we need of it."""

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError


class BadUrl(ValueError):
    """The text is not the address of a PostgreSQL database; str() says why, without repeating a password."""


def normal(url: str) -> URL:
    """The address as SQLAlchemy wants it. Hosts still write postgres://, which SQLAlchemy no longer knows."""
    try:
        parsed = make_url(url.strip())
        port = parsed.port
    except (ArgumentError, ValueError):
        # Their messages repeat the text, and with it the password.
        raise BadUrl("not an address of the form postgresql://user:password@host:5432/name") from None
    kind, _, driver = parsed.drivername.partition("+")
    if kind not in ("postgres", "postgresql") or driver not in ("", "psycopg"):
        raise BadUrl(f"starts with {parsed.drivername}://, and only postgresql:// is spoken here")
    if port is not None and not 0 < port < 65536:
        raise BadUrl("has an impossible port")
    return parsed.set(drivername="postgresql+psycopg")


def conninfo(url: str | URL) -> str:
    """The same address as libpq's words, for psycopg.connect."""
    from psycopg.conninfo import make_conninfo

    parsed = normal(url) if isinstance(url, str) else url
    given = parsed.translate_connect_args(username="user", database="dbname")
    given |= {name: value if isinstance(value, str) else value[-1] for name, value in parsed.query.items()}
    return make_conninfo(**given)


def text(url: URL) -> str:
    """The address with its password, for whoever connects with it; never for a log."""
    address, question, query = url.render_as_string(hide_password=False).partition("?")
    return address + question + query.replace("+", "%20")  # libpq reads only the latter as a space
