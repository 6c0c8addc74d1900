"""Far moves: the corpus by hand, how closely models follow it, and what is found then."""

from math import log

import numpy as np
import pytest

from models.distortion.next_word.events import find_events
from tests.models.phrases.corpora import corpus_of
from tuning.reproduction.next_word import (
    FIRST,
    LAST,
    corpus_curve,
    deviation,
    next_word_exhibit,
)

N = LAST - FIRST + 1


def curve(*values):
    return np.array([*values, *[np.nan] * (N - len(values))])


def test_how_closely_a_model_follows_the_corpus():
    corpus = curve(0.1, 0.2, np.nan, 0.0)
    # |log 2|, |log ½|; the corpus knows nothing of the rest
    assert deviation(curve(0.2, 0.1, 0.5, 0.5), corpus) == pytest.approx(log(2))
    assert deviation(corpus, corpus) == 0
    assert np.isnan(deviation(curve(), corpus))


def test_moves_of_the_corpus_by_hand():
    # words are translated in the order 1, 6, 2 … 5, end: one move over 4 words, one over 1
    pair = (list("abcdef"), list("ABCDEF"), [(0, 0), (5, 1), (1, 2), (2, 3), (3, 4), (4, 5)])
    five, four = (corpus_curve(find_events(corpus_of([pair] * n))) for n in (5, 4))
    # 4 words ahead there are candidates from BOS, 1 and 2, and one was chosen: from 1
    assert five[4 - FIRST] == pytest.approx(1 / 3)
    assert np.isnan(np.delete(five, 4 - FIRST)).all()
    assert np.isnan(four).all()  # too few


def made(pair, sequence):
    corpus = curve(0.1, 0.1)
    curves = {"pair": pair, "sequence": sequence, "corpus": corpus}
    return next_word_exhibit({"news": curves, "blogs": curves})


def test_the_figure_and_its_finding():
    exhibit = made(curve(0.4, 0.4), curve(0.2, 0.2))
    assert [chart.caption.split(":")[0] for chart in exhibit.charts] == ["news", "blogs"]
    chart = exhibit.charts[0]
    assert (chart.places[0], chart.places[-1]) == (str(FIRST), str(LAST))
    assert [one.is_reference for one in chart.series] == [False, False, True]
    [table] = exhibit.tables
    assert table.rows[0] == ["news", f"{log(4):.3f}", f"{log(2):.3f}", "2"]
    [finding] = exhibit.findings
    assert finding.verdict == "holds"
    assert finding.cases == ("news: 0.693 against 1.386", "blogs: 0.693 against 1.386")


def test_other_outcomes():
    assert made(curve(0.2, 0.2), curve(0.4, 0.4)).findings[0].verdict == "does not hold"
    assert made(curve(), curve()).findings[0].verdict == "cannot be tested here"
    assert made(curve(), curve()).tables[0].rows[0][1] == "-"
    alone = next_word_exhibit({"news": {"pair": curve(0.1), "corpus": curve(0.1)}})
    assert alone.findings == []
