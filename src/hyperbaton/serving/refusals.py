"""What a request is told that cannot be answered: a status, and the parts of an error as JSON."""

from typing import Any

from hyperbaton.foundation.errors import DataError, HyperbatonError, SettingError
from hyperbaton.foundation.files.typed_reading import TooLong

BAD_REQUEST, NOT_FOUND, TIMED_OUT = 400, 404, 408
TOO_LARGE, WRONG_KIND, MISDIRECTED, IMPOSSIBLE = 413, 415, 421, 422
DEFECT, BUSY, TOO_SLOW = 500, 503, 504


class Refused(HyperbatonError):
    """A request that is not answered, with the status that says why."""

    def __init__(self, status: int, what: str, **parts: str) -> None:
        super().__init__(what, **parts)
        self.status = status


def status_of(error: Exception) -> int:
    """400 for what the client should have known, 422 for what the system cannot do."""
    if isinstance(error, Refused):
        return error.status
    if isinstance(error, SettingError):
        return TOO_LARGE if isinstance(error, TooLong) else BAD_REQUEST
    return IMPOSSIBLE if isinstance(error, DataError) else DEFECT


def error_content(error: Exception) -> dict[str, Any]:
    """`{"error": {"message": …, "where": …, "expected": …, "advice": …}}`, without empty parts."""
    if not isinstance(error, HyperbatonError):
        error = HyperbatonError(
            "something unexpected went wrong",
            advice="this is a defect of hyperbaton; the server's terminal shows more",
        )
    parts = {
        "message": error.what,
        "where": error.where,
        "expected": error.expected,
        "advice": error.advice,
    }
    return {"error": {name: text for name, text in parts.items() if text}}
