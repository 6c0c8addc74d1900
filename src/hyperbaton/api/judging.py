"""Evaluating translations from Python: evaluate, explain, rerank and compare."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from hyperbaton.api.building import Section
from hyperbaton.api.texts import (
    File,
    Links,
    Text,
    file_of,
    path_of,
    reference_groups,
    reporter_of,
    sentences_of,
)
from hyperbaton.foundation.progress import Talk

if TYPE_CHECKING:
    from hyperbaton.corpus.sentences.sentence import Sentence
    from hyperbaton.decoder.explanation import Explanation
    from hyperbaton.decoder.translator import Translation, Translator
    from hyperbaton.tuning.comparison.configuration import Configuration
    from hyperbaton.tuning.comparison.results import Comparison
    from hyperbaton.tuning.evaluation.scoring import Evaluation
    from hyperbaton.tuning.metrics.visits import Visits
    from hyperbaton.tuning.weights.reranking import Reranking

Given: TypeAlias = "Text | Iterable[Translation]"
# One number per list entry, or a function of a source sentence and its translations
Feature: TypeAlias = "File | Sequence[float] | Callable[[str | None, list[str]], Iterable[float]]"


class Reranked(NamedTuple):
    translations: list[str]  # the best of each sentence
    weights: dict[str, float]
    learned: "Reranking | None"  # scores before and after, if there were references


def evaluate(
    outputs: "Given | Mapping[str, Given]",
    references: "Text | Sequence[Path] | Sequence[Sequence[str]]",
    metrics: str | Iterable[str] = ("bleu",),
    *,
    reference_alignment: Text | Iterable[Links] | None = None,
    baseline: str | None = None,
    test: str = "bootstrap",
    resamples: int = 1000,
    seed: int = 1,
    tokenize: str = "none",
    lowercase: bool = False,
) -> "Evaluation":
    """Scores the translations of one system, or of several by name.

    * `outputs`: a file, sentences, or the results of `translate`; for several systems, a dictionary
      of these.
    * `references`: a file, several paths, a list with one reference for each translation, or a list
      of lists.
    * `metrics`: names, as a list or separated by commas.
    * `reference_alignment`: word alignment of source and references, for metrics of word order. The
      translations must then have alignments too: use the results of `translate`, or a file of JSON
      lines.
    * `baseline`: name of the system that the others are tested against.
    * `test`, `resamples`, `seed`: the significance test, `bootstrap` or `randomisation`, its number
      of resamples, and its random seed. `resamples=0` gives plain scores.
    * `tokenize`, `lowercase`: sacrebleu's tokeniser to apply first, and whether to ignore case.

    `result.score_of(metric, system)` has the `score`, the `low` and `high` end of its 95% interval,
    `half_width`, and for systems other than the baseline the `difference` and the `p_value`.
    `result.sentence_scores(system)` is an array of all sentences and metrics.
    """
    from hyperbaton.foundation.errors import DataError, SettingError
    from hyperbaton.tuning.evaluation import scoring
    from hyperbaton.tuning.metrics.base import Outputs
    from hyperbaton.tuning.metrics.catalogue import make_metrics
    from hyperbaton.tuning.metrics.words import TextOptions

    given = dict(outputs) if isinstance(outputs, Mapping) else {"output": outputs}
    texts, aligned = {}, {}
    for name, output in given.items():
        texts[name], aligned[name] = _read_outputs(output, name)
    groups = reference_groups(references, max(map(len, texts.values()), default=0))
    names = metrics.split(",") if isinstance(metrics, str) else list(metrics)
    chosen = make_metrics(names, groups, TextOptions(tokenize, lowercase))
    order = next((metric.name for metric in chosen if metric.needs_visits), None)
    if order is not None and reference_alignment is None:
        raise SettingError(f"{order} needs word alignments: give reference_alignment")
    visits = None if order is None else _visits(reference_alignment, "reference_alignment")
    systems = dict[str, Outputs]()
    for name, sentences in texts.items():
        if len(sentences) != len(groups):
            raise DataError(
                f"{len(sentences)} translations for {len(groups)} references", where=name
            )
        if order is not None and aligned[name] is None:
            raise DataError(
                f"{order} needs word alignments of the translations",
                where=name,
                advice="give the results of translate, or a file of JSON lines",
            )
        systems[name] = Outputs(sentences, groups, aligned[name], visits)
    return scoring.evaluate(
        systems, chosen, baseline=baseline, test=test, n_resamples=resamples, seed=seed
    )


def _read_outputs(given: "Given", name: str) -> "tuple[list[str], Visits | None]":
    """Reads translations, and the order in which they visit the source words if they have word
    alignments."""
    from hyperbaton.tuning.evaluation.references import read_hypotheses
    from hyperbaton.tuning.metrics.visits import read_visits

    if isinstance(given, (str, os.PathLike)):
        path = path_of(given, name)
        read = read_hypotheses(path)
        return read.sentences, read_visits(path) if read.is_json else None
    items: list[Any] = list(given)
    sentences = [item if isinstance(item, str) else item.text for item in items]
    translations = [item for item in items if not isinstance(item, str)]
    if not items or len(translations) < len(items):
        return sentences, None
    n_source = [len(translation.source_words) for translation in translations]
    alignments = [translation.alignment for translation in translations]
    return sentences, _visits(alignments, name, n_source)


def _visits(given: Any, what: str, n_source: Sequence[int] | None = None) -> "Visits":
    from hyperbaton.tuning.metrics.visits import read_visits

    with TemporaryDirectory(prefix="hyperbaton-links-") as folder:
        return read_visits(file_of(given, what, Path(folder)), n_source)


def explain(
    system: "File | Translator",
    sentence: "str | Sentence",
    *,
    n_best: int = 1,
    alternatives: int = 5,
) -> "list[Explanation]":
    """Explains the translation of a sentence, phrase by phrase.

    * `system`: a folder, or a loaded `Translator`.
    * `n_best`: how many of the best derivations to explain.
    * `alternatives`: how many other translations to list at each step.

    Each explanation has the `source_words`, the `target_words`, the `score`, and the `steps` of its
    derivation with the value of every feature and the best alternatives.
    """
    from hyperbaton.decoder import explanation
    from hyperbaton.decoder.translator import Translator

    translator = system if isinstance(system, Translator) else Translator.load(system)
    decoded = translator.decode(sentence, n_best)
    return [
        explanation.explain(translator, decoded, number, alternatives)
        for number in range(len(decoded))
    ]


def rerank(
    lists: File,
    *,
    system: File | None = None,
    features: "Mapping[str, Feature] | None" = None,
    source: Text | None = None,
    references: "Text | Sequence[Path] | Sequence[Sequence[str]] | None" = None,
    weights: File | Mapping[str, float] | None = None,
    threads: int = 2,
    verbose: bool | Talk = False,
    **sections: Section,
) -> Reranked:
    """Reranks the n-best lists of a file with additional features.

    * `lists`: a file in Moses' n-best format.
    * `system`: the system that made the lists; needed if it takes raw text.
    * `features`: additional features by name. Each is a list with a number for every entry of the
      lists, a file of such numbers, or a function that receives a source sentence (or `None`) and
      its translations and returns their numbers.
    * `source`: source sentences for these functions.
    * `references`: learn the weights on these references.
    * `weights`: use these weights instead: those of an earlier result, or a file.
    * `sections`: settings of `tune` and of the optimisers, for learning.

    The result has the best `translations`, the `weights`, and `learned` with the scores `before`
    and `after`, or `None` if the weights were given.
    """
    from hyperbaton.foundation.errors import SettingError
    from hyperbaton.models.system.folder import load_text
    from hyperbaton.settings import settings_of
    from hyperbaton.tuning.evaluation.nbest_lists import read_feature_lists, with_features
    from hyperbaton.tuning.weights import reranking

    if (references is None) == (weights is None):
        raise SettingError("give either references, to learn weights, or weights")
    settings = settings_of(sections, ("tune",)).tune
    settings.check()
    text = None if system is None else load_text(Path(system))
    sources = None if source is None else sentences_of(source, "source")
    entries = with_features(read_feature_lists(path_of(lists, "lists")), features or {}, sources)
    n_sentences = len(sources) if sources else entries.sentences[-1] + 1
    learned = None
    if references is not None:
        given = reference_groups(references, n_sentences)
        groups = reranking.references_for(entries, given, text, "references")
        n_sentences = len(groups)
        reporter = reporter_of(verbose)
        learned = reranking.learn(
            reranking.RerankingTask(entries, groups, sources, settings, threads, reporter)
        )
        chosen = learned.weights
    elif isinstance(weights, Mapping):
        chosen = dict(weights)
    elif weights is not None:
        chosen = reranking.read_weights(path_of(weights, "weights"))
    reranking.check_names(entries, chosen, "weights")
    order = reranking.reranked(entries, chosen)
    best = reranking.best_translations(order, text, n_sentences)
    return Reranked(best, chosen, learned)


def compare(
    configuration: "File | Configuration",
    *,
    out: File,
    preset: str | None = None,
    replicas: int | None = None,
    method: str | None = None,
    threads: int = 2,
    verbose: bool | Talk = False,
) -> "Comparison":
    """Trains, tunes and tests several systems, and writes tables and a report to the folder `out`.
    Earlier results there are reused if their inputs have not changed.

    * `configuration`: a TOML file, or a `Configuration`.
    * `preset`: systems and limits of a paper's table: `goto`, `ni`, `xiang`, `alrajeh`,
      `durrani`, `attention` or `all`.
    * `replicas`, `method`: tuning runs of each system, and the optimiser.

    The result has `to_frame()`, a pandas data frame of all scores; `scores` by test set and system;
    and `best_cell(test)`.
    """
    from hyperbaton.tuning.comparison import run
    from hyperbaton.tuning.comparison.configuration import read_configuration
    from hyperbaton.tuning.report.results_folder import complete, findings_of, write_results

    if isinstance(configuration, (str, os.PathLike)):
        configuration = read_configuration(Path(configuration))
    configuration = complete(configuration, preset, replicas, method)
    how = Path(out), threads, reporter_of(verbose)
    comparison = run.compare(configuration, *how)
    write_results(comparison, findings_of(comparison), *how)
    return comparison
