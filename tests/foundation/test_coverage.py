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
    first_open,
    free_spans,
    is_covered,
    is_free,
    n_bits,
    n_open_runs,
    open_end,
    open_start,
    pack_coverage,
    reached,
    unpack_coverage,
)
from hyperbaton.foundation.kernels import kernel

cover, coverage_size, covered_end, is_covered, is_free, open_end, open_start = map(
    kernel, (cover, coverage_size, covered_end, is_covered, is_free, open_end, open_start)
)  # compiled, as in use
first_open, n_bits, n_open_runs, reached = map(kernel, (first_open, n_bits, n_open_runs, reached))


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


@given(sentences())
def test_runs_of_open_words(sentence):
    covered, begin, end = sentence
    coverage = packed(covered)
    assert reached(coverage) == max((n + 1 for n, bit in enumerate(covered) if bit), default=0)
    if not all(covered):
        assert first_open(coverage) == covered.index(False)
    starts = [n for n, bit in enumerate(covered) if not bit and (n == 0 or covered[n - 1])]
    assert n_open_runs(coverage, begin, end) == sum(begin <= n < end for n in starts)


@given(st.integers(0, 2**64 - 1))
def test_bits_are_counted(number):
    assert n_bits(np.uint64(number)) == number.bit_count()
