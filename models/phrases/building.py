"""From an aligned corpus to a phrase table with reordering scores, in memory of a given size."""

import json
import shutil
from pathlib import Path

from models.data.array_files import save_arrays
from models.data.corpus import AlignedCorpus
from models.errors import DataError
from models.phrases.checking import check_phrase_settings, reordering_type
from models.phrases.partitioned import SHARD, PhraseTraining
from models.phrases.partitions import Division, divide
from models.phrases.sections import MOST
from models.phrases.settings import PhraseSettings
from models.phrases.shelf import Shelf
from models.phrases.table import FORMAT, PhraseTable
from models.progress import Progress
from models.writing import make_folder, open_to_write

WORK = "work"  # folder of what is not finished
DIVISION = "division.json"


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
        shelf = _shelf(folder / WORK, division)
    kind = reordering_type(settings.reordering)
    training = PhraseTraining(corpus, settings, kind, division, shelf, threads, progress)
    made = training.run()
    if not folder:
        return PhraseTable.of(made.gathered())
    save_arrays(folder, FORMAT, *made)
    shutil.rmtree(folder / WORK, ignore_errors=True)
    return PhraseTable.load(folder)


def _check_size(corpus: AlignedCorpus) -> None:
    """Places in the text are numbers of 32 bits."""
    n_words = max(len(side.words.values) for side in (corpus.source, corpus.target))
    if n_words > MOST:
        raise DataError(f"the corpus has {n_words:,} words", expected=f"at most {MOST:,} a side")


def _shelf(folder: Path, division: Division) -> Shelf:
    """With what a killed run has left, if the work was divided in the same way."""
    described = json.dumps([SHARD, division.source.tolist(), division.target.tolist()])
    path = folder / DIVISION
    if not path.is_file() or path.read_text(encoding="utf-8") != described:
        shutil.rmtree(folder, ignore_errors=True)
        make_folder(folder)
        with open_to_write(path) as stream:
            stream.write(described.encode())
    return Shelf(folder)
