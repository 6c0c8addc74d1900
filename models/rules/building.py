"""Builds a rule table from an aligned corpus: counts, probabilities and lexical weights.

φ(e|f) = c(f, e) / c(f) with fractional counts. In c(e), it does not matter which gap is which, as
in Moses: [X1] a [X2] and [X2] a [X1] are the same target side of different source sides. Lexical
weights are those of phrases, over the words of a rule without its gaps. A rule keeps its most
frequent inner alignment.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.foundation.arrays import MOST_NUMBERED, FloatArray, Int32Array, Ragged
from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.kernels import kernel
from hyperbaton.foundation.progress import Progress, silent
from hyperbaton.models.phrases.lexical import estimate_lexical, lexical_weight
from hyperbaton.models.phrases.sections import EntrySide, assemble
from hyperbaton.models.rules.counting import SHARD, RuleCounts, count_rules, distinct, merged
from hyperbaton.models.rules.extraction import check_rule_settings, extract_rules
from hyperbaton.models.rules.settings import MOST_SYMBOLS, RuleSettings
from hyperbaton.models.rules.table import RuleTable, text_key
from hyperbaton.models.rules.texts import (
    WantedText,
    count_targets,
    matching,
    put_all_in_order,
    wanted_text,
)

RULE_BYTES = 140  # memory per rule of a phrase pair, measured on 50,000 pairs of short sentences
COUNT_BYTES = 90  # to count it, of Kyoto's long sentences
SAMPLED = 1000  # sentence pairs


def train_rules(
    corpus: AlignedCorpus,
    settings: RuleSettings = RuleSettings(),
    threads: int = 2,
    progress: Progress = silent,
    *,
    memory: int = 0,
    texts: Sequence[Sequence[str]] = (),
) -> RuleTable:
    """The table of all rules, which must fit into `memory` bytes (0: no limit); or of those for
    some source sentences."""
    check_rule_settings(settings)
    wanted = wanted_text(texts, corpus.source.vocabulary) if texts else None
    n_parts = _parts(corpus, settings, memory, wanted) if memory else 1
    parts, totals = list[RuleCounts](), list[FloatArray]()
    for part in range(n_parts):
        counts = count_rules(corpus, settings, threads, progress, wanted, (part, n_parts))
        totals.append(_sums(counts.source, counts.frequency, len(counts.sides[0])))
        parts.append(_best(counts, settings.translations or MOST_NUMBERED))
    counts = merged(parts)
    parts.clear()  # frees memory
    if not len(counts.frequency):
        raise DataError(
            "no rules can be extracted",
            expected="expected a corpus with word alignments",
            advice="inspect it with hyperbaton corpus",
        )
    progress("scoring rules", len(counts.frequency))
    targets = counts.sides[1]
    ordered = Ragged(targets.values.copy(), targets.offsets)
    put_all_in_order(ordered.values, ordered.offsets)
    row, ordered = distinct(ordered)
    if texts or settings.translations:
        target_count = count_targets(corpus, settings, ordered, SHARD, threads)
    else:
        target_count = _sums(row[counts.target], counts.frequency, len(ordered))
    table = _scored(corpus, counts, np.concatenate(totals), target_count[row])
    keys = np.unique(np.array([text_key(words) for words in texts], np.uint64))
    return replace(table, sentences=keys)


def _parts(
    corpus: AlignedCorpus, settings: RuleSettings, memory: int, text: WantedText | None
) -> int:
    """The number of parts in which rules are counted, so that each fits into the memory; estimated
    from a sample. Raises if all rules are kept and do not fit."""
    rows = np.unique(np.linspace(0, len(corpus) - 1, SAMPLED).astype(np.int64))
    rules = extract_rules(corpus.take(rows), 0, len(rows), settings)
    found = rules if text is None else matching(rules, text)
    n_rules = len(found.fraction) * len(corpus) // len(rows)
    if n_rules * RULE_BYTES > memory and not settings.translations:
        raise DataError(
            f"about {n_rules:,} rules would need {n_rules * RULE_BYTES / 1e9:.1f} GB",
            expected=f"expected at most train.memory, {memory / 1e9:.1f} GB",
            advice=("" if text else "extract only the rules for some texts: --rules-for FILE; ")
            + "take fewer rules: --set rules.translations=100, or --set rules.tight=true; or raise "
            "train.memory",
        )
    return n_rules * COUNT_BYTES // memory + 1


def _best(counts: RuleCounts, most: int) -> RuleCounts:
    """c(f, e) of the most frequent target sides of each source side, with their most frequent
    alignments; of equals, the first."""
    order = np.lexsort((counts.inner, -counts.frequency, counts.target, counts.source))
    rows, frequency = counts.rows[order], counts.frequency[order]
    is_first = np.ones(len(rows), bool)  # of its pair of sides
    is_first[1:] = (rows[1:, :2] != rows[:-1, :2]).any(axis=1)
    first = np.flatnonzero(is_first)
    of_pair = np.add.reduceat(frequency, first) if len(first) else frequency
    source = rows[first, 0]
    by_count = np.lexsort((-of_pair, source))
    rank = np.arange(len(first)) - np.searchsorted(source, source)
    kept = np.sort(by_count[rank < most])
    rows = rows[first[kept]]
    targets, rows[:, 1] = np.unique(rows[:, 1], return_inverse=True)
    sources, every_target = counts.sides
    return RuleCounts((sources, every_target.take(targets.astype(np.int64))), rows, of_pair[kept])


def _scored(
    corpus: AlignedCorpus, counts: RuleCounts, source_count: FloatArray, target_count: FloatArray
) -> RuleTable:
    """The table of counted rules, with c(f) of each source side and c(e) of each target side."""
    sources, targets = counts.sides
    source, target, links = counts.source, counts.target, counts.inner
    lexical = np.empty((2, len(source)))
    _weigh(
        sources.values, sources.offsets, targets.values, targets.offsets, source, target, links,
        estimate_lexical(corpus), lexical,
    )  # fmt: skip
    whole = target_count[target], source_count[source]
    inverse, direct = (counts.frequency / count for count in whole)
    counted = [count.astype(np.float32) for count in (*whole, counts.frequency)]
    del whole  # frees memory
    given = (
        EntrySide(corpus.source.vocabulary, sources, source),
        EntrySide(corpus.target.vocabulary, targets, target),
    )
    probabilities = inverse, lexical[0], direct, lexical[1]
    no_orders = np.empty((len(source), 0))
    return RuleTable.of(assemble(*given, probabilities, links, counted, no_orders).gathered())


def _sums(row: Int32Array, values: FloatArray, n: int) -> FloatArray:
    return np.bincount(row, values, n).astype(np.float64)


@kernel
def _weigh(sources, source_offsets, targets, target_offsets, source, target, links, table, lexical):
    """Fills in lex(f|e) and lex(e|f) of every rule."""
    for rule in range(len(source)):
        f = sources[source_offsets[source[rule]] : source_offsets[source[rule] + 1]]
        e = targets[target_offsets[target[rule]] : target_offsets[target[rule] + 1]]
        lexical[0, rule] = lexical_weight(f, e, links[rule], MOST_SYMBOLS, True, table)
        lexical[1, rule] = lexical_weight(e, f, links[rule], MOST_SYMBOLS, False, table)
