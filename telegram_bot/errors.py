"""What can be in the way, as situations; and how a failure is told without telling a hand."""

import traceback


class Wrong(Exception):
    """The program cannot run as it was set up; str() is one line that says what is wrong and how to mend it."""


class TryAgain(Exception):
    """This update cannot be taken now (newer code wrote the game, the database is away); in *after* seconds perhaps."""

    def __init__(self, reason: str = "", *, after: int = 2) -> None:
        super().__init__(reason)
        self.after = after


def told(error: BaseException) -> str:
    """Where *error* happened, without its message: that may hold a hand, a password or the token.

    >>> try:
    ...     {}["The Thing"]
    ... except KeyError as error:
    ...     told(error).split(" ")[0]
    'KeyError'
    """
    lines = []
    one: BaseException | None = error
    while one is not None:
        frames = traceback.extract_tb(one.__traceback__)[-6:]
        way = " > ".join(f"{'/'.join(frame.filename.split('/')[-2:])}:{frame.lineno} {frame.name}" for frame in frames)
        lines.append(f"{type(one).__name__} at {way or 'no place'}")
        one = one.__cause__ or (None if one.__suppress_context__ else one.__context__)
    return ", because of ".join(lines)
