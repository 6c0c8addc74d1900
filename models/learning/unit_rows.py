"""Examples of the same length."""

import numpy as np

from hyperbaton.models.learning.problem import Problem


def with_unit_rows(problem: Problem) -> Problem:
    """The same problem with ‖φ‖ = 1 for every example that has features."""
    rows = np.repeat(np.arange(len(problem.labels)), np.diff(problem.indptr))
    square = np.bincount(rows, problem.data.astype(np.float64) ** 2, len(problem.labels))
    norm = np.sqrt(np.where(square > 0, square, 1.0))
    return problem._replace(data=(problem.data / norm[rows]).astype(problem.data.dtype))
