"""Compiled reading and writing of the n-gram lines of ARPA files: probability, words, backoff.

When reading, spaces and tabs separate fields, empty lines are skipped, and a line that begins with
a backslash ends the section. The slow reader in `arpa.py` finds out what is wrong with a bad line.
Written numbers have seven digits after the point, which is the precision of 32-bit floats.

Words are looked up as bytes in a hash table with open addressing and linear probing; the letters
of all words stand one after the other in one array.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hyperbaton.foundation.arrays import FloatArray, Int32Array, Int64Array
from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.files.vocabulary import Vocabulary
from hyperbaton.foundation.kernels import inner, kernel

SPACE, TAB, NEWLINE, RETURN, BACKSLASH = (ord(sign) for sign in " \t\n\r\\")
PLUS, MINUS, POINT, ZERO, NINE, UPPER_E, LOWER_E = (ord(sign) for sign in "+-.09Ee")
MORE, SECTION_ENDS, BAD_LINE = 0, 1, 2  # why the reading of a chunk stopped
NO_WORD = -1
SEPARATORS = (" ", "\t", "\n", "\r")
N_DIGITS = 7
ALL_DIGITS = 1e17  # of a number: more change nothing
LARGEST_LOG = 1e6  # log10 of a probability or a backoff, whatever its sign
WIDEST = 14  # characters of a number: sign, three digits, point, seven digits; and a separator


class WordIndex(NamedTuple):
    letters: NDArray[np.uint8]  # all words, one after the other
    offsets: Int64Array  # (words + 1,) where each begins
    slots: Int32Array  # (power of two,) word ids, NO_WORD where free


def index_words(vocabulary: Vocabulary) -> WordIndex:
    """An index of the words, which must not contain what separates words in a file."""
    for word in vocabulary.words:
        if not word or any(separator in word for separator in SEPARATORS):
            raise DataError(
                f"the word {word!r} cannot stand in a text file",
                expected="words without spaces, tabs and line ends",
            )
    encoded = [word.encode() for word in vocabulary.words]
    letters = np.frombuffer(b"".join(encoded), dtype=np.uint8)
    offsets = np.cumsum([0, *map(len, encoded)])
    slots = np.full(1 << (2 * len(encoded)).bit_length(), NO_WORD, dtype=np.int32)
    _fill(letters, offsets, slots)
    return WordIndex(letters, offsets, slots)


@inner
def _hash(letters: NDArray[np.uint8], begin: int, end: int) -> np.uint64:
    """FNV-1a (Fowler, Noll and Vo 1991), its high bits folded into the low ones."""
    value = np.uint64(0xCBF29CE484222325)
    for i in range(begin, end):
        value = (value ^ np.uint64(letters[i])) * np.uint64(0x100000001B3)
    return value ^ (value >> np.uint64(32))


@kernel
def _fill(letters: NDArray[np.uint8], offsets: Int64Array, slots: Int32Array) -> None:
    mask = np.uint64(len(slots) - 1)
    for word in range(len(offsets) - 1):
        slot = _hash(letters, offsets[word], offsets[word + 1]) & mask
        while slots[slot] != NO_WORD:
            slot = (slot + np.uint64(1)) & mask
        slots[slot] = word


@inner
def find_word(index: WordIndex, text: NDArray[np.uint8], begin: int, end: int) -> int:
    """The id of the word `text[begin:end]`, or NO_WORD."""
    mask = np.uint64(len(index.slots) - 1)
    slot = _hash(text, begin, end) & mask
    while True:
        word = index.slots[slot]
        if word == NO_WORD:
            return NO_WORD
        start = index.offsets[word]
        length = index.offsets[word + 1] - start
        same = length == end - begin
        i = 0
        while same and i < length:
            same = index.letters[start + i] == text[begin + i]
            i += 1
        if same:
            return int(word)
        slot = (slot + np.uint64(1)) & mask


class ParsedLines(NamedTuple):
    words: Int32Array  # (lines, length)
    probability: FloatArray  # (lines,) as written, base 10
    backoff: FloatArray  # (lines,) 0 where there is none
    n_lines: int  # whole lines read, including empty ones
    stop: int  # the byte at which the next line begins
    why: int  # MORE, SECTION_ENDS or BAD_LINE


def parse_lines(text: NDArray[np.uint8], length: int, index: WordIndex) -> ParsedLines:
    """Parses a text of whole lines up to the end of the section or a bad line."""
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
    """A decimal number, with or without an exponent, accurate to about 15 digits."""
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
    if value > 0.0:  # 0 times the infinity of a huge exponent is not a number
        value *= 10.0**exponent
    return good and at == end and value <= LARGEST_LOG, sign * value


@kernel
def format_lines(
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


@inner
def _write_number(text: NDArray[np.uint8], at: int, value: float) -> int:
    """Writes a number without trailing zeros; returns where the next character goes."""
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
