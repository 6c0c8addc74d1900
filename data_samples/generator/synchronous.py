"""Synchronous sentence pairs: a source tree and target words with links.

The source side of a rule is a tree over `Leaf`s, the target side a sequence of `Word`s, each of
which names the leaves that it translates. Rules build source nodes in source order and join target
words in target order, so any reordering, insertion, deletion or discontinuity can be expressed, and
the word alignment follows from it:

>>> hon, o, katta = Leaf("N", "hon"), Leaf("P", "o"), Leaf("V", "katta")
>>> vp = Tree("VP", (Tree("PP", (hon, o)), katta))
>>> words = (Word("bought", "VBD", (katta,)), Word("a", "DT"), Word("book", "NN", (hon,)))
>>> example = realise(vp, words)
>>> example.tree
'(VP (PP (N hon) (P o)) (V katta))'
>>> example.target, example.links
(('bought', 'a', 'book'), ((0, 2), (2, 0)))
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, eq=False)  # two equal words of a sentence are still two leaves
class Leaf:
    tag: str
    word: str


@dataclass(frozen=True, eq=False)
class Tree:
    label: str
    children: tuple["Tree | Leaf", ...]


@dataclass(frozen=True)
class Word:
    """A target word and the source leaves that it translates (none for inserted words)."""

    text: str
    tag: str
    links: tuple[Leaf, ...] = ()


Words = tuple[Word, ...]


class Phrase:
    """The result of a rule: its names in both languages. A name that was never set is empty."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return ()

    def but(self, **changes: Any) -> "Phrase":
        return Phrase(**{**self.__dict__, **changes})


@dataclass(frozen=True)
class Example:
    """A finished sentence pair; links are (source position, target position), sorted."""

    source: tuple[str, ...]
    source_tags: tuple[str, ...]
    tree: str
    target: tuple[str, ...]
    target_tags: tuple[str, ...]
    links: tuple[tuple[int, int], ...]


class Stream:
    """Random choices made from `Random.random()` alone, the one method whose sequence Python
    promises to keep for ever."""

    def __init__(self, seed: str) -> None:
        self._random = Random(seed).random

    def chance(self, probability: float) -> bool:
        return self._random() < probability

    def below(self, n: int) -> int:
        return int(self._random() * n)

    def among(self, *items: T) -> T:
        return items[self.below(len(items))]

    def weighted(self, items: "list[tuple[T, float]]") -> T:
        point = self._random() * sum(weight for _, weight in items)
        for item, weight in items:
            point -= weight
            if point < 0:
                return item
        return items[-1][0]


class Chooser:
    """The choices behind one sentence: `source` decides what is said, `target` how it is put.

    Another `variant` gives the same source sentence with other choices in the target, which is how
    second references are made. `unseen` allows the words that training data never contain.
    """

    def __init__(self, seed: str, *, variant: int = 0, unseen: bool = False) -> None:
        self.source = Stream(f"{seed}:source")
        self.target = Stream(f"{seed}:target:{variant}")
        self.unseen = unseen


def flat(items: Any, side: str) -> Iterator[Any]:
    """All trees ("source") or words of phrases and sequences of them."""
    for item in items:
        if isinstance(item, Phrase):
            yield from flat((getattr(item, side),), side)
        elif isinstance(item, tuple | list):
            yield from flat(item, side)
        elif item:
            yield item


def leaves_of(*items: Any) -> tuple[Leaf, ...]:
    found: list[Leaf] = []
    for node in flat(items, "source"):
        found.extend([node] if isinstance(node, Leaf) else leaves_of(*node.children))
    return tuple(found)


def realise(source: Tree, target: Words) -> Example:
    leaves = leaves_of(source)
    position = {leaf: i for i, leaf in enumerate(leaves)}
    words = [word.text for word in target]
    for i, following in enumerate(words[1:]):
        if words[i] == "a" and following[0] in "aeiou":
            words[i] = "an"
    links = {(position[leaf], j) for j, word in enumerate(target) for leaf in word.links}
    return Example(
        source=tuple(leaf.word for leaf in leaves),
        source_tags=tuple(leaf.tag for leaf in leaves),
        tree=_brackets(source),
        target=tuple(words),
        target_tags=tuple(word.tag for word in target),
        links=tuple(sorted(links)),
    )


def _brackets(node: Tree | Leaf) -> str:
    if isinstance(node, Leaf):
        return f"({node.tag} {node.word})"
    return f"({node.label} {' '.join(map(_brackets, node.children))})"
