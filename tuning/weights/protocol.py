"""Tunes several times with different seeds, and chooses the weights to keep by a protocol:

* `best`: the weights of the run that scores best on the development set;
* `goto` (Goto et al. 2013, section 4.2): tune on the first half of the development set, and keep
  the weights that score best on its second half;
* `average`: the mean of the weights of all runs, which varies less (Cettolo et al. 2011).

The weights are scored by decoding. If they do not score better than the old weights, the old ones
are kept.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from hyperbaton.foundation.errors import DataError
from hyperbaton.tuning.evaluation.data_sets import Sentences
from hyperbaton.tuning.weights.loop import TuneResult, measure, tune
from hyperbaton.tuning.weights.mbr_scale import ScaleChoice
from hyperbaton.tuning.weights.settings import AVERAGE, GOTO
from hyperbaton.tuning.weights.task import TuningTask
from hyperbaton.tuning.weights.vector import WeightVector


@dataclass(frozen=True)
class Replicas:
    runs: tuple[TuneResult, ...]
    protocol: str
    weights: dict[str, float]  # the weights kept
    score: float  # of these weights, on the sentences that decided
    initial_score: float  # of the old weights, on the same sentences
    held_out: tuple[float, ...]  # scores of the runs on the second half; empty if there is none
    chosen: str  # which weights were kept, in words
    mbr: ScaleChoice | None = None  # if requested

    @property
    def scores(self) -> tuple[float, ...]:
        """The scores by which the runs are compared."""
        return self.held_out or tuple(run.dev_score for run in self.runs)

    @property
    def gained(self) -> bool:
        return self.score != self.initial_score

    @property
    def learned(self) -> list[float]:
        """The scores of the runs that changed the weights; of all runs if none did."""
        changed = [
            score
            for run, score in zip(self.runs, self.scores, strict=True)
            if run.weights != run.trace.steps[0].weights
        ]
        return changed or list(self.scores)

    @property
    def mean(self) -> float:
        return float(np.mean(self.learned))

    @property
    def deviation(self) -> float:
        """The sample standard deviation; NaN for a single run."""
        return float(np.std(self.learned, ddof=1)) if len(self.learned) > 1 else float("nan")


def tune_replicas(task: TuningTask, state: Path | None = None) -> Replicas:
    """Tunes with the seeds `settings.seed`, `settings.seed + 1`, and so on; with `state`, a folder,
    each run saves its progress there."""
    settings, talk = task.settings, task.reporter.talk
    settings.check()
    tuned_on, held_out = split(task.dev, settings.protocol)
    task = replace(task, dev=tuned_on)
    runs = []
    for number in range(settings.replicas):
        seed = settings.seed + number
        if settings.replicas > 1:
            talk(f"replica {number + 1} of {settings.replicas}, seed {seed}")
        seeded = replace(task, settings=replace(settings, seed=seed))
        runs.append(tune(seeded, None if state is None else state / f"seed-{seed}"))
    kept = _keep(task, tuple(runs), held_out)
    sign = 1 if runs[0].trace.higher_is_better else -1
    if sign * kept.score <= sign * kept.initial_score:
        talk("no weights scored better than the old ones, which are kept")
        old = {name: task.translator.weights[name] for name in task.vector.names}  # not rescaled
        return replace(kept, weights=old, score=kept.initial_score, chosen="the old weights")
    return kept


def split(dev: Sentences, protocol: str) -> tuple[Sentences, Sentences | None]:
    """The sentences to tune on, and those that decide between the runs if these differ."""
    if protocol != GOTO:
        return dev, None
    if len(dev) < 2:
        raise DataError(
            "the development set has only one sentence, so it cannot be halved",
            where="protocol goto",
        )
    middle = len(dev) // 2
    return dev.part(slice(0, middle)), dev.part(slice(middle, None))


def best_of(scores: Sequence[float], *, higher_is_better: bool) -> int:
    """The index of the best score, the first among equals."""
    sign = 1 if higher_is_better else -1
    return max(range(len(scores)), key=lambda number: sign * scores[number])


def average(vector: WeightVector, runs: Sequence[Mapping[str, float]]) -> dict[str, float]:
    mean = np.mean([vector.vector(weights) for weights in runs], axis=0)
    return vector.by_name(vector.normalise(mean))


def _keep(task: TuningTask, runs: tuple[TuneResult, ...], held_out: Sentences | None) -> Replicas:
    """The weights that the protocol chooses, better than the old ones or not."""
    protocol, first = task.settings.protocol, runs[0]
    if protocol == AVERAGE:
        weights = average(task.vector, [run.weights for run in runs])
        score, chosen = measure(task, weights), f"the average of {len(runs)} replicas"
        return Replicas(runs, protocol, weights, score, first.initial_score, (), chosen)
    initial = first.initial_score
    judged: tuple[float, ...] = ()
    if held_out is not None:
        judge = replace(task, dev=held_out)
        judged = tuple(measure(judge, run.weights) for run in runs)
        initial = measure(judge, first.trace.steps[0].weights)
    scores = judged or tuple(run.dev_score for run in runs)
    best = best_of(scores, higher_is_better=first.trace.higher_is_better)
    chosen = f"replica {best + 1}" if len(runs) > 1 else "the run"
    return Replicas(runs, protocol, runs[best].weights, scores[best], initial, judged, chosen)
