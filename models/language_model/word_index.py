"""A compiled look-up of words, as bytes, for reading and writing large text files.

A hash table with open addressing and linear probing over the words of a vocabulary, which stand
one after the other in one array of bytes.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.arrays import Int32Array, Int64Array
from models.data.vocabulary import Vocabulary
from models.errors import DataError
from models.kernels import kernel

NO_WORD = -1
SEPARATORS = (" ", "\t", "\n", "\r")


class WordIndex(NamedTuple):
    letters: NDArray[np.uint8]  # all words, one after the other
    offsets: Int64Array  # (words + 1,) where each begins
    slots: Int32Array  # (power of two,) word ids, NO_WORD where free


def index_words(vocabulary: Vocabulary) -> WordIndex:
    """Words must not hold what separates words in a file."""
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


@kernel
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


@kernel
def find_word(index: WordIndex, text: NDArray[np.uint8], begin: int, end: int) -> int:
    """The id of the word that stands in `text[begin:end]`, or NO_WORD."""
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
