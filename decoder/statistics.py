"""Counts of a search, for each sentence and summed over a text."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hyperbaton.decoder.workspace import COUNTERS
from hyperbaton.foundation.arrays import Int64Array


class SearchStatistics(NamedTuple):
    """Counts of one sentence, or sums over several (`add`)."""

    sentences: int = 0
    words: int = 0  # of the source
    options: int = 0  # matching phrase pairs
    spans: int = 0  # source phrases with options
    groups: int = 0  # distinct pairs of coverage and end of the last phrase
    edges: int = 0  # pairs of a group and a span that may follow
    opened: int = 0  # edges whose first step was scored
    scored: int = 0  # scored steps
    pops: int = 0  # steps taken, best first; at most half the pop limit in each stack
    recombined: int = 0  # steps to an existing hypothesis with the same state
    hypotheses: int = 0
    pruned: int = 0  # hypotheses removed from their stacks
    lm_words: int = 0  # words scored by the language model
    largest_stack: int = 0  # hypotheses, after pruning
    narrowed: int = 0  # stacks with a narrow beam, after the time limit
    seconds: float = 0.0

    def add(self, other: "SearchStatistics") -> "SearchStatistics":
        """Adds all counts, except `largest_stack`, which is the maximum."""
        largest = max(self.largest_stack, other.largest_stack)
        sums = (first + second for first, second in zip(self, other, strict=True))
        return SearchStatistics._make(sums)._replace(largest_stack=largest)

    def counts(self) -> dict[str, int]:
        """All counts except the number of sentences; not the time, which differs between runs."""
        values = self._asdict()
        del values["sentences"], values["seconds"]
        return values


class SearchRecord(NamedTuple):
    """The raw counts of a search, converted only on demand."""

    counters: Int64Array
    stacks: NDArray[Any]  # STACK
    seconds: float

    @property
    def stack_sizes(self) -> list[int]:
        """The number of hypotheses in each stack after pruning, from stack 0."""
        sizes: list[int] = self.stacks["n_kept"].tolist()
        return sizes

    def statistics(self, n_words: int, n_options: int, n_spans: int) -> SearchStatistics:
        count = dict(zip(COUNTERS, self.counters.tolist(), strict=True))
        n_hypotheses = count["hypotheses"]
        return SearchStatistics(
            1, n_words, n_options, n_spans, count["groups"], count["edges"], count["grids"],
            count["steps"], count["pops"], count["pops"] + 1 - n_hypotheses, n_hypotheses,
            n_hypotheses - count["members"], count["lm_words"], max(self.stack_sizes),
            count["narrowed"], self.seconds,
        )  # fmt: skip


NO_RECORD = SearchRecord(np.zeros(len(COUNTERS), np.int64), np.empty(0), 0.0)


def statistics_lines(total: SearchStatistics) -> Sequence[str]:
    """A text table: each count in total, per sentence, and per source word."""
    sentences, words = max(total.sentences, 1), max(total.words, 1)
    lines = [f"{'search':<14}{'in all':>14}{'per sentence':>14}{'per word':>12}"]
    for name, value in total.counts().items():
        title = name.replace("_", " ")
        if name == "largest_stack":
            lines.append(f"{title:<14}{value:>14,}")
        else:
            lines.append(
                f"{title:<14}{value:>14,}{value / sentences:>14,.1f}{value / words:>12,.1f}"
            )
    milliseconds = 1e3 * total.seconds
    lines.append(
        f"{'milliseconds':<14}{milliseconds:>14,.1f}{milliseconds / sentences:>14,.2f}"
        f"{milliseconds / words:>12,.3f}"
    )
    return lines
