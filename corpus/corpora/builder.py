"""Builds an `AlignedCorpus` from sentence pairs, one at a time."""

from collections.abc import Sequence

import numpy as np

from hyperbaton.corpus.corpora.corpus import NODE_COLUMNS, AlignedCorpus, Side
from hyperbaton.corpus.trees.tree import Tree
from hyperbaton.foundation.arrays import GrowingRagged, Ragged
from hyperbaton.foundation.files.vocabulary import Vocabulary

SORTED_AT_ONCE = 50_000  # pairs whose links are sorted together


class CorpusBuilder:
    """Builds a corpus pair by pair, with the layers chosen at construction.

    >>> builder = CorpusBuilder()
    >>> builder.add(["hon", "o"], ["a", "book"], [0, 1])
    >>> builder.finish().links[0]
    array([[0, 1]], dtype=uint16)
    """

    def __init__(
        self, *, source_tags: bool = False, target_tags: bool = False, trees: bool = False
    ) -> None:
        self._source = _SideBuilder(tags=source_tags, trees=trees)
        self._target = _SideBuilder(tags=target_tags, trees=False)
        self._links = GrowingRagged(2)

    def add(
        self,
        source: Sequence[str],
        target: Sequence[str],
        links: Sequence[int],  # source and target positions in turn
        source_tags: Sequence[str] | None = None,
        target_tags: Sequence[str] | None = None,
        tree: Tree | None = None,
    ) -> None:
        self._source.add(source, source_tags, tree)
        self._target.add(target, target_tags)
        self._links.add(links)

    def finish(self) -> AlignedCorpus:
        return AlignedCorpus(
            self._source.finish(), self._target.finish(), _canonical(self._links.finish())
        )


class _SideBuilder:
    def __init__(self, *, tags: bool, trees: bool) -> None:
        self.vocabulary, self.words = Vocabulary(), GrowingRagged()
        self.tag_vocabulary, self.tags = Vocabulary(), GrowingRagged() if tags else None
        self.label_vocabulary = Vocabulary()
        self.trees = GrowingRagged(len(NODE_COLUMNS)) if trees else None

    def add(
        self, words: Sequence[str], tags: Sequence[str] | None, tree: Tree | None = None
    ) -> None:
        self.words.add(self.vocabulary.extend(words))
        if self.tags is not None and tags is not None:
            self.tags.add(self.tag_vocabulary.extend(tags))
        if self.trees is not None:
            nodes = np.empty(0, np.int32)
            if tree is not None:
                labels = self.label_vocabulary.extend(tree.labels)
                nodes = np.stack([labels, tree.start, tree.end, tree.parent], axis=1).ravel()
            self.trees.add(nodes.tolist())

    def finish(self) -> Side:
        return Side(
            self.vocabulary,
            self.words.finish(),
            self.tag_vocabulary,
            self.tags.finish() if self.tags is not None else None,
            self.label_vocabulary,
            self.trees.finish() if self.trees is not None else None,
        )


def _canonical(links: Ragged) -> Ragged:
    """Sorts the links of each pair by source and target, and removes repetitions."""
    values, lengths = [np.empty((0, 2), np.uint16)], [np.zeros(1, np.int64)]
    for first in range(0, len(links), SORTED_AT_ONCE):  # sorting all at once takes too much memory
        offsets = links.offsets[first : first + SORTED_AT_ONCE + 1]
        source, target = links.values[offsets[0] : offsets[-1]].astype(np.int64).T
        row = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        keys = np.unique(row << 32 | source << 16 | target)
        values.append(np.stack([keys >> 16 & 0xFFFF, keys & 0xFFFF], axis=1).astype(np.uint16))
        lengths.append(np.bincount(keys >> 32, minlength=len(offsets) - 1))
    return Ragged(np.concatenate(values), np.cumsum(np.concatenate(lengths)))
