"""RIBES (Isozaki et al. 2010): rank correlation of the word order of hypothesis and reference.

    RIBES = NKT · P^α · BP^β        α = 0.25, β = 0.10

Words of the hypothesis are aligned to words of the reference by form alone. A word that occurs once
in both is aligned directly. Any other word is aligned by the shortest n-gram that begins or ends
with it and occurs once in both. NKT is the share of pairs of aligned words in the same order
(normalised Kendall's tau, (τ + 1)/2), P the share of hypothesis words that are aligned, BP = min(1,
exp(1 − r/c)) the brevity penalty of the sentence.

The paper has the first two factors, and its example prefers, of two equally short n-grams, the one
that begins with the word (`context="right"`). BP, n-grams of any length and the preference for the
n-gram that ends with the word (`context="left"`, the default) follow the authors' program, version
1.03, which produced the published scores.

    fewer than two aligned words   0; but 1 · P^α · BP^β if a reference of one word is aligned
    several references             the best score
    a corpus                       the mean over the sentences whose references have words

The authors' program ignores case by default; here case counts unless `TextOptions.lowercase` is
set, as for all metrics. Word alignments to the source are not used.

The alignment takes O(n²): an n-gram that ends with word i of the hypothesis occurs again at k if
and only if the two positions have a common history of at least n words. So it is unique on both
sides if and only if n exceeds the longest history that i shares with another hypothesis position,
and the second longest that it shares with a reference position, but not the longest. N-grams that
begin with word i are treated in the same way from right to left.
"""

import numpy as np

from hyperbaton.foundation.arrays import FloatArray, Int32Array, Int64Array
from hyperbaton.foundation.errors import check_known
from hyperbaton.foundation.kernels import inner, kernel
from hyperbaton.tuning.metrics.base import ratio
from hyperbaton.tuning.metrics.words import Batch, TextOptions, WordMetric

ALPHA, BETA = 0.25, 0.10
CONTEXTS = ("left", "right")


class Ribes(WordMetric):
    """Statistics: the score of the sentence, and 1; both 0 if no reference has words."""

    name = "RIBES"
    n_statistics = 2

    def __init__(self, options: TextOptions = TextOptions(), *, context: str = "left") -> None:
        check_known("context", context, CONTEXTS)
        super().__init__(options)
        self.context = context

    @property
    def signature(self) -> str:
        settings = f"alpha:{ALPHA:g}|beta:{BETA:g}|context:{self.context}"
        return f"RIBES|{self.options.signature}|{settings}"

    def count(self, batch: Batch) -> FloatArray:
        right_first = self.context == "right"
        scores: FloatArray = _score_sentences(*batch.arrays, batch.first_reference, right_first)
        return scores

    def score(self, sums: FloatArray) -> FloatArray:
        return self.scale * ratio(sums[..., 0], sums[..., 1])


@kernel
def _score_sentences(
    hypotheses: Int32Array,  # (n_words,)
    hypothesis_offsets: Int64Array,  # (n_sentences + 1,)
    references: Int32Array,
    reference_offsets: Int64Array,  # (n_references + 1,)
    first_reference: Int64Array,  # (n_sentences + 1,)
    right_first: bool,
) -> FloatArray:
    statistics = np.zeros((len(hypothesis_offsets) - 1, 2))
    for sentence in range(len(statistics)):
        hypothesis = hypotheses[hypothesis_offsets[sentence] : hypothesis_offsets[sentence + 1]]
        for number in range(first_reference[sentence], first_reference[sentence + 1]):
            reference = references[reference_offsets[number] : reference_offsets[number + 1]]
            if len(reference):
                score = _score(hypothesis, reference, right_first)
                statistics[sentence, 0] = max(statistics[sentence, 0], score)
                statistics[sentence, 1] = 1.0
    return statistics


@inner
def _score(hypothesis: Int32Array, reference: Int32Array, right_first: bool) -> float:
    if not len(hypothesis):
        return 0.0
    ranks = _align(hypothesis, reference, right_first)
    n = len(ranks)
    if n < 2 and not (n == 1 and len(reference) == 1):
        return 0.0
    in_order = 0
    for i in range(n):
        for j in range(i + 1, n):
            in_order += ranks[i] < ranks[j]  # equal ranks are not in order
    tau = in_order / (n * (n - 1) / 2) if n > 1 else 1.0
    brevity = min(1.0, np.exp(1 - len(reference) / len(hypothesis)))
    score: float = tau * (n / len(hypothesis)) ** ALPHA * brevity**BETA
    return score


@inner
def _align(hypothesis: Int32Array, reference: Int32Array, right_first: bool) -> Int64Array:
    """Positions in the reference of the aligned words, in the order of the hypothesis."""
    left = _unique_context(hypothesis, reference)
    right = _unique_context(hypothesis[::-1].copy(), reference[::-1].copy())
    n, m = len(hypothesis), len(reference)
    ranks = np.empty(n, dtype=np.int64)
    n_aligned = 0
    for i in range(n):
        length, place = left[i]
        right_length, right_place = right[n - 1 - i]
        if right_length and (length == 0 or right_length < length + right_first):
            length, place = right_length, m - 1 - right_place
        if length:
            ranks[n_aligned] = place
            n_aligned += 1
    return ranks[:n_aligned]


@inner
def _unique_context(hypothesis: Int32Array, reference: Int32Array) -> Int64Array:
    """The length of the shortest n-gram ending at each word that is unique on both sides (0: none),
    and the position in the reference where it ends, (n_words, 2)."""
    found = np.zeros((len(hypothesis), 2), dtype=np.int64)
    # Common histories of the current word with every position, updated from right to left in place
    with_hypothesis = np.zeros(len(hypothesis) + 1, dtype=np.int64)
    with_reference = np.zeros(len(reference) + 1, dtype=np.int64)
    for i in range(len(hypothesis)):
        longest_repeated = 0
        for k in range(len(hypothesis), 0, -1):
            same = hypothesis[k - 1] == hypothesis[i]
            with_hypothesis[k] = with_hypothesis[k - 1] + 1 if same else 0
            if k - 1 != i:
                longest_repeated = max(longest_repeated, with_hypothesis[k])
        longest, second, place = 0, 0, 0
        for k in range(len(reference), 0, -1):
            same = reference[k - 1] == hypothesis[i]
            with_reference[k] = with_reference[k - 1] + 1 if same else 0
            if with_reference[k] > longest:
                longest, second, place = with_reference[k], longest, k - 1
            else:
                second = max(second, with_reference[k])
        shortest = max(longest_repeated, second) + 1
        if shortest <= longest:
            found[i, 0], found[i, 1] = shortest, place
    return found
