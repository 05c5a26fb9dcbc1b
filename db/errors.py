"""The database's errors as situations: what a use case has to know of them, and never with what values."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from sqlalchemy import exc


class Away(Exception):
    """The database cannot be had now (503: Telegram comes again). Nothing was done, or it will be found done."""


class Newer(Exception):
    """The game was written by newer code, which alone may go on with it (503 during a deploy)."""


class Failed(Exception):
    """The database refused a statement: a mistake of ours. Says which rule was hit, never with what values."""


@contextlib.contextmanager
def database_errors() -> Iterator[None]:
    """The database's errors as ours. Its own may repeat a row ("Failing row contains ..."), hence nothing of it."""
    try:
        yield
    except (exc.OperationalError, exc.InterfaceError, exc.TimeoutError, OSError) as error:
        raise Away(_situation(error)) from None
    except exc.DBAPIError as error:
        if error.connection_invalidated or _constraint(error) == "games_one_open":
            raise Away(_situation(error)) from None
        raise Failed(_situation(error)) from None


def _situation(error: BaseException) -> str:
    cause = getattr(error, "orig", None) or error
    words = [type(cause).__name__, getattr(cause, "sqlstate", None), _constraint(error)]
    return " ".join(word for word in words if word)


def _constraint(error: BaseException) -> str | None:
    diag = getattr(getattr(error, "orig", None), "diag", None)
    return getattr(diag, "constraint_name", None)
