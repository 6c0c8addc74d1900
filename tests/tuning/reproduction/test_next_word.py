"""The next source word: the corpus by hand, how closely models follow it, and the findings."""

from dataclasses import replace
from math import log

import numpy as np
import pytest

from hyperbaton.models.distortion.next_word.events import find_events
from hyperbaton.models.distortion.next_word.held_out import (
    ByDistance,
    MeanDifference,
    Predictions,
    chosen_by_distance,
)
from hyperbaton.tuning.reproduction.next_word import (
    FARTHEST,
    NEAREST,
    corpus_curve,
    deviation,
    next_word_exhibit,
)
from hyperbaton.tuning.reproduction.next_word_study import NextWordStudy
from tests.models.phrases.corpora import corpus_of

N = 2 * FARTHEST + 1
# words are translated in the order 1, 6, 2 … 5, end: one move over 4 words, one over 1
PAIR = (list("abcdef"), list("ABCDEF"), [(0, 0), (5, 1), (1, 2), (2, 3), (3, 4), (4, 5)])


def curve(*values, first=NEAREST):
    """Values from one distance on; nothing is known elsewhere."""
    all_values = np.full(N, np.nan)
    all_values[FARTHEST + first : FARTHEST + first + len(values)] = values
    return all_values


def by_distance(values, n_sentences):
    """The same curve in every sentence."""
    known = np.isfinite(values)
    return ByDistance(
        np.tile(np.where(known, values, 0.0), (n_sentences, 1)),
        np.tile(known.astype(float), (n_sentences, 1)),
    )


def test_how_closely_a_model_follows_the_corpus():
    corpus = curve(0.1, 0.2, np.nan, 0.0)
    # |log 2|, |log ½|; the corpus knows nothing of the rest
    assert deviation(curve(0.2, 0.1, 0.5, 0.5), corpus) == pytest.approx(log(2))
    assert deviation(corpus, corpus) == 0
    assert np.isnan(deviation(curve(), corpus))
    # near moves and moves back do not count
    assert np.isnan(deviation(curve(0.1, first=2), curve(0.5, first=2)))
    assert np.isnan(deviation(curve(0.1, first=-5), curve(0.5, first=-5)))


def test_moves_of_the_corpus_by_hand():
    five, four = (corpus_curve(find_events(corpus_of([PAIR] * n))) for n in (5, 4))
    # 4 words ahead there are candidates from BOS, 1 and 2, and one was chosen: from 1
    assert five[FARTHEST + 4] == pytest.approx(1 / 3)
    # back over 5 words, from 6 to 2, is the only move of its distance that there is but one
    known = np.flatnonzero(np.isfinite(five)) - FARTHEST
    assert known.tolist() == [-5, 0, 1, 4]
    assert np.flatnonzero(np.isfinite(four)).tolist() == [FARTHEST]  # the others are too few


def study(pair=None, sequence=None, pairs=(PAIR,) * 10):
    """Of all models log P is −1, of sequence it is −0.5."""
    events = find_events(corpus_of(pairs))
    n = len(events.current)
    sentence = np.repeat(np.arange(len(pairs)), np.diff(events.offsets))
    even = Predictions(np.full(n, -1.0), np.full(n, 2.0), np.full(n, 0.25), sentence)
    predictions = {"uniform": even, "pair": even}
    curves = {"pair": by_distance(curve(0.4) if pair is None else pair, len(pairs))}
    differences = {"pair": MeanDifference(0.0, -0.1, 0.1)}
    if sequence is not None:
        predictions["sequence"] = even._replace(log_p=np.full(n, -0.5))
        curves["sequence"] = by_distance(sequence, len(pairs))
        differences["sequence"] = MeanDifference(0.5, 0.4, 0.6)
    curves["corpus"] = chosen_by_distance(events, FARTHEST)
    log_p = dict.fromkeys(predictions, -0.75)
    return NextWordStudy(len(pairs), events, predictions, log_p, differences, curves)


def made(pair, sequence):
    """The corpus has 1/3 at distance 4."""
    own = study(pair, sequence)
    return next_word_exhibit({"news": own, "blogs": own})


def test_the_tables():
    quality, by_class, accuracy, *_, closeness = made(curve(0, 4 / 3), curve(0, 2 / 3)).tables
    assert quality.title == "news: 10 sentences, 70 moves"
    assert quality.rows == [
        ["uniform", "25.0%", "2.00", "-1.000", "", "", "-0.750"],
        ["pair", "25.0%", "2.00", "-1.000", "+0.000", "-0.100 to +0.100", "-0.750"],
        ["sequence", "25.0%", "2.00", "-0.500", "+0.500", "+0.400 to +0.600", "-0.750"],
    ]
    assert by_class.title == "news: log P by distance"
    assert by_class.notes[0].startswith("0 is monotone. Moves go to every source word at its first")
    rows = {row[0]: row[1:] for row in by_class.rows}
    assert rows["4 to 6"] == ["10", "-1.000", "-1.000", "-0.500"]
    assert rows["≥ 7"] == ["0", "-", "-", "-"]
    assert accuracy.title == "news: right by distance"
    rows = {row[0]: row[1:] for row in accuracy.rows}
    assert rows["4 to 6"] == ["10", "25.0%", "25.0%", "25.0%"]
    assert closeness.rows[0] == ["news", f"{log(4):.3f}", f"{log(2):.3f}", "1"]


def test_the_figure_and_its_finding():
    exhibit = made(curve(0, 4 / 3), curve(0, 2 / 3))
    assert [chart.caption.split(":")[0] for chart in exhibit.charts] == ["news", "blogs"]
    chart = exhibit.charts[0]
    assert (chart.places[0], chart.places[-1]) == (str(-FARTHEST), str(FARTHEST))
    assert [one.is_reference for one in chart.series] == [False, False, True, True]
    assert chart.series[2].values[FARTHEST + 4] == pytest.approx(1 / 3)
    assert chart.series[3].name == "corpus, all moves"
    assert chart.series[3].values[FARTHEST + 4] == pytest.approx(1 / 7)  # of seven moves
    assert len(chart.table.rows) == N  # not one is left out
    [finding] = exhibit.findings
    assert finding.verdict == "holds"
    # all sentences are alike, and so are all resamples
    assert finding.cases == (
        "news: 0.693 against 1.386, p ≤ 0.001: holds",
        "blogs: 0.693 against 1.386, p ≤ 0.001: holds",
    )


def test_other_outcomes():
    assert made(curve(0, 0.4), curve(0, 0.9)).findings[0].verdict == "does not hold"
    assert made(curve(), curve()).findings[0].verdict == "not established"
    assert made(curve(), curve()).tables[-1].rows[0][1] == "-"
    assert next_word_exhibit({"news": study()}).findings == []


def far_and_near():
    """Sentences of 12 words: nine times the first and the sixth are linked, five times the first
    and the tenth."""
    words = list("abcdefghijkl")
    near, far = [(0, 0), (5, 1)], [(0, 0), (9, 1)]
    return [(words, words[:2], links) for links in [near] * 9 + [far] * 5]


@pytest.mark.parametrize(
    ("values", "verdict", "case"),
    [  # the corpus itself does not surely fall, with fourteen sentences
        ((0.05, 0.16), "not established", "0.050 and 0.160, p ≤ 0.001: holds"),
        ((0.16, 0.05), "does not hold", "0.160 and 0.050, p ≤ 0.001: does not hold"),
    ],
)
def test_outbound_classes(values, verdict, case):
    outbound = np.full(N, 0.9)
    outbound[FARTHEST + 4 : FARTHEST + 7] = values[0]
    outbound[FARTHEST + 7 :] = values[1]
    outbound[-1] = np.nan  # no sentence is so long
    # From BOS and 1 (14 times each) and from 6 (9 times) there are places 4 and 6 ahead: nine moves
    # go from 1 to 6, nine from 6 to the end. 8 ahead there are none from 6; five go from 1 to 10.
    # Other distances are too rare to know.
    corpus = 9 / (14 + 14 + 9), 5 / (14 + 14)
    own = replace(study(pairs=far_and_near()), outbound=by_distance(outbound, 14))
    exhibit = next_word_exhibit({"news": own})
    assert exhibit.tables[-1].header[2:] == ["4 to 6", "7 to 20"]
    assert exhibit.tables[-1].rows == [
        ["news", "outbound", *(f"{value:.4f}" for value in values)],
        ["news", "corpus", *(f"{value:.4f}" for value in corpus)],
    ]
    [finding] = exhibit.findings
    assert finding.verdict == verdict
    first, second = finding.cases
    assert first == f"news, outbound: {case}"
    assert second.startswith(f"news, corpus: {corpus[0]:.3f} and {corpus[1]:.3f}, p ")


def test_outbound_classes_that_cannot_be_judged():
    own = replace(
        study(), outbound=by_distance(np.full(N, 0.1), 10)
    )  # the corpus has no moves over 7 or more
    assert next_word_exhibit({"news": own}).findings[0].verdict == "not established"
