"""The control API: everything people do, everything that can be seen, and everything that can go wrong, over HTTP.

Each function is one address; its keyword arguments are the fields it takes. The manual is docs/playground.md.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from playground import text
from playground.control.base import ROUTES, Data
from playground.control.groups import Groups
from playground.control.people import People
from playground.control.pressing import Pressing
from playground.control.record import Record
from playground.control.waiting import Waiting
from playground.control.whole import Whole
from playground.errors import Mistake, Refused

if TYPE_CHECKING:
    from playground.server import Playground

__all__ = ["ROUTES", "Controls", "app"]

PAGE = Path(__file__).parent.parent / "page"


class Controls(Whole, People, Groups, Pressing, Waiting, Record):
    """The hands at the controls."""


async def _page(request: Request) -> Response:
    name = request.path_params.get("name") or "index.html"
    path = PAGE / name
    if path.parent != PAGE or not path.is_file() or path.suffix not in (".html", ".css", ".js", ".svg"):
        return PlainTextResponse("not found", 404)
    return FileResponse(
        path,
        headers={
            "Cache-Control": "no-cache",
            "X-Content-Type-Options": "nosniff",
            "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
            "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
            "frame-ancestors 'none'",
            "Referrer-Policy": "no-referrer",
        },
    )


def _endpoint(controls: Controls, name: str) -> Callable[[Request], Any]:
    function = getattr(controls, name)
    parameters = inspect.signature(function).parameters
    anything = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    known = [p for p, v in parameters.items() if v.kind is not v.VAR_KEYWORD]

    async def answer(request: Request) -> Response:
        try:
            given: Data = dict(request.query_params)
            body = await request.body()
            if body:
                try:
                    value = json.loads(body)
                except ValueError:
                    raise Mistake("the body is no JSON") from None
                if not isinstance(value, dict):
                    raise Mistake("the body is no JSON object")
                given |= value
            given |= request.path_params
            given = _whole(given)
            if "as" in given:
                given["as_"] = given.pop("as")
            wrong = [k for k in given if k not in known]
            if wrong and not anything:
                fields_ = ", ".join(k.rstrip("_") for k in known) or "none"
                raise Mistake(f"there is no field {', '.join(wrong)} here; there are {fields_}")
            result = await function(**given)
        except Mistake as mistake:
            return JSONResponse({"error": str(mistake), **mistake.more}, mistake.status)
        except Refused as refusal:
            return JSONResponse({"error": refusal.description}, 400)
        except (TypeError, ValueError, AttributeError) as problem:
            return JSONResponse({"error": f"that could not be read: {problem}"}, 400)
        if isinstance(result, Response):
            return result
        return _Json(result)

    return answer


def _whole(value: Any) -> Any:
    """*value* with every text in it made whole: JSON can spell half characters, Telegram cannot."""
    if isinstance(value, str):
        return text.whole(value)
    if isinstance(value, dict):
        return {_whole(k): _whole(v) for k, v in value.items()}
    return [_whole(v) for v in value] if isinstance(value, list) else value


class _Json(JSONResponse):
    """JSON in ASCII: whatever a hostile name holds arrives as it is."""

    def render(self, content: Any) -> bytes:
        return json.dumps(content, ensure_ascii=True, allow_nan=False, separators=(",", ":"), default=str).encode()


class _Guard:
    """Turns away what another web page sends here: a foreign Origin, or a Host that is no address of this machine."""

    def __init__(self, app: Any, host: str) -> None:
        self.app, self.host = app, host

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            headers = {k: v.decode("latin-1") for k, v in scope["headers"]}
            host, origin = headers.get(b"host", ""), headers.get(b"origin")
            if not self._is_home(host) or (origin is not None and urlsplit(origin).netloc != host):
                response = JSONResponse(
                    {"error": "this playground listens to its own page and to scripts, not to other pages"}, 403
                )
                await response(scope, receive, send)
                return
        await self.app(scope, receive, send)

    def _is_home(self, host: str) -> bool:
        name = re.sub(r":\d+$", "", host)
        # A foreign page can only point its own domain here (DNS rebinding), and a domain has a dot and a letter.
        return (
            name in (self.host, "localhost")
            or "." not in name
            or re.fullmatch(r"[\d.]+|\[[0-9a-fA-F:.]+\]", name) is not None
        )


def app(playground: Playground) -> Any:
    """The control API and the page as an ASGI application."""
    controls = playground.controls = Controls(playground)
    routes = [
        Route(path, _endpoint(controls, name), methods=[verb])
        for verb, path, name in sorted(ROUTES, key=lambda r: (r[1].count("{"), -len(r[1])))
    ]
    routes += [Route("/", _page), Route("/{name}", _page)]
    return _Guard(Starlette(routes=routes, exception_handlers={404: _nothing, 405: _nothing}), playground.host)


async def _nothing(request: Request, problem: Exception) -> Response:
    status = getattr(problem, "status_code", 404)
    why = (
        "this address does not take " + request.method
        if status == 405
        else "there is no such address; docs/playground.md has them all"
    )
    return JSONResponse({"error": why}, status)
