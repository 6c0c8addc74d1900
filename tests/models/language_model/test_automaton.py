import itertools
import math
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.foundation.files.vocabulary import BEGIN, END, Vocabulary
from hyperbaton.models.language_model import LanguageModel, estimate
from hyperbaton.models.language_model.automaton import (
    EMPTY_STATE,
    SHORT_RUN,
    context_gains,
    find_key,
)
from hyperbaton.models.language_model.ngrams import NGramSection, assemble
from hyperbaton.models.language_model.stepping import step
from tests.models.language_model.backoff_oracles import backoff_logprob, sentence_logprobs
from tests.models.language_model.small_texts import (
    encoded,
    prunings,
    skewed_text,
    table_of,
    texts,
)


def model_of(table, order):
    """The model of a dictionary of n-grams."""
    vocabulary = Vocabulary(gram[0] for gram in table if len(gram) == 1)
    sections = []
    for length in range(1, order + 1):
        grams = [gram for gram in table if len(gram) == length]
        words = np.array([vocabulary.encode(gram) for gram in grams], dtype=np.int32)
        logprob, backoff = np.array([table[gram] for gram in grams]).reshape(-1, 2).T
        sections.append(NGramSection(words.reshape(-1, length), logprob, backoff))
    return LanguageModel.from_ngrams(assemble(vocabulary, sections))


def state_after(model, words, state=EMPTY_STATE):
    for word in model.vocabulary.encode(words):
        _, state = step(model.automaton, state, word)
    return state


@given(texts, st.integers(1, 5), prunings, st.lists(st.sampled_from("abcdx"), max_size=12))
def test_scores_are_those_of_the_backoff_recursion(text, order, prune, words):
    ngrams = estimate(*encoded(text), order, prune[:order])
    model = LanguageModel.from_ngrams(ngrams)
    expected = sentence_logprobs(table_of(ngrams), order, words)
    assert model.word_scores(words) == pytest.approx(expected, abs=1e-5)
    assert model.score(words) == pytest.approx(sum(expected), abs=1e-4)


@given(texts, st.integers(1, 3))
def test_gains_are_expected_over_all_words_before(text, order):
    """Words before are as frequent as the model makes them; nothing follows </s> but <s>."""
    model = LanguageModel.from_ngrams(estimate(*encoded(text), order))
    words = model.vocabulary.words
    alone = np.array([step(model.automaton, EMPTY_STATE, n)[0] for n in range(len(words))])
    after = np.array(  # (word before, word)
        [
            [step(model.automaton, state_after(model, [before]), n)[0] for n in range(len(words))]
            for before in words
        ]
    )
    frequency = np.exp(alone)
    for _ in range(2):
        frequency[BEGIN], frequency[END] = frequency[END], 0.0
        pairs = frequency[:, None] * np.exp(after)
        frequency = pairs.sum(axis=0)
    expected = (pairs * after).sum(axis=0) / frequency - alone
    assert context_gains(model.automaton) == pytest.approx(expected, abs=1e-5)
    if order == 1:
        assert context_gains(model.automaton) == pytest.approx(0.0, abs=1e-5)


def test_gains_of_a_model_by_hand():
    """`b` mostly follows `a`, which makes it likelier; `c` follows nothing in particular."""
    half, one = math.log(0.5), 0.0
    table = {("<unk>",): (-200, 0), ("<s>",): (-200, 0), ("</s>",): (-200, 0)}
    table |= {(word,): (math.log(p), 0.0) for word, p in (("a", 0.5), ("b", 0.25), ("c", 0.25))}
    table |= {("a", "b"): (one, 0.0), ("b", "a"): (half, 0.0)}
    model = model_of(table, 2)
    gains = context_gains(model.automaton)[model.encode(["a", "b", "c"])]
    # frequencies 1/2, 1/4, 1/4, then a: 1/2, b: 1/2 + 1/8, c: 1/4
    expected_b = (0.5 * one + (0.625 + 0.25) * 0.25 * math.log(0.25)) / (0.5 + 0.875 * 0.25)
    assert gains == pytest.approx([0.0, expected_b - math.log(0.25), 0.0], abs=1e-6)


def test_a_larger_text_scores_as_the_backoff_recursion():
    ngrams = estimate(*encoded(skewed_text(seed=1)), 4)
    model, table = LanguageModel.from_ngrams(ngrams), table_of(ngrams)
    for words in skewed_text(seed=2, n_sentences=20):
        expected = sentence_logprobs(table, 4, words)
        assert model.word_scores(words) == pytest.approx(expected, abs=1e-5)


@given(texts, st.integers(2, 4), prunings)
def test_equal_states_have_equal_futures(text, order, prune):
    """Whatever words led to a state, the recursion over them says the same of what follows."""
    ngrams = estimate(*encoded(text), order, prune[:order])
    model, table = LanguageModel.from_ngrams(ngrams), table_of(ngrams)
    histories = defaultdict(list)
    for length in range(4):
        for words in itertools.product("abx", repeat=length):
            histories[state_after(model, ("<s>", *words))].append(("<s>", *words))
    for first, *others in histories.values():
        for other in others:
            for word in [*"abcd", "</s>", "x"]:
                assert backoff_logprob(table, order, other, word) == pytest.approx(
                    backoff_logprob(table, order, first, word), abs=1e-6
                )
                after = [state_after(model, (*history, word)) for history in (first, other)]
                assert after[0] == after[1]


def test_a_context_that_nothing_continues_is_its_suffix():
    table = {
        ("<unk>",): (-3.0, 0.0),
        ("<s>",): (0.0, -0.5),
        ("</s>",): (-1.0, 0.0),
        ("a",): (-1.0, -0.25),
        ("b",): (-1.5, 0.0),  # continued
        ("c",): (-1.5, 0.0),  # continued by nothing, and costs nothing to leave
        ("a", "c"): (-0.5, 0.0),  # the same
        ("b", "a"): (-0.5, -0.125),  # costs something
        ("a", "a"): (-0.75, 0.0),  # continued
        ("a", "a", "c"): (-0.1, 0.0),
    }
    model = model_of(table, 3)
    a, ba, aa = (state_after(model, words) for words in ("a", "ba", "aa"))
    assert len({EMPTY_STATE, a, ba, aa, model.begin_state}) == 5
    assert state_after(model, ["a", "c"]) == EMPTY_STATE == state_after(model, ["unheard"])
    assert state_after(model, ["a", "a", "c"]) == EMPTY_STATE
    assert state_after(model, ["a", "a", "c", "a"]) == a  # the c is forgotten already
    assert state_after(model, ["b", "a", "a"]) == aa
    assert len(model.automaton.states) == 6 + 1  # these five and b, and the end


def test_beginning_and_end_are_optional():
    model = LanguageModel.from_ngrams(estimate(*encoded([["a", "b"], ["a"]]), 2))
    # by hand in test_estimation.py
    begin_a, only_a, a_b, b_end = (math.log(p) for p in (5 / 8, 1 / 4, 3 / 8, 11 / 16))
    assert model.score(["a", "b"]) == pytest.approx(begin_a + a_b + b_end)
    assert model.score(["a", "b"], begin=False) == pytest.approx(only_a + a_b + b_end)
    assert model.score(["a", "b"], end=False) == pytest.approx(begin_a + a_b)
    assert model.word_scores(["a", "b"], False, False) == pytest.approx([only_a, a_b])
    assert model.score([], end=False) == 0.0
    assert model.score([]) == pytest.approx(math.log(1 / 2 * 3 / 8))  # backoff, then </s>
    assert model.order == 2


def test_many_sentences_at_once_score_as_one_by_one():
    text = skewed_text(seed=5)
    sentences, vocabulary = encoded(text)
    model = LanguageModel.from_ngrams(estimate(sentences, vocabulary, 3))
    for before, end in itertools.product([[], text[0][:2]], [True, False]):
        after = model.encode(before).tolist()
        together = model.feature_scores(sentences, end=end, after=after)[:, 0]
        start = model.score(before, end=False)
        wholes = [model.score([*before, *words], end=end) for words in text]
        assert together == pytest.approx(np.array(wholes) - start)


@pytest.mark.parametrize("word", [-1, 6])
def test_word_numbers_of_another_vocabulary_are_refused(word):
    sentences, vocabulary = encoded([["a", "b"], ["c"]])
    model = LanguageModel.from_ngrams(estimate(sentences, vocabulary, 2))
    sentences.values[1] = word
    with pytest.raises(IndexError, match="not in this model's vocabulary"):
        model.feature_scores(sentences)


def test_a_model_of_single_words_has_no_memory():
    model = LanguageModel.from_ngrams(estimate(*encoded([["a", "b"], ["a"]]), 1))
    # a 2, </s> 2, b 1 of 5; γ = (1 + 1 + ½) / 5; four words below
    assert model.begin_state == EMPTY_STATE
    assert model.word_scores(["a"]) == pytest.approx([math.log(1 / 5 + 1 / 2 * 1 / 4)] * 2)
    assert step(model.automaton, EMPTY_STATE, END)[1] == EMPTY_STATE


def test_every_transition_is_found():
    """Among few and among many, where the first guess is wrong."""
    ngrams = estimate(*encoded(skewed_text(seed=11, n_sentences=400)), 5)
    model, table = LanguageModel.from_ngrams(ngrams), table_of(ngrams)
    assert len(table) > 4000
    assert len(model.automaton.transitions) == sum(ngrams.counts[1:])
    assert np.diff(model.automaton.states["first"]).max() > 2 * SHORT_RUN
    for gram, (logprob, _) in table.items():
        state = state_after(model, gram[:-1])
        word = model.vocabulary.encode(gram[-1:])[0]
        assert step(model.automaton, state, word)[0] == pytest.approx(logprob, abs=1e-5)


@given(st.sets(st.integers(0, 2**32 - 1), min_size=1, max_size=60), st.data())
def test_keys_are_found_however_uneven_they_are(keys, data):
    transitions = np.zeros(len(keys) + 2, dtype=[("key", np.uint32)])
    transitions["key"][1:-1] = sorted(keys)
    transitions["key"][-1] = 2**32 - 1
    sought = data.draw(st.sampled_from(sorted(keys)) | st.integers(0, 2**32 - 1))
    expected = sorted(keys).index(sought) + 1 if sought in keys else -1
    records = transitions.view(np.recarray)
    found = find_key(records, np.uint64(sought), np.int64(1), np.int64(len(keys) + 1))
    assert found == expected


@given(texts, st.integers(1, 5), prunings)
def test_an_automaton_tells_its_ngrams(text, order, prune):
    ngrams = estimate(*encoded(text), order, prune[:order])
    told = LanguageModel.from_ngrams(ngrams).ngrams()
    assert told.vocabulary.words == ngrams.vocabulary.words
    expected, table = table_of(ngrams), table_of(told)
    assert table.keys() >= expected.keys()
    for gram in table.keys() - expected.keys():  # a pruned word says what <unk> says
        assert len(gram) == 1
        assert table[gram] == pytest.approx((expected["<unk>",][0], 0.0), abs=1e-5)
    for gram, values in expected.items():
        assert table[gram] == pytest.approx(values, abs=1e-5)
