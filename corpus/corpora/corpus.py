"""A word-aligned parallel corpus as a few arrays.

Sentences are rows of `Ragged` arrays, words are ids, and absent layers are None. 50,000 pairs of
ten words take about 10 MB. `corpus/corpora/reading.py` reads a corpus from files.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.corpus.trees.tree import Tree
from hyperbaton.foundation.arrays import Int64Array, Ragged
from hyperbaton.foundation.files.vocabulary import Vocabulary

MOST_WORDS = 65535  # positions of links are stored in 16 bits
SENTENCES_AT_ONCE = 2000  # batch size of a thread
NODE_COLUMNS = ("label", "start", "end", "parent")  # of the rows of `Side.trees`


@dataclass(frozen=True, eq=False)
class Side:
    """The sentences of one language. Missing layers are None."""

    vocabulary: Vocabulary
    words: Ragged  # (n_words,) int32
    tag_vocabulary: Vocabulary = field(default_factory=Vocabulary)
    tags: Ragged | None = None  # (n_words,) int32
    label_vocabulary: Vocabulary = field(default_factory=Vocabulary)
    trees: Ragged | None = None  # (n_nodes, 4) int32, columns as in NODE_COLUMNS; no rows: no tree
    classes: Ragged | None = None  # (n_words,) int32, word classes

    def sentence(self, number: int) -> Sentence:
        return Sentence(
            tuple(self.vocabulary.decode(self.words[number])),
            None if self.tags is None else tuple(self.tag_vocabulary.decode(self.tags[number])),
            None if self.classes is None else tuple(self.classes[number].tolist()),
            self.tree(number),
        )

    def tree(self, number: int) -> Tree | None:
        if self.trees is None or not len(self.trees[number]):
            return None
        label, start, end, parent = self.trees[number].T
        return Tree(tuple(self.label_vocabulary.decode(label)), start, end, parent)

    def take(self, rows: Int64Array) -> "Side":
        layers: dict[str, Any] = {
            name: part.take(rows) for name, part in vars(self).items() if isinstance(part, Ragged)
        }
        return replace(self, **layers)


@dataclass(frozen=True, eq=False)
class AlignedCorpus:
    source: Side
    target: Side
    links: Ragged  # (n_links, 2) uint16: source and target position, sorted, no repetitions

    def __len__(self) -> int:
        return len(self.links)

    def take(self, rows: Int64Array) -> "AlignedCorpus":
        """The chosen pairs, in the given order, with the same vocabularies."""
        rows = np.asarray(rows)
        return AlignedCorpus(self.source.take(rows), self.target.take(rows), self.links.take(rows))
