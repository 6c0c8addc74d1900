"""Reads JSON bodies of requests, and builds JSON answers and errors.

A request that cannot be answered gets a status and the parts of an error.
"""

import asyncio
import json
from typing import Any

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from hyperbaton.foundation.errors import DataError, HyperbatonError, SettingError
from hyperbaton.foundation.files.typed_reading import TooLong
from hyperbaton.serving.limits import RequestLimits

JSON, JSON_LINES = "application/json", "application/x-ndjson"
UNKEPT = {"Cache-Control": "no-store"}
CLOSE = {"Connection": "close"}
LONGEST_PART = 300  # characters of a message
RETRY_AFTER = {"Retry-After": "1"}  # seconds
BAD_REQUEST, NOT_FOUND, TIMED_OUT = 400, 404, 408
TOO_LARGE, WRONG_KIND, MISDIRECTED, IMPOSSIBLE, LONG_HEADERS = 413, 415, 421, 422, 431
DEFECT, BUSY, TOO_SLOW = 500, 503, 504
UNREAD = (TIMED_OUT, TOO_LARGE)  # the rest of the body is not read
BODY_SECONDS = 5.0  # in which the body of a request must arrive


class Refused(HyperbatonError):
    """An error with an HTTP status."""

    def __init__(self, status: int, what: str, **parts: str) -> None:
        super().__init__(what, **parts)
        self.status = status


def answer(text: str, status: int = 200, **headers: str) -> Response:
    """An answer with one line of JSON."""
    return Response(f"{text}\n".encode(), status, {**UNKEPT, **headers}, JSON)


def json_answer(content: Any, status: int = 200) -> Response:
    return answer(json.dumps(content, ensure_ascii=False), status)


def error_answer(error: Exception) -> Response:
    status = status_of(error)
    response = json_answer(error_content(error), status)
    if status == BUSY:
        response.headers.update(RETRY_AFTER)
    if status in UNREAD:
        response.headers.update(CLOSE)
    return response


async def read_json(request: Request, limits: RequestLimits) -> Any:
    """Reads the JSON body of a request; raises if it is not JSON, late or too large."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != JSON:
        what = f"the content type is {kind}" if kind else "the content type is missing"
        raise Refused(WRONG_KIND, what, expected=f"expected Content-Type: {JSON}")
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > limits.bytes:
        raise _too_large(limits)
    body, seconds = bytearray(), min(limits.seconds, BODY_SECONDS)
    try:
        async with asyncio.timeout(seconds):
            async for part in request.stream():
                body += part
                if len(body) > limits.bytes:
                    raise _too_large(limits)
    except TimeoutError:
        raise Refused(TIMED_OUT, f"the body did not arrive within {seconds:g} seconds") from None
    except ClientDisconnect:
        raise Refused(BAD_REQUEST, "the body is incomplete") from None
    return parse_json(bytes(body))


def parse_json(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body)
    except (ValueError, RecursionError) as error:
        what = str(error).partition(" - at ")[0]  # without the position in msgspec's notation
        what = "it is nested too deeply" if isinstance(error, RecursionError) else what
        raise Refused(BAD_REQUEST, f"the body is not JSON: {what}") from None


def _too_large(limits: RequestLimits) -> Refused:
    return Refused(
        TOO_LARGE,
        "the body is too large",
        expected=f"at most {limits.bytes:,} bytes",
    )


def status_of(error: Exception) -> int:
    """The HTTP status of an error: 400 for a wrong request, 422 if the system cannot do it."""
    if isinstance(error, Refused):
        return error.status
    if isinstance(error, SettingError):
        return TOO_LARGE if isinstance(error, TooLong) else BAD_REQUEST
    return IMPOSSIBLE if isinstance(error, DataError) else DEFECT


def error_content(error: Exception) -> dict[str, Any]:
    """`{"error": {"message": …, "where": …, "expected": …, "advice": …}}`, without empty parts."""
    if not isinstance(error, HyperbatonError):
        error = HyperbatonError(
            "internal error",
            advice="this is a bug in hyperbaton; see the terminal of the server",
        )
    parts = {
        "message": _cut(error.what),
        "where": _cut(error.where),
        "expected": error.expected,
        "advice": error.advice,
    }
    return {"error": {name: text for name, text in parts.items() if text}}


def _cut(text: str) -> str:
    """Shortens text that a client may have sent."""
    return text if len(text) <= LONGEST_PART else f"{text[:LONGEST_PART]}…"
