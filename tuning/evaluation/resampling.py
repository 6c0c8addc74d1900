"""Sums of statistics over resampled test sets, many at a time.

A resample is a vector that counts how often it holds each sentence, a random exchange of two
systems a vector of zeros and ones, so the sums of all of them are one matrix product. Matrices are
made in chunks of bounded memory; what is drawn depends only on the seed and the number of
sentences, never on the chunks or on what is summed.
"""

from collections.abc import Iterator

import numpy as np

from models.arrays import FloatArray

CHUNK = 1 << 22  # numbers in one matrix: 32 MB


def resampling_counts(n_sentences: int, n_resamples: int, seed: int) -> Iterator[FloatArray]:
    """How often each sentence is in each resample with replacement, (some, n_sentences) a time."""
    random = np.random.default_rng(seed)
    for n in _chunks(n_sentences, n_resamples):
        drawn = random.integers(n_sentences, size=(n, n_sentences))
        drawn += np.arange(n)[:, None] * n_sentences
        counts = np.bincount(drawn.ravel(), minlength=n * n_sentences)
        yield counts.reshape(n, n_sentences).astype(np.float64)


def exchanges(n_sentences: int, n_resamples: int, seed: int) -> Iterator[FloatArray]:
    """1 where two systems exchange a sentence, else 0, (some, n_sentences) a time."""
    random = np.random.default_rng(seed)
    for n in _chunks(n_sentences, n_resamples):
        yield random.integers(2, size=(n, n_sentences), dtype=np.int8).astype(np.float64)


def permutations(
    n_sentences: int, n_replicas: int, n_resamples: int, seed: int
) -> Iterator[np.ndarray[tuple[int, int], np.dtype[np.int64]]]:
    """For each resample and sentence a random order of the replicas, (n_sentences, n_replicas)."""
    random = np.random.default_rng(seed)
    for _ in range(n_resamples):
        yield np.argsort(random.random((n_sentences, n_replicas)), axis=1)


def _chunks(n_sentences: int, n_resamples: int) -> Iterator[int]:
    size = max(1, CHUNK // max(1, n_sentences))
    for start in range(0, n_resamples, size):
        yield min(size, n_resamples - start)
