import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.corpus.corpora.statistics import distances, statistics
from hyperbaton.models.distortion.next_word.events import find_events
from tests.models.phrases.corpora import corpus_of
from tests.oracles import move_distances
from tests.strategies import pairs


def test_a_pair_worked_by_hand():
    # kare wa hon o katta / he bought a book: visits 0, 4, 2 with distances 0, 3, -3
    corpus = corpus_of([(["kare", "wa", "hon", "o", "katta"], ["he", "bought", "a", "book"],
                         [(0, 0), (4, 1), (2, 3)])])  # fmt: skip
    assert distances(corpus).tolist() == [0, 3, -3]
    result = statistics(corpus)
    assert dict(result.distances) == {
        "≤ -15": 0, "-14 to -8": 0, "-7 to -4": 0, "-3 to -2": 1, "-1": 0, "0": 1, "1": 0,
        "2 to 3": 1, "4 to 7": 0, "8 to 14": 0, "≥ 15": 0,
    }  # fmt: skip
    assert (result.n_pairs, result.n_links, result.farthest) == (1, 3, 3)
    assert result.share_monotone == pytest.approx(1 / 3)
    assert result.source.share_unaligned == pytest.approx(2 / 5)
    assert result.target.share_unaligned == pytest.approx(1 / 4)


def test_words_with_several_links_count_from_their_ends():
    # target 0 covers sources 1 and 3, target 1 source 2: from 3 back to 2
    corpus = corpus_of([(list("abcd"), list("xy"), [(1, 0), (3, 0), (2, 1)])])
    assert distances(corpus).tolist() == [1, -2]


def test_what_is_monotone_here_and_for_the_models_of_the_next_word():
    # a stays the source of two target words, then b: moves 0, -1, 0 and no end
    corpus = corpus_of([(list("ab"), list("xyz"), [(0, 0), (0, 1), (1, 2)])])
    assert distances(corpus).tolist() == [0, -1, 0]
    assert statistics(corpus).share_monotone == pytest.approx(2 / 3)
    # the models visit a only once, and then have to find the end
    assert find_events(corpus).distortions.tolist() == [0, 0, 0]


@given(st.lists(pairs(), max_size=6))
def test_distances_agree_with_the_slow_twin(examples):
    expected = [d for _, _, links in examples for d in move_distances(links)]
    assert distances(corpus_of(examples)).tolist() == expected


@given(st.lists(pairs(), max_size=6))
def test_counts_agree_with_counting(examples):
    result = statistics(corpus_of(examples))
    words = [word for source, _, _ in examples for word in source]
    assert result.source.n_words == len(words)
    assert result.source.n_types == len(set(words))
    assert result.source.n_once == sum(words.count(word) == 1 for word in set(words))
    assert result.source.longest == max((len(source) for source, _, _ in examples), default=0)
    aligned = sum(len({t for _, t in links}) for _, _, links in examples)
    n_target = sum(len(target) for _, target, _ in examples)
    share = 1 - aligned / n_target if n_target else 0.0
    assert result.target.share_unaligned == pytest.approx(share)
    assert sum(count for _, count in result.distances) == aligned
    assert np.isfinite(result.source.mean_length)
