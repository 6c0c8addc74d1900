"""Several tuning runs with different seeds: how much chance matters, and what to keep.

Which weights are kept:

* `best`: those of the run that scores best on the development set;
* `goto` (Goto et al. 2013, section 4.2): runs see the first half of the development set only, and
  those that score best on its second half are kept;
* `average`: the mean of all runs' weights, which varies less than they do (Cettolo et al. 2011).

Whatever is kept has been measured by decoding, and never scores less than the weights that the
system had: these are kept if nothing is better.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from decoder.translator import Translator
from models.data.sentence import Sentence
from models.errors import DataError, SettingError, nearest
from models.progress import Progress
from tuning.weights.loop import TuneResult, measure, tune
from tuning.weights.settings import TuneSettings
from tuning.weights.task import Talk
from tuning.weights.vector import make_weight_vector

PROTOCOLS = ("best", "goto", "average")


@dataclass(frozen=True)
class Replicas:
    runs: tuple[TuneResult, ...]
    protocol: str
    weights: dict[str, float]  # that are kept
    score: float  # of them, on what they were chosen by
    initial_score: float  # of the weights before, on the same
    held_out: tuple[float, ...]  # scores of the runs on the second half; empty if there is none
    chosen: str  # in words

    @property
    def scores(self) -> tuple[float, ...]:
        """What the runs are compared by."""
        return self.held_out or tuple(run.dev_score for run in self.runs)

    @property
    def mean(self) -> float:
        return float(np.mean(self.scores))

    @property
    def deviation(self) -> float:
        """Of the sample; NaN for a single run."""
        return float(np.std(self.scores, ddof=1)) if len(self.runs) > 1 else float("nan")


def tune_replicas(
    translator: Translator,
    sentences: Sequence[Sentence],
    references: Sequence[Sequence[str]],
    settings: TuneSettings = TuneSettings(),
    state: Path | None = None,
    progress: Progress | None = None,
    *,
    replicas: int = 3,
    protocol: str = "best",
    fixed: Sequence[str] = (),
    reference_visits: Sequence[Sequence[int]] | None = None,
    threads: int = 2,
    model: str = "",
    talk: Talk = lambda _: None,
) -> Replicas:
    """Runs with the seeds `settings.seed`, `settings.seed + 1`, and so on."""
    if protocol not in PROTOCOLS:
        raise SettingError(
            f"there is no protocol {protocol!r}", expected=nearest(protocol, list(PROTOCOLS))
        )
    middle = len(sentences) // 2 if protocol == "goto" else len(sentences)
    if protocol == "goto" and len(sentences) < 2:
        raise DataError("a development set of one sentence has no halves", where="--protocol goto")

    def part(which: slice) -> dict[str, Sequence[Sequence[int]] | None]:
        return {"reference_visits": None if reference_visits is None else reference_visits[which]}

    first, second = slice(0, middle), slice(middle, None)
    runs = []
    for seed in range(settings.seed, settings.seed + replicas):
        if replicas > 1:
            talk(f"replica {seed - settings.seed + 1} of {replicas}, seed {seed}")
        runs.append(
            tune(
                translator, sentences[first], references[first], replace(settings, seed=seed),
                None if state is None else state / f"seed-{seed}", progress,
                fixed=fixed, threads=threads, model=model, talk=talk, **part(first),
            )
        )  # fmt: skip

    def score(weights: dict[str, float], which: slice) -> float:
        return measure(
            translator.with_weights(weights), sentences[which], references[which], settings,
            progress, threads=threads, **part(which),
        )  # fmt: skip

    sign = 1 if runs[0].trace.higher_is_better else -1
    given = runs[0].trace.steps[0].weights
    initial = runs[0].initial_score
    held_out: tuple[float, ...] = ()
    if protocol == "goto":
        held_out = tuple(score(run.weights, second) for run in runs)
        initial = score(given, second)
    scores = held_out or tuple(run.dev_score for run in runs)
    best = max(range(len(runs)), key=lambda number: sign * scores[number])
    kept, kept_score = runs[best].weights, scores[best]
    chosen = f"replica {best + 1}" if replicas > 1 else "the run"
    if protocol == "average":
        vector = make_weight_vector(translator.feature_names, translator.weights, fixed)
        mean = np.mean([vector.vector(run.weights) for run in runs], axis=0)
        kept = vector.by_name(vector.normalise(mean))
        kept_score, chosen = score(kept, first), f"the average of {len(runs)} replicas"
    if sign * kept_score < sign * initial:
        talk("warning: nothing is better than the weights before, so they stay")
        kept, kept_score, chosen = given, initial, "the weights before"
    return Replicas(tuple(runs), protocol, kept, kept_score, initial, held_out, chosen)
