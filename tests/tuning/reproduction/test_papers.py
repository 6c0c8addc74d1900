"""The papers' figures and claims, and verdicts on our data, by hand."""

from itertools import chain

import pytest

from tests.tuning.report.comparisons import make_comparison
from tuning.reproduction.exhibit import Finding, holds, verdict
from tuning.reproduction.paper_tables import _table
from tuning.reproduction.papers import PAPERS, Claim, findings
from tuning.reproduction.presets import PRESETS


@pytest.mark.parametrize(
    ("signs", "sure", "expected"),
    [
        ([], [], "cannot be tested here"),
        ([True, True], [True, True], "holds"),
        ([True, True], [True, False], "holds, not always significantly"),
        ([True, True], [False, False], "holds, but not significantly"),
        ([True, False], [True, True], "holds in some cases"),
        ([False], [True], "does not hold"),
        ([False, False], [False, True], "does not hold"),
        ([False, False], [False, False], "does not hold (no significant difference)"),
    ],
)
def test_verdicts(signs, sure, expected):
    assert verdict(signs, sure) == expected


@pytest.mark.parametrize(
    ("cases", "expected"),
    [
        ([], "cannot be tested here"),
        ([True, True], "holds"),
        ([True, False], "holds in some cases"),
        ([False], "does not hold"),
    ],
)
def test_verdicts_without_significance(cases, expected):
    assert holds(cases) == expected


def test_a_finding_is_a_line():
    assert (
        Finding("A beats B", "holds", ("t: +1", "u: +2")).line == "A beats B — holds (t: +1; u: +2)"
    )
    assert Finding("A beats B", "cannot be tested here", ()).line == (
        "A beats B — cannot be tested here"
    )


def numbers(table):
    """By the name of the row."""
    return {row[0]: [float(cell) for cell in row[1:]] for row in table.rows}


def test_tables_are_read_from_columns_two_spaces_apart():
    table = _table("T", "\nrow name  a b  c\nx y         1  2.5\n", "a note")
    assert table.header == ["row name", "a b", "c"]
    assert table.rows == [["x y", "1", "2.5"]]
    assert (table.notes, table.title) == (("a note",), "the paper's figures: T")


@pytest.mark.parametrize("name", list(PAPERS))
def test_no_row_of_a_paper_has_lost_a_column(name):
    """One space too few between two figures makes one cell of them."""
    paper = PAPERS[name]
    for table in (*paper.tables, *chain.from_iterable(paper.exhibits.values())):
        assert {len(row) for row in table.rows} == {len(table.header)}, table.title


@pytest.mark.parametrize("name", ["goto", "alrajeh"])
def test_the_claims_hold_in_the_papers_own_figures(name):
    """Everything in these tables is BLEU, so a claim can be read off every column."""
    figures = numbers(PAPERS[name].tables[0])
    assert len(PAPERS[name].claims) >= 2
    for claim in PAPERS[name].claims:
        pairs = zip(figures[claim.better], figures[claim.worse], strict=True)
        assert all(better > worse for better, worse in pairs), claim


def test_the_claims_of_ni_and_xiang_hold_in_their_figures():
    bleu = {name: row[1] for name, row in numbers(PAPERS["ni"].tables[0]).items()}
    for claim in PAPERS["ni"].claims:
        assert bleu[claim.better] > bleu[claim.worse], claim
    order, scores = map(numbers, PAPERS["xiang"].tables)
    for claim in PAPERS["xiang"].claims:
        figures = {"pdscore": order, "bleu": scores}[claim.metric]
        assert figures[claim.better][0] > figures[claim.worse][0], claim


@pytest.mark.parametrize("name", list(PAPERS))
def test_claims_are_about_systems_of_the_preset(name):
    systems = {system.name for system in PRESETS[name].systems}
    for claim in PAPERS[name].claims:
        assert {claim.better, claim.worse} <= systems


@pytest.fixture(scope="module")
def comparison():
    """A and B are far apart, C is A again."""
    errors = {"A": 0.02, "B": 0.5, "C": 0.02}
    return make_comparison(errors, (6, -1), n_sentences=30, metrics=("bleu", "ter", "pdscore"))


def test_what_is_clearly_better_is_found_so(comparison):
    [finding] = findings(comparison, [Claim("A", "B", "Nobody 1999", "pdscore")])
    assert finding.statement == "Nobody 1999: A beats B in PDscore"
    assert finding.verdict == "holds"
    assert [case.split(":")[0] for case in finding.cases] == ["test, limit 6", "test, limit ∞"]
    assert all(": +" in case and case.endswith("p 0.001") for case in finding.cases)
    [finding] = findings(comparison, [Claim("B", "A", "Nobody 1999")])
    assert finding.verdict == "does not hold"


def test_of_an_error_rate_less_is_better(comparison):
    [finding] = findings(comparison, [Claim("A", "B", "Nobody 1999", "ter")])
    assert finding.verdict == "holds"
    assert all(": -" in case for case in finding.cases)
    [finding] = findings(comparison, [Claim("A", "B", "Nobody 1999", "wer")])  # not in the table
    assert finding.statement.endswith("in WER")
    assert finding.verdict == "holds"


def test_claims_about_systems_that_are_not_there_are_left_out(comparison):
    assert findings(comparison, [Claim("A", "D", "Nobody 1999")]) == []


def test_word_order_cannot_be_judged_without_alignments():
    comparison = make_comparison({"A": 0.1, "B": 0.4}, n_sentences=5, aligned=False)
    [finding] = findings(comparison, [Claim("A", "B", "Nobody 1999", "pdscore")])
    assert finding.line == "Nobody 1999: A beats B in pdscore — cannot be tested here"
