"""The objective of tuning: a metric, or a weighted sum of several.

    bleu        ter        bleu-ter        bleu+ribes        0.5*bleu-0.5*ter

Error rates must be subtracted; a single one is minimised. A combination is itself a metric: its
statistics are the concatenated statistics of its terms, its score is the weighted sum of theirs.
Names may contain hyphens (`bleu-1`, `meteor-exact-stem`): the longest known name wins.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np

from hyperbaton.foundation.arrays import FloatArray
from hyperbaton.foundation.errors import SettingError, nearest
from hyperbaton.tuning.metrics import catalogue
from hyperbaton.tuning.metrics.base import Metric, Outputs
from hyperbaton.tuning.metrics.words import TextOptions

EXAMPLES = "bleu, ter, bleu-ter, bleu+ribes, 0.5*bleu-0.5*ter"
_UNKNOWN = re.compile(r"[+-]?(?:[\d.]+\*)?([^+-]*)")
_NOTHING = Outputs([""], [["a"]], [[]], [[]])  # shows how many statistics a metric has


@dataclass(frozen=True)
class Term:
    factor: float  # negative if subtracted
    metric: Metric


class Objective(Metric):
    """A weighted sum of metrics; higher is always better."""

    def __init__(self, terms: Sequence[Term]) -> None:
        self.terms = tuple(terms)
        self.needs_visits = any(term.metric.needs_visits for term in self.terms)
        self.scale = sum(abs(term.factor) * term.metric.scale for term in self.terms)
        self.name = _name(self.terms)
        # A single metric is shown in its usual direction
        self.shown_sign = -1.0 if len(terms) == 1 and terms[0].factor < 0 else 1.0
        widths = [term.metric.statistics(_NOTHING).shape[1] for term in self.terms]
        self._ends = [0, *accumulate(widths)]
        self.n_statistics = sum(widths)

    @property
    def signature(self) -> str:
        return "; ".join(f"{term.metric.name}: {term.metric.signature}" for term in self.terms)

    def statistics(self, outputs: Outputs) -> FloatArray:
        return np.concatenate([term.metric.statistics(outputs) for term in self.terms], axis=1)

    def score(self, sums: FloatArray) -> FloatArray:
        return self._weighted("score", sums)

    def sentence_scores(self, statistics: FloatArray) -> FloatArray:
        return self._weighted("sentence_scores", statistics)

    def smooth_sentence_scores(self, statistics: FloatArray) -> FloatArray:
        return self._weighted("smooth_sentence_scores", statistics)

    def shown(self, score: float) -> float:
        """A score for display: an error rate becomes positive."""
        return self.shown_sign * score + 0.0  # never −0

    def _weighted(self, method: str, sums: FloatArray) -> FloatArray:
        """The weighted sum of the results of a method of each term's metric."""
        total = np.zeros(sums.shape[:-1])
        for term, (begin, end) in zip(self.terms, pairwise(self._ends), strict=True):
            total = total + term.factor * getattr(term.metric, method)(sums[..., begin:end])
        return total


def make_objective(
    text: str, references: catalogue.References, options: TextOptions = TextOptions()
) -> Objective:
    factors = parse_objective(text)
    metrics = catalogue.make_metrics(factors, references, options)
    return Objective(
        [Term(factor, metric) for factor, metric in zip(factors.values(), metrics, strict=True)]
    )


def parse_objective(text: str) -> dict[str, float]:
    """Parses a weighted sum into factors by metric.

    >>> parse_objective("bleu-ter")
    {'bleu': 1.0, 'ter': -1.0}
    >>> parse_objective("0.5*bleu-1+ribes")
    {'bleu-1': 0.5, 'ribes': 1.0}
    """
    compact = re.sub(r"\s", "", text)
    # The longest name first, and only if followed by the next term or the end
    known = "|".join(
        sorted(map(re.escape, [*catalogue.METRICS, *catalogue.ALIASES]), key=len, reverse=True)
    )
    pattern = re.compile(
        rf"([+-]?)(?:(\d+\.?\d*|\.\d+)\*)?({known}|[\w.]+:\w+)(?=[+-]|$)", re.IGNORECASE
    )
    factors: dict[str, float] = {}
    at = 0
    while at < len(compact) or not factors:
        term = pattern.match(compact, at)
        if term is None or (at > 0 and not term[1]):
            raise _not_understood(text, compact[at:].lower())
        name = catalogue.check_name(term[3])
        if name in factors:
            raise SettingError(f"{name} occurs twice in the metric {text!r}", expected="once")
        factors[name] = float(term[2] or 1) * (-1 if term[1] == "-" else 1)
        at = term.end()
    return _with_signs(text, factors)


def _with_signs(text: str, factors: dict[str, float]) -> dict[str, float]:
    """Checks the signs; a single error rate gets a negative factor."""
    for name, factor in factors.items():
        if factor == 0:
            raise SettingError(f"{name} has the factor 0 in the metric {text!r}")
        is_error = not catalogue.find_metric(name)([], TextOptions()).higher_is_better
        if is_error and len(factors) == 1:
            return {name: -abs(factor)}
        if is_error == (factor > 0):
            which, advice = (
                ("lower", f"subtract it: bleu-{name}") if is_error else ("higher", "add it")
            )
            raise SettingError(
                f"{name} has the wrong sign in {text!r}: {which} is better", expected=advice
            )
    return factors


def _not_understood(text: str, rest: str) -> SettingError:
    unknown = _UNKNOWN.match(rest)
    name = unknown[1] if unknown else ""
    # The rest may be meant as one name with hyphens
    known = nearest(rest.lstrip("+-") or name, list(catalogue.METRICS))
    what = f"unknown metric {name!r}" if name else "a metric is missing"
    return SettingError(f"{what} in {text!r}", expected=known, advice=f"examples: {EXAMPLES}")


def _name(terms: Sequence[Term]) -> str:
    if len(terms) == 1 and abs(terms[0].factor) == 1:
        return terms[0].metric.name
    text = ""
    for term in terms:
        sign = " − " if term.factor < 0 else " + " if text else ""
        factor = "" if abs(term.factor) == 1 else f"{abs(term.factor):g}·"
        text += f"{sign}{factor}{term.metric.name}"
    return text.strip()
