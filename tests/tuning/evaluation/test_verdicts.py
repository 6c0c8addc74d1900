"""Verdicts, each branch by hand."""

from math import nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.tuning.evaluation.verdicts import (
    Case,
    Finding,
    footnote,
    holm,
    judge_claims,
    with_caveat,
)

FOR, AGAINST = 1.0, -1.0
SURE, UNSURE = 0.001, 0.2


@pytest.mark.parametrize(
    ("cases", "verdict"),
    [
        ([], "not established"),
        ([(FOR, SURE)], "holds"),
        ([(FOR, UNSURE)], "not established"),
        ([(AGAINST, SURE)], "does not hold"),
        ([(AGAINST, UNSURE)], "not established"),
        ([(0.0, SURE)], "not established"),
        ([(FOR, nan)], "not established"),
        ([(AGAINST, nan)], "not established"),
        ([(FOR, SURE), (FOR, SURE)], "holds"),
        ([(FOR, SURE), (FOR, UNSURE)], "not established"),
        ([(FOR, SURE), (AGAINST, UNSURE)], "not established"),
        ([(FOR, SURE), (AGAINST, SURE)], "does not hold"),
        ([(FOR, SURE), (FOR, nan)], "not established"),
    ],
)
def test_the_three_verdicts(cases, verdict):
    [finding] = judge_claims({"it rains": [Case("here", *case) for case in cases]})
    assert finding.verdict == verdict


def test_the_level_of_significance():
    claims = {"it rains": [Case("here", FOR, 0.03)]}
    assert judge_claims(claims)[0].verdict == "holds"
    assert judge_claims(claims, 0.03)[0].verdict == "not established"
    assert judge_claims(claims, 0.031)[0].verdict == "holds"


def test_findings_that_stand_together_share_their_level():
    # 0.02 · 3, then 0.03 · 2, then 0.04: none is below 0.05 but the last, which waits for the rest
    three = {name: [Case("here", FOR, p)] for name, p in (("a", 0.03), ("b", 0.02), ("c", 0.04))}
    assert {finding.verdict for finding in judge_claims(three)} == {"not established"}
    alone = {"c": three["c"]}
    assert judge_claims(alone)[0].verdict == "holds"
    # the cases of one finding stand together as well
    one = {"all": [case for cases in three.values() for case in cases]}
    assert judge_claims(one)[0].verdict == "not established"
    assert judge_claims(one)[0].n_tests == 3


def test_an_untested_case_does_not_hide_the_others():
    # it counts as a test, since it is one that was wanted
    [finding] = judge_claims({"a": [Case("here", AGAINST, 0.02), Case("there", FOR, nan)]})
    assert finding.verdict == "does not hold"
    assert finding.cases == (
        "here, p 0.020: does not hold",
        "there, not tested: not established",
    )


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_against_its_definition(p_values):
    """Rejected at α are those before the first, by size, whose p is at least α / (m − rank)."""
    corrected = holm(p_values)
    for alpha in (0.01, 0.05, 0.3, 1.0):
        rejected = set()
        for rank, place in enumerate(sorted(range(len(p_values)), key=lambda k: p_values[k])):
            if p_values[place] * (len(p_values) - rank) >= alpha:
                break
            rejected.add(place)
        assert {place for place, p in enumerate(corrected) if p < alpha} == rejected


def test_a_finding_is_a_line():
    cases = [Case("here: +2", 2.0, 1 / 1001, 1000)]
    [finding] = judge_claims({"it rains": cases}, caveats=("one day",))
    assert finding.line == "it rains — holds, one day (here: +2, p ≤ 0.001)"
    assert Finding("it rains", "not established").line == "it rains — not established"
    [both] = with_caveat([finding], "in Wales")
    assert both.judgement == "holds, one day, in Wales"
    assert with_caveat([finding], "") == [finding]


def test_the_footnote():
    claims = {"a": [Case("here", FOR, SURE)], "b": [Case("here", FOR, SURE)]}
    assert footnote(judge_claims(claims, 0.01)) == (
        "Verdicts at p < 0.01, with Holm's correction for 2 tests."
    )
    assert footnote(judge_claims({"a": claims["a"]})) == "Verdicts at p < 0.05."
    assert footnote([]) == ""
