"""The task of a tuning run: system, development set, metric and settings.

All mistakes are reported before anything is decoded, except one: only the first pool can show that
all translations score the same.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property

import numpy as np

from hyperbaton.decoder.recipe import Origin
from hyperbaton.decoder.translator import Translator
from hyperbaton.foundation.arrays import FloatArray
from hyperbaton.foundation.errors import DataError, SettingError, counted
from hyperbaton.foundation.progress import SILENT, Reporter, silent
from hyperbaton.foundation.work.workers import Workers
from hyperbaton.models.system.stages import fingerprint
from hyperbaton.tuning.evaluation.data_sets import Sentences
from hyperbaton.tuning.metrics.words import TextOptions
from hyperbaton.tuning.optimisers.objective import Objective, make_objective
from hyperbaton.tuning.optimisers.pool import Pool
from hyperbaton.tuning.weights.hypotheses import Hypotheses
from hyperbaton.tuning.weights.settings import TuneSettings
from hyperbaton.tuning.weights.trace import Trace
from hyperbaton.tuning.weights.vector import WeightVector, make_weight_vector

FEW_SENTENCES = 200  # with fewer sentences, much of a gain is chance


@dataclass(frozen=True, eq=False)
class TuningTask:
    """The inputs of all runs and rounds. Features in `fixed` keep their weights; `model` identifies
    the system, so that a stopped run resumes only with the same one."""

    translator: Translator
    dev: Sentences
    settings: TuneSettings = TuneSettings()
    fixed: Sequence[str] = ()
    threads: int = 2
    model: str = ""
    reporter: Reporter = SILENT
    decoded: Callable[[Trace], None] = silent  # gets the trace after each decoding
    workers: Workers | None = None  # for decoding; None: threads
    origin: Origin | None = None  # of the translator, for workers on other machines

    @cached_property
    def objective(self) -> Objective:
        options = TextOptions(self.settings.tokenize, self.settings.lowercase)
        return make_objective(self.settings.metric, self.dev.references, options)

    @cached_property
    def vector(self) -> WeightVector:
        return make_weight_vector(
            self.translator.feature_names, self.translator.weights, self.fixed
        )

    @cached_property
    def sizes(self) -> FloatArray:
        """Source words of every sentence."""
        return np.array([len(sentence) for sentence in self.dev.sources], np.float64)

    def check(self) -> None:
        self.settings.check()
        dev, objective = self.dev, self.objective
        if len(dev.sources) != len(dev.references):
            raise DataError(
                f"the development set has {len(dev)} sentences and references for "
                f"{len(dev.references)}",
                expected="each sentence needs its references",
            )
        if not any(map(len, dev.sources)):
            raise DataError("the development set has no words")
        if objective.needs_visits and dev.visits is None:
            raise SettingError(
                f"{objective.name} needs word alignments of the references",
                advice="give them, or choose another metric",
            )

    def warn_of_few_sentences(self) -> None:
        if len(self.dev) < FEW_SENTENCES:
            self.reporter.talk(
                f"warning: the development set has only {counted(len(self.dev), 'sentence')}, "
                "too few to distinguish gains from chance; use several hundred"
            )

    def fingerprints(self) -> dict[str, str]:
        """Fingerprints of everything on which the result of a run depends."""
        dev = self.dev
        layers = [
            [source.tags, source.classes, source.tree and source.tree.brackets(source.words)]
            for source in dev.sources
        ]
        visits = None if dev.visits is None else list(map(list, dev.visits))
        return {
            "model": self.model,
            "weights": fingerprint(self.translator.weights),
            "search settings": fingerprint(asdict(self.translator.settings)),
            "source": fingerprint([source.words for source in dev.sources], layers),
            "references": fingerprint(list(map(list, dev.references)), visits),
            "settings": fingerprint(self.settings.of_one_run(), self.vector.tuned.tolist()),
        }

    def unseen(self, pool: Pool, hypotheses: Hypotheses) -> tuple[Pool, FloatArray]:
        """The hypotheses that are new to the pool, and the statistics of all."""
        keys = hypotheses.keys
        is_new, same = pool.first_of_each(keys, hypotheses.offsets)
        new = np.flatnonzero(is_new)
        if len(new):
            self.reporter.progress(f"{self.objective.name} of new hypotheses", len(new))
        statistics = np.zeros((len(keys), pool.statistics.shape[1]))
        statistics[new] = hypotheses.statistics(new, self.objective, self.dev)
        offsets = np.searchsorted(new, hypotheses.offsets)
        added = Pool(hypotheses.features[new], statistics[new], keys[new], offsets)
        return added, np.concatenate([pool.statistics, statistics])[same]
