"""What protects those who use the server, and the machine that it runs on.

* A page elsewhere cannot make a browser talk to a server on this machine: names of hosts other than
  this machine's are refused (a name that suddenly means 127.0.0.1 is one of those), bodies must be
  JSON, which browsers do not send elsewhere without asking, and nobody else may read the answers.
* Our own page loads and runs nothing but its own files, and cannot be put into a frame.
"""

from collections.abc import Iterable
from ipaddress import ip_address

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hyperbaton.serving.answers import MISDIRECTED, Refused, error_answer

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
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def allowed_hosts(host: str, more: Iterable[str]) -> frozenset[str]:
    """Names that requests may use for the server; none: any."""
    known = {name.lower() for name in more}
    if is_loopback(host):
        known |= {*LOCAL_HOSTS, host.lower()}
    elif known:
        known.add(host.lower())
    return frozenset(known)


class Protection:
    """Adds headers to all answers, and answers nobody who calls the server by a wrong name."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str]) -> None:
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

        app: ASGIApp = self._app
        host = _without_port(Headers(scope=scope).get("host", ""))
        if self._hosts and host not in self._hosts:
            app = error_answer(
                Refused(
                    MISDIRECTED,
                    f"this server is not {host!r}",
                    expected=f"known: {', '.join(sorted(self._hosts))}",
                    advice="start it with --allow-host NAME if that name is right",
                )
            )
        await app(scope, receive, send_with_headers)


def _without_port(host: str) -> str:
    name, colon, port = host.lower().rpartition(":")
    return name if colon and port.isdigit() else host.lower()
