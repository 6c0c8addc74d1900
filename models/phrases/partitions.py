"""Divides the work on a corpus into parts that fit into memory.

Phrases are divided by ranges of their first two words. The ranges are estimated from a sample of
sentences to have about equal size; a first word that is too frequent for one range is divided by
the second word. Results do not depend on the division.
"""

import json
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.foundation.arrays import Int32Array, Int64Array
from hyperbaton.foundation.kernels import kernel
from hyperbaton.foundation.sorted_arrays import lower_bound
from hyperbaton.models.phrases.extraction import extract

SAMPLED_PAIRS = 10_000  # sentence pairs
MANY_OCCURRENCES = 1_000_000  # smallest number to divide among threads
# Measured on text with 25 words per sentence, rounded up
WORK_BYTES = 130  # memory per occurrence of the current part
KEPT_BYTES = 160  # per occurrence on the shelf
SHARD_PAIRS = 10_000  # sentence pairs per shard
MOST_SHARDS = 1000
FAR_PARTS = 256  # enough for about a hundred workers
DIVISION = "division.json"


class Division(NamedTuple):
    source: Int64Array  # first keys of the parts of source phrases, without the first part
    target: Int64Array  # the same for target phrases
    shard: int  # sentence pairs per shard
    fits: bool = False  # whether everything fits into memory at once

    @property
    def n_parts(self) -> int:
        return len(self.source) + 1

    @property
    def n_target_parts(self) -> int:
        return len(self.target) + 1

    def text(self) -> str:
        """The division as text, to recognise work that was divided in the same way."""
        return json.dumps([self.source.tolist(), self.target.tolist(), self.shard])


def divide(
    corpus: AlignedCorpus, max_length: int, memory: int, threads: int, *, far: bool = False
) -> Division:
    """Divides the work for `threads` simultaneous parts in `memory` bytes, 0 for no limit. Each
    remote worker has that memory, and their number does not matter."""
    rows = np.unique(
        np.linspace(0, len(corpus) - 1, min(SAMPLED_PAIRS, len(corpus))).astype(np.int64)
    )
    sample = corpus.take(rows)
    pairs = extract(sample, max_length, threads=1 if far else threads)
    n = len(pairs) * len(corpus) / max(1, len(rows))
    fits = memory == 0 or n * (KEPT_BYTES + WORK_BYTES) <= memory
    n_parts = threads if n > MANY_OCCURRENCES else 1
    if far:
        of_memory = n * WORK_BYTES / memory if memory else 0
        n_parts = max(1, int(np.ceil(max(of_memory, min(n / MANY_OCCURRENCES, FAR_PARTS)))))
    elif not fits:
        n_parts = max(threads, int(np.ceil(n * WORK_BYTES * threads / memory)))
    sides = (
        (sample.source.words.values, pairs.source_at, pairs.source_length),
        (sample.target.words.values, pairs.target_at, pairs.target_length),
    )
    source, target = (_quantiles(phrase_keys(*side), n_parts) for side in sides)
    shard = max(SHARD_PAIRS, -(-len(corpus) // MOST_SHARDS))
    return Division(source, target, shard, fits and not far)


def _quantiles(keys: Int64Array, n: int) -> Int64Array:
    ordered = np.sort(keys)
    places = np.arange(1, n) * len(keys) // n
    return np.setdiff1d(ordered[places], ordered[:1]) if len(keys) else ordered


def phrase_keys(words: Int32Array, at: Int64Array, length: NDArray[Any]) -> Int64Array:
    """The first two words of each phrase as one number."""
    second = np.where(length > 1, words[np.minimum(at + 1, len(words) - 1)].astype(np.int64) + 1, 0)
    return (words[at].astype(np.int64) << 32) | second


@kernel
def group_by_part(words, at, length, bounds):
    """The order that sorts phrases by their parts, and the start of each part."""
    part = np.empty(len(at), np.int32)
    begin = np.zeros(len(bounds) + 2, np.int64)
    for phrase in range(len(at)):
        key = np.int64(words[at[phrase]]) << 32
        if length[phrase] > 1:
            key |= np.int64(words[at[phrase] + 1]) + 1
        part[phrase] = lower_bound(bounds, 0, len(bounds), key + 1)
        begin[part[phrase] + 1] += 1
    for k in range(len(bounds) + 1):
        begin[k + 1] += begin[k]
    order = np.empty(len(at), np.int32)
    cursor = begin.copy()
    for phrase in range(len(at)):
        order[cursor[part[phrase]]] = phrase
        cursor[part[phrase]] += 1
    return order, begin
