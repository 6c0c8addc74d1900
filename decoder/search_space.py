"""What the search kernel sees of a sentence: plain arrays, nothing named, everything weighted.

Models' estimates of the words that are left decide which hypotheses are tried first and which are
pruned. They never become part of a score.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hyperbaton.decoder.options import SentenceOptions
from hyperbaton.foundation.arrays import FloatArray, Int32Array, Int64Array
from hyperbaton.foundation.kernels import uncounted, uncounted_kernel
from hyperbaton.models.distortion.interface import SentenceScorer
from hyperbaton.models.distortion.tables import Moves, TableScorer, joint_numbers, weighted_sum

# Share of the jumps' scores that hypotheses are charged with in advance (Moore and Quirk 2007 count
# them whole); found on 500 sentences of jaen's and 300 of kyoto's development sets
EARLY = 0.7
UNUSED = -1  # row of an end where no option ends


class DistortionScores(NamedTuple):
    """Weighted scores of the models that are tables, K of them over options and M over moves.

    A step scores `by_place[end of the last phrase, span]` for what depends on no more than that,
    and for each of the other tables `values[row of the last option + column of the next]`. Moves
    are looked up likewise in `move_classes`, and scored by the options before and after them.
    """

    state_of_option: Int32Array  # (N + 1,) joint state; at 0 that of the beginning
    finish: FloatArray  # (N + 1,) score of ending the sentence after each option
    by_place: FloatArray  # (n_words + 1, S)
    rows: Int32Array  # (N + 1, K) where the row of each option begins, the beginning's first
    columns: Int32Array  # (N, K)
    values: FloatArray  # K tables, one after the other
    move_rows: Int32Array  # (N + 1, M), as `rows`
    move_columns: Int32Array  # (N, M)
    move_classes: NDArray[np.uint8]  # M tables, one after the other; no two have a class in common
    before: FloatArray  # (N + 1, classes) score of each class by the option before the move
    after: FloatArray  # (N, classes) and by the option after it


class SearchSpace(NamedTuple):
    """One sentence. Options are sorted by span; spans by length, then start.

    Scores are weighted sums. A step's score is the option's base, its words' language model score,
    and its distortion score.
    """

    n_words: int
    spans: NDArray[Any]  # (S + 1,) SPAN; the last one only says where the options end
    length_span: Int32Array  # (longest + 2,) first span of each length
    options: NDArray[Any]  # (N,) OPTION, in each span by falling base + estimate
    words: NDArray[Any]  # WORD, of all options
    distortion: DistortionScores
    future: FloatArray  # (n_words + 1, n_words + 1) best score of each span by itself
    jumps: FloatArray  # (n_words + 2, n_words + 1) estimate of a jump from an end to a start
    lm_weight: float
    begin_state: int  # of the language model
    end_word: int
    zones: Int32Array  # (Z, 3), `constraints/zones.py`


def estimates_options(scorer: SentenceScorer) -> bool:
    return type(scorer).option_estimate is not SentenceScorer.option_estimate


def best_futures(
    options: SentenceOptions, scorers: Sequence[SentenceScorer], weights: Sequence[FloatArray]
) -> FloatArray:
    """`future_scores` with the estimates that the distortion models make of each option."""
    n_options = len(options.table)
    estimates = np.empty(0)
    for scorer, own in zip(scorers, weights, strict=True):
        if estimates_options(scorer):
            estimates = estimates if len(estimates) else np.zeros(n_options)
            estimates += scorer.option_estimate(n_options) @ own
    return future_scores(options.table.n_words, options.spans, options.options, estimates)


def jump_estimates(
    n_words: int, scorers: Sequence[SentenceScorer], weights: Sequence[FloatArray]
) -> FloatArray:
    """What a jump costs beyond the best way to its start, for each end of a phrase and each start.

    It is 0 for the start `n_words`, where nothing begins, and for the end `n_words + 1`, which
    stands for none.
    """
    jumps = np.zeros((n_words + 1, n_words))
    for scorer, own in zip(scorers, weights, strict=True):
        values = scorer.jump_estimate()
        if values is not None:
            jumps += weighted_sum(values, own)
    estimates = np.zeros((n_words + 2, n_words + 1))
    np.subtract(jumps, jumps.max(axis=0), out=estimates[:-1, :-1])
    estimates *= EARLY
    return estimates


def future_scores(
    n_words: int, spans: NDArray[Any], options: NDArray[Any], estimates: FloatArray
) -> FloatArray:
    """The best score of every span: that of its options by themselves, or the sum of its parts.

    `estimates` of the distortion models, if there are any, are added to the options' scores.
    """
    future = np.full((n_words + 1, n_words + 1), -np.inf)
    _fill_futures(future, spans, options, estimates)
    return future


@uncounted_kernel
def _fill_futures(future, spans, options, estimates):
    n_words = len(future) - 1
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


def weigh_tables(
    options: SentenceOptions, scorers: Sequence[tuple[TableScorer, FloatArray]]
) -> DistortionScores:
    """Scores of all table models. Tables that depend on ends and spans only are summed;
    the others stay apart."""
    table = options.table
    n_options = len(table)
    by_place = np.zeros((table.n_words + 1, len(options.spans) - 1))
    finish = np.zeros(n_options + 1)
    states: list[Int64Array] = []
    apart: list[tuple[Int32Array, Int32Array, FloatArray]] = []
    moves: list[Moves] = []
    for scorer, weights in scorers:
        # models often have the same states, and joining is expensive
        if not any(np.array_equal(scorer.state_of_option, state) for state in states):
            states.append(scorer.state_of_option)
        if scorer.finish_values is not None:
            finish += scorer.finish_values @ weights
        for own_rows, own_columns, values in scorer.projected(weights):
            part = (
                np.ascontiguousarray(own_rows, np.int32),
                np.ascontiguousarray(own_columns, np.int32),
                np.ascontiguousarray(values, np.float64),
            )
            row_of_end = np.empty(len(by_place), np.int32)
            if not _add_to_edges(*part, table.end, options.spans, row_of_end, by_place):
                apart.append(part)
        moves += scorer.moves(weights)
    joint = joint_numbers(states) if states else np.zeros(n_options + 1, np.int64)
    classes, n_classes = [], 0
    for move in moves:
        classes.append((move.span, move.span[1:], move.class_of + np.uint8(n_classes)))
        n_classes += move.before.shape[1]
    return DistortionScores(
        joint.astype(np.int32),
        finish,
        by_place,
        *_joined(n_options, apart, np.float64),
        *_joined(n_options, classes, np.uint8),
        _side_by_side(n_options + 1, [move.before for move in moves]),
        _side_by_side(n_options, [move.after for move in moves]),
    )


def _joined(
    n_options: int, tables: Sequence[tuple[Int32Array, Int32Array, NDArray[Any]]], dtype: Any
) -> tuple[Int32Array, Int32Array, NDArray[Any]]:
    """Tables one after the other: where their rows begin, their columns, and their values."""
    rows = np.empty((n_options + 1, len(tables)), np.int32)
    columns = np.empty((n_options, len(tables)), np.int32)
    begin = 0
    for number, (own_rows, own_columns, values) in enumerate(tables):
        rows[:, number] = begin + own_rows * values.shape[1]
        columns[:, number] = own_columns
        begin += values.size
    if len(tables) == 1:  # without a copy
        return rows, columns, tables[0][-1].ravel()
    parts = [values.ravel() for *_, values in tables]
    return rows, columns, np.concatenate(parts) if parts else np.empty(0, dtype)


def _side_by_side(n_rows: int, arrays: Sequence[FloatArray]) -> FloatArray:
    return np.concatenate(arrays, axis=1) if arrays else np.empty((n_rows, 0))


@uncounted_kernel
def _add_to_edges(rows, columns, values, end, spans, row_of_end, by_place):
    """Adds a table to the scores by end and span; False if it does not depend on these alone."""
    row_of_end[:] = UNUSED
    row_of_end[0] = rows[0]
    for option in range(len(end)):
        if row_of_end[end[option]] == UNUSED:
            row_of_end[end[option]] = rows[option + 1]
        if row_of_end[end[option]] != rows[option + 1]:
            return False
    for span in range(len(spans) - 1):
        for option in range(spans[span].option, spans[span + 1].option):
            if columns[option] != columns[spans[span].option]:
                return False
    for place in range(len(row_of_end)):
        if row_of_end[place] != UNUSED:
            for span in range(len(spans) - 1):
                column = columns[spans[span].option]
                by_place[place, span] += values[row_of_end[place], column]
    return True


@uncounted
def table_score(distortion, last, option):
    """What tables and moves say of an option after the one before it, which is numbered from 1."""
    score = 0.0
    for table in range(distortion.columns.shape[1]):
        row, column = distortion.rows[last, table], distortion.columns[option, table]
        score += distortion.values[np.uint64(row + column)]
    for table in range(distortion.move_columns.shape[1]):
        row, column = distortion.move_rows[last, table], distortion.move_columns[option, table]
        class_ = np.uint64(distortion.move_classes[np.uint64(row + column)])
        score += distortion.before[last, class_] + distortion.after[option, class_]
    return score
