"""Splits sentences that are too long for one search at punctuation, and joins the translations.

The tables of a search grow with the square of the sentence length. A line of a thousand words is
hardly ever one sentence, and no model was trained on such sentences.

    he came , and he saw , and then he went      with at most 8 words
    ──────────┬────────────┬────────────────
              3            7                     cut at the last mark that is not too far back
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from unicodedata import category

import numpy as np

from hyperbaton.corpus.languages import FINAL
from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.decoded import Decoded
from hyperbaton.decoder.statistics import SearchStatistics
from hyperbaton.foundation.arrays import FloatArray, Int32Array, Int64Array, Ragged
from hyperbaton.models.distortion.interface import FIRST_GIVEN, OptionTable

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
    """The joined translation of all pieces. It has no lattice, and its options and scorers cannot
    be used for another search."""

    parts: tuple[Decoded, ...] = ()

    @property
    def n_pieces(self) -> int:
        return len(self.parts)

    @property
    def statistics(self) -> SearchStatistics:
        total = reduce(SearchStatistics.add, (part.statistics for part in self.parts))
        return total._replace(sentences=1)

    def features(self) -> FloatArray:
        values: FloatArray = np.sum([part.features() for part in self.parts], axis=0)
        return values

    def take(self, numbers: Int64Array) -> "Joined":
        parts = tuple(part.take(numbers) for part in self.parts)
        return join(self.sentence, parts)


def join(sentence: Sentence, parts: Sequence[Decoded]) -> Joined:
    """Joins the best derivations of all pieces, then the second best, and so on."""
    size = max(map(len, parts))
    parts = [part.take(np.minimum(np.arange(size), len(part) - 1)) for part in parts]
    tables = [part.options.table for part in parts]
    words = np.cumsum([0, *(len(part.sentence) for part in parts[:-1])])
    options = np.cumsum([0, *map(len, tables[:-1])])
    given = np.cumsum([0, *(len(table.given) for table in tables[:-1])])
    table = replace(
        tables[0],
        n_words=len(sentence),
        start=_concatenated([piece.start for piece in tables], words),
        end=_concatenated([piece.end for piece in tables], words),
        entry=np.concatenate([_moved(*pair) for pair in zip(tables, given, strict=True)]),
        given=tuple(translation for piece in tables for translation in piece.given),
    )
    rows = [_concatenated([part.chosen[row] for part in parts], options) for row in range(size)]
    return Joined(
        sentence,
        replace(parts[0].options, table=table),
        (),
        Ragged(np.concatenate(rows), np.cumsum([0, *map(len, rows)])),
        np.sum([part.scores for part in parts], axis=0),
        parts[0].lm,
        parts[0].feature_names,
        parts=tuple(parts),
    )


def _moved(table: OptionTable, n_before: int) -> Int64Array:
    """The entries, with given translations renumbered to follow `n_before` others."""
    return np.where(table.entry <= FIRST_GIVEN, table.entry - n_before, table.entry)


def _concatenated(arrays: Sequence[Int32Array], before: Int64Array) -> Int32Array:
    """Concatenates arrays after adding an offset to each."""
    moved = [values + number for values, number in zip(arrays, before, strict=True)]
    return np.concatenate(moved).astype(np.int32)
