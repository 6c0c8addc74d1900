"""From an aligned corpus to a phrase table with reordering scores, in memory of a given size."""

import shutil
from contextlib import nullcontext
from pathlib import Path

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.corpus.corpora.files import load_corpus
from hyperbaton.foundation.arrays import MOST_NUMBERED
from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.files.array_files import save_arrays
from hyperbaton.foundation.files.writing import make_folder, open_to_write
from hyperbaton.foundation.progress import Progress, silent
from hyperbaton.foundation.work.workers import Crew, Threads, Workers
from hyperbaton.models.phrases.checking import check_phrase_settings
from hyperbaton.models.phrases.partitioned import PhraseTraining
from hyperbaton.models.phrases.partitions import DIVISION, Division, divide
from hyperbaton.models.phrases.settings import PhraseSettings
from hyperbaton.models.phrases.steps import PhraseSteps, SentSteps
from hyperbaton.models.phrases.table import FORMAT, PhraseTable

WORK_FOLDER = "work"  # folder of what is not finished


def train_phrases(
    corpus: AlignedCorpus | Path,
    settings: PhraseSettings = PhraseSettings(),
    threads: int = 2,
    memory: int = 0,
    folder: Path | None = None,
    progress: Progress = silent,
    *,
    workers: Workers | None = None,
) -> PhraseTable:
    """A table in memory, or one that was saved in `folder`.

    Work that takes more than `memory` bytes (0: no limit) is put aside in files there, and a run
    that was killed is continued. Workers take the place of threads; those elsewhere may use
    `memory` bytes each, and need a folder and a corpus that was saved in another one. The table
    depends on none of this.
    """
    check_phrase_settings(settings)
    loaded = load_corpus(corpus)[0] if isinstance(corpus, Path) else corpus
    _check_size(loaded)
    with nullcontext(workers) if workers else Threads(threads) as workers:
        limit = memory if folder else 0
        division = divide(loaded, settings.max_length, limit, workers.n, far=workers.is_far)
        work = (folder or Path()) / WORK_FOLDER
        if not division.fits:
            _begin(work, division)
        shelf = Crew(workers, work).shelf(in_memory=division.fits)
        if isinstance(corpus, Path):
            workers.serve(reads=[corpus], writes=[])
        steps = PhraseSteps(loaded, settings, division, shelf)
        sent = SentSteps(corpus, settings, division, shelf)
        made = PhraseTraining(steps, sent, workers, progress).run()
    if not folder:
        return PhraseTable.of(made.gathered())
    save_arrays(folder, FORMAT, *made)
    shutil.rmtree(work, ignore_errors=True)
    return PhraseTable.load(folder)


def _check_size(corpus: AlignedCorpus) -> None:
    """Places in the text are numbers of 32 bits."""
    n_words = max(len(side.words.values) for side in (corpus.source, corpus.target))
    if n_words > MOST_NUMBERED:
        raise DataError(
            f"the corpus has {n_words:,} words", expected=f"at most {MOST_NUMBERED:,} a side"
        )


def _begin(folder: Path, division: Division) -> None:
    """Keeps what a killed run has left, if the work was divided in the same way."""
    described = division.text()
    path = folder / DIVISION
    if not path.is_file() or path.read_text(encoding="utf-8") != described:
        shutil.rmtree(folder, ignore_errors=True)
        make_folder(folder)
        with open_to_write(path) as stream:
            stream.write(described.encode())
