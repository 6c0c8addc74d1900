"""The process: a socket, connections that do not stay for ever, and a quiet end.

At SIGTERM or SIGINT the server takes no more connections, finishes the requests under way and
returns. A connection is cut that takes too long to send a request or to read an answer.
"""

import asyncio
import logging
import socket
from types import FrameType

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from hyperbaton.foundation.errors import DataError, reason
from hyperbaton.serving.limits import RequestLimits

HEADER_SECONDS = 10.0  # for the head of a request
KEPT_SECONDS = 5  # for the next request over the same connection
MOST_CONNECTIONS = 500  # far fewer than the files that a process may open
BACKLOG = 100  # connections that wait to be accepted, all at once
MOST_HEADER_BYTES = 1 << 14
INTERVAL = 0.5  # seconds between looks at the connections


class _Connection(H11Protocol):
    """Knows since when it has been waiting for a request or an answer to be complete.

    When there are too many connections, the one goes that has waited longest for a request.
    """

    since: float
    connections: "set[_Connection]"  # type: ignore[assignment]

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self.since = self.loop.time()
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            self._make_room()

    def on_response_complete(self) -> None:
        self.since = self.loop.time()
        super().on_response_complete()

    @property
    def is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def is_overdue(self, seconds: float) -> bool:
        """Whether nothing was completed for too long. To arrive, to be answered and to be read, a
        request has the `seconds` three times."""
        longest = 3 * seconds if self.is_answering else HEADER_SECONDS
        return self.loop.time() - self.since > max(longest, HEADER_SECONDS)

    def _make_room(self) -> None:
        staying = [one for one in self.connections if not one.transport.is_closing()]
        if len(staying) > MOST_CONNECTIONS:
            waiting = (one for one in staying if not one.is_answering)
            min(waiting, key=lambda one: one.since).transport.abort()


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, limits: RequestLimits) -> None:
        super().__init__(config)
        self._limits = limits

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        self._captured_signals.clear()  # or they would be raised again at the end

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._cutting = asyncio.create_task(self._cut_connections())  # to the very end

    async def _cut_connections(self) -> None:
        while True:
            for connection in list(self.server_state.connections):
                if connection.is_overdue(self._limits.seconds):  # type: ignore[union-attr]
                    connection.transport.abort()
            await asyncio.sleep(INTERVAL)


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
    config = uvicorn.Config(
        app,
        http=_Connection,
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
    return _Server(config, limits)
