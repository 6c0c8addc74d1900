"""The features of pairs of places by number: one look finds all features of two words.

Half of a model's features are two words at certain offsets from i and j, ⟨o, s_p, s_q⟩. Those of
the same orientation and words make a record: features with numbers that follow each other, one for
each of the 21 templates that exist.

    record 5: features 700 to 702       templates of 700, 701, 702: 0, 1, 4

So training and decoding look up the words of two places once and not for 21 pairs of places, and
weights that are used together lie together. All other features, with at most one word beside tags,
are numbered before these, by their keys (`FeatureIndex`).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hyperbaton.foundation.arrays import Int32Array, Int64Array
from hyperbaton.foundation.hashing import first_slot, table_size
from hyperbaton.foundation.kernels import inner
from hyperbaton.models.distortion.next_word.selection import (
    VACANT,
    FeatureIndex,
    insert,
    make_index,
)
from hyperbaton.models.distortion.next_word.selection import keys_in_order as other_keys_in_order
from hyperbaton.models.distortion.next_word.templates import (
    ORIENTATION_BIT,
    TAG_PAIR,
    WORD_BITS,
    key_of_words,
    word_template,
)

_WORDS = (1 << (2 * WORD_BITS)) - 1  # the bits of two words in a key


class PairIndex(NamedTuple):
    """Records are found by a hash table that is written once."""

    others: FeatureIndex
    words: Int64Array  # (slots,) VACANT, or orientation and words
    record: Int32Array  # (slots,)
    begin: Int32Array  # (records + 1,) the first feature of each record
    template: NDArray[np.uint8]  # (features of records,)
    n_features: int


def make_pair_index(keys: Int64Array) -> PairIndex:
    """The index of distinct keys. Records are numbered in the order of their first keys, so if the
    most frequent keys come first, frequent records do."""
    template = word_template(keys)
    is_words = (template >= 0) & (template < TAG_PAIR)
    others = make_index(keys[~is_words])
    template, keys = template[is_words], keys[is_words]
    words = ((keys >> ORIENTATION_BIT & 1) << (2 * WORD_BITS)) | (keys & _WORDS)
    _, first, number = np.unique(words, return_index=True, return_inverse=True)
    in_order = np.lexsort((template, first[number]))
    words, template = words[in_order], template[in_order]
    is_new = np.ones(len(words) + 1, np.bool_)
    is_new[1:-1] = words[1:] != words[:-1]
    begin = np.flatnonzero(is_new)
    size = table_size(len(begin) - 1)
    slots, record = np.full(size, VACANT, np.int64), np.zeros(size, np.int32)
    insert(slots, record, words[begin[:-1]])
    return PairIndex(
        others,
        slots,
        record,
        (begin + others.n_features).astype(np.int32),
        template.astype(np.uint8),
        others.n_features + len(words),
    )


@inner
def find_record(index, first, second, o):
    """The record of two words, plus 1; 0 if there is none."""
    if first < 0 or second < 0:
        return 0
    words = (((o << WORD_BITS) | first) << WORD_BITS) | second
    mask = len(index.words) - 1
    slot = first_slot(words, mask)
    while index.words[slot] != VACANT:
        if index.words[slot] == words:
            return index.record[slot] + 1
        slot = (slot + 1) & mask
    return 0


def keys_in_order(index: PairIndex) -> Int64Array:
    """The keys by number."""
    used = index.words != VACANT
    words = np.empty(len(index.begin) - 1, np.int64)
    words[index.record[used]] = index.words[used]
    words = np.repeat(words, np.diff(index.begin))
    keys = key_of_words(index.template.astype(np.int64), words >> (2 * WORD_BITS), words & _WORDS)
    return np.concatenate([other_keys_in_order(index.others), keys])
