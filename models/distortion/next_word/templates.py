"""The features of a pair of places (i, j): Table 1 of Goto et al. (2013), as 64-bit keys.

With s words, t tags or word classes, o the orientation (1 if j is before i) and d the class of the
distance, a pair has 42 features:

    of either side    ⟨o, s_p⟩ for p = i−2 … i+2 and j−2 … j+2, ⟨o, t_i⟩, ⟨o, t_j⟩          12
    of both           ⟨o, s_p, s_q⟩ for |p − i| ≤ 2, |q − j| ≤ 2, one of them ≤ 1          21
                      ⟨o, t_i, t_j⟩, also with t_{i−1}, t_{i+1}, t_{j−1}, t_{j+1}, s_i, s_j   7
    of the distance   ⟨o⟩, ⟨o, d⟩                                                          2

p and q are identified by side and offset. All pairs with the same place on one side share the
features of that side, so these are stored separately: a sentence has few of them.

A key is exact, not a hash: template, orientation, and up to three symbols. A symbol below 0 is
unknown, and a feature with an unknown symbol is absent.
"""

from typing import NamedTuple

import numpy as np

from hyperbaton.foundation.arrays import Int32Array, Int64Array
from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.kernels import inner

PAD, BEGIN, END = 0, 1, 2  # symbols outside the sentence, of BOS and of EOS
MARGIN = 2  # padding on either side of a sentence with its BOS and EOS
SIDE = 6  # templates of one side: five words, then the tag
BOTH, TAGS = 28, 7  # templates of both sides; the last of them have tags
DISTANCES = 3  # classes of d
ABSENT = -1

WORD_BITS, TAG_BITS = 22, 16
_PAYLOAD = WORD_BITS + 2 * TAG_BITS
ORIENTATION_BIT = _PAYLOAD
# Offsets (p, q) of the word pairs; (0, 0) is first
WORD_PAIRS = np.array(
    sorted(
        ((p, q) for p in range(-2, 3) for q in range(-2, 3) if abs(p) <= 1 or abs(q) <= 1),
        key=lambda pair: (pair != (0, 0), pair),
    )
)
TAG_PAIR = len(WORD_PAIRS)  # number of ⟨o, t_i, t_j⟩ among the templates of both
CANDIDATE = 4  # templates that are counted for pairs other than CP and NP
_FIRST_BOTH = 2 * SIDE
_FIRST_DISTANCE = _FIRST_BOTH + BOTH


class Symbols(NamedTuple):
    """Words and tags of sentences, concatenated; below 0: unknown."""

    words: Int32Array
    tags: Int32Array


def check_sizes(n_words: int, n_tags: int) -> None:
    """Checks that words and tags fit into keys."""
    for what, number, bits in (("words", n_words, WORD_BITS), ("tags", n_tags, TAG_BITS)):
        if number > 1 << bits:
            raise DataError(
                f"the vocabulary has {number:,} {what}", expected=f"expected at most {1 << bits:,}"
            )


@inner
def padded(values, begin, n_words):
    """The symbols of a sentence with BOS, EOS and padding; place p is at p + MARGIN."""
    result = np.full(n_words + 2 + 2 * MARGIN, PAD, np.int64)
    result[MARGIN] = BEGIN
    for word in range(n_words):
        result[MARGIN + 1 + word] = values[begin + word]
    result[MARGIN + 1 + n_words] = END
    return result


@inner
def distance_class(i, j):
    """d of eq. 1."""
    distance = abs(j - i)
    if distance == 1:
        return 0
    return 1 if distance <= 5 else 2


@inner
def _key(template, o, first, second, third):
    if first < 0 or second < 0 or third < 0:
        return np.int64(ABSENT)
    payload = (first << (2 * TAG_BITS)) | (second << TAG_BITS) | third
    return np.int64(((template * 2 + o) << _PAYLOAD) | payload)


@inner
def side_keys(words, tags, place, side, o, keys):
    """Fills keys[:SIDE] with the features of one side, 0 for i and 1 for j."""
    at = place + MARGIN
    for offset in range(-2, 3):
        template = side * SIDE + offset + 2
        keys[offset + 2] = _key(template, o, words[at + offset], 0, 0)
    keys[SIDE - 1] = _key(side * SIDE + SIDE - 1, o, tags[at], 0, 0)


@inner
def word_pair_key(words, i, j, number, o):
    """The key of ⟨o, s_p, s_q⟩; it has only two symbols, with more bits for words than for tags."""
    p, q = WORD_PAIRS[number]
    first, second = words[i + MARGIN + p], words[j + MARGIN + q]
    if first < 0 or second < 0:
        return np.int64(ABSENT)
    template = _FIRST_BOTH + number
    return np.int64(((template * 2 + o) << _PAYLOAD) | (first << WORD_BITS) | second)


def word_template(keys: Int64Array) -> Int64Array:
    """The template's index in `WORD_PAIRS` for keys of two words; out of range for others."""
    result: Int64Array = (keys >> (_PAYLOAD + 1)) - _FIRST_BOTH
    return result


def key_of_words(number: Int64Array, o: Int64Array, both: Int64Array) -> Int64Array:
    """Keys of templates of `WORD_PAIRS`, as in `word_pair_key`."""
    result: Int64Array = (((_FIRST_BOTH + number) * 2 + o) << _PAYLOAD) | both
    return result


@inner
def tag_keys(words, tags, i, j, o, keys):
    """Fills keys[:TAGS] with the features of both sides that have tags."""
    at, to = i + MARGIN, j + MARGIN
    t_i, t_j, first = tags[at], tags[to], _FIRST_BOTH + TAG_PAIR
    keys[0] = _key(first, o, t_i, t_j, 0)
    keys[1] = _key(first + 1, o, tags[at - 1], t_i, t_j)
    keys[2] = _key(first + 2, o, tags[at + 1], t_i, t_j)
    keys[3] = _key(first + 3, o, tags[to - 1], t_i, t_j)
    keys[4] = _key(first + 4, o, tags[to + 1], t_i, t_j)
    keys[5] = _key(first + 5, o, words[at], t_i, t_j)
    keys[6] = _key(first + 6, o, words[to], t_i, t_j)


@inner
def both_keys(words, tags, i, j, o, keys):
    """Fills keys[:BOTH] with the features of both sides."""
    for number in range(TAG_PAIR):
        keys[number] = word_pair_key(words, i, j, number, o)
    tag_keys(words, tags, i, j, o, keys[TAG_PAIR:])


@inner
def candidate_keys(words, tags, i, j, o, keys):
    """Fills keys[:CANDIDATE] with the features that are counted for a pair other than CP and NP
    (footnote 12)."""
    at, to = i + MARGIN, j + MARGIN
    t_i, t_j, first = tags[at], tags[to], _FIRST_BOTH + TAG_PAIR
    keys[0] = word_pair_key(words, i, j, 0, o)
    keys[1] = _key(first, o, t_i, t_j, 0)
    keys[2] = _key(first + 5, o, words[at], t_i, t_j)
    keys[3] = _key(first + 6, o, words[to], t_i, t_j)


@inner
def orientation_key(o):
    return _key(_FIRST_DISTANCE, o, 0, 0, 0)


@inner
def distance_key(o, d):
    return _key(_FIRST_DISTANCE + 1, o, d, 0, 0)


_NAMES = (
    *(f"s[i{offset:+d}]" if offset else "s[i]" for offset in range(-2, 3)),
    "t[i]",
    *(f"s[j{offset:+d}]" if offset else "s[j]" for offset in range(-2, 3)),
    "t[j]",
)


def describe(key: int) -> tuple[tuple[str, ...], int, tuple[int, ...]]:
    """The names of a key's symbols, its orientation, and the symbols: words for names with s, tags
    for names with t, and a class of distances for d."""
    template, o = divmod(key >> _PAYLOAD, 2)
    payload = key & ((1 << _PAYLOAD) - 1)
    if template < _FIRST_BOTH:
        return (_NAMES[template],), o, (payload >> (2 * TAG_BITS),)
    number = template - _FIRST_BOTH
    if number < TAG_PAIR:
        p, q = WORD_PAIRS[number] + 2
        names = _NAMES[p], _NAMES[SIDE + q]
        return names, o, (payload >> WORD_BITS, payload & ((1 << WORD_BITS) - 1))
    low = (1 << TAG_BITS) - 1
    three = payload >> (2 * TAG_BITS), payload >> TAG_BITS & low, payload & low
    if number == TAG_PAIR:
        return ("t[i]", "t[j]"), o, three[:2]
    if number < BOTH:
        extra = ("t[i-1]", "t[i+1]", "t[j-1]", "t[j+1]", "s[i]", "s[j]")[number - TAG_PAIR - 1]
        return (extra, "t[i]", "t[j]"), o, three
    if template == _FIRST_DISTANCE:
        return (), o, ()
    return ("d",), o, three[:1]
