"""One source sentence with its optional layers, as models see it."""

from dataclasses import dataclass
from typing import Any

from hyperbaton.corpus.sentences.markup import NO_MARKUP, Markup
from hyperbaton.corpus.text import split_factors, split_words
from hyperbaton.corpus.trees.tree import Tree
from hyperbaton.foundation.errors import DataError

LAYERS = ("tags", "classes", "tree", "order")
FREE = -1  # the rank of a word that may come at any time


@dataclass(frozen=True, eq=False)
class Sentence:
    words: tuple[str, ...]
    tags: tuple[str, ...] | None = None
    classes: tuple[int, ...] | None = None
    tree: Tree | None = None
    order: tuple[int, ...] | None = None  # in which a reference translates it: ranks, or FREE
    markup: Markup = NO_MARKUP  # what the search is told about spans of words
    raw: str | None = None  # the text that its words were made of, if it was not tokens
    breaks: tuple[int, ...] = ()  # where its second and further sentences begin, if it has several
    written: tuple[str, ...] | None = None  # how words that are copied are written, if differently

    def __post_init__(self) -> None:
        for layer in LAYERS:
            value = getattr(self, layer)
            if value is not None and _n_words(value) != len(self.words):
                raise DataError(
                    f"the layer {layer!r} covers {_n_words(value)} words",
                    expected=f"the sentence has {len(self.words)}: {' '.join(self.words)[:80]}",
                )

        self.markup.check(len(self.words))

    def __len__(self) -> int:
        return len(self.words)

    def copy_of(self, place: int) -> str:
        """A word as it is copied into the translation."""
        return (self.written or self.words)[place]

    @property
    def layers(self) -> frozenset[str]:
        return frozenset(layer for layer in LAYERS if getattr(self, layer) is not None)

    @classmethod
    def parse(cls, line: str, *, factored: bool = False) -> "Sentence":
        """From a line of words, or of `word|tag` factors."""
        if not factored:
            return cls(tuple(split_words(line)))
        words, tags = split_factors(line)
        return cls(tuple(words), tuple(tags))


def _n_words(layer: Any) -> int:
    return layer.n_words if isinstance(layer, Tree) else len(layer)
