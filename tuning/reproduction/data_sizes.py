"""Translation quality by the size of the training data (Ni et al. 2011, Figure 16): the lexicalised
baseline and DPR with three classes, on a quarter, a half and all of the data.

Each smaller size is a comparison of its own, in a folder of its own, with everything trained and
tuned anew, but once only: so the first tuning run stands for each system at every size. It goes on
where it was stopped like any other comparison.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import nan
from pathlib import Path
from typing import Any

from models.arrays import FloatArray
from models.data.text import open_binary
from tuning.comparison.configuration import Configuration, System, line_range
from tuning.comparison.requirements import exact_models
from tuning.comparison.results import Comparison
from tuning.comparison.run import compare
from tuning.evaluation.charts import Chart, Series
from tuning.evaluation.significance import RESAMPLES, find_test
from tuning.evaluation.verdicts import Case, Finding, judge_claims
from tuning.metrics.base import Metric
from tuning.reproduction.exhibit import Exhibit, LeftOut
from tuning.reproduction.material import Kind, Material
from tuning.reproduction.paper_tables import NI

NAME, TITLE = "data_sizes", "More training data (Ni et al. 2011, Figure 16)"
BASELINE, BETTER = "MOSES", "DPR-3"
METRICS = ("WER", "BLEU", "NIST", "METEOR")  # beginnings of the names of those in the figure
PARTS = (4, 2)  # of the training data
FEWEST = 200  # pairs that a part must have
FOLDER = "sizes"


@dataclass(frozen=True, eq=False)
class Measured:
    """Both systems at one size, on one test set, by one metric."""

    metric: Metric
    statistics: Mapping[str, FloatArray]  # by system, (n_sentences, n_statistics)

    def score(self, system: str) -> float:
        return float(self.metric.score(self.statistics[system].sum(axis=0)))

    @property
    def gain(self) -> float:
        difference = self.score(BETTER) - self.score(BASELINE)
        return difference if self.metric.higher_is_better else -difference

    def p_value(self, test: str) -> float:
        both = [self.statistics[BASELINE]], [self.statistics[BETTER]]
        return find_test(test)(self.metric, *both).p_value


BySize = Mapping[str, Mapping[int, Sequence[Measured]]]  # by test set and size, a row of metrics


def _systems(configuration: Configuration) -> tuple[System, ...]:
    found = tuple(s for s in configuration.system if s.name in (BASELINE, BETTER))
    if len(found) < 2:
        raise LeftOut(f"it is about systems that are called {BASELINE} and {BETTER}")
    return found


def _n_pairs(source: Path) -> int:
    with open_binary(source) as stream:
        return sum(1 for _ in stream)


def _sizes(material: Material) -> list[int]:
    n_pairs = _n_pairs(material.configuration.train.source)
    if n_pairs // max(PARTS) < FEWEST:
        raise LeftOut(f"a quarter of {n_pairs:,} training pairs is too little")
    return [n_pairs // part for part in PARTS] + [n_pairs]


def _depends(material: Material) -> Iterable[Any]:
    configuration = material.configuration
    systems = _systems(configuration)
    train = [path for path in vars(configuration.train).values() if isinstance(path, Path)]
    tests = [item for test in configuration.test for item in (test.name, *test.files.values())]
    whole = _measured(material.comparison)
    scores = [m.score(s) for own in whole.values() for m in own for s in (BASELINE, BETTER)]
    return [
        [exact_models(configuration, system) for system in systems],
        configuration.limits[:1],
        configuration.metrics,
        configuration.significance,
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
        replace(configuration.tune, replicas=1).plain(),
        PARTS,
        scores,
        *train,
        *configuration.dev.files.values(),
        *tests,
    ]


def _make(material: Material) -> Exhibit:
    *small, whole = _sizes(material)
    by_size = {size: _measured(_compared(material, size)) for size in small}
    by_size[whole] = _measured(material.comparison)
    by_test = {
        test.name: {size: own[test.name] for size, own in by_size.items()}
        for test in material.comparison.tests
    }
    return sizes_exhibit(by_test, material.configuration.significance)


KIND = Kind(NAME, TITLE, _depends, _make)


def _compared(material: Material, size: int) -> Comparison:
    """The first lines of the training data."""
    configuration = material.comparison.configuration  # whose files are whole
    first, _ = line_range(configuration.train.lines)
    smaller = replace(
        configuration,
        train=replace(configuration.train, lines=f"{first + 1}-{first + size}"),
        system=_systems(configuration),
        baseline=BASELINE,
        limits=configuration.limits[:1],
        tune=replace(configuration.tune, replicas=1),
    )
    folder = material.folder / FOLDER / str(size)

    def talk(line: str) -> None:
        material.talk(f"{size:,} pairs: {line}")

    return compare(smaller, folder, material.threads, talk, material.progress)


def _measured(comparison: Comparison) -> dict[str, list[Measured]]:
    """By test set; the first tuning run of each system, at the first limit."""
    limit = comparison.limits[0]
    replicas = {
        name: comparison.cell(name, limit).replicas[0].statistics for name in (BASELINE, BETTER)
    }
    return {
        test.name: [
            Measured(metric, {n: own[test.name][metric.name] for n, own in replicas.items()})
            for metric in comparison.metrics[test.name]
            if metric.name.startswith(METRICS) and metric.name != "BLEU-1"
        ]
        for test in comparison.tests
    }


def sizes_exhibit(by_test: BySize, significance: str) -> Exhibit:
    charts = []
    for test, by_size in by_test.items():
        for place, first in enumerate(next(iter(by_size.values()))):
            name = first.metric.name
            lines = [
                Series(system, [own[place].score(system) for own in by_size.values()])
                for system in (BASELINE, BETTER)
            ]
            caption = f"{test}: {name} by training data, as in Figure 16"
            places = [f"{size:,}" for size in by_size]
            charts.append(Chart(caption, places, lines, "sentence pairs", name, digits=2))
    notes = ["Everything is trained and tuned anew on each size; the first tuning run of each."]
    return Exhibit(NAME, TITLE, notes, (), charts, _findings(by_test, significance))


def _findings(by_test: BySize, significance: str) -> list[Finding]:
    cases, growth = [], []
    for test, by_size in by_test.items():
        own = {
            size: measured
            for size, row in by_size.items()
            for measured in row
            if measured.metric.name == "BLEU"
        }
        for size, measured in own.items():
            text = f"{test}, {size:,} pairs: {measured.gain:+.2f}"
            p_value = measured.p_value(significance)
            cases.append(Case(text, measured.gain, p_value, RESAMPLES))
        if own:
            gains = [measured.gain for measured in own.values()]
            text = f"{test}: {gains[0]:+.2f} with {min(own):,} pairs, {gains[-1]:+.2f} with all"
            growth.append(Case(text, gains[-1] - gains[0], nan))
    claims = {
        f"{NI}, Figure 16: {BETTER} beats {BASELINE} in BLEU at every size": cases,
        f"{NI}, Figure 16: the more data, the larger the gain in BLEU": growth,
    }
    return judge_claims(claims, caveats=("one tuning run",))
