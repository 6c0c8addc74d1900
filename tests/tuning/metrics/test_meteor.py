"""METEOR: the alignment against brute force, scores by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.tuning.metrics.base import Outputs
from hyperbaton.tuning.metrics.meteor import FREE, Meteor, align
from hyperbaton.tuning.metrics.words import TextOptions
from tests.strategies import examples

N_WORDS = 6
OWN = np.arange(N_WORDS)  # every word is its own stem
PAIRED = np.arange(N_WORDS) // 2  # 0 and 1 have the same stem, and so on
words = st.lists(st.integers(0, N_WORDS - 3), max_size=6)


def aligned(hypothesis, reference, stems):
    scratch = np.full(N_WORDS, FREE)
    sides = np.array(hypothesis, np.int32), np.array(reference, np.int32)
    with np.errstate(over="ignore"):  # not compiled, which would take longer than the tests
        links = align(*sides, stems, scratch).tolist()
    assert (scratch == FREE).all()
    return links


def n_matches(links):
    return sum(link != FREE for link in links)


def n_crossings(links):
    linked = [link for link in links if link != FREE]
    return sum(a > b for i, a in enumerate(linked) for b in linked[i:])


def n_chunks(links):
    pairs = {(at, link) for at, link in enumerate(links) if link != FREE}
    return sum((at - 1, link - 1) not in pairs for at, link in pairs)


def quality(links):
    return -n_matches(links), n_crossings(links), n_chunks(links)


def best_quality(hypothesis, reference, stems, fixed):
    """Of all alignments that keep the fixed links and else link equal stems."""

    def all_links(at):
        if at == len(hypothesis):
            yield []
            return
        for rest in all_links(at + 1):
            if fixed[at] != FREE:
                yield [fixed[at], *rest]
                continue
            yield [FREE, *rest]
            for place, word in enumerate(reference):
                if stems[word] == stems[hypothesis[at]] and place not in [*fixed, *rest]:
                    yield [place, *rest]

    return min(map(quality, all_links(0)))


@examples(12)
@given(words, words)
def test_most_matches_then_fewest_crossings_then_fewest_chunks(hypothesis, reference):
    links = aligned(hypothesis, reference, OWN)
    linked = [link for link in links if link != FREE]
    assert len(set(linked)) == len(linked)
    assert all(reference[r] == hypothesis[h] for h, r in enumerate(links) if r != FREE)
    nothing = [FREE] * len(hypothesis)
    assert quality(links) == best_quality(hypothesis, reference, OWN, nothing)


@examples(12)
@given(words, words)
def test_stems_are_linked_after_the_words_and_around_them(hypothesis, reference):
    exact = aligned(hypothesis, reference, OWN)
    links = aligned(hypothesis, reference, PAIRED)
    kept = [link for link, first in zip(links, exact, strict=True) if first != FREE]
    assert kept == [first for first in exact if first != FREE]
    assert quality(links) == best_quality(hypothesis, reference, PAIRED, exact)


def test_the_example_of_the_paper():
    # Two chunks, "the president" and "spoke to the audience": six matches of six and seven words
    of = Outputs(
        ["the president spoke to the audience"], [["the president then spoke to the audience"]]
    )
    assert Meteor().statistics(of).tolist() == [[6, 2, 6, 7]]
    precision, recall = 1, 6 / 7
    mean = 10 * precision * recall / (recall + 9 * precision)
    assert Meteor().corpus_score(of) == pytest.approx(100 * mean * (1 - 0.5 * (2 / 6) ** 3))


def test_stems_match():
    of = Outputs(["dogs running"], [["a dog runs"]])
    assert Meteor().statistics(of).tolist() == [[2, 1, 2, 3]]


def test_perfect_is_one_chunk_and_empty_is_nothing():
    metric = Meteor()
    perfect = metric.corpus_score(Outputs(["a b c d"], [["a b c d"]]))
    assert perfect == pytest.approx(100 * (1 - 0.5 / 4**3))
    for hypothesis, reference in (("", "a"), ("a", ""), ("", ""), ("b", "a")):
        assert metric.corpus_score(Outputs([hypothesis], [[reference]])) == 0


def test_the_best_reference_counts():
    of = Outputs(["a b c"], [["a x y", "c b a", "a b c d"]])
    assert Meteor().statistics(of).tolist() == [[3, 1, 3, 4]]


def test_ten_thousand_words():
    draw = np.random.default_rng(1)
    words = draw.integers(300, size=10_000).astype(str)
    of = Outputs([" ".join(words)], [[" ".join(words)]])
    assert Meteor().statistics(of).tolist() == [[10_000, 1, 10_000, 10_000]]


def test_name_and_signature_say_what_is_matched():
    assert Meteor().name == "METEOR-exact-stem"
    metric = Meteor(TextOptions(lowercase=True))
    expected = "nrefs:1|case:lc|tok:none|match:exact,stem[porter]|reference:best"
    assert metric.signature == expected
