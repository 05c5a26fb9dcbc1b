"""Bodies of HTTP requests to parameters: JSON, form, multipart."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import parse_qsl

from playground.errors import bad
from playground.methods import File


def encoding_of(content_type: str) -> str:
    """The short name of a content type."""
    kind = content_type.partition(";")[0].strip().lower()
    return {
        "application/json": "json",
        "multipart/form-data": "multipart",
        "application/x-www-form-urlencoded": "form",
    }.get(kind, "")


def read_query(query: bytes) -> dict[str, Any]:
    """The parameters in an address."""
    return dict(parse_qsl(query.decode("latin-1"), keep_blank_values=True))


def read_body(body: bytes, content_type: str) -> dict[str, Any]:
    """The parameters in a body."""
    if not body:
        return {}
    encoding = encoding_of(content_type)
    if encoding == "json":
        try:
            value = json.loads(body)
        except ValueError:
            raise bad("can't parse JSON object") from None
        if not isinstance(value, dict):
            raise bad("expected a JSON object")
        return value
    if encoding == "multipart":
        return _multipart(body, content_type)
    if encoding == "form":
        return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))
    return {}


def _multipart(body: bytes, content_type: str) -> dict[str, Any]:
    boundary = re.search(r'boundary="?([^";]+)"?', content_type)
    if not boundary:
        raise bad("can't find boundary of the multipart request")
    params: dict[str, Any] = {}
    for part in body.split(b"--" + boundary[1].encode())[1:-1]:
        head, _, data = part.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        data = data.removesuffix(b"\r\n")
        headers = head.decode("utf-8", "replace")
        name = re.search(r'[;\s]name="([^"]*)"', headers)
        if not name:
            continue
        file = re.search(r'filename="([^"]*)"', headers)
        params[name[1]] = File(file[1], data) if file else data.decode("utf-8", "replace")
    return params
