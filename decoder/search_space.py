"""The arrays of a sentence for the search kernel, with all scores weighted.

The models' estimates for the remaining words determine which hypotheses are tried first and which
are pruned. They are never part of a score.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hyperbaton.decoder.options import SentenceOptions
from hyperbaton.foundation.arrays import FloatArray, Int32Array, Int64Array
from hyperbaton.foundation.kernels import uncounted, uncounted_kernel
from hyperbaton.models.distortion.interface import SentenceScorer
from hyperbaton.models.distortion.tables import Moves, TableScorer, joint_numbers

N_ROWS = 256  # of `first_scores`
UNUSED = -1  # row of a position where no option ends


class DistortionScores(NamedTuple):
    """Weighted scores of the table models: K tables over options and M over moves.

    The score of a step is `by_place[end of the last phrase, span]`, which sums all tables that
    depend only on these, plus `values[row of the last option + column of the next]` for each of the
    other tables. The class of a move is found likewise in `move_classes`, and scored by the options
    before and after it.
    """

    state_of_option: Int32Array  # (N + 1,) joint state; at 0 that of the beginning
    finish: FloatArray  # (N + 1,) score of ending the sentence after each option
    by_place: FloatArray  # (n_words + 1, S)
    rows: Int32Array  # (N + 1, K) start of the row of each option; at 0 that of the beginning
    columns: Int32Array  # (N, K)
    values: FloatArray  # K tables, concatenated
    move_rows: Int32Array  # (N + 1, M), as `rows`
    move_columns: Int32Array  # (N, M)
    move_classes: NDArray[np.uint8]  # M tables, concatenated; no two share a class
    before: FloatArray  # (N + 1, classes) score of each class by the option before the move
    after: FloatArray  # (N, classes) score of each class by the option after the move


class SearchSpace(NamedTuple):
    """One sentence. Options are sorted by span; spans by length, then start.

    Scores are weighted sums. A step's score is the option's base, its words' language model score,
    and its distortion score.
    """

    n_words: int
    spans: NDArray[Any]  # (S + 1,) SPAN; the last row marks the end of the options
    first_span: Int32Array  # (longest + 1, n_words + 1) as in `SentenceOptions`
    options: NDArray[Any]  # (N,) OPTION, in each span by falling base + estimate
    words: NDArray[Any]  # WORD, of all options
    distortion: DistortionScores
    future: FloatArray  # (n_words + 1, n_words + 1) best score of each span without context
    jumps: FloatArray  # (n_words + 2, n_words + 1) estimate of a jump from an end to a start
    lm_weight: float
    begin_state: int  # of the language model
    end_word: int
    zones: Int32Array  # (Z, 3), `constraints/zones.py`
    unit: float  # size of a difference between scores that matters; depends on the weights
    lazy: Any  # a model that is asked step by step, `lazy_models.py`
    # Filled by the search: scores of the best option of each span after the option `last_of_row`
    first_scores: FloatArray  # (N_ROWS, S)
    last_of_row: Int32Array  # (N_ROWS,)


def estimates_options(scorer: SentenceScorer) -> bool:
    return type(scorer).option_estimate is not SentenceScorer.option_estimate


def best_futures(
    options: SentenceOptions, scorers: Sequence[SentenceScorer], weights: Sequence[FloatArray]
) -> FloatArray:
    """`future_scores` with the distortion models' estimates for each option."""
    n_options = len(options.table)
    estimates = np.empty(0)
    for scorer, of_scorer in zip(scorers, weights, strict=True):
        if estimates_options(scorer):
            estimates = estimates if len(estimates) else np.zeros(n_options)
            estimates += scorer.option_estimate(n_options) @ of_scorer
    return future_scores(options.table.n_words, options.spans, options.options, estimates)


def jump_estimates(
    n_words: int, scorers: Sequence[SentenceScorer], weights: Sequence[FloatArray]
) -> FloatArray:
    """The estimated score of a jump from each end to each start, relative to the best jump to that
    start.

    It is 0 for the start `n_words`, where no phrase begins, and for the end `n_words + 1`, which
    means no end.
    """
    jumps = np.zeros((n_words + 1, n_words))
    for scorer, of_scorer in zip(scorers, weights, strict=True):
        scores = scorer.jump_estimate(of_scorer)
        if scores is not None:
            jumps += scorer.jump_share * scores
    estimates = np.empty((n_words + 2, n_words + 1))
    _compare_with_best(jumps, estimates)
    return estimates


@uncounted_kernel
def _compare_with_best(jumps, estimates):
    n_words = jumps.shape[1]
    estimates[:] = 0.0
    for start in range(n_words):
        best = jumps[0, start]
        for end in range(1, n_words + 1):
            best = max(best, jumps[end, start])
        for end in range(n_words + 1):
            estimates[end, start] = jumps[end, start] - best


def future_scores(
    n_words: int, spans: NDArray[Any], options: NDArray[Any], estimates: FloatArray
) -> FloatArray:
    """The best score of every span: that of its best option, or the sum of its parts.

    `estimates` of the distortion models, if there are any, are added to the options' scores.
    """
    future = np.empty((n_words + 1, n_words + 1))
    _fill_futures(future, spans, options, estimates)
    return future


@uncounted_kernel
def _fill_futures(future, spans, options, estimates):
    n_words = len(future) - 1
    future[:] = -np.inf
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
    options: SentenceOptions,
    scorers: Sequence[tuple[TableScorer, FloatArray]],
    states: Sequence[Int64Array] = (),
) -> DistortionScores:
    """Weights all table models. Tables that depend only on ends and spans are summed; the others
    stay separate. `states` of other models are joined with theirs, (N + 1,) each."""
    table = options.table
    n_options = len(table)
    by_place = np.zeros((table.n_words + 1, len(options.spans) - 1))
    finish = np.zeros(n_options + 1)
    states = list(states)
    apart: list[tuple[Int32Array, Int32Array, FloatArray]] = []
    moves: list[Moves] = []
    for scorer, weights in scorers:
        # models often have equal states, and joining is expensive
        if not any(np.array_equal(scorer.state_of_option, state) for state in states):
            states.append(scorer.state_of_option)
        if scorer.finish_values is not None:
            finish += scorer.finish_values @ weights
        for rows, columns, values in scorer.projected(weights):
            part = (
                np.ascontiguousarray(rows, np.int32),
                np.ascontiguousarray(columns, np.int32),
                np.ascontiguousarray(values, np.float64),
            )
            row_of_end = np.empty(len(by_place), np.int32)
            if not _add_to_edges(*part, table.end, options.spans, row_of_end, by_place):
                apart.append(part)
        moves += scorer.moves(weights)
    joint = joint_numbers(states) if states else np.zeros(n_options + 1, np.int32)
    classes, n_classes = [], 0
    for move in moves:
        classes.append((move.span, move.span[1:], move.class_of + np.uint8(n_classes)))
        n_classes += move.before.shape[1]
    return DistortionScores(
        joint.astype(np.int32, copy=False),
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
    """Concatenates tables: the starts of their rows, their columns, and their values."""
    rows = np.empty((n_options + 1, len(tables)), np.int32)
    columns = np.empty((n_options, len(tables)), np.int32)
    if not tables:
        return rows, columns, np.empty(0, dtype)
    begin = 0
    for number, (table_rows, table_columns, values) in enumerate(tables):
        rows[:, number] = begin + table_rows * values.shape[1]
        columns[:, number] = table_columns
        begin += values.size
    if len(tables) == 1:  # without a copy
        return rows, columns, tables[0][-1].ravel()
    return rows, columns, np.concatenate([values.ravel() for *_, values in tables])


def _side_by_side(n_rows: int, arrays: Sequence[FloatArray]) -> FloatArray:
    return np.concatenate(arrays, axis=1) if arrays else np.empty((n_rows, 0))


@uncounted_kernel
def _add_to_edges(rows, columns, values, end, spans, row_of_end, by_place):
    """Adds a table to the scores by end and span; False if it does not depend only on these."""
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
    """The score of an option after the option `last`, numbered from 1, by tables and moves."""
    score = 0.0
    for table in range(distortion.columns.shape[1]):
        row, column = distortion.rows[last, table], distortion.columns[option, table]
        score += distortion.values[np.uint64(row + column)]
    for table in range(distortion.move_columns.shape[1]):
        row, column = distortion.move_rows[last, table], distortion.move_columns[option, table]
        class_ = np.uint64(distortion.move_classes[np.uint64(row + column)])
        score += distortion.before[last, class_] + distortion.after[option, class_]
    return score
