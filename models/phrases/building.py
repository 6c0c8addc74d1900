"""From an aligned corpus to a phrase table with reordering scores."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from models.arrays import Int32Array, Ragged
from models.data.corpus import AlignedCorpus, Side
from models.errors import DataError, SettingError
from models.phrases.extraction import check_max_length, extract
from models.phrases.pruning import keep_best, keep_significant, significance_threshold
from models.phrases.reordering import ORIENTATIONS, ReorderingType, reordering_scores
from models.phrases.scoring import collect, lexical_weights
from models.phrases.sections import EntrySide, assemble
from models.phrases.smoothing import check_smoothing, translation_probabilities
from models.phrases.table import PhraseTable
from models.phrases.trie import SpanIds, number_spans

NONE = "none"


@dataclass(frozen=True)
class PhraseSettings:
    """How phrase tables are made (`--set phrases.KEY=VALUE`)."""

    max_length: int = 7  # words of a phrase, at most 8
    smoothing: str = NONE  # of the phrase translation probabilities: none, good-turing, kneser-ney
    min_count: int = 1  # drop pairs seen less often
    top: int = 0  # translations kept per source phrase; 0 keeps all
    significance: str = NONE  # drop pairs by Fisher's exact test: none, a+e, a-e or a number
    reordering: str = "wbe-msd-bidirectional-fe"  # type of the reordering scores, or none


def check_phrase_settings(settings: PhraseSettings) -> None:
    """Refuses impossible values before any work."""
    check_values(
        "phrases",
        settings,
        {
            "max_length": check_max_length,
            "smoothing": check_smoothing,
            "min_count": check_not_negative,
            "top": check_not_negative,
            "significance": lambda text: text == NONE or significance_threshold(text, 1),
            "reordering": _reordering_type,
        },
    )


def check_values(section: str, settings: Any, checks: Mapping[str, Callable[[Any], Any]]) -> None:
    """Checks each value; an error names the setting."""
    for key, check in checks.items():
        try:
            check(getattr(settings, key))
        except SettingError as error:
            error.where = f"{section}.{key}"
            raise


def check_not_negative(number: int) -> None:
    if number < 0:
        raise SettingError(f"{number} is not possible", expected="a number from 0 up")


def train_phrases(
    corpus: AlignedCorpus, settings: PhraseSettings = PhraseSettings(), threads: int = 2
) -> PhraseTable:
    check_phrase_settings(settings)
    kind = _reordering_type(settings.reordering)
    occurrences = extract(
        corpus, settings.max_length, ORIENTATIONS[kind.orientation] if kind else "word", threads
    )
    if not len(occurrences):
        raise DataError(
            "no phrase pair can be extracted",
            expected="a corpus with word alignments",
            advice="look at it with hyperbaton corpus",
        )
    with ThreadPoolExecutor(threads) as pool:
        source, target = pool.map(
            lambda side: number_spans(side.words, settings.max_length),
            (corpus.source, corpus.target),
        )
    pairs = collect(occurrences, source, target)
    direct, inverse = translation_probabilities(pairs, settings.smoothing)
    keep = pairs.count >= settings.min_count
    if settings.significance != NONE:
        threshold = significance_threshold(settings.significance, len(corpus))
        keep &= keep_significant(pairs, source, target, corpus, threshold)
    if settings.top:
        keep &= keep_best(pairs, direct, settings.top)
    if not keep.any():
        raise DataError(
            f"none of {len(keep):,} phrase pairs is left",
            expected="phrases.min_count or phrases.significance is too high",
        )
    reordering = np.empty((len(pairs.source), 0))
    if kind:
        reordering = reordering_scores(kind, occurrences, pairs)
    pairs, direct, inverse = pairs.take(keep), direct[keep], inverse[keep]
    direct_lexical, inverse_lexical = lexical_weights(pairs, source, target, corpus)
    table = assemble(
        _entry_side(corpus.source, source, pairs.source),
        _entry_side(corpus.target, target, pairs.target),
        np.stack([inverse, inverse_lexical, direct, direct_lexical], axis=1),
        pairs.inner,
        np.stack([pairs.target_count, pairs.source_count, pairs.count], axis=1),
        reordering[keep],
        str(kind) if kind else "",
    )
    return PhraseTable.of(table.gathered())


def _reordering_type(name: str) -> ReorderingType | None:
    return None if name == NONE else ReorderingType.parse(name)


def _entry_side(side: Side, spans: SpanIds, used: Int32Array) -> EntrySide:
    """The phrases that are used, and for each pair the row of its phrase."""
    ids, row = np.unique(used, return_inverse=True)
    phrases = Ragged.gather(side.words.values, spans.first_at[ids], spans.length[ids])
    return EntrySide(side.vocabulary, phrases, row.astype(np.int32))
