"""Distances, classes and kinds of sentences, worked out by hand."""

import numpy as np
import pytest

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.tuning.comparison.results import Output
from hyperbaton.tuning.evaluation.data_sets import Sentences
from hyperbaton.tuning.metrics.bleu import Bleu
from hyperbaton.tuning.metrics.visits import visits_of_sequences
from hyperbaton.tuning.report.analysis import (
    CLASS_NAMES,
    confusion,
    distance_classes,
    largest_differences,
    length_bins,
    reordering_bins,
    scores_by_bin,
)


def sentences(lengths, visits=None):
    sources = tuple(Sentence(("w",) * length) for length in lengths)
    found = None if visits is None else visits_of_sequences(visits, lengths)
    return Sentences("t", sources, (("a b c d",),) * len(lengths), found)


def test_moves_by_hand():
    # 0 (from −1: 0), 3 (from 0: 2), 1 (from 3: −3), 2 (from 1: 0); and 9 from −1: 9
    shares = distance_classes(visits_of_sequences([[0, 3, 1, 2], [], [9]], [4, 2, 10]))
    expected = dict.fromkeys(CLASS_NAMES, 0.0)
    expected |= {"0": 2 / 5, "2…3": 1 / 5, "−4…−3": 1 / 5, "≥ 7": 1 / 5}
    assert shares.tolist() == pytest.approx([expected[name] for name in CLASS_NAMES])


@pytest.mark.parametrize(
    ("distance", "name"),
    [(-9, "≤ −8"), (-8, "≤ −8"), (-7, "−7…−5"), (-5, "−7…−5"), (-4, "−4…−3"), (-3, "−4…−3"),
     (-2, "−2"), (0, "0"), (1, "1"), (2, "2…3"), (3, "2…3"), (4, "4…6"), (6, "4…6"), (7, "≥ 7"),
     (8, "≥ 7")],
)  # fmt: skip
def test_the_nine_classes(distance, name):
    second = 10 + distance + 1  # from word 10, which is reached from −1 at a distance of 10
    shares = distance_classes(visits_of_sequences([[10, second]], [30]))
    expected = dict.fromkeys(CLASS_NAMES, 0.0)
    expected["≥ 7"] += 0.5
    expected[name] += 0.5
    assert shares.tolist() == [expected[name] for name in CLASS_NAMES]


def test_confusion_by_hand():
    reference = visits_of_sequences([[0, 1, 2]], [3])
    output = visits_of_sequences([[0, 2, 1]], [3])
    counts = confusion(reference, output)
    names = list(CLASS_NAMES)
    # from −1: 0 and 0; from 0: 0 in the reference, 1 in the output; from 1: the output ends
    assert counts.sum() == 2
    assert counts[names.index("0"), names.index("0")] == 1
    assert counts[names.index("0"), names.index("1")] == 1


def test_bins_by_length_keep_equal_lengths_together():
    bins = length_bins(sentences([1, 2, 2, 2, 2, 2, 2, 9]))
    assert bins.names == ("1", "2–9")  # all quartiles are 2
    assert bins.sizes == [1, 7]
    assert length_bins(sentences([4, 3, 2, 1])).names == ("1", "2", "3", "4")
    assert length_bins(sentences([3, 3])).names == ("3",)


def test_bins_by_reordering():
    # no pair of 3 changes sides; 1 of 3; all 3
    bins = reordering_bins(sentences([3] * 4, [[0, 1, 2], [0, 2, 1], [2, 1, 0], [2, 1, 0]]))
    assert bins.names == ("0", "33", "100")
    assert bins.of_sentence.tolist() == [0, 1, 2, 2]
    assert reordering_bins(sentences([3])) is None


def outputs(*texts):
    return [Output(text, [], []) for text in texts]


def test_scores_of_bins_and_the_sentences_that_differ_most():
    test = sentences([1, 1, 5, 5])
    bins = length_bins(test)
    ours = outputs("a b c d", "a b c d", "a b c d", "x")
    theirs = outputs("a b c d", "x", "a b c x", "a b c d")
    perfect, spoilt = scores_by_bin(Bleu(), test, ours, bins)
    assert perfect == pytest.approx(100)
    assert spoilt < 100
    found = largest_differences(Bleu(), test, ours, theirs)[:3]
    assert [number for number, _ in found] == [1, 3, 2]
    assert np.sign([difference for _, difference in found]).tolist() == [1, -1, 1]
