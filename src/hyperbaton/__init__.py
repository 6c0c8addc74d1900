"""hyperbaton from Python: train, tune, translate, evaluate and compare.

    import hyperbaton

    hyperbaton.train(source="train.ja", target="train.en", alignment="train.align", out="model")
    hyperbaton.tune("model", source="dev.ja", references=["dev.en"])
    hyperbaton.Translator.load("model").translate("kare wa hon o katta .").text

The functions do the work of the commands of the same names. Settings are given by section, as in a
TOML file: `lm={"order": 3}`. Errors are raised as `hyperbaton.foundation.errors.HyperbatonError`.

Importing this package is quick: heavy imports wait until they are needed.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from hyperbaton.foundation.progress import Reporter, Talk, silent

if TYPE_CHECKING:
    from hyperbaton.decoder.translator import Translation, Translator
    from hyperbaton.models.distortion.conformance import check_model
    from hyperbaton.models.distortion.interface import DistortionModel
    from hyperbaton.tuning.comparison.configuration import Configuration
    from hyperbaton.tuning.comparison.results import Comparison
    from hyperbaton.tuning.evaluation.scoring import Evaluation
    from hyperbaton.tuning.weights.protocol import Replicas

__all__ = [
    "DistortionModel",
    "Translation",
    "Translator",
    "check_model",
    "compare",
    "evaluate",
    "train",
    "tune",
]
_PLACES = {
    "DistortionModel": "hyperbaton.models.distortion.interface",
    "Translation": "hyperbaton.decoder.translator",
    "Translator": "hyperbaton.decoder.translator",
    "check_model": "hyperbaton.models.distortion.conformance",
}
File: TypeAlias = str | os.PathLike[str]
Section: TypeAlias = Mapping[str, Any]  # settings by key


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    return __all__


def train(
    *,
    source: File,
    target: File,
    alignment: File,
    out: File,
    source_tags: File | None = None,
    target_tags: File | None = None,
    source_tree: File | None = None,
    distortion: Iterable[str] = (),
    lm_texts: Iterable[File] = (),
    seed: int = 0,
    threads: int = 2,
    talk: Talk = silent,
    **sections: Section,
) -> "Translator":
    """Trains a system into the folder `out`; stages whose inputs have not changed are kept.

    `distortion` names the models to fit, `linear` and `msd` by default; `talk` receives
    messages about progress. Sections: corpus, phrases, lm, classes, text: with languages in it,
    the files are raw text.
    """
    from hyperbaton.corpus.corpora.reading import CorpusFiles
    from hyperbaton.decoder.translator import Translator
    from hyperbaton.models.system.training import train_system
    from hyperbaton.settings import Settings
    from hyperbaton.tuning.weights.sections import with_sections

    layers = map(_path, (source_tags, target_tags, source_tree))
    files = CorpusFiles(Path(source), Path(target), Path(alignment), *layers)
    settings = with_sections(Settings(), sections).training(distortion, seed)
    train_system(files, Path(out), settings, map(Path, lm_texts), threads, Reporter(talk))
    return Translator.load(Path(out), allow_plugins=True)  # the caller has named the models


def tune(
    model: File,
    *,
    source: File,
    references: Iterable[File],
    source_tags: File | None = None,
    source_tree: File | None = None,
    reference_alignment: File | None = None,
    fixed: Iterable[str] = (),
    state: File | None = None,
    restart: bool = False,
    allow_plugins: bool = False,
    mbr_scale: bool = False,
    tokenised: bool = False,
    threads: int = 2,
    talk: Talk = silent,
    **sections: Section,
) -> "Replicas":
    """Tunes the weights of a system and stores them in it; traces and a picture go to `state`.

    `fixed` names weights to leave alone; with `mbr_scale`, the scale for minimum Bayes risk is
    chosen as well; `tokenised` texts are tokens, though the system takes raw text. Sections: tune
    (`tune={"replicas": 1}`), search, and one for each optimiser (`mira={"step": 0.02}`).
    """
    from hyperbaton.settings import settings_of_system
    from hyperbaton.tuning.evaluation.data_sets import DataSet
    from hyperbaton.tuning.weights.sections import with_sections
    from hyperbaton.tuning.weights.system_tuning import TuningJob, tune_system
    from hyperbaton.views.tuning_text import plot_tuning

    dev = DataSet(
        Path(source),
        tuple(map(Path, _several(references))),
        alignment=_path(reference_alignment),
        source_tags=_path(source_tags),
        source_tree=_path(source_tree),
    )
    fixed = tuple(_several(fixed))
    how = restart, threads, allow_plugins, mbr_scale, tokenised
    job = TuningJob(Path(model), dev, fixed, _path(state), *how)
    settings = with_sections(settings_of_system(job.model), sections)
    result, _ = tune_system(job, settings.tune, settings.search, Reporter(talk))
    plot_tuning(result, job.picture)
    return result


def evaluate(
    outputs: File | Sequence[str] | Mapping[str, File | Sequence[str]],
    references: File | Sequence[os.PathLike[str]] | Sequence[str] | Sequence[Sequence[str]],
    metrics: str | Iterable[str] = ("bleu",),
    *,
    baseline: str | None = None,
    test: str = "bootstrap",
    resamples: int = 1000,
    seed: int = 1,
    tokenize: str = "none",
    lowercase: bool = False,
) -> "Evaluation":
    """Scores translations, of one system or of several by name: sentences, or the name of a file.

    `references` is a file, several paths, or a sentence or list of sentences for each translation.
    With a `baseline`, the other systems are tested against it. Metrics that need word alignments
    are only available from the command line, as `hyperbaton evaluate`.
    """
    from hyperbaton.foundation.errors import DataError, SettingError
    from hyperbaton.tuning.evaluation import scoring
    from hyperbaton.tuning.evaluation.references import read_hypotheses, read_references
    from hyperbaton.tuning.metrics.base import Outputs
    from hyperbaton.tuning.metrics.catalogue import make_metrics
    from hyperbaton.tuning.metrics.words import TextOptions

    given = [Path(references)] if isinstance(references, str) else _several(references)
    if all(isinstance(item, os.PathLike) for item in given):
        groups = read_references(list(map(Path, given)))
    else:
        groups = list(map(_several, given))
    chosen = make_metrics(_several(metrics), groups, TextOptions(tokenize, lowercase))
    for metric in chosen:
        if metric.needs_visits:
            raise SettingError(
                f"{metric.name} needs word alignments",
                advice="use the command: hyperbaton evaluate --help",
            )
    systems = {}
    for name, made in (outputs if isinstance(outputs, Mapping) else {"output": outputs}).items():
        if isinstance(made, (str, os.PathLike)):
            made = read_hypotheses(Path(made)).sentences
        sentences = list(made)
        if len(sentences) != len(groups):
            raise DataError(
                f"{len(sentences)} translations for {len(groups)} references", where=name
            )
        systems[name] = Outputs(sentences, groups)
    return scoring.evaluate(
        systems, chosen, baseline=baseline, test=test, n_resamples=resamples, seed=seed
    )


def compare(
    configuration: "File | Configuration",
    *,
    out: File,
    preset: str | None = None,
    replicas: int | None = None,
    method: str | None = None,
    threads: int = 2,
    talk: Talk = silent,
) -> "Comparison":
    """Trains, tunes and tests the systems of a TOML file; tables and a report go to `out`.

    Earlier results whose inputs have not changed are reused.
    """
    from hyperbaton.tuning.comparison import run
    from hyperbaton.tuning.comparison.configuration import read_configuration
    from hyperbaton.tuning.report.results_folder import complete, findings_of, write_results

    if isinstance(configuration, (str, os.PathLike)):
        configuration = read_configuration(Path(configuration))
    configuration = complete(configuration, preset, replicas, method)
    how = Path(out), threads, Reporter(talk)
    comparison = run.compare(configuration, *how)
    write_results(comparison, findings_of(comparison), *how)
    return comparison


def _path(given: File | None) -> Path | None:
    return None if given is None else Path(given)


def _several(given: Any) -> list[Any]:
    """A list, even if a single item was given."""
    return [given] if isinstance(given, (str, os.PathLike)) else list(given)
