"""Counts the distinct rules of a corpus.

Sentence pairs are taken in shards of fixed size, and the counts of shards are added up in a fixed
order, so that the sums, which are fractions, depend neither on threads nor on memory.
"""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.foundation.arrays import FloatArray, Int32Array, Ragged, UInt64Array
from hyperbaton.foundation.progress import Progress, silent
from hyperbaton.models.phrases.numbering import number_phrases
from hyperbaton.models.rules.extraction import Instances, extract_rules
from hyperbaton.models.rules.settings import RuleSettings
from hyperbaton.models.rules.texts import WantedText, matching

SHARD = 1000  # sentence pairs


class RuleCounts(NamedTuple):
    """Distinct rules, each with one alignment, sorted by source, target and alignment."""

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

    runs = list[RuleCounts]()  # every run is at most half as long as the one before it
    with ThreadPoolExecutor(threads) as pool:
        for number, shard in enumerate(pool.map(counted, range(0, len(corpus), SHARD)), 1):
            runs.append(shard)
            while len(runs) > 1 and len(runs[-2].frequency) < 2 * len(runs[-1].frequency):
                runs[-2:] = [merged(runs[-2:])]
            progress("extracting rules, thousands of sentence pairs", number)
    return merged(runs)


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
    starts = np.arange(len(length)) * symbols.shape[1]
    return Ragged.gather(symbols.reshape(-1), starts, length)


def _grouped(
    sources: Ragged,
    targets: Ragged,
    source: Int32Array,
    target: Int32Array,
    inner: UInt64Array,
    count: FloatArray,
) -> RuleCounts:
    """Joins equal sides and equal rules; adds up counts in the order of the rows."""
    (source_of, sources), (target_of, targets) = _distinct(sources), _distinct(targets)
    pair = source_of[source].astype(np.int64) * len(targets) + target_of[target]
    order = np.lexsort((inner, pair))
    pair, inner, count = pair[order], inner[order], count[order]
    is_first = np.ones(len(pair), bool)
    is_first[1:] = (pair[1:] != pair[:-1]) | (inner[1:] != inner[:-1])
    first = np.flatnonzero(is_first)
    return RuleCounts(
        sources,
        targets,
        (pair[first] // max(len(targets), 1)).astype(np.int32),
        (pair[first] % max(len(targets), 1)).astype(np.int32),
        inner[first],
        np.add.reduceat(count, first) if len(first) else count,
    )


def _distinct(sides: Ragged) -> tuple[Int32Array, Ragged]:
    at, length = sides.offsets[:-1].astype(np.int32), sides.lengths.astype(np.int32)
    number, first = number_phrases(sides.values, at, length)
    return number, sides.take(first.astype(np.int64))


def _joined(parts: list[Ragged]) -> Ragged:
    lengths = np.concatenate([part.lengths for part in parts])
    values = np.concatenate([part.values for part in parts])
    return Ragged(values, np.concatenate([[0], np.cumsum(lengths)]))


def _starts(parts: list[RuleCounts], name: str) -> list[int]:
    """The number of the first side of each part, in their concatenation."""
    sizes = [len(getattr(part, name)) for part in parts]
    return np.cumsum([0, *sizes])[:-1].tolist()  # type: ignore[no-any-return]
