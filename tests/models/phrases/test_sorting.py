"""Runs of any length are sorted, as NumPy sorts them."""

import numpy as np
import pytest

from hyperbaton.models.phrases.collecting import _sorted_runs
from hyperbaton.models.phrases.pruning import best_first

LENGTHS = [0, 1, 2, 3, 5, 24, 25, 0, 300]


@pytest.mark.parametrize("n_values", [2, 1000])
def test_occurrences_by_target_phrase_and_inner_alignment(n_values):
    random = np.random.default_rng(n_values)
    node = random.permutation(np.repeat(np.arange(len(LENGTHS)), LENGTHS))
    target = random.integers(n_values, size=len(node)).astype(np.int32)
    inner = random.integers(n_values, size=len(node)).astype(np.uint64) << np.uint64(60)
    orientation = (7 * target + inner.astype(np.int64)).astype(np.uint8)  # shows what it belongs to
    begin, *columns = _sorted_runs(node, len(LENGTHS), target, inner, orientation)
    assert begin.tolist() == np.cumsum([0, *LENGTHS]).tolist()
    order = np.lexsort((inner, target, node))
    for sorted_column, column in zip(columns, (target, inner, orientation), strict=True):
        assert sorted_column.tolist() == column[order].tolist()


@pytest.mark.parametrize("n_values", [2, 1000])
def test_pairs_by_probability_then_target_phrase(n_values):
    random = np.random.default_rng(n_values)
    direct = random.integers(n_values, size=sum(LENGTHS)).astype(np.float32)
    row = random.permutation(len(direct)).astype(np.int32)  # no two pairs of a run are equal
    order = best_first(np.array(LENGTHS, np.int32), direct, row)
    node = np.repeat(np.arange(len(LENGTHS)), LENGTHS)
    assert order.tolist() == np.lexsort((row, -direct, node)).tolist()
