"""Tables that are pruned after training, and the numbers of Fisher's exact test."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom

from hyperbaton.foundation.errors import DataError
from hyperbaton.models.phrases.building import train_phrases
from hyperbaton.models.phrases.moses_tables import read_phrase_table, source_texts, target_texts
from hyperbaton.models.phrases.pruning import significance_of_counts
from hyperbaton.models.phrases.settings import PhraseSettings
from hyperbaton.models.phrases.smaller_tables import pruned
from hyperbaton.models.phrases.table import PhraseTable
from tests.models.phrases.corpora import corpus_of, small_corpora
from tests.refusals import refused


def prune(table, **conditions):
    return PhraseTable.of(pruned(table, PhraseSettings(**conditions)).gathered())


def pairs_of(table):
    return list(zip(source_texts(table), target_texts(table), strict=True))


@given(small_corpora, st.integers(1, 3), st.integers(0, 2))
def test_pruning_later_gives_the_table_that_pruning_in_training_gives(sentences, count, top):
    corpus = corpus_of(sentences)
    settings = PhraseSettings(min_count=count, top=top)
    try:
        expected = train_phrases(corpus, settings)
    except DataError:
        with pytest.raises(
            DataError, match=r"phrase pairs would be dropped\n  choose lower thresholds"
        ):
            prune(train_phrases(corpus), min_count=count, top=top)
        return
    found = prune(train_phrases(corpus), min_count=count, top=top)
    for name, values in vars(expected).items():
        if isinstance(values, np.ndarray):
            np.testing.assert_array_equal(values, getattr(found, name), strict=True, err_msg=name)
    assert found.n_occurrences == expected.n_occurrences


@given(small_corpora, st.floats(0.0, 3.0))
def test_significance_counts_occurrences(sentences, threshold):
    table = train_phrases(corpus_of(sentences), PhraseSettings(max_length=2))
    in_target, in_source, both = table.counts_of().T
    tails = hypergeom.sf(both - 1, table.n_occurrences, in_source, in_target)
    if np.any(np.abs(-np.log(tails) - threshold) < 1e-9):
        return  # rounding decides
    keep = -np.log(tails) >= threshold
    if not keep.any():
        return
    left = prune(table, significance=str(threshold))
    assert pairs_of(left) == [
        pair for pair, kept in zip(pairs_of(table), keep, strict=True) if kept
    ]
    np.testing.assert_array_equal(left.scores_of(), table.scores_of(keep))
    np.testing.assert_array_equal(left.counts_of(), table.counts_of(keep))
    np.testing.assert_array_equal(left.inner_of(), table.inner_of(keep))
    np.testing.assert_array_equal(left.reordering_of(), table.reordering_of(keep))


def test_named_thresholds_drop_or_keep_pairs_seen_once():
    once = [([f"s{i}"], [f"t{i}"], [(0, 0)]) for i in range(9)]
    twice = [(["x"], ["y"], [(0, 0)])] * 2
    table = train_phrases(corpus_of([*once, *twice]))
    assert len(prune(table, significance="a-e")) == 10
    assert len(prune(table, significance="a+e")) == 1


def test_imported_counts_may_be_fractions_but_must_be_there(write):
    path = write(
        "t", "a ||| X ||| 1 1 1 1 ||| 0-0 ||| 1 1 1\na ||| Y ||| 1 1 1 1 ||| ||| 9 1 0.6\n"
    )
    assert len(prune(read_phrase_table(path)[0], significance="0", min_count=0)) == 2
    without = read_phrase_table(write("t", "a ||| X ||| 1 1 1 1\n"))[0]
    with pytest.raises(
        DataError, match="has pairs without counts\n  pruning by significance needs"
    ):
        prune(without, significance="a+e")


def exact(both, in_source, in_target, total):
    """−log P(X ≥ both), with fractions."""
    ways = math.comb(total, in_target)
    tail = sum(
        Fraction(math.comb(in_source, k) * math.comb(total - in_source, in_target - k), ways)
        for k in range(max(both, in_source + in_target - total), min(in_source, in_target) + 1)
    )
    return math.log(tail.denominator) - math.log(tail.numerator)


@pytest.mark.parametrize(
    "counts",
    [
        (1, 1, 1, 10**9),
        (2, 3, 5, 1_000_000),
        (40, 60, 70, 50_000),
        (200, 900, 1500, 20_000),
        (35, 40, 990, 1010),
        (0, 5, 7, 30),
        (30, 30, 30, 30),
        (5, 2000, 3000, 4000),
    ],
)
def test_tails_of_large_and_small_numbers(counts):
    both, in_source, in_target, total = (np.array([n]) for n in counts)
    [found] = significance_of_counts(in_target, in_source, both, int(total[0]))
    assert found == pytest.approx(exact(*counts), rel=1e-10, abs=1e-9)
    [turned] = significance_of_counts(in_source, in_target, both, int(total[0]))
    assert turned == found


def test_a_table_that_knows_too_few_occurrences_has_at_least_those_of_its_phrases():
    """a occurs 8 times, b 4 times, B 3 times and always with b: −log p = log C(8, 3) / C(4, 3)."""
    pairs = [("a", "A")] * 6 + [("a", "C")] * 2 + [("b", "B")] * 3 + [("b", "A")]
    table = train_phrases(corpus_of([([source], [target], [(0, 0)]) for source, target in pairs]))
    few = replace(table, n_occurrences=1.0)
    assert pairs_of(prune(few, significance=str(math.log(14) - 0.01))) == [("b", "B")]
    refused("would be dropped", lambda: prune(few, significance=str(math.log(14) + 0.01)))
