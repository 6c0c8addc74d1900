"""The four papers' results on translation: their tables, and claims to test on our data."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from tuning.comparison.configuration import limit_name
from tuning.comparison.results import Comparison
from tuning.evaluation.significance import find_test
from tuning.evaluation.tables import Table
from tuning.metrics.catalogue import make_metrics
from tuning.reproduction import paper_tables as tables
from tuning.reproduction.exhibit import Finding, verdict
from tuning.reproduction.paper_tables import ALRAJEH, GOTO, NI, XIANG


@dataclass(frozen=True)
class Claim:
    """That one system beats another."""

    better: str
    worse: str
    source: str
    metric: str = "bleu"


@dataclass(frozen=True)
class Paper:
    tables: tuple[Table, ...]
    claims: tuple[Claim, ...]
    exhibits: Mapping[str, tuple[Table, ...]] = field(default_factory=dict)  # by name


def _chain(names: Sequence[str], source: str) -> tuple[Claim, ...]:
    """Each beats the one before it."""
    return tuple(Claim(better, worse, source) for worse, better in pairwise(names))


_GOTO_CHAIN = _chain(["LINEAR", "LINEAR+LEX", "9-CLASS", "PAIR", "SEQUENCE"], f"{GOTO}, Table 3")
METEOR = "meteor-exact-stem"
_PARSE_ROWS = ("ME+PRIOR", "ME+COV", "ME+SIB", "ME+COV+SIB", "ME+PRIOR+COV+SIB")

PAPERS = {
    "goto": Paper((tables.GOTO_3,), _GOTO_CHAIN),
    "ni": Paper(
        (tables.NI_7,),
        tuple(
            Claim(better, worse, f"{NI}, Table 7", metric)
            for better, worse, metrics in (
                # WER and METEOR where the table has a gain
                ("DPR-3", "MOSES", ("bleu", "nist", METEOR)),
                ("DPR-5", "MOSES", ("bleu", "nist")),
                ("DPR-3", "ME-3", ("wer", "bleu", "nist", METEOR)),
                ("DPR-5", "ME-5", ("wer", "bleu", "nist", METEOR)),
            )
            for metric in metrics
        ),
        dict.fromkeys(("ni_classification", "ni_classification_paper"), (tables.NI_5, tables.NI_6)),
    ),
    "xiang": Paper(
        (tables.XIANG_2, tables.XIANG_3_4),
        (
            *(Claim(name, "ME", f"{XIANG}, Table 2", "pdscore") for name in _PARSE_ROWS),
            Claim("ME", "PBT", f"{XIANG}, Table 3"),
            Claim("ME+PRIOR+COV+SIB", "ME", f"{XIANG}, Table 3"),
        ),
        {"siblings": (tables.XIANG_5, tables.XIANG_1, tables.XIANG_SIZES)},
    ),
    "alrajeh": Paper(
        (tables.ALRAJEH_3,),
        tuple(Claim(better, "LEXICAL", f"{ALRAJEH}, Table 3") for better in ("PRIMAL", "DUAL")),
        {"alrajeh_classification": (tables.ALRAJEH_2,)},
    ),
    "all": Paper(
        (),
        (
            *_GOTO_CHAIN,
            Claim("DPR-3", "LINEAR+LEX", f"{NI}, Table 7"),
            Claim("PARSE", "LINEAR", f"{XIANG}, Table 3"),
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
        options = comparison.configuration.text_options
        [metric] = make_metrics([claim.metric], test.references, options)
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
            sure.append(result.p_value < comparison.configuration.significant)
            where = f"{test.name}, limit {limit_name(limit)}"
            cases.append(f"{where}: {result.difference:+.2f}, p {result.p_value:.3f}")
    statement = f"{claim.source}: {claim.better} beats {claim.worse} in {name}"
    return Finding(statement, verdict(signs, sure), tuple(cases))
