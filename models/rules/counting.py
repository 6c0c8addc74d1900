"""Counts the distinct rules of a corpus.

Sentence pairs are taken in shards of fixed size, and the counts of shards are added up in a fixed
order, so that the sums, which are fractions, depend neither on threads nor on memory.
"""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.foundation.arrays import FloatArray, Int32Array, Int64Array, Ragged, UInt64Array
from hyperbaton.foundation.kernels import uncounted_kernel
from hyperbaton.foundation.progress import Progress, silent
from hyperbaton.models.phrases.numbering import number_phrases
from hyperbaton.models.rules.extraction import Instances, extract_rules
from hyperbaton.models.rules.settings import RuleSettings
from hyperbaton.models.rules.texts import WantedText, matching

SHARD = 1000  # sentence pairs
MERGED = 8  # runs that are added up together


class RuleCounts(NamedTuple):
    """Distinct rules, each with one alignment; in the end sorted by source, target, alignment."""

    sources: Ragged  # distinct source sides, as symbols
    targets: Ragged
    source: Int32Array  # (n,) row of `sources`
    target: Int32Array
    inner: UInt64Array
    frequency: FloatArray


def count_rules(
    corpus: AlignedCorpus,
    settings: RuleSettings,
    threads: int = 2,
    progress: Progress = silent,
    text: WantedText | None = None,
) -> RuleCounts:
    """All rules, or those whose source side matches a text."""

    def counted(first: int) -> RuleCounts:
        rules = extract_rules(corpus, first, min(first + SHARD, len(corpus)), settings)
        return _of_instances(rules if text is None else matching(rules, text))

    levels = [list[RuleCounts]()]  # runs of the counts of 1, MERGED, MERGED², … shards
    with ThreadPoolExecutor(threads) as pool:
        for number, shard in enumerate(pool.map(counted, range(0, len(corpus), SHARD)), 1):
            levels[0].append(shard)
            for level, runs in enumerate(levels):
                if len(runs) == MERGED:
                    if len(levels) == level + 1:
                        levels.append([])
                    levels[level + 1].append(merged(runs))
                    runs.clear()
            progress("extracting rules, thousands of sentence pairs", number)
    return _in_order(merged(run for runs in reversed(levels) for run in runs))


def merged(parts: Iterable[RuleCounts]) -> RuleCounts:
    """The sum of some counts."""
    parts = list(parts)
    if len(parts) == 1:
        return parts[0]
    source, target = (
        np.concatenate(
            [
                getattr(part, side) + first
                for part, first in zip(parts, _starts(parts, f"{side}s"), strict=True)
            ]
        )
        for side in ("source", "target")
    )
    return _grouped(
        _joined([part.sources for part in parts]),
        _joined([part.targets for part in parts]),
        source,
        target,
        np.concatenate([part.inner for part in parts]),
        np.concatenate([part.frequency for part in parts]),
    )


def _of_instances(rules: Instances) -> RuleCounts:
    every = np.arange(len(rules.fraction), dtype=np.int32)
    sources = _rows(rules.source, rules.source_length)
    targets = _rows(rules.target, rules.target_length)
    return _grouped(sources, targets, every, every, rules.inner, rules.fraction)


def _rows(symbols: Int32Array, length: Int32Array) -> Ragged:
    return _gathered(symbols.reshape(-1), np.arange(len(length)) * symbols.shape[1], length)


def _grouped(
    sources: Ragged,
    targets: Ragged,
    source: Int32Array,
    target: Int32Array,
    inner: UInt64Array,
    frequency: FloatArray,
) -> RuleCounts:
    """Joins equal sides and equal rules; adds up counts in the order of the rows."""
    (source_of, sources), (target_of, targets) = distinct(sources), distinct(targets)
    rows = np.empty((len(source), 4), np.int32)  # all that makes a rule, for one hash
    rows[:, 0], rows[:, 1] = source_of[source], target_of[target]
    rows[:, 2:] = inner.view(np.int32).reshape(-1, 2)
    at = np.arange(len(rows), dtype=np.int32) * 4
    number, first = number_phrases(rows.reshape(-1), at, np.full(len(rows), 4, np.int32))
    total = np.bincount(number, frequency, len(first)).astype(np.float64)
    return RuleCounts(sources, targets, rows[first, 0], rows[first, 1], inner[first], total)


def _in_order(counts: RuleCounts) -> RuleCounts:
    order = np.lexsort((counts.inner, counts.target, counts.source))
    return counts._replace(
        source=counts.source[order],
        target=counts.target[order],
        inner=counts.inner[order],
        frequency=counts.frequency[order],
    )


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


def _starts(parts: list[RuleCounts], name: str) -> list[int]:
    """The number of the first side of each part, in their concatenation."""
    sizes = [len(getattr(part, name)) for part in parts]
    return np.cumsum([0, *sizes])[:-1].tolist()  # type: ignore[no-any-return]
