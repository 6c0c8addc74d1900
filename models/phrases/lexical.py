"""Word translation probabilities by relative frequency of links, w(e|f) and w(f|e).

An unaligned word counts as linked to NULL. Moses keeps seven decimals in its lexicon files, and so
do we, for tables that agree with its tables; but nothing is rounded to zero.
"""

from typing import NamedTuple

import numpy as np

from models.arrays import FloatArray, Int64Array
from models.data.corpus import AlignedCorpus
from models.data.vocabulary import UNKNOWN

NULL = UNKNOWN  # the id that no word of a corpus has
DECIMALS = 7


class LexicalTable(NamedTuple):
    """Sorted keys (source id · 2^32 + target id), NULL among them, and both conditionals."""

    keys: Int64Array
    target_given_source: FloatArray
    source_given_target: FloatArray


def estimate_lexical(corpus: AlignedCorpus) -> LexicalTable:
    source_ids, target_ids = corpus.source.words.values, corpus.target.words.values
    row = corpus.links.row_of_value
    source_at = corpus.source.words.offsets[row] + corpus.links.values[:, 0]
    target_at = corpus.target.words.offsets[row] + corpus.links.values[:, 1]
    lonely_source = np.ones(len(source_ids), bool)
    lonely_source[source_at] = False
    lonely_target = np.ones(len(target_ids), bool)
    lonely_target[target_at] = False
    nulls_source = np.full(np.count_nonzero(lonely_target), NULL)
    nulls_target = np.full(np.count_nonzero(lonely_source), NULL)
    source = np.concatenate([source_ids[source_at], source_ids[lonely_source], nulls_source])
    target = np.concatenate([target_ids[target_at], nulls_target, target_ids[lonely_target]])
    keys, counts = np.unique((source.astype(np.int64) << 32) | target, return_counts=True)
    return LexicalTable(
        keys,
        _kept(counts / np.bincount(source)[keys >> 32]),
        _kept(counts / np.bincount(target)[keys & 0xFFFFFFFF]),
    )


def _kept(probabilities: FloatArray) -> FloatArray:
    rounded: FloatArray = np.maximum(np.round(probabilities, DECIMALS), 10.0**-DECIMALS)
    return rounded
