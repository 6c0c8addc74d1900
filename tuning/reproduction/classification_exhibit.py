"""The papers' classification experiments (`classification_experiment.py`) on the training data
of a comparison: which part of it, and what all of them show.

Sizes follow from the data: the largest training set is a share of it, up to a number of source
words, so that a comparison on a large corpus does not wait long for its exhibits; smaller ones are
halves of larger ones. Times are the processor's, for the learner alone.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from models.data.corpus import AlignedCorpus
from models.data.corpus_reading import CorpusFiles, read_corpus
from models.errors import DataError
from tuning.evaluation.tables import Table
from tuning.reproduction.classification_experiment import (
    POOLED_ONLY,
    Experiment,
    ExperimentSettings,
    Run,
    run_experiment,
)
from tuning.reproduction.exhibit import Exhibit, LeftOut
from tuning.reproduction.material import Kind, Material


def training_sizes(corpus: AlignedCorpus, share: float, most_words: int, n: int) -> tuple[int, ...]:
    """Sentences: the largest size is at most this share of the corpus and so many source words."""
    n_words = len(corpus.source.words.values)
    largest = min(int(share * len(corpus)), most_words * len(corpus) // max(1, n_words))
    return tuple(sorted({max(1, largest >> halvings) for halvings in range(n)}))


def classification_kind(
    name: str,
    title: str,
    settings: ExperimentSettings,
    sizes: tuple[float, int, int],  # as in `training_sizes`
    show: Callable[[Experiment], Exhibit],
) -> Kind:
    def depends(material: Material) -> Iterable[Any]:
        # the number of threads changes nothing
        plain = {key: value for key, value in asdict(settings).items() if key != "threads"}
        return [*_files(material), plain, *sizes]

    def make(material: Material) -> Exhibit:
        return show(_run_on(material, settings, *sizes))

    return Kind(name, title, depends, make)


def _run_on(
    material: Material, settings: ExperimentSettings, share: float, most_words: int, n_sizes: int
) -> Experiment:
    source, target, alignment = _files(material)
    corpus, _ = read_corpus(CorpusFiles(source, target, alignment), progress=material.progress)
    sizes = training_sizes(corpus, share, most_words, n_sizes)
    settings = replace(settings, sizes=sizes, threads=material.threads)
    try:
        return run_experiment(corpus, settings, material.progress)
    except DataError as error:
        raise LeftOut(str(error).splitlines()[0]) from None


def notes(experiment: Experiment) -> list[str]:
    settings = experiment.settings
    own = (
        "one model for all source phrases"
        if settings.min_examples == POOLED_ONLY
        else f"source phrases with {settings.min_examples:,} examples have models of their own"
    )
    return [
        f"{settings.repeats} repetitions, each with {settings.test_size:,} test sentences and as "
        f"many training sentences as named, drawn from the training data;",
        f"features of {settings.features}; {own}.",
    ]


def sizes_table(experiment: Experiment, title: str) -> Table:
    """Phrase pairs for training and test (Ni et al., Table 4)."""
    settings = experiment.settings
    groups = [
        experiment.of(settings.learners[0], settings.classes[0], size) for size in settings.sizes
    ]
    rows = [
        ["training phrase pairs", *(_mean([run.n_train for run in runs]) for runs in groups)],
        ["test phrase pairs", *(_mean([run.result.n_examples for run in runs]) for runs in groups)],
        ["features", *(_mean([run.n_features for run in runs]) for runs in groups)],
    ]
    header = ["training sentences", *(f"{size:,}" for size in settings.sizes)]
    return Table(header, rows, (), title)


def mean_seconds(runs: Sequence[Run]) -> float:
    return float(np.mean([run.seconds for run in runs]))


def mean_precision(runs: Sequence[Run]) -> float:
    """In percent."""
    return 100 * float(np.mean([run.result.precision for run in runs]))


def mean_train_error(runs: Sequence[Run]) -> float:
    """In percent."""
    return 100 * float(np.mean([run.train_error for run in runs]))


def _files(material: Material) -> tuple[Path, Path, Path]:
    train = material.configuration.train
    return train.source, train.target, train.alignment


def _mean(values: Sequence[int]) -> str:
    return f"{np.mean(values):,.0f}"
