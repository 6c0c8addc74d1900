"""Word classes by exchange on class bigrams: Kneser and Ney (1993), Och (1999), mkcls.

The classes g maximise the likelihood of a class bigram model. With n(g, h) the number of times a
word of class h follows one of class g, and n(g) the number of words of class g, its logarithm is,
up to a constant of the text,

    F = Σ_{g,h} n(g, h) log n(g, h) − 2 Σ_g n(g) log n(g).

Each sweep visits the words, the most frequent first, and moves each to the class where F is
largest, until no word moves or the number of sweeps is reached. F never decreases. The result
depends on the start, so we try two and keep the better result: each of the most frequent words has
its class and all others share the last one; or the words are dealt to the classes in turn, by
frequency. Both ends of a sentence form another class, which no word joins.

A step costs n_classes × (classes next to the word), because only counts in the rows and columns of
the word's neighbours change; x log x comes from a table. Nothing is random. Unlike mkcls, we use no
simulated annealing and no minimum word count.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hyperbaton.foundation.arrays import FloatArray, Int32Array, Int64Array, Ragged
from hyperbaton.foundation.errors import DataError, SettingError
from hyperbaton.foundation.files.array_files import load_arrays, save_arrays
from hyperbaton.foundation.files.array_laws import CheckedArrays
from hyperbaton.foundation.files.vocabulary import UNKNOWN, Vocabulary
from hyperbaton.foundation.kernels import inner, kernel
from hyperbaton.foundation.progress import Progress, silent

FORMAT = 1
N_CLASSES = 50
SWEEPS = 8
LONGEST_TABLE = 1 << 22  # of x log x; larger values are computed when needed
GAIN = 1e-9  # a move must gain more, so that rounding cannot cause endless moves

MOST_CLASSES = 1 << 16


@dataclass(frozen=True, eq=False)
class WordClasses:
    """A class for every word of a vocabulary, numbered from 0.

    Unseen words and words outside the vocabulary get the class of most words that were seen once.
    """

    n_classes: int
    of_word: Int32Array  # (n_vocabulary,) class of each word id
    vocabulary: Vocabulary

    @classmethod
    def fit(
        cls,
        words: Ragged,
        vocabulary: Vocabulary,
        n_classes: int = N_CLASSES,
        sweeps: int = SWEEPS,
        progress: Progress = silent,
    ) -> "WordClasses":
        if n_classes < 1:
            raise SettingError(
                f"{n_classes} word classes are not possible", expected="expected 1 or more"
            )
        if not len(words.values):
            raise DataError("cannot make word classes from a text without words")
        counts = np.bincount(words.values, minlength=len(vocabulary))
        by_count = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
        text = count_bigrams(words, len(vocabulary))
        table = x_log_x(np.arange(min(len(words.values) + len(words), LONGEST_TABLE) + 1))
        rank = np.arange(len(by_count))
        ends = []
        for start in (np.minimum(rank, n_classes - 1), rank % n_classes):
            class_of = np.full(len(vocabulary) + 1, n_classes, np.int32)
            class_of[by_count] = start
            class_counts = count_class_bigrams(text, class_of, n_classes)
            for sweep in range(sweeps):
                progress("making word classes", sweep)
                sizes = class_counts.sum(axis=1)
                if not _sweep(by_count, text, class_of, class_counts, sizes, table):
                    break
            ends.append((_criterion(class_counts), class_of))
        class_of = max(ends, key=lambda end: end[0])[1]
        seen = class_of[:-1][counts > 0]
        rare = class_of[:-1][counts == 1] if (counts == 1).any() else seen
        unseen = int(np.bincount(rare).argmax())
        return cls(n_classes, np.where(counts > 0, class_of[:-1], unseen), vocabulary)

    def layer(self, words: Ragged) -> Ragged:
        """The classes of a corpus over the same vocabulary."""
        return Ragged(self._of_ids(words.values), words.offsets)

    def of(self, words: Sequence[str]) -> tuple[int, ...]:
        return tuple(self._of_ids(self.vocabulary.encode(words)).tolist())

    def _of_ids(self, ids: Int32Array) -> Int32Array:
        # the vocabulary may have grown since `fit`
        classes: Int32Array = self.of_word[np.where(ids < len(self.of_word), ids, UNKNOWN)]
        return classes

    def save(self, directory: Path) -> None:
        header = {"n_classes": self.n_classes}
        words = {"vocabulary": self.vocabulary}
        save_arrays(directory, FORMAT, header, {"of_word": self.of_word}, words)

    @classmethod
    def load(cls, directory: Path) -> "WordClasses":
        header, arrays, vocabularies = load_arrays(directory, FORMAT, _laws)
        return cls(header["n_classes"], arrays["of_word"], vocabularies["vocabulary"])


def _laws(arrays: CheckedArrays) -> None:
    classes_of_words(arrays, "of_word", "vocabulary", arrays.number("n_classes", low=1))


def classes_of_words(
    arrays: CheckedArrays, name: str, vocabulary: str, n_classes: int = MOST_CLASSES
) -> None:
    """Checks an array with the class of every word, except those added later."""
    classes = arrays.indices(name, np.int32, (None,), below=min(n_classes, MOST_CLASSES))
    n_words = arrays.words(vocabulary)
    fits = 0 < len(classes) <= n_words
    arrays.that(name, fits, f"has {len(classes)} classes for {n_words} words")


Bigrams = tuple[Int64Array, Int32Array, Int64Array, Int64Array, Int32Array, Int64Array]


def count_bigrams(words: Ragged, n_vocabulary: int) -> Bigrams:
    """The words that follow and precede each word, with counts: (begin, other word, count) twice.
    Both ends of a sentence are the word `n_vocabulary`."""
    n_sentences, boundary = len(words), n_vocabulary
    # each sentence is followed by a boundary; the last one also precedes the first sentence
    places = np.arange(len(words.values)) + words.row_of_value
    text = np.full(len(words.values) + n_sentences, boundary, np.int64)
    text[places] = words.values
    before = np.roll(text, 1)
    bigrams, counts = np.unique(before * (boundary + 1) + text, return_counts=True)
    first, second = bigrams // (boundary + 1), bigrams % (boundary + 1)
    ids = np.arange(boundary + 2)
    order = np.argsort(second, kind="stable")
    return (
        np.searchsorted(first, ids),
        second.astype(np.int32),
        counts,
        np.searchsorted(second[order], ids),
        first[order].astype(np.int32),
        counts[order],
    )


def count_class_bigrams(text: Bigrams, class_of: Int32Array, n_classes: int) -> Int64Array:
    """Counts of class bigrams, (n_classes + 1, n_classes + 1); boundaries are last."""
    begin, second, counts = text[:3]
    first = np.repeat(np.arange(len(begin) - 1), np.diff(begin))
    result = np.zeros((n_classes + 1, n_classes + 1), np.int64)
    np.add.at(result, (class_of[first], class_of[second]), counts)
    return result


def _criterion(class_counts: Int64Array) -> float:
    return float(x_log_x(class_counts).sum() - 2 * x_log_x(class_counts.sum(axis=1)).sum())


def x_log_x(x: Int64Array) -> FloatArray:
    return x.astype(np.float64) * np.log(np.maximum(x, 1))


@inner
def _look_up(table, x):
    return table[x] if x < len(table) else x * np.log(x)


@kernel
def _sweep(by_count, text, class_of, class_counts, sizes, table):
    """Moves each word to its best class; returns the number of moves."""
    n_classes = len(class_counts) - 1
    following = np.zeros(n_classes + 1, np.int64)
    preceding = np.zeros(n_classes + 1, np.int64)
    gains = np.empty(n_classes)
    moved = 0
    for word in by_count:
        itself = _neighbours(word, text, class_of, following, preceding)
        old = class_of[word]
        _change(class_counts, sizes, old, following, preceding, itself, -1)
        _join_gains(class_counts, sizes, following, preceding, itself, table, gains)
        new = old
        for candidate in range(n_classes):
            if gains[candidate] > gains[new] + (GAIN if new == old else 0.0):
                new = candidate
        _change(class_counts, sizes, new, following, preceding, itself, 1)
        class_of[word] = new
        moved += new != old
    return moved


@inner
def _neighbours(word, text, class_of, following, preceding):
    """Counts the classes after and before a word; returns the count of the word next to itself."""
    begin_following, second, n_following, begin_preceding, first, n_preceding = text
    following[:] = 0
    preceding[:] = 0
    itself = 0
    for at in range(begin_following[word], begin_following[word + 1]):
        if second[at] == word:
            itself = n_following[at]
        else:
            following[class_of[second[at]]] += n_following[at]
    for at in range(begin_preceding[word], begin_preceding[word + 1]):
        if first[at] != word:
            preceding[class_of[first[at]]] += n_preceding[at]
    return itself


@inner
def _change(class_counts, sizes, group, following, preceding, itself, sign):
    """Puts a word into a class, or takes it out."""
    total = itself
    for other in range(len(class_counts)):
        class_counts[group, other] += sign * following[other]
        class_counts[other, group] += sign * preceding[other]
        total += following[other]
    class_counts[group, group] += sign * itself
    sizes[group] += sign * total


@inner
def _join_gains(class_counts, sizes, following, preceding, itself, table, gains):
    """The gain of F for each class that the word, now in no class, could join."""
    n_classes = len(gains)
    total = itself + following.sum()
    # most words have few neighbours: visit only their classes
    touched = np.flatnonzero(following + preceding)
    for group in range(n_classes):
        size = sizes[group]
        gain = 2.0 * (_look_up(table, size) - _look_up(table, size + total))
        here = class_counts[group, group]
        joined = here + following[group] + preceding[group] + itself
        gain += _look_up(table, joined) - _look_up(table, here)
        for other in touched:
            if other == group:
                continue
            count = class_counts[group, other]
            gain += _look_up(table, count + following[other]) - _look_up(table, count)
            count = class_counts[other, group]
            gain += _look_up(table, count + preceding[other]) - _look_up(table, count)
        gains[group] = gain
