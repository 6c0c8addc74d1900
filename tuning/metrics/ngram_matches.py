"""Counts n-grams of hypotheses that are in their references, for all sentences of a batch.

N-grams are numbered first (`models/phrases/trie.py`), so counting only adds to and subtracts from
one array. With several references, there are two ways to count:

* clipped (Papineni et al. 2002): an n-gram may match as often as it occurs in the reference that
  has it most often;
* by reference: each reference separately, for metrics that choose the best one.
"""

import numpy as np

from hyperbaton.foundation.arrays import FloatArray, Int64Array
from hyperbaton.foundation.kernels import kernel
from hyperbaton.models.phrases.trie import number_spans
from hyperbaton.tuning.metrics.words import Batch


def clipped_matches(batch: Batch, order: int, weights: FloatArray | None = None) -> FloatArray:
    """Matches by order, (n_sentences, order); with `weights` (order, n_hypothesis_words), a match
    counts the weight of the n-gram that begins at the word."""
    rows = batch.rows
    spans = number_spans(rows, order)
    counted = np.zeros((order, 0)) if weights is None else weights
    matches: FloatArray = _clipped_matches(
        spans.ids, rows.offsets, batch.first_reference, len(spans.length), counted
    )
    return matches


def matches_by_reference(batch: Batch, order: int) -> FloatArray:
    """Matches of every reference with its sentence's hypothesis, (n_references, order)."""
    hypotheses = batch.hypotheses.take(batch.sentence_of_reference)
    single = batch._replace(
        hypotheses=hypotheses, first_reference=np.arange(len(batch.references) + 1)
    )
    return clipped_matches(single, order)


def ngram_totals(lengths: Int64Array, order: int) -> Int64Array:
    """The number of n-grams of sentences of these lengths, (n_sentences, order)."""
    totals: Int64Array = np.maximum(lengths[:, None] - np.arange(order), 0)
    return totals


@kernel
def _clipped_matches(ids, offsets, first_reference, n_ids, weights):
    n_sentences, order = len(first_reference) - 1, len(ids)
    matches = np.zeros((n_sentences, order))
    once = np.zeros(n_ids, np.int32)  # occurrences in one reference
    most = np.zeros(n_ids, np.int32)  # maximum over the references
    for sentence in range(n_sentences):
        references = first_reference[sentence], first_reference[sentence + 1]
        for k in range(order):
            for row in range(n_sentences + references[0], n_sentences + references[1]):
                for at in range(offsets[row], offsets[row + 1] - k):
                    number = ids[k, at]
                    once[number] += 1
                    most[number] = max(most[number], once[number])
                for at in range(offsets[row], offsets[row + 1] - k):
                    once[ids[k, at]] = 0
            for at in range(offsets[sentence], offsets[sentence + 1] - k):
                number = ids[k, at]
                if most[number]:
                    most[number] -= 1
                    matches[sentence, k] += weights[k, at] if weights.shape[1] else 1.0
            for row in range(n_sentences + references[0], n_sentences + references[1]):
                for at in range(offsets[row], offsets[row + 1] - k):
                    most[ids[k, at]] = 0
    return matches
