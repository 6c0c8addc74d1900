import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.foundation.errors import SettingError
from hyperbaton.tuning.metrics.base import Outputs
from hyperbaton.tuning.metrics.ribes import Ribes
from hyperbaton.tuning.metrics.words import TextOptions
from tests.refusals import refused

# Few different words, so that many need their neighbours to be told apart
sentences = st.lists(st.sampled_from("abcd"), max_size=10).map(" ".join)
corpora = st.lists(st.tuples(sentences, st.lists(sentences, min_size=1, max_size=3)), max_size=5)


def outputs_of(corpus):
    return Outputs([h for h, _ in corpus], [r for _, r in corpus])


def one(hypothesis, *references, **options):
    return Ribes(**options).corpus_score(Outputs([hypothesis], [references])) / 100


def places(ngram, words):
    n = len(ngram)
    return [start for start in range(len(words) - n + 1) if words[start : start + n] == ngram]


def aligned_by_growing(hypothesis, reference, context):
    """For each word longer and longer n-grams, to the left and to the right."""
    ranks = []
    for i in range(len(hypothesis)):
        for n in range(1, len(hypothesis) + 1):
            starts = [start for start in (i - n + 1, i) if 0 <= start <= len(hypothesis) - n]
            found = [
                places(hypothesis[start : start + n], reference)[0] + i - start
                for start in starts
                if len(places(hypothesis[start : start + n], reference)) == 1
                and len(places(hypothesis[start : start + n], hypothesis)) == 1
            ]
            if found:
                ranks.append(found[0 if context == "left" else -1])
                break
    return ranks


def ribes_by_definition(hypothesis, reference, context):
    hypothesis, reference = hypothesis.split(), reference.split()
    ranks = aligned_by_growing(hypothesis, reference, context)
    n = len(ranks)
    if not hypothesis or n == 0 or (n == 1 and len(reference) > 1):
        return 0.0
    pairs = [(i, j) for j in range(n) for i in range(j)]
    tau = sum(ranks[i] < ranks[j] for i, j in pairs) / len(pairs) if pairs else 1.0
    brevity = min(1.0, math.exp(1 - len(reference) / len(hypothesis)))
    return tau * (n / len(hypothesis)) ** 0.25 * brevity**0.1


def test_the_examples_of_the_paper():
    reference = "he was interested in world history because he read the book"
    hypothesis = "he read the book because he was interested in world history"
    # Ranks 7 8 9 10 6 0 1 2 3 4 5: 6 + 15 of 55 pairs rise, tau is −0.236
    assert one(hypothesis, reference, context="right") == pytest.approx(21 / 55)
    # "because he" comes before "he was": ranks 7 8 9 10 6 7 1 2 3 4 5, 6 + 1 + 10 pairs rise
    assert one(hypothesis, reference) == pytest.approx(17 / 55)
    for context in ("left", "right"):
        # Ranks 2 1 0 3; then 3 4 2 0 1 and 5 of 7 words
        assert one("Bob hit John yesterday", "John hit Bob yesterday", context=context) == 0.5
        passive = one("the book was read by the boy", "the boy read the book", context=context)
        assert passive == pytest.approx(2 / 10 * (5 / 7) ** 0.25)


def test_precision_and_brevity_by_hand():
    # b a y of the reference a b c d: ranks 1 0, one pair, turned
    assert one("b a y", "a b c d") == 0
    # a b y: all pairs in order, 2 of 3 words found, one word too short
    assert one("a b y", "a b c d") == pytest.approx((2 / 3) ** 0.25 * math.exp(1 - 4 / 3) ** 0.1)
    # Long hypotheses lose precision only
    assert one("a b y y", "a b") == pytest.approx(0.5**0.25)


def test_repeated_words_are_told_apart_by_their_neighbours():
    # "the dog" for the first word, and "saw the" or "the cat" for the fourth: ranks 3 4 2 3|0 1
    assert one("the dog saw the cat", "the cat saw the dog") == pytest.approx(2 / 10)
    score = one("the dog saw the cat", "the cat saw the dog", context="right")
    assert score == pytest.approx(2 / 10)
    # x is found through the word to its left, and again through the one to its right: an equal rank
    assert one("a x x b", "a x b") == pytest.approx(5 / 6)
    # Nothing tells these apart
    assert one("a a", "a a a") == 0


def test_one_word():
    assert one("a", "a") == 1
    assert one("a b", "a") == pytest.approx(0.5**0.25)
    assert one("a", "a b") == 0  # a single word has no order
    assert one("b", "a") == 0


def test_empty_sentences():
    assert one("", "a b") == 0
    metric = Ribes()
    statistics = metric.statistics(Outputs(["a b", "", "a b"], [["", "a b"], [""], [""]]))
    assert statistics.tolist() == [[1, 1], [0, 0], [0, 0]]  # no reference: not counted
    assert metric.corpus_score(Outputs([""], [[""]])) == 0
    assert metric.corpus_score(Outputs([], [])) == 0


def test_the_best_reference_counts():
    assert one("a b c", "c b a", "a b c", "a c b") == 1
    assert one("a b c", "c b a") == 0


def test_case_counts_unless_told_otherwise():
    assert one("A b c", "a b c") == pytest.approx((2 / 3) ** 0.25)
    assert one("A b c", "a b c", options=TextOptions(lowercase=True)) == 1


@given(corpora, st.sampled_from(["left", "right"]))
def test_agrees_with_the_definition(corpus, context):
    statistics = Ribes(context=context).statistics(outputs_of(corpus))
    for (hypothesis, references), (score, counted) in zip(corpus, statistics, strict=True):
        expected = [ribes_by_definition(hypothesis, r, context) for r in references if r]
        assert score == pytest.approx(max(expected, default=0))
        assert counted == bool(expected)


@given(st.permutations(list("abcdefgh")))
def test_different_words_in_order_are_perfect_and_in_reverse_worthless(words):
    assert one(" ".join(words), " ".join(words)) == pytest.approx(1)
    assert one(" ".join(words[::-1]), " ".join(words)) == 0


def test_many_repetitions_are_no_trouble():
    # The longest common history is as long as the sentence: a slow search would never end
    hypothesis = " ".join(["a"] * 1500 + ["b"])
    assert one(hypothesis, hypothesis) == 1


def test_signature_and_messages():
    assert Ribes().signature == "RIBES|nrefs:1|case:mixed|tok:none|alpha:0.25|beta:0.1|context:left"
    refused("'rihgt' … did you mean right?", lambda: Ribes(context="rihgt"), SettingError)
    refused("sentence 1 has no reference", lambda: Ribes().statistics(Outputs(["a"], [[]])))
