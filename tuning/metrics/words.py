"""Hypotheses and references as numbered words, a batch of sentences at a time.

All word metrics use the same text: optionally lower-cased, tokenised by one of sacrebleu's
tokenisers, then split at white space of any kind, as in sacrebleu. Numbers are comparable only
within their batch, which keeps the tables of the counting kernels small enough for the processor's
cache.
"""

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import NamedTuple

import numpy as np

from hyperbaton.foundation.arrays import FloatArray, Int32Array, Int64Array, Ragged
from hyperbaton.foundation.errors import DataError, check_known
from hyperbaton.tuning.metrics.base import Metric, Outputs

BATCH_SIZE = 4096  # sentences
TOKENISERS = ("none", "13a", "intl", "zh", "char", "ja-mecab", "ko-mecab")  # sacrebleu's names

Preprocess = Callable[[str], str]


@dataclass(frozen=True)
class TextOptions:
    """How text is preprocessed before counting."""

    tokenize: str = "none"  # one of TOKENISERS
    lowercase: bool = False
    n_references: int = 1  # only for signatures; −1 if it varies

    @property
    def signature(self) -> str:
        """A signature in sacrebleu's style, for metrics that sacrebleu does not have."""
        references = "var" if self.n_references < 0 else str(self.n_references)
        case = "lc" if self.lowercase else "mixed"
        return f"nrefs:{references}|case:{case}|tok:{self.tokenize}"


class Batch(NamedTuple):
    """Sentence i has the references `first_reference[i]` up to `first_reference[i + 1]`."""

    hypotheses: Ragged  # (n_words,) int32, one row per sentence
    references: Ragged  # one row per reference
    first_reference: Int64Array  # (n_sentences + 1,)
    words: tuple[str, ...]  # by number

    @property
    def sentence_of_reference(self) -> Int64Array:
        return np.repeat(np.arange(len(self.hypotheses)), np.diff(self.first_reference))

    @property
    def mean_reference_lengths(self) -> FloatArray:
        """The mean reference length of every sentence, (n_sentences,)."""
        lengths = np.add.reduceat(self.references.lengths, self.first_reference[:-1])
        means: FloatArray = lengths / np.diff(self.first_reference)
        return means

    def best_references(self, scores: FloatArray) -> Int64Array:
        """The number of the best reference of each sentence, the first among equals."""
        best = np.maximum.reduceat(scores, self.first_reference[:-1])
        is_best = scores == best[self.sentence_of_reference]
        candidates = np.where(is_best, np.arange(len(scores)), len(scores))
        first: Int64Array = np.minimum.reduceat(candidates, self.first_reference[:-1])
        return first

    @property
    def arrays(self) -> tuple[Int32Array, Int64Array, Int32Array, Int64Array]:
        """Words and offsets of hypotheses and references, for kernels."""
        sides = self.hypotheses, self.references
        return sides[0].values, sides[0].offsets, sides[1].values, sides[1].offsets

    @property
    def rows(self) -> Ragged:
        """All hypotheses, then all references."""
        ends = self.references.offsets[1:] + self.hypotheses.offsets[-1]
        return Ragged(
            np.concatenate([self.hypotheses.values, self.references.values]),
            np.concatenate([self.hypotheses.offsets, ends]),
        )


class WordMetric(Metric):
    """A metric that counts in batches of numbered words."""

    n_statistics: int
    _preprocess: Preprocess  # applied to a line before it is split into words

    def __init__(self, options: TextOptions = TextOptions()) -> None:
        self.options = options
        self._preprocess = preprocessor(options)

    def statistics(self, outputs: Outputs) -> FloatArray:
        parts = [self.count(batch) for batch in batches(outputs, self._preprocess)]
        return np.concatenate([np.zeros((0, self.n_statistics)), *parts])

    @abstractmethod
    def count(self, batch: Batch) -> FloatArray:
        """The statistics of a batch, (n_sentences, n_statistics)."""


def preprocessor(options: TextOptions) -> Preprocess:
    """The preprocessing of sacrebleu's BLEU before it splits a sentence into words."""
    tokenise = load_tokeniser(options.tokenize)
    if options.lowercase:
        return lambda line: tokenise(line.lower().rstrip())
    return lambda line: tokenise(line.rstrip())


def usual_tokeniser(language: str) -> str:
    """The usual tokeniser for scoring raw text in a language; none without a language.

    >>> usual_tokeniser("de"), usual_tokeniser("ja"), usual_tokeniser("")
    ('13a', 'ja-mecab', 'none')
    """
    special = {"": "none", "zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}
    return special.get(language, "13a")


def load_tokeniser(name: str) -> Preprocess:
    check_known("tokeniser", name, TOKENISERS)
    from sacrebleu.metrics.bleu import BLEU

    try:
        tokeniser: Preprocess = BLEU(tokenize=name).tokenizer
    except (ImportError, RuntimeError):  # the package behind it is missing
        raise DataError(
            f"the tokeniser {name} is not installed",
            expected="it is an optional part of sacrebleu",
            advice=f"pip install 'sacrebleu[{name[:2]}]'",
        ) from None
    return tokeniser


def batches(outputs: Outputs, preprocess: Preprocess) -> Iterator[Batch]:
    """Numbers the words of the outputs, `BATCH_SIZE` sentences at a time."""
    check_outputs(outputs)
    for start in range(0, len(outputs), BATCH_SIZE):
        references = outputs.references[start : start + BATCH_SIZE]
        numbers: defaultdict[str, int] = defaultdict(count().__next__)
        yield Batch(
            number_lines(map(preprocess, outputs.hypotheses[start : start + BATCH_SIZE]), numbers),
            number_lines(map(preprocess, chain.from_iterable(references)), numbers),
            np.cumsum([0, *map(len, references)]),
            tuple(numbers),
        )


def number_lines(lines: Iterator[str], numbers: defaultdict[str, int]) -> Ragged:
    """Rows of numbers; new words get new numbers."""
    split = list(map(str.split, lines))
    # Words are looked up by C code all the way: no bytecode runs for a single word
    values = np.fromiter(map(numbers.__getitem__, chain.from_iterable(split)), np.int32)
    return Ragged(values, np.cumsum([0, *map(len, split)]))


def check_outputs(outputs: Outputs) -> None:
    """Raises unless every hypothesis has at least one reference."""
    if len(outputs.references) != len(outputs):
        raise DataError(
            f"{len(outputs)} hypotheses, but references for {len(outputs.references)}",
            expected="every hypothesis needs its references",
        )
    for number, references in enumerate(outputs.references, 1):
        if not references:
            raise DataError(
                f"sentence {number} has no reference", expected="every sentence needs at least one"
            )


def n_references(references: Sequence[Sequence[str]]) -> int:
    """The number of references of every sentence, −1 if it varies; for `TextOptions`."""
    numbers = set(map(len, references))
    return numbers.pop() if len(numbers) == 1 else -1
