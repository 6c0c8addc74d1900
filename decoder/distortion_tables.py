"""Distortion scorers as the search needs them: weighted tables over ends and options."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from decoder.options import SentenceOptions
from models.arrays import FloatArray, Int32Array, Int64Array
from models.distortion.tables import TableScorer, joint_numbers
from models.kernels import kernel

UNUSED = -1  # row of an end where no option ends


class DistortionTables(NamedTuple):
    """Fields of `SearchSpace`."""

    state_of_option: Int32Array
    finish: FloatArray
    edge_scores: FloatArray
    rows: Int32Array
    columns: Int32Array
    table_scores: FloatArray


def weigh_tables(
    options: SentenceOptions, scorers: Sequence[tuple[TableScorer, FloatArray]]
) -> DistortionTables:
    """Sums all tables that depend on ends and spans only; the others stay apart."""
    table = options.table
    n_options = len(table)
    edge_scores = np.zeros((table.n_words + 1, len(options.spans) - 1))
    finish = np.zeros(n_options + 1)
    states: list[Int64Array] = []
    apart: list[tuple[Int32Array, Int32Array, FloatArray]] = []
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
            if not _add_to_edges(*part, table.end, options.spans, edge_scores):
                apart.append(part)
    joint = joint_numbers(states) if states else np.zeros(n_options + 1, np.int64)
    rows = np.empty((n_options + 1, len(apart)), np.int32)
    columns = np.empty((n_options, len(apart)), np.int32)
    begin = 0
    for number, (own_rows, own_columns, values) in enumerate(apart):
        rows[:, number] = begin + own_rows * values.shape[1]
        columns[:, number] = own_columns
        begin += values.size
    scores = [values.ravel() for *_, values in apart]
    return DistortionTables(
        joint.astype(np.int32),
        finish,
        edge_scores,
        rows,
        columns,
        scores[0] if len(scores) == 1 else np.concatenate([np.empty(0), *scores]),
    )


@kernel
def _add_to_edges(rows, columns, values, end, spans, edge_scores):
    """Adds a table to the scores by end and span; False if it does not depend on these alone."""
    row_of_end = np.full(edge_scores.shape[0], UNUSED, np.int32)
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
                edge_scores[place, span] += values[row_of_end[place], column]
    return True
