"""How much a request may ask for."""

from dataclasses import dataclass


@dataclass(frozen=True)
class RequestLimits:
    bytes: int = 1 << 20  # of a request's body
    sentences: int = 1000  # of a request
    words: int = 200  # of a sentence
    letters: int = 5000  # of a sentence
    word_letters: int = 200  # of a word
    seconds: float = 30.0  # for a request
    requests: int = 64  # at once
    n_best: int = 200  # translations of a sentence
    pops: int = 5000  # pop limit and stack size of a search
    answer_bytes: int = 4 << 20  # of an answer, or of a line of one
