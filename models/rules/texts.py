"""Rules for given texts only, from corpora whose rules are too many to keep.

The corpus is streamed twice. First, rules whose source side matches a sentence of the texts are
counted, which gives c(f, e) and c(f); then the rules of any source with the same target sides,
which gives c(e). So all scores are those of the whole table.
"""

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.foundation.arrays import BoolArray, FloatArray, Int32Array, Int64Array, Ragged
from hyperbaton.foundation.files.vocabulary import SPECIAL, Vocabulary
from hyperbaton.foundation.hashing import EMPTY, DistinctRows, add_row, find_row, no_rows
from hyperbaton.foundation.kernels import kernel, uncounted, uncounted_kernel
from hyperbaton.models.rules.extraction import Instances, extract_rules
from hyperbaton.models.rules.settings import GAP, SECOND_GAP, RuleSettings

N_SPECIAL = len(SPECIAL)


class WantedText(NamedTuple):
    """Sentences as word ids, and the sentences of each word."""

    words: Int32Array
    offsets: Int64Array
    begin: Int64Array  # (vocabulary + 1,)
    sentences: Int32Array


def wanted_text(sentences: Iterable[Sequence[str]], vocabulary: Vocabulary) -> WantedText:
    rows = [vocabulary.encode(words) for words in sentences]
    lengths = np.array([len(row) for row in rows], np.int64)
    words = np.concatenate([np.empty(0, np.int32), *rows])
    pairs = np.unique(np.stack([words, np.repeat(np.arange(len(rows)), lengths)], axis=1), axis=0)
    begin = np.searchsorted(pairs[:, 0], np.arange(len(vocabulary) + 1))
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    return WantedText(words, offsets, begin, pairs[:, 1].astype(np.int32))


def matching(rules: Instances, text: WantedText) -> Instances:
    """The rules whose source side matches a sentence."""
    keep: BoolArray = np.zeros(len(rules.fraction), bool)
    _match(rules.source, rules.source_length, *text, keep)
    return Instances._make(column[keep] for column in rules)


@uncounted_kernel
def _match(source, source_length, words, offsets, begin, sentences, keep):
    for rule in range(len(keep)):
        rarest, fewest = EMPTY, len(sentences) + 1
        for k in range(source_length[rule]):
            word = source[rule, k]
            n = begin[word + 1] - begin[word]
            if word >= N_SPECIAL and n < fewest:
                rarest, fewest = word, n
        for at in range(begin[rarest], begin[rarest + 1]):
            sentence = sentences[at]
            place, last = offsets[sentence], offsets[sentence + 1]
            # the earliest place of each run of words leaves most room for the next
            k = 0
            while k < source_length[rule] and place < last:
                if source[rule, k] == GAP:
                    place, k = place + 1, k + 1
                    continue
                n = 0
                while k + n < source_length[rule] and source[rule, k + n] != GAP:
                    n += 1
                while place + n <= last:
                    same = 0
                    while same < n and words[place + same] == source[rule, k + same]:
                        same += 1
                    if same == n:
                        break
                    place += 1
                if place + n > last:
                    place = last + 1
                    break
                place += n
                k += n
            if k == source_length[rule] and place <= last:
                keep[rule] = True
                break


def count_targets(
    corpus: AlignedCorpus, settings: RuleSettings, targets: Ragged, shard: int, threads: int
) -> FloatArray:
    """c(e) of distinct target sides, whose gaps are in order, over the whole corpus."""
    size = 1 << max(4, int(len(targets) * 2).bit_length())
    known: DistinctRows = no_rows(np.int32, size)
    if len(targets.values) > len(known.values):
        known = known._replace(values=np.empty(len(targets.values), np.int32))
    _add(known, targets.values, targets.offsets)

    def counted(first: int) -> FloatArray:
        rules = extract_rules(corpus, first, min(first + shard, len(corpus)), settings)
        counts = np.zeros(len(targets))
        _count(known, rules.target, rules.target_length, rules.fraction, counts)
        return counts

    total = np.zeros(len(targets))
    with ThreadPoolExecutor(threads) as pool:
        for counts in pool.map(counted, range(0, len(corpus), shard)):
            total += counts
    return total


@uncounted
def put_in_order(symbols):
    """Numbers the gaps of a target side from left to right."""
    for k in range(len(symbols)):
        if symbols[k] == GAP:
            return
        if symbols[k] == SECOND_GAP:
            symbols[k] = GAP
            for later in range(k + 1, len(symbols)):
                if symbols[later] == GAP:
                    symbols[later] = SECOND_GAP
            return


@kernel
def put_all_in_order(values, offsets):
    for row in range(len(offsets) - 1):
        put_in_order(values[offsets[row] : offsets[row + 1]])


@kernel
def _add(known, values, offsets):
    for row in range(len(offsets) - 1):
        add_row(known, values[offsets[row] : offsets[row + 1]], offsets[row + 1] - offsets[row])


@kernel
def _count(known, target, target_length, fraction, counts):
    for rule in range(len(fraction)):
        put_in_order(target[rule, : target_length[rule]])
        row = find_row(known, target[rule], target_length[rule])
        if row != EMPTY:
            counts[row] += fraction[rule]
