import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.foundation.coverage import (
    cover,
    cover_spans,
    coverage_size,
    covered_end,
    empty_coverage,
    free_spans,
    is_covered,
    is_free,
    open_end,
    open_start,
    pack_coverage,
    unpack_coverage,
)
from hyperbaton.foundation.kernels import kernel

cover, coverage_size, covered_end, is_covered, is_free, open_end, open_start = map(
    kernel, (cover, coverage_size, covered_end, is_covered, is_free, open_end, open_start)
)  # compiled, as in use


@st.composite
def sentences(draw):
    """Which words are covered, as a list of truth values, and a span."""
    covered = draw(st.lists(st.booleans(), min_size=1, max_size=200))
    start = draw(st.integers(0, len(covered)))
    return covered, start, draw(st.integers(start, len(covered)))


def packed(covered):
    """The bits by Python's integers: word p is bit p."""
    number = sum(1 << place for place, bit in enumerate(covered) if bit)
    words = [number >> shift & (2**64 - 1) for shift in range(0, len(covered), 64)]
    return np.array(words, np.uint64)


@pytest.mark.parametrize(
    ("n_words", "size"), [(0, 1), (1, 1), (64, 1), (65, 2), (128, 2), (129, 3)]
)
def test_size_is_one_word_for_64_bits(n_words, size):
    assert coverage_size(n_words) == size
    assert empty_coverage(3, n_words).shape == (3, size)


@given(sentences())
def test_bits_are_where_python_has_them(sentence):
    covered, start, end = sentence
    coverage = packed(covered)
    assert [is_covered(coverage, place) for place in range(len(covered))] == covered
    assert is_free(coverage, start, end) == (not any(covered[start:end]))
    assert pack_coverage(np.array([covered])).tolist() == [coverage.tolist()]
    assert unpack_coverage(coverage[None], len(covered)).tolist() == [covered]


@given(sentences())
def test_covering_a_span_adds_its_words_and_no_others(sentence):
    covered, start, end = sentence
    after = covered[:start] + [True] * (end - start) + covered[end:]
    coverage = packed(covered)
    cover(coverage, start, end)
    assert coverage.tolist() == packed(after).tolist()
    both = np.stack([packed(covered), packed(after)])
    cover_spans(both, np.array([start, 0], np.int32), np.array([end, 0], np.int32))
    assert both.tolist() == [packed(after).tolist()] * 2


@given(sentences())
def test_stretches_end_at_the_first_word_of_the_other_kind(sentence):
    covered, place, _ = sentence
    n_words, coverage = len(covered), packed(covered)
    assert covered_end(coverage, place, n_words) == [*covered, False].index(False, place)
    assert open_end(coverage, place, n_words) == [*covered, True].index(True, place)
    before = [True, *covered][: place + 1][::-1]  # from the word before the place leftwards
    assert open_start(coverage, place) == place - before.index(True)


def test_free_spans_have_no_covered_word():
    covered = np.array([True, False, False, True, False])
    start, end = np.array([0, 1, 1, 2, 4, 2], np.int32), np.array([1, 2, 3, 4, 5, 2], np.int32)
    assert free_spans(covered, start, end).tolist() == [False, True, True, False, True, True]
