"""The papers' claims about systems, and whether they hold on our data."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

from hyperbaton.tuning.comparison.configuration import limit_name
from hyperbaton.tuning.comparison.result_tables import runs_text
from hyperbaton.tuning.comparison.results import Comparison
from hyperbaton.tuning.evaluation.data_sets import Sentences
from hyperbaton.tuning.evaluation.significance import find_test
from hyperbaton.tuning.evaluation.verdicts import Case, Finding, judge_claims
from hyperbaton.tuning.metrics.base import Metric
from hyperbaton.tuning.metrics.catalogue import make_metrics

PAPER_RESAMPLES = 10_000  # Holm's correction multiplies p-values by the number of tests
Pair = tuple[str, str]  # of systems


@dataclass(frozen=True)
class Claim:
    """That the first of two systems beats the second, for each pair and metric; with a margin, that
    it is not worse by more than that."""

    source: str
    pairs: tuple[Pair, ...]
    metrics: tuple[str, ...] = ("bleu",)
    margin: float = 0.0
    both_ways: bool = False  # and the other is not worse either: they are equal
    limits: tuple[tuple[int, int], ...] = ()  # of both; none: each limit, the same for both


def findings(comparison: Comparison, claims: Iterable[Claim]) -> list[Finding]:
    """Verdicts on the claims whose systems, limits and metrics are there, from all tuning runs."""
    cells = {(cell.system, cell.limit) for cell in comparison.cells}
    cases: dict[str, list[Case]] = {}
    for claim in claims:
        for name, pair, test in product(claim.metrics, claim.pairs, comparison.tests):
            metric = _metric(comparison, test, name)
            for limits in claim.limits or [(limit, limit) for limit in comparison.limits]:
                if metric is not None and cells.issuperset(zip(pair, limits, strict=True)):
                    own = cases.setdefault(_statement(claim, pair, metric), [])
                    own += _cases(comparison, claim, pair, test.name, metric, limits)
    caveats = runs_text(comparison), comparison.configuration.note
    shown = tuple(filter(None, caveats))
    return judge_claims(cases, comparison.configuration.significant, shown)


def _metric(comparison: Comparison, test: Sentences, name: str) -> Metric | None:
    [wanted] = make_metrics([name], test.references, comparison.configuration.text_options)
    known = comparison.metrics[test.name]
    return next((metric for metric in known if metric.name == wanted.name), None)


def _statement(claim: Claim, pair: Pair, metric: Metric) -> str:
    better, worse = pair
    if claim.limits:
        better, worse = (
            f"{name} at limit {_limits_text(own)}"
            for name, own in zip(pair, zip(*claim.limits, strict=True), strict=True)
        )
    if not claim.margin:
        return f"{claim.source}: {better} beats {worse} in {metric.name}"
    how = "equals" if claim.both_ways else "is as good as"
    return f"{claim.source}: {better} {how} {worse} in {metric.name} to within {claim.margin:g}"


def _limits_text(limits: Iterable[int]) -> str:
    return " and ".join(dict.fromkeys(map(limit_name, limits)))


def _cases(
    comparison: Comparison,
    claim: Claim,
    pair: Pair,
    test: str,
    metric: Metric,
    limits: tuple[int, int],
) -> list[Case]:
    """One, or one for each direction."""
    better, worse = (
        comparison.cell(system, limit).statistics(test, metric)
        for system, limit in zip(pair, limits, strict=True)
    )
    sign = 1 if metric.higher_is_better else -1
    cases = []
    for direction in (1, -1) if claim.both_ways else (1,):
        shift = {"shift": sign * direction * claim.margin} if claim.margin else {}
        # a margin needs the bootstrap: exchanges only know whether there is no difference at all
        test_two = find_test("bootstrap" if shift else comparison.configuration.significance)
        found = test_two(metric, worse, better, n_resamples=PAPER_RESAMPLES, **shift)
        gain = sign * direction * found.difference + claim.margin
        text = f"{test}, limit {_limits_text(limits)}: {found.difference:+.2f}"
        cases.append(Case(text, gain, found.p_value, PAPER_RESAMPLES))
    return cases
