"""Limits of a request."""

from dataclasses import dataclass


@dataclass(frozen=True)
class RequestLimits:
    bytes: int = 1 << 20  # of a request body
    sentences: int = 1000  # per request
    words: int = 200  # per sentence
    letters: int = 5000  # per sentence
    word_letters: int = 200  # per word
    seconds: float = 30.0  # per request
    requests: int = 64  # at the same time
    n_best: int = 200  # translations per sentence
    pops: int = 5000  # pop limit and stack size of a search
    answer_bytes: int = 4 << 20  # of an answer, or of one line of a streamed answer
