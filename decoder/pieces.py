"""Splits sentences that are too long for one search at punctuation, and joins the translations.

The tables of a search grow with the square of the sentence length. A line of a thousand words is
hardly ever one sentence, and no model was trained on such sentences.

    he came , and he saw , and then he went      with at most 8 words
    ──────────┬────────────┬────────────────
              3            7                     cut at the last mark that is not too far back
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from unicodedata import category

import numpy as np

from hyperbaton.corpus.languages import FINAL
from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.decoded import Decoded
from hyperbaton.decoder.statistics import SearchStatistics
from hyperbaton.foundation.arrays import FloatArray, Int64Array, Ragged

OPENING = {"Ps", "Pi"}  # Unicode categories of opening brackets and quotation marks


def cut(sentence: Sentence, longest: int, breaks: Sequence[int] = ()) -> list[Sentence]:
    """Splits a sentence into pieces of at most `longest` words, unless a zone or term is longer;
    drops trees.

    Always splits at `breaks`, where sentences end, except inside a zone or term.
    """
    ends = [place for place in breaks if sentence.markup.around(place) == (place, place)]
    begin, pieces = 0, []
    for stop in (*ends, len(sentence)):
        while stop - begin > longest:
            end = begin + _length(sentence.words[begin : begin + longest])
            before, after = sentence.markup.around(end)
            end = before if before > begin else after
            pieces.append(_part(sentence, begin, end))
            begin = end
        if begin < stop or not pieces:
            pieces.append(_part(sentence, begin, stop))
            begin = stop
    return pieces


def _length(words: Sequence[str]) -> int:
    """The length of the first piece: up to the last end of a sentence in the second half of the
    words, else up to the last punctuation there, else all words."""
    for is_boundary in (lambda word: word in FINAL, _closes):
        for place in range(len(words) - 1, len(words) // 2 - 2, -1):
            if is_boundary(words[place]):
                return place + 1
    return len(words)


def _closes(word: str) -> bool:
    """Whether a word is punctuation that may precede a clause."""
    kinds = {category(letter) for letter in word}
    return all(kind.startswith("P") for kind in kinds) and not kinds & OPENING


def _part(sentence: Sentence, begin: int, end: int) -> Sentence:
    return Sentence(
        sentence.words[begin:end],
        None if sentence.tags is None else sentence.tags[begin:end],
        None if sentence.classes is None else sentence.classes[begin:end],
        order=None if sentence.order is None else sentence.order[begin:end],
        markup=sentence.markup.part(begin, end),
        written=None if sentence.written is None else sentence.written[begin:end],
    )


@dataclass(frozen=True, eq=False)
class Joined(Decoded):
    """The joined translation of all pieces, whose lists have equal lengths."""

    sentence: Sentence
    parts: tuple[Decoded, ...]

    @property
    def scores(self) -> FloatArray:  # type: ignore[override]
        return np.sum([part.scores for part in self.parts], axis=0)  # type: ignore[no-any-return]

    @property
    def feature_names(self) -> tuple[str, ...]:  # type: ignore[override]
        return self.parts[0].feature_names

    @property
    def statistics(self) -> SearchStatistics:
        total = reduce(SearchStatistics.add, (part.statistics for part in self.parts))
        return total._replace(sentences=1)

    @property
    def n_pieces(self) -> int:
        return len(self.parts)

    def words(self, number: int = 0) -> list[str]:
        return [word for part in self.parts for word in part.words(number)]

    def spans(self, number: int = 0) -> list[tuple[int, int, int, int]]:
        return [
            (start + source, end + source, target_start + target, target_end + target)
            for part, source, target in self._places(number)
            for start, end, target_start, target_end in part.spans(number)
        ]

    def links(self, number: int = 0) -> list[tuple[int, int]]:
        return [
            (f + source, e + target)
            for part, source, target in self._places(number)
            for f, e in part.links(number)
        ]

    def unknown(self, number: int = 0) -> tuple[int, ...]:
        before = np.cumsum([0, *(len(part.spans(number)) for part in self.parts)]).tolist()
        return tuple(
            step + first
            for part, first in zip(self.parts, before, strict=False)
            for step in part.unknown(number)
        )

    def copied(self, number: int = 0) -> list[str]:
        return [word for part in self.parts for word in part.copied(number)]

    def features(self) -> FloatArray:
        values: FloatArray = np.sum([part.features() for part in self.parts], axis=0)
        return values

    def all_words(self) -> Ragged:
        before = np.cumsum([0, *(len(part.sentence) for part in self.parts)]).tolist()
        return _rows_joined(
            [
                Ragged(
                    np.where(words.values < 0, words.values - source, words.values), words.offsets
                )
                for words, source in zip(self._all_words, before, strict=False)
            ]
        )

    def all_links(self) -> Ragged:
        source, target = 0, np.zeros(len(self), np.int64)
        moved = []
        for part, words in zip(self.parts, self._all_words, strict=True):
            links = part.all_links()
            before = np.stack([np.full(len(links.values), source), target[links.row_of_value]], 1)
            moved.append(Ragged((links.values + before).astype(np.uint16), links.offsets))
            source, target = source + len(part.sentence), target + words.lengths
        return _rows_joined(moved)

    def take(self, numbers: Int64Array) -> "Joined":
        return Joined(self.sentence, tuple(part.take(numbers) for part in self.parts))

    @cached_property
    def _all_words(self) -> list[Ragged]:
        return [part.all_words() for part in self.parts]

    def _places(self, number: int) -> Iterator[tuple[Decoded, int, int]]:
        """Yields every piece with its first source and target position."""
        source = target = 0
        for part in self.parts:
            yield part, source, target
            source, target = source + len(part.sentence), target + len(part.words(number))


def join(sentence: Sentence, parts: Sequence[Decoded]) -> Joined:
    """Joins the best derivations of all pieces, then the second best, and so on."""
    size = max(map(len, parts))
    numbers = (np.minimum(np.arange(size), len(part) - 1) for part in parts)
    return Joined(sentence, tuple(part.take(n) for part, n in zip(parts, numbers, strict=True)))


def _rows_joined(parts: Sequence[Ragged]) -> Ragged:
    """The first rows of all parts one after the other, then their second rows, and so on."""
    rows = [part[row] for row in range(len(parts[0])) for part in parts]
    lengths = sum(part.lengths for part in parts)
    return Ragged(np.concatenate(rows), np.concatenate([[0], np.cumsum(lengths)]))
