"""Estimates of the jumps between phrases, by orientation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.models.distortion.interface import OptionTable
from hyperbaton.models.distortion.span_moves import orientation_jumps
from hyperbaton.models.phrases.reordering import ReorderingType

SEEDS = st.integers(0, 10_000)
# the orientation of a jump to the right or left, by the classes of a type
NAMES = {
    "msd": ("discontinuous", "discontinuous"),
    "mslr": ("right", "left"),
    "monotonicity": ("other", "other"),
    "leftright": ("right", "left"),
}


def random_options(draw, n_words):
    """Some spans, by length and start, with one to three options each."""
    spans = [(length, start) for length in (1, 2, 3) for start in range(n_words - length + 1)]
    chosen = [span for span in spans if draw.random() < 0.6] or [(1, 0)]
    rows = [span for span in chosen for _ in range(draw.integers(1, 4))]
    start = np.array([start for _, start in rows], np.int32)
    end = start + np.array([length for length, _ in rows], np.int32)
    return OptionTable(n_words, start, end, np.zeros(len(rows), np.int64), None)


def slow_jumps(kind, options, weighted):
    """The same by the names of the columns, option by option."""
    column = {name: number for number, name in enumerate(kind.columns)}
    right, left = NAMES[kind.classes]
    monotone = "right" if kind.classes == "leftright" else "monotone"
    spans = list(zip(options.start.tolist(), options.end.tolist(), strict=True))
    expected = np.zeros((options.n_words + 1, options.n_words))
    for before in range(options.n_words + 1):
        for after in range(options.n_words):
            name, total = (right if after > before else left), 0.0
            entered = [n for n, (start, _) in enumerate(spans) if start == after]
            left_behind = [n for n, (_, end) in enumerate(spans) if end == before]
            for direction, found in (("backward", entered), ("forward", left_behind)):
                if found and (direction, name) in column and after != before:
                    shortest = min(found, key=lambda n: (spans[n][1] - spans[n][0], n))
                    scores = weighted[shortest]
                    total += scores[column[direction, name]] - scores[column[direction, monotone]]
            expected[before, after] = min(total, 0.0)
    return expected


@pytest.mark.parametrize("classes", NAMES)
@pytest.mark.parametrize("direction", ["backward", "forward", "bidirectional"])
@given(seed=SEEDS)
def test_jumps_equal_a_slow_twin(classes, direction, seed):
    draw = np.random.default_rng(seed)
    kind = ReorderingType(classes=classes, direction=direction)
    options = random_options(draw, int(draw.integers(1, 7)))
    weighted = draw.normal(-1, 1, (len(options), len(kind.columns)))
    expected = slow_jumps(kind, options, weighted)
    np.testing.assert_allclose(orientation_jumps(kind, options, weighted), expected)


def test_jumps_by_hand():
    kind = ReorderingType(classes="msd", direction="bidirectional")
    options = OptionTable(2, np.array([0, 1], np.int32), np.array([1, 2], np.int32), None, None)
    #                     backward            forward
    weighted = np.array([[-0.1, -9.0, -2.0, -0.5, -9.0, -0.8],
                         [-1.0, -9.0, -0.3, -0.2, -9.0, -1.5]])  # fmt: skip
    # to the first word: −2 + 0.1, and −0.3 or −1.3 for what was left; to the second
    # word a jump is better than the monotone way by 0.7
    expected = [[0.0, 0.0], [-1.9 - 0.3, 0.0], [-1.9 - 1.3, 0.0 + 0.7 - 1.3]]
    np.testing.assert_allclose(orientation_jumps(kind, options, weighted), expected)
