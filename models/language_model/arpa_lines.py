"""Compiled reading and writing of the n-gram lines of ARPA files: probability, words, backoff.

On reading, spaces and tabs separate fields, empty lines are skipped, and a line that begins with a
backslash ends the section. Written numbers have seven decimals, the precision of 32-bit floats.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hyperbaton.foundation.arrays import FloatArray, Int32Array
from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.files.vocabulary import Vocabulary
from hyperbaton.foundation.hashing import EMPTY, DistinctRows, add_row, table_size
from hyperbaton.foundation.kernels import inner, kernel

SPACE, TAB, NEWLINE, RETURN, BACKSLASH = (ord(sign) for sign in " \t\n\r\\")
PLUS, MINUS, POINT, ZERO, NINE, UPPER_E, LOWER_E = (ord(sign) for sign in "+-.09Ee")
# why reading stopped
MORE, SECTION_ENDS, TOO_FEW, TOO_MANY, NO_NUMBER, ABOVE_ZERO, NO_WORD = range(7)
SEPARATORS = (" ", "\t", "\n", "\r")
N_DIGITS = 7
ALL_DIGITS = 1e17  # further digits do not change a number
LARGEST_LOG = 1e6  # absolute log10 of a probability or a backoff
WIDEST = 14  # characters of a number: sign, three digits, point, seven digits; and a separator


def index_words(vocabulary: Vocabulary) -> DistinctRows:
    """A full table of all words' letters: `add_row` returns EMPTY for an unknown word."""
    for word in vocabulary.words:
        if not word or any(separator in word for separator in SEPARATORS):
            raise DataError(
                f"the word {word!r} cannot be written to a text file",
                expected="expected words without spaces, tabs and line breaks",
            )
    encoded = [word.encode() for word in vocabulary.words]
    index = DistinctRows(
        np.frombuffer(bytearray().join(encoded), np.uint8),
        np.cumsum([0, *map(len, encoded)]),
        np.full(table_size(len(encoded)), EMPTY, np.int32),
        np.zeros(1, np.int64),
    )
    _fill(index)
    return index


@kernel
def _fill(index):
    for number in range(len(index.begin) - 1):
        word = index.values[index.begin[number] : index.begin[number + 1]]
        add_row(index, word, len(word))


class ParsedLines(NamedTuple):
    words: Int32Array  # (n-grams, length) ids; for unigrams the positions of words, (n-grams, 2)
    probability: FloatArray  # (n-grams,) as written, base 10
    backoff: FloatArray  # (n-grams,) 0 if there is none
    stop: int  # start of the first line that was not read
    why: int  # MORE, SECTION_ENDS or the problem of that line
    field: tuple[int, int]  # the wrong field


def parse_lines(text: bytes, at: int, length: int, index: DistinctRows) -> ParsedLines:
    """Parses whole lines up to the end of the text or the section, or a bad line. Unigrams are not
    looked up in the index."""
    n_most = text.count(b"\n", at)
    words = np.empty((n_most, max(length, 2)), np.int32)
    values = np.zeros((n_most, 2))
    letters = np.frombuffer(text, np.uint8)
    n_rows, stop, why, field = _parse(letters, at, length, index, words, values)
    return ParsedLines(words[:n_rows], values[:n_rows, 0], values[:n_rows, 1], stop, why, field)


@kernel
def _parse(text, at, length, index, words, values):
    row = 0
    while at < len(text):
        end = at
        while text[end] != NEWLINE:
            end += 1
        begin = _skip_blanks(text, at, end)
        if begin < end and text[begin] == BACKSLASH:
            return row, at, SECTION_ENDS, (at, end)
        n_fields, problem, bad = 0, MORE, (at, end)
        while begin < end:
            stop = begin
            while stop < end and not _is_blank(text[stop]):
                stop += 1
            of_field = MORE
            if n_fields == 0 or n_fields == length + 1:
                is_number, value = _number(text, begin, stop)
                values[row, min(n_fields, 1)] = value
                if not is_number:
                    of_field = NO_NUMBER
                elif n_fields == 0 and value > 0.0:
                    of_field = ABOVE_ZERO
            elif length == 1 and n_fields == 1:
                words[row, 0], words[row, 1] = begin, stop
            elif n_fields <= length:
                word = add_row(index, text[begin:stop], stop - begin)
                words[row, n_fields - 1] = word
                if word == EMPTY:
                    of_field = NO_WORD
            if problem == MORE and of_field != MORE:
                problem, bad = of_field, (begin, stop)
            n_fields += 1
            begin = _skip_blanks(text, stop, end)
        if n_fields > length + 2:
            problem = TOO_MANY
        elif 0 < n_fields <= length:
            problem = TOO_FEW
        if problem != MORE:
            return row, at, problem, bad
        row += n_fields > 0
        at = end + 1
    return row, at, MORE, (at, at)


@inner
def _is_blank(letter: int) -> bool:
    return letter in (SPACE, TAB, RETURN)


@inner
def _skip_blanks(text: NDArray[np.uint8], begin: int, end: int) -> int:
    while begin < end and _is_blank(text[begin]):
        begin += 1
    return begin


@inner
def _number(text: NDArray[np.uint8], begin: int, end: int) -> tuple[bool, float]:
    """Parses a decimal number with an optional exponent; rounds more than 15 digits."""
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
            n_digits += 1
            if value < ALL_DIGITS:
                value = value * 10.0 + (text[at] - ZERO)
                exponent -= after_point
            else:
                exponent += not after_point
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
    if exponent < 0:
        value /= 10.0**-exponent  # exact for up to 15 digits, unlike a product with 10^exponent
    elif value > 0.0:  # 0 times the infinity of a huge exponent would be NaN
        value *= 10.0**exponent
    return good and at == end and value <= LARGEST_LOG, sign * value


@kernel
def format_lines(index, words, probability, backoff, with_backoff):
    n_letters = 0
    for row in range(len(words)):
        for word in words[row]:
            n_letters += index.begin[word + 1] - index.begin[word] + 1
    text = np.empty(n_letters + len(words) * (2 * WIDEST + 1), dtype=np.uint8)
    at = 0
    for row in range(len(words)):
        at = _write_number(text, at, probability[row])
        for column in range(words.shape[1]):
            text[at] = TAB if column == 0 else SPACE
            at += 1
            word = words[row, column]
            for i in range(index.begin[word], index.begin[word + 1]):
                text[at] = index.values[i]
                at += 1
        if with_backoff:
            text[at] = TAB
            at = _write_number(text, at + 1, backoff[row])
        text[at] = NEWLINE
        at += 1
    return text[:at]


@inner
def _write_number(text: NDArray[np.uint8], at: int, value: float) -> int:
    """Writes a number without trailing zeros; returns the position after it."""
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
