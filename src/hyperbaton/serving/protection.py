"""Protects the users of the server and its machine against attacks through the browser.

* Other web pages cannot use a server on this machine: requests to other host names are refused
  (which stops DNS rebinding), bodies must be JSON (which browsers do not send to another origin
  without a preflight), and other origins may not read the answers.
* The page loads and runs only its own files, and cannot be framed.
* Requests that a proxy may parse differently (request smuggling) are refused.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from socket import gethostname

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hyperbaton.serving.answers import (
    BAD_REQUEST,
    CLOSE,
    LONG_HEADERS,
    MISDIRECTED,
    Refused,
    error_answer,
)

MOST_HEADER_BYTES = 1 << 14  # of the path, header names and header values
LOCAL_HOSTS = ("localhost", "127.0.0.1", "[::1]")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address."""
    address = _literal_address(host)
    return host == "localhost" if address is None else address.is_loopback


@dataclass(frozen=True)
class Hosts:
    """Host names that requests may use."""

    names: frozenset[str] = frozenset(LOCAL_HOSTS)
    addresses: bool = False  # any IP address: DNS rebinding needs a name

    def __contains__(self, host: str) -> bool:
        return host in self.names or (self.addresses and _literal_address(host) is not None)

    def __str__(self) -> str:
        return ", ".join(sorted(self.names)) + (", IP addresses" if self.addresses else "")


def allowed_hosts(host: str, more: Iterable[str]) -> Hosts:
    """The host names to accept: those of this machine, `more`, and any IP address if other machines
    can reach the server."""
    known = {*LOCAL_HOSTS, host.lower(), *(name.lower() for name in more)}
    if is_loopback(host):
        return Hosts(frozenset(known))
    return Hosts(frozenset(known | {gethostname().lower()}), addresses=True)


class Protection:
    """Adds security headers to all answers; refuses wrong host names and ambiguous requests."""

    def __init__(self, app: ASGIApp, hosts: Hosts) -> None:
        self._app, self._hosts = app, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        app = self._app
        if refused := self._refused(scope):
            app = error_answer(refused)
            app.headers.update(CLOSE)  # the body is not read
        await app(scope, receive, send_with_headers)

    def _refused(self, scope: Scope) -> Refused | None:
        headers = Headers(scope=scope)
        n_bytes = len(scope["raw_path"]) + len(scope["query_string"])
        n_bytes += sum(len(name) + len(value) for name, value in scope["headers"])
        if n_bytes > MOST_HEADER_BYTES:
            most = f"at most {MOST_HEADER_BYTES:,} bytes"
            return Refused(LONG_HEADERS, "path and headers are too long", expected=most)
        if "content-length" in headers and "transfer-encoding" in headers:
            return Refused(BAD_REQUEST, "Content-Length and Transfer-Encoding exclude each other")
        host = _without_port(headers.get("host", ""))
        if host in self._hosts:
            return None
        return Refused(
            MISDIRECTED,
            f"unknown host name {host!r}",
            expected=f"known: {self._hosts}",
            advice="if the name is right, start the server with --allow-host NAME",
        )


def _literal_address(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(host.strip("[]"))
    except ValueError:
        return None


def _without_port(host: str) -> str:
    name, colon, port = host.lower().rpartition(":")
    return name if colon and port.isdigit() else host.lower()
