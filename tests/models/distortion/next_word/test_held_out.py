import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.models.distortion.next_word.events import ORDERS, find_events
from hyperbaton.models.distortion.next_word.held_out import (
    DistanceBaseline,
    average_by_distance,
    chosen_by_distance,
    compare,
    predict,
    probabilities,
    share_of_moves,
    uniform,
)
from tests.models.distortion.next_word import oracles
from tests.models.distortion.next_word.corpora import tagged_corpora, tagged_corpus


def random_scores(sentence):
    """Scores with many ties, the same for sentences of the same length."""
    random = np.random.default_rng(len(sentence))
    return random.integers(0, 3, (len(sentence) + 1, len(sentence) + 1)).astype(float)


@given(tagged_corpora, st.sampled_from(ORDERS), st.booleans())
def test_predictions_by_brute_force(examples, order, open_only):
    corpus = tagged_corpus(examples)
    found = predict(random_scores, corpus, find_events(corpus, order), open_only=open_only)
    expected = []
    for number, (source, target, links, _) in enumerate(examples):
        scores = random_scores(source)
        moves, visited = oracles.moves(len(source), len(target), links, order)
        for event, (i, following) in enumerate(moves):
            own = scores[i, following - 1]
            candidates = [
                scores[i, place - 1]
                for place in range(1, len(source) + 2)
                if place != i and not (open_only and visited.get(place - 1, event) < event)
            ]
            better = sum(score > own for score in candidates)
            equal = candidates.count(own)
            log_p = own - np.log(np.exp(candidates).sum())
            right = 0.0 if better else 1 / equal
            expected.append((log_p, better + (1 + equal) / 2, right, number))
    assert np.stack(found, axis=1) == pytest.approx(np.array(expected))


def test_every_candidate_alike():
    corpus = tagged_corpus([(list("abc"), list("A"), [(0, 0)], list("NNN"))])
    found = predict(uniform, corpus, find_events(corpus))  # BOS → 1 → EOS
    assert np.exp(found.log_p) == pytest.approx([1 / 4, 1 / 3])
    assert found.rank == pytest.approx([2.5, 2.0])
    assert found.right == pytest.approx([1 / 4, 1 / 3])


def test_distances_alone():
    corpus = tagged_corpus([(list("ab"), list("AB"), [(0, 1), (1, 0)], list("NN"))] * 3)
    events = find_events(corpus)  # BOS → 2 → 1 → EOS: distortions 1, −2, 1, three times each
    scores = DistanceBaseline(events)(corpus.source.sentence(0))
    # from BOS: to the words 1 (0) and 2 (1) and the end (2, never seen: as far as 2 is clipped)
    assert np.exp(scores[0]) == pytest.approx([0.5, 6.5, 0.5])
    assert np.exp(scores[2]) == pytest.approx([3.5, 0.5, 0.5])


def test_averages_by_distance_by_hand():
    # BOS → 2 → EOS in three words, twice; from BOS candidates at 0, 1, 2, 3, from 2 at −2, 0, 1
    corpus = tagged_corpus([(list("abc"), list("A"), [(1, 0)], list("NNN"))] * 2)
    events = find_events(corpus)
    averages = average_by_distance(probabilities(uniform), corpus, events, 4)
    third, quarter = 1 / 3, 1 / 4
    nan = np.nan
    assert averages.mean == pytest.approx(
        [nan, nan, third, nan, (third + quarter) / 2, (third + quarter) / 2, quarter, quarter, nan],
        nan_ok=True,
    )
    chosen = chosen_by_distance(events, 4)  # 0 → 2 is distortion 1, 2 → 4 as well
    assert chosen.mean == pytest.approx([nan, nan, 0, nan, 0, 1, 0, 0, nan], nan_ok=True)
    # both sentences are the same, however often each is drawn
    for own in (averages, chosen):
        for row in own.resampled(np.array([[2.0, 0.0], [1.0, 1.0]])):
            assert row == pytest.approx(own.mean, nan_ok=True)
    # of all four moves, each is one over one word
    assert share_of_moves(events, 4).tolist() == [0, 0, 0, 0, 0, 1, 0, 0, 0]
    assert share_of_moves(events, 0).tolist() == [0]


def test_the_interval_of_a_difference():
    sentence = np.repeat(np.arange(50), 4)
    random = np.random.default_rng(0)
    worse = random.normal(size=200)
    same = compare(worse + 0.5, worse, sentence)
    assert (same.mean, same.low, same.high) == pytest.approx((0.5, 0.5, 0.5))
    noise = random.normal(size=50)[sentence]
    difference = compare(worse + noise, worse, sentence, 2000)
    assert difference.mean == pytest.approx(noise.mean())
    # the normal interval of the mean of 50 sentences
    half = 1.96 * noise[::4].std() / np.sqrt(50)
    assert difference.high - difference.low == pytest.approx(2 * half, rel=0.1)
    assert compare(worse + noise, worse, sentence, 50) == compare(
        worse + noise, worse, sentence, 50
    )
