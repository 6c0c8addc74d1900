"""Counts the distinct rules of a corpus.

Sentence pairs are taken in shards of fixed size, and the counts of shards are added up in a fixed
order, so that the sums, which are fractions, depend neither on threads nor on memory.
"""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.foundation.arrays import (
    BoolArray,
    FloatArray,
    Int32Array,
    Int64Array,
    Ragged,
    UInt64Array,
)
from hyperbaton.foundation.hashing import mix_in, mixed
from hyperbaton.foundation.kernels import uncounted_kernel
from hyperbaton.foundation.progress import Progress, silent
from hyperbaton.models.phrases.numbering import number_phrases
from hyperbaton.models.rules.extraction import Instances, extract_rules
from hyperbaton.models.rules.settings import RuleSettings
from hyperbaton.models.rules.texts import WantedText, matching

SHARD = 1000  # sentence pairs
MERGED = 8  # runs that are added up together


class RuleCounts(NamedTuple):
    """Distinct rules, each with one alignment."""

    sides: tuple[Ragged, Ragged]  # distinct source and target sides, as symbols
    rows: Int32Array  # (n, 4) numbers of the sides, and the inner alignment in two words
    frequency: FloatArray

    @property
    def source(self) -> Int32Array:
        return self.rows[:, 0]

    @property
    def target(self) -> Int32Array:
        return self.rows[:, 1]

    @property
    def inner(self) -> UInt64Array:
        return np.ascontiguousarray(self.rows[:, 2:]).view(np.uint64).reshape(-1)


def count_rules(
    corpus: AlignedCorpus,
    settings: RuleSettings,
    threads: int = 2,
    progress: Progress = silent,
    text: WantedText | None = None,
    part: tuple[int, int] = (0, 1),
) -> RuleCounts:
    """All rules, or those whose source side matches a text. Their source sides are divided into
    parts; `part` is a number and the number of parts."""

    def counted(first: int) -> RuleCounts:
        rules = extract_rules(corpus, first, min(first + SHARD, len(corpus)), settings)
        if part[1] > 1:
            is_in: BoolArray = np.empty(len(rules.fraction), bool)
            _of_part(rules.source, rules.source_length, *part, is_in)
            rules = Instances._make(column[is_in] for column in rules)
        return _of_instances(rules if text is None else matching(rules, text))

    runs = list[tuple[int, RuleCounts]]()  # counts of 1, MERGED, MERGED², … shards, with the power
    with ThreadPoolExecutor(threads) as pool:
        for number, shard in enumerate(pool.map(counted, range(0, len(corpus), SHARD)), 1):
            runs.append((0, shard))
            while len(runs) >= MERGED and runs[-MERGED][0] == runs[-1][0]:
                total = runs[-1][0] + 1, merged(run for _, run in runs[-MERGED:])
                runs[-MERGED:] = [total]
            progress("extracting rules, thousands of sentence pairs", number)
    return merged(run for _, run in runs)


def merged(parts: Iterable[RuleCounts]) -> RuleCounts:
    """The sum of some counts."""
    parts = list(parts)
    if len(parts) == 1:
        return parts[0]
    rows = np.concatenate([part.rows for part in parts])
    of_part = np.repeat(np.arange(len(parts)), [len(part.rows) for part in parts])
    sides = list[Ragged]()
    for side in range(2):
        every = [part.sides[side] for part in parts]
        first = np.cumsum([0, *map(len, every)])
        number, joined = distinct(_joined(every))
        rows[:, side] = number[rows[:, side] + first[of_part]]
        sides.append(joined)
    return _grouped((sides[0], sides[1]), rows, np.concatenate([part.frequency for part in parts]))


@uncounted_kernel
def _of_part(source, length, part, n_parts, is_in):
    for row in range(len(is_in)):
        hashed = np.uint64(length[row])
        for k in range(length[row]):
            hashed = mix_in(hashed, np.uint64(source[row, k]))
        is_in[row] = np.int64(mixed(hashed) >> np.uint64(1)) % n_parts == part


def _of_instances(rules: Instances) -> RuleCounts:
    rows = np.empty((len(rules.fraction), 4), np.int32)
    rows[:, 0], sources = distinct(_rows(rules.source, rules.source_length))
    rows[:, 1], targets = distinct(_rows(rules.target, rules.target_length))
    rows[:, 2:] = rules.inner.view(np.int32).reshape(-1, 2)
    return _grouped((sources, targets), rows, rules.fraction)


def _rows(symbols: Int32Array, length: Int32Array) -> Ragged:
    return _gathered(symbols.reshape(-1), np.arange(len(length)) * symbols.shape[1], length)


def _grouped(sides: tuple[Ragged, Ragged], rows: Int32Array, frequency: FloatArray) -> RuleCounts:
    """Joins equal rules; adds up counts in the order of the rows."""
    at = np.arange(len(rows), dtype=np.int32) * 4
    number, first = number_phrases(rows.reshape(-1), at, np.full(len(rows), 4, np.int32))
    total = np.bincount(number, frequency, len(first)).astype(np.float64)
    return RuleCounts(sides, rows[first], total)


def distinct(sides: Ragged) -> tuple[Int32Array, Ragged]:
    """The number of each side among the distinct ones, and these."""
    at, length = sides.offsets[:-1].astype(np.int32), sides.lengths.astype(np.int32)
    number, first = number_phrases(sides.values, at, length)
    return number, _gathered(sides.values, sides.offsets[first], length[first])


def _gathered(values: Int32Array, starts: Int64Array, lengths: Int32Array) -> Ragged:
    """Like `Ragged.gather`, without arrays of places, which would take most of the memory."""
    offsets = np.zeros(len(starts) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    copied = np.empty(offsets[-1], np.int32)
    _copy(values, starts, offsets, copied)
    return Ragged(copied, offsets)


@uncounted_kernel
def _copy(values, starts, offsets, copied):
    for row in range(len(starts)):
        for at in range(offsets[row + 1] - offsets[row]):
            copied[offsets[row] + at] = values[starts[row] + at]


def _joined(parts: list[Ragged]) -> Ragged:
    lengths = np.concatenate([part.lengths for part in parts])
    values = np.concatenate([part.values for part in parts])
    return Ragged(values, np.concatenate([[0], np.cumsum(lengths)]))
