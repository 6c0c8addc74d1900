"""What the search kernel sees of a sentence: plain arrays, nothing named, everything weighted."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from models.arrays import FloatArray, Int32Array
from models.kernels import kernel


class SearchSpace(NamedTuple):
    """One sentence. Options are sorted by span; spans by length, then start.

    Scores are weighted sums. A step's score is the option's base, its words' language model score,
    `edge_scores[end of the last phrase, span]` for what depends on no more than that, and the
    remaining tables: `table_scores[row of the last option + column of the next]` for each of them.
    """

    n_words: int
    spans: NDArray[Any]  # (S + 1,) SPAN; the last one only says where the options end
    length_span: Int32Array  # (longest + 2,) first span of each length
    options: NDArray[Any]  # (N,) OPTION, in each span by falling base + estimate
    words: NDArray[Any]  # WORD, of all options
    # distortion
    state_of_option: Int32Array  # (N + 1,) joint state; at 0 that of the beginning
    finish: FloatArray  # (N + 1,) score of ending the sentence after each option
    edge_scores: FloatArray  # (n_words + 1, S)
    rows: Int32Array  # (N + 1, K) where the row of each option begins, the beginning's first
    columns: Int32Array  # (N, K)
    table_scores: FloatArray  # K tables, one after the other
    # search
    future: FloatArray  # (n_words + 1, n_words + 1) best score of each span by itself
    lm_weight: float
    begin_state: int  # of the language model
    end_word: int


@kernel
def future_scores(n_words, spans, options, estimates):
    """The best score of every span: that of its options by themselves, or the sum of its parts.

    `estimates` of the distortion models are added to the options' scores if there are any.
    """
    future = np.full((n_words + 1, n_words + 1), -np.inf)
    for number in range(len(spans) - 1):
        best = -np.inf
        for option in range(spans[number].option, spans[number + 1].option):
            total = options[option].base + options[option].estimate
            if len(estimates):
                total += estimates[option]
            best = max(best, total)
        future[spans[number].start, spans[number].end] = best
    for place in range(n_words + 1):
        future[place, place] = 0.0
    for length in range(2, n_words + 1):
        for start in range(n_words - length + 1):
            end = start + length
            best = future[start, end]
            for middle in range(start + 1, end):
                best = max(best, future[start, middle] + future[middle, end])
            future[start, end] = best
    return future
