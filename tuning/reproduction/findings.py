"""Findings: what a paper states, and whether it holds on our data."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """What became of a claim on our data."""

    statement: str
    verdict: str
    cases: tuple[str, ...]  # numbers behind the verdict

    @property
    def line(self) -> str:
        cases = f" ({'; '.join(self.cases)})" if self.cases else ""
        return f"{self.statement} — {self.verdict}{cases}"


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


def holds(cases: Sequence[bool]) -> str:
    """A verdict where significance is not tested."""
    if not cases:
        return "cannot be tested here"
    if all(cases):
        return "holds"
    return "holds in some cases" if any(cases) else "does not hold"
