"""Presets: comparisons like those in the papers' tables, for any data. Their files are in
`papers/`.

A preset is a comparison file (`tuning/comparison/configuration.py`) without data, with the paper's
tables and claims, which are tested here. The papers used other and larger data, so scores are not
comparable; the ranking of the systems should be. Figures without printed numbers are not included.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from pathlib import Path

from hyperbaton.foundation.errors import SettingError, check_known
from hyperbaton.models.distortion.catalogue import split_model
from hyperbaton.tuning.comparison.configuration import (
    ComparedSystem,
    Configuration,
    limit_name,
    read_record,
)
from hyperbaton.tuning.comparison.result_tables import runs_text
from hyperbaton.tuning.comparison.results import Comparison
from hyperbaton.tuning.evaluation.data_sets import Sentences
from hyperbaton.tuning.evaluation.significance import SIGNIFICANT, find_test
from hyperbaton.tuning.evaluation.tables import Table
from hyperbaton.tuning.evaluation.verdicts import Case, Finding, judge_claims
from hyperbaton.tuning.metrics.base import Metric
from hyperbaton.tuning.metrics.catalogue import make_metrics
from hyperbaton.tuning.weights.settings import TuneSettings

PRESETS = ("goto", "ni", "xiang", "alrajeh", "durrani", "attention", "all")
FOLDER = Path(__file__).parent / "papers"
PAPER_RESAMPLES = 10_000  # Holm's correction multiplies p-values by the number of tests
Pair = tuple[str, str]  # of systems


@dataclass(frozen=True)
class Claim:
    """Claims that the first system of each pair beats the second in each metric; with a margin,
    that it is not worse by more than the margin."""

    source: str
    pairs: tuple[Pair, ...]
    metrics: tuple[str, ...] = ("bleu",)
    margin: float = 0.0
    both_ways: bool = False  # with a margin: in both directions, so that they are equal
    limits: tuple[tuple[int, int], ...] = ()  # of the two systems; empty: every limit, for both


@dataclass(frozen=True)
class PaperTable:
    title: str
    text: str  # lines with entries separated by two or more spaces
    notes: tuple[str, ...] = ()
    exhibits: tuple[str, ...] = ()  # where it is shown; empty: with the scores

    @property
    def table(self) -> Table:
        header, *rows = [re.split(r"  +", line.strip()) for line in self.text.strip().splitlines()]
        return Table(header, rows, self.notes, f"the paper's figures: {self.title}")


@dataclass(frozen=True)
class Preset:
    """A comparison without its data."""

    title: str
    baseline: str
    limits: tuple[int, ...]
    system: tuple[ComparedSystem, ...]
    lowercase: bool = False
    alpha: float = SIGNIFICANT
    exhibits: tuple[str, ...] = ()  # names in `making.py`
    claim: tuple[Claim, ...] = ()
    table: tuple[PaperTable, ...] = ()
    tune: TuneSettings = TuneSettings()

    def tables(self, exhibit: str = "") -> list[Table]:
        """The paper's tables for an exhibit, or by default for the scores."""
        return [paper.table for paper in self.table if exhibit in (paper.exhibits or ("",))]


@cache
def find_preset(name: str) -> Preset:
    check_known("preset", name, PRESETS)
    return read_record(FOLDER / f"{name}.toml", Preset)


def apply_preset(configuration: Configuration, name: str) -> Configuration:
    """Fills in the preset's systems, limits and so on where the configuration does not set them.

    Without trees, systems with parse features are omitted.
    """
    preset = find_preset(name)
    systems = preset.system
    if configuration.train.source_tree is None:
        systems = tuple(
            s for s in systems if all(split_model(m)[0] != "parse" for m in s.distortion)
        )
        if len(systems) < 2 and not configuration.system:
            raise SettingError(
                f"the preset {name!r} needs trees of the source sentences",
                expected="source_tree in [train], [dev] and [[test]]",
            )
    systems = configuration.system or systems
    names = [system.name for system in systems]
    tune, lowercase, alpha = configuration.tune, configuration.lowercase, configuration.alpha
    return replace(
        configuration,
        preset=name,
        title=configuration.title or preset.title,
        system=systems,
        baseline=configuration.baseline or (preset.baseline if preset.baseline in names else ""),
        limits=configuration.limits or preset.limits,
        lowercase=preset.lowercase if lowercase is None else lowercase,
        alpha=preset.alpha if alpha is None else alpha,
        tune=replace(
            tune,
            method=tune.method or preset.tune.method,
            protocol=tune.protocol or preset.tune.protocol,
        ),
    )


def findings(comparison: Comparison, claims: Iterable[Claim]) -> list[Finding]:
    """Tests the claims whose systems, limits and metrics are in the comparison, on all tuning
    runs."""
    cells = {(cell.system, cell.limit) for cell in comparison.cells}
    cases: dict[str, list[Case]] = {}
    for claim in claims:
        for name, pair, test in product(claim.metrics, claim.pairs, comparison.tests):
            metric = _metric(comparison, test, name)
            for limits in claim.limits or [(limit, limit) for limit in comparison.limits]:
                if metric is not None and cells.issuperset(zip(pair, limits, strict=True)):
                    of_claim = cases.setdefault(_statement(claim, pair, metric), [])
                    of_claim += _cases(comparison, claim, pair, test.name, metric, limits)
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
            f"{name} at limit {_limits_text(limits)}"
            for name, limits in zip(pair, zip(*claim.limits, strict=True), strict=True)
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
    """The cases of a claim: one, or one per direction."""
    better, worse = (
        comparison.cell(system, limit).statistics(test, metric)
        for system, limit in zip(pair, limits, strict=True)
    )
    sign = 1 if metric.higher_is_better else -1
    cases = []
    for direction in (1, -1) if claim.both_ways else (1,):
        shift = {"shift": sign * direction * claim.margin} if claim.margin else {}
        # a margin needs the bootstrap: randomisation can only test for any difference
        test_two = find_test("bootstrap" if shift else comparison.configuration.significance)
        result = test_two(metric, worse, better, n_resamples=PAPER_RESAMPLES, **shift)
        gain = sign * direction * result.difference + claim.margin
        text = f"{test}, limit {_limits_text(limits)}: {result.difference:+.2f}"
        cases.append(Case(text, gain, result.p_value, PAPER_RESAMPLES))
    return cases
