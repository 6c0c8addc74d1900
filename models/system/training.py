"""Trains a translation system from files: a phrase table with reordering scores, a language model,
word classes and distortion models."""

import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypeAlias, cast

import numpy as np

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.corpus.corpora.files import FORMAT as CORPUS_FORMAT
from hyperbaton.corpus.corpora.files import load_corpus, save_corpus
from hyperbaton.corpus.corpora.reading import CorpusFiles, ReadReport, read_corpus
from hyperbaton.corpus.raw_text.both_sides import TextPipelines
from hyperbaton.corpus.raw_text.casing import FORMAT as TEXT_FORMAT
from hyperbaton.corpus.raw_text.casing import TRUE
from hyperbaton.corpus.text import split_words
from hyperbaton.corpus.words.tagger import FORMAT as TAGGER_FORMAT
from hyperbaton.corpus.words.word_classes import FORMAT as CLASSES_FORMAT
from hyperbaton.foundation.arrays import Ragged
from hyperbaton.foundation.errors import DataError, SettingError
from hyperbaton.foundation.files.sealed_folders import check_unchanged, sha256
from hyperbaton.foundation.files.vocabulary import SPECIAL, Vocabulary
from hyperbaton.foundation.files.writing import path_text
from hyperbaton.foundation.progress import Progress
from hyperbaton.foundation.work.sizes import parse_size
from hyperbaton.foundation.work.workers import FarWork, Workers
from hyperbaton.foundation.work.workplace import Workplace
from hyperbaton.models.distortion.catalogue import MODELS, model_text, parse_model, split_model
from hyperbaton.models.distortion.interface import DistortionModel, takes
from hyperbaton.models.language_model.counting import count_ngrams, read_text
from hyperbaton.models.language_model.estimation import Count, estimate
from hyperbaton.models.language_model.far_counting import count_ngrams_far
from hyperbaton.models.language_model.model import FORMAT as LM_FORMAT
from hyperbaton.models.language_model.model import LanguageModel
from hyperbaton.models.phrases.building import WORK_FOLDER, train_phrases, train_phrases_far
from hyperbaton.models.phrases.checking import (
    check_not_negative,
    check_phrase_settings,
    check_values,
)
from hyperbaton.models.phrases.settings import NONE
from hyperbaton.models.phrases.table import FORMAT as PHRASES_FORMAT
from hyperbaton.models.phrases.table import PhraseTable
from hyperbaton.models.system.folder import (
    TAGGER,
    TEXT,
    FittedModel,
    starting_weights,
    weights_to_keep,
    write_system,
)
from hyperbaton.models.system.settings import TrainingSettings
from hyperbaton.models.system.stage_work import (
    Needed,
    StageWork,
    fit_and_save,
    fit_distortion,
    make_classes,
    make_tagger,
    work_elsewhere,
)
from hyperbaton.models.system.stages import (
    BROUGHT,
    CORPUS,
    DISTORTION,
    PARTS,
    Measure,
    fingerprint,
    locked,
    run_stage,
)

Stage: TypeAlias = tuple[str, str, Callable[[Path], str]]  # name, key, work
SORTING = 6  # the share of memory for sorting n-grams; most is needed for the n-grams themselves
LARGE_CORPUS = 20_000_000  # bytes of a corpus in its files, from which it is mapped into memory


def check_training_settings(settings: TrainingSettings) -> None:
    """Refuses impossible values before any work."""
    check_values("corpus", settings.corpus, {"max_length": check_not_negative})
    check_phrase_settings(settings.phrases)
    check_values("train", settings.train, {"memory": parse_size})
    # let the estimator itself check, on a text of one word
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


@dataclass(frozen=True)
class TrainingListeners:
    """Who hears about a training while it runs."""

    talk: Callable[[str], None] = lambda _: None  # messages for people
    progress: Progress | None = None
    measure: Measure = lambda *_: None  # the cost of every stage that had to be run


def train_system(
    files: CorpusFiles,
    out: Path,
    settings: TrainingSettings = TrainingSettings(),
    lm_texts: Iterable[Path] = (),
    threads: int = 2,
    listeners: TrainingListeners = TrainingListeners(),
    *,
    together: bool = True,
    workers: Workers | None = None,
) -> None:
    """Fills the folder `out`; stages whose inputs have not changed are not run again. Workers
    elsewhere make the same.

    `together`: all distortion models will be used at once, so their features must be distinct.
    """
    if files.alignment is None:
        paths = ["--source", str(files.source), "--target", str(files.target)]
        for side in ("source", "target"):
            if language := getattr(settings.text, f"{side}_language"):
                paths += [f"--{side}-language", language]
        make = shlex.join(["hyperbaton", "align", *paths, "--out", "train.align"])
        raise SettingError("training needs a word alignment", advice=f"make one: {make}")
    check_training_settings(settings)
    wanted = wanted_models(settings.distortion, settings.phrases.reordering)
    if together:
        check_features(model for _, model in wanted)
    training = _Training(files, list(lm_texts), settings, out, threads, listeners, workers)
    with locked(out):
        parts = training.parts()
        models = training.fitted(wanted, parts)
        parts |= training.tagger()
        defaults = starting_weights(fitted.model for fitted in models)
        weights, search = weights_to_keep(out, defaults, listeners.talk)
        write_system(out, parts, weights, models, search, **training.description())


@dataclass(eq=False)
class _Training:
    """The stages of one training and what they depend on."""

    files: CorpusFiles
    lm_texts: list[Path]
    settings: TrainingSettings
    out: Path
    threads: int
    listeners: TrainingListeners
    workers: Workers | None

    def __post_init__(self) -> None:
        self._paths = {name: path for name, path in vars(self.files).items() if path is not None}
        self._hashes = {name: sha256(path) for name, path in self._paths.items()}
        self._text = TextPipelines.of(self.settings.text)
        self._corpus_key: list[Any] = [self._hashes, asdict(self.settings.corpus)]
        if self._text is not None:
            self._text.check(self.settings.corpus)
            self._corpus_key.append(self._text.described())
        self._lm_hashes = [sha256(path) for path in self.lm_texts]
        self._lm_key = [asdict(self.settings.lm), *self._lm_hashes]
        self._memory = parse_size(self.settings.train.memory) or sys.maxsize

    @cached_property
    def read(self) -> tuple[AlignedCorpus, list[str]]:
        """The corpus, and remarks on it, read when a stage first needs them: a run with nothing to
        do reads nothing. A large one is kept as arrays until the system is complete, and one that
        workers elsewhere want."""
        size = sum(path.stat().st_size for path in self._paths.values())
        if self.workers is None and size < LARGE_CORPUS:
            corpus, report = self._read_text()
            return corpus, report.lines()
        return load_corpus(self._corpus_folder)

    @cached_property
    def _corpus_folder(self) -> Path:
        def work(folder: Path) -> str:
            corpus, report = self._read_text()
            save_corpus(corpus, report.lines(), folder)
            return ""

        key = fingerprint(CORPUS_FORMAT, self._corpus_key)
        return self.out / run_stage(self.out, CORPUS, key, work)

    def _read_text(self) -> tuple[AlignedCorpus, ReadReport]:
        corpus, report = self._kept_case
        if self._text is not None:
            del self._kept_case  # no two of them in memory for longer than it takes
            corpus = self._text.learned_from(corpus)
        return corpus, report

    @cached_property
    def _kept_case(self) -> tuple[AlignedCorpus, ReadReport]:
        """The corpus before its letters get their case."""
        given = self.files, self.settings.corpus, self.listeners.progress
        if self._text is None:
            corpus, report = read_corpus(*given)
        else:
            self._text.load()
            corpus, report = read_corpus(*given, self._text.plain().tokenise)
        check_unchanged({path: self._hashes[name] for name, path in self._paths.items()})
        if not len(corpus):
            raise DataError("the corpus has no pair", where=str(self.files.source))
        return corpus, report

    def text(self) -> dict[str, str]:
        """What has to be learned before text can be read."""
        if self._text is None or TRUE not in (self._text.source.case, self._text.target.case):
            return {}
        part = self._stage(TEXT, fingerprint(TEXT_FORMAT, self._corpus_key), self._make_text)
        self._text = self._text.with_learned(self.out / part)
        return {TEXT: part}

    def _make_text(self, folder: Path) -> str:
        corpus, _ = self._kept_case
        learned = cast(TextPipelines, self._text).fit(corpus)
        learned.save(folder)
        return "capital letters of words"

    def description(self) -> dict[str, dict[str, Any]]:
        """For `model.toml`."""
        settings = {key: value for key, value in asdict(self.settings).items() if key != TEXT}
        described = {} if self._text is None else {TEXT: self._text.described()}
        return described | {
            "settings": settings,
            "corpus": {
                name: {"file": path_text(path), "sha256": self._hashes[name]}
                for name, path in self._paths.items()
            },
            "training": {"lm_texts": [path_text(path) for path in self.lm_texts]},
        }

    def parts(self) -> dict[str, str]:
        """Everything but the distortion models."""
        key, phrases = self._corpus_key, asdict(self.settings.phrases)
        parts = self.text()
        others = [self._classes("source"), self._classes("target")]
        self._tagging  # noqa: B018 - workers begin with what they can
        parts |= {
            "phrases": self._stage(
                "phrases",
                fingerprint(PHRASES_FORMAT, key, phrases),
                self._make_phrases,
                resumes=True,
            ),
            "lm": self._stage(
                "lm", fingerprint(LM_FORMAT, key, *self._lm_key), self._make_language_model
            ),
        }
        return parts | {stage[0]: self._stage(*stage) for stage in others}

    def _classes(self, side: str) -> Stage:
        classes = self.settings.classes
        name = f"{side}_classes"
        key = fingerprint(CLASSES_FORMAT, self._corpus_key, side, asdict(classes))
        return name, key, self._on_corpus(name, key, make_classes, side=side, number=classes.number)

    def fitted(
        self, wanted: list[tuple[str, DistortionModel]], parts: dict[str, str]
    ) -> list[FittedModel]:
        stages = [self._fitting(*each, parts) if each[1].learns else None for each in wanted]
        return [
            FittedModel(*each, self._stage(*stage)) if stage else FittedModel(*each)
            for each, stage in zip(wanted, stages, strict=True)
        ]

    def _fitting(self, name: str, model: DistortionModel, parts: dict[str, str]) -> Stage:
        """Models of others are programs that workers may not have, and some share out their work
        themselves."""
        seed, stage = self.settings.seed, stage_name(name)
        described = [name, model.settings(), seed, model.FORMAT, model.REVISION]
        key = fingerprint(self._corpus_key, parts, *described)
        names = ("source_classes", "target_classes", *["phrases"] * takes(model, "phrases"))
        needed = Needed(*((self.out / parts[part]).absolute() for part in names))
        if self.workers is None or takes(model, "far") or name not in MODELS:
            return stage, key, partial(self._fit_here, model, needed)
        text = model_text(name, model.settings())
        values = {"text": text, "needed": needed, "seed": seed, "threads": 1}
        return stage, key, self._on_corpus(stage, key, fit_distortion, **values)

    def tagger(self) -> dict[str, str]:
        """For sentences without tags, if the corpus has some to learn from."""
        return {TAGGER: self._stage(*self._tagging)} if self._tagging else {}

    @cached_property
    def _tagging(self) -> Stage | None:
        if self.files.source_tags is None:
            return None
        key = fingerprint(TAGGER_FORMAT, self._corpus_key, self.settings.seed)
        return TAGGER, key, self._on_corpus(TAGGER, key, make_tagger, seed=self.settings.seed)

    def _stage(
        self, name: str, key: str, work: Callable[[Path], str], *, resumes: bool = False
    ) -> str:
        talk, measure = self.listeners.talk, self.listeners.measure
        return run_stage(self.out, name, key, work, talk, measure, resumes=resumes)

    def _announce(self, work: str) -> None:
        if self.listeners.progress:
            self.listeners.progress(work, 0)

    def _make_phrases(self, folder: Path) -> str:
        corpus, remarks = self.read
        for line in remarks:
            self.listeners.talk(line)
        self._announce("making the phrase table")
        try:
            table = self._phrase_table(corpus, folder)
        except DataError as error:
            error.where = error.where or path_text(cast(Path, self.files.alignment))
            raise
        return f"{len(table):,} phrase pairs of {len(corpus):,} sentence pairs"

    def _phrase_table(self, corpus: AlignedCorpus, folder: Path) -> PhraseTable:
        settings, progress = self.settings.phrases, self.listeners.progress
        if self.workers is None:
            return train_phrases(corpus, settings, self.threads, self._memory, folder, progress)
        where = self._corpus_folder
        return train_phrases_far(where, settings, self._memory, folder, self.workers, progress)

    def _make_language_model(self, folder: Path) -> str:
        target, settings = self.read[0].target, self.settings.lm
        tokenise = split_words if self._text is None else self._text.written
        more_vocabulary, more = read_text(self.lm_texts, self.listeners.progress, tokenise)
        check_unchanged(dict(zip(self.lm_texts, self._lm_hashes, strict=True)))
        words, vocabulary = _appended(target.words, target.vocabulary, more, more_vocabulary)
        self._announce("making the language model")
        thresholds, memory = _thresholds(settings.prune), self._memory // SORTING
        count: Count = count_ngrams
        if self.workers is not None:
            count, memory = partial(count_ngrams_far, self._far(folder)), self._memory
        ngrams = estimate(words, vocabulary, settings.order, thresholds, memory, count)
        shutil.rmtree(folder / WORK_FOLDER, ignore_errors=True)
        LanguageModel.from_ngrams(ngrams).save(folder)
        return f"{sum(ngrams.counts):,} n-grams of {len(words.values):,} words"

    def _far(self, folder: Path) -> FarWork:
        return FarWork(cast(Workers, self.workers), folder / WORK_FOLDER)

    def _on_corpus(
        self, name: str, key: str, work: StageWork, **values: Any
    ) -> Callable[[Path], str]:
        """What a stage does with the corpus. A worker begins now, unless the stage is there."""

        def work_here(folder: Path) -> str:
            here = Workplace(self.listeners.progress)
            return work(here, self.read[0], folder, **values)

        if self.workers is None:
            return work_here
        brought = (self.out / f"{PARTS}/{name}-{key}{BROUGHT}").absolute()
        workers = self.workers

        def begin() -> Future[str]:
            workers.serve(reads=[self.out / PARTS], writes=[brought])
            corpus = self._corpus_folder.absolute()
            return workers.submit(work_elsewhere, corpus, brought, work, values)

        begun = None if (self.out / f"{PARTS}/{name}-{key}").is_dir() else begin()

        def fetch(folder: Path) -> str:
            made = (begun or begin()).result()
            for path in brought.iterdir():
                path.rename(folder / path.name)
            brought.rmdir()
            return made

        return fetch

    def _fit_here(self, model: DistortionModel, needed: Needed, folder: Path) -> str:
        far = {"far": self._far(folder)} if self.workers else {}
        made = fit_and_save(
            model, self.read[0], folder, needed, seed=self.settings.seed, threads=self.threads,
            progress=self.listeners.progress, memory=self._memory, **far,
        )  # fmt: skip
        shutil.rmtree(folder / WORK_FOLDER, ignore_errors=True)
        return made


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
    """Refuses models that have a feature in common."""
    features = [name for model in models for name in model.feature_names]
    twice = sorted({name for name in features if features.count(name) > 1})
    if twice:
        raise SettingError(
            f"two distortion models have the feature {twice[0]!r}",
            expected="every feature has one weight, so a system has each model once",
        )


def stage_name(model: str) -> str:
    """`hyperbaton.models.distortion.gaps:Gaps` as part of a folder's name."""
    return DISTORTION + re.sub("[^a-z]+", "_", model.lower()).strip("_")


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
        return [int(number) for number in text.replace(",", " ").split()]
    except ValueError:
        raise SettingError(
            f"{text!r} is not a list of thresholds",
            expected='expected whole numbers such as "0 0 1"',
        ) from None
