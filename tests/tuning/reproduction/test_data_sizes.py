"""Quality by size of the training data, by hand."""

import gzip
from dataclasses import replace

import numpy as np
import pytest

from hyperbaton.tuning.comparison.configuration import TrainingData
from hyperbaton.tuning.comparison.data import take
from hyperbaton.tuning.reproduction import data_sizes
from hyperbaton.tuning.reproduction.data_sizes import Measured, _measured, sizes_exhibit
from hyperbaton.tuning.reproduction.material import Material
from tests.tuning.report.comparisons import make_comparison


class Mean:
    higher_is_better = True

    def __init__(self, name="BLEU"):
        self.name = name


class Errors(Mean):
    higher_is_better = False


def measured(moses, dpr, metric=None):
    """Scores of each draw."""
    scores = {"MOSES": np.array(moses, float), "DPR-3": np.array(dpr, float)}
    return Measured(metric or Mean(), scores)


def test_a_gain_is_what_is_better():
    assert measured([30], [32]).gains == [2]
    assert measured([30], [32], Errors("WER")).gains == [-2]


def test_charts_tables_and_findings():
    wer = Errors("WER")
    by_size = {
        100: [measured([30, 31], [30, 29]), measured([50, 50], [51, 51], wer)],
        200: [measured([31, 33], [32, 34]), measured([48, 48], [47, 47], wer)],
        400: [measured([32, 32], [34, 36]), measured([46, 46], [44, 44], wer)],
    }
    exhibit = sizes_exhibit({"news": by_size})
    assert [chart.y_title for chart in exhibit.charts] == ["BLEU", "WER"]
    assert exhibit.charts[0].places == ["100", "200", "400"]
    moses, dpr = exhibit.charts[0].series
    assert (moses.values, dpr.values) == ([30.5, 32, 32], [29.5, 33, 35])
    # of two values, half their difference times √2
    assert moses.deviations == pytest.approx([0.5**0.5, 2**0.5, 0])
    [table] = exhibit.tables
    assert table.header == ["sentence pairs", "100", "200", "400"]
    assert table.rows[:2] == [
        ["MOSES, BLEU", "30.50 ± 0.71", "32.00 ± 1.41", "32.00 ± 0.00"],
        ["DPR-3, BLEU", "29.50 ± 0.71", "33.00 ± 1.41", "35.00 ± 1.41"],
    ]
    assert len(table.rows) == 4
    beats, grows = exhibit.findings
    assert beats.verdict == "not established"
    # gains 0 and −2, 1 and 1, 2 and 4: t = −1 and 3 with one degree of freedom, where
    # p = 1 − 2 atan(t) / π
    assert beats.cases == (
        "news, 100 pairs: -1.00, p 0.500: not established",
        "news, 200 pairs: +1.00, p < 0.001: holds",
        "news, 400 pairs: +3.00, p 0.205: not established",
    )
    assert grows.verdict == "not established"
    # 2 and 6 more: t = 2
    assert grows.cases == ("news: -1.00 with 100 pairs, +3.00 with all, p 0.295",)
    assert exhibit.notes[0].startswith("2 random draws of each size")


def test_one_draw_has_no_deviation_and_is_never_significant():
    exhibit = sizes_exhibit({"news": {1: [measured([30], [32])], 2: [measured([30], [33])]}})
    assert exhibit.tables[0].rows[0] == ["MOSES, BLEU", "30.00", "30.00"]
    assert [found.verdict for found in exhibit.findings] == ["not established"] * 2
    assert exhibit.findings[0].cases == (
        "news, 1 pairs: +2.00, not tested: not established",
        "news, 2 pairs: +3.00, not tested: not established",
    )
    assert exhibit.notes[0].startswith("1 random draw of each size")


def comparison_of(seed_errors):
    return make_comparison(seed_errors, (6, -1), n_sentences=10, replicas=2)


def test_every_tuning_run_counts():
    comparison = comparison_of({"MOSES": 0.4, "OTHER": 0.1, "DPR-3": 0.2})
    scores = comparison.replica_scores["test"]
    [once] = _measured([comparison])["test"]  # the only metric of the figure
    [twice] = _measured([comparison, comparison])["test"]
    for name in ("MOSES", "DPR-3"):
        own = scores[f"{name} @ 6"][:, 0].tolist()
        assert once.scores[name] == pytest.approx(own, rel=1e-12)
        assert twice.scores[name] == pytest.approx(own + own, rel=1e-12)


def test_some_lines_of_all_files(tmp_path):
    for name, text in (("a", "1\n2\n3\n4\n"), ("b", "x\ny\nz\nw\n")):
        (tmp_path / name).write_text(text)
    with gzip.open(tmp_path / "c.gz", "wt") as stream:
        stream.write("0-0\n0-1\n1-0\n1-1\n")
    trees = "".join(f"1\tw{n}\n\n" for n in range(4))
    (tmp_path / "t.conllu").write_text(trees)
    paths = [tmp_path / name for name in ("a", "b", "c.gz")]
    found = take(
        TrainingData(*paths, source_tree=tmp_path / "t.conllu"), [3, 1], tmp_path / "drawn"
    )
    assert found.source.read_text() == "2\n4\n"
    assert found.target.read_text() == "y\nw\n"
    assert found.alignment.read_text() == "0-1\n1-1\n"
    assert found.source_tree.read_text() == "1\tw1\n\n1\tw3\n\n"


def test_draws_differ_and_smaller_ones_lie_inside_larger_ones(tmp_path, monkeypatch):
    n_pairs = 1000
    for name in ("f", "e", "a"):
        (tmp_path / name).write_text("".join(f"{n}\n" for n in range(n_pairs)))
    comparison = comparison_of({"MOSES": 0.4, "DPR-3": 0.2})
    train = TrainingData(*(tmp_path / name for name in ("f", "e", "a")))
    configuration = replace(comparison.configuration, train=train)
    drawn = {}

    def compare(smaller, folder, *_):
        lines = (tmp_path / folder / "drawn/source").read_text().split()
        assert lines == (tmp_path / folder / "drawn/alignment").read_text().split()
        drawn[folder.name] = [int(line) for line in lines]
        assert (smaller.tune.replicas, smaller.tune.seed) == (1, 1 + int(folder.name[-1]))
        return replace(comparison, cells=[replace(c, replicas=c.replicas[:1]) for c in
                                          comparison.cells])  # fmt: skip

    monkeypatch.setattr(data_sizes, "compare", compare)
    exhibit = data_sizes.KIND.make(Material(comparison, configuration, tmp_path, 1))
    assert exhibit.charts[0].places == ["250", "500", "1,000"]
    assert set(drawn) == {"250-0", "250-1", "500-0", "500-1"}
    for name, lines in drawn.items():
        assert lines == sorted(set(lines))
        assert len(lines) == int(name[:3])
    for draw in "01":
        assert set(drawn[f"250-{draw}"]) < set(drawn[f"500-{draw}"])
    assert len(set(drawn["250-0"]) & set(drawn["250-1"])) < 100  # about 62
