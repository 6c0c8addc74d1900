"""Scores, probabilities and gradients against the literal equations."""

from math import e, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.foundation.kernels import kernel
from hyperbaton.foundation.work.workers import Crew, Threads
from hyperbaton.models.distortion.next_word import blocks
from hyperbaton.models.distortion.next_word.blocks import Blocks, block_bounds
from hyperbaton.models.distortion.next_word.events import ORDERS, find_events
from hyperbaton.models.distortion.next_word.lanes import LANES, Lanes
from hyperbaton.models.distortion.next_word.likelihood import Likelihood
from hyperbaton.models.distortion.next_word.scores import (
    CI,
    CN,
    IN,
    PAIR,
    SEQUENCE,
    log_probabilities,
    next_word_scores,
    sequence_changes,
    sequence_scores,
)
from hyperbaton.models.distortion.next_word.selection import (
    keys_in_order,
    make_pair_index,
    select_features,
)
from hyperbaton.models.distortion.next_word.symbols import SymbolCoder
from hyperbaton.models.distortion.next_word.templates import (
    Symbols,
    describe,
    distance_key,
    orientation_key,
)
from tests.models.distortion.next_word import oracles
from tests.models.distortion.next_word.corpora import (
    HARD,
    NE_PAS,
    hard_cases,
    sentences_of,
    tagged_corpora,
    tagged_corpus,
)
from tests.strategies import examples

sequence_changes, sequence_scores, distance_key, orientation_key = map(
    kernel, (sequence_changes, sequence_scores, distance_key, orientation_key)
)  # compiled, as in use

LABEL_PAIRS = (("C", "N"), ("C", "I"), ("I", "N"))


def setup(examples, labels, order=ORDERS[0], *, seed=0, open_only=False, threads=1, kept=1 << 30):
    corpus = tagged_corpus(examples)
    events = find_events(corpus, order)
    symbols = SymbolCoder.of(corpus).corpus(corpus)
    index = make_pair_index(select_features(symbols, events, 2))
    blocks = Blocks(symbols, events, index, kept_bytes=kept)
    weights = np.random.default_rng(seed).normal(0, 0.3, (index.n_features + 1, labels))
    weights[-1] = 0.0
    made = Likelihood(Lanes(blocks, labels, open_only=open_only), Crew(Threads(threads)), 0)
    return made, weights, list(sentences_of(corpus, events))


def oracle_score(likelihood, weights, words, tags):
    """score(i, j) by the literal equation, with the weights by feature."""
    features = [describe(key) for key in keys_in_order(likelihood.blocks.index).tolist()]
    if likelihood.labels == PAIR:
        by_feature = dict(zip(features, weights[:, 0].tolist(), strict=False))
        return lambda i, j: oracles.pair_score(by_feature, words, tags, i, j)
    by_label = {
        (feature, *pair): weights[number, label]
        for number, feature in enumerate(features)
        for label, pair in enumerate(LABEL_PAIRS)
    }
    return lambda i, j: oracles.sequence_score(by_label, words, tags, i, j)


@given(tagged_corpora, st.sampled_from([PAIR, SEQUENCE]), st.sampled_from(ORDERS), st.booleans())
def test_the_likelihood_is_that_of_the_literal_equations(examples, labels, order, open_only):
    likelihood, weights, sentences = setup(examples, labels, order, open_only=open_only)
    expected = 0.0
    for (words, tags, moves), (_, target, links, _) in zip(sentences, examples, strict=True):
        score = oracle_score(likelihood, weights, words, tags)
        _, visited = oracles.moves(len(words), len(target), links, order)
        for number, (i, j) in enumerate(moves):
            candidates = [
                place
                for place in range(1, len(words) + 2)
                if not open_only or visited.get(place - 1, number) >= number
            ]
            expected -= oracles.log_probability(score, len(words), i, j, candidates)
    assert likelihood.value(weights) == pytest.approx(expected)


@given(tagged_corpora, st.sampled_from([PAIR, SEQUENCE]))
def test_the_table_of_a_sentence_by_the_literal_equations(examples, labels):
    likelihood, weights, sentences = setup(examples, labels)
    words, tags, _ = sentences[0]
    symbols = Symbols(np.array(words, np.int32), np.array(tags, np.int32))
    table = log_probabilities(next_word_scores(symbols, likelihood.blocks.index, weights))
    score = oracle_score(likelihood, weights, words, tags)
    for i in range(len(words) + 1):
        for j in range(1, len(words) + 2):
            expected = -np.inf if i == j else oracles.log_probability(score, len(words), i, j)
            assert table[i, j - 1] == pytest.approx(expected)
    assert np.exp(table).sum(axis=1) == pytest.approx(1.0)


def assert_gradient_is_that_of_finite_differences(likelihood, weights):
    _, gradient = likelihood.value_and_gradient(weights)
    random = np.random.default_rng(1)
    for _ in range(10):
        direction = random.normal(size=weights.shape)
        direction[-1] = 0.0
        step = 1e-5 * direction
        slope = (likelihood.value(weights + step) - likelihood.value(weights - step)) / 2e-5
        assert slope == pytest.approx(float((gradient * direction)[:-1].sum()), abs=1e-6)


@examples(0.8)
@given(tagged_corpora, st.sampled_from([PAIR, SEQUENCE]), st.sampled_from(ORDERS), st.booleans())
def test_gradients_are_finite_differences(examples, labels, order, open_only):
    likelihood, weights, _ = setup(examples, labels, order, open_only=open_only)
    met = hard_cases(examples, likelihood.blocks.events)
    assert min(met["several_links"], met["no_links"], met["ties"]) > 0
    assert met["current_twice"] >= (3 if order == "last" else 0)
    assert_gradient_is_that_of_finite_differences(likelihood, weights)


@pytest.mark.parametrize("open_only", [False, True])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("labels", [PAIR, SEQUENCE])
def test_the_gradient_where_a_place_is_current_twice(labels, order, open_only):
    likelihood, weights, _ = setup([NE_PAS] * 2, labels, order, open_only=open_only)
    met = hard_cases([NE_PAS] * 2, likelihood.blocks.events)
    assert met["current_twice"] == (2 if order == "last" else 0)  # "not", in either sentence
    assert_gradient_is_that_of_finite_differences(likelihood, weights)


def test_a_sentence_worked_by_hand():
    # three words; only orientation and distance have weights
    keys = [orientation_key(0), distance_key(0, 0), orientation_key(1)]
    index = make_pair_index(np.array(keys))
    symbols = Symbols(np.array([3, 4, 5], np.int32), np.array([-1, -1, -1], np.int32))
    pair = np.array([[1.0], [log(2)], [0.0], [0.0]])
    table = np.exp(log_probabilities(next_word_scores(symbols, index, pair)))
    # from the first word all candidates are ahead: the neighbour counts twice
    assert table[1] == pytest.approx([0, 2 / 4, 1 / 4, 1 / 4])
    # from the second: one behind (1), the neighbour (2e), the end (e)
    assert table[2] == pytest.approx([1 / (1 + 3 * e), 0, 2 * e / (1 + 3 * e), e / (1 + 3 * e)])
    sequence = np.zeros((4, 3))
    sequence[:, CN] = pair[:, 0]
    sequence[0, CI] = -log(3)  # for every word that is passed
    table = np.exp(log_probabilities(next_word_scores(symbols, index, sequence)))
    # CN counts twice: 4, 1, 1; one word is passed on the way to the third, two on that to the end
    total = 4 + 1 / 3 + 1 / 9
    assert table[1] == pytest.approx([0, 4 / total, 1 / 3 / total, 1 / 9 / total])
    sequence[0, IN] = -log(2)
    sequence[1, IN] = -log(5)  # the word beside the candidate, seen from the candidate
    table = np.exp(log_probabilities(next_word_scores(symbols, index, sequence)))
    total = 4 + 1 / 3 / (2 * 5) + 1 / 9 / (2 * 2 * 5)
    assert table[1] == pytest.approx([0, 4 / total, 1 / 30 / total, 1 / 180 / total])


@given(st.integers(1, 6), st.integers(0, 5))
def test_changes_are_the_transpose_of_scores(n_words, seed):
    # <residual, scores → totals> = <residual → changes, scores>
    random = np.random.default_rng(seed)
    scores = random.normal(size=(3, n_words + 1, n_words + 1))
    residual = random.normal(size=(n_words + 1, n_words + 1))
    same = np.arange(1, n_words + 1), np.arange(n_words)
    scores[:, *same] = residual[same] = 0.0
    totals, changes = np.zeros_like(residual), np.zeros_like(scores)
    sequence_scores(scores, n_words, totals)
    sequence_changes(residual, n_words, changes)
    assert (residual * totals).sum() == pytest.approx((changes * scores).sum())


EXAMPLES = [
    (list("abcdabcd"), list("ABCAB"), [(k, k * 3 % 5) for k in range(7)], list("NVNVVNNV")),
    (list("badc"), list("ABC"), [(0, 2), (2, 0), (3, 1)], list("VVNN")),
] * 12 + HARD


@pytest.mark.parametrize("labels", [PAIR, SEQUENCE])
def test_neither_threads_nor_memory_change_anything(labels, monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_PAIRS", 150)
    results = []
    for threads, kept in ((1, 1 << 30), (2, 1 << 30), (3, 0), (1, 50_000)):
        likelihood, weights, _ = setup(EXAMPLES, labels, threads=threads, kept=kept)
        value, gradient = likelihood.value_and_gradient(weights)
        results.append((value, gradient.tolist(), likelihood.curvature(weights).tolist()))
        assert len(likelihood.blocks) > 8
        n_kept = len(likelihood.blocks.kept)
        assert n_kept == {1 << 30: len(likelihood.blocks), 0: 0}.get(kept, n_kept)
    assert 0 < n_kept < len(likelihood.blocks)
    assert all(result == results[0] for result in results[1:])


@pytest.mark.parametrize("open_only", [False, True])
@pytest.mark.parametrize(
    "pair", [(list("abcd"), list("AB"), [(1, 0), (3, 1)], list("NVNV")), NE_PAS]
)
@pytest.mark.parametrize("labels", [PAIR, SEQUENCE])
def test_the_curvature_is_the_second_derivative_where_no_two_cells_share_a_feature(
    labels, pair, open_only
):
    # words that occur once: a feature of two words fires in one pair only
    likelihood, weights, _ = setup([pair] * 2, labels, open_only=open_only)
    met = hard_cases([pair] * 2, likelihood.blocks.events)
    assert met["current_twice"] == (2 if pair is NE_PAS else 0)
    curvature = likelihood.curvature(weights)
    checked = 0
    for number, key in enumerate(keys_in_order(likelihood.blocks.index).tolist()):
        if describe(key)[0] != ("s[i]", "s[j]"):
            continue
        for label in range(labels):
            step = np.zeros_like(weights)
            step[number, label] = 1e-3
            second = (
                likelihood.value(weights + step)
                - 2 * likelihood.value(weights)
                + likelihood.value(weights - step)
            ) / 1e-6
            assert curvature[number, label] == pytest.approx(second, abs=1e-4)
            checked += 1
    assert checked > 5


def test_blocks_hold_as_many_sentences_as_fit(monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_PAIRS", 10)
    assert block_bounds(np.array([4, 4, 4, 20, 1, 9, 1])) == [0, 2, 3, 4, 6, 7]
    assert block_bounds(np.array([], np.int64)) == [0]


@pytest.mark.parametrize("labels", [PAIR, SEQUENCE])
def test_one_step_in_every_lane_by_the_gradient(labels, monkeypatch):
    # as many blocks as lanes: each lane takes one step from the same weights
    likelihood, weights, _ = setup(EXAMPLES, labels)
    assert len(likelihood.blocks) == 1
    monkeypatch.setattr(blocks, "BLOCK_PAIRS", int(likelihood.blocks.events.lengths.sum() + 48) * 2)
    likelihood, weights, _ = setup(EXAMPLES, labels)
    assert likelihood.n_blocks == LANES
    share, shape = np.full(len(weights), 0.5), weights.shape
    squares = [np.ones(shape, np.float32) for _ in range(LANES)]
    lanes = list(likelihood.descend(weights, squares, share, 0.1, np.arange(LANES)))
    visits = likelihood.n_visits()
    _, total = likelihood.value_and_gradient(weights)
    found = np.zeros(shape)
    for after, squared in zip(lanes, squares, strict=True):
        # w' = w − η g / √(1 + g²), and 1 + g² is known
        slope = (weights - after) / 0.1
        gradient = slope * np.sqrt(squared)
        assert squared == pytest.approx(1 + gradient**2, rel=1e-3)
        found += np.where(after != weights.astype(np.float32), gradient - 0.5 * weights, 0.0)
    assert found[:-1] == pytest.approx(total[:-1], abs=1e-4)
    assert visits.max() == LANES
    moved = sum((squared != 1.0).any(axis=1) for squared in squares)
    assert (moved <= visits).all()
    assert (moved[:-1] > 0).mean() > 0.9
    assert not lanes[0][-1].any()
