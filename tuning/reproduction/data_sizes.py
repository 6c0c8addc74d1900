"""Translation quality by the size of the training data (Ni et al. 2011, Figure 16): the lexicalised
baseline and DPR with three classes, on a quarter, a half and all of the data.

The smaller sizes are drawn at random once per tuning run of the comparison; each quarter is part of
the half of the same draw. Each draw is a separate comparison in its own folder, trained anew and
tuned once. With all data there is only one draw, so the tuning runs replace the draws. A stopped
run resumes like any other comparison.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
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
from hyperbaton.tuning.evaluation.verdicts import Finding, judge_claims
from hyperbaton.tuning.metrics.base import Metric
from hyperbaton.tuning.reproduction.exhibit import NI, Exhibit, LeftOut
from hyperbaton.tuning.reproduction.material import ExhibitKind, Material
from hyperbaton.tuning.reproduction.repetitions import gain_case, spread, spread_series

NAME, TITLE = "data_sizes", "More training data (Ni et al. 2011, Figure 16)"
MOSES, DPR = "MOSES", "DPR-3"
METRICS = ("WER", "BLEU", "NIST", "METEOR")  # metrics of the figure, by the start of their names
DATA_PARTS = (4, 2)  # divisors of the training data
FEWEST_PAIRS = 200  # minimum pairs of a part
FOLDER = "sizes"


@dataclass(frozen=True, eq=False)
class Measured:
    """Both systems at one size, on one test set, by one metric."""

    metric: Metric
    scores: Mapping[str, FloatArray]  # by system, (n_draws,)

    @property
    def gains(self) -> FloatArray:
        difference = self.scores[DPR] - self.scores[MOSES]
        return difference if self.metric.higher_is_better else -difference


BySize = Mapping[str, Mapping[int, Sequence[Measured]]]  # by test set and size, one per metric


def _systems(configuration: Configuration) -> tuple[ComparedSystem, ...]:
    systems = tuple(s for s in configuration.system if s.name in (MOSES, DPR))
    if len(systems) < 2:
        raise LeftOut(f"it needs systems with the names {MOSES} and {DPR}")
    return systems


def _sizes(material: Material) -> list[int]:
    with open_binary(material.configuration.train.source) as stream:
        n_pairs = sum(1 for _ in stream)
    if n_pairs // max(DATA_PARTS) < FEWEST_PAIRS:
        raise LeftOut(f"a quarter of {n_pairs:,} training pairs is too small")
    return [n_pairs // part for part in DATA_PARTS] + [n_pairs]


def _depends(material: Material) -> Iterable[Any]:
    configuration = material.configuration
    systems = _systems(configuration)
    train = [path for path in vars(configuration.train).values() if isinstance(path, Path)]
    tests = [item for test in configuration.test for item in (test.name, *test.files.values())]
    whole = _measured([material.comparison])
    sections = ("phrases", "lm", "classes", "search", "text")
    return [
        [exact_models(configuration, system) for system in systems],
        configuration.limits[:1],
        configuration.metrics,
        configuration.seed,
        [asdict(getattr(configuration, name)) for name in sections],
        configuration.tune.plain(),
        DATA_PARTS,
        [scores.tolist() for row in whole.values() for m in row for scores in m.scores.values()],
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
        test.name: {size: measured[test.name] for size, measured in by_size.items()}
        for test in material.comparison.tests
    }
    return sizes_exhibit(by_test)


KIND = ExhibitKind(NAME, TITLE, _depends, _make)


def _compared(material: Material, n_pairs: int, size: int, draw: int) -> Comparison:
    """Compares both systems on a part of the training data, tuned once."""
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
    """The scores of all tuning runs of all comparisons at the first limit, by test set."""
    first = comparisons[0]

    def scores(system: str, test: str, metric: Metric) -> FloatArray:
        replicas = [run for comparison in comparisons for run in _replicas(comparison, system)]
        return np.array([replica.score(test, metric) for replica in replicas])

    return {
        test.name: [
            Measured(metric, {name: scores(name, test.name, metric) for name in (MOSES, DPR)})
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
                spreads = [spread(metrics[place].scores[system]) for metrics in by_size.values()]
                lines.append(spread_series(system, spreads))
                rows.append([f"{system}, {name}", *(values.text(2) for values in spreads)])
            caption = f"{test}: {name} by training data, as in Figure 16"
            charts.append(Chart(caption, header[1:], lines, header[0], name, digits=2))
        tables.append(Table(header, rows, title=f"{test}: mean and deviation of the draws"))
    n_draws = len(first.gains)
    notes = [
        f"{counted(n_draws, 'random draw')} of each size, each trained and tuned anew; with all "
        "data, the same number of tuning runs."
    ]
    return Exhibit(NAME, TITLE, notes, tables, charts, _findings(by_test))


def _findings(by_test: BySize) -> list[Finding]:
    cases, growth = [], []
    for test, by_size in by_test.items():
        gains = {
            size: measured.gains
            for size, row in by_size.items()
            for measured in row
            if measured.metric.name == "BLEU"
        }
        for size, values in gains.items():
            cases.append(gain_case(f"{test}, {size:,} pairs: {values.mean():+.2f}", values))
        if gains:
            first, *_, last = gains.values()
            text = f"{first.mean():+.2f} with {min(gains):,} pairs, {last.mean():+.2f} with all"
            growth.append(gain_case(f"{test}: {text}", last - first))
    claims = {
        f"{NI}, Figure 16: {DPR} beats {MOSES} in BLEU at every size": cases,
        f"{NI}, Figure 16: the more data, the larger the gain in BLEU": growth,
    }
    return judge_claims(claims)
