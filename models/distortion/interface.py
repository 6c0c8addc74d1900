"""What a distortion model is, for the decoder and for whoever writes a new one.

A fitted model is read-only and shared by threads. For each sentence it makes a scorer, which works
on arrays of steps: B steps at once, F features, N options, W 64-bit words of coverage.

    previous option ──step──▶ option        features   exact values of taking the step
                                            advance    what the future may depend on afterwards

Two hypotheses with equal coverage, equal language model state and equal states of all models are
interchangeable, and the decoder keeps only the better one; a model whose score looks at anything
else must put it into its state.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from models.arrays import BoolArray, FloatArray, Int32Array, Int64Array, Ragged, UInt64Array
from models.data.corpus import AlignedCorpus
from models.data.sentence import Sentence
from models.errors import DataError
from models.phrases.table import PhraseTable
from models.progress import Progress

COPIED = -1  # target word of an unknown source word: the word itself
START = -1  # the `previous` option of a sentence's first step


@dataclass(frozen=True, eq=False)
class OptionTable:
    """The options of one sentence: phrase pairs placed on source spans.

    What only some models ask for is worked out when it is first asked for.
    """

    n_words: int
    start: Int32Array  # (N,) first source word
    end: Int32Array  # (N,) one past the last
    entry: Int64Array  # (N,) entry of the phrase table; −1 for an unknown word
    phrases: PhraseTable
    drop_unknown: bool = False  # unknown words are left out instead of copied

    def __len__(self) -> int:
        return len(self.start)

    @cached_property
    def is_unknown(self) -> BoolArray:
        return self.entry < 0

    @cached_property
    def inner(self) -> UInt64Array:
        """Inner alignments, bit 8 · target + source; a copied word is linked to itself."""
        inner = self.phrases.inner[self.entry]
        inner[self.is_unknown] = 0 if self.drop_unknown else 1
        return inner

    @cached_property
    def target_words(self) -> Ragged:
        """Target word ids of each option; COPIED for a copied unknown word."""
        words = self.phrases.target_phrases.take(self.phrases.target[self.entry].astype(np.int64))
        if not self.is_unknown.any():
            return words
        rows = np.where(self.is_unknown, 0 if self.drop_unknown else 1, words.lengths)
        offsets = np.concatenate([[0], np.cumsum(rows)])
        values = np.full(offsets[-1], COPIED, np.int32)
        values[np.repeat(~self.is_unknown, rows)] = words.values[
            np.repeat(~self.is_unknown, words.lengths)
        ]
        return Ragged(values, offsets)

    @cached_property
    def reordering(self) -> FloatArray:
        """Log probabilities of the reordering table, (N, columns); 0 for unknown words, as in
        Moses."""
        scores: FloatArray = self.phrases.reordering[self.entry]
        scores[self.is_unknown] = 0.0
        return scores


class Steps(NamedTuple):
    """B steps, each from a hypothesis to one that has taken one option more."""

    previous: Int32Array  # (B,) the option taken before, START at the beginning
    option: Int32Array  # (B,) the option that is taken
    coverage: UInt64Array  # (B, W) source words covered before the step
    state: Int64Array  # (B,) this model's state before the step

    def rows(self, which: slice) -> "Steps":
        return Steps(
            self.previous[which], self.option[which], self.coverage[which], self.state[which]
        )


class HeatMap(NamedTuple):
    """A table over the sentence that is worth looking at, such as P(next word | current word)."""

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: FloatArray  # (rows, columns)


class SentenceScorer(ABC):
    """What a model says of one sentence's steps."""

    n_features: int
    initial_state: int = 0

    @abstractmethod
    def features(self, steps: Steps) -> FloatArray:
        """Exact values of taking each step, (B, F)."""

    @abstractmethod
    def advance(self, steps: Steps) -> Int64Array:
        """This model's state after each step, (B,)."""

    def finish(self, state: Int64Array) -> FloatArray:
        """Values of ending the sentence in each state, (B, F)."""
        return np.zeros((len(state), self.n_features))

    def option_estimate(self, n_options: int) -> FloatArray:
        """What taking an option will cost at best, for the future cost of spans, (N, F)."""
        return np.zeros((n_options, self.n_features))

    def coverage_estimate(self, coverage: UInt64Array, state: Int64Array) -> FloatArray:  # noqa: ARG002
        """What finishing from each coverage and state will cost at best, for pruning, (B, F)."""
        return np.zeros((len(state), self.n_features))

    def heat_maps(self) -> Sequence[HeatMap]:
        """What `hyperbaton explain` may draw of this sentence."""
        return ()


class DistortionModel(ABC):
    """A distortion model. The constructor only keeps its arguments; `fit` learns."""

    name: ClassVar[str]

    @property
    def requires(self) -> frozenset[str]:
        """Layers that sentences must have, of tags, classes and tree; may depend on what `fit`
        has seen."""
        return frozenset()

    @property
    def wants(self) -> frozenset[str]:
        """Layers that it uses where a sentence has them, and can do without; whoever translates is
        told how many sentences had none."""
        return frozenset()

    @property
    @abstractmethod
    def feature_names(self) -> tuple[str, ...]:
        """Names of the features, known before `fit`."""

    @property
    def initial_weights(self) -> tuple[float, ...]:
        """Where tuning starts."""
        return (0.3,) * len(self.feature_names)

    def fit(
        self,
        corpus: AlignedCorpus,  # noqa: ARG002
        *,
        phrases: PhraseTable | None = None,  # noqa: ARG002
        seed: int = 0,  # noqa: ARG002
        threads: int = 2,  # noqa: ARG002
        progress: Progress | None = None,  # noqa: ARG002
    ) -> Self:
        """Learns from a corpus and, if it wants, the phrase table that was made from it. Models
        that have nothing to learn are ready as they are."""
        return self

    @abstractmethod
    def prepare(self, sentence: Sentence, options: OptionTable) -> SentenceScorer: ...

    @abstractmethod
    def settings(self) -> Mapping[str, Any]:
        """The constructor's arguments, for `save`."""

    def save(self, directory: Path) -> None:  # noqa: B027
        """Writes what was learned; models without parameters write nothing."""

    def load(self, directory: Path) -> Self:  # noqa: ARG002
        """Reads what `save` has written into a model made with the same settings."""
        return self

    def check(self, sentence: Sentence) -> None:
        """Before the search: has the sentence all layers that the model needs?"""
        missing = sorted(self.requires - sentence.layers)
        if missing:
            raise DataError(
                f"the model {self.name} needs the layer {missing[0]!r}",
                expected=f"it has {', '.join(sorted(sentence.layers)) or 'words only'}",
            )
