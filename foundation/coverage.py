"""Coverage of a hypothesis: one bit for each translated source word, in words of 64 bits.

    source word    0 1 2 … 63 │ 64 65 …        word p is bit p mod 64 of coverage[p // 64]
    coverage       coverage[0] │ coverage[1]

A coverage has as many 64-bit words as the sentence needs, so sentences may have any length. The
kernels take one coverage, (W,); the other functions many, (B, W).
"""

import numpy as np

from hyperbaton.foundation.arrays import BoolArray, Int32Array, UInt64Array
from hyperbaton.foundation.kernels import kernel, uncounted

ONE = np.uint64(1)
ALL_BITS = np.uint64(2**64 - 1)


@uncounted
def coverage_size(n_words):
    """Number of 64-bit words in the coverage of a sentence; 1 for an empty sentence."""
    return max(1, (n_words + 63) >> 6)


@uncounted
def is_covered(coverage, place):
    return (coverage[place >> 6] >> np.uint64(place & 63)) & ONE != 0


@uncounted
def is_free(coverage, start, end):
    """Whether no word of the span is covered."""
    place = start
    while place < end:  # part by part: the bits of the span in each 64-bit word
        size = min(end - place, 64 - (place & 63))
        part = coverage[place >> 6] >> np.uint64(place & 63)
        if part & (ALL_BITS >> np.uint64(64 - size)):
            return False
        place += size
    return True


@uncounted
def cover(coverage, start, end):
    for place in range(start, end):
        coverage[place >> 6] |= ONE << np.uint64(place & 63)


@uncounted
def covered_end(coverage, place, n_words):
    """The first uncovered word from `place` on, or the end of the sentence."""
    return _first_bit(coverage, place, n_words, ALL_BITS)


@uncounted
def covered_start(coverage, place):
    """The start of the covered words directly before `place`."""
    while place > 0 and is_covered(coverage, place - 1):
        place -= 1
    return place


@uncounted
def open_start(coverage, place):
    """The start of the uncovered words directly before `place`."""
    while place > 0 and not is_covered(coverage, place - 1):
        place -= 1
    return place


@uncounted
def open_end(coverage, place, n_words):
    """The first covered word from `place` on, or the end of the sentence."""
    return _first_bit(coverage, place, n_words, np.uint64(0))


@uncounted
def _first_bit(coverage, place, n_words, flipped):
    """The first place from `place` on whose bit is set, after flipping; else the end."""
    while place < n_words:
        bits = (coverage[np.uint64(place >> 6)] ^ flipped) >> np.uint64(place & 63)
        if bits:
            return min(place + n_bits((bits & (~bits + ONE)) - ONE), n_words)
        place += 64 - (place & 63)
    return n_words


@uncounted
def n_bits(bits):
    """The number of bits that are set (Warren, Hacker's Delight, section 5-1)."""
    bits -= (bits >> ONE) & np.uint64(0x5555555555555555)
    pairs = np.uint64(0x3333333333333333)
    bits = (bits & pairs) + ((bits >> np.uint64(2)) & pairs)
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((bits * np.uint64(0x0101010101010101)) >> np.uint64(56))


@uncounted
def reached(coverage):
    """The place after the last covered word."""
    for word in range(len(coverage) - 1, -1, -1):
        bits = coverage[word]
        if bits:
            for shift in (1, 2, 4, 8, 16, 32):  # sets all bits below the highest
                bits |= bits >> np.uint64(shift)
            return 64 * word + n_bits(bits)
    return 0


@uncounted
def first_open(coverage):
    """The first uncovered word; beyond the sentence if all are covered."""
    return covered_end(coverage, 0, 64 * len(coverage))


@uncounted
def n_open_runs(coverage, begin, end):
    """The number of runs of uncovered words that start in begin:end."""
    n, before = 0, ONE  # the place before the first word counts as covered
    for word in range((end + 63) >> 6):
        bits = coverage[word]
        starts = ~bits & ((bits << ONE) | before)
        before = bits >> np.uint64(63)
        low, high = begin - 64 * word, end - 64 * word
        if low > 63:
            continue
        if low > 0:
            starts &= ALL_BITS << np.uint64(low)
        if high < 64:
            starts &= (ONE << np.uint64(high)) - ONE
        n += n_bits(starts)
    return n


def empty_coverage(n: int, n_words: int) -> UInt64Array:
    """Empty coverages, (n, W)."""
    return np.zeros((n, coverage_size(n_words)), np.uint64)


@kernel
def cover_spans(coverage, start, end):
    """Adds a span to each coverage, (B, W)."""
    for row in range(len(coverage)):
        cover(coverage[row], start[row], end[row])


def pack_coverage(covered: BoolArray) -> UInt64Array:
    """Packs truth values of words, (B, n_words), into bits, (B, W)."""
    n, n_words = covered.shape
    bits = np.zeros((n, 64 * coverage_size(n_words)), np.bool_)
    bits[:, :n_words] = covered
    return np.packbits(bits, axis=1, bitorder="little").view("<u8").astype(np.uint64)


def unpack_coverage(coverage: UInt64Array, n_words: int) -> BoolArray:
    """Unpacks bits, (B, W), into truth values of words, (B, n_words)."""
    places = np.arange(n_words)
    bits = coverage[:, places >> 6] >> (places & 63).astype(np.uint64)
    covered: BoolArray = (bits & ONE) != 0
    return covered


def free_spans(covered: BoolArray, start: Int32Array, end: Int32Array) -> BoolArray:
    """Whether each span has no covered word, from the truth values of one sentence."""
    before = np.concatenate([[0], np.cumsum(covered)])
    free: BoolArray = before[end] == before[start]
    return free
