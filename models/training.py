"""Trains a translation system from files: phrase table with reordering scores, language model."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path

import numpy as np

from models.arrays import Ragged
from models.corpus import AlignedCorpus
from models.errors import DataError, SettingError
from models.language_model.arpa_writing import write_arpa
from models.language_model.estimation import estimate
from models.language_model.model import FORMAT as LM_FORMAT
from models.language_model.model import LanguageModel
from models.language_model.reading import read_text
from models.phrases.table import FORMAT as PHRASES_FORMAT
from models.phrases.table import PhraseTable
from models.phrases.training import (
    PhraseSettings,
    check_not_negative,
    check_phrase_settings,
    check_values,
    train_phrases,
)
from models.progress import Progress
from models.reading import CorpusFiles, CorpusSettings, ReadReport, read_corpus
from models.stages import fingerprint, locked, run_stage, sha256
from models.system import ARPA, default_weights, path_text, weights_to_keep, write_system
from models.vocabulary import SPECIAL, Vocabulary


@dataclass(frozen=True)
class LanguageModelSettings:
    """How language models are estimated (`--set lm.KEY=VALUE`)."""

    order: int = 5
    prune: str = "0"  # per length, n-grams seen so often or less are left out: "0 0 1"


@dataclass(frozen=True)
class TrainingSettings:
    corpus: CorpusSettings = CorpusSettings()
    phrases: PhraseSettings = PhraseSettings()
    lm: LanguageModelSettings = LanguageModelSettings()


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
) -> None:
    """Fills the folder `out`; stages whose inputs have not changed are not run again."""
    lm_texts = list(lm_texts)
    if files.alignment is None:
        raise SettingError("training needs a word alignment", advice="make one: hyperbaton align")
    check_training_settings(settings)
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

    phrases_key = fingerprint(PHRASES_FORMAT, used, asdict(settings.phrases))
    lm_key = fingerprint(LM_FORMAT, used, asdict(settings.lm), *lm_texts)
    with locked(out):
        parts = {
            "phrases": run_stage(out, "phrases", phrases_key, phrases, talk),
            "lm": run_stage(out, "lm", lm_key, language_model, talk),
        }
        kind = PhraseTable.load(out / parts["phrases"]).reordering_type
        weights, limit = weights_to_keep(out, default_weights(kind), talk)
        write_system(
            out,
            parts,
            weights,
            kind,
            limit,
            settings=asdict(settings),
            corpus={
                name: {"file": path_text(path), "sha256": content[name]}
                for name, path in paths.items()
            },
            training={"lm_texts": [path_text(path) for path in lm_texts]},
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
