"""From an aligned corpus to a phrase table with reordering scores, in memory of a given size."""

import shutil
from pathlib import Path

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.corpus.corpora.files import load_corpus
from hyperbaton.foundation.arrays import MOST_NUMBERED
from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.files.array_files import ArrayFolder, save_arrays
from hyperbaton.foundation.files.writing import make_folder, open_to_write
from hyperbaton.foundation.progress import Progress
from hyperbaton.foundation.work.shelf import Shelf
from hyperbaton.foundation.work.workers import Threads, Workers
from hyperbaton.models.phrases.checking import check_phrase_settings
from hyperbaton.models.phrases.partitioned import PhraseTraining
from hyperbaton.models.phrases.partitions import DIVISION, Division, divide
from hyperbaton.models.phrases.settings import PhraseSettings
from hyperbaton.models.phrases.steps import FarPhraseSteps, PhraseSteps
from hyperbaton.models.phrases.table import FORMAT, PhraseTable

WORK_FOLDER = "work"  # folder of what is not finished


def train_phrases(
    corpus: AlignedCorpus,
    settings: PhraseSettings = PhraseSettings(),
    threads: int = 2,
    memory: int = 0,
    folder: Path | None = None,
    progress: Progress | None = None,
) -> PhraseTable:
    """A table in memory, or one that was saved in `folder`.

    Work that takes more than `memory` bytes (0: no limit) is put aside in files there, and a run
    that was killed is continued. The table depends neither on this nor on the threads.
    """
    check_phrase_settings(settings)
    _check_size(corpus)
    division = divide(corpus, settings.max_length, memory if folder else 0, threads)
    shelf = Shelf()
    if folder and not division.fits:
        shelf = _shelf(folder / WORK_FOLDER, division)
    steps = PhraseSteps(corpus, settings, division, shelf)
    with Threads(threads) as workers:
        made = PhraseTraining(steps, workers, steps, progress).run()
    if not folder:
        return PhraseTable.of(made.gathered())
    return _saved(made, folder)


def train_phrases_far(
    home: Path,
    settings: PhraseSettings,
    memory: int,
    folder: Path,
    workers: Workers,
    progress: Progress | None = None,
) -> PhraseTable:
    """The same table by workers elsewhere, from a corpus that was saved at `home`. Each worker may
    use `memory` bytes for a task."""
    check_phrase_settings(settings)
    corpus, _ = load_corpus(home)
    _check_size(corpus)
    division = divide(corpus, settings.max_length, memory, 1, far=True)
    shelf = _shelf(folder / WORK_FOLDER, division)
    steps = PhraseSteps(corpus, settings, division, shelf)
    workers.serve(reads=[home], writes=[folder / WORK_FOLDER])
    sent = FarPhraseSteps(home.absolute(), settings, (folder / WORK_FOLDER).absolute())
    return _saved(PhraseTraining(steps, workers, sent, progress).run(), folder)


def _saved(made: ArrayFolder, folder: Path) -> PhraseTable:
    save_arrays(folder, FORMAT, *made)
    shutil.rmtree(folder / WORK_FOLDER, ignore_errors=True)
    return PhraseTable.load(folder)


def _check_size(corpus: AlignedCorpus) -> None:
    """Places in the text are numbers of 32 bits."""
    n_words = max(len(side.words.values) for side in (corpus.source, corpus.target))
    if n_words > MOST_NUMBERED:
        raise DataError(
            f"the corpus has {n_words:,} words", expected=f"at most {MOST_NUMBERED:,} a side"
        )


def _shelf(folder: Path, division: Division) -> Shelf:
    """With what a killed run has left, if the work was divided in the same way."""
    described = division.text()
    path = folder / DIVISION
    if not path.is_file() or path.read_text(encoding="utf-8") != described:
        shutil.rmtree(folder, ignore_errors=True)
        make_folder(folder)
        with open_to_write(path) as stream:
            stream.write(described.encode())
    return Shelf(folder)
