"""Building systems from Python: prepare, align, train, tune, and exchange with Moses."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeAlias

from hyperbaton.api.texts import (
    File,
    Links,
    Text,
    file_of,
    optional_path,
    path_of,
    reference_files,
    reporter_of,
    sentences_of,
)
from hyperbaton.foundation.progress import Talk

if TYPE_CHECKING:
    from hyperbaton.corpus.preparation.preparation import Report
    from hyperbaton.decoder.translator import Translator
    from hyperbaton.tuning.weights.protocol import Replicas

Section: TypeAlias = Mapping[str, Any]  # settings by key
METHOD = "grow-diag-final-and"


def prepare(
    files: File | Sequence[File],
    *,
    source_language: str,
    target_language: str,
    out: File,
    dev: int = 1000,
    test: int = 1000,
    skip_bad: bool = False,
    verbose: bool | Talk = False,
    **options: Any,
) -> "Report":
    """Cleans raw parallel text and splits it into train, dev and test sets in the folder `out`.

    * `files`: two text files with as many lines, or one .tsv, .jsonl or .tmx file.
    * `source_language`, `target_language`: codes such as `ja` and `en`; they name the new files.
    * `dev`, `test`: number of sentence pairs in these sets; the rest is for training.
    * `skip_bad`: skip malformed lines instead of stopping at the first.
    * `options`: `columns` of a .tsv file (`(1, 2)`); `form` if the name does not tell the format;
      `documents` or `document_key`, to keep documents together; and the limits `max_words`, `ratio`
      and `script`, each as in the command.

    The report counts the pairs: `n_read`, `kept` by set, and `dropped` by reason.
    """
    from hyperbaton.corpus.preparation import preparation
    from hyperbaton.corpus.preparation.reading import RawFiles
    from hyperbaton.corpus.preparation.rules import Rules
    from hyperbaton.foundation.errors import SettingError

    languages, rules = (source_language, target_language), dict[str, Any]()
    for name in ("max_words", "ratio", "script"):
        if name in options:
            rules[name] = options.pop(name)
    paths = [files] if isinstance(files, (str, os.PathLike)) else files
    try:
        raw = RawFiles(tuple(path_of(path, "files") for path in paths), *languages, **options)
    except TypeError:
        raise SettingError(f"prepare has no option {', '.join(options)}") from None
    job = preparation.Preparation(raw, Rules(*languages, **rules), Path(out), dev, test, skip_bad)
    return preparation.prepare(job, reporter_of(verbose).progress)


def align(
    source: Text,
    target: Text,
    *,
    symmetrise: str = METHOD,
    leave_out: Iterable[str] = (),
    samplers: int = 3,
    length: float = 1.0,
    priors: File | None = None,
    text: Section | None = None,
    verbose: bool | Talk = False,
) -> list[list[tuple[int, int]]]:
    """Aligns the words of parallel text with eflomal in both directions, and symmetrises the links.
    `train` takes the result as its `alignment`.

    * `source`, `target`: texts with as many sentences.
    * `symmetrise`: `intersection`, `union`, `grow-diag`, `grow-diag-final` or
      `grow-diag-final-and`.
    * `leave_out`: words that get no links, such as articles.
    * `samplers`, `length`: independent samplers, and their iterations as a multiple of the default;
      more of either is slower and more accurate.
    * `priors`: a file of priors that `hyperbaton align --save-priors` wrote.
    * `text`: the section of raw text. With languages in it (`text={"source_language": "ja",
      "target_language": "en"}`), both texts are tokenised first.
    """
    from hyperbaton.corpus.aligning import symmetrisation
    from hyperbaton.corpus.aligning.aligner import AlignerSettings, read_priors
    from hyperbaton.corpus.aligning.aligning_files import align_files
    from hyperbaton.corpus.corpora.reading import CorpusFiles
    from hyperbaton.corpus.raw_text.both_sides import corpus_tokenisers
    from hyperbaton.settings import settings_of

    tokenise = corpus_tokenisers(settings_of({"text": text or {}}, ("text",)).text)
    settings = AlignerSettings(samplers, length)
    known = None if priors is None else read_priors(Path(priors))
    with TemporaryDirectory(prefix="hyperbaton-align-") as name:
        sides = (file_of(source, "source", Path(name)), file_of(target, "target", Path(name)))
        files = CorpusFiles(*sides)
        left_out = leave_out.split() if isinstance(leave_out, str) else list(leave_out)
        _, directions = align_files(
            files, tokenise, settings, left_out, known, reporter_of(verbose)
        )
    links = symmetrisation.symmetrise(*directions, symmetrise)
    return [list(map(tuple, row.tolist())) for row in links]


def train(
    *,
    source: Text,
    target: Text,
    alignment: Text | Iterable[Links],
    out: File,
    source_tags: Text | None = None,
    target_tags: Text | None = None,
    source_tree: Text | None = None,
    distortion: Iterable[str] = (),
    lm_texts: Iterable[File] | Text = (),
    grammar: str = "phrases",
    rules_for: Iterable[File] = (),
    seed: int = 0,
    threads: int = 2,
    verbose: bool | Talk = False,
    **sections: Section,
) -> "Translator":
    """Trains a system in the folder `out`; stages with unchanged inputs are not run again.

    * `source`, `target`, `alignment`: the corpus, tokenised; the alignment is a file in Pharaoh
      format or the result of `align`.
    * `source_tags`, `target_tags`, `source_tree`: tags and trees, for models that use them.
    * `distortion`: models to train, each as `name` or `name,key=value`; by default `linear` and
      `msd`.
    * `lm_texts`: more text of the target language for the language model: paths, or sentences.
    * `grammar`: `phrases`, or `hierarchical`: rules with gaps instead of distortion models.
    * `rules_for`: source texts; only hierarchical rules for them are extracted.
    * `seed`: for everything that is drawn at random.
    * `sections`: settings of `corpus`, `phrases`, `rules`, `lm`, `classes`, `train` and `text`.
      With languages in `text`, source and target are raw text.

    Returns the system, ready to translate.
    """
    from hyperbaton.corpus.corpora.reading import CorpusFiles
    from hyperbaton.decoder.translator import Translator
    from hyperbaton.models.system.training import train_system
    from hyperbaton.settings import TRAINING, settings_of

    settings = settings_of(sections, TRAINING).training(distortion, seed, grammar)
    settings = replace(settings, rules_for=tuple(str(path) for path in rules_for))
    given = {
        "source": source, "target": target, "alignment": alignment, "source_tags": source_tags,
        "target_tags": target_tags, "source_tree": source_tree,
    }  # fmt: skip
    files = {
        name: None if text is None else file_of(text, name, Path(out))
        for name, text in given.items()
    }
    texts = _lm_files(lm_texts, Path(out))
    corpus = CorpusFiles(**files)  # type: ignore[arg-type]
    train_system(corpus, Path(out), settings, texts, threads, reporter_of(verbose))
    return Translator.load(Path(out), allow_plugins=True)  # the caller named the models


def _lm_files(given: Iterable[File] | Text, folder: Path) -> list[Path]:
    if isinstance(given, (str, os.PathLike)):
        return [path_of(given, "lm_texts")]
    texts = list(given)
    if any(isinstance(text, str) for text in texts):
        return [file_of(texts, "lm_texts", folder)]  # type: ignore[arg-type]
    return list(map(Path, texts))


def tune(
    system: File,
    *,
    source: Text,
    references: "Text | Sequence[Path] | Sequence[Sequence[str]]",
    source_tags: Text | None = None,
    source_tree: Text | None = None,
    reference_alignment: Text | Iterable[Links] | None = None,
    fixed: Iterable[str] = (),
    state: File | None = None,
    restart: bool = False,
    allow_plugins: bool = False,
    mbr_scale: bool = False,
    tokenised: bool = False,
    threads: int = 2,
    verbose: bool | Talk = False,
    **sections: Section,
) -> "Replicas":
    """Tunes the weights of a system and stores them in it; traces and a picture go to `state`.

    * `system`: folder of the system. A loaded `Translator` keeps its weights; load it again.
    * `source`, `references`: the development set. References are a file, several paths, a list
      with one reference for each sentence, or a list of lists.
    * `source_tags`, `source_tree`: tags and trees, if the models need them.
    * `reference_alignment`: word alignment of source and references, for metrics of word order.
    * `fixed`: names of weights that tuning must not change.
    * `state`: folder for the traces, from which an interrupted run continues, and a picture of
      them; `restart` begins again.
    * `allow_plugins`: trust the system to name models that are not part of hyperbaton.
    * `mbr_scale`: also choose the scale for minimum Bayes risk decoding.
    * `tokenised`: the texts are already tokenised, although the system takes raw text.
    * `sections`: settings of `tune` (`tune={"replicas": 1}`), `search`, and of the optimisers
      (`mira={"step": 0.02}`).

    The result has the `weights` that were kept, their `score` and the `initial_score` on the same
    sentences, and the `scores` of all runs.
    """
    from hyperbaton.settings import settings_of, settings_of_system
    from hyperbaton.tuning.evaluation.data_sets import DataSet
    from hyperbaton.tuning.weights.system_tuning import TuningJob, tune_system
    from hyperbaton.views.tuning_text import plot_tuning

    folder = Path(system)
    settings = settings_of(sections, ("tune", "search"), settings_of_system(folder))
    if not isinstance(source, (str, os.PathLike)):
        source = list(source)

    def optional(text: Any, what: str) -> Path | None:
        return None if text is None else file_of(text, what, folder)

    n_sentences = len(sentences_of(source, "source"))
    dev = DataSet(
        file_of(source, "dev-source", folder),
        reference_files(references, n_sentences, folder),
        alignment=optional(reference_alignment, "reference_alignment"),
        source_tags=optional(source_tags, "dev-source_tags"),
        source_tree=optional(source_tree, "dev-source_tree"),
    )
    how = restart, threads, allow_plugins, mbr_scale, tokenised
    fixed = (fixed,) if isinstance(fixed, str) else tuple(fixed)
    job = TuningJob(folder, dev, fixed, optional_path(state), *how)
    result, _ = tune_system(job, settings.tune, settings.search, reporter_of(verbose))
    plot_tuning(result, job.picture)
    return result


def import_moses(ini: File, out: File, *, verbose: bool | Talk = False) -> "Translator":
    """Makes a system in the folder `out` from `ini`, a Moses configuration, and loads it. Paths in
    the configuration are relative to its folder."""
    from hyperbaton.decoder.translator import Translator
    from hyperbaton.models.system import moses_exchange

    moses_exchange.import_moses(path_of(ini, "ini"), Path(out), reporter_of(verbose))
    return Translator.load(out)


def export_moses(system: File, out: File, *, verbose: bool | Talk = False) -> None:
    """Writes a system into the folder `out` as files for Moses: a phrase table, a reordering table,
    language models and a `moses.ini`."""
    from hyperbaton.models.system import moses_exchange

    moses_exchange.export_moses(Path(system), Path(out), reporter_of(verbose).talk)
