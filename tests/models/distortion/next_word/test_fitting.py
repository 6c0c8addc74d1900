from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from hyperbaton.foundation.errors import SettingError
from hyperbaton.foundation.work.workers import Crew, Threads
from hyperbaton.models.distortion.next_word import blocks, fitting
from hyperbaton.models.distortion.next_word.blocks import Blocks
from hyperbaton.models.distortion.next_word.events import find_events, usable_sentences
from hyperbaton.models.distortion.next_word.fitting import (
    Means,
    WordPairSettings,
    split_held_out,
    spread,
    train_word_pairs,
)
from hyperbaton.models.distortion.next_word.lanes import LANES, Lanes
from hyperbaton.models.distortion.next_word.likelihood import STEP_SIZES, Likelihood, adagrad
from hyperbaton.models.distortion.next_word.scores import PAIR, SEQUENCE
from hyperbaton.models.distortion.next_word.symbols import SymbolCoder
from hyperbaton.models.distortion.next_word.word_pairs import Pair
from hyperbaton.models.learning import l_bfgs
from hyperbaton.models.learning.l_bfgs import (
    STRONGEST,
    WEAKEST,
    Fit,
    fit_weights,
    search_prior,
)
from tests.models.distortion.next_word.corpora import tagged_corpus
from tests.models.distortion.next_word.test_likelihood import EXAMPLES, setup
from tests.refusals import refusals, refused


class Quadratic:
    """Minus a log likelihood whose best weights are known: Σ h/2 (w − best)²."""

    n_events = 1

    def __init__(self, steepness, best):
        self.steepness, self.best = np.array(steepness)[:, None], np.array(best)[:, None]

    def value(self, weights):
        return float((self.steepness / 2 * (weights - self.best) ** 2).sum())

    def value_and_gradient(self, weights):
        return self.value(weights), self.steepness * (weights - self.best)

    def curvature(self, weights):
        return np.broadcast_to(self.steepness, weights.shape)


class Unscaled(Quadratic):
    """Does not know its curvature."""

    def curvature(self, weights):
        return np.ones_like(weights)


def test_a_quadratic_is_solved_in_a_few_passes_however_uneven_it_is():
    # w = h · best / (h + λ); the last row stands for features that do not exist
    steepness, best = np.logspace(-3, 5, 30), np.linspace(2, 4, 30)
    best[-1] = 0.0
    counted = []
    scaled, unscaled = (
        fit_weights(
            make(steepness, best), np.zeros((30, 1)), 0.5, 20, counted.append, tolerance=1e-12
        )
        for make in (Quadratic, Unscaled)
    )
    assert scaled.weights[:, 0] == pytest.approx(steepness * best / (steepness + 0.5))
    value = (steepness * 0.5 / (steepness + 0.5) / 2 * best**2).sum()
    assert scaled.value == pytest.approx(value)
    assert unscaled.value > 2 * value  # with as many passes L-BFGS by itself is far away
    passes = [*range(1, scaled.n_passes + 1), *range(1, unscaled.n_passes + 1)]
    assert counted == passes


class Pulls:
    """Blocks that pull at one weight each, wherever it is; the last row means nothing."""

    labels, mean_length = PAIR, 8.0

    def __init__(self, *gradients):
        self.gradients, self.n_blocks = gradients, len(gradients)
        self.orders = []

    def n_visits(self):
        return np.array([2, 1, 0])

    def descend(self, weights, squares, share, step, order):
        self.orders.append(order.tolist())
        for lane, of_lane in enumerate(squares):
            learned = weights.copy()
            for number in order[order % 2 == lane]:
                row, pull = self.gradients[number]
                g = pull + share[row] * learned[row]
                of_lane[row] += g**2
                learned[row] -= step * g / np.sqrt(of_lane[row])
            yield learned


def test_passes_of_adagrad_by_hand():
    # the first weight is pulled by both lanes, the second by one: −η g / √(1 + g²)
    likelihood, start = Pulls((0, -3.0), (0, -1.0), (1, 4.0)), np.array([[0.0], [0.0], [0.0]])
    step = STEP_SIZES[PAIR] / 8
    first = step * np.array([3 / np.sqrt(10), 1 / np.sqrt(2), -4 / np.sqrt(17)])
    mean = (9 * first[0] + 1 * first[1]) / 10  # lanes count by their squares
    assert adagrad(likelihood, start, 0.0, 1)[:, 0] == pytest.approx([mean, first[2], 0.0])
    # the second pass of two goes on from the mean, with half the step and the squares of each lane
    second = mean + step / 2 * np.array([3 / np.sqrt(19), 1 / np.sqrt(3)])
    weights = adagrad(likelihood, start, 0.0, 2)
    assert weights[0, 0] == pytest.approx((18 * second[0] + 2 * second[1]) / 20)
    assert likelihood.orders[0] == likelihood.orders[1]  # the first passes of both
    assert sorted(likelihood.orders[2]) == [0, 1, 2]
    # half of a prior of 4 at each visit pulls 5 back by 10, which makes 7 of −3
    weights = adagrad(Pulls((0, -3.0)), np.array([[5.0], [6.0], [0.0]]), 4.0, 1)
    assert weights[0, 0] == pytest.approx(5 - step * 7 / np.sqrt(50))
    assert weights[1:, 0].tolist() == [6.0, 0.0]  # as they were


@pytest.mark.parametrize(
    ("wanted", "tried"),
    [
        (1.0, [16, 8, 4]),  # a half of what the training events want: λ = h
        (1.7, [16, 8, 4, 2, 1, 0.5]),
        (0.1, [16, 8, 32, 64, 128, 256]),
    ],
)
def test_the_prior_is_the_best_one_on_held_out_events(wanted, tried):
    train, held_out = Quadratic([8.0, 1.0], [2.0, 0.0]), Quadratic([8.0, 1.0], [wanted, 0.0])
    best, trials, weights = search_prior(train, held_out, np.zeros((2, 1)), 16.0, passes=10)
    assert [trial.prior for trial in trials] == tried
    learned = [2 * 8 / (8 + trial.prior) for trial in trials]  # h (w − best) + λ w = 0
    expected = [-4 * (w - wanted) ** 2 for w in learned]
    assert [trial.held_out for trial in trials] == pytest.approx(expected, abs=1e-6)
    assert best == max(trials, key=lambda trial: trial.held_out)
    assert weights[:, 0] == pytest.approx([2 * 8 / (8 + best.prior), 0.0])


def test_of_equally_good_priors_the_usual_one_is_taken():
    train, indifferent = Quadratic([8.0, 1.0], [2.0, 0.0]), Quadratic([0.0, 0.0], [0.0, 0.0])
    best, trials, _ = search_prior(train, indifferent, np.zeros((2, 1)), 64.0, passes=10)
    assert best.prior == 64.0
    assert [trial.prior for trial in trials] == [64.0, 32.0, 128.0]


def test_priors_are_tried_up_to_the_weakest_and_the_strongest():
    train, none = Quadratic([8.0, 1.0], [2.0, 0.0]), Quadratic([8.0, 1.0], [0.0, 0.0])
    best, trials, _ = search_prior(train, train, np.zeros((2, 1)), 2.0, passes=10)
    assert best.prior == WEAKEST
    assert [trial.prior for trial in trials] == [2.0, 1.0, 0.5, WEAKEST]
    best, trials, _ = search_prior(train, none, np.zeros((2, 1)), 256.0, passes=10)
    assert best.prior == STRONGEST
    assert [trial.prior for trial in trials] == [256.0, 128.0, 512.0, STRONGEST]


def test_a_search_starts_where_the_last_two_fits_point_to(monkeypatch):
    fits = iter([[1.0, 1.0], [4.0, 2.0], [8.0, 1.0], [0.0, 0.0]])
    seen = []

    def note(_likelihood, start, prior, passes, _report):
        seen.append((prior, start[:, 0].tolist(), passes))
        return Fit(np.array(next(fits))[:, None], 0.0, np.zeros(2), passes, np.zeros(0))

    monkeypatch.setattr(l_bfgs, "fit_weights", note)
    held_out = Quadratic([1.0, 0.0], [8.0, 0.0])  # only 8 is best
    start = np.array([[0.5], [0.25]])
    best, _, weights = search_prior(held_out, held_out, start, 4.0, passes=3)
    assert seen == [
        (4.0, [0.5, 0.25], 6),
        (2.0, [1.0, 1.0], 3),
        (1.0, [4.0 + 3.0, 2.0 + 1.0], 3),
        (0.5, [8.0 + 4.0, 1.0 - 1.0], 3),
    ]
    assert best.prior == 1.0
    assert weights[:, 0].tolist() == [8.0, 1.0]
    assert start[:, 0].tolist() == [0.5, 0.25]


@pytest.mark.parametrize("labels", [PAIR, SEQUENCE])
def test_the_optimum_of_training(labels):
    likelihood, weights, _ = setup(EXAMPLES, labels)
    fit = fit_weights(likelihood, np.zeros_like(weights), 2.0, 1000, tolerance=1e-13)
    value, gradient = likelihood.value_and_gradient(fit.weights)
    assert (gradient + 2.0 * fit.weights)[:-1] == pytest.approx(0.0, abs=2e-3)
    assert fit.value * likelihood.n_events == pytest.approx(
        value + (fit.weights**2).sum(), rel=1e-9
    )
    again = fit_weights(likelihood, weights, 2.0, 1000, tolerance=1e-13)
    assert again.weights == pytest.approx(fit.weights, abs=1e-3)  # it is convex


@pytest.mark.parametrize("labels", [PAIR, SEQUENCE])
def test_a_start_changes_how_soon_the_optimum_is_found_and_not_the_optimum(labels, monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_PAIRS", 60)
    likelihood, weights, _ = setup(EXAMPLES * 3, labels)
    assert likelihood.n_blocks > LANES
    zero = np.zeros_like(weights)

    def objective(weights):
        return likelihood.value(weights) + (weights**2).sum()

    started = [objective(adagrad(likelihood, zero, 2.0, passes)) for passes in (1, 4, 16)]
    assert objective(zero) > started[0] > started[1] > started[2]
    plain, early = (
        fit_weights(likelihood, start, 2.0, 1000, tolerance=1e-13)
        for start in (zero, adagrad(likelihood, zero, 2.0, 4))
    )
    assert early.weights == pytest.approx(plain.weights, abs=2e-3)
    assert started[2] > objective(plain.weights)


@pytest.mark.parametrize("start_passes", [0, 2])
@pytest.mark.parametrize("labels", [PAIR, SEQUENCE])
def test_training_does_not_depend_on_threads(labels, start_passes):
    corpus = tagged_corpus(EXAMPLES * 3)
    seen = []
    fits = [
        train_word_pairs(
            corpus,
            SymbolCoder.of(corpus),
            labels,
            WordPairSettings(passes=8, start_passes=start_passes),
            Means(threads, lambda what, done: seen.append((what, done))),
        )
        for threads in (1, 2, 3)
    ]
    assert all(np.array_equal(fit.weights, fits[0].weights) for fit in fits)
    assert fits[0].trials  # a tenth of 72 sentences is enough for a search
    assert fits[0].prior == max(fits[0].trials, key=lambda trial: trial.held_out).prior
    assert [trial.prior for trial in fits[0].trials[:2]] == {1: [16, 8], 3: [128, 64]}[labels]
    assert {what for what, _ in seen} == {
        "selecting features",
        "searching for a prior, passes",
        "fitting weights, passes",
        *(["fitting weights by AdaGrad, passes"] if start_passes else []),
    }
    searching = [done for what, done in seen if what.startswith("searching")]
    assert searching == 3 * list(range(1, len(searching) // 3 + 1))


@pytest.mark.parametrize(
    ("labels", "given", "expected"),
    [
        (SEQUENCE, {}, (4, 0)),
        (PAIR, {}, (2, 0)),
        (PAIR, {"passes": 2, "start_passes": 1}, (1, 2)),
        (SEQUENCE, {"passes": 3, "start_passes": 0}, (0, 3)),
        (SEQUENCE, {"passes": 3, "start_passes": 1}, (1, 3)),
    ],
)
def test_passes_over_much_data(labels, given, expected, monkeypatch):
    corpus = tagged_corpus(EXAMPLES)
    monkeypatch.setattr(fitting, "MUCH", len(corpus))
    seen = Counter()
    settings, means = (
        WordPairSettings(prior=3.0, **given),
        Means(progress=lambda what, _: seen.update([what])),
    )
    fit = train_word_pairs(corpus, SymbolCoder.of(corpus), labels, settings, means)
    by_adagrad, by_l_bfgs = (
        seen["fitting weights by AdaGrad, passes"],
        seen["fitting weights, passes"],
    )
    # L-BFGS may finish a search along a line
    assert by_adagrad == expected[0]
    assert expected[1] <= by_l_bfgs <= expected[1] + bool(expected[1])
    assert fit.n_passes == by_adagrad + by_l_bfgs
    monkeypatch.setattr(fitting, "MUCH", len(corpus) + 1)
    few, two = (
        train_word_pairs(corpus, SymbolCoder.of(corpus), labels, replace(settings, start_passes=n))
        for n in (-1, 2)
    )
    assert np.array_equal(few.weights, two.weights)  # two of AdaGrad, then L-BFGS


@pytest.mark.parametrize("labels", [PAIR, SEQUENCE])
def test_adagrad_does_not_begin_with_the_weights_of_the_search(labels, monkeypatch):
    corpus = tagged_corpus(EXAMPLES * 3)
    monkeypatch.setattr(fitting, "MUCH", len(corpus))
    settings, coder = WordPairSettings(), SymbolCoder.of(corpus)
    found = train_word_pairs(corpus, coder, labels, settings)
    assert len(found.trials) > 1
    given = train_word_pairs(corpus, coder, labels, replace(settings, prior=found.prior))
    assert np.array_equal(found.weights, given.weights)


def test_a_given_prior_is_not_searched_for():
    corpus = tagged_corpus(EXAMPLES)
    coder = SymbolCoder.of(corpus)
    fit = train_word_pairs(corpus, coder, PAIR, WordPairSettings(prior=3.0, passes=2))
    assert (fit.prior, fit.trials) == (3.0, [])
    few = corpus.take(np.arange(4))
    fit = train_word_pairs(few, coder, PAIR, WordPairSettings(passes=2))
    assert (fit.prior, fit.trials) == (16.0, [])  # too little data


def test_the_prior_is_chosen_on_sentences_that_were_not_trained_on():
    """Every tenth sentence, which is held out, has the other order of words: what the rest teaches
    is wrong there, so the stronger the prior, the better."""
    straight, turned = [(k, k) for k in range(4)], [(k, 3 - k) for k in range(4)]
    corpus = tagged_corpus(
        [
            (list("abcd"), list("ABCD"), straight if number % 10 else turned, list("NVNV"))
            for number in range(60)
        ]
    )
    fit = train_word_pairs(corpus, SymbolCoder.of(corpus), PAIR, WordPairSettings(passes=2))
    assert fit.prior == STRONGEST
    uniform = -(np.log(5) + 4 * np.log(4)) / 5  # from the beginning, and from each of four words
    first, weaker, *_, strongest = (trial.held_out for trial in fit.trials)
    assert weaker < first < strongest < uniform


def test_what_is_held_out_is_no_part_of_what_is_trained_on(monkeypatch):
    seen = []

    def note(train, held_out, start, usual, *others):
        seen.append((train.n_events, held_out.n_events))
        assert np.array_equal(start, adagrad(train, np.zeros_like(start), usual, 2))
        return search_prior(train, held_out, start, usual, *others)

    monkeypatch.setattr(fitting, "search_prior", note)
    # held-out sentences have two words, so three moves; the others one word and two
    links = [(0, 0), (1, 1)]
    corpus = tagged_corpus(
        [
            (list("a"), list("A"), links[:1], list("N"))
            if number % 10
            else (list("ab"), list("AB"), links, list("NV"))
            for number in range(60)
        ]
    )
    train_word_pairs(corpus, SymbolCoder.of(corpus), PAIR, WordPairSettings(passes=2))
    assert seen == [(54 * 2, 6 * 3)]


@pytest.mark.parametrize(("n_sentences", "searched"), [(50, True), (49, False)])
def test_five_sentences_are_enough_to_choose_a_prior(n_sentences, searched):
    corpus = tagged_corpus(EXAMPLES * 20).take(np.arange(n_sentences))
    fit = train_word_pairs(corpus, SymbolCoder.of(corpus), PAIR, WordPairSettings(passes=2))
    assert bool(fit.trials) == searched


def test_fitting_goes_on_where_the_search_for_a_prior_has_ended():
    corpus = tagged_corpus(EXAMPLES * 20)
    coder = SymbolCoder.of(corpus)
    searched = train_word_pairs(corpus, coder, PAIR, WordPairSettings(passes=1))
    settings = WordPairSettings(passes=1, prior=searched.prior)
    from_nothing = train_word_pairs(corpus, coder, PAIR, settings)
    made = Blocks(coder.corpus(corpus), find_events(corpus), searched.index, kept_bytes=1 << 30)
    likelihood = Likelihood(Lanes(made, PAIR, open_only=False), Crew(Threads(1)), 0)
    objective = [
        likelihood.value(fit.weights) + searched.prior / 2 * (fit.weights**2).sum()
        for fit in (searched, from_nothing)
    ]
    assert objective[0] < objective[1]


def test_held_out_sentences_are_spread_evenly():
    searched, held_out = split_held_out(100)
    assert held_out.tolist() == list(range(0, 100, 10))
    assert sorted([*searched, *held_out]) == list(range(100))
    searched, held_out = split_held_out(100_000)
    assert (len(searched), len(held_out)) == (99_500, 500)
    assert not set(searched) & set(held_out)
    assert held_out[-1] == 99_800
    assert spread(np.arange(3), 5).tolist() == [0, 1, 2]


def test_which_sentences_are_used():
    corpus = tagged_corpus(
        [*EXAMPLES[:2], (["a"], ["A"], [], ["N"]), (["b"], ["B"], [(0, 0)], ["V"])]
    )
    assert usable_sentences(corpus, 0, 0, "pair").source.words.lengths.tolist() == [8, 4, 1]
    assert usable_sentences(corpus, 2, 4, "pair").source.words.lengths.tolist() == [4, 1]
    assert usable_sentences(corpus, 1, 7, "pair").source.words.lengths.tolist() == [4]
    unlinked = corpus.take(np.array([2]))
    refused("at most 40 words", lambda: usable_sentences(unlinked, 0, 40, "pair"))
    facts = "pair has nothing to learn from … none of 1 pairs has links … hyperbaton corpus"
    refused(facts, lambda: usable_sentences(unlinked, 0, 0, "pair"))


@refusals(
    ({"order": "desc"}, "'desc'"),
    ({"candidates": "opn"}, "pair.candidates: 'opn' … did you mean open"),
    ({"prior": -1.0}, "pair.prior: -1.0 … 0 or more"),
    ({"min_count": 0}, "pair.min_count: 0 … 1 or more"),
    ({"passes": 0}, "pair.passes: 0 … 1 or more"),
    ({"start_passes": -2}, "pair.start_passes: -2 … -1 or more"),
    ({"max_length": -1}, "pair.max_length: -1 … 0 or more"),
    ({"max_sentences": -1}, "pair.max_sentences: -1 … 0 or more"),
    error=SettingError,
)
def test_impossible_settings(settings):
    Pair(**settings).check_settings()
