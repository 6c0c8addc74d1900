"""Writes ARPA files, gzip by name. A compiled loop turns n-grams into lines of text.

Numbers have seven digits behind the point, which is as much as 32-bit floats are worth.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.arrays import FloatArray, Int32Array
from models.kernels import kernel
from models.language_model.log10 import to_log10
from models.language_model.ngrams import NGrams
from models.language_model.word_index import WordIndex, index_words
from models.writing import open_to_write

N_DIGITS = 7
WIDEST = 14  # of a number: sign, three digits, point, seven digits; and a sign that parts fields
LINES_AT_ONCE = 1 << 16
SPACE, TAB, NEWLINE, MINUS, POINT, ZERO = (ord(sign) for sign in " \t\n-.0")


def write_arpa(ngrams: NGrams, path: Path) -> None:
    """The file appears under its name when it is whole."""
    index = index_words(ngrams.vocabulary)
    with open_to_write(path) as stream:
        counts = "".join(f"ngram {n}={count}\n" for n, count in enumerate(ngrams.counts, 1))
        stream.write(f"\\data\\\n{counts}".encode())
        for length in range(1, ngrams.order + 1):
            stream.write(f"\n\\{length}-grams:\n".encode())
            start, end = ngrams.starts[length : length + 2]
            with_backoff = length < ngrams.order
            probability = to_log10(ngrams.logprob[start:end])
            backoff = to_log10(ngrams.backoff[start:end])
            words = ngrams.words(length)
            for first in range(0, len(words), LINES_AT_ONCE):
                part = slice(first, first + LINES_AT_ONCE)
                text = _lines(index, words[part], probability[part], backoff[part], with_backoff)
                stream.write(text.tobytes())
        stream.write(b"\n\\end\\\n")


@kernel
def _lines(
    index: WordIndex,
    words: Int32Array,
    probability: FloatArray,
    backoff: FloatArray,
    with_backoff: bool,
) -> NDArray[np.uint8]:
    n_letters = 0
    for row in range(len(words)):
        for word in words[row]:
            n_letters += index.offsets[word + 1] - index.offsets[word] + 1
    text = np.empty(n_letters + len(words) * (2 * WIDEST + 1), dtype=np.uint8)
    at = 0
    for row in range(len(words)):
        at = _write_number(text, at, probability[row])
        for column in range(words.shape[1]):
            text[at] = TAB if column == 0 else SPACE
            at += 1
            word = words[row, column]
            for i in range(index.offsets[word], index.offsets[word + 1]):
                text[at] = index.letters[i]
                at += 1
        if with_backoff:
            text[at] = TAB
            at = _write_number(text, at + 1, backoff[row])
        text[at] = NEWLINE
        at += 1
    return text[:at]


@kernel
def _write_number(text: NDArray[np.uint8], at: int, value: float) -> int:
    """The number without superfluous zeros at its end; returns where the next sign goes."""
    scaled = np.int64(np.rint(min(abs(value), 999.0) * 10**N_DIGITS))
    if value < 0.0 and scaled > 0:
        text[at] = MINUS
        at += 1
    whole, fraction = divmod(scaled, 10**N_DIGITS)
    for power in (100, 10, 1):
        if whole >= power or power == 1:
            text[at] = ZERO + whole // power % 10
            at += 1
    if fraction:
        text[at] = POINT
        power = 10 ** (N_DIGITS - 1)
        while fraction:
            at += 1
            text[at] = ZERO + fraction // power
            fraction %= power
            power //= 10
        at += 1
    return at
