"""Decides whether findings hold, by one rule.

A finding claims a direction, such as "A beats B", and is tested in one or more cases (test sets,
distortion limits, class setups). It

    holds            if every case shows the claimed direction significantly
    does not hold    if some case shows the opposite significantly
    not established  otherwise

The p-values of findings that are reported together are corrected by Holm's method (1979): the
smallest of m is multiplied by m, the next by m − 1, and so on, and none becomes smaller than the
previous one. Then the probability that any of them is wrongly called significant is at most α.

Equality is claimed with a margin: A is not worse than B by more than the margin, nor B than A.
These are two cases, which adding the margin turns into differences above 0.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan

from hyperbaton.tuning.evaluation.significance import SIGNIFICANT, p_text

HOLDS, REFUTED, NOT_ESTABLISHED = "holds", "does not hold", "not established"


@dataclass(frozen=True)
class Case:
    """One test of a claim."""

    text: str  # what was measured, and where
    gain: float  # above 0 if it supports the claim
    p_value: float  # NaN if not tested
    n_resamples: int = 0  # behind the p-value; 0: another test

    @property
    def line(self) -> str:
        tested = "not tested" if isnan(self.p_value) else p_text(self.p_value, self.n_resamples)
        return f"{self.text}, {tested}"


@dataclass(frozen=True)
class Finding:
    """A claim and the verdict on our data."""

    statement: str
    verdict: str
    cases: tuple[str, ...] = ()  # numbers behind the verdict
    caveats: tuple[str, ...] = ()  # restrictions of the verdict
    n_tests: int = 1  # of all findings that are reported together
    alpha: float = SIGNIFICANT

    @property
    def judgement(self) -> str:
        return ", ".join([self.verdict, *self.caveats])

    @property
    def line(self) -> str:
        cases = f" ({'; '.join(self.cases)})" if self.cases else ""
        return f"{self.statement} — {self.judgement}{cases}"


def judge_claims(
    claims: Mapping[str, Sequence[Case]],  # by statement
    alpha: float = SIGNIFICANT,
    caveats: tuple[str, ...] = (),
) -> list[Finding]:
    every = [case for cases in claims.values() for case in cases]
    corrected = iter(holm([1.0 if isnan(case.p_value) else case.p_value for case in every]))
    findings = []
    for statement, cases in claims.items():
        verdicts = [_verdict(case.gain, next(corrected), alpha) for case in cases]
        lines = [case.line for case in cases]
        if len(cases) > 1:
            lines = [f"{line}: {verdict}" for line, verdict in zip(lines, verdicts, strict=True)]
        total = HOLDS if set(verdicts) == {HOLDS} else NOT_ESTABLISHED
        total = REFUTED if REFUTED in verdicts else total
        findings.append(Finding(statement, total, tuple(lines), caveats, len(every), alpha))
    return findings


def _verdict(gain: float, p_value: float, alpha: float) -> str:
    if p_value >= alpha or gain == 0:
        return NOT_ESTABLISHED
    return HOLDS if gain > 0 else REFUTED


def with_caveat(findings: Sequence[Finding], caveat: str) -> list[Finding]:
    """The findings with a further caveat; an empty one adds nothing."""
    if not caveat:
        return list(findings)
    return [replace(finding, caveats=(*finding.caveats, caveat)) for finding in findings]


def footnote(findings: Sequence[Finding]) -> str:
    """The significance level of the verdicts; empty without findings."""
    if not findings:
        return ""
    n_tests, alpha = findings[0].n_tests, findings[0].alpha
    level = f"Verdicts at p < {alpha:g}"
    return f"{level}, with Holm's correction for {n_tests} tests." if n_tests > 1 else f"{level}."


def holm(p_values: Sequence[float]) -> list[float]:
    """Corrected p-values, in the same order.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    corrected, least = [0.0] * len(p_values), 0.0
    by_size = sorted(range(len(p_values)), key=lambda place: p_values[place])
    for rank, place in enumerate(by_size):
        least = max(least, min(1.0, (len(p_values) - rank) * p_values[place]))
        corrected[place] = least
    return corrected
