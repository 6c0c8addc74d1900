"""Constituency trees as arrays, so that code needs no recursion.

Nodes are numbered in preorder: a parent comes before its children, the root is 0, and the nodes
below node v are v + 1 .. v + (number of its descendants). Tags are nodes too (the lowest ones, one
word each, without children); words are not.

         0 S                    node    0   1   2   3   4   5
        /   \\                   label   S   NP  DT  N   VP  V
     1 NP   4 VP                span    0:3 0:2 0:1 1:2 2:3 2:3
     /  \\     |                 parent  -1  0   1   1   0   4
  2 DT  3 N  5 V
   the  cat  sleeps
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hyperbaton.foundation.arrays import Int32Array, Int64Array, Ragged
from hyperbaton.foundation.errors import BadLine, counted

ESCAPES = str.maketrans({"(": "-LRB-", ")": "-RRB-"})  # treebanks also escape other brackets:
UNESCAPES = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
_ESCAPED = re.compile("|".join(UNESCAPES))


@dataclass(frozen=True, eq=False)
class Tree:
    labels: tuple[str, ...]  # (n_nodes,)
    start: Int32Array  # (n_nodes,) first word
    end: Int32Array  # (n_nodes,) one past the last word
    parent: Int32Array  # (n_nodes,) −1 for the root
    n_lifted: int = 0  # dependency arcs that were moved to make the tree projective

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def n_words(self) -> int:
        return int(self.end[0])

    @cached_property
    def children(self) -> Ragged:
        """Row v is the list of children of node v from left to right."""
        order = np.argsort(self.parent, kind="stable")  # preorder increases from left to right
        offsets = np.searchsorted(self.parent[order], np.arange(len(self) + 1))
        return Ragged(order, offsets)

    @cached_property
    def tag_nodes(self) -> Int64Array:
        """The tag node of each word."""
        return np.flatnonzero(self.children.lengths == 0)

    @property
    def tags(self) -> tuple[str, ...]:
        return tuple(self.labels[node] for node in self.tag_nodes)

    def brackets(self, words: Sequence[str]) -> str:
        """The tree in PTB notation, on one line."""
        pieces: list[str] = []
        path: list[int] = []  # nodes with open brackets
        is_tag = self.children.lengths == 0
        for node, label in enumerate(self.labels):
            while path and path[-1] != self.parent[node]:
                pieces.append(")")
                path.pop()
            pieces.append(f" ({label.translate(ESCAPES)}")
            if is_tag[node]:
                pieces.append(f" {words[self.start[node]].translate(ESCAPES)}")
            path.append(node)
        return "".join(pieces).lstrip() + ")" * len(path)


def make_tree(
    labels: Sequence[str],
    start: Sequence[int],
    end: Sequence[int],
    parent: Sequence[int],
    n_lifted: int = 0,
) -> Tree:
    """Makes a tree from lists in preorder."""
    return Tree(
        tuple(labels),
        np.array(start, dtype=np.int32),
        np.array(end, dtype=np.int32),
        np.array(parent, dtype=np.int32),
        n_lifted,
    )


def check_leaves(leaves: Sequence[str], words: Sequence[str], layer: str = "tree") -> None:
    """Checks that the leaves of a tree or another layer are the sentence's words, up to escapes."""
    for position, (leaf, word) in enumerate(zip(leaves, words, strict=False)):
        if leaf != word and _unescaped(leaf) != _unescaped(word):
            what = f"word {position} in the {layer} is {leaf!r}"
            raise BadLine(layer, what, f"the sentence has {word!r}")
    if len(leaves) != len(words):
        what = f"{counted(len(leaves), 'word')} in the {layer}"
        raise BadLine(layer, what, f"the sentence has {counted(len(words), 'word')}")


def _unescaped(word: str) -> str:
    return _ESCAPED.sub(lambda escape: UNESCAPES[escape[0]], word)
