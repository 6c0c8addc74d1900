"""Scorers for models whose scores are table look-ups.

The score of a step depends on a small row key of the previous option (its end, its span, its last
word) and a column key of the next one. The decoder projects the tables on the weights once per
sentence, so that a step costs one look-up per table. The row is the model's state: two previous
options with equal rows are interchangeable.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hyperbaton.foundation.arrays import FloatArray, Int32Array, Int64Array
from hyperbaton.models.distortion.interface import SentenceScorer, Steps


@dataclass(frozen=True, eq=False)
class Table:
    """Values of some features by row of the previous option and column of the next."""

    rows: Int32Array  # (N + 1,) row after option n at n + 1; at 0 the row of the beginning
    columns: Int32Array  # (N,) column of each option
    values: FloatArray  # (n_rows, n_columns, features of this table)
    first_feature: int = 0  # number of this table's first feature in the model


class Moves(NamedTuple):
    """Weighted scores by the class of the move between two spans and by the option at its beginning
    or end: much smaller than tables of options and spans."""

    span: Int32Array  # (N + 1,) of each option; at 0 that of the beginning
    class_of: NDArray[np.uint8]  # (spans, spans) class of the move from one span to another
    before: FloatArray  # (N + 1, classes) score by the previous option
    after: FloatArray  # (N, classes) score by the next option


class TableScorer(SentenceScorer):
    """A scorer of one table or a sum of tables.

    `finish_values` are the values of ending the sentence after each option, (N + 1, F).
    """

    def __init__(
        self, n_features: int, tables: Sequence[Table], finish_values: FloatArray | None = None
    ) -> None:
        self.n_features, self.tables = n_features, tuple(tables)
        self.state_of_option = joint_numbers([table.rows for table in self.tables])
        if finish_values is not None:
            ends = np.unique(finish_values, axis=0, return_inverse=True)[1].reshape(-1)
            self.state_of_option = joint_numbers([self.state_of_option, ends])
        self.finish_values = finish_values

    @property
    def initial_state(self) -> int:  # type: ignore[override]
        return int(self.state_of_option[0])

    def features(self, steps: Steps) -> FloatArray:
        values = np.zeros((len(steps.option), self.n_features))
        for table in self.tables:
            last = table.first_feature + table.values.shape[2]
            row, column = table.rows[steps.previous + 1], table.columns[steps.option]
            values[:, table.first_feature : last] += table.values[row, column]
        return values

    def advance(self, steps: Steps) -> Int64Array:
        return self.state_of_option[steps.option + 1]

    def finish(self, state: Int64Array) -> FloatArray:
        if self.finish_values is None:
            return super().finish(state)
        after = np.zeros((int(self.state_of_option.max()) + 1, self.n_features))
        after[self.state_of_option] = self.finish_values
        return after[state]

    def projected(self, weights: FloatArray) -> list[tuple[Int32Array, Int32Array, FloatArray]]:
        """The rows, columns and weighted values of each table."""
        result = []
        for table in self.tables:
            last = table.first_feature + table.values.shape[2]
            values = weighted_sum(table.values, weights[table.first_feature : last])
            result.append((table.rows, table.columns, values))
        return result

    def moves(self, weights: FloatArray) -> list[Moves]:  # noqa: ARG002
        """Weighted scores of moves, which are added to those of the tables."""
        return []


def weighted_sum(values: FloatArray, weights: FloatArray) -> FloatArray:
    """The weighted sum over the last axis, the features; for one feature this is several times as
    fast as a matrix product."""
    return values[..., 0] * weights[0] if len(weights) == 1 else values @ weights


def joint_numbers(columns: Sequence[NDArray[Any]]) -> Int64Array:
    """A number for each combination of the columns' small numbers."""
    if len(columns) > 1:
        every = np.arange(len(columns[0]))
        if any(np.array_equal(column, every) for column in columns):  # it distinguishes all rows
            return every
    joint = columns[0].astype(np.int64, copy=False)
    for column in columns[1:]:
        joint = joint * (int(column.max()) + 1) + column
        joint = np.unique(joint, return_inverse=True)[1]  # keeps the numbers small
    return joint
