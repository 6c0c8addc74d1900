"""Analyses word order beyond scores: distances, classes of moves, kinds of sentences.

A move goes from the current source word i to the next one translated, j. Its distance j − i − 1
falls into one of the nine classes of Goto et al. (2013, footnote 6). The first move starts before
the sentence, at i = −1.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hyperbaton.foundation.arrays import FloatArray, Int64Array
from hyperbaton.models.distortion.next_word.distance_classes import distance_classes as class_of
from hyperbaton.tuning.comparison.results import Output, as_outputs
from hyperbaton.tuning.evaluation.data_sets import Sentences
from hyperbaton.tuning.metrics.base import Metric, Outputs
from hyperbaton.tuning.metrics.order import KendallTau
from hyperbaton.tuning.metrics.visits import Visits, visits_of_sequences

CLASS_NAMES = ("≤ −8", "−7…−5", "−4…−3", "−2", "0", "1", "2…3", "4…6", "≥ 7")
N_BINS = 4


def distance_classes(visits: Visits) -> FloatArray:
    _, distances = _moves(visits)
    counts = np.bincount(class_of(distances, "goto"), minlength=len(CLASS_NAMES))
    shares: FloatArray = counts / max(1, counts.sum())
    return shares


def confusion(reference: Visits, output: Visits) -> Int64Array:
    """Counts moves from the same word by class in the reference (row) and in the output (column).

    Words from which only one of them moves are left out.
    """
    keys, distances = _moves(reference)
    output_keys, output_distances = _moves(output)
    _, in_reference, in_output = np.intersect1d(keys, output_keys, return_indices=True)
    n = len(CLASS_NAMES)
    rows = class_of(distances[in_reference], "goto")
    cells = rows * n + class_of(output_distances[in_output], "goto")
    return np.bincount(cells, minlength=n * n).reshape(n, n)


@dataclass(frozen=True)
class Bins:
    """Sentences grouped into bins."""

    title: str
    names: tuple[str, ...]
    of_sentence: Int64Array  # (n_sentences,)

    @property
    def sizes(self) -> list[int]:
        return list(np.bincount(self.of_sentence, minlength=len(self.names)))


def length_bins(test: Sentences) -> Bins:
    lengths = np.array([len(sentence) for sentence in test.sources], float)
    return _quantile_bins("words of the source sentence", lengths, "{:.0f}")


def reordering_bins(test: Sentences) -> Bins | None:
    """Bins by the amount of reordering: the percentage of source word pairs in inverted order in
    the reference."""
    if test.visits is None:
        return None
    monotone = visits_of_sequences([sorted(row) for row in test.visits], test.visits.n_source)
    texts = [""] * len(test)
    outputs = Outputs(texts, test.references, monotone, test.visits)
    tau = KendallTau()
    kept = tau.sentence_scores(tau.statistics(outputs))
    changed = 100 * (1 - kept / tau.scale)
    return _quantile_bins("% of word pairs in inverted order", changed, "{:.0f}")


def scores_by_bin(
    metric: Metric, test: Sentences, outputs: Sequence[Output], bins: Bins
) -> list[float]:
    statistics = metric.statistics(as_outputs(test, outputs))
    sums = np.zeros((len(bins.names), statistics.shape[1]))
    np.add.at(sums, bins.of_sentence, statistics)
    return [float(score) for score in metric.score(sums)]


def largest_differences(
    metric: Metric, test: Sentences, ours: Sequence[Output], baseline: Sequence[Output]
) -> list[tuple[int, float]]:
    """Sentences with their difference from the baseline, largest absolute difference first."""
    differences = _sentence_scores(metric, test, ours) - _sentence_scores(metric, test, baseline)
    order = np.argsort(-np.abs(differences), kind="stable")
    return [(int(number), float(differences[number])) for number in order]


def _sentence_scores(metric: Metric, test: Sentences, outputs: Sequence[Output]) -> FloatArray:
    return metric.sentence_scores(metric.statistics(as_outputs(test, outputs)))


def _moves(visits: Visits) -> tuple[Int64Array, Int64Array]:
    """A key for every sentence and current word, and the distance to the next word."""
    sequences = visits.sequences
    row = sequences.row_of_value
    following = sequences.values.astype(np.int64)
    current = np.concatenate([[-1], following[:-1]])
    current[sequences.offsets[:-1][sequences.lengths > 0]] = -1
    return row * (1 << 20) + current + 1, following - current - 1


def _quantile_bins(title: str, values: NDArray[np.float64], form: str) -> Bins:
    """At most N_BINS bins of about equal size; equal values stay together."""
    inner = np.quantile(values, np.arange(1, N_BINS) / N_BINS, method="higher")
    edges = np.unique(inner[inner > values.min()])
    of_sentence = np.searchsorted(edges, values, side="right")
    names = []
    for number in range(len(edges) + 1):
        low, high = (values[of_sentence == number].min(), values[of_sentence == number].max())
        first, last = form.format(low), form.format(high)
        names.append(first if first == last else f"{first}–{last}")
    return Bins(title, tuple(names), of_sentence)
