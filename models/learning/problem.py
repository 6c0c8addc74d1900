"""Training examples as checked arrays for kernels, with functions to score and to shuffle them.

Numba's random generator is per thread, so we use SplitMix64 (Steele, Lea and Flood 2014). Every
model has its generator, seeded from the user's seed and the model's number, so a model depends
neither on the other models nor on the number of threads.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy  # type: ignore[import-untyped]  # parts of it are loaded when they are used
from numpy.typing import NDArray

from hyperbaton.foundation.arrays import Int32Array, Int64Array
from hyperbaton.foundation.errors import DataError, counted
from hyperbaton.foundation.hashing import GOLDEN, mixed
from hyperbaton.foundation.kernels import inner, kernel

MAX_FEATURES = 2**31 - 1
CsrArrays = tuple[Int64Array, Int32Array, NDArray[Any]]  # the first three of `Problem`


class Problem(NamedTuple):
    """n examples φ with their classes. There is no intercept; use a feature that is always 1."""

    indptr: Int64Array  # (n + 1,)
    indices: Int32Array  # (entries,) columns, each at most once in a row, ascending
    data: NDArray[Any]  # (entries,) float32 or float64
    labels: Int32Array  # (n,) from 0 to n_classes − 1; some classes may be absent
    n_features: int
    n_classes: int


def make_problem(matrix: Any, labels: Any, n_classes: int) -> Problem:
    """Checks examples and converts them to the kernels' types, copying only if necessary."""
    rows = check_matrix(matrix)
    n_rows, n_features = matrix.shape
    if n_rows == 0 or n_features == 0:
        raise DataError(
            f"nothing to learn from: {counted(n_rows, 'example')} with "
            f"{counted(n_features, 'feature')}"
        )
    if n_classes < 1:
        raise DataError(f"{n_classes} classes are not possible", expected="expected 1 or more")
    return Problem(*rows, check_labels(labels, n_rows, n_classes), n_features, n_classes)


def check_matrix(matrix: Any, n_features: int | None = None) -> CsrArrays:
    """Checks a sparse matrix, which should have `n_features` columns; returns its arrays in the
    types of the kernels."""
    if not scipy.sparse.issparse(matrix) or matrix.format != "csr" or len(matrix.shape) != 2:
        raise DataError(
            f"the features are a {type(matrix).__name__}",
            expected="expected a scipy.sparse.csr_matrix or csr_array, one row for each example",
        )
    if matrix.shape[1] > MAX_FEATURES:
        raise DataError(
            f"{matrix.shape[1]:,} features are too many", expected="expected at most 2^31 − 1"
        )
    if n_features is not None and matrix.shape[1] != n_features:
        raise DataError(
            f"the examples have {counted(matrix.shape[1], 'feature')}",
            expected=f"expected {n_features:,}, as in training",
        )
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    data = matrix.data
    if data.dtype not in (np.float32, np.float64):
        data = data.astype(np.float64)
    if not np.isfinite(data).all():
        entry = int(np.flatnonzero(~np.isfinite(data))[0])
        row = int(np.searchsorted(matrix.indptr, entry, side="right")) - 1
        raise DataError(
            f"feature {matrix.indices[entry]} of example {row} is {data[entry]}",
            expected="expected a finite number",
        )
    return (
        matrix.indptr.astype(np.int64, copy=False),
        matrix.indices.astype(np.int32, copy=False),
        np.ascontiguousarray(data),
    )


def check_labels(labels: Any, n_rows: int, n_classes: int) -> Int32Array:
    found = np.asarray(labels)
    check_integers(found, n_rows, "classes")
    wrong = np.flatnonzero((found < 0) | (found >= n_classes))
    if len(wrong):
        raise DataError(
            f"example {wrong[0]} has the class {found[wrong[0]]}",
            expected=f"expected a class from 0 to {n_classes - 1}",
        )
    return np.ascontiguousarray(found, dtype=np.int32)


def check_integers(found: NDArray[Any], n_rows: int, things: str) -> None:
    """Checks that there is one integer for each example."""
    if not np.issubdtype(found.dtype, np.integer):
        raise DataError(f"{things} are of type {found.dtype}", expected="expected whole numbers")
    if found.shape != (n_rows,):
        raise DataError(
            f"{things} have the shape {found.shape}",
            expected=f"expected ({n_rows},), one for each example",
        )


def with_unit_rows(problem: Problem) -> Problem:
    """The problem with ‖φ‖ scaled to 1 for every example that has features."""
    rows = np.repeat(np.arange(len(problem.labels)), np.diff(problem.indptr))
    square = np.bincount(rows, problem.data.astype(np.float64) ** 2, len(problem.labels))
    norm = np.sqrt(np.where(square > 0, square, 1.0))
    return problem._replace(data=(problem.data / norm[rows]).astype(problem.data.dtype))


@inner
def entries(problem, row):
    """The entries of a row as unsigned numbers: checking signed indices for negative values takes a
    fifth of the time of these loops."""
    return range(np.uint64(problem.indptr[row]), np.uint64(problem.indptr[row + 1]))


@inner
def score(problem, row, weights, scores):
    """Fills `scores` with w_o·φ of one example."""
    n_classes = problem.n_classes
    for o in range(n_classes):
        scores[o] = 0.0
    for entry in entries(problem, row):
        value = problem.data[entry]
        of_feature = weights[np.uint64(problem.indices[entry])]
        for o in range(n_classes):
            scores[np.uint64(o)] += value * of_feature[np.uint64(o)]


def generator(seed: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """The state of a new generator, (1,)."""
    return np.array([seed & 0xFFFFFFFFFFFFFFFF], dtype=np.uint64)


@inner
def next_number(state):
    """The next random 64-bit number; advances the state."""
    state[0] += GOLDEN
    return mixed(state[0])


@inner
def shuffle(values, n, state):
    """Shuffles the first n values (Fisher and Yates)."""
    for last in range(n - 1, 0, -1):
        other = np.int64(next_number(state) % np.uint64(last + 1))
        values[last], values[other] = values[other], values[last]


@kernel
def own_seed(seed, number):
    """The seed of one of many models, from the common seed and the model's number."""
    state = np.empty(1, np.uint64)
    state[0] = np.uint64(seed)
    state[0] = next_number(state) ^ np.uint64(number)
    return np.int64(next_number(state) >> np.uint64(1))
