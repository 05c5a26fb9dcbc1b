"""A router in front of several web processes, as hosts have one: Telegram knows a single address.

Every request goes to the next process, over connections that are kept. A process that refuses the connection is passed
over; one that dies with a request in hand costs a 502, for nobody knows whether it had been taken.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from typing import TypeAlias

Wire: TypeAlias = "tuple[asyncio.StreamReader, asyncio.StreamWriter]"

GONE = (OSError, asyncio.IncompleteReadError, ValueError)


class Balancer:
    """Listens on *port* of this machine and hands requests to the *backends* in turn."""

    def __init__(self, backends: list[int]) -> None:
        self.backends = deque(backends)
        self.port = 0
        self.refused = 0  # requests for which no process was there
        self.broken = 0  # requests whose process died with them
        self._idle: dict[int, list[Wire]] = {port: [] for port in backends}
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Balancer:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *error: object) -> None:
        assert self._server is not None
        self._server.close()
        for wires in self._idle.values():
            for _, writer in wires:
                writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(*GONE), contextlib.closing(writer):
            while True:
                request = await _message(reader)
                writer.write(await self._answer(request))
                await writer.drain()

    async def _answer(self, request: bytes) -> bytes:
        for _ in range(len(self.backends)):
            port = self.backends[0]
            self.backends.rotate(-1)
            wire = self._kept(port)
            if wire is not None:
                return await self._ask(port, wire, request)
            try:
                wire = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                continue
            return await self._ask(port, wire, request)
        self.refused += 1
        return _refusal("503 Service Unavailable")

    def _kept(self, port: int) -> Wire | None:
        """A connection to that process that is free, and was not closed at the other end."""
        wires = self._idle[port]
        while wires:
            reader, writer = wires.pop()
            if not reader.at_eof() and not writer.is_closing():
                return reader, writer
            writer.close()
        return None

    async def _ask(self, port: int, wire: Wire, request: bytes) -> bytes:
        reader, writer = wire
        try:
            writer.write(request)
            await writer.drain()
            answer = await _message(reader)
        except GONE:
            writer.close()
            self.broken += 1
            return _refusal("502 Bad Gateway")
        self._idle[port].append(wire)
        return answer


async def _message(reader: asyncio.StreamReader) -> bytes:
    """A request or an answer, with its body."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = 0
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            length = int(line[15:])
    return head + await reader.readexactly(length) if length else head


def _refusal(status: str) -> bytes:
    return f"HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n".encode()
