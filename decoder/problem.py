"""What the search kernel sees of a sentence: plain arrays, nothing named, everything weighted."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from models.arrays import Int32Array, Int64Array

FloatArray = NDArray[np.float64]
WORD_BITS = 64


class Problem(NamedTuple):
    """One sentence. Options are sorted by span; spans by length, then start.

    Scores are weighted sums. A step's score is the option's base, its words' language model score,
    `edge_scores[end of the last phrase, span]` for what depends on no more than that, and the cells
    of the remaining tables.
    """

    n_words: int
    # spans with options
    span_start: Int32Array  # (S,)
    span_end: Int32Array
    span_option: Int32Array  # (S + 1,) first option of each span
    length_span: Int32Array  # (longest + 2,) first span of each length
    # options, in each span by falling base + estimate
    base: FloatArray  # (N,) all but language model and distortion
    word_begin: Int32Array  # (N + 1,) first word of each option
    words: Int32Array  # language model ids
    prefix_state: Int32Array  # state after each word when nothing comes before the option
    tail_score: FloatArray  # weighted language model score of the words behind, likewise
    state_of_option: Int32Array  # (N + 1,) joint distortion state; at 0 that of the beginning
    finish: FloatArray  # (N + 1,) score of ending the sentence after each option
    # distortion
    edge_scores: FloatArray  # (n_words + 1, S)
    cell_rows: Int32Array  # (K, N + 1)
    cell_columns: Int32Array  # (K, N)
    cell_begin: Int64Array  # (K,) where each table begins in cell_scores
    cell_width: Int64Array  # (K,) columns of each table
    cell_scores: FloatArray  # the tables, one after the other
    # search
    future: FloatArray  # (n_words + 1, n_words + 1) best score of each span by itself
    lm_weight: float
    begin_state: int  # of the language model
    end_word: int


def coverage_words(n_words: int) -> int:
    """64-bit words that hold a coverage of so many source words."""
    return (n_words + WORD_BITS - 1) // WORD_BITS if n_words else 1


@njit(cache=True, nogil=True)
def future_scores(n_words, span_start, span_end, span_best):
    """The best score of every span from its options and the sums of its parts."""
    future = np.full((n_words + 1, n_words + 1), -np.inf)
    for span in range(len(span_start)):
        future[span_start[span], span_end[span]] = span_best[span]
    for place in range(n_words + 1):
        future[place, place] = 0.0
    for length in range(2, n_words + 1):
        for start in range(n_words - length + 1):
            end = start + length
            best = future[start, end]
            for middle in range(start + 1, end):
                total = future[start, middle] + future[middle, end]
                best = max(best, total)
            future[start, end] = best
    return future
