"""Constrained search: a given translation, prefix or order for each sentence.

request ──▶ a reduced phrase table ──▶ search with one more scorer ──▶ derivations, scored as usual
"""

import re
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Protocol, TypeAlias

import numpy as np

from hyperbaton.corpus.sentences.sentence import FREE, Sentence
from hyperbaton.corpus.text import parse_lines, split_words
from hyperbaton.decoder.constraints.price import FORBIDDEN
from hyperbaton.decoder.constraints.target_words import (
    OTHER,
    BeginsWith,
    Nearest,
    parts_of,
    required_numbers,
)
from hyperbaton.decoder.decode import Decoder, MakeConstraint, NotFound
from hyperbaton.decoder.options import MOST_OPTIONS
from hyperbaton.decoder.phrase_decoded import PhraseDecoded
from hyperbaton.foundation.arrays import BoolArray, Int64Array
from hyperbaton.foundation.errors import BadLine, DataError
from hyperbaton.models.distortion.interface import OptionTable
from hyperbaton.models.distortion.oracle import InOrder

SplitLine: TypeAlias = Callable[[str], Sequence[str]]
_SPAN = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")
WIDENING = 10  # factor for the beam: the best hypotheses may not lead to the required words


class Request(Protocol):
    def decode(
        self, decoder: Decoder, sentence: Sentence, n_best: int, *, distinct: bool
    ) -> PhraseDecoded: ...


@dataclass(frozen=True)
class Exactly:
    """The derivations of this translation; if there are none, those of the nearest one.

    The nearest translation has the fewest missing and additional words, and the best score among
    equals.
    """

    words: tuple[str, ...]
    nearest: bool = True  # if false, no derivation is an error

    def decode(
        self, decoder: Decoder, sentence: Sentence, n_best: int, *, distinct: bool
    ) -> PhraseDecoded:
        if not len(sentence):
            required = () if self.nearest else self.words
            return replace(_said_of_nothing(decoder, sentence, required), lacks=self.words)
        usual = decoder.options(sentence).table
        try:
            reduced = _with_reduced_table(decoder, sentence, self.words)
            constraint = _begins_with(self.words, sentence, usual, exact=True)
            return reduced.decode(sentence, n_best, distinct=distinct, constraint=constraint)
        except NotFound:
            if not self.nearest:
                raise

        def nearest(options: OptionTable) -> Nearest:
            return Nearest(*required_numbers(options, sentence.words, self.words))

        reduced = _with_reduced_table(decoder, sentence, self.words, usual.entry, wider=1)
        decoded = reduced.decode(sentence, n_best, distinct=distinct, constraint=nearest)
        lacks, adds = differences(decoded.words(), self.words)
        return replace(_without_penalties(decoded, decoder), lacks=lacks, adds=adds)


@dataclass(frozen=True)
class Beginning:
    """The best translation that begins with these words."""

    words: tuple[str, ...]

    def decode(
        self, decoder: Decoder, sentence: Sentence, n_best: int, *, distinct: bool
    ) -> PhraseDecoded:
        if not len(sentence):
            return _said_of_nothing(decoder, sentence, self.words)
        usual = decoder.options(sentence).table
        reduced = _with_reduced_table(decoder, sentence, self.words, usual.entry, goes_on=True)
        constraint = _begins_with(self.words, sentence, usual, exact=False)
        return reduced.decode(sentence, n_best, distinct=distinct, constraint=constraint)


@dataclass(frozen=True)
class Following:
    """The best translation in this order of source spans: each span is complete before the next one
    begins. Words outside all spans are free."""

    spans: tuple[tuple[int, int], ...]  # start and end of each, half-open

    def decode(
        self, decoder: Decoder, sentence: Sentence, n_best: int, *, distinct: bool
    ) -> PhraseDecoded:
        ranks = self._ranks(len(sentence))
        return decoder.decode(
            sentence,
            n_best,
            distinct=distinct,
            constraint=lambda options: InOrder(options, ranks, FORBIDDEN),
        )

    def _ranks(self, n_words: int) -> Int64Array:
        ranks = np.full(n_words, FREE, np.int64)
        for rank, (start, end) in enumerate(self.spans):
            if not 0 <= start < end <= n_words:
                raise DataError(
                    f"the span {start}-{end - 1} is outside the sentence of {n_words} words",
                    expected="words are counted from 0",
                )
            if (ranks[start:end] != FREE).any():
                raise DataError(f"the span {start}-{end - 1} overlaps another span of the order")
            ranks[start:end] = rank
        return ranks


def _begins_with(
    words: Sequence[str], sentence: Sentence, usual: OptionTable, *, exact: bool
) -> MakeConstraint:
    def constraint(options: OptionTable) -> BeginsWith:
        said, required = required_numbers(options, sentence.words, words)
        scorer = BeginsWith(said, required, _possible(options, usual), exact=exact)
        if exact:
            _check_all_words_are_needed(scorer.useful(), options, len(sentence))
        return scorer

    return constraint


def _check_all_words_are_needed(useful: BoolArray, options: OptionTable, n_words: int) -> None:
    """Fails before the search if a source word cannot contribute to the required words."""
    changes = np.zeros(n_words + 1, np.int64)
    np.add.at(changes, options.start[useful], 1)
    np.add.at(changes, options.end[useful], -1)
    if not np.cumsum(changes)[:-1].all():
        raise NotFound("the phrase table cannot produce this translation")


def _said_of_nothing(
    decoder: Decoder, sentence: Sentence, required: Sequence[str]
) -> PhraseDecoded:
    if required:
        raise NotFound("an empty sentence has only the empty translation")
    return decoder.decode(sentence)


def _without_penalties(decoded: PhraseDecoded, decoder: Decoder) -> PhraseDecoded:
    """Replaces scores that include penalties by model scores; drops the lattice, which has them."""
    weights = np.array([decoder.weights[name] for name in decoded.feature_names])
    return replace(decoded, scores=decoded.features() @ weights, lattice=None)


def _with_reduced_table(
    decoder: Decoder,
    sentence: Sentence,
    required: Sequence[str],
    best: Int64Array | None = None,
    *,
    goes_on: bool = False,
    wider: int = WIDENING,
) -> Decoder:
    """A decoder with a table of all entries that are part of the required words, and the best."""
    # slow to import, and seldom needed
    from hyperbaton.models.phrases.smaller_tables import sentence_table

    phrases = decoder.phrases
    vocabulary = phrases.target_vocabulary
    ids = np.array(
        [vocabulary.encode([word])[0] if word in vocabulary else OTHER for word in required],
        np.int32,
    )

    words = phrases.source_vocabulary.encode(sentence.words)
    entries = np.empty(0, np.int64) if best is None else best
    is_wanted = partial(parts_of, required=ids, goes_on=goes_on)
    table = sentence_table(phrases, words, is_wanted, entries)
    settings = replace(
        decoder.settings,
        options=MOST_OPTIONS,
        pop_limit=wider * decoder.settings.pop_limit,
        stack_size=wider * decoder.settings.stack_size,
    )
    reduced = Decoder(table, decoder.lm, decoder.distortion, decoder.weights, settings)
    reduced.is_stopped = decoder.is_stopped
    return reduced


def _possible(options: OptionTable, usual: OptionTable) -> BoolArray:
    """Options that the full table also has: a word missing only from the reduced table is known."""
    unknown = usual.start[usual.is_unknown]
    possible: BoolArray = ~options.is_unknown | np.isin(options.start, unknown)
    return possible


def differences(
    said: Sequence[str], wanted: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The missing and the additional words, both in order, by a longest common subsequence."""
    common = np.zeros((len(said) + 1, len(wanted) + 1), int)
    for i in range(len(said) - 1, -1, -1):
        for j in range(len(wanted) - 1, -1, -1):
            same = said[i] == wanted[j]
            common[i, j] = 1 + common[i + 1, j + 1] if same else common[i : i + 2, j : j + 2].max()
    missing, extra, i, j = list[str](), list[str](), 0, 0
    while i < len(said) or j < len(wanted):
        if i < len(said) and j < len(wanted) and said[i] == wanted[j]:
            i, j = i + 1, j + 1
        elif j < len(wanted) and (i == len(said) or common[i, j + 1] >= common[i + 1, j]):
            missing.append(wanted[j])
            j += 1
        else:
            extra.append(said[i])
            i += 1
    return tuple(missing), tuple(extra)


def parse_order(line: str, _: SplitLine) -> Following:
    """Parses `4 0-2 3`: word 4 first, then words 0 to 2 in any order, then word 3; others free."""
    spans = []
    for text in split_words(line):
        match = _SPAN.fullmatch(text)
        if not match:
            raise BadLine(
                "order", f"{text!r} is not a span of words", "expected 4 or 0-2, for example"
            )
        spans.append((int(match[1]), int(match[2] or match[1]) + 1))
    return Following(tuple(spans))


PARSERS: dict[str, Callable[[str, SplitLine], Request]] = {
    "force": lambda line, split: Exactly(tuple(split(line))),
    "prefix": lambda line, split: Beginning(tuple(split(line))),
    "order": parse_order,
}


def read_requests(
    path: Path, kind: str, split: SplitLine = split_words
) -> Generator[Request, None, None]:
    """Yields a request for each line of a file, which `split` splits into words; raises an error at
    the end of the file."""
    number = 0
    for number, request in parse_lines(path, lambda line: PARSERS[kind](line, split)):  # noqa: B007
        yield request
    raise DataError(
        f"the file ends after {number:,} lines",
        where=str(path),
        expected="expected a line for each sentence",
    )


def check_used_up(requests: Iterator[Request], n_sentences: int) -> None:
    """Rejects a file with more lines than sentences."""
    try:
        next(requests)
    except DataError:
        return
    raise DataError(
        "there are more requests than sentences", expected=f"there are {n_sentences:,} sentences"
    )
