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
from hyperbaton.foundation.arrays import FloatArray, Int32Array, Int64Array, Ragged
from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.kernels import kernel
from hyperbaton.foundation.progress import Progress, silent
from hyperbaton.models.phrases.entries import logarithms
from hyperbaton.models.phrases.lexical import estimate_lexical, lexical_weight
from hyperbaton.models.phrases.sections import frequencies
from hyperbaton.models.rules.assembly import Rules, assemble
from hyperbaton.models.rules.counting import SHARD, RuleCounts, count_rules, distinct
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
    if memory:
        _check_memory(corpus, settings, memory, wanted)
    counts = count_rules(corpus, settings, threads, progress, wanted)
    if not len(counts.frequency):
        raise DataError(
            "no rules can be extracted",
            expected="expected a corpus with word alignments",
            advice="inspect it with hyperbaton corpus",
        )
    progress("scoring rules", len(counts.frequency))
    ordered = Ragged(counts.targets.values.copy(), counts.targets.offsets)
    put_all_in_order(ordered.values, ordered.offsets)
    row, ordered = distinct(ordered)
    if texts:
        target_count = count_targets(corpus, settings, ordered, SHARD, threads)
    else:
        target_count = _sums(row[counts.target], counts.frequency, len(ordered))
    table = _scored(corpus, counts, target_count[row])
    keys = np.unique(np.array([text_key(words) for words in texts], np.uint64))
    return replace(table, sentences=keys)


def _check_memory(
    corpus: AlignedCorpus, settings: RuleSettings, memory: int, text: WantedText | None
) -> None:
    """Raises if there are too many rules, estimated from a sample."""
    rows = np.unique(np.linspace(0, len(corpus) - 1, SAMPLED).astype(np.int64))
    rules = extract_rules(corpus.take(rows), 0, len(rows), settings)
    found = rules if text is None else matching(rules, text)
    n_rules = len(found.fraction) * len(corpus) // len(rows)
    if n_rules * RULE_BYTES > memory:
        raise DataError(
            f"about {n_rules:,} rules would need {n_rules * RULE_BYTES / 1e9:.1f} GB",
            expected=f"expected at most train.memory, {memory / 1e9:.1f} GB",
            advice=("" if text else "extract only the rules for some texts: --rules-for FILE; ")
            + "take fewer rules: --set rules.tight=true; or raise train.memory",
        )


def _scored(corpus: AlignedCorpus, counts: RuleCounts, target_count: FloatArray) -> RuleTable:
    """The table of counted rules; `target_count` is c(e) of each target side."""
    source_count = _sums(counts.source, counts.frequency, len(counts.sources))
    chosen, of_pair = _best_alignments(counts)
    source, target, links = counts.source[chosen], counts.target[chosen], counts.inner[chosen]
    lexical = np.empty((len(chosen), 2))
    _weigh(
        counts.sources.values, counts.sources.offsets, counts.targets.values,
        counts.targets.offsets, source, target, links, estimate_lexical(corpus), lexical,
    )  # fmt: skip
    of_target, of_source = target_count[target], source_count[source]
    probabilities = logarithms(of_pair / of_target), logarithms(of_pair / of_source)
    rules = Rules(
        counts.sources, counts.targets, source, target, links, logarithms(lexical),
        frequencies([of_target, of_source, of_pair, *probabilities]),
    )  # fmt: skip
    return assemble(corpus.source.vocabulary, corpus.target.vocabulary, rules)


def _sums(row: Int32Array, values: FloatArray, n: int) -> FloatArray:
    return np.bincount(row, values, n).astype(np.float64)


def _best_alignments(counts: RuleCounts) -> tuple[Int64Array, FloatArray]:
    """The row with the most frequent alignment of each pair of sides, the first of equals; and
    c(f, e)."""
    is_first = np.ones(len(counts.frequency), bool)
    for side in (counts.source, counts.target):
        is_first[1:] &= side[1:] == side[:-1]
    is_first[1:] = ~is_first[1:]
    first = np.flatnonzero(is_first)
    pair = np.cumsum(is_first) - 1
    order = np.lexsort((-counts.frequency, pair))  # stable: the first of equals is first
    return order[first], np.add.reduceat(counts.frequency, first)


@kernel
def _weigh(sources, source_offsets, targets, target_offsets, source, target, links, table, lexical):
    """Fills in lex(f|e) and lex(e|f) of every rule."""
    for rule in range(len(source)):
        f = sources[source_offsets[source[rule]] : source_offsets[source[rule] + 1]]
        e = targets[target_offsets[target[rule]] : target_offsets[target[rule] + 1]]
        lexical[rule, 0] = lexical_weight(f, e, links[rule], MOST_SYMBOLS, True, table)
        lexical[rule, 1] = lexical_weight(e, f, links[rule], MOST_SYMBOLS, False, table)
