"""The inputs of exhibits: a finished comparison, its files and its trained system.

Learning experiments (`learner_experiment.py`) run on the training data of the comparison. The
largest training set is a share of the data, limited to a number of source words, so that exhibits
on a large corpus do not take long. Each smaller size is half of the next larger one.
"""

from collections.abc import Callable, Iterable
from dataclasses import asdict, astuple, dataclass, replace
from pathlib import Path
from typing import Any

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.corpus.corpora.reading import SPLIT_BOTH, CorpusFiles, read_corpus
from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.progress import SILENT, Reporter
from hyperbaton.models.system.folder import TEXT, load_tokenisers, read_system
from hyperbaton.tuning.comparison.configuration import Configuration
from hyperbaton.tuning.comparison.requirements import exact_models
from hyperbaton.tuning.comparison.results import Comparison
from hyperbaton.tuning.comparison.systems import SYSTEM
from hyperbaton.tuning.reproduction.exhibit import Exhibit, LeftOut
from hyperbaton.tuning.reproduction.experiment_settings import ExperimentSettings
from hyperbaton.tuning.reproduction.learner_experiment import run_experiment
from hyperbaton.tuning.reproduction.trials import Experiment


@dataclass(frozen=True, eq=False)
class Material:
    comparison: Comparison
    configuration: Configuration  # its files contain only the selected lines
    folder: Path  # of the comparison
    threads: int
    reporter: Reporter = SILENT

    @property
    def trained(self) -> Path:
        return self.folder / SYSTEM

    @property
    def is_raw(self) -> bool:
        return bool(self.configuration.text.source_language)

    def models(self) -> list[str]:
        """The distortion models of all systems, each once, with all settings."""
        texts = (exact_models(self.configuration, system) for system in self.configuration.system)
        return list(dict.fromkeys(model for models in texts for model in models))


@dataclass(frozen=True)
class ExhibitKind:
    """A kind of exhibit. Both functions raise `LeftOut` if there is nothing to show."""

    name: str
    title: str
    depends: Callable[[Material], Iterable[Any]]  # its inputs, for its fingerprint
    make: Callable[[Material], Exhibit]


@dataclass(frozen=True)
class Sizes:
    """Training sizes of an experiment; the largest is limited in two ways."""

    share: float  # of the corpus
    most_words: int  # maximum source words
    n: int  # number of sizes

    def of(self, corpus: AlignedCorpus) -> tuple[int, ...]:
        n_words = len(corpus.source.words.values)
        largest = min(
            int(self.share * len(corpus)), self.most_words * len(corpus) // max(1, n_words)
        )
        return tuple(sorted({max(1, largest >> halvings) for halvings in range(self.n)}))


def experiment_kind(
    name: str,
    title: str,
    settings: ExperimentSettings,
    sizes: Sizes,
    show: Callable[[Experiment], Exhibit],
) -> ExhibitKind:
    def depends(material: Material) -> Iterable[Any]:
        # the number of threads does not change the results
        plain = {key: value for key, value in asdict(settings).items() if key != "threads"}
        text = [read_system(material.trained)[TEXT]] if material.is_raw else []
        return [*_files(material), plain, *astuple(sizes), *text]

    def make(material: Material) -> Exhibit:
        tokenise = load_tokenisers(material.trained) if material.is_raw else SPLIT_BOTH
        files = CorpusFiles(*_files(material))
        corpus, _ = read_corpus(files, progress=material.reporter.progress, tokenise=tokenise)
        sized = replace(settings, sizes=sizes.of(corpus), threads=material.threads)
        try:
            return show(run_experiment(corpus, sized, material.reporter.progress))
        except DataError as error:
            raise LeftOut(str(error).splitlines()[0]) from None

    return ExhibitKind(name, title, depends, make)


def _files(material: Material) -> tuple[Path, Path, Path]:
    train = material.configuration.train
    return train.source, train.target, train.alignment
