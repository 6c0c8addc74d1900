"""Distortion scorers as the search kernel wants them: weighted tables over ends and options."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from decoder.options import SentenceOptions
from models.arrays import Int32Array, Int64Array
from models.distortion.tables import TableScorer, joint_numbers

FloatArray = NDArray[np.float64]


class DistortionTables(NamedTuple):
    """See `decoder/problem.py`, whose fields these are."""

    state_of_option: Int32Array
    finish: FloatArray
    edge_scores: FloatArray
    cell_rows: Int32Array
    cell_columns: Int32Array
    cell_begin: Int64Array
    cell_width: Int64Array
    cell_scores: FloatArray


def weigh_tables(
    options: SentenceOptions, scorers: Sequence[TableScorer], weights: Sequence[FloatArray]
) -> DistortionTables:
    """Sums what depends on ends and spans only into one table; the others stay apart."""
    n_words, n_options = options.table.n_words, len(options.table)
    edge_scores = np.zeros((n_words + 1, len(options.span_start)))
    cells = []
    finish = np.zeros(n_options + 1)
    first_of_span, end = options.span_option[:-1], options.table.end
    span_of_option = np.repeat(np.arange(len(first_of_span)), np.diff(options.span_option))
    states = []
    for scorer, own in zip(scorers, weights, strict=True):
        states.append(scorer.state_of_option)
        if scorer.finish_values is not None:
            finish += scorer.finish_values @ own
        for rows, columns, values in scorer.projected(own):
            row_of_end = np.zeros(n_words + 1, np.int64)
            row_of_end[end] = rows[1:]
            row_of_end[0] = rows[0]
            column_of_span = columns[first_of_span]
            by_end = (row_of_end[end] == rows[1:]).all()
            if by_end and (column_of_span[span_of_option] == columns).all():
                edge_scores += values[row_of_end][:, column_of_span]
            else:
                cells.append((rows, columns, values))
    joint = joint_numbers(states) if states else np.zeros(n_options + 1, np.int64)
    widths = np.array([values.shape[1] for _, _, values in cells], np.int64)
    sizes = np.array([values.size for _, _, values in cells], np.int64)
    none = np.empty((0, 0), np.int32)
    return DistortionTables(
        joint.astype(np.int32),
        finish,
        edge_scores,
        np.stack([rows for rows, _, _ in cells]) if cells else none,
        np.stack([columns for _, columns, _ in cells]).astype(np.int32) if cells else none,
        np.cumsum(sizes) - sizes,
        widths,
        np.concatenate([values.ravel() for _, _, values in cells]) if cells else np.empty(0),
    )
