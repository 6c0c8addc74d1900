import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.corpus.corpora.corpus import SENTENCES_AT_ONCE
from hyperbaton.foundation.errors import SettingError
from hyperbaton.models.phrases.extraction import extract
from hyperbaton.models.phrases.settings import GRID
from tests.models.phrases import oracles
from tests.models.phrases.corpora import corpus_of, small_pairs
from tests.refusals import refusals

ORIENTATIONS = ("monotone", "swap", "right", "left")


def blocks_of(occurrences):
    """The extracted blocks of a corpus of one sentence pair."""
    f0, e0 = occurrences.source_at, occurrences.target_at
    columns = f0, f0 + occurrences.source_length - 1, e0, e0 + occurrences.target_length - 1
    return list(zip(*(column.tolist() for column in columns), strict=True))


def test_a_pair_worked_by_hand():
    # hon o katta / bought a book, "o" and "a" unaligned
    corpus = corpus_of([(["hon", "o", "katta"], ["bought", "a", "book"], [(0, 2), (2, 0)])])
    assert set(blocks_of(extract(corpus))) == {
        (0, 0, 2, 2), (0, 0, 1, 2), (0, 1, 2, 2), (0, 1, 1, 2),  # hon, with o, with a
        (2, 2, 0, 0), (2, 2, 0, 1), (1, 2, 0, 0), (1, 2, 0, 1),  # katta, with o, with a
        (0, 2, 0, 2),
    }  # fmt: skip


@given(small_pairs(), st.integers(1, 4))
def test_exactly_the_consistent_blocks_are_extracted(pair, max_length):
    source, target, links = pair
    corpus = corpus_of([pair])
    found = blocks_of(extract(corpus, max_length))
    expected = oracles.consistent_blocks(len(source), len(target), set(links), max_length)
    assert len(found) == len(set(found))
    assert set(found) == set(expected)


@given(small_pairs())
def test_inner_alignments_are_the_links_inside(pair):
    occurrences = extract(corpus_of([pair]))
    for block, bits in zip(blocks_of(occurrences), occurrences.inner.tolist(), strict=True):
        f0, f1, e0, e1 = block
        inside = {(f - f0, e - e0) for f, e in pair[2] if f0 <= f <= f1 and e0 <= e <= e1}
        assert {(bit % GRID, bit // GRID) for bit in range(64) if bits >> bit & 1} == inside


def slow_orientation(block, n_source, n_target, links, model, max_length):
    limit = {"word": 0, "phrase": max_length, "hierarchical": max(n_source, n_target)}[model]
    blocks = oracles.consistent_blocks(n_source, n_target, links, limit)
    found = oracles.orientation(block, n_source, n_target, links, blocks)
    if found:
        return found
    f0, f1, e0, _ = block
    if model == "word":
        cells = {*links, (-1, -1)}
        before, after = (f0 - 1, e0 - 1) in cells, (f1 + 1, e0 - 1) in cells
        return oracles.discontinuous_by_words(block, n_source, links, before, after)
    limits = [max_length] if model == "phrase" else [max_length, limit]
    for length in limits:
        blocks = oracles.consistent_blocks(n_source, n_target, links, length)
        if any(b < f0 - 1 and d == e0 - 1 for _, b, _, d in blocks):
            return "right"
        if any(a > f1 + 1 and d == e0 - 1 for a, _, _, d in blocks):
            return "left"
    return "right"


@given(small_pairs(), st.integers(1, 3))
@pytest.mark.parametrize("model", ["word", "phrase", "hierarchical"])
def test_orientations_follow_their_definition(model, pair, max_length):
    source, target, links = pair
    sizes, links = (len(source), len(target)), set(links)
    occurrences = extract(corpus_of([pair]), max_length, model)
    for row, block in enumerate(blocks_of(occurrences)):
        backward = ORIENTATIONS[occurrences.backward[row]]
        forward = ORIENTATIONS[occurrences.forward[row]]
        assert backward == slow_orientation(block, *sizes, links, model, max_length)
        turned, turned_links = oracles.mirrored(block, *sizes, links)
        assert forward == slow_orientation(turned, *sizes, turned_links, model, max_length)


@pytest.mark.parametrize("model", ["phrase", "hierarchical"])
def test_long_sentences_needed_all_memory(model):
    # one link in the middle: 28 spans of up to 7 words hold it on either side, and no block lies
    # beside any of these
    n = 3000
    one = extract(corpus_of([(["a"] * n, ["b"] * n, [(n // 2, n // 2)])]), 7, model)
    assert len(one) == 28 * 28
    assert {*one.backward.tolist(), *one.forward.tolist()} == {ORIENTATIONS.index("right")}
    diagonal = extract(corpus_of([(["a"] * n, ["b"] * n, [(i, i) for i in range(n)])]), 2, model)
    assert len(diagonal) == n + n - 1
    assert not diagonal.backward.any()  # all monotone
    assert not diagonal.forward.any()


def test_hierarchical_orientation_sees_blocks_of_any_size():
    # nine words upside down, then one in its place: only the block of all nine ends beside it
    links = [(i, 8 - i) for i in range(9)] + [(9, 9)]
    corpus = corpus_of([(["a"] * 10, ["b"] * 10, links)])
    found = {}
    for model in ("phrase", "hierarchical"):
        occurrences = extract(corpus, 7, model)
        row = blocks_of(occurrences).index((9, 9, 9, 9))
        found[model] = ORIENTATIONS[occurrences.backward[row]]
    assert found == {"phrase": "right", "hierarchical": "monotone"}


def test_threads_and_chunks_do_not_matter(monkeypatch):
    pairs = [(list("abc"), list("xyz"), [(i % 3, 0), (2, i % 3)]) for i in range(50)]
    corpus = corpus_of(pairs)
    one = extract(corpus, threads=1)
    monkeypatch.setattr("hyperbaton.models.phrases.extraction.SENTENCES_AT_ONCE", 7)
    two = extract(corpus, threads=3)
    assert len(pairs) < SENTENCES_AT_ONCE
    for column in vars(one):
        np.testing.assert_array_equal(getattr(one, column), getattr(two, column))


@refusals(
    (0, "word", "cannot have up to 0 words … expected 1 to 8"),
    (9, "word", "cannot have up to 9 words … expected 1 to 8"),
    (7, "wrod", "'wrod' … did you mean word"),
    error=SettingError,
)
def test_impossible_settings_are_refused(length, orientation):
    extract(corpus_of([]), length, orientation)
