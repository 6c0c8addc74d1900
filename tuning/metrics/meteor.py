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

import threading
from functools import cache

import numpy as np

from models.arrays import FloatArray
from models.errors import SettingError, nearest
from tuning.metrics.meteor_alignment import align_all
from tuning.metrics.words import Batch, TextOptions, WordMetric


class Meteor(WordMetric):
    """Statistics: matches, chunks, hypothesis length, reference length."""

    name = "METEOR-exact-stem"
    n_statistics = 4

    def __init__(self, options: TextOptions = TextOptions(), *, stemmer: str = "porter") -> None:
        """`stemmer` is one of snowballstemmer's algorithms, for example `german`."""
        import snowballstemmer  # type: ignore[import-untyped]

        known = list(snowballstemmer.algorithms())
        if stemmer not in known:
            raise SettingError(f"there is no stemmer {stemmer!r}", expected=nearest(stemmer, known))
        super().__init__(options)
        self.stemmer = stemmer
        self._kept = threading.local()  # a stemmer changes while it works, so each thread has one

    @property
    def signature(self) -> str:
        return f"{self.options.signature}|match:exact,stem[{self.stemmer}]|reference:best"

    def _stem(self, word: str) -> str:
        import snowballstemmer

        if not hasattr(self._kept, "stem"):
            self._kept.stem = cache(snowballstemmer.stemmer(self.stemmer).stemWord)
        stem: str = self._kept.stem(word)
        return stem

    def count(self, batch: Batch) -> FloatArray:
        stems, number_of = np.unique(list(map(self._stem, batch.words)), return_inverse=True)
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
        best: FloatArray = candidates[batch.best_references(self.score(candidates))]
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
