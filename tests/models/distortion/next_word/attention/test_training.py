"""Learning: batches, rates and steps by hand; what is learned; what it must not depend on."""

from math import cos, pi, sqrt

import numpy as np
import pytest

from hyperbaton.models.distortion.next_word.attention import training
from hyperbaton.models.distortion.next_word.attention.gradients import Moves, log_probability
from hyperbaton.models.distortion.next_word.attention.network import Network, new_network
from hyperbaton.models.distortion.next_word.attention.places import (
    BEGIN_ROW,
    END_ROW,
    FIRST_ROW,
    UNKNOWN_ROW,
    Places,
    rows_of_words,
)
from hyperbaton.models.distortion.next_word.attention.training import (
    TrainingSettings,
    train_network,
)
from hyperbaton.models.distortion.next_word.events import find_events
from tests.models.phrases.corpora import corpus_of

SETTINGS = TrainingSettings(size=16, layers=1, passes=6, rate=0.01, dropout=0.1, forget=0.1, seed=3)


def verb_final_corpus(n=300, seed=0):
    """The last word v is translated second, wherever it is; the words before it keep their
    order."""
    random = np.random.default_rng(seed)
    pairs = []
    for _ in range(n):
        others = random.choice(list("abcdefg"), random.integers(1, 8)).tolist()
        size = len(others)
        order = [0, size, *range(1, size)]
        links = [(source, target) for target, source in enumerate(order)]
        pairs.append(([*others, "v"], [str(place) for place in order], links))
    return corpus_of(pairs)


def places_of(corpus):
    words = corpus.source.words
    counts = np.bincount(words.values, minlength=len(corpus.source.vocabulary))
    rows = rows_of_words(counts, 1)
    symbols = np.zeros(len(words.values), np.int32)
    return Places(rows[words.values], symbols, words.offsets, int(rows.max()) + 1, 3,
                  find_events(corpus))  # fmt: skip


def learned(threads=1, held_out=40, settings=SETTINGS):
    places = places_of(verb_final_corpus())
    every = np.arange(len(places.lengths))
    return train_network(places, every[held_out:], every[:held_out], settings, threads)


def test_rows_of_words():
    assert rows_of_words(np.array([5, 1, 3, 2]), 3).tolist() == [
        FIRST_ROW, UNKNOWN_ROW, FIRST_ROW + 1, UNKNOWN_ROW
    ]  # fmt: skip


def test_moves_of_sentences_with_their_ends():
    places = places_of(verb_final_corpus())
    number = int(np.flatnonzero(places.lengths == 3)[0])  # two words and v
    moves = places.moves(np.array([number]))
    row = places.words[places.offsets[number] : places.offsets[number + 1]].tolist()
    assert moves.words.tolist() == [[BEGIN_ROW, *row, END_ROW]]
    # from BOS to the first word, to v, back to the second word, and to EOS
    made = {tuple(place) for place in np.argwhere(moves.counts[0]).tolist()}
    assert made == {(0, 1), (1, 3), (3, 2), (2, 4)}
    assert places.n_moves(np.array([number])) == 4


def test_batches_have_equal_lengths_and_every_sentence_once(monkeypatch):
    monkeypatch.setattr(training, "SMALLEST", 40)
    places = places_of(verb_final_corpus())
    rows = np.arange(20, 300)
    batches = training._batches(places, rows, np.random.default_rng(0))
    assert sorted(np.concatenate(batches).tolist()) == rows.tolist()
    for batch in batches:
        lengths = places.lengths[batch]
        assert len(set(lengths.tolist())) == 1
        assert len(batch) == 1 or len(batch) * (lengths[0] + 2) <= 40
    assert max(map(len, batches)) > 1
    lanes = list(training._in_lanes(batches, np.random.default_rng(0)))
    assert {len(lane) for lane in lanes[:-1]} == {training.LANES}
    assert sum(map(len, lanes)) == len(batches)


def test_the_rate_grows_and_falls():
    rates = [training._rate(number, 1000) for number in range(1000)]
    assert rates[0] == pytest.approx(0.01)  # a hundredth of the way up
    assert rates[49] == pytest.approx(0.5 * (1 + cos(pi * 49 / 1000)) / 2)
    assert rates[500] == pytest.approx(0.5)
    assert rates[999] < 1e-5
    assert training._rate(0, 1) == 1.0  # a single step


def test_a_step_of_adamw_by_hand():
    network = new_network(3, 3, 4, 1, np.random.default_rng(0))
    zeros = Network(*(np.zeros_like(part) for part in network))
    by_words = np.zeros((3, 4), np.float32)  # of the places of one sentence: rows 1, 2, 1
    by_words[0, 0], by_words[2, 0] = 1.0, 2.0
    far = zeros.far.copy()
    far[5] = -4.0
    gradient = zeros._replace(words=by_words, far=far)
    counts = np.ones((1, 3, 3), np.float32)  # nine moves
    words = np.array([[1, 2, 1]], np.int32)
    before = network.words.copy(), network.far.copy()
    steps = training._Steps(network)
    steps.take([(Moves(words, words, counts), gradient)], 0.1)
    # (3, −4) has length 5, divided by nine moves 5 / 9: it need not be shortened
    for slope, found, start, decay in (
        (3 / 9, network.words[1, 0], before[0][1, 0], training.DECAY),
        (-4 / 9, network.far[5], before[1][5], 0.0),
    ):
        # at the first step the averages, corrected for their start, are the gradient itself
        mean, square = 0.1 * slope, 0.02 * slope**2
        rate = 0.1 * sqrt(0.02) / 0.1
        change = rate * mean / (sqrt(square) + 1e-8) + rate * decay * start
        assert found == pytest.approx(start - change, rel=1e-5)
        assert abs(change) == pytest.approx(0.1, rel=0.05)
    assert network.words[0].tolist() == before[0][0].tolist()  # not in the batch


def test_long_gradients_are_shortened():
    network = new_network(3, 3, 4, 1, np.random.default_rng(0))
    zeros = Network(*(np.zeros_like(part) for part in network))
    far = zeros.far.copy()
    far[5], far[6] = 30.0, 40.0
    gradient = zeros._replace(words=np.zeros((3, 4), np.float32), far=far)
    moves = Moves(np.zeros((1, 3), np.int32), np.zeros((1, 3), np.int32), np.ones((1, 1, 1)))
    steps = training._Steps(network)
    steps.take([(moves, gradient)], 0.1)
    assert steps.first.far[5:7] == pytest.approx([0.1 * 0.6, 0.1 * 0.8])


def test_it_learns_where_the_verb_goes(monkeypatch):
    monkeypatch.setattr(training, "SMALLEST", 100)
    network, tests = learned(settings=TrainingSettings(**{**vars(SETTINGS), "passes": 40}))
    # moves that are certain; −1.5 for equal probabilities
    assert tests[-1] > -0.15
    assert tests[-1] > tests[0] + 0.5
    places, rows = places_of(verb_final_corpus()), np.arange(40)
    runs = [rows[places.lengths[rows] == n] for n in range(2, 9)]
    log_p = sum(log_probability(network, places.moves(run)) for run in runs if len(run))
    assert log_p / places.n_moves(rows) == pytest.approx(max(tests), rel=1e-4)


def test_the_best_pass_is_kept(monkeypatch):
    seen, results = [], iter([-3.0, -1.0, -2.0, -1.5])

    def tested(network, *_):
        seen.append(network.query.copy())
        return next(results)

    monkeypatch.setattr(training, "held_out_log_p", tested)
    network, tests = learned(settings=TrainingSettings(**{**vars(SETTINGS), "passes": 4}))
    assert tests == [-3.0, -1.0, -2.0, -1.5]
    assert np.array_equal(network.query, seen[1])
    assert not np.array_equal(network.query, seen[3])


def test_threads_do_not_matter_but_the_seed_does():
    one, two = learned(1)[0], learned(3)[0]
    for first, second in zip(one, two, strict=True):
        assert np.array_equal(first, second)
    other, _ = learned(settings=TrainingSettings(**{**vars(SETTINGS), "seed": 4}))
    assert not np.array_equal(one.query, other.query)


def test_without_held_out_sentences_the_last_pass_is_kept():
    network, tests = learned(held_out=0)
    assert tests == []
    assert all(np.isfinite(part).all() for part in network)
