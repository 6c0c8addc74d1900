"""The papers' figures and claims, and verdicts on our data, by hand."""

from collections import Counter
from dataclasses import replace

import pytest

from hyperbaton.tuning.reproduction.presets import PRESETS, Claim, PaperTable, find_preset, findings
from tests.tuning.report.comparisons import make_comparison


def numbers(table):
    """By the name of the row; – is not a number."""
    return {row[0]: [float(cell.replace("–", "nan")) for cell in row[1:]] for row in table.rows}


def claims(name):
    """A claim for every pair and metric."""
    return [
        replace(claim, pairs=(pair,), metrics=(metric,))
        for claim in find_preset(name).claim
        for metric in claim.metrics
        for pair in claim.pairs
    ]


def test_tables_are_read_from_columns_two_spaces_apart():
    table = PaperTable("T", "\nrow name  a b  c\nx y         1  2.5\n", ("a note",)).table
    assert table.header == ["row name", "a b", "c"]
    assert table.rows == [["x y", "1", "2.5"]]
    assert (table.notes, table.title) == (("a note",), "the paper's figures: T")


@pytest.mark.parametrize("name", PRESETS)
def test_no_row_of_a_paper_has_lost_a_column(name):
    """One space too few between two figures makes one cell of them."""
    for own in find_preset(name).table:
        assert {len(row) for row in own.table.rows} == {len(own.table.header)}, own.title


def test_tables_stand_with_the_scores_or_with_their_exhibit():
    def titles(*exhibit):
        return [table.title.rpartition("2011, ")[2] for table in find_preset("ni").tables(*exhibit)]

    assert titles() == ["Table 7 (Chinese to English, 50,000 pairs)"]
    sizes = "(Chinese to English, thousands of sentences)"
    assert titles("ni_classification") == [f"Table 5 {sizes}", f"Table 6 {sizes}"]
    assert titles("ni_classification_paper") == titles("ni_classification")
    assert titles("data_sizes") == []


@pytest.mark.parametrize("name", ["goto", "alrajeh"])
def test_the_claims_hold_in_the_papers_own_figures(name):
    """Everything in these tables is BLEU, so a claim can be read off every column."""
    every = list(map(numbers, find_preset(name).tables()))
    assert len(claims(name)) >= 2
    for claim in claims(name):
        [(better, worse)] = claim.pairs
        for figures in every:
            if better not in figures or worse not in figures or claim.limits:
                continue
            pairs = zip(figures[better], figures[worse], strict=True)
            assert all(better > worse - claim.margin for better, worse in pairs), claim


def test_the_claims_about_limits_hold_in_the_paper_s_own_figures():
    # limits 10, 20, 30 and none of Japanese-English; the paper makes no such claim about Chinese
    columns = {10: 0, 20: 1, 30: 2}
    figures = numbers(find_preset("goto").tables()[0])
    own = [claim for claim in claims("goto") if claim.limits]
    assert len(own) == 4
    for claim in own:
        for better, worse in claim.limits:
            row = figures[claim.pairs[0][0]]
            assert row[columns[better]] > row[columns[worse]] - claim.margin, claim


def test_the_claims_of_ni_and_xiang_hold_in_their_figures():
    table = numbers(find_preset("ni").tables()[0])
    column = {"wer": 0, "bleu": 1, "nist": 2, "meteor-exact-stem": 3}
    gains = {(*c.pairs[0], *c.metrics) for c in claims("ni") if not c.margin}
    [equal] = [claim for claim in claims("ni") if claim.margin]
    [(one, other)] = equal.pairs
    assert abs(table[one][1] - table[other][1]) < equal.margin
    # every gain in the table is claimed, and nothing else
    for better, worse in {(better, worse) for better, worse, _ in gains}:
        for metric, place in column.items():
            gain = table[better][place] - table[worse][place]
            is_gain = gain < 0 if metric == "wer" else gain > 0
            assert ((better, worse, metric) in gains) == is_gain, (better, worse, metric)
    assert len(gains) == len(claims("ni")) - 1 == 13
    order, scores = map(numbers, find_preset("xiang").tables())
    n_by_metric = Counter(claim.metrics for claim in claims("xiang"))
    assert n_by_metric == {("pdscore",): 5, ("bleu",): 8, ("ter",): 8}
    for claim in claims("xiang"):
        [metric], [(better, worse)] = claim.metrics, claim.pairs
        figures, columns = {
            "pdscore": (order, (0, 1)), "bleu": (scores, (0, 2)), "ter": (scores, (1, 3))
        }[metric]  # fmt: skip
        differences = [figures[better][column] - figures[worse][column] for column in columns]
        assert all(gain < 0 if metric == "ter" else gain > 0 for gain in differences), claim
    # no system comes near to the agreement of two translators
    assert order.pop("Ref1 vs. Ref2")[1] - 19 > max(row[1] for row in order.values())


@pytest.mark.parametrize("name", PRESETS)
def test_claims_are_about_systems_of_the_preset(name):
    systems = {system.name for system in find_preset(name).system}
    for claim in find_preset(name).claim:
        for pair in claim.pairs:
            # with a tenth of the data, only where there are enough (docs/results)
            assert set(pair) <= systems | {"SEQUENCE-TENTH"}


@pytest.fixture(scope="module")
def comparison():
    """A and B are far apart, C is A again."""
    errors = {"A": 0.02, "B": 0.5, "C": 0.02}
    return make_comparison(errors, (6, -1), n_sentences=30, metrics=("bleu", "ter", "pdscore"))


def test_what_is_clearly_better_is_found_so(comparison):
    [finding] = findings(comparison, [Claim("Nobody 1999", (("A", "B"),), ("pdscore",))])
    assert finding.statement == "Nobody 1999: A beats B in PDscore"
    assert finding.verdict == "holds"
    assert finding.caveats == ("untuned weights",)
    assert [case.split(":")[0] for case in finding.cases] == ["test, limit 6", "test, limit ∞"]
    assert all(": +" in case and case.endswith("p ≤ 0.0001: holds") for case in finding.cases)
    [finding] = findings(comparison, [Claim("Nobody 1999", (("B", "A"),))])
    assert finding.verdict == "does not hold"


def test_of_an_error_rate_less_is_better(comparison):
    [finding] = findings(comparison, [Claim("Nobody 1999", (("A", "B"),), ("ter",))])
    assert finding.verdict == "holds"
    assert all(": -" in case for case in finding.cases)


def test_the_same_system_at_two_limits(comparison):
    # of the spoilt order, a twentieth more is spoilt at limit 6 than without a limit
    claim = Claim("Nobody 1999", (("B", "B"),), limits=((-1, 6),))
    [finding] = findings(comparison, [claim])
    assert finding.statement == "Nobody 1999: B at limit ∞ beats B at limit 6 in BLEU"
    [case] = finding.cases
    difference = comparison.mean("test", comparison.cell("B", -1)) - comparison.mean(
        "test", comparison.cell("B", 6)
    )
    assert case.startswith(f"test, limit ∞ and 6: {difference:+.2f}, p ")
    [back] = findings(comparison, [replace(claim, limits=((6, -1),))])
    assert {finding.verdict, back.verdict} in ({"holds", "does not hold"}, {"not established"})
    assert findings(comparison, [replace(claim, limits=((20, 10),))]) == []


@pytest.mark.parametrize(("margin", "verdict"), [(100.0, "holds"), (0.001, "not established")])
def test_equality_needs_a_margin(comparison, margin, verdict):
    # A and C make as many errors, but not the same
    claim = Claim("Nobody 1999", (("C", "A"),), margin=margin, both_ways=True)
    [finding] = findings(comparison, [claim])
    assert finding.statement == f"Nobody 1999: C equals A in BLEU to within {margin:g}"
    assert len(finding.cases) == 2 * 2  # limits, directions
    assert finding.verdict == verdict
    # far apart is not equal, and B is not as good as A
    for better, worse in (("A", "B"), ("B", "A")):
        [far] = findings(comparison, [replace(claim, pairs=((better, worse),), margin=1.0)])
        assert far.verdict == "does not hold"
    worse = Claim("Nobody 1999", (("B", "A"),), margin=1.0)
    better = replace(worse, pairs=(("A", "B"),))
    assert [f.verdict for f in findings(comparison, [worse, better])] == ["does not hold", "holds"]


def test_findings_that_stand_together_are_corrected(comparison):
    claim = Claim("Nobody 1999", (("A", "B"),))
    [alone] = findings(comparison, [claim])
    together = findings(comparison, [claim, Claim("Nobody 1999", (("C", "B"),))])
    assert (alone.n_tests, together[0].n_tests) == (2, 4)


def test_claims_about_systems_or_metrics_that_are_not_there_are_left_out(comparison):
    assert findings(comparison, [Claim("Nobody 1999", (("A", "D"),))]) == []
    assert findings(comparison, [Claim("Nobody 1999", (("A", "B"),), ("wer",))]) == []


def test_word_order_cannot_be_judged_without_alignments():
    comparison = make_comparison({"A": 0.1, "B": 0.4}, n_sentences=5, aligned=False)
    assert findings(comparison, [Claim("Nobody 1999", (("A", "B"),), ("pdscore",))]) == []


def test_tuning_runs_and_notes_stand_beside_the_verdict():
    for replicas, text in ((1, "one tuning run"), (3, "3 tuning runs")):
        comparison = make_comparison(
            {"A": 0.02, "B": 0.5}, n_sentences=10, replicas=replicas, iterations=1,
            metrics=("bleu",), note="on a moon",
        )  # fmt: skip
        [finding] = findings(comparison, [Claim("Nobody 1999", (("A", "B"),))])
        assert finding.judgement == f"holds, {text}, on a moon"
