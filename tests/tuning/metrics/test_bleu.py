"""BLEU against sacrebleu's own statistics and scores."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU

from hyperbaton.tuning.metrics.base import Outputs
from hyperbaton.tuning.metrics.bleu import Bleu
from hyperbaton.tuning.metrics.ngram_matches import clipped_matches, matches_by_reference
from hyperbaton.tuning.metrics.words import TextOptions, batches
from tests.strategies import examples
from tests.tuning.metrics.translations import outputs, streams


@examples(2)
@given(outputs(), st.sampled_from(["none", "13a", "zh", "char"]), st.booleans(), st.integers(1, 5))
@example(Outputs(["", ""], [["a"], ["", "b"]]), "none", False, 4)
def test_statistics_and_score_are_sacrebleus(of, tokenize, lowercase, order):
    ours = Bleu(TextOptions(tokenize, lowercase), order=order)
    theirs = BLEU(tokenize=tokenize, lowercase=lowercase, max_ngram_order=order, force=True)
    expected = np.array(theirs._extract_corpus_statistics(of.hypotheses, streams(of)))
    statistics = ours.statistics(of)
    np.testing.assert_array_equal(statistics, expected)
    score = theirs.corpus_score(of.hypotheses, streams(of)).score
    assert ours.corpus_score(of) == pytest.approx(score, rel=1e-12, abs=1e-12)


@examples(2)
@given(outputs(), st.integers(1, 5))
@example(Outputs(["", ""], [["a"], ["", "b"]]), 4)
@example(Outputs([""], [[""]]), 4)
@example(Outputs(["x y"], [["a b c"]]), 4)
def test_details_are_sacrebleus(of, order):
    theirs = BLEU(tokenize="none", max_ngram_order=order).corpus_score(of.hypotheses, streams(of))
    ours = Bleu(order=order)
    details = ours.details(ours.statistics(of).sum(axis=0))
    assert details["precisions"] == pytest.approx(theirs.precisions)
    assert details["BP"] == pytest.approx(theirs.bp)
    assert details["ratio"] == pytest.approx(theirs.ratio)
    assert (details["hyp_len"], details["ref_len"]) == (theirs.sys_len, theirs.ref_len)


@given(outputs())
def test_sentence_scores_are_sacrebleus(of):
    theirs = BLEU(tokenize="none", effective_order=True)
    expected = [
        theirs.sentence_score(hypothesis, group).score
        for hypothesis, group in zip(of.hypotheses, of.references, strict=True)
    ]
    ours = Bleu()
    np.testing.assert_allclose(ours.sentence_scores(ours.statistics(of)), expected, atol=1e-12)


def test_the_examples_of_papineni():
    hypothesis = "the the the the the the the"
    references = ["the cat is on the mat", "there is a cat on the mat"]
    statistics = Bleu(order=2).statistics(Outputs([hypothesis], [references]))
    # 2 of 7 clipped unigrams, no bigram of 6; both references are closest at 7 words
    assert statistics.tolist() == [[7, 7, 2, 0, 7, 6]]


def test_by_hand():
    # 4 of 5 words, bigrams a-b and b-c of 4, one trigram of 3, no 4-gram of 2 (half a match)
    metric = Bleu()
    outputs = Outputs(["a b c x d"], [["a b c d e f"]])
    expected = math.exp(1 - 6 / 5) * (4 / 5 * 2 / 4 * 1 / 3 * 0.5 / 2) ** 0.25
    assert metric.corpus_score(outputs) == pytest.approx(100 * expected)
    assert Bleu(order=1).corpus_score(outputs) == pytest.approx(100 * math.exp(-0.2) * 0.8)


def test_perfect_and_empty():
    same = Outputs(["a b c d", "e f g h i"], [["a b c d"], ["x", "e f g h i"]])
    assert Bleu().corpus_score(same) == pytest.approx(100)
    assert Bleu().corpus_score(Outputs(["", ""], [["a b"], ["c"]])) == 0
    assert Bleu().corpus_score(Outputs([""], [[""]])) == 0


def test_white_space_is_what_sacrebleu_takes_for_it():
    outputs = Outputs(["a\u3000b\tc  d "], [["a b c d"]])
    assert Bleu().corpus_score(outputs) == pytest.approx(100)


def test_ten_thousand_words():
    words = np.random.default_rng(1).integers(50, size=(2, 10_000)).astype(str)
    hypothesis, reference = " ".join(words[0]), " ".join(words[1])
    expected = BLEU(tokenize="none").corpus_score([hypothesis], [[reference]]).score
    score = Bleu().corpus_score(Outputs([hypothesis], [[reference]]))
    assert score == pytest.approx(expected, rel=1e-12)


def test_more_sentences_than_a_batch(monkeypatch):
    monkeypatch.setattr("hyperbaton.tuning.metrics.words.BATCH_SIZE", 2)
    of = Outputs(["a b", "b c", "c", "a", "a a"], [["a b"], ["b"], ["c", "d"], ["b"], ["a a"]])
    expected = BLEU(tokenize="none")._extract_corpus_statistics(of.hypotheses, streams(of))
    assert Bleu().statistics(of).tolist() == expected


@pytest.mark.parametrize(
    "references", [[["a b"], ["c"]], [["a b", "a"], ["c", "d"]], [["a b"], ["c", "d"]]]
)
@pytest.mark.parametrize("lowercase", [False, True])
def test_signature_is_sacrebleus(references, lowercase):
    from hyperbaton.tuning.metrics.catalogue import make_metrics

    of = Outputs(["a b", "c"], references)
    theirs = BLEU(tokenize="13a", lowercase=lowercase)
    theirs.corpus_score(of.hypotheses, streams(of))
    [ours] = make_metrics(["bleu"], references, TextOptions("13a", lowercase))
    assert ours.signature == theirs.get_signature().format()


def test_signature_of_another_order_says_so():
    assert Bleu(order=1).name == "BLEU-1"
    assert Bleu(order=1).signature.startswith("order:1|nrefs:1|case:mixed|")


def slow_matches(hypothesis, reference, n):
    """Takes n-grams of the reference away one by one."""
    left = [reference[i : i + n] for i in range(len(reference) - n + 1)]
    matches = 0
    for i in range(len(hypothesis) - n + 1):
        if hypothesis[i : i + n] in left:
            left.remove(hypothesis[i : i + n])
            matches += 1
    return matches


@given(outputs())
def test_matches_with_every_reference(of):
    [batch] = batches(of, str)
    found = matches_by_reference(batch, 3)
    expected = [
        [slow_matches(hypothesis.split(), reference.split(), n) for n in (1, 2, 3)]
        for hypothesis, group in zip(of.hypotheses, of.references, strict=True)
        for reference in group
    ]
    assert found.tolist() == expected


def test_weights_of_matches():
    [batch] = batches(Outputs(["a b a c"], [["a b", "a c"]]), str)
    weights = np.array([[1.0, 2, 10, 4], [7, 8, 9, 0]])
    found = clipped_matches(batch, 2, weights)
    # a may match once: the first one does, with weight 1; then b and c; a-b and a-c but not b-a
    assert clipped_matches(batch, 2).tolist() == [[3, 2]]
    assert found.tolist() == [[1 + 2 + 4, 7 + 9]]
