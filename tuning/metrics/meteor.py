"""METEOR with exact and stem matching (Banerjee and Lavie 2005).

    Fmean = 10 P R / (R + 9 P),  penalty = 0.5 (chunks / matches)³,  score = Fmean (1 − penalty)

P and R are the shares of hypothesis and reference words that are matched; chunks are runs of
matches that are adjacent and in the same order on both sides. Matches, chunks and lengths are
summed over the sentences, with the best reference for each.

The WordNet synonyms of the original, and the paraphrases and tuned parameters of later versions,
are left out, which is why the metric carries its matchers in its name: numbers are not comparable
with those of other METEORs. A perfect translation scores a little below 100, as a sentence of m
words is one chunk and the penalty is 0.5 / m³.
"""

from collections.abc import Callable
from functools import cache

import numpy as np

from models.arrays import FloatArray
from models.errors import SettingError, nearest
from tuning.metrics.base import Metric, Outputs
from tuning.metrics.meteor_alignment import align_all
from tuning.metrics.words import Batch, TextOptions, batches, preprocessor


class Meteor(Metric):
    """Statistics: matches, chunks, hypothesis length, reference length."""

    name = "METEOR-exact-stem"

    def __init__(self, options: TextOptions = TextOptions(), *, stemmer: str = "porter") -> None:
        """`stemmer` is one of snowballstemmer's algorithms, for example `german`."""
        import snowballstemmer  # type: ignore[import-untyped]

        known = list(snowballstemmer.algorithms())
        if stemmer not in known:
            raise SettingError(f"there is no stemmer {stemmer!r}", expected=nearest(stemmer, known))
        self.options, self.stemmer = options, stemmer
        self._make_stemmer = snowballstemmer.stemmer
        self._preprocess = preprocessor(options)

    @property
    def signature(self) -> str:
        return f"{self.options.signature}|match:exact,stem[{self.stemmer}]|reference:best"

    def statistics(self, outputs: Outputs) -> FloatArray:
        # A stemmer of our own, as it changes while it works and others may be at work as well
        stem = cache(self._make_stemmer(self.stemmer).stemWord)
        parts = [self._batch(batch, stem) for batch in batches(outputs, self._preprocess)]
        return np.concatenate([np.zeros((0, 4)), *parts])

    def _batch(self, batch: Batch, stem: Callable[[str], str]) -> FloatArray:
        stems, number_of = np.unique(list(map(stem, batch.words)), return_inverse=True)
        rows = batch.rows
        aligned = align_all(
            rows.values,
            number_of.astype(np.int64),
            rows.offsets,
            batch.first_reference,
            max(len(batch.words), len(stems)),
        )
        hypothesis = batch.hypotheses.lengths[batch.sentence_of_reference]
        candidates = np.column_stack([aligned, hypothesis, batch.references.lengths])
        scores = self.score(candidates)
        # The best reference of each sentence, of equal ones the first: sorted last within it
        order = np.lexsort((-np.arange(len(scores)), scores, batch.sentence_of_reference))
        best: FloatArray = candidates[order[batch.first_reference[1:] - 1]]
        return best

    def score(self, sums: FloatArray) -> FloatArray:
        matches, chunks, hypothesis, reference = np.moveaxis(sums, -1, 0)
        precision = matches / np.maximum(hypothesis, 1)
        recall = matches / np.maximum(reference, 1)
        denominator = recall + 9 * precision
        mean = 10 * precision * recall / np.where(denominator > 0, denominator, 1.0)
        penalty = 0.5 * (chunks / np.maximum(matches, 1)) ** 3
        result: FloatArray = 100 * mean * (1 - penalty)
        return result
