"""Limits an answer while it is built: its size and its time."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from hyperbaton.serving.answers import TOO_LARGE, TOO_SLOW, Refused
from hyperbaton.serving.limits import RequestLimits

Content = TypeVar("Content")


@dataclass
class AnswerBounds:
    limits: RequestLimits
    is_stopped: Callable[[], bool]  # the time is up, or the client disconnected
    n_bytes: int = 0  # size of the parts so far

    def checked(self, part: Content) -> Content:
        """Returns a part of the answer; raises if the answer has become too large or too slow.
        Checking part by part stops a long answer before it fills the memory."""
        self.check_time()
        self.n_bytes += len(json.dumps(part, ensure_ascii=False).encode())
        _check_size(self.n_bytes, self.limits)
        return part

    def check_time(self) -> None:
        if self.is_stopped():
            raise too_slow(self.limits)


def json_text(content: Any, limits: RequestLimits) -> str:
    text = json.dumps(content, ensure_ascii=False)
    _check_size(len(text.encode()), limits)
    return text


def _check_size(n_bytes: int, limits: RequestLimits) -> None:
    if n_bytes > limits.answer_bytes:
        raise Refused(
            TOO_LARGE,
            "the answer is too large",
            expected=f"at most {limits.answer_bytes:,} bytes",
            advice="request a shorter n-best list, fewer derivations or fewer alternatives",
        )


def too_slow(limits: RequestLimits) -> Refused:
    return Refused(
        TOO_SLOW,
        f"the request took more than {limits.seconds:g} seconds",
        advice="send fewer or shorter sentences, or narrow the search",
    )
