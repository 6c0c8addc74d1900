"""The classification experiments of Ni et al.: what is shown of them, worked out by hand."""

import re
from dataclasses import replace

import numpy as np
import pytest

from hyperbaton.models.learning.catalogue import parse_learner
from hyperbaton.tuning.reproduction.exhibit import exhibit_text
from hyperbaton.tuning.reproduction.material import Sizes
from hyperbaton.tuning.reproduction.ni import LABELS, PAPER_SETTINGS, SETTINGS, ni_exhibit
from tests.samples import sample
from tests.tuning.reproduction.experiments import made_experiment

SMALL = replace(SETTINGS, sizes=(10, 20), repeats=2, test_size=5)
RIGHT = {"lr": 50, "mmr": 60, "svm-multiclass": 62, "me": 70, "mms": 70}
SECONDS = {"lr": 0.01, "mmr": 0.3, "svm-multiclass": 0.4, "me": 2.0, "me-gis": 9.0, "mms": 0.1}


def exhibit(right=None, seconds=None, more_with_five=0):
    """Repetitions differ by one point, sizes by two; MMS gains `more_with_five`."""
    right, seconds = RIGHT | (right or {}), SECONDS | (seconds or {})

    def percent(learner, n_classes, size, repeat):
        own = more_with_five * (repeat + 1) if (learner, n_classes) == ("mms", 5) else 0
        lucky = repeat if learner == "mms" else 0
        return right[learner] + repeat + size // 10 * 2 + own + lucky

    # with five classes MMR never has so few wrong
    tolerance = [
        (name, n, 0.2, None if (name, n) == ("mmr", 5) else seconds[name])
        for n in SMALL.classes
        for name in (*SMALL.discriminative, *SMALL.timed)
    ]
    time = lambda learner, *_: seconds[learner]  # noqa: E731
    return ni_exhibit(made_experiment(SMALL, percent, time, tolerance=tolerance), LABELS)


def finding(made, beginning):
    [found] = [f for f in made.findings if f.statement.split(": ")[1].startswith(beginning)]
    return found


def test_the_tables_have_mean_and_deviation():
    tables = {table.title: table for table in exhibit().tables}
    table = tables["3 classes: overall precision, and F1 as in Table 5"]
    assert table.header[1:] == ["LR", "MMR", "SVM", "ME", "MMS"]
    rows = {row[0]: row[1:] for row in table.rows}
    # 52 and 53 percent; 72 and 74
    assert rows["overall, 10"][0] == "52.5 ± 0.7"
    assert rows["overall, 10"][4] == "73.0 ± 1.4"
    assert rows["overall, 20"][0] == "54.5 ± 0.7"
    # F1 of the only class, 2 · 52 / (52 + 100) and 2 · 53 / (53 + 100)
    assert rows["F1 d<0, 10"][0] == "68.9 ± 0.6"
    assert len(rows) == 2 * (1 + 3)
    apart = tables["3 classes: overall precision on phrase pairs seen and unseen in training"]
    # of examples 0 to 51 or 52 that are right, every fourth one, 13 or 14, is of an unseen pair
    rows = {row[0]: row[1:] for row in apart.rows}
    assert rows["seen, 10"][:2] == ["75.0 ± 0.0", "52.0 ± 0.0"]  # 39 of 75
    assert rows["unseen, 10"][:2] == ["25.0 ± 0.0", "54.0 ± 2.8"]  # 13 and 14 of 25
    assert "5 classes: overall precision, and F1 as in Table 6" in tables
    assert tables["sizes"].rows[0] == ["training phrase pairs", "500", "1,000"]
    shares = tables["3 classes: sizes as in Table 4"]
    assert shares.header == ["phrase pairs", "training, 10", "training, 20", "test, 10", "test, 20"]
    assert shares.rows[0] == ["d<0", "500 (100%)", "1,000 (100%)", "100 (100%)", "100 (100%)"]
    assert shares.rows[2] == ["d>0", "0 (0%)", "0 (0%)", "0 (0%)", "0 (0%)"]
    errors = tables["training error when a learner stops"]
    assert errors.rows[0] == ["MMR", "25.0", "25.0", "25.0", "25.0"]
    times = tables["time to the same training error, 20 training sentences, as in Figure 15"]
    assert times.header == ["CPU seconds (rounds)", "3 classes, 20.0%", "5 classes, 20.0%"]
    assert times.rows[0] == ["MMR", "0.30 (1)", "–"]
    assert times.rows[-1] == ["ME, GIS", "9.00 (1)", "9.00 (1)"]
    # with five classes and 20 sentences LR has the first 55 examples right, MMS the first 76: all
    # of phrases 0 and 1; 15 and 20 of phrase 2; none and 16 of phrase 3; none of phrase 4
    captured = tables[
        "5 classes: source phrases on which MMS gains most over LR (percent correct), "
        "as in Figure 14"
    ]
    assert captured.rows == [
        ["phrase 3", "20", "6", "2", "0", "80"],
        ["phrase 2", "20", "5", "2", "75", "100"],
    ]


def test_the_charts_are_the_figures():
    charts = exhibit().charts
    assert [chart.name for chart in charts[:5]] == ["phrase_sizes", *["improvement"] * 4]
    assert [chart.name for chart in charts[5:]] == [
        name for name in ("precision", "distance", "time", "own_time") for _ in (3, 5)
    ]
    sizes, gains, *others, three, five, distance, _, time, _, own_time, _ = charts
    # three source phrases with one example each, 2 and 3 examples, 9 examples
    assert sizes.places == ["1", "2–3", "8–15"]
    assert [one.values for one in sizes.series] == [[3, 2, 1], [20.0, 50.0, 90.0]]
    assert three.places == ["10", "20"]
    assert three.series[0].values == pytest.approx([52.5, 54.5])
    assert three.series[0].deviations == pytest.approx([0.5**0.5] * 2)
    assert five.caption.startswith("5 classes")
    # every test example is at the same distance: 54 and 55 of 100 are right
    assert distance.places == ["-7"]
    assert distance.n_examples == [200]
    assert [(one.name, one.values) for one in distance.series] == [
        ("LR", [54.5]), ("MMR", [64.5]), ("SVM", [66.5]), ("ME", [74.5]), ("MMS", [75.0])
    ]  # fmt: skip
    # of the two classes that move one has F1: 2 p / (p + 100) for p percent right
    before, after = ([2 * p / (p + 100) for p in percents] for percents in ((52, 53), (72, 74)))
    gain = np.mean([100 * (a / b - 1) for a, b in zip(after, before, strict=True)])
    assert [chart.caption for chart in (gains, *others)] == [
        f"gain of MMS over {name} on moves, as in Figure 12" for name in ("LR", "MMR", "SVM", "ME")
    ]
    assert [one.name for one in gains.series] == ["3 classes", "5 classes"]
    assert gains.series[0].values[0] == pytest.approx(gain)
    assert own_time.series[2].values == [2.0, 2.0]  # of ME, by size
    assert time.places == ["20.0%"]
    assert {one.name: one.values for one in time.series} == {
        "MMR": [0.3], "SVM": [0.4], "ME": [2.0], "MMS": [0.1], "ME, GIS": [9.0]
    }  # fmt: skip
    assert time.is_log


def test_what_holds():
    made = exhibit(more_with_five=1)
    beats = finding(made, "each discriminative learner")
    assert beats.verdict == "not established"  # MMS wins by 20 and 21 points: not surely, of two
    assert len(beats.cases) == 8
    assert beats.cases[0] == "3 classes, MMR: +10.0 points, p < 0.001: holds"
    assert beats.cases[3].startswith("3 classes, MMS: +20.5 points, p 0.0")
    assert finding(made, "MMS beats ME").verdict == "not established"  # 0 and 1 points
    # 20 or 21 points above LR; with five classes 1 or 2 more: 1.5 on average
    gap = finding(made, "the more classes")
    f1 = [
        [2 * p / (p + 100) for p in percents]
        for percents in ((52, 53, 54, 55), (72, 74, 74, 76), (73, 76, 75, 78))
    ]
    three, five = (100 * np.mean(np.divide(own, f1[0]) - 1) for own in f1[1:])
    assert gap.cases[0].startswith(
        f"{three:+.1f}% of F1 with 3 classes, {five:+.1f}% with 5; overall precision +20.5 and "
        "+22.0 points (paper: +8.5, +8.7), p "
    )
    assert gap.verdict == "not established"  # there are two repetitions, not four
    fastest = finding(made, "MMS is the fastest")
    assert fastest.verdict == "not established"  # timed once
    assert [case.partition(", not tested")[0] for case in fastest.cases] == [
        "3 classes, to 20.0%: MMR 0.30 s, SVM 0.40 s, ME 2.00 s, MMS 0.10 s, ME, GIS 9.00 s",
        "5 classes, to 20.0%: SVM 0.40 s, ME 2.00 s, MMS 0.10 s, ME, GIS 9.00 s",
    ]


def test_what_does_not_hold():
    made = exhibit({"mmr": 40, "mms": 60}, {"mmr": 0.05})
    assert finding(made, "each discriminative learner").verdict == "does not hold"
    best = finding(made, "MMS beats ME")
    assert best.verdict == "not established"  # 10 and 9 points worse in two repetitions
    assert best.cases[0].startswith("3 classes, MMS: -9.5 points, p 0.0")
    assert finding(made, "the more classes").verdict == "not established"


def test_both_protocols_are_exhibits():
    pooled, paper = (
        ni_exhibit(made_experiment(settings, lambda *_: 60, lambda *_: 1.0))
        for settings in (SMALL, replace(SMALL, protocol="paper"))
    )
    assert [pooled.name, paper.name] == ["ni_classification", "ni_classification_paper"]
    assert "a separate model for each source phrase with 300 examples" in pooled.notes[1]
    assert "one model for each source phrase of the test sentences" in paper.notes[1]


def test_the_papers_protocol_takes_the_last_weights_of_mms():
    learners = PAPER_SETTINGS.learners
    assert [LABELS[name] for name in learners] == ["LR", "MMR", "SVM", "ME", "MMS"]
    assert parse_learner(learners[-1]) == ("mms", {"average": False})


def test_only_what_the_learners_allow_is_shown():
    settings = replace(SMALL, learners=("mms:max_rounds=2", "me"), sizes=(10,))
    percent = lambda *case: 60 + case[-1]  # noqa: E731
    two = ni_exhibit(made_experiment(settings, percent, lambda *_: 1.0))
    # nothing counts, and nothing was timed to the same error
    [equal] = two.findings
    assert equal.statement.endswith("mms:max_rounds=2 beats me in overall precision")
    assert "time to" not in " ".join(table.title for table in two.tables)
    alone = replace(SMALL, learners=("lr",), sizes=(10,), repeats=1)
    one = ni_exhibit(made_experiment(alone, percent, lambda *_: 1.0))
    assert {chart.name for chart in one.charts} == {"phrase_sizes", "precision", "distance"}
    assert not [table for table in one.tables if "t-test" in table.title]
    assert one.findings == []
    assert one.notes[0].startswith("1 repetition, each with 5 test sentences")


def test_one_repetition_was_given_deviations_and_p_values():
    settings = replace(SMALL, repeats=1)  # of two sizes
    one = ni_exhibit(made_experiment(settings, lambda *_: 60.0, lambda *_: 1.0))
    text = exhibit_text(one)
    assert "±" not in text
    assert "t-test" not in text
    assert not re.search(r"\bp \d", text)
    assert one.notes[-1] == "Deviations and p-values need more than one repetition."
    assert not any(series.deviations for chart in one.charts for series in chart.series)


@pytest.mark.parametrize(
    ("share", "most_words", "expected"),
    [
        (0.5, 10**9, (25, 50, 100)),  # half of 200 sentences
        (1.0, 500, None),  # as many as have 500 words
        (0.001, 10**9, (1,)),
    ],
)
def test_sizes_follow_from_the_data(share, most_words, expected):
    corpus = sample("zh-en", first=200)
    sizes = Sizes(share, most_words, 3).of(corpus)
    if expected:
        assert sizes == expected
    else:
        mean = sum(len(corpus.source.sentence(n)) for n in range(200)) / 200
        assert sizes[-1] <= 500 / mean < sizes[-1] + 1
