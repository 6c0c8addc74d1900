"""What a tuning run is about: the system, the development set, the metric, the settings.

Everything that can be known to be wrong is refused here, before anything is decoded, except that
translations may turn out to be all alike, which the first pool shows.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from decoder.translator import Translator
from models.data.sentence import Sentence
from models.errors import DataError, SettingError, counted
from models.progress import Progress
from models.system.stages import fingerprint
from tuning.metrics.words import TextOptions
from tuning.optimisers.line_search import BETTER
from tuning.optimisers.objective import Objective, make_objective
from tuning.optimisers.pool import Pool
from tuning.weights.settings import TuneSettings, check_settings
from tuning.weights.vector import WeightVector, make_weight_vector

FEW = 50  # sentences; fewer make tuning a guess

Talk = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Task:
    """What the rounds of a run have in common."""

    translator: Translator
    sentences: Sequence[Sentence]
    references: Sequence[Sequence[str]]
    reference_visits: Sequence[Sequence[int]] | None
    objective: Objective
    vector: WeightVector
    settings: TuneSettings
    threads: int
    progress: Progress | None
    talk: Talk


def make_task(
    translator: Translator,
    sentences: Sequence[Sentence],
    references: Sequence[Sequence[str]],
    settings: TuneSettings,
    progress: Progress | None,
    fixed: Sequence[str],
    reference_visits: Sequence[Sequence[int]] | None,
    threads: int,
    talk: Talk,
) -> Task:
    """Refuses what cannot work before anything is decoded."""
    check_settings(settings)
    _check_development_set(sentences, references)
    options = TextOptions(settings.tokenize, settings.lowercase)
    objective = make_objective(settings.metric, references, options)
    if objective.needs_visits and reference_visits is None:
        raise SettingError(
            f"{objective.name} needs word alignments of the references",
            advice="give them, or tune towards another metric",
        )
    vector = make_weight_vector(translator.feature_names, translator.weights, fixed)
    return Task(
        translator, sentences, references, reference_visits, objective, vector, settings, threads,
        progress, talk,
    )  # fmt: skip


def _check_development_set(
    sentences: Sequence[Sentence], references: Sequence[Sequence[str]]
) -> None:
    if len(sentences) != len(references):
        raise DataError(
            f"the development set has {len(sentences)} sentences and references for "
            f"{len(references)}",
            expected="each sentence needs its references",
        )
    if not any(map(len, sentences)):
        raise DataError("there is not a single word in the development set")


def warn_of_few(sentences: Sequence[Sentence], talk: Talk) -> None:
    if len(sentences) < FEW:
        talk(
            f"warning: a development set of {counted(len(sentences), 'sentence')}: "
            "the weights will fit these and little else"
        )


def check_pool(task: Task, pool: Pool) -> None:
    """Whether there is anything to choose from."""
    deviations = pool.deviations()
    tuned = task.vector.tuned
    if not (deviations[tuned] > 0).any():
        raise DataError(
            "all translations of a sentence look alike to the features that are tuned",
            expected=f"n-best lists of {len(pool) / pool.n_sentences:.1f} hypotheses on average",
            advice="raise --n-best, or fix fewer features",
        )
    scores = task.objective.smooth_sentence_scores(pool.statistics)
    differences = scores - scores[pool.offsets[:-1]][pool.sentence_of]
    if not (np.abs(differences) > BETTER).any():
        raise DataError(
            f"{task.objective.name} is the same for all translations of every sentence",
            expected="there is nothing to tune towards",
            advice="check that the references belong to these sentences, or take another metric",
        )
    names = [
        name
        for name, deviation, is_tuned in zip(task.vector.names, deviations, tuned, strict=True)
        if is_tuned and deviation == 0
    ]
    if names:
        task.talk(
            f"warning: {', '.join(names)}: the same for all translations of every sentence, "
            "so the weight stays as it is"
        )


def fingerprints(task: Task, model: str) -> dict[str, str]:
    """Fingerprints of all that the result depends on."""
    layers = [
        [one.tags, one.classes, one.tree and one.tree.brackets(one.words)] for one in task.sentences
    ]
    visits = task.reference_visits
    return {
        "model": model,
        "weights": fingerprint(task.translator.weights),
        "search settings": fingerprint(asdict(task.translator.settings)),
        "source": fingerprint([one.words for one in task.sentences], layers),
        "references": fingerprint(
            list(map(list, task.references)), None if visits is None else list(map(list, visits))
        ),
        "settings": fingerprint(asdict(task.settings), task.vector.tuned.tolist()),
    }
