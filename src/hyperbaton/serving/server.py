"""The process: a socket, connections that do not stay for ever, and a quiet end.

At SIGTERM or SIGINT the server takes no more connections, finishes the requests under way and
returns. A connection is cut that takes too long to send a request or to read an answer.
"""

import asyncio
import logging
import socket
import time
from collections.abc import Collection, Iterator
from typing import Any, TypeAlias

import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hyperbaton.foundation.errors import DataError, reason
from hyperbaton.serving.limits import RequestLimits
from hyperbaton.serving.protection import MOST_HEADER_BYTES

HEADER_SECONDS = 10.0  # for the head of a request
KEPT_SECONDS = 5  # for the next request over the same connection
MOST_CONNECTIONS = 500  # far fewer than the files that a process may open
BACKLOG = 100  # connections that wait to be accepted, all at once
INTERVAL = 0.1  # seconds between looks at the connections
Client: TypeAlias = tuple[str, int] | None  # None: it went away at once


class Patience:
    """Around the application: cuts connections that wait too long, or longest if there are many.

    A connection waits for a request to arrive, or for its answer to be complete. A request has
    arrived when its body has: half a request keeps no other connection out. To be answered and to
    be read, a request has the limit of `seconds` three times.
    """

    def __init__(self, app: ASGIApp, limits: RequestLimits) -> None:
        self._app, self._limits = app, limits
        self.connections: Collection[Any] = ()  # the server's: each has a `client`, a `transport`
        self._since: dict[Client, float] = {}  # when each client began to wait
        self._answered: set[Client] = set()  # those that wait for an answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            cutting = asyncio.create_task(self._cut())  # until the last request is answered
            try:
                await self._app(scope, receive, send)
            finally:
                cutting.cancel()
            return
        client = scope["client"]
        self._since[client] = time.monotonic()

        async def receive_all() -> Message:
            message = await receive()
            if message["type"] == "http.request" and not message.get("more_body"):
                self._answered.add(client)
            return message

        try:
            await self._app(scope, receive_all, send)
        finally:
            self._since[client] = time.monotonic()
            self._answered.discard(client)

    async def _cut(self) -> None:
        while True:
            for transport in self._too_slow():
                transport.abort()
            await asyncio.sleep(INTERVAL)

    def _too_slow(self) -> Iterator[asyncio.Transport]:
        now = time.monotonic()
        transports = {one.client: one.transport for one in self.connections}
        self._since = {client: self._since.get(client, now) for client in transports}
        idle = sorted(transports.keys() - self._answered, key=self._since.__getitem__)
        for client in idle[: max(len(transports) - MOST_CONNECTIONS, 0)]:
            yield transports[client]
        for client, since in self._since.items():
            longest = 3 * self._limits.seconds if client in self._answered else HEADER_SECONDS
            if now - since > max(longest, HEADER_SECONDS):
                yield transports[client]


def listen(host: str, port: int) -> socket.socket:
    """A socket on which connections already wait."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, _, _, _, address = found[0]
        return socket.create_server(address, family=family, backlog=BACKLOG)
    except OSError as error:
        raise DataError(
            f"cannot listen there: {reason(error)}",
            where=f"{host}:{port}",
            advice="give another --host or --port; --port 0 takes any free one",
        ) from None


def address_of(host: str, made: socket.socket) -> str:
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{made.getsockname()[1]}/"


def make_server(app: ASGIApp, limits: RequestLimits) -> uvicorn.Server:
    patience = Patience(app, limits)
    config = uvicorn.Config(
        patience,
        http="h11",
        ws="none",
        lifespan="on",
        log_config=None,
        log_level=logging.ERROR,  # what clients do wrong is theirs to hear
        access_log=False,
        server_header=False,
        proxy_headers=False,  # nobody is believed to speak for another
        timeout_keep_alive=KEPT_SECONDS,
        backlog=BACKLOG,
        h11_max_incomplete_event_size=MOST_HEADER_BYTES,
    )
    server = uvicorn.Server(config)
    patience.connections = server.server_state.connections
    return server
