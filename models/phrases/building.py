"""Builds a phrase table with reordering scores from an aligned corpus, in limited memory.

The steps (`steps.py`) are divided into parts that fit into memory. Finished parts are on a shelf.
On disk, they survive a killed run, and the next run resumes from them.
"""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path

import numpy as np

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.corpus.corpora.files import load_corpus
from hyperbaton.foundation.arrays import MOST_NUMBERED, BoolArray, Ragged
from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.files.array_files import ArrayFolder, save_arrays
from hyperbaton.foundation.files.writing import make_folder, open_to_write
from hyperbaton.foundation.progress import Progress, silent
from hyperbaton.foundation.work.workers import Crew, Threads, Workers
from hyperbaton.models.phrases.checking import check_phrase_settings
from hyperbaton.models.phrases.partitions import DIVISION, Division, divide
from hyperbaton.models.phrases.sections import join
from hyperbaton.models.phrases.settings import NONE, PhraseSettings
from hyperbaton.models.phrases.steps import PhraseSteps, make_part, part_names
from hyperbaton.models.phrases.table import PhraseTable

WORK_FOLDER = "work"  # folder of unfinished work


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
    """Builds a table, in memory or saved in `folder`.

    Work that takes more than `memory` bytes (0: no limit) uses files in the folder, and a killed
    run is resumed. `workers` replace threads; remote workers may use `memory` bytes each, and need
    a folder and a saved corpus. The table does not depend on any of this.
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
        table = PhraseTraining(steps, corpus, workers, progress).run()
    if not folder:
        return PhraseTable.of(table.gathered())
    save_arrays(folder, PhraseTable.FORMAT, *table)
    shutil.rmtree(work, ignore_errors=True)
    return PhraseTable.load(folder)


def _check_size(corpus: AlignedCorpus) -> None:
    """Checks that positions in the text fit into 32 bits."""
    n_words = max(len(side.words.values) for side in (corpus.source, corpus.target))
    if n_words > MOST_NUMBERED:
        raise DataError(
            f"the corpus has {n_words:,} words",
            expected=f"expected at most {MOST_NUMBERED:,} per side",
        )


def _begin(folder: Path, division: Division) -> None:
    """Keeps the parts of a killed run if the work was divided in the same way."""
    described = division.text()
    path = folder / DIVISION
    if not path.is_file() or path.read_text(encoding="utf-8") != described:
        shutil.rmtree(folder, ignore_errors=True)
        make_folder(folder)
        with open_to_write(path) as stream:
            stream.write(described.encode())


@dataclass(eq=False)
class PhraseTraining:
    steps: PhraseSteps
    corpus: AlignedCorpus | Path  # passed to tasks
    workers: Workers
    progress: Progress = silent

    def run(self) -> ArrayFolder:
        """Runs all steps; returns the table as streams, which read from the shelf."""
        steps, shelf = self.steps, self.steps.shelf
        sections = part_names("section", steps.division.n_parts)
        if not all(map(shelf.has, steps.pairs)):
            self._make(["lexical-0", *steps.shards], "extracting phrase pairs")
            self._make(steps.pairs, "collecting phrase pairs")
        for name in ("lexical-0", *steps.shards):
            shelf.drop(name)
        self._make(steps.targets, "counting target phrases")
        if steps.settings.significance != NONE:
            postings = part_names("postings", steps.division.n_target_parts)
            self._make(postings, "finding target phrases")
        if not shelf.has("totals-0"):
            steps.make("totals-0")
        if not shelf.get("totals-0")["of_counts"].sum():
            raise DataError(
                "no phrase pairs can be extracted",
                expected="expected a corpus with word alignments",
                advice="inspect it with hyperbaton corpus",
            )
        self._make(sections, "scoring phrase pairs")
        return self._joined(sections)

    def _make(self, names: Sequence[str], what: str) -> None:
        """Makes every part that is not on the shelf yet."""
        missing = [name for name in names if not self.steps.shelf.has(name)]

        def report(done: int) -> None:
            self.progress(f"{what}, parts of {len(names)}", done)

        report(0)
        given = self.corpus, self.steps.settings, self.steps.division, self.steps.shelf
        finished = self.workers.map(make_part, *map(repeat, given), missing)
        for done, _ in enumerate(finished, len(names) - len(missing) + 1):
            report(done)

    def _joined(self, names: Sequence[str]) -> ArrayFolder:
        shelf, corpus = self.steps.shelf, self.steps.corpus
        sections, totals = list(map(shelf.get, names)), shelf.get("totals-0")
        if not any(len(section["target"]) for section in sections):
            raise DataError(
                f"all {totals['of_counts'].sum():,} phrase pairs would be dropped",
                expected="phrases.min_count or phrases.significance is too high",
            )
        used = np.zeros(totals["target_begin"][-1], bool)
        for section in sections:
            used[section["target"]] = True
        row = None if used.all() else (np.cumsum(used) - 1).astype(np.int32)
        n_occurrences = sum(
            int(pairs["source_count"].sum()) for pairs in map(shelf.get, self.steps.pairs)
        )
        vocabularies = corpus.source.vocabulary, corpus.target.vocabulary
        name = str(self.steps.kind) if self.steps.kind else ""
        return join(sections, lambda: self._targets(used), vocabularies, name, n_occurrences, row)

    def _targets(self, used: BoolArray) -> Iterator[Ragged]:
        """Yields the used target phrases, part by part."""
        begin = self.steps.shelf.get("totals-0")["target_begin"]
        for number, part in enumerate(map(self.steps.shelf.get, self.steps.targets)):
            here = used[begin[number] : begin[number + 1]]
            words, length = part["words"][np.repeat(here, part["length"])], part["length"][here]
            yield Ragged(words, np.concatenate([[0], np.cumsum(length, dtype=np.int64)]))
