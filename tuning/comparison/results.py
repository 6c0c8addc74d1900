"""The results of a comparison as plain data: cells, scores and tests."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyperbaton.foundation.arrays import FloatArray, Ragged
from hyperbaton.tuning.comparison.configuration import Configuration, limit_name
from hyperbaton.tuning.evaluation.data_sets import Sentences
from hyperbaton.tuning.evaluation.scoring import Score
from hyperbaton.tuning.metrics.base import Metric, Outputs
from hyperbaton.tuning.metrics.catalogue import make_metrics
from hyperbaton.tuning.metrics.visits import Visits, visits_of_links

NUMBERS = ("score", "low", "high", "difference", "p_value")  # of a score, in records


@dataclass(frozen=True)
class Output:
    text: str
    links: Sequence[Sequence[int]]  # source and target positions
    spans: Sequence[Sequence[int]]  # source start and end, target start and end of each phrase
    tokens: Sequence[str] = ()  # to which links and spans refer, if the text is raw

    @property
    def words(self) -> Sequence[str]:
        return self.tokens or self.text.split()


@dataclass(frozen=True)
class Cost:
    """The cost of a replica in a process with one thread. It is not part of the results, which do
    not depend on the machine."""

    tuning_seconds: float  # CPU
    decoding_milliseconds: float  # per sentence, CPU
    peak_megabytes: float
    date: str = ""  # such as `2026-11-30`; empty in older folders


@dataclass(frozen=True)
class StageCost:
    title: str
    seconds: float
    peak_megabytes: float  # of the whole run so far


@dataclass(frozen=True, eq=False)
class Replica:
    """One system under one limit, tuned once."""

    seed: int
    weights: Mapping[str, float]
    dev_score: float
    choice_score: float  # decides which replica is chosen
    trace: Sequence[Mapping[str, Any]]  # by iteration: score, pool, weights
    # by test set and metric: additive statistics, (n_sentences, n_statistics)
    statistics: Mapping[str, Mapping[str, FloatArray]]
    outputs: Mapping[str, Sequence[Output]]  # by test set; only of the chosen replica
    cost: Cost

    def score(self, test: str, metric: Metric) -> float:
        return float(metric.score(self.statistics[test][metric.name].sum(axis=0)))

    @property
    def is_as_before(self) -> bool:
        """Whether tuning gained nothing, so that these are the initial weights."""
        return len(self.trace) > 1 and dict(self.weights) == self.trace[0]["weights"]


@dataclass(frozen=True, eq=False)
class Cell:
    system: str
    limit: int  # −1: none
    replicas: Sequence[Replica]
    chosen: int  # the best replica
    average: Replica | None = None  # with the mean of all replicas' weights, if requested

    @property
    def best(self) -> Replica:
        """The replica that is tested."""
        return self.average or self.replicas[self.chosen]

    @property
    def runs(self) -> Sequence[Replica]:
        """The runs behind differences and p-values: all replicas, the chosen one first, or the one
        with the mean of their weights."""
        if self.average is not None:
            return [self.average]
        others = [run for number, run in enumerate(self.replicas) if number != self.chosen]
        return [self.best, *others]

    def statistics(self, test: str, metric: Metric) -> list[FloatArray]:
        """The statistics of every run, (n_sentences, n_statistics) each."""
        return [run.statistics[test][metric.name] for run in self.runs]

    @property
    def name(self) -> str:
        return f"{self.system} @ {limit_name(self.limit)}"


@dataclass(frozen=True, eq=False)
class Comparison:
    configuration: Configuration
    tests: Sequence[Sentences]
    metrics: Mapping[str, Sequence[Metric]]  # by test set; fewer without an alignment
    cells: Sequence[Cell]  # systems in their order, limits inside
    # by test set and cell name: a score for each metric of the test set, against the baseline of
    # the same limit; and the scores of all replicas, (n_replicas, n_metrics)
    scores: Mapping[str, Mapping[str, Sequence[Score]]]
    replica_scores: Mapping[str, Mapping[str, FloatArray]]
    # by test set and limit: p of the first metric, system i (row) against j, NaN on the diagonal
    p_values: Mapping[str, Mapping[int, NDArray[np.float64]]]
    # by test set and cell name: p of the first metric against the best cell of all limits
    against_best: Mapping[str, Mapping[str, float]]
    stage_costs: Sequence[StageCost]
    versions: Mapping[str, str]

    def cell(self, system: str, limit: int) -> Cell:
        return next(c for c in self.cells if (c.system, c.limit) == (system, limit))

    def best_cell(self, test: str, cells: Iterable[Cell] = ()) -> Cell:
        """The cell with the best score by the first metric, among these or among all."""
        sign = 1 if self.metrics[test][0].higher_is_better else -1
        return max(
            cells or self.cells, key=lambda cell: sign * self.scores[test][cell.name][0].score
        )

    def mean(self, test: str, cell: Cell) -> float:
        """The mean of the first metric over the runs behind the p-values."""
        return float(np.mean([run.score(test, self.metrics[test][0]) for run in cell.runs]))

    def records(self) -> list[dict[str, Any]]:
        """One record per test set, system, limit and metric, as in `results.csv`."""
        return [
            {"test": test.name, "system": cell.system, "limit": cell.limit, "metric": metric.name}
            | {name: getattr(score, name) for name in NUMBERS}
            | _spread(self.replica_scores[test.name][cell.name][:, place])
            for test in self.tests
            for cell in self.cells
            for place, (metric, score) in enumerate(
                zip(self.metrics[test.name], self.scores[test.name][cell.name], strict=True)
            )
        ]

    def to_frame(self) -> Any:
        """The records as a pandas data frame, or as a list if pandas is not installed."""
        try:
            pandas = import_module("pandas")
        except ImportError:
            return self.records()
        return pandas.DataFrame.from_records(self.records())

    @property
    def date(self) -> str:
        """The date of the last replica; empty if unknown."""
        return max(replica.cost.date for cell in self.cells for replica in cell.replicas)

    @property
    def systems(self) -> list[str]:
        return [system.name for system in self.configuration.system]

    @property
    def limits(self) -> Sequence[int]:
        return self.configuration.limits


def _spread(scores: FloatArray) -> dict[str, Any]:
    """Mean and deviation over all replicas; a single one has no deviation."""
    deviation = float(scores.std(ddof=1)) if len(scores) > 1 else None
    return {
        "replicas_mean": float(scores.mean()),
        "replicas_deviation": deviation,
        "replicas": len(scores),
    }


def metrics_of(configuration: Configuration, test: Sentences) -> list[Metric]:
    """The metrics that can be computed: word order metrics need an alignment."""
    metrics = make_metrics(configuration.metrics, test.references, configuration.text_options)
    return [metric for metric in metrics if test.visits is not None or not metric.needs_visits]


def as_outputs(test: Sentences, outputs: Sequence[Output]) -> Outputs:
    return Outputs(
        [output.text for output in outputs],
        test.references,
        None if test.visits is None else output_visits(test, outputs),
        test.visits,
    )


def output_visits(test: Sentences, outputs: Sequence[Output]) -> Visits:
    """The order in which the translations visit the source words."""
    lengths = [len(output.links) for output in outputs]
    flat = [link for output in outputs for link in output.links]
    links = np.array(flat, np.int64).reshape(-1, 2)
    rows = Ragged(links, np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64))
    return visits_of_links(rows, np.array([len(sentence) for sentence in test.sources]))
