"""The steps from a corpus to a phrase table (`steps.py`), each in parts that fit into memory.

Everything that is finished lies on a shelf. On disk, it survives a run that is killed, and the next
run goes on from there.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat

import numpy as np

from hyperbaton.foundation.arrays import BoolArray
from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.files.array_files import ArrayFolder
from hyperbaton.foundation.progress import Progress, silent
from hyperbaton.foundation.work.workers import Workers
from hyperbaton.models.phrases.sections import Targets, join
from hyperbaton.models.phrases.settings import NONE
from hyperbaton.models.phrases.steps import PhraseSteps, SentSteps, make_part, part_names


@dataclass(eq=False)
class PhraseTraining:
    steps: PhraseSteps
    sent: SentSteps
    workers: Workers
    progress: Progress = silent

    def run(self) -> ArrayFolder:
        """The table as streams, which read from the shelf."""
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
            steps.make("totals", 0)
        if not shelf.get("totals-0")["of_counts"].sum():
            raise DataError(
                "no phrase pair can be extracted",
                expected="a corpus with word alignments",
                advice="look at it with hyperbaton corpus",
            )
        self._make(sections, "scoring phrase pairs")
        return self._joined(sections)

    def _make(self, names: Sequence[str], what: str) -> None:
        """Puts every part that is not there yet on the shelf."""
        missing = [name.rpartition("-") for name in names if not self.steps.shelf.has(name)]

        def report(done: int) -> None:
            self.progress(f"{what}, parts of {len(names)}", done)

        report(0)
        steps, parts = [step for step, _, _ in missing], [int(part) for _, _, part in missing]
        made = self.workers.map(make_part, repeat(self.sent), steps, parts)
        for done, _ in enumerate(made, len(names) - len(missing) + 1):
            report(done)

    def _joined(self, names: Sequence[str]) -> ArrayFolder:
        shelf, corpus = self.steps.shelf, self.steps.corpus
        sections, totals = list(map(shelf.get, names)), shelf.get("totals-0")
        if not any(len(each["target"]) for each in sections):
            raise DataError(
                f"none of {totals['of_counts'].sum():,} phrase pairs is left",
                expected="phrases.min_count or phrases.significance is too high",
            )
        used = np.zeros(totals["target_begin"][-1], bool)
        for each in sections:
            used[each["target"]] = True
        row = None
        if not used.all():
            row = (np.cumsum(used) - 1).astype(np.int32)
        n_occurrences = sum(
            int(pairs["source_count"].sum()) for pairs in map(shelf.get, self.steps.pairs)
        )
        vocabularies = corpus.source.vocabulary, corpus.target.vocabulary
        name = str(self.steps.kind) if self.steps.kind else ""
        return join(sections, lambda: self._targets(used), vocabularies, name, n_occurrences, row)

    def _targets(self, used: BoolArray) -> Iterator[Targets]:
        """The target phrases that are used, part by part."""
        begin = self.steps.shelf.get("totals-0")["target_begin"]
        for number, part in enumerate(map(self.steps.shelf.get, self.steps.targets)):
            here = used[begin[number] : begin[number + 1]]
            words = part["words"][np.repeat(here, part["length"])]
            yield Targets(words, part["length"][here])
