"""What models estimate of the rest: it steers the search but never becomes part of a score."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.decode import Decoder, SearchSettings
from hyperbaton.decoder.explanation import explain
from hyperbaton.decoder.search_space import (
    best_futures,
    estimates_options,
    future_scores,
    jump_estimates,
)
from hyperbaton.foundation.coverage import unpack_coverage
from hyperbaton.models.distortion.gaps import Gaps, GapScorer
from hyperbaton.models.distortion.interface import DistortionModel, OptionTable
from hyperbaton.models.distortion.linear import Linear
from hyperbaton.models.distortion.tables import TableScorer
from hyperbaton.models.system.folder import default_weights
from tests.decoder import oracles
from tests.decoder.systems import HAND, hand_translator, make_system, systems

SEEDS = st.integers(0, 1000)


class NoisyGapScorer(GapScorer):
    """Gaps, with nonsense as estimates."""

    seed = 0

    def option_estimate(self, n_options):
        return np.random.default_rng(self.seed).normal(0, 5, (n_options, 1))


class NoisyTableScorer(TableScorer):
    seed = 0

    def option_estimate(self, n_options):
        return np.random.default_rng(self.seed).normal(0, 5, (n_options, 1))


class Noisy(DistortionModel):
    """Gaps or linear distortion, with nonsense as estimates."""

    def __init__(self, seed, table):
        self.seed, self.table = seed, table
        self.name = "linear" if table else "gaps"

    @property
    def feature_names(self):
        return (self.name,)

    def settings(self):
        return {"seed": self.seed, "table": self.table}

    def prepare(self, sentence, options):
        if self.table:
            scorer = NoisyTableScorer(1, Linear().prepare(sentence, options).tables)
        else:
            scorer = NoisyGapScorer(options)
        scorer.seed = self.seed
        return scorer


@given(systems(max_words=4), SEEDS, st.sampled_from([1, 2, -1]))
def test_estimates_do_not_leak_into_exhaustive_results(system, seed, limit):
    table, lm, _, weights, words = system
    weights = weights | {"gaps": -0.4}
    search = SearchSettings(pop_limit=0, stack_size=0, options=3, distortion_limit=limit)
    sentence = Sentence(tuple(words))
    plain = Decoder(table, lm, [Linear()], weights, search)
    noisy = Decoder(table, lm, [Noisy(seed, table=True)], weights, search)
    expected = plain.decode(sentence, n_best=10_000)
    found = noisy.decode(sentence, n_best=10_000)
    np.testing.assert_allclose(found.scores, expected.scores, atol=1e-9)
    both = Decoder(table, lm, [Linear(), Noisy(seed, table=False)], weights, search)
    decoded = both.decode(sentence, n_best=10_000)
    assert len(decoded) == len(expected)
    for decoder, every in ((noisy, found), (both, decoded)):  # nor into what is best at the end
        assert decoder.decode(sentence).scores[0] == pytest.approx(every.scores[0], abs=1e-9)
    own = np.array([weights[name] for name in both.feature_names])
    np.testing.assert_allclose(decoded.features() @ own, decoded.scores, atol=1e-5)


@given(systems(max_words=6), SEEDS)
def test_scores_of_a_pruned_search_are_sums_of_features(system, seed):
    table, lm, _, weights, words = system
    weights = weights | {"gaps": -0.4}
    models = [Noisy(seed, table=True), Noisy(seed + 1, table=False)]
    decoder = Decoder(table, lm, models, weights, SearchSettings(pop_limit=5, stack_size=3))
    decoded = decoder.decode(Sentence(tuple(words)), n_best=5)
    own = np.array([weights[name] for name in decoder.feature_names])
    np.testing.assert_allclose(decoded.features() @ own, decoded.scores, atol=1e-5)


class Leaning(DistortionModel):
    """Scores nothing, and expects the end of the sentence to cost much as long as it is left."""

    name = "leaning"
    feature_names = ("leaning",)

    def settings(self):
        return {}

    def prepare(self, sentence, options):  # noqa: ARG002
        class Scorer(GapScorer):
            def features(self, steps):
                return np.zeros((len(steps.option), 1))

            def option_estimate(self, n_options):  # noqa: ARG002
                return (options.end == options.n_words)[:, None] * -100.0

        return Scorer(options)


def test_estimates_decide_what_is_pruned():
    search = SearchSettings(stack_size=1, distortion_limit=-1)

    def first_span(*models):
        translator = hand_translator(*models, search=search, leaning=1.0)
        decoded = translator.decode("kare wa hon o katta")
        own = [translator.weights[name] for name in decoded.feature_names]
        assert decoded.features()[0] @ own == pytest.approx(decoded.scores[0])
        return decoded.spans()[0]

    assert first_span(Linear())[0] == 0
    assert first_span(Linear(), Leaning())[1] == 5


def test_explanations_have_the_estimates_of_the_search():
    search = SearchSettings(distortion_limit=-1)
    translator = hand_translator(Linear(), Leaning(), search=search, leaning=0.0)
    decoded = translator.decode("kare wa hon o katta")
    without = explain(translator, decoded)
    leaning = explain(translator.with_weights({"leaning": 2.0}), decoded)
    covered, n_leaning = set(), 0
    for step, other in zip(leaning.steps, without.steps, strict=True):
        futures = {(a.source, a.target_words): a.future for a in other.alternatives}
        for alternative in step.alternatives:
            after = covered | set(range(*alternative.source))
            leans = 4 not in after
            n_leaning += leans
            key = alternative.source, alternative.target_words
            if key in futures:
                assert alternative.future == pytest.approx(futures[key] - 200 * leans)
        covered |= set(range(*step.source))
    assert n_leaning > 0


def test_models_without_estimates_are_not_asked():
    [scorer] = hand_translator().decode("hon o").scorers
    assert not estimates_options(scorer)


def test_option_estimates_enter_the_future_of_spans():
    table, lm = make_system(HAND)
    decoder = Decoder(table, lm, [], default_weights(""))
    options = decoder.decode(Sentence.parse("kare wa hon o katta")).options
    scores = options.options["base"] + options.options["estimate"]
    some = np.random.default_rng(5).normal(0, 3, len(scores))
    spans = options.spans[["start", "end"]][:-1].tolist()
    for estimates in (np.empty(0), some):
        totals = scores + (estimates if len(estimates) else 0.0)
        best = [totals[first:last].max() for first, last in pairwise(options.spans["option"])]
        expected = np.full((6, 6), -np.inf)
        for start in range(5, -1, -1):  # the best ways to cut start:end into spans
            expected[start, start] = 0.0
            for (first, middle), score in zip(spans, best, strict=True):
                if first == start:
                    expected[start] = np.maximum(expected[start], score + expected[middle])
        found = future_scores(5, options.spans, options.options, estimates)
        np.testing.assert_allclose(found, expected)


def test_option_estimates_of_several_models_are_added():
    table, lm = make_system(HAND)
    sentence = Sentence.parse("kare wa hon o katta")
    options = Decoder(table, lm, [], default_weights("")).decode(sentence).options
    scorers = [Noisy(seed, table=True).prepare(sentence, options.table) for seed in (1, 2)]
    scorers.insert(1, Linear().prepare(sentence, options.table))  # estimates nothing
    weights = [np.array([weight]) for weight in (0.5, 7.0, -2.0)]
    n_options = len(options.table)
    total = 0.5 * scorers[0].option_estimate(n_options)[:, 0]
    total -= 2.0 * scorers[2].option_estimate(n_options)[:, 0]
    np.testing.assert_allclose(
        best_futures(options, scorers, weights),
        future_scores(5, options.spans, options.options, total),
    )


@given(systems(max_words=6), st.sampled_from([2, -1]))
def test_the_search_expects_what_is_left_of_words_and_jumps(system, limit):
    table, lm, _, weights, words = system
    search = SearchSettings(distortion_limit=limit, options=3, lattice=True)
    decoded = Decoder(table, lm, [Linear()], weights, search).decode(Sentence(tuple(words)))
    lattice, options = decoded.lattice, decoded.options.table
    left_over = oracles.estimates(
        len(words), oracles.options_of(words, table, lm, weights, 3), table, lm, weights
    )
    for node, option in zip(lattice.arc_to, lattice.arc_option, strict=True):
        covered = set(np.flatnonzero(unpack_coverage(lattice.coverage[[node]], len(words))[0]))
        expected = left_over(covered, options.end[option])
        assert lattice.future[node] == pytest.approx(expected, abs=1e-5)


def test_jumps_to_come_are_charged_in_advance():
    """Taking the last word first is as good as any order, until the way back counts."""
    search = SearchSettings(stack_size=1, distortion_limit=-1)
    decoded = hand_translator(search=search, linear=5.0).decode("kare wa hon o katta")
    assert [start for start, *_ in decoded.spans()] == sorted(s for s, *_ in decoded.spans())


def test_jump_estimates_of_models_are_weighed_and_compared_with_the_best_way():
    class Moody(Linear):
        def prepare(self, sentence, options):
            scorer = super().prepare(sentence, options)
            values = np.array([[-1.0, -4.0], [-3.0, -2.0], [-2.0, -9.0]])
            scorer.jump_estimate = lambda weights: weights[0] * values
            scorer.jump_share = 0.25
            return scorer

    table, _ = make_system(HAND)
    options = OptionTable(2, np.array([0, 1]), np.array([1, 2]), np.array([-1, -1]), table)
    scorers = [Moody().prepare(Sentence.parse("hon o"), options), Gaps().prepare(None, options)]
    found = jump_estimates(2, scorers, [np.array([2.0]), np.array([1.0])])
    expected = np.array([[0, -4, 0], [-4, 0, 0], [-2, -14, 0], [0, 0, 0]])
    np.testing.assert_allclose(found, 0.25 * expected)
