"""Compiled reading of the n-gram lines of ARPA files: probability, words, perhaps a backoff.

Fields are separated by spaces and tabs; empty lines are skipped. A line that begins with a
backslash ends the section. What is wrong with a bad line is found out elsewhere, slowly.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.arrays import FloatArray, Int32Array
from models.kernels import kernel
from models.language_model.word_index import NO_WORD, WordIndex, find_word

SPACE, TAB, NEWLINE, RETURN, BACKSLASH = (ord(sign) for sign in " \t\n\r\\")
PLUS, MINUS, POINT, ZERO, NINE, UPPER_E, LOWER_E = (ord(sign) for sign in "+-.09Ee")
MORE, SECTION_ENDS, BAD_LINE = 0, 1, 2  # why the reading of a chunk stopped


class ParsedLines(NamedTuple):
    words: Int32Array  # (lines, length)
    probability: FloatArray  # (lines,) as written, base 10
    backoff: FloatArray  # (lines,) 0 where there is none
    n_lines: int  # whole lines read, empty ones as well
    stop: int  # the byte at which the next line begins
    why: int  # MORE, SECTION_ENDS or BAD_LINE


def parse_lines(text: NDArray[np.uint8], length: int, index: WordIndex) -> ParsedLines:
    """All lines of a text of whole lines, up to the end of the section or a bad line."""
    n_most = int(np.count_nonzero(text == NEWLINE))
    words = np.empty((n_most, length), dtype=np.int32)
    values = np.zeros((n_most, 2))
    n_rows, n_lines, stop, why = _parse(text, index, words, values)
    return ParsedLines(words[:n_rows], values[:n_rows, 0], values[:n_rows, 1], n_lines, stop, why)


@kernel
def _parse(
    text: NDArray[np.uint8], index: WordIndex, words: Int32Array, values: FloatArray
) -> tuple[int, int, int, int]:
    length = words.shape[1]
    row, n_lines, at = 0, 0, 0
    while at < len(text):
        end = at
        while text[end] != NEWLINE:
            end += 1
        first = _skip_blanks(text, at, end)
        if first < end and text[first] == BACKSLASH:
            return row, n_lines, at, SECTION_ENDS
        if first < end:
            field, begin = 0, first
            good = True
            while begin < end and good:
                stop = begin
                while stop < end and not _is_blank(text[stop]):
                    stop += 1
                if field == 0 or field == length + 1:
                    good, value = _number(text, begin, stop)
                    values[row, min(field, 1)] = value
                    good = good and (field != 0 or value <= 0.0)
                elif field <= length:
                    word = find_word(index, text, begin, stop)
                    words[row, field - 1] = word
                    good = word != NO_WORD
                else:
                    good = False
                field += 1
                begin = _skip_blanks(text, stop, end)
            if not good or field <= length:
                return row, n_lines, at, BAD_LINE
            row += 1
        n_lines += 1
        at = end + 1
    return row, n_lines, at, MORE


@kernel
def _is_blank(letter: int) -> bool:
    return letter in (SPACE, TAB, RETURN)


@kernel
def _skip_blanks(text: NDArray[np.uint8], begin: int, end: int) -> int:
    while begin < end and _is_blank(text[begin]):
        begin += 1
    return begin


@kernel
def _number(text: NDArray[np.uint8], begin: int, end: int) -> tuple[bool, float]:
    """A decimal number, with or without an exponent, right to about 15 digits."""
    at = begin
    sign = 1.0
    if at < end and (text[at] == MINUS or text[at] == PLUS):
        sign = -1.0 if text[at] == MINUS else 1.0
        at += 1
    value, exponent, n_digits, after_point = 0.0, 0, 0, False
    while at < end and (ZERO <= text[at] <= NINE or (text[at] == POINT and not after_point)):
        if text[at] == POINT:
            after_point = True
        else:
            value = value * 10.0 + (text[at] - ZERO)
            exponent -= after_point
            n_digits += 1
        at += 1
    good = n_digits > 0
    if good and at + 1 < end and (text[at] == LOWER_E or text[at] == UPPER_E):
        at += 1
        negative = text[at] == MINUS
        if text[at] == MINUS or text[at] == PLUS:
            at += 1
        given = 0
        good = at < end
        while at < end and ZERO <= text[at] <= NINE:
            given = min(given * 10 + (text[at] - ZERO), 9999)
            at += 1
        exponent += -given if negative else given
    if value > 0.0:  # 0 times the infinity of a huge exponent is no number
        value *= 10.0**exponent
    return good and at == end and np.isfinite(value), sign * value
