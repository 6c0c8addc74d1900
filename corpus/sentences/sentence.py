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
    """A source sentence: its words and, as layers, what distortion models may need to know about
    them. `translate` takes it in place of a string."""

    words: tuple[str, ...]  # the tokens
    tags: tuple[str, ...] | None = None  # a part-of-speech tag for each word
    classes: tuple[int, ...] | None = None  # a word class for each word
    tree: Tree | None = None  # parse tree of the sentence
    # rank of each word in the order of a reference; −1: any time
    order: tuple[int, ...] | None = None
    markup: Markup = NO_MARKUP  # constraints on spans of words
    raw: str | None = None  # the text from which the words were made, if it was raw
    breaks: tuple[int, ...] = ()  # first words of the second and later sentences of the line
    # forms in which unknown words are copied, if they differ from `words`
    written: tuple[str, ...] | None = None

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
        """The form in which the word at `place` is copied into the translation if it is unknown."""
        return (self.written or self.words)[place]

    @property
    def layers(self) -> frozenset[str]:
        """Names of the layers that the sentence has: `tags`, `classes`, `tree`, `order`."""
        return frozenset(layer for layer in LAYERS if getattr(self, layer) is not None)

    @classmethod
    def parse(cls, line: str, *, factored: bool = False) -> "Sentence":
        """A sentence from a line of words, or of `word|tag` if it is `factored`."""
        if not factored:
            return cls(tuple(split_words(line)))
        words, tags = split_factors(line)
        return cls(tuple(words), tuple(tags))


def _n_words(layer: Any) -> int:
    return layer.n_words if isinstance(layer, Tree) else len(layer)
