"""The files of the page: read once at start, so that no request opens a file."""

from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

MEDIA_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
INDEX = "index.html"


def page_routes() -> list[Route]:
    """Routes for the page (`/`) and its other files (`/page/NAME`)."""
    folder = files("hyperbaton.serving").joinpath("page")
    routes = []
    for file in folder.iterdir():
        ending = file.name.rpartition(".")[2]
        if ending in MEDIA_TYPES:
            path = "/" if file.name == INDEX else f"/page/{file.name}"
            routes.append(_route(path, file.read_bytes(), MEDIA_TYPES[ending]))
    return routes


def _route(path: str, content: bytes, kind: str) -> Route:
    async def show(_: Request) -> Response:
        return Response(content, headers={"Cache-Control": "no-cache", "Content-Type": kind})

    return Route(path, show)
