"""The feature values of derivations, from the options that they took."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from decoder.options import UNKNOWN_SCORE, SentenceOptions
from decoder.problem import coverage_words
from models.arrays import Int32Array, Ragged
from models.distortion.interface import START, SentenceScorer, Steps
from models.language_model.model import LanguageModel
from models.phrases.table import SCORES

FloatArray = NDArray[np.float64]
TRANSLATION_FEATURES = tuple(f"translation.{name}" for name in SCORES)
DENSE_FEATURES = (*TRANSLATION_FEATURES, "phrase_penalty", "word_penalty", "lm", "unknown")


def feature_values(
    options: SentenceOptions,
    derivations: Ragged,  # options of each derivation, in target order
    lm: LanguageModel,
    scorers: Sequence[SentenceScorer],
) -> FloatArray:
    """(derivations, features): DENSE_FEATURES, then those of the distortion models."""
    table, chosen = options.table, derivations.values
    row = derivations.row_of_value
    n = len(derivations)
    entry = table.entry[chosen]
    known = entry >= 0

    def sums(values: FloatArray) -> FloatArray:
        return np.bincount(row, values, minlength=n).astype(np.float64)

    translation = np.where(known[:, None], table.phrases.scores[entry], 0.0)
    lengths = np.diff(options.word_begin)[chosen]
    words = Ragged(options.words, options.word_begin.astype(np.int64)).take(chosen.astype(np.int64))
    text = Ragged(words.values, np.concatenate([[0], np.cumsum(sums(lengths))]).astype(np.int64))
    columns = [
        *(sums(column) for column in translation.T),
        sums(np.ones(len(chosen))),
        -sums(lengths),
        lm.score_sentences(text),
        sums(np.where(known, 0.0, UNKNOWN_SCORE)),
    ]
    for scorer in scorers:
        columns += list(_distortion_values(scorer, options, derivations).T)
    return np.stack(columns, axis=1)


def _distortion_values(
    scorer: SentenceScorer, options: SentenceOptions, derivations: Ragged
) -> FloatArray:
    """A scorer's features, walked step by step through all derivations at once."""
    n = len(derivations)
    values = np.zeros((n, scorer.n_features))
    state = np.full(n, scorer.initial_state, np.int64)
    previous = np.full(n, START, np.int32)
    coverage = np.zeros((n, coverage_words(options.table.n_words)), np.uint64)
    for number in range(int(derivations.lengths.max(initial=0))):
        going = np.flatnonzero(derivations.lengths > number)
        option: Int32Array = derivations.values[derivations.offsets[going] + number]
        steps = Steps(previous[going], option, coverage[going], state[going])
        values[going] += scorer.features(steps)
        state[going] = scorer.advance(steps)
        previous[going] = option
        _cover(coverage, going, options.table.start[option], options.table.end[option])
    return values + scorer.finish(state)


def _cover(
    coverage: NDArray[np.uint64], rows: NDArray[np.int64], start: Int32Array, end: Int32Array
) -> None:
    for offset in range(int((end - start).max(initial=0))):
        inside = start + offset < end
        place = (start + offset)[inside]
        coverage[rows[inside], place >> 6] |= np.uint64(1) << (place & 63).astype(np.uint64)
