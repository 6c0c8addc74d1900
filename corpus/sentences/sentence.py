"""One source sentence with its optional layers."""

from dataclasses import dataclass
from typing import Any

from hyperbaton.corpus.sentences.markup import NO_MARKUP, Markup
from hyperbaton.corpus.text import split_factors, split_words
from hyperbaton.corpus.trees.tree import Tree
from hyperbaton.foundation.errors import DataError

LAYERS = ("tags", "classes", "tree", "order")
FREE = -1  # rank of a word without a fixed position


@dataclass(frozen=True, eq=False)
class Sentence:
    words: tuple[str, ...]
    tags: tuple[str, ...] | None = None
    classes: tuple[int, ...] | None = None
    tree: Tree | None = None
    order: tuple[int, ...] | None = None  # order of translation in a reference: ranks, or FREE
    markup: Markup = NO_MARKUP  # constraints on spans of words
    raw: str | None = None  # the raw text, if the input was not tokenised
    breaks: tuple[int, ...] = ()  # starts of the second and further sentences of the line
    written: tuple[str, ...] | None = None  # spelling of copied words, if different

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
        """The spelling with which a word is copied into the translation."""
        return (self.written or self.words)[place]

    @property
    def layers(self) -> frozenset[str]:
        return frozenset(layer for layer in LAYERS if getattr(self, layer) is not None)

    @classmethod
    def parse(cls, line: str, *, factored: bool = False) -> "Sentence":
        """Parses a line of words, or of `word|tag` factors."""
        if not factored:
            return cls(tuple(split_words(line)))
        words, tags = split_factors(line)
        return cls(tuple(words), tuple(tags))


def _n_words(layer: Any) -> int:
    return layer.n_words if isinstance(layer, Tree) else len(layer)
