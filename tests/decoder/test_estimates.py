"""What models estimate of the rest: it steers the search but never becomes part of a score."""

from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decoder.decode import Decoder, SearchSettings
from decoder.explanation import explain
from decoder.search_space import estimates_coverage, estimates_options, future_scores
from decoder.translator import Translator
from models.coverage import unpack_coverage
from models.data.sentence import Sentence
from models.distortion.gaps import GapScorer
from models.distortion.interface import DistortionModel
from models.distortion.linear import FarSightedScorer, Linear
from models.distortion.tables import Table, TableScorer
from models.system.folder import default_weights
from tests.decoder.systems import HAND, make_system, systems

SEEDS = st.integers(0, 1000)


def noise(coverage, state, seed):
    """Some number for each coverage and state."""
    mixed = (coverage.sum(axis=1).astype(np.int64) * 7919 + state * 31 + seed) % 997
    return (mixed / 100.0)[:, None]


class NoisyGapScorer(GapScorer):
    """Gaps, with nonsense as estimates."""

    seed = 0

    def option_estimate(self, n_options):
        return np.random.default_rng(self.seed).normal(0, 5, (n_options, 1))

    def coverage_estimate(self, coverage, state):
        return noise(coverage, state, self.seed)


class NoisyTableScorer(TableScorer):
    seed = 0

    def option_estimate(self, n_options):
        return np.random.default_rng(self.seed).normal(0, 5, (n_options, 1))

    def coverage_estimate(self, coverage, state):
        return noise(coverage, state, self.seed)


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


@settings(max_examples=30)
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
    own = np.array([weights[name] for name in both.feature_names])
    np.testing.assert_allclose(decoded.features() @ own, decoded.scores, atol=1e-5)


@settings(max_examples=30)
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
    """Scores nothing, and expects much of hypotheses that begin at the end of the sentence."""

    name = "leaning"
    feature_names = ("leaning",)

    def settings(self):
        return {}

    def prepare(self, sentence, options):  # noqa: ARG002
        class Scorer(GapScorer):
            def features(self, steps):
                return np.zeros((len(steps.option), 1))

            def coverage_estimate(self, coverage, state):  # noqa: ARG002
                last = unpack_coverage(coverage, options.n_words)[:, -1]
                return last[:, None] * 100.0

        return Scorer(options)


def test_estimates_decide_what_is_pruned():
    table, lm = make_system(HAND)
    weights = default_weights("") | {"leaning": 1.0}
    search = SearchSettings(stack_size=1, distortion_limit=-1)
    sentence = Sentence.parse("kare wa hon o katta")

    def first_span(models):
        decoded = Decoder(table, lm, models, weights, search).decode(sentence)
        own = [weights[name] for name in decoded.feature_names]
        assert decoded.features()[0] @ own == pytest.approx(decoded.scores[0])
        return decoded.spans()[0]

    assert first_span([Linear()])[0] == 0
    assert first_span([Linear(), Leaning()])[1] == len(sentence)


def test_explanations_have_the_estimates_of_the_search():
    table, lm = make_system(HAND)
    search = SearchSettings(distortion_limit=-1)
    sentence = Sentence.parse("kare wa hon o katta")
    weights = default_weights("") | {"leaning": 0.0}
    translator = Translator(table, lm, [Linear(), Leaning()], weights, search)
    decoded = translator.decode(sentence)
    without = explain(translator, decoded)
    leaning = explain(translator.with_weights({"leaning": 2.0}), decoded)
    covered, n_leaning = set(), 0
    for step, other in zip(leaning.steps, without.steps, strict=True):
        futures = {(a.source, a.target_words): a.future for a in other.alternatives}
        for alternative in step.alternatives:
            after = covered | set(range(*alternative.source))
            leans = 4 in after and len(after) < 5  # at the end nothing is left to be expected
            n_leaning += leans
            key = alternative.source, alternative.target_words
            if key in futures:
                assert alternative.future == pytest.approx(futures[key] + 200 * leans)
        covered |= set(range(*step.source))
    assert n_leaning > 0


def test_models_without_estimates_are_not_asked():
    table, lm = make_system(HAND)
    decoder = Decoder(table, lm, [Linear()], default_weights(""))
    [scorer] = decoder.decode(Sentence.parse("hon o")).scorers
    assert not estimates_coverage(scorer)
    assert not estimates_options(scorer)
    decoder = Decoder(table, lm, [Linear(future=True)], default_weights(""))
    [scorer] = decoder.decode(Sentence.parse("hon o")).scorers
    assert estimates_coverage(scorer)


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


@given(st.integers(1, 6), st.data())
def test_the_rest_of_linear_distortion_is_the_least_of_all_orders(n_words, data):
    covered = data.draw(st.lists(st.booleans(), min_size=n_words, max_size=n_words))
    ends = [0] if not any(covered) else [p + 1 for p in range(n_words) if covered[p]]
    end = data.draw(st.sampled_from(ends))
    nowhere = np.zeros(1, np.int32)
    scorer = FarSightedScorer(n_words, [Table(nowhere, nowhere, np.zeros((1, 1, 1)))])
    bits = np.array([[sum(1 << place for place in range(n_words) if covered[place])]], np.uint64)
    left = [place for place in range(n_words) if not covered[place]]

    def jumped(order):
        return sum(
            abs(place - before)
            for place, before in zip(order, [end, *(p + 1 for p in order[:-1])], strict=True)
        )

    least = min((jumped(order) for order in permutations(left)), default=0) if left else 0
    assert scorer.coverage_estimate(bits, np.array([end]))[0, 0] == -least


@settings(max_examples=20)
@given(systems(max_words=6))
def test_far_sighted_search_gives_scores_of_linear_distortion(system):
    table, lm, _, weights, words = system
    sentence = Sentence(tuple(words))
    search = SearchSettings(distortion_limit=-1, options=3)
    far = Decoder(table, lm, [Linear(future=True)], weights, search).decode(sentence)
    own = np.array([weights[name] for name in far.feature_names])
    assert far.features()[0] @ own == pytest.approx(far.scores[0], abs=1e-5)
    [[*spans]] = [far.spans()]
    ends = [0, *(end for _, end, *_ in spans[:-1])]
    jumps = [abs(start - end) for (start, *_), end in zip(spans, ends, strict=True)]
    assert far.features()[0][-1] == -sum(jumps)
