"""The features of Ni et al. (2011, section 3.1, Table 3, Figures 6 and 7).

Word n-grams and word-class n-grams in a window on each side of the source phrase, marked with the
position where they begin, and the n-grams and class n-grams (subphrases) of the target phrase.
Positions count from the edges, without the phrase itself, and n-grams stay inside their window:

    Zhou   liu  [Xiang gang]  yi   min   ju   fa …        position-marked: (Zhou, −2) (liu, −1)
     −2    −1                  1    2    3                (Zhou liu, −2) (yi, 1) (yi min, 1) …

Features are binary. The paper's formula also begins at the edge words themselves, which its Figure
7 omits: with `edges`, the first and the last word of the source phrase, and their classes, are also
features. In a sub-model for one source phrase they are always present and act as an intercept; in
the pooled model they distinguish phrases.
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from hyperbaton.foundation.arrays import Int32Array, Int64Array, Ragged
from hyperbaton.foundation.files.array_files import restored, saved
from hyperbaton.foundation.files.array_laws import CheckedArrays
from hyperbaton.foundation.hashing import EMPTY
from hyperbaton.foundation.kernels import inner, kernel
from hyperbaton.models.distortion.dpr.feature_set import (
    BOTH,
    DROPPED,
    FEATURES,
    MOST_WINDOW_WORDS,
    SOURCE,
    TRANSLATION,
    FeatureRows,
    FeatureSet,
    Layers,
)
from hyperbaton.models.distortion.dpr.samples import PairPlaces
from hyperbaton.models.phrases.trie import (
    ROOT,
    Trie,
    build_trie,
    child,
    node_keys,
    number_spans,
    spelled,
    trie_laws,
)

LAYERS = ("word", "class")


class NgramIndex(NamedTuple):
    """The n-grams of a text with up to `order` words, numbered from 0 for each length."""

    trie: Trie
    numbers: Int32Array  # (n_nodes,) of the n-gram that ends there, or EMPTY
    sizes: Int64Array  # (order,) number of n-grams of each length

    @classmethod
    def fit(cls, text: Ragged, order: int) -> "tuple[NgramIndex, Int32Array]":
        """The index of a text, and the numbers of its n-grams in the form of `find`."""
        spans = number_spans(text, order)
        sizes = np.bincount(spans.length, minlength=order + 1)[1:]
        first = np.cumsum(sizes) - sizes  # spans are numbered by length
        phrases = Ragged.gather(text.values, spans.first_at, spans.length)
        trie, ends, n_nodes = build_trie(phrases)
        numbers = np.full(n_nodes, EMPTY, np.int32)
        numbers[ends] = np.arange(len(ends)) - first[spans.length - 1]
        ids = np.where(spans.ids >= 0, spans.ids - first[:, None], EMPTY)
        return cls(trie, numbers, sizes), ids.astype(np.int32)

    def find(self, text: Ragged) -> Int32Array:
        """The number of the n-gram of each length at each place, (order, n_words); EMPTY if the
        index does not have it or it extends past the row."""
        ids = np.full((len(self.sizes), len(text.values)), EMPTY, np.int32)
        find_ngrams(self.trie, self.numbers, text.values, text.offsets, ids)
        return ids

    def words(self, length: int, number: int) -> list[int]:
        """The words of an n-gram; slow, for inspection."""
        keys = node_keys(self.trie, len(self.numbers))
        nodes = np.flatnonzero(self.numbers == number)  # one for each length
        ngrams = spelled(np.maximum(keys >> 32, ROOT), keys & 0xFFFFFFFF, nodes)
        return next(row.tolist() for row in ngrams if len(row) == length)

    def arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        return saved(self.trie, f"{prefix}_") | saved(self, f"{prefix}_")

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str) -> "NgramIndex":
        trie = restored(Trie, arrays, f"{prefix}_")
        return restored(cls, arrays, f"{prefix}_", trie=trie)


def ngram_laws(arrays: CheckedArrays, prefix: str, order: int) -> Int64Array:
    """Checks an index on disk; returns the number of n-grams of each length."""
    name = f"{prefix}_sizes"
    sizes = arrays.indices(name, np.int64, (order,), below=2**31)
    numbers = arrays.array(f"{prefix}_numbers", np.int32, (None,))
    length = trie_laws(arrays, f"{prefix}_keys", f"{prefix}_nodes", len(numbers))
    most = np.append(0, sizes)[np.where(length <= order, length, 0)]
    fits = np.all((numbers >= EMPTY) & (numbers < np.maximum(most, 0)))
    arrays.that(f"{prefix}_numbers", fits, "has numbers of n-grams that do not exist")
    return sizes


@kernel
def find_ngrams(trie, numbers, words, offsets, ids):
    """Writes the numbers of known n-grams to `ids`, (order, n_words)."""
    for row in range(len(offsets) - 1):
        for at in range(offsets[row], offsets[row + 1]):
            node = np.int32(ROOT)
            for k in range(min(len(ids), offsets[row + 1] - at)):
                node = child(trie, node, words[at + k])
                if node == EMPTY:
                    break
                ids[k, at] = numbers[node]


class _Text(NamedTuple):
    words: Int32Array  # (order, n_words) numbers of n-grams by length and place
    classes: Int32Array


class NiFeatures(FeatureSet):
    name: ClassVar[str] = "ni"

    def __init__(self, window: int = 3, order: int = 3, edges: bool = True) -> None:
        self.window, self.order, self.edges = window, order, edges

    def check(self) -> None:
        most = MOST_WINDOW_WORDS
        self._check("window", 0 <= self.window <= most, f"expected 0 to {most}")
        self._check("order", 1 <= self.order <= most, f"expected 1 to {most}")

    def fit(self, source: Layers, target: Layers, links: Ragged) -> tuple[_Text, _Text]:  # noqa: ARG002
        self.check()
        indices, texts = [], []
        for text in (source.words, source.classes, target.words, target.classes):
            index, ids = NgramIndex.fit(text, self.order)
            indices.append(index)
            texts.append(ids)
        self._index(indices)
        return _Text(*texts[:2]), _Text(*texts[2:])

    def _index(self, indices: list[NgramIndex]) -> None:
        """Assigns the columns: each template has one for every n-gram of its length."""
        self.indices_ = indices
        n_columns = 0
        templates = []
        for layer, index in enumerate(indices[:2]):
            for at_end, shift, length in self._windows():
                templates.append((layer, at_end, shift, length, n_columns))
                n_columns += int(index.sizes[length - 1])
        self.templates_ = np.array(templates, np.int64).reshape(-1, 5)
        sizes = np.array([index.sizes for index in indices[2:]])  # (layers, order)
        ends = n_columns + np.cumsum(sizes).reshape(sizes.shape)
        self.target_begin_ = ends - sizes
        self.n_columns_ = int(ends[-1, -1])

    def _windows(self) -> list[tuple[int, int, int]]:
        """The positions of n-grams: (from the end, shift from start or end, length)."""
        places = [(0, 0, 1), (1, -1, 1)] if self.edges else []
        for length in range(1, self.order + 1):
            places += [(0, shift, length) for shift in range(-self.window, 1 - length)]
            places += [(1, shift, length) for shift in range(self.window + 1 - length)]
        return places

    def text(self, layers: Layers, *, target: bool) -> _Text:
        indices = self.indices_[2:] if target else self.indices_[:2]
        return _Text(*(index.find(text) for index, text in zip(indices, layers, strict=True)))

    def rows(
        self,
        source: _Text,
        target: _Text,
        places: PairPlaces,
        number: Int32Array,
        parts: int = BOTH,
    ) -> FeatureRows:
        longest = int((places.target_end - places.target_start).max(initial=0))
        # a phrase of n words has fewer than n n-grams of each length
        most = len(self.templates_) + len(LAYERS) * self.order * longest
        columns = np.empty(len(places.inner) * most, np.int32)
        begin: Int64Array = _emit(
            source, target, places, self.templates_, self.target_begin_, number, parts, columns
        )
        columns = columns[: begin[-1]].copy()
        return begin, columns, np.ones(len(columns), np.float32)

    def edge_columns(
        self, words: Int32Array, classes: Int32Array, number: Int32Array
    ) -> Int32Array:
        columns: Int32Array = _edge_columns(
            self.indices_[0], self.indices_[1], words, classes, self.templates_, number
        )
        return columns

    def arrays(self) -> dict[str, NDArray[Any]]:
        arrays: dict[str, NDArray[Any]] = {}
        for k, index in enumerate(self.indices_):
            arrays |= index.arrays(f"ngrams_{k}")
        return arrays

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> Self:
        self._index([NgramIndex.from_arrays(arrays, f"ngrams_{k}") for k in range(4)])
        return self

    def laws(self, arrays: CheckedArrays) -> int:
        sizes = [ngram_laws(arrays, f"{FEATURES}ngrams_{k}", self.order) for k in range(4)]
        source = sum(int(row[length - 1]) for row in sizes[:2] for *_, length in self._windows())
        return source + sum(int(row.sum()) for row in sizes[2:])

    def describe(
        self, column: int, source: Callable[[int], str], target: Callable[[int], str]
    ) -> str:
        """For instance `word -2: Zhou liu` or `target class: 7 31`."""
        if column >= self.target_begin_[0, 0]:
            which = int(np.searchsorted(self.target_begin_.ravel(), column, side="right")) - 1
            layer, length = divmod(which, self.order)
            number = column - int(self.target_begin_[layer, length])
            words = self.indices_[2 + layer].words(length + 1, number)
            return f"target {LAYERS[layer]}: {_text(words, layer, target)}"
        row = int(np.searchsorted(self.templates_[:, 4], column, side="right")) - 1
        layer, at_end, shift, length, first = self.templates_[row].tolist()
        words = self.indices_[layer].words(length, column - first)
        if at_end:
            place = "last" if shift < 0 else f"+{shift + 1}"
        else:
            place = "first" if shift == 0 else str(shift)
        return f"{LAYERS[layer]} {place}: {_text(words, layer, source)}"


def _text(words: list[int], layer: int, name: Callable[[int], str]) -> str:
    return " ".join(str(word) if layer else name(word) for word in words)


@kernel
def _emit(source, target, places, templates, target_begin, number, parts, columns):
    """Writes the columns of every place, increasing and concatenated; returns the start of each."""
    begin = np.zeros(len(places.inner) + 1, np.int64)
    at = 0
    for place in range(len(places.inner)):
        if parts & SOURCE:
            for row in range(len(templates)):
                layer, at_end, shift, length, first = templates[row]
                edge = places.source_end[place] if at_end else places.source_start[place]
                start = edge + shift
                if start < places.sentence_start[place]:
                    continue
                if start + length > places.sentence_end[place]:
                    continue
                ids = source.words if layer == 0 else source.classes
                at = _put(ids[length - 1, start], first, number, columns, at, at)
        if parts & TRANSLATION:
            for layer in range(2):
                ids = target.words if layer == 0 else target.classes
                for k in range(target_begin.shape[1]):
                    here = at
                    for start in range(places.target_start[place], places.target_end[place] - k):
                        first = target_begin[layer, k]
                        at = _put(ids[k, start], first, number, columns, here, at)
        begin[place + 1] = at
    return begin


@kernel
def _edge_columns(words_index, classes_index, words, classes, templates, number):
    """The columns of each edge; every template has a fixed position among them."""
    n_words, order = len(words), len(words_index.sizes)
    ids = np.full((2, order, n_words), EMPTY, np.int32)
    whole = np.array([0, n_words])
    find_ngrams(words_index.trie, words_index.numbers, words, whole, ids[0])
    find_ngrams(classes_index.trie, classes_index.numbers, classes, whole, ids[1])
    n_templates = np.zeros(2, np.int64)
    for row in range(len(templates)):
        n_templates[templates[row, 1]] += 1
    columns = np.full((2, n_words + 1, n_templates.max()), DROPPED, np.int32)
    n_templates[:] = 0
    for row in range(len(templates)):
        layer, at_end, shift, length, first = templates[row]
        # the n-gram is inside the sentence, and so is the edge, at start − shift
        for start in range(max(0, shift), min(n_words - length, n_words + shift) + 1):
            ngram = ids[layer, length - 1, start]
            if ngram >= 0:
                columns[at_end, start - shift, n_templates[at_end]] = number[first + ngram]
        n_templates[at_end] += 1
    return columns


@inner
def _put(ngram, first, number, columns, since, at):
    """Inserts one column in order after `since`, unless it is present; ignores unknown and dropped
    n-grams. Columns of a row increase, because those of its templates do."""
    if ngram < 0 or number[first + ngram] == DROPPED:
        return at
    column = number[first + ngram]
    place = at
    while place > since and columns[place - 1] > column:
        place -= 1
    if place > since and columns[place - 1] == column:
        return at
    for later in range(at, place, -1):
        columns[later] = columns[later - 1]
    columns[place] = column
    return at + 1
