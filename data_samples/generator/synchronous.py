"""Sentence pairs that grow together: a source tree and a target word sequence with links.

A grammar rule is a plain function that returns a `Pair`: the source side is a tree over `Leaf`s,
the target side a sequence of `Word`s, each of which names the leaves it translates. Rules combine
pairs by building a source node in source order and concatenating target sequences in target
order, so any reordering, insertion, deletion or discontinuity can be written down, and the word
alignment falls out of it:

>>> hon, o, katta = Leaf("N", "hon"), Leaf("P", "o"), Leaf("V", "katta")
>>> vp = Pair(Tree("VP", (Tree("PP", (hon, o)), katta)),
...           (Word("bought", "VBD", (katta,)), Word("a", "DT"), Word("book", "NN", (hon,))))
>>> example = realise(vp)
>>> example.tree
'(VP (PP (N hon) (P o)) (V katta))'
>>> example.target, example.links
(('bought', 'a', 'book'), ((0, 2), (2, 0)))
"""

from dataclasses import dataclass
from random import Random
from typing import Protocol, TypeVar

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


@dataclass(frozen=True)
class Pair:
    source: Tree | Leaf
    target: tuple[Word, ...]


@dataclass(frozen=True)
class Example:
    """A finished sentence pair; links are (source position, target position), sorted."""

    source: tuple[str, ...]
    source_tags: tuple[str, ...]
    tree: str
    target: tuple[str, ...]
    target_tags: tuple[str, ...]
    links: tuple[tuple[int, int], ...]


class Grammar(Protocol):
    """What a language module offers: its codes and one function that makes a sentence."""

    SOURCE: str
    TARGET: str

    def sentence(self, choose: "Chooser") -> Pair: ...


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


def realise(pair: Pair) -> Example:
    leaves = list(_leaves(pair.source))
    position = {leaf: i for i, leaf in enumerate(leaves)}
    words = [word.text for word in pair.target]
    for i, following in enumerate(words[1:]):
        if words[i] == "a" and following[0] in "aeiou":
            words[i] = "an"
    links = {(position[leaf], j) for j, word in enumerate(pair.target) for leaf in word.links}
    return Example(
        source=tuple(leaf.word for leaf in leaves),
        source_tags=tuple(leaf.tag for leaf in leaves),
        tree=_brackets(pair.source),
        target=tuple(words),
        target_tags=tuple(word.tag for word in pair.target),
        links=tuple(sorted(links)),
    )


def _leaves(node: Tree | Leaf):  # type: ignore[no-untyped-def]
    if isinstance(node, Leaf):
        yield node
    else:
        for child in node.children:
            yield from _leaves(child)


def _brackets(node: Tree | Leaf) -> str:
    if isinstance(node, Leaf):
        return f"({node.tag} {node.word})"
    return f"({node.label} {' '.join(map(_brackets, node.children))})"
