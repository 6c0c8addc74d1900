"""The feature values of derivations, computed from their options."""

from collections.abc import Sequence

import numpy as np

from hyperbaton.decoder.options import SentenceOptions
from hyperbaton.decoder.ranking.entry_memo import UNKNOWN_SCORE
from hyperbaton.decoder.terms import given_score
from hyperbaton.foundation.arrays import FloatArray, Int32Array, Ragged
from hyperbaton.foundation.coverage import empty_coverage
from hyperbaton.models.distortion.derivations import derivation_features
from hyperbaton.models.distortion.interface import (
    FIRST_GIVEN,
    START,
    UNKNOWN_ENTRY,
    SentenceScorer,
    Steps,
)
from hyperbaton.models.distortion.tables import TableScorer
from hyperbaton.models.language_model.speaking import SpeakingModel
from hyperbaton.models.phrases.entries import SCORES

TRANSLATION_FEATURES = tuple(f"translation.{name}" for name in SCORES)
PHRASE_FEATURES = (*TRANSLATION_FEATURES, "phrase_penalty", "word_penalty")
LM_FEATURE = len(PHRASE_FEATURES)  # the first language model's
UNKNOWN = "unknown"


def dense_features(lm: SpeakingModel) -> tuple[str, ...]:
    """All features except those of the distortion models."""
    return (*PHRASE_FEATURES, *lm.feature_names, UNKNOWN)


def lm_columns(lm: SpeakingModel) -> list[int]:
    """The columns of the language models among the dense features."""
    return list(range(LM_FEATURE, LM_FEATURE + len(lm.feature_names)))


def feature_values(
    options: SentenceOptions,
    derivations: Ragged,  # options of each derivation, in target order
    lm: SpeakingModel,
    scorers: Sequence[SentenceScorer],
) -> FloatArray:
    """Features of derivations, (derivations, features): dense ones, then distortion models."""
    texts = options.texts.take(derivations.values.astype(np.int64))
    dense = _sums(option_values(options, derivations.values, lm), derivations)
    dense[:, lm_columns(lm)] = lm.feature_scores(
        Ragged(texts.values, texts.offsets[derivations.offsets])
    )
    parts = [dense]
    for scorer in scorers:
        if isinstance(scorer, TableScorer):
            parts.append(_table_values(scorer, options, derivations))
        else:
            parts.append(derivation_features(scorer, options.table, derivations))
    return np.concatenate(parts, axis=1)


def option_values(options: SentenceOptions, chosen: Int32Array, lm: SpeakingModel) -> FloatArray:
    """Dense features of the chosen options, (B, F); the columns of language models are 0."""
    table, n_scores = options.table, len(SCORES)
    entry = table.entry[chosen]
    values = np.zeros((len(chosen), len(dense_features(lm))))
    scores = table.phrases.scores_of(np.maximum(entry, 0))
    values[:, :n_scores] = np.where(entry[:, None] >= 0, scores, 0.0)
    for row in np.flatnonzero(entry <= FIRST_GIVEN).tolist():
        values[row, :n_scores] = given_score(table.given_at(int(chosen[row])))
    values[:, n_scores] = 1.0
    records = options.options[chosen]
    values[:, n_scores + 1] = records["word_begin"] - records["word_end"].astype(np.float64)
    values[:, -1] = np.where(entry == UNKNOWN_ENTRY, UNKNOWN_SCORE, 0.0)
    return values


def _sums(values: FloatArray, derivations: Ragged) -> FloatArray:
    """Sums the values of steps, (steps, F), over each derivation; none may be empty."""
    sums: FloatArray = np.add.reduceat(values, derivations.offsets[:-1], axis=0)
    return sums


def _table_values(scorer: TableScorer, options: SentenceOptions, derivations: Ragged) -> FloatArray:
    """The features of a table scorer: a step depends only on the previous option."""
    option: Int32Array = derivations.values
    previous = np.concatenate([[START], option[:-1]]).astype(np.int32)
    previous[derivations.offsets[:-1]] = START
    coverage = empty_coverage(len(option), options.table.n_words)
    steps = Steps(previous, option, coverage, scorer.state_of_option[previous + 1])
    last = option[derivations.offsets[1:] - 1]
    ends = scorer.finish(scorer.state_of_option[last + 1])
    return _sums(scorer.features(steps), derivations) + ends
