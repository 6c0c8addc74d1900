"""Numbers for phrases: equal word sequences anywhere in a corpus get the same id.

The phrase of length k at a position is the pair (phrase of length k − 1 there, k-th word), so one
hash table of such pairs per length numbers every span exactly, in the order of first appearance.
"""

from typing import NamedTuple

import numpy as np

from models.arrays import Int32Array, Int64Array, Ragged
from models.hashing import EMPTY, find_slot, table_size
from models.kernels import kernel


class SpanIds(NamedTuple):
    ids: Int32Array  # (max_length, n_words): id of the span with k + 1 words, −1 past the end
    first_at: Int64Array  # (n_phrases,) where each phrase occurs first
    length: Int32Array  # (n_phrases,)


def number_spans(words: Ragged, max_length: int) -> SpanIds:
    n_words = len(words.values)
    ids = np.full((max_length, n_words), -1, np.int32)
    slots = table_size(n_words)
    first_at = []
    length = []
    total = 0
    sentence_end = np.repeat(words.offsets[1:], words.lengths)
    for k in range(max_length):
        before = ids[k - 1] if k else np.zeros(n_words, np.int32)
        found = _number(words.values, sentence_end, before, k, total, slots, ids[k])
        first_at.append(found)
        length.append(np.full(len(found), k + 1, np.int32))
        total += len(found)
    return SpanIds(ids, np.concatenate(first_at), np.concatenate(length))


@kernel
def _number(words, sentence_end, before, k, total, slots, ids):
    """Fills `ids` for spans of k + 1 words, numbered from `total`; returns first positions."""
    keys = np.empty(slots, np.int64)
    values = np.full(slots, EMPTY, np.int32)
    first_at = np.empty(len(words), np.int64)
    n_new = 0
    for at in range(len(words)):
        if at + k >= sentence_end[at]:
            continue
        key = (np.int64(before[at]) << 32) | np.int64(words[at + k])
        slot = find_slot(keys, values, key)
        if values[slot] == EMPTY:
            keys[slot] = key
            values[slot] = n_new
            first_at[n_new] = at
            n_new += 1
        ids[at] = total + values[slot]
    return first_at[:n_new].copy()
