"""Sibling weights of the small model whose verbs come before their PPs."""

from functools import cache
from types import SimpleNamespace

import pytest

from hyperbaton.models.distortion.parse.listing import FeatureRow, Wanted, list_features
from hyperbaton.tuning.reproduction import xiang
from hyperbaton.tuning.reproduction.xiang import mean_alpha, siblings_exhibit
from tests.models.distortion.parse.small import small_model


@cache
def learned():
    return small_model("me+cov+sib", min_count=1).learned_


def row(count, alpha, coverage=0):
    return FeatureRow(count, alpha, 3, "VBD", "VV", "sib", "PP", coverage, -1)


def test_means_are_geometric_and_weighted():
    assert mean_alpha([row(1, 8.0), row(2, 1.0)]) == pytest.approx(2.0)


def test_the_tables():
    exhibit = siblings_exhibit(learned(), "me+cov+sib", {"me": 1234, "me+cov+sib": 5678})
    tables = {table.title: table for table in exhibit.tables}
    verb = tables['features of "PP VV", as in Table 5'].rows
    # six times: in two of six pairs, three times each, by a jump of 3
    assert len(verb) == 1
    assert verb[0][:6] == ["VV", "PP", "left", "open", "VBD", "3"]
    assert float(verb[0][6]) > 1
    assert verb[0][7] == "6"
    frequent = tables["the most frequent sibling features"].rows
    counts = [int(cells[-1]) for cells in frequent]
    assert counts == sorted(counts, reverse=True)
    rows = tables["number of features, as in Tables 3 and 4"].rows
    assert rows == [["me", "1,234"], ["me+cov+sib", "5,678"]]
    # no PP is covered before its verb, so Table 5 is not tested; de is empty in one pair, three
    # times, without a QP, and before its clause
    [particle] = exhibit.findings
    assert [case.split(":")[0] for case in particle.cases] == [
        "NP to the right covered", "CP to the left open"
    ]  # fmt: skip
    assert all(", 3 times, p " in case for case in particle.cases)
    assert exhibit.notes[0].startswith("parse,use=me+cov+sib: ")


def test_variants_of_a_row_do_not_take_its_place(monkeypatch):
    paper, ours = (small_model("me+sib", alpha=alpha, iterations=2) for alpha in (0.9, 0.1))
    smaller = small_model("me", iterations=2)
    monkeypatch.setattr(xiang, "_models", lambda _: [])
    monkeypatch.setattr(xiang, "load_distortion", lambda *_: [smaller, paper, ours])
    shown = []
    monkeypatch.setattr(xiang, "siblings_exhibit", lambda *given: shown.append(given))
    xiang.SIBLINGS_KIND.make(SimpleNamespace(trained=None))
    [(chosen, use, sizes)] = shown
    assert chosen is paper.learned_
    assert use == "me+sib"
    n_features = {model.use: len(model.learned_.counts) for model in (smaller, paper)}
    assert sizes == n_features


def test_the_strongest_are_farthest_from_1(monkeypatch):
    monkeypatch.setattr(xiang, "FEWEST_SEEN", 2)
    tables = siblings_exhibit(learned(), "me+cov+sib").tables
    [strongest] = [table for table in tables if table.title.startswith("the strongest")]
    every, _ = list_features(learned(), Wanted(family="sib"), 10**6)
    often = [max(one.alpha, 1 / one.alpha) for one in every if one.count >= 2]
    expected = sorted(often, reverse=True)[: len(strongest.rows)]
    for cells, factor in zip(strongest.rows, expected, strict=True):
        assert cells[6] in (f"{factor:.2f}", f"{1 / factor:.2f}")
        assert int(cells[7]) >= 2


@pytest.mark.parametrize(
    ("opened", "covered", "count", "verdict"),
    [
        # log 2 · √n is 6.9, and 1.2
        (2.0, 0.5, 100, "holds"),
        (2.0, 0.5, 3, "not established"),
        (2.0, 1.5, 100, "does not hold"),
        (0.5, 1.5, 100, "does not hold"),
    ],
)
def test_the_finding(monkeypatch, opened, covered, count, verdict):
    found = {0: [row(count, opened)], 1: [row(count, covered, 1)]}
    monkeypatch.setattr(xiang, "_verb_features", lambda _: found)
    finding = siblings_exhibit(learned(), "me+cov+sib").findings[-1]
    assert finding.verdict == verdict
    assert finding.cases[0].startswith(f"open: {opened:.2f}, {count} times, p ")
    assert finding.cases[1].startswith(f"covered: {covered:.2f}, {count} times, p ")


@pytest.mark.parametrize(
    ("alphas", "verdict"),
    [
        ({"QP": 2.0, "NP": 1.9, "CP": 3.4}, "holds"),
        ({"QP": 2.0, "NP": 0.4, "CP": 3.4}, "does not hold"),
        ({"QP": 2.0, "NP": 1.01, "CP": 3.4}, "not established"),
        ({}, "not established"),
    ],
)
def test_the_finding_about_the_empty_particle(monkeypatch, alphas, verdict):
    def features(_learned, word="", node="", **_wanted):
        assert word in ("", "de")
        return [row(100, alphas[node])] if node in alphas else []

    monkeypatch.setattr(xiang, "_features", features)
    finding = siblings_exhibit(learned(), "me+cov+sib").findings[0]
    assert finding.verdict == verdict
    assert len(finding.cases) == len(alphas)
    for case, alpha in zip(finding.cases, alphas.values(), strict=True):
        assert f": {alpha:.2f}, 100 times, p " in case
