import math
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.foundation.errors import SettingError
from hyperbaton.foundation.files import scratch
from hyperbaton.foundation.files.vocabulary import BEGIN, Vocabulary
from hyperbaton.models.language_model import LanguageModel, automaton, estimate, estimation
from hyperbaton.models.language_model.estimation import discounts
from hyperbaton.models.language_model.ngrams import link_suffixes
from hyperbaton.models.language_model.stepping import step
from tests.mapped_arrays import is_mapped, ragged
from tests.models.language_model.backoff_oracles import KneserNey
from tests.models.language_model.small_texts import encoded, prunings, skewed_text, table_of, texts
from tests.refusals import refusals, refused


def assert_same(found, expected):
    assert found.keys() == expected.keys()
    for gram, values in expected.items():
        assert found[gram] == pytest.approx(values, abs=1e-9), gram


def estimated(text, order, prune=(0,)):
    return table_of(estimate(*encoded(text), order, prune))


def test_two_sentences_by_hand():
    # Bigrams: <s> a twice, a b, a </s>, b </s> once each. Too few for discounts: ½, 1, 1½.
    # Unigrams by the words before them: a 1 (<s>), b 1 (a), </s> 2 (a, b); 4 in all, and
    # γ = (½ + ½ + 1) / 4. The uniform distribution has 4 words: a, b, </s>, <unk>.
    found = estimated([["a", "b"], ["a"]], 2)
    half = math.log(1 / 2)
    expected = {
        ("<unk>",): (math.log(1 / 2 * 1 / 4), 0.0),
        ("<s>",): (0.0, half),
        ("</s>",): (math.log(1 / 4 + 1 / 2 * 1 / 4), 0.0),  # (2 − 1) / 4
        ("a",): (math.log(1 / 8 + 1 / 2 * 1 / 4), half),  # (1 − ½) / 4
        ("b",): (math.log(1 / 8 + 1 / 2 * 1 / 4), half),
        ("<s>", "a"): (math.log(1 / 2 + 1 / 2 * 1 / 4), 0.0),  # (2 − 1) / 2
        ("a", "b"): (math.log(1 / 4 + 1 / 2 * 1 / 4), 0.0),  # (1 − ½) / 2
        ("a", "</s>"): (math.log(1 / 4 + 1 / 2 * 3 / 8), 0.0),
        ("b", "</s>"): (math.log(1 / 2 + 1 / 2 * 3 / 8), 0.0),  # (1 − ½) / 1
    }
    assert_same(found, expected)


@given(texts, st.integers(1, 5), prunings)
def test_small_texts_have_the_numbers_of_the_formulas(text, order, prune):
    prune = prune[:order]
    assert_same(estimated(text, order, prune), KneserNey(text, order, prune).table())


@pytest.mark.parametrize(("order", "prune"), [(3, (0,)), (3, (0, 0, 1)), (4, (0, 1, 1, 2))])
def test_a_text_with_estimated_discounts_has_the_numbers_of_the_formulas(order, prune):
    text = skewed_text(seed=7)
    oracle = KneserNey(text, order, prune)
    assert all(float(oracle.discounts[n][0]) != 0.5 for n in (1, 2))  # not the fallback
    assert_same(estimated(text, order, prune), oracle.table())


def test_discounts_by_hand():
    # n1 = 4, n2 = 2, n3 = 1, n4 = 1, so Y = 4 / (4 + 2·2) = 1/2
    counts = np.array([0, 1, 1, 1, 1, 2, 2, 3, 4, 9])
    expected = [0.0, 1 - 2 / 2 * 2 / 4, 2 - 3 / 2 * 1 / 2, 3 - 4 / 2 * 1 / 1]
    assert discounts(counts).tolist() == expected
    assert discounts(np.array([1, 1, 2])).tolist() == [0.0, 0.5, 1.0, 1.5]  # none occurs 3 times
    many_threes = np.array([1] * 9 + [2] + [3] * 9)  # D2 = 2 − 3·(9/11)·9 < 0
    assert discounts(many_threes).tolist() == [0.0, 0.5, 1.0, 1.5]


def test_a_discount_of_exactly_nothing_is_no_failure():
    # n1 = 4, n2 = 3, n3 = 5: Y = 4/10, D1 = 1 − 2·Y·3/4, D2 = 2 − 3·Y·5/3 = 0, D3 = 3
    counts = np.array([1] * 4 + [2] * 3 + [3] * 5)
    assert discounts(counts).tolist() == [0.0, 0.4, 0.0, 3.0]


def test_a_context_that_gives_nothing_away_has_the_smallest_backoff(monkeypatch):
    monkeypatch.setattr(estimation, "discounts", lambda _: np.array([0.0, 0.4, 0.0, 3.0]))
    found = estimated([["a"], ["a"]], 2)
    assert found["<s>",] == pytest.approx((0.0, -99 * math.log(10)))


@given(texts, st.integers(1, 4), prunings)
def test_probabilities_sum_to_one_after_every_context(text, order, prune):
    model = LanguageModel.from_ngrams(estimate(*encoded(text), order, prune[:order]))
    words = [word for word in range(len(model.vocabulary)) if word != BEGIN]
    for state in range(len(model.automaton.states)):
        total = sum(math.exp(step(model.automaton, state, word)[0]) for word in words)
        assert total == pytest.approx(1.0, abs=1e-5)


def test_pruning_leaves_out_what_is_rare_but_keeps_all_words():
    text = [["a", "b", "c"]] * 2 + [["a", "c"]]
    found = estimated(text, 3, (0, 1, 2))
    assert {gram for gram in found if len(gram) == 2} == {
        ("<s>", "a"), ("a", "b"), ("b", "c"), ("c", "</s>")
    }  # fmt: skip
    assert {gram for gram in found if len(gram) == 3} == set()
    assert {gram for gram in found if len(gram) == 1} == {
        ("<unk>",), ("<s>",), ("</s>",), ("a",), ("b",), ("c",)
    }  # fmt: skip


def test_words_that_the_text_does_not_have_are_no_unigrams():
    sentences, vocabulary = encoded([["a", "b"]])
    smaller = estimate(sentences, vocabulary, 2)
    vocabulary.extend(["absent"])
    larger = estimate(sentences, vocabulary, 2)
    assert_same(table_of(larger), table_of(smaller))
    model = LanguageModel.from_ngrams(larger)
    assert model.score(["absent", "b"]) == model.score(["<unk>", "b"])


def test_a_text_shorter_than_the_order_has_no_longer_ngrams():
    assert estimate(*encoded([["a"]]), 5).counts == (4, 2, 1, 0, 0)


@given(texts, st.integers(1, 5), prunings, st.integers(1, 9))
def test_models_in_files_and_in_pieces_are_those_in_memory(text, order, prune, at_once):
    given = *encoded(text), order, prune[:order]
    expected = LanguageModel.from_ngrams(estimate(*given))
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        for module in (scratch, automaton):
            patch.setattr(module, "AT_ONCE", at_once)
        files = scratch.Scratch(Path(folder), 1)
        ngrams = estimate(*given, files)
        model = LanguageModel.from_ngrams(ngrams, files)
        assert list(Path(folder).iterdir()) == []  # they have no names
    assert is_mapped(ngrams.logprob)
    assert is_mapped(model.automaton.states)
    for found, wanted in zip(model.automaton, expected.automaton, strict=True):
        np.testing.assert_array_equal(found, wanted, strict=True)
    # the suffixes that counting knows are those that a search finds
    np.testing.assert_array_equal(ngrams.suffix, link_suffixes(ngrams))


WRONG_PRUNING = (), (1,), (0, 2, 1), (0, 0, 0, 1), (0, -1)


@refusals(
    *(([["a"]], order, (0,), f"order {order} … 1 to 6", SettingError) for order in (0, 7, -1)),
    *(
        ([["a"]], 3, prune, f"{' '.join(map(str, prune))!r} … at most 3 numbers", SettingError)
        for prune in WRONG_PRUNING
    ),
    *((text, 2, (0,), "the text has no words") for text in ([], [[]], [[], []])),
)
def test_impossible_models_are_refused(text, order, prune):
    estimate(*encoded(text), order, prune)


@pytest.mark.parametrize("word", [0, 1, 2, 4, -1])
def test_word_numbers_that_no_text_can_have_are_refused(word):
    facts = f"word ids from {min(3, word)} to {max(3, word)} … 3 to 3"
    refused(facts, lambda: estimate(ragged([[3, word]]), Vocabulary(["a"]), 2))
