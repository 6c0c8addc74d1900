"""The server process: socket, connection timeouts and graceful shutdown.

At SIGTERM or SIGINT the server accepts no more connections, finishes the running requests and
returns. It closes a connection that takes too long to send a request or to read an answer.
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

HEADER_SECONDS = 10.0  # for the headers of a request
KEPT_SECONDS = 5  # for the next request on the same connection
MOST_CONNECTIONS = 500  # far below the limit of open files per process
BACKLOG = 100  # connections waiting to be accepted
INTERVAL = 0.1  # seconds between checks of the connections
Client: TypeAlias = tuple[str, int] | None  # None: disconnected at once


class Patience:
    """Middleware that closes connections that wait too long, and the longest idle ones if there are
    too many.

    A connection waits for its request to arrive completely, with its body, or for its answer to be
    complete. An incomplete request counts as idle, so it cannot block other connections. Answering
    and reading may take three times the limit `seconds`.
    """

    def __init__(self, app: ASGIApp, limits: RequestLimits) -> None:
        self._app, self._limits = app, limits
        self.connections: Collection[Any] = ()  # of the server: with a `client` and a `transport`
        self._since: dict[Client, float] = {}  # when each client began to wait
        self._answered: set[Client] = set()  # clients that wait for an answer

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
        transports = {connection.client: connection.transport for connection in self.connections}
        self._since = {client: self._since.get(client, now) for client in transports}
        idle = sorted(transports.keys() - self._answered, key=self._since.__getitem__)
        for client in idle[: max(len(transports) - MOST_CONNECTIONS, 0)]:
            yield transports[client]
        for client, since in self._since.items():
            longest = 3 * self._limits.seconds if client in self._answered else HEADER_SECONDS
            if now - since > max(longest, HEADER_SECONDS):
                yield transports[client]


def listen(host: str, port: int) -> socket.socket:
    """Opens a listening socket, which already accepts connections into its backlog."""
    try:
        infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, _, _, _, address = infos[0]
        return socket.create_server(address, family=family, backlog=BACKLOG)
    except OSError as error:
        raise DataError(
            f"cannot listen on this address: {reason(error)}",
            where=f"{host}:{port}",
            advice="give another --host or --port; --port 0 takes any free port",
        ) from None


def address_of(host: str, listening: socket.socket) -> str:
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{listening.getsockname()[1]}/"


def make_server(app: ASGIApp, limits: RequestLimits) -> uvicorn.Server:
    patience = Patience(app, limits)
    config = uvicorn.Config(
        patience,
        http="h11",
        ws="none",
        lifespan="on",
        log_config=None,
        log_level=logging.ERROR,  # mistakes of clients are reported to the clients
        access_log=False,
        server_header=False,
        proxy_headers=False,  # X-Forwarded-For can be forged
        timeout_keep_alive=KEPT_SECONDS,
        backlog=BACKLOG,
        h11_max_incomplete_event_size=MOST_HEADER_BYTES,
    )
    server = uvicorn.Server(config)
    patience.connections = server.server_state.connections
    return server
