"""Trains a translation system from files: phrase table with reordering scores, language model, word
classes, and whatever its distortion models learn."""

import re
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path

import numpy as np

from models.arrays import Ragged
from models.data.corpus import AlignedCorpus, Side
from models.data.corpus_reading import CorpusFiles, CorpusSettings, ReadReport, read_corpus
from models.data.vocabulary import SPECIAL, Vocabulary
from models.data.word_classes import FORMAT as CLASSES_FORMAT
from models.data.word_classes import WordClasses
from models.distortion.catalogue import parse_model, split_model
from models.distortion.interface import DistortionModel, fit_model
from models.errors import DataError, SettingError
from models.language_model.arpa_writing import write_arpa
from models.language_model.estimation import estimate
from models.language_model.model import FORMAT as LM_FORMAT
from models.language_model.model import LanguageModel
from models.language_model.text_reading import read_text
from models.phrases.building import (
    NONE,
    PhraseSettings,
    check_not_negative,
    check_phrase_settings,
    check_values,
    train_phrases,
)
from models.phrases.table import FORMAT as PHRASES_FORMAT
from models.phrases.table import PhraseTable
from models.progress import Progress
from models.system.folder import (
    ARPA,
    FittedModel,
    path_text,
    starting_weights,
    weights_to_keep,
    write_system,
)
from models.system.stages import DISTORTION, Measure, fingerprint, locked, run_stage, sha256


@dataclass(frozen=True)
class LanguageModelSettings:
    """How language models are estimated (`--set lm.KEY=VALUE`)."""

    order: int = 5
    prune: str = "0"  # per length, n-grams seen so often or less are left out: "0 0 1"


@dataclass(frozen=True)
class ClassSettings:
    """How word classes are made (`--set classes.KEY=VALUE`)."""

    number: int = 50


@dataclass(frozen=True)
class TrainingSettings:
    corpus: CorpusSettings = CorpusSettings()
    phrases: PhraseSettings = PhraseSettings()
    lm: LanguageModelSettings = LanguageModelSettings()
    classes: ClassSettings = ClassSettings()
    distortion: tuple[str, ...] = ()  # models as `name,key=value,…`; none: linear and msd
    seed: int = 0


def check_training_settings(settings: TrainingSettings) -> None:
    """Refuses impossible values before any work."""
    check_values("corpus", settings.corpus, {"max_length": check_not_negative})
    check_phrase_settings(settings.phrases)
    # the estimator itself is asked, with a text of one word
    text = Ragged(np.array([len(SPECIAL)], np.int32), np.array([0, 1])), Vocabulary(["word"])
    order = settings.lm.order
    check_values(
        "lm",
        settings.lm,
        {
            "order": lambda _: estimate(*text, order),
            "prune": lambda prune: estimate(*text, order, _thresholds(prune)),
        },
    )


class _Corpus:
    """The corpus, read when a stage first needs it: a run with nothing to do reads nothing."""

    def __init__(
        self, files: CorpusFiles, settings: CorpusSettings, progress: Progress | None
    ) -> None:
        self._arguments = files, settings, progress

    @cached_property
    def read(self) -> tuple[AlignedCorpus, ReadReport]:
        corpus, report = read_corpus(*self._arguments)
        if not len(corpus):
            raise DataError("the corpus has no pair", where=str(self._arguments[0].source))
        return corpus, report


def train_system(
    files: CorpusFiles,
    out: Path,
    settings: TrainingSettings = TrainingSettings(),
    lm_texts: Iterable[Path] = (),
    threads: int = 2,
    talk: Callable[[str], None] = lambda _: None,
    progress: Progress | None = None,
    *,
    together: bool = True,
    measure: Measure = lambda *_: None,
) -> None:
    """Fills the folder `out`; stages whose inputs have not changed are not run again.

    `together`: all distortion models will be used at once, so their features must be distinct.
    `measure` is told what every stage took that had to be run.
    """
    lm_texts = list(lm_texts)
    if files.alignment is None:
        raise SettingError("training needs a word alignment", advice="make one: hyperbaton align")
    check_training_settings(settings)
    wanted = wanted_models(settings.distortion, settings.phrases.reordering)
    if together:
        check_features(model for _, model in wanted)
    paths = {name: path for name, path in vars(files).items() if path is not None}
    content = {name: sha256(path) for name, path in paths.items()}
    alignment = path_text(files.alignment)
    corpus = _Corpus(files, settings.corpus, progress)
    used = [content, asdict(settings.corpus)]

    def phrases(folder: Path) -> str:
        pairs, report = corpus.read
        for line in report.lines():
            talk(line)
        if progress:
            progress("making the phrase table", 0)
        try:
            table = train_phrases(pairs, settings.phrases, threads)
        except DataError as error:
            error.where = error.where or alignment
            raise
        table.save(folder)
        return f"{len(table):,} phrase pairs of {len(pairs):,} sentence pairs"

    def language_model(folder: Path) -> str:
        target = corpus.read[0].target
        more_vocabulary, more = read_text(lm_texts, progress)
        words, vocabulary = _appended(target.words, target.vocabulary, more, more_vocabulary)
        if progress:
            progress("making the language model", 0)
        ngrams = estimate(words, vocabulary, settings.lm.order, _thresholds(settings.lm.prune))
        with ThreadPoolExecutor(2) as pool:
            writing = pool.submit(write_arpa, ngrams, folder / ARPA)
            LanguageModel.from_ngrams(ngrams).save(folder)
            writing.result()
        return f"{sum(ngrams.counts):,} n-grams of {len(words.values):,} words"

    def word_classes(side: str) -> Callable[[Path], str]:
        def work(folder: Path) -> str:
            text: Side = getattr(corpus.read[0], side)
            if progress:
                progress(f"making {side} word classes", 0)
            made = WordClasses.fit(text.words, text.vocabulary, settings.classes.number)
            made.save(folder)
            n_words = len(text.vocabulary) - len(SPECIAL)
            return f"{n_words:,} words in {settings.classes.number} classes"

        return work

    def fit(model: DistortionModel, parts: dict[str, str]) -> Callable[[Path], str]:
        def work(folder: Path) -> str:
            pairs = _with_classes(corpus.read[0], out, parts)
            table = PhraseTable.load(out / parts["phrases"])
            fit_model(
                model, pairs, phrases=table, seed=settings.seed, threads=threads, progress=progress
            )
            model.save(folder)
            return f"fitted to {len(pairs):,} sentence pairs"

        return work

    phrases_key = fingerprint(PHRASES_FORMAT, used, asdict(settings.phrases))
    lm_key = fingerprint(LM_FORMAT, used, asdict(settings.lm), *lm_texts)
    with locked(out):
        parts = {
            "phrases": run_stage(out, "phrases", phrases_key, phrases, talk, measure),
            "lm": run_stage(out, "lm", lm_key, language_model, talk, measure),
        }
        for side in ("source", "target"):
            key = fingerprint(CLASSES_FORMAT, used, side, asdict(settings.classes))
            name = f"{side}_classes"
            parts[name] = run_stage(out, name, key, word_classes(side), talk, measure)
        models = []
        for name, model in wanted:
            part = ""
            if model.learns:
                described = [name, model.settings(), settings.seed, model.FORMAT]
                key = fingerprint(used, parts, *described)
                work = fit(model, parts)
                part = run_stage(out, stage_name(name), key, work, talk, measure)
            models.append(FittedModel(name, model, part))
        weights, limit = weights_to_keep(out, starting_weights(m.model for m in models), talk)
        write_system(
            out,
            parts,
            weights,
            models,
            limit,
            settings=asdict(settings),
            corpus={
                name: {"file": path_text(path), "sha256": content[name]}
                for name, path in paths.items()
            },
            training={"lm_texts": [path_text(path) for path in lm_texts]},
        )


def wanted_models(texts: Iterable[str], reordering_type: str) -> list[tuple[str, DistortionModel]]:
    """The models that a system is to have, with their names, before anything is learned."""
    texts = list(texts)
    has_scores = reordering_type != NONE
    if not texts:
        texts = ["linear", "msd"] if has_scores else ["linear"]
    models = []
    for text in texts:
        name = split_model(text)[0]
        if name == "msd" and not has_scores:
            raise SettingError(
                "the model msd needs reordering scores",
                expected=f"phrases.reordering is {NONE}",
                advice="--set phrases.reordering=wbe-msd-bidirectional-fe",
            )
        defaults = {"type": reordering_type} if name == "msd" else {}
        models.append((name, parse_model(text, **defaults)))
    return models


def check_features(models: Iterable[DistortionModel]) -> None:
    """Refuses models that share a feature."""
    features = [name for model in models for name in model.feature_names]
    twice = sorted({name for name in features if features.count(name) > 1})
    if twice:
        raise SettingError(
            f"two distortion models have the feature {twice[0]!r}",
            expected="every feature has one weight, so a system has each model once",
        )


def stage_name(model: str) -> str:
    """`models.distortion.gaps:Gaps` as part of a folder's name."""
    return DISTORTION + re.sub("[^a-z]+", "_", model.lower()).strip("_")


def _with_classes(pairs: AlignedCorpus, out: Path, parts: dict[str, str]) -> AlignedCorpus:
    """The corpus with the layer of word classes on both sides."""
    source = WordClasses.load(out / parts["source_classes"]).layer(pairs.source.words)
    target = WordClasses.load(out / parts["target_classes"]).layer(pairs.target.words)
    return replace(
        pairs,
        source=replace(pairs.source, classes=source),
        target=replace(pairs.target, classes=target),
    )


def _appended(
    words: Ragged, vocabulary: Vocabulary, more: Ragged, more_vocabulary: Vocabulary
) -> tuple[Ragged, Vocabulary]:
    """One text after the other, over one vocabulary."""
    joined = Vocabulary(vocabulary.words[len(SPECIAL) :])
    ids = np.array(joined.extend(more_vocabulary.words), dtype=np.int32)
    values = np.concatenate([words.values, ids[more.values]])
    lengths = np.concatenate([words.lengths, more.lengths])
    return Ragged(values, np.concatenate([[0], np.cumsum(lengths)])), joined


def _thresholds(text: str) -> list[int]:
    try:
        return [int(number) for number in chain(*(part.split() for part in text.split(",")))]
    except ValueError:
        raise SettingError(
            f"{text!r} is not a list of thresholds",
            expected='expected whole numbers such as "0 0 1"',
        ) from None
