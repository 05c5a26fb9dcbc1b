"""What goes wrong: refusals of the Bot API in Telegram's words, and mistakes of whoever drives the playground."""

from __future__ import annotations

from typing import Any

_PREFIX = {
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    409: "Conflict",
    429: "Too Many Requests",
    500: "Internal Server Error",
}


class Refused(Exception):
    """A call that Telegram refuses: a code, a description with its prefix, perhaps parameters."""

    def __init__(self, code: int, text: str = "", **parameters: Any) -> None:
        self.code = code
        self.parameters = parameters
        self.description = describe(code, text)
        super().__init__(self.description)

    def body(self) -> dict[str, Any]:
        """The JSON body of the answer."""
        body: dict[str, Any] = {"ok": False, "error_code": self.code, "description": self.description}
        if self.parameters:
            body["parameters"] = self.parameters
        return body


def describe(code: int, text: str) -> str:
    """The prefix of the code, and the text as Telegram spells it (fail_query_with_error: field/telegram.md 4.4)."""
    prefix = _PREFIX.get(code, "")
    if not text or not prefix:
        return prefix or text
    if code in (400, 401, 403, 500) and not (len(text) > 1 and (text[1] == "_" or text[1].isupper())):
        text = text[0].lower() + text[1:]
    return f"{prefix}: {text}"


def bad(text: str, **parameters: Any) -> Refused:
    """A 400."""
    return Refused(400, text, **parameters)


def unparsed(why: str) -> Exception:
    """The refusal of a text whose markup is not understood."""
    return bad(f"can't parse entities: {why}")


def forbidden(text: str) -> Refused:
    """A 403."""
    return Refused(403, text)


class Mistake(Exception):
    """Something the person at the controls cannot do, said in a sentence: an HTTP error of the control API."""

    def __init__(self, text: str, status: int = 400, **more: Any) -> None:
        self.status = status
        self.more = more
        super().__init__(text)
