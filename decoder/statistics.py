"""What a search did, counted for each sentence and summed over a text."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hyperbaton.decoder.workspace import COUNTERS
from hyperbaton.foundation.arrays import Int64Array


class SearchStatistics(NamedTuple):
    """Of one sentence, or summed over several; see `add`."""

    sentences: int = 0
    words: int = 0  # of the source
    options: int = 0  # phrase pairs that fit
    spans: int = 0  # source phrases with options
    groups: int = 0  # kinds of hypotheses: coverage and end of the last phrase
    edges: int = 0  # groups with spans that may follow
    opened: int = 0  # edges whose first step was scored
    scored: int = 0  # steps that were scored
    pops: int = 0  # steps that were tried, best first; the pop limit counts these
    recombined: int = 0  # steps to an existing hypothesis with the same future
    hypotheses: int = 0
    pruned: int = 0  # hypotheses that did not stay in their stacks
    lm_words: int = 0  # words that the language model scored
    largest_stack: int = 0  # hypotheses, after pruning
    narrowed: int = 0  # stacks for which no time was left, so that few steps were tried
    seconds: float = 0.0

    def add(self, other: "SearchStatistics") -> "SearchStatistics":
        """Sums of everything but `largest_stack`, which is the maximum."""
        largest = max(self.largest_stack, other.largest_stack)
        sums = (one + two for one, two in zip(self, other, strict=True))
        return SearchStatistics._make(sums)._replace(largest_stack=largest)

    def counts(self) -> dict[str, int]:
        """Everything but the number of sentences and the time, which differs between runs."""
        values = self._asdict()
        del values["sentences"], values["seconds"]
        return values


class SearchRecord(NamedTuple):
    """The raw counts of a search; cheap, because most callers never look at them."""

    counters: Int64Array
    stacks: NDArray[Any]  # STACK
    seconds: float

    @property
    def stack_sizes(self) -> list[int]:
        """Hypotheses in each stack after pruning, beginning with the empty one."""
        sizes: list[int] = self.stacks["n_kept"].tolist()
        return sizes

    def statistics(self, n_words: int, n_options: int, n_spans: int) -> SearchStatistics:
        count = dict(zip(COUNTERS, self.counters.tolist(), strict=True))
        made = count["hypotheses"]
        return SearchStatistics(
            1, n_words, n_options, n_spans, count["groups"], count["edges"], count["grids"],
            count["steps"], count["pops"], count["pops"] + 1 - made, made,
            made - count["members"], count["lm_words"], max(self.stack_sizes),
            count["narrowed"], self.seconds,
        )  # fmt: skip


NO_RECORD = SearchRecord(np.zeros(len(COUNTERS), np.int64), np.empty(0), 0.0)


def statistics_lines(total: SearchStatistics) -> Sequence[str]:
    """A table for people: each count in total, per sentence, and per source word."""
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
