"""The feature values of derivations, from the options that they took."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from decoder.options import UNKNOWN_SCORE, SentenceOptions
from decoder.problem import coverage_words
from models.arrays import FloatArray, Int32Array, Ragged
from models.distortion.interface import START, SentenceScorer, Steps
from models.distortion.tables import TableScorer
from models.language_model.model import LanguageModel
from models.phrases.table import SCORES

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
    entry = table.entry[chosen]
    known = entry >= 0
    word_begin = options.word_begin
    texts = Ragged(options.words, word_begin).take(chosen.astype(np.int64))
    sentences = Ragged(texts.values, texts.offsets[derivations.offsets])
    steps = np.empty((len(chosen), len(SCORES) + 2))
    steps[:, :-2] = np.where(known[:, None], table.phrases.scores[entry], 0.0)
    steps[:, -2] = -texts.lengths
    steps[:, -1] = np.where(known, 0.0, UNKNOWN_SCORE)
    sums = _sums(steps, derivations)
    parts = [
        sums[:, :-2],
        derivations.lengths[:, None].astype(np.float64),
        sums[:, -2:-1],
        lm.score_sentences(sentences)[:, None],
        sums[:, -1:],
    ]
    for scorer in scorers:
        tables = scorer.as_tables()
        if tables is not None:
            parts.append(_table_values(tables, options, derivations))
        else:
            parts.append(_walked_values(scorer, options, derivations))
    return np.concatenate(parts, axis=1)


def _sums(values: FloatArray, derivations: Ragged) -> FloatArray:
    """Values of steps, (steps, F), summed over each derivation, none of which is empty."""
    sums: FloatArray = np.add.reduceat(values, derivations.offsets[:-1], axis=0)
    return sums


def _table_values(scorer: TableScorer, options: SentenceOptions, derivations: Ragged) -> FloatArray:
    """A table's features: a step needs to know no more than the option before it."""
    option: Int32Array = derivations.values
    previous = np.concatenate([[START], option[:-1]]).astype(np.int32)
    previous[derivations.offsets[:-1]] = START
    coverage = np.zeros((len(option), coverage_words(options.table.n_words)), np.uint64)
    steps = Steps(previous, option, coverage, scorer.state_of_option[previous + 1])
    last = option[derivations.offsets[1:] - 1]
    ends = scorer.finish(scorer.state_of_option[last + 1])
    return _sums(scorer.features(steps), derivations) + ends


def _walked_values(
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
