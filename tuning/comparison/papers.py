"""What the four papers found, as figures to print beside ours and claims to test on our data.

The figures are those of the papers' tables. Their data were larger and others, so levels do not
compare; what should is which system beats which.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tuning.comparison.configuration import limit_name
from tuning.comparison.results import Comparison
from tuning.metrics.catalogue import make_metrics
from tuning.significance import find_test
from tuning.tables import Table

SIGNIFICANT = 0.05
GOTO = "Goto et al. 2013, Table 3"
NI = "Ni et al. 2011, Table 7"
XIANG = "Xiang et al. 2011, Table 2"
XIANG_BLEU = "Xiang et al. 2011, Table 3"
ALRAJEH = "Alrajeh and Niranjan 2014, Table 3"


@dataclass(frozen=True)
class Claim:
    """That one system beats another."""

    better: str
    worse: str
    source: str
    metric: str = "bleu"


@dataclass(frozen=True)
class Finding:
    """What became of a claim on our data."""

    statement: str
    verdict: str
    cases: tuple[str, ...]  # by test set and limit

    @property
    def line(self) -> str:
        cases = f" ({'; '.join(self.cases)})" if self.cases else ""
        return f"{self.statement} — {self.verdict}{cases}"


@dataclass(frozen=True)
class Paper:
    tables: tuple[Table, ...]
    claims: tuple[Claim, ...]


def _chain(names: Sequence[str], source: str, metric: str = "bleu") -> tuple[Claim, ...]:
    """Each beats the one before it."""
    return tuple(Claim(better, worse, source, metric) for worse, better in pairwise(names))


def _table(title: str, text: str) -> Table:
    """From lines whose cells are two spaces or more apart."""
    header, *rows = [re.split(r"  +", line.strip()) for line in text.strip().splitlines()]
    return Table(header, rows, title=f"the paper's figures: {title}")


_GOTO = """
BLEU        ja-en 10  20     30     ∞      zh-en 10  20     30     ∞
LINEAR      27.98     27.74  27.75  27.30  29.18     28.74  28.31  28.33
LINEAR+LEX  30.25     30.37  30.17  29.98  30.81     30.24  30.16  30.13
9-CLASS     30.74     30.98  30.92  30.75  31.80     31.56  31.31  30.84
PAIR        31.62     32.36  31.96  32.03  32.51     32.30  32.25  32.32
SEQUENCE    32.02     32.96  33.29  32.81  33.41     33.44  33.35  33.41
"""
_NI = """
system  WER   BLEU   NIST  METEOR
MOSES   24.3  44.5   8.73  66.1
DPR-3   24.6  47.1   9.04  66.4
DPR-5   24.7  47.5   9.03  66.1
ME-3    25.3  46.17  8.72  65.0
ME-5    26.0  45.0   8.49  63.9
"""
_XIANG_PDSCORE = """
PDscore           Test-278  Test-52
ME                44.58     48.96
ME+PRIOR          45.12     49.22
ME+COV            45.00     49.03
ME+SIB            45.43     49.20
ME+COV+SIB        46.16     49.45
ME+PRIOR+COV+SIB  47.68     51.04
"""
_XIANG_BLEU = """
system            BLEU, news  TER    BLEU, weblogs  TER
PBT               29.71       59.40  20.07          62.90
ME                32.12       56.78  22.42          60.36
ME+PRIOR          32.46       56.41  22.70          60.11
ME+COV            32.48       56.50  22.69          60.14
ME+SIB            32.73       56.26  22.91          59.92
ME+COV+SIB        32.94       55.97  23.04          59.78
ME+PRIOR+COV+SIB  33.15       55.62  23.25          59.56
"""
_ALRAJEH = """
BLEU     MT06   MT08
LEXICAL  30.86  34.22
PRIMAL   31.37  34.85
DUAL     31.36  34.87
"""
_PARSE_ROWS = ("ME+PRIOR", "ME+COV", "ME+SIB", "ME+COV+SIB", "ME+PRIOR+COV+SIB")

PAPERS = {
    "goto": Paper(
        (_table(f"{GOTO} (patents)", _GOTO),),
        _chain(["LINEAR", "LINEAR+LEX", "9-CLASS", "PAIR", "SEQUENCE"], GOTO),
    ),
    "ni": Paper(
        (_table(f"{NI} (Chinese to English, 50,000 pairs)", _NI),),
        (
            Claim("DPR-3", "MOSES", NI),
            Claim("DPR-5", "MOSES", NI),
            Claim("DPR-3", "ME-3", NI),
            Claim("DPR-5", "ME-5", NI),
        ),
    ),
    "xiang": Paper(
        (
            _table(f"{XIANG} (Chinese to English)", _XIANG_PDSCORE),
            _table("Xiang et al. 2011, Tables 3 and 4 (Chinese to English, MT08)", _XIANG_BLEU),
        ),
        (
            *(Claim(name, "ME", XIANG, "pdscore") for name in _PARSE_ROWS),
            Claim("ME", "PBT", XIANG_BLEU),
            Claim("ME+PRIOR+COV+SIB", "ME", XIANG_BLEU),
        ),
    ),
    "alrajeh": Paper(
        (_table(f"{ALRAJEH} (Arabic to English)", _ALRAJEH),),
        (Claim("PRIMAL", "LEXICAL", ALRAJEH), Claim("DUAL", "LEXICAL", ALRAJEH)),
    ),
    "all": Paper(
        (),
        (
            *_chain(["LINEAR", "LINEAR+LEX", "9-CLASS", "PAIR", "SEQUENCE"], GOTO),
            Claim("DPR-3", "LINEAR+LEX", NI),
            Claim("PARSE", "LINEAR", XIANG_BLEU),
        ),
    ),
}


def findings(comparison: Comparison, claims: Iterable[Claim]) -> list[Finding]:
    """For each claim whose systems are there: does it hold on this data?"""
    known = set(comparison.systems)
    return [_finding(comparison, c) for c in claims if {c.better, c.worse} <= known]


def _finding(comparison: Comparison, claim: Claim) -> Finding:
    test_two = find_test(comparison.configuration.significance)
    cases, signs, sure = [], [], []
    name = claim.metric
    for test in comparison.tests:
        [metric] = make_metrics([claim.metric], test.references)
        if metric.needs_visits and test.visits is None:
            continue
        name = metric.name
        for limit in comparison.limits:
            better, worse = (
                comparison.statistics(comparison.cell(system, limit), test, metric)
                for system in (claim.better, claim.worse)
            )
            result = test_two(metric, worse, better)
            gain = result.difference if metric.higher_is_better else -result.difference
            signs.append(gain > 0)
            sure.append(result.p_value < SIGNIFICANT)
            where = f"{test.name}, limit {limit_name(limit)}"
            cases.append(f"{where}: {result.difference:+.2f}, p {result.p_value:.3f}")
    statement = f"{claim.source}: {claim.better} beats {claim.worse} in {name}"
    return Finding(statement, verdict(signs, sure), tuple(cases))


def verdict(signs: Sequence[bool], sure: Sequence[bool]) -> str:
    """In words: whether the better system is ahead, and whether significantly, case by case."""
    if not signs:
        return "cannot be tested here"
    if all(signs):
        if all(sure):
            return "holds"
        return "holds, not always significantly" if any(sure) else "holds, but not significantly"
    if not any(signs):
        return "does not hold" if any(sure) else "does not hold (no significant difference)"
    return "holds in some cases"
