"""The papers' figures and claims, and verdicts on our data, by hand."""

import pytest

from tests.tuning.report.comparisons import make_comparison
from tuning.reproduction.exhibit import Finding, holds, verdict
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


def test_the_figures_of_the_papers_are_whole():
    for paper in PAPERS.values():
        for table in paper.tables:
            assert all(len(row) == len(table.header) for row in table.rows)
            numbers(table)
    # Goto et al. (2013), Table 3: sequence, Japanese, limits 10 and 30; Chinese, no limit
    sequence = numbers(PAPERS["goto"].tables[0])["SEQUENCE"]
    assert (sequence[0], sequence[2], sequence[7]) == (32.02, 33.29, 33.41)


def test_the_figures_of_the_other_experiments_are_whole():
    for paper in PAPERS.values():
        for table in (table for tables in paper.exhibits.values() for table in tables):
            assert all(len(row) == len(table.header) for row in table.rows), table.title
    three, five = map(numbers, PAPERS["ni"].exhibits["ni_classification"])
    assert len(three) == 3 * 5
    assert len(five) == 5 * 5
    for figures in (three, five):
        # every discriminative learner beats LR everywhere, and ME never beats MMS
        for lr, mmr, svm, me, mms in figures.values():
            assert min(mmr, svm, me, mms) > lr
            assert mms > me
    [table] = PAPERS["alrajeh"].exhibits["alrajeh_classification"]
    minutes = {name: row[0] for name, row in numbers(table).items()}
    assert minutes["primal"] / minutes["dual, ε 0.1"] == pytest.approx(3.8, abs=0.05)
    verbs, _, sizes = PAPERS["xiang"].exhibits["siblings"]
    assert all((float(row[6]) > 1) == (row[3] == "open") for row in verbs.rows)
    for column in (1, 2):  # features of both kinds together are as many as those of each
        me, _, cov, sib, both, _ = (int(row[column].replace(",", "")) for row in sizes.rows)
        assert both - me == (cov - me) + (sib - me)


@pytest.mark.parametrize("name", ["goto", "alrajeh"])
def test_the_claims_hold_in_the_papers_own_figures(name):
    """Everything in these tables is BLEU, so a claim can be read off every column."""
    figures = numbers(PAPERS[name].tables[0])
    assert len(PAPERS[name].claims) >= 2
    for claim in PAPERS[name].claims:
        pairs = zip(figures[claim.better], figures[claim.worse], strict=True)
        assert all(better > worse for better, worse in pairs), claim


def test_the_claims_of_ni_and_xiang_hold_in_their_figures():
    table = numbers(PAPERS["ni"].tables[0])
    column = {"wer": 0, "bleu": 1, "nist": 2, "meteor-exact-stem": 3}
    claims = {(c.better, c.worse, c.metric) for c in PAPERS["ni"].claims}
    # every gain in the table is claimed, and nothing else
    for better, worse in {(better, worse) for better, worse, _ in claims}:
        for metric, place in column.items():
            gain = table[better][place] - table[worse][place]
            is_gain = gain < 0 if metric == "wer" else gain > 0
            assert ((better, worse, metric) in claims) == is_gain, (better, worse, metric)
    assert len(claims) == len(PAPERS["ni"].claims) == 13
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
