"""The likelihood against sums over all outcomes, and its maximum by two algorithms."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from hyperbaton.models.distortion.parse.events import layers_of, make_events
from hyperbaton.models.distortion.parse.fitting import (
    ParseSettings,
    training_events,
    variances,
    visit,
)
from hyperbaton.models.distortion.parse.inventory import no_pairs
from hyperbaton.models.distortion.parse.likelihood import (
    log_likelihood,
    maximise,
    scale_iteratively,
)
from hyperbaton.models.distortion.parse.path import TO_FIRST
from hyperbaton.models.distortion.parse.priors import estimate_prior
from hyperbaton.models.distortion.parse.templates import (
    FAMILIES,
    G_COLUMN,
    N_JUMPS,
    PART,
    T_COLUMN,
    TEMPLATE_BITS,
    W_COLUMN,
    G,
    J,
    T,
    W,
)
from tests.models.distortion.parse.small import HARD, PAIRS, small_corpus

ALL = sum(FAMILIES.values())


def small_data(families=ALL, min_count=1, repeat=1, pairs=PAIRS):
    corpus = small_corpus(repeat, pairs=pairs)
    inventory, visits = visit(corpus, no_pairs(), len(corpus.target.vocabulary), TO_FIRST)
    events = make_events(layers_of(corpus, corpus.source.trees), visits, families, 2, 1)
    n_tags = len(corpus.source.tag_vocabulary)
    prior = estimate_prior("smoothed", 0.9, 2.0, inventory, events, n_tags)
    return training_events(events, inventory, prior, corpus.target, min_count)


def slow_likelihood(data, weights):
    """Every outcome of every event, every feature of every outcome; expected counts as well."""
    total, expected = 0.0, np.zeros(len(weights))
    for event, source in enumerate(data.source):
        begin, end = data.inventory.begin[source : source + 2]
        scores, fired = {}, {}
        for choice in range(end - begin):
            tag = data.inventory.tag[begin + choice]
            for jump in range(N_JUMPS):
                parts = {
                    jump,
                    T_COLUMN + choice,
                    W_COLUMN + choice * N_JUMPS + jump,
                    G_COLUMN + tag * N_JUMPS + jump,
                }
                fired[choice, jump] = [
                    feature
                    for group in data.groups[data.group_begin[event] : data.group_begin[event + 1]]
                    for feature in range(*data.features.begin[group : group + 2])
                    if data.features.column[feature] in parts
                ]
                scores[choice, jump] = (
                    data.prior[data.prior_begin[event] + choice, jump]
                    + weights[fired[choice, jump]].sum()
                )
        log_z = np.logaddexp.reduce(list(scores.values()))
        total += scores[data.choice[event], data.jump[event]] - log_z
        for outcome, score in scores.items():
            np.add.at(expected, fired[outcome], np.exp(score - log_z))
    return total, expected


@pytest.mark.parametrize("family", [*FAMILIES, "all"])
def test_likelihood_and_expected_counts(family):
    data, counts = small_data(FAMILIES.get(family, ALL))
    weights = np.random.default_rng(0).normal(size=len(counts))
    with ThreadPoolExecutor(2) as pool:
        total, expected = log_likelihood(data, weights, pool)
    slow_total, slow_expected = slow_likelihood(data, weights)
    assert total == pytest.approx(slow_total)
    np.testing.assert_allclose(expected, slow_expected, atol=1e-12)


def test_counts_are_those_of_what_happened():
    data, counts = small_data()
    happened = np.zeros(len(counts))
    for event, source in enumerate(data.source):
        tag = data.inventory.tag[data.inventory.begin[source] + data.choice[event]]
        choice, jump = data.choice[event], data.jump[event]
        parts = {jump, T_COLUMN + choice, W_COLUMN + choice * N_JUMPS + jump,
                 G_COLUMN + tag * N_JUMPS + jump}  # fmt: skip
        for group in data.groups[data.group_begin[event] : data.group_begin[event + 1]]:
            for feature in range(*data.features.begin[group : group + 2]):
                happened[feature] += data.features.column[feature] in parts
    assert counts.tolist() == happened.tolist()


def test_the_gradient_is_that_of_finite_differences():
    data, counts = small_data(pairs=[*PAIRS, *HARD])
    links = [[link.split("-") for link in pair[3].split()] for pair in (*PAIRS, *HARD)]
    for side in (0, 1):  # words with several links, on either side
        assert any(len({link[side] for link in own}) < len(own) for own in links)
    assert [] in links
    # the same word several times in one sentence: events with the same outcomes
    same = Counter(zip(data.source.tolist(), data.choice.tolist(), strict=True))
    assert max(same.values()) > 1
    random = np.random.default_rng(1)
    weights = random.normal(size=len(counts))
    with ThreadPoolExecutor(1) as pool:
        _, expected = log_likelihood(data, weights, pool)
        for feature in random.choice(len(counts), 25, replace=False):
            step = np.zeros(len(counts))
            step[feature] = 1e-5
            up, down = (log_likelihood(data, weights + s, pool)[0] for s in (step, -step))
            slope = counts[feature] - expected[feature]
            assert (up - down) / 2e-5 == pytest.approx(slope, abs=1e-6)


def test_rare_features_are_left_out():
    data, counts = small_data(min_count=3)
    everything, all_counts = small_data(min_count=1)
    assert counts.min() >= 3
    assert len(counts) == (all_counts >= 3).sum()
    assert set(data.features.key) < set(everything.features.key)


def test_iterative_scaling_meets_l_bfgs():
    data, counts = small_data(FAMILIES["lexical"] | FAMILIES["sib"])
    best, likelihood = maximise(data, counts, 0.2, 500, 1, tolerance=1e-14)
    scaled, again = scale_iteratively(data, counts, 0.2, 1000, tolerance=1e-6)
    np.testing.assert_allclose(scaled, best, atol=2e-4)
    assert again == pytest.approx(likelihood, abs=1e-5)
    # at the maximum, expected and real counts differ by λ / σ²
    with ThreadPoolExecutor(1) as pool:
        _, expected = log_likelihood(data, best, pool)
    np.testing.assert_allclose(counts - expected, best / 0.2, atol=1e-4)


def parts_of(data):
    """The part of the outcome that each feature is about, by its template."""
    return PART[np.repeat(data.features.key, np.diff(data.features.begin)) >> TEMPLATE_BITS]


def test_every_part_of_the_outcome_has_a_variance_of_its_own():
    # whatever the variances, at the maximum expected and real counts differ by λ / σ²
    data, counts = small_data(FAMILIES["lexical"] | FAMILIES["tags"])
    plan = ParseSettings(
        jump_variance=0.02, translation_variance=3.0, variance=0.2, tag_variance=0.5
    )
    best, _ = maximise(data, counts, variances(data.features.column, plan), 500, 1, tolerance=1e-14)
    _, expected = slow_likelihood(data, best)
    by_hand = {J: 0.02, T: 3.0, W: 0.2, G: 0.5}
    for part, variance in by_hand.items():
        own = parts_of(data) == part
        assert own.sum() >= 15
        assert np.abs(best[own]).max() > 0.01
        np.testing.assert_allclose((counts - expected)[own] * variance, best[own], atol=1e-4)
    scaled, _ = scale_iteratively(
        data, counts, variances(data.features.column, plan), 1000, tolerance=1e-6
    )
    np.testing.assert_allclose(scaled, best, atol=2e-3)


def test_one_variance_for_jumps_and_translations_unless_they_have_their_own():
    data, _ = small_data()
    for settings, by_hand in (
        ({"variance": 0.7}, {J: 0.7, T: 0.7, W: 0.7, G: 0.3}),
        ({"jump_variance": 2.0}, {J: 2.0, T: 1.0, W: 1.0, G: 0.3}),
        ({"translation_variance": 2.0}, {J: 1.0, T: 2.0, W: 1.0, G: 0.3}),
    ):
        found = variances(data.features.column, ParseSettings(**settings))
        assert found.tolist() == [by_hand[part] for part in parts_of(data)]


def test_the_number_of_threads_changes_nothing():
    data, counts = small_data(repeat=3)
    one, two = (maximise(data, counts, 1.0, 20, threads)[0] for threads in (1, 2))
    assert np.array_equal(one, two)
