"""Translation quality by the size of the training data (Ni et al. 2011, Figure 16): the lexicalised
baseline and DPR with three classes, on a quarter, a half and all of the data.

The smaller sizes are drawn at random as often as the comparison has tuning runs, each quarter from
the half of the same draw. Each is a comparison of its own, in a folder of its own, with everything
trained and tuned anew, but once only. All data cannot be drawn anew: there the tuning runs
themselves stand for the draws. It goes on where it was stopped like any other comparison.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import nan
from pathlib import Path
from typing import Any

import numpy as np

from hyperbaton.corpus.text import open_binary
from hyperbaton.foundation.arrays import FloatArray
from hyperbaton.foundation.errors import counted
from hyperbaton.tuning.comparison.configuration import ComparedSystem, Configuration
from hyperbaton.tuning.comparison.data import take
from hyperbaton.tuning.comparison.requirements import exact_models
from hyperbaton.tuning.comparison.results import Comparison, Replica
from hyperbaton.tuning.comparison.run import compare
from hyperbaton.tuning.evaluation.charts import Chart
from hyperbaton.tuning.evaluation.tables import Table
from hyperbaton.tuning.evaluation.verdicts import Case, Finding, judge_claims
from hyperbaton.tuning.metrics.base import Metric
from hyperbaton.tuning.reproduction.exhibit import NI, Exhibit, LeftOut
from hyperbaton.tuning.reproduction.material import ExhibitKind, Material
from hyperbaton.tuning.reproduction.repetitions import (
    Spread,
    paired_t_test,
    spread,
    spread_series,
)

NAME, TITLE = "data_sizes", "More training data (Ni et al. 2011, Figure 16)"
MOSES, DPR = "MOSES", "DPR-3"
METRICS = ("WER", "BLEU", "NIST", "METEOR")  # beginnings of the names of those in the figure
DATA_PARTS = (4, 2)  # of the training data
FEWEST_PAIRS = 200  # pairs that a part must have
FOLDER = "sizes"


@dataclass(frozen=True, eq=False)
class Measured:
    """Both systems at one size, on one test set, by one metric."""

    metric: Metric
    scores: Mapping[str, FloatArray]  # by system, (n_draws,)

    def spread(self, system: str) -> Spread:
        return spread(self.scores[system])

    @property
    def gains(self) -> FloatArray:
        difference = self.scores[DPR] - self.scores[MOSES]
        return difference if self.metric.higher_is_better else -difference


BySize = Mapping[str, Mapping[int, Sequence[Measured]]]  # by test set and size, a row of metrics


def _systems(configuration: Configuration) -> tuple[ComparedSystem, ...]:
    found = tuple(s for s in configuration.system if s.name in (MOSES, DPR))
    if len(found) < 2:
        raise LeftOut(f"it is about systems that are called {MOSES} and {DPR}")
    return found


def _n_pairs(source: Path) -> int:
    with open_binary(source) as stream:
        return sum(1 for _ in stream)


def _sizes(material: Material) -> list[int]:
    n_pairs = _n_pairs(material.configuration.train.source)
    if n_pairs // max(DATA_PARTS) < FEWEST_PAIRS:
        raise LeftOut(f"a quarter of {n_pairs:,} training pairs is too little")
    return [n_pairs // part for part in DATA_PARTS] + [n_pairs]


def _depends(material: Material) -> Iterable[Any]:
    configuration = material.configuration
    systems = _systems(configuration)
    train = [path for path in vars(configuration.train).values() if isinstance(path, Path)]
    tests = [item for test in configuration.test for item in (test.name, *test.files.values())]
    whole = _measured([material.comparison])
    return [
        [exact_models(configuration, system) for system in systems],
        configuration.limits[:1],
        configuration.metrics,
        configuration.seed,
        [
            asdict(own)
            for own in (
                configuration.phrases,
                configuration.lm,
                configuration.classes,
                configuration.search,
                configuration.text,
            )
        ],
        configuration.tune.plain(),
        DATA_PARTS,
        [own.tolist() for row in whole.values() for m in row for own in m.scores.values()],
        *train,
        *configuration.dev.files.values(),
        *tests,
    ]


def _make(material: Material) -> Exhibit:
    *small, whole = _sizes(material)
    draws = range(len(_replicas(material.comparison, MOSES)))
    by_size = {
        size: _measured([_compared(material, whole, size, draw) for draw in draws])
        for size in small
    }
    by_size[whole] = _measured([material.comparison])
    by_test = {
        test.name: {size: own[test.name] for size, own in by_size.items()}
        for test in material.comparison.tests
    }
    return sizes_exhibit(by_test)


KIND = ExhibitKind(NAME, TITLE, _depends, _make)


def _compared(material: Material, n_pairs: int, size: int, draw: int) -> Comparison:
    """Both systems on some of the training data, tuned once."""
    configuration, folder = material.configuration, material.folder / FOLDER / f"{size}-{draw}"
    random = np.random.default_rng([configuration.seed, draw])
    lines = random.permutation(n_pairs)[:size].tolist()
    tune = configuration.tune
    smaller = replace(
        configuration,
        train=take(configuration.train, lines, folder / "drawn"),
        system=_systems(configuration),
        baseline=MOSES,
        limits=configuration.limits[:1],
        tune=replace(tune, replicas=1, seed=tune.seed + draw),
    )

    def talk(line: str) -> None:
        material.reporter.talk(f"{size:,} pairs, draw {draw + 1}: {line}")

    return compare(smaller, folder, material.threads, material.reporter._replace(talk=talk))


def _replicas(comparison: Comparison, system: str) -> Sequence[Replica]:
    return comparison.cell(system, comparison.limits[0]).replicas


def _measured(comparisons: Sequence[Comparison]) -> dict[str, list[Measured]]:
    """By test set: all tuning runs of all comparisons, at the first limit."""
    first = comparisons[0]

    def scores(system: str, test: str, metric: Metric) -> FloatArray:
        replicas = [own for each in comparisons for own in _replicas(each, system)]
        totals = [own.statistics[test][metric.name].sum(axis=0) for own in replicas]
        return np.array([metric.score(total) for total in totals], np.float64)

    return {
        test.name: [
            Measured(metric, {own: scores(own, test.name, metric) for own in (MOSES, DPR)})
            for metric in first.metrics[test.name]
            if metric.name.startswith(METRICS) and metric.name != "BLEU-1"
        ]
        for test in first.tests
    }


def sizes_exhibit(by_test: BySize) -> Exhibit:
    tables, charts = [], []
    for test, by_size in by_test.items():
        header, rows = ["sentence pairs", *(f"{size:,}" for size in by_size)], []
        for place, first in enumerate(next(iter(by_size.values()))):
            name, lines = first.metric.name, []
            for system in (MOSES, DPR):
                spreads = [own[place].spread(system) for own in by_size.values()]
                lines.append(spread_series(system, spreads))
                rows.append([f"{system}, {name}", *map(_text, spreads)])
            caption = f"{test}: {name} by training data, as in Figure 16"
            charts.append(Chart(caption, header[1:], lines, header[0], name, digits=2))
        tables.append(Table(header, rows, title=f"{test}: mean and deviation of the draws"))
    n_draws = len(first.gains)
    notes = [
        f"{counted(n_draws, 'random draw')} of each size, everything trained and tuned anew on "
        "each; with all data, as many tuning runs.",
    ]
    return Exhibit(NAME, TITLE, notes, tables, charts, _findings(by_test))


def _text(own: Spread) -> str:
    mean = f"{own.mean:.2f}"
    return mean if own.deviation is None else f"{mean} ± {own.deviation:.2f}"


def _findings(by_test: BySize) -> list[Finding]:
    """By a paired t-test over the draws; a single draw tells nothing from chance."""
    cases, growth = [], []
    for test, by_size in by_test.items():
        gains = {
            size: measured.gains
            for size, row in by_size.items()
            for measured in row
            if measured.metric.name == "BLEU"
        }
        for size, own in gains.items():
            cases.append(_case(f"{test}, {size:,} pairs: {own.mean():+.2f}", own))
        if gains:
            first, *_, last = gains.values()
            text = f"{first.mean():+.2f} with {min(gains):,} pairs, {last.mean():+.2f} with all"
            growth.append(_case(f"{test}: {text}", last - first))
    claims = {
        f"{NI}, Figure 16: {DPR} beats {MOSES} in BLEU at every size": cases,
        f"{NI}, Figure 16: the more data, the larger the gain in BLEU": growth,
    }
    return judge_claims(claims)


def _case(text: str, differences: FloatArray) -> Case:
    p_value = nan
    if len(differences) > 1:
        p_value = paired_t_test(differences, np.zeros(len(differences))).p_value
    return Case(text, float(differences.mean()), p_value)
