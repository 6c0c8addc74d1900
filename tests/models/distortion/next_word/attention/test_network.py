"""The network against a slow twin, and its gradient against differences."""

from math import exp, log

import numpy as np
import pytest

from hyperbaton.models.distortion.next_word.attention.gradients import (
    Moves,
    log_probability,
    loss_and_gradient,
)
from hyperbaton.models.distortion.next_word.attention.network import (
    Dropout,
    Network,
    distances,
    forward,
    new_network,
)
from tests.models.distortion.next_word.attention import slow_network

WORDS, SYMBOLS = 12, 5


def random_network(seed=0, size=8, layers=2):
    """A network of large random numbers, in double precision."""
    random = np.random.default_rng(seed)
    network = new_network(WORDS, SYMBOLS, size, layers, random)
    return Network(*(part + 0.3 * random.standard_normal(part.shape) for part in network))


def random_moves(seed=0, n_sentences=3, n_places=7):
    """Moves, with a place that is current twice and a move that is made twice."""
    random = np.random.default_rng(seed)
    counts = np.zeros((n_sentences, n_places, n_places))
    for sentence in range(n_sentences):
        for _ in range(5):
            current, following = random.integers(n_places - 1), random.integers(1, n_places)
            counts[sentence, current, following] += current != following
        counts[sentence, 0, 2:4] += 1, 2
    shape = n_sentences, n_places
    words = random.integers(WORDS, size=shape).astype(np.int32)
    return Moves(words, random.integers(SYMBOLS, size=shape).astype(np.int32), counts)


@pytest.mark.parametrize(("n_places", "layers"), [(4, 1), (7, 2), (90, 1)])
def test_the_network_by_its_formulas(n_places, layers):
    network, moves = random_network(n_places, 8, layers), random_moves(n_places, 2, n_places)
    found, _ = forward(network, moves.words, moves.symbols)
    for sentence in range(2):
        words, symbols = moves.words[sentence].tolist(), moves.symbols[sentence].tolist()
        for (i, j), score in slow_network.scores(network, words, symbols).items():
            assert found[sentence, i, j] == pytest.approx(score, rel=1e-9, abs=1e-9)


def test_classes_of_distances_by_hand():
    classes = distances(130).classes
    near = [classes[0, distance] for distance in (1, 2, 8, 9, 10, 11, 13, 14, 64, 129)]
    # 8 words are the eighth class, 16 the twelfth, 32 the sixteenth, and 64 the twentieth
    assert near == [0, 1, 7, 7, 8, 8, 9, 10, 19, 19]
    back = [classes[129, 129 - distance] for distance in (1, 2, 8, 64)]
    assert back == [20, 21, 27, 39]


def test_log_probability_by_the_definition():
    network, moves = random_network(), random_moves()
    expected = 0.0
    for sentence in range(len(moves.words)):
        given = moves.words[sentence].tolist(), moves.symbols[sentence].tolist()
        scores = slow_network.scores(network, *given)
        for i, j in np.argwhere(moves.counts[sentence]):
            others = [exp(scores[i, k]) for k in range(1, 7) if k != i]  # all but BOS
            expected += moves.counts[sentence, i, j] * (scores[i, j] - log(sum(others)))
    assert log_probability(network, moves) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("share", [0.0, 0.4])
@pytest.mark.parametrize("name", Network._fields)
def test_gradients_are_differences(name, share):
    network, moves = random_network(3), random_moves(3)

    def loss_at():
        return loss_and_gradient(network, moves, Dropout(share, np.random.default_rng(5)))

    _, gradient = loss_at()
    by_words = np.zeros_like(network.words)
    np.add.at(by_words, moves.words.ravel(), gradient.words)
    derivative = getattr(gradient._replace(words=by_words), name)
    part, random = getattr(network, name), np.random.default_rng(7)
    largest = np.unravel_index(np.argsort(-abs(derivative), axis=None)[:6], part.shape)
    places = [*zip(*largest, strict=True)]
    places += [tuple(random.integers(size) for size in part.shape) for _ in range(6)]
    assert np.count_nonzero(derivative) >= 6  # not a comparison of zeros
    for place in places:
        before, step = part[place], 1e-5
        part[place] = before + step
        above, _ = loss_at()
        part[place] = before - step
        below, _ = loss_at()
        part[place] = before
        assert derivative[place] == pytest.approx((above - below) / (2 * step), rel=1e-4, abs=1e-6)


def test_sentences_of_a_batch_do_not_affect_each_other():
    network, moves = random_network(), random_moves(n_sentences=4)
    together, _ = forward(network, moves.words, moves.symbols)
    for sentence in range(4):
        one = slice(sentence, sentence + 1)
        alone, _ = forward(network, moves.words[one], moves.symbols[one])
        assert alone[0] == pytest.approx(together[sentence], rel=1e-12)


def test_dropout_drops_its_share_and_keeps_the_mean():
    mask = Dropout(0.25, np.random.default_rng(0)).mask((200, 200))
    assert set(np.unique(mask)) == {np.float32(0), np.float32(4 / 3)}
    assert np.mean(mask == 0) == pytest.approx(0.25, abs=0.01)


def test_heads_of_the_first_layer_begin_at_the_words_beside_a_word():
    network, moves = new_network(WORDS, SYMBOLS, 16, 2, np.random.default_rng(0)), random_moves()
    _, record = forward(network, moves.words, moves.symbols)
    for head, distance in enumerate((-1, 1, -2, 2)):
        places = np.arange(2, 5)
        shares = record.layers[0].attention[:, head, places, places + distance]
        assert shares.mean() > 0.7  # the other six places have the rest


def test_passed_places_have_no_say_at_first():
    network, moves = new_network(WORDS, SYMBOLS, 16, 1, np.random.default_rng(0)), random_moves()
    others = network._replace(between=np.zeros_like(network.between))
    scores, without = (forward(n, moves.words, moves.symbols)[0] for n in (network, others))
    assert np.array_equal(scores, without)
    _, gradient = loss_and_gradient(network, moves)
    assert np.count_nonzero(gradient.between[1:3]) > 0  # but they can learn to
