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
from models.language_model.model import LanguageModel
from models.language_model.reading import read_text
from models.phrases import table as phrase_table
from models.phrases.training import PhraseSettings, train_phrases
from models.progress import Progress
from models.reading import CorpusFiles, CorpusSettings, ReadReport, read_corpus
from models.stages import fingerprint, run_stage
from models.system import ARPA, default_weights, write_system
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
    paths = {name: path for name, path in vars(files).items() if path is not None}
    content = {name: fingerprint(path) for name, path in paths.items()}
    corpus = _Corpus(files, settings.corpus, progress)
    used = [content, asdict(settings.corpus)]

    def phrases(folder: Path) -> str:
        pairs, report = corpus.read
        for line in report.lines():
            talk(line)
        table = train_phrases(pairs, settings.phrases, threads)
        table.save(folder)
        return f"{len(table):,} phrase pairs of {len(pairs):,} sentence pairs"

    def language_model(folder: Path) -> str:
        target = corpus.read[0].target
        more_vocabulary, more = read_text(lm_texts, progress)
        words, vocabulary = _appended(target.words, target.vocabulary, more, more_vocabulary)
        ngrams = estimate(words, vocabulary, settings.lm.order, _thresholds(settings.lm.prune))
        with ThreadPoolExecutor(2) as pool:
            writing = pool.submit(write_arpa, ngrams, folder / ARPA)
            LanguageModel.from_ngrams(ngrams).save(folder)
            writing.result()
        return f"{sum(ngrams.counts):,} n-grams of {len(words.values):,} words"

    phrases_key = fingerprint(phrase_table.FORMAT, used, asdict(settings.phrases))
    lm_key = fingerprint(used, asdict(settings.lm), *lm_texts)
    parts = {
        "phrases": run_stage(out, "phrases", phrases_key, phrases, talk),
        "lm": run_stage(out, "lm", lm_key, language_model, talk),
    }
    kind = phrase_table.PhraseTable.load(out / parts["phrases"]).reordering_type
    write_system(
        out,
        parts,
        default_weights(kind),
        kind,
        settings=asdict(settings),
        corpus={name: {"file": str(path), "sha256": content[name]} for name, path in paths.items()},
        training={"lm_texts": [str(path) for path in lm_texts]},
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
            f"lm.prune cannot be {text!r}", expected='expected whole numbers such as "0 0 1"'
        ) from None
