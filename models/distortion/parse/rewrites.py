"""Declarative rewrites of parse trees, such as the raising of `de` (Xiang et al. 2011, 5.1).

Features describe the neighbours of a word in the tree. If a treebank separates a word from the
nodes that it is related to, a rewrite moves it there. A TOML file has any number of rewrites, which
are applied in order, each until nothing changes:

    [[rewrite]]
    action = "raise"            # the child becomes a sibling of the node
    node = ["CP", "DNP"]        # labels; a single one needs no brackets
    child = ["DEC", "DEG"]      # a first child is placed before the node, a last child after it
    word = "de"                 # optional: only this word, or one of these

            NP                       NP
          / | \\                   / | | \\
        CP  QP NP      ──▶       CP DEC QP NP          (Figures 4 and 5)
       /  \\                      |   |
      IP  DEC                    IP  de
           |
           de

    [[rewrite]]
    action = "flatten"          # the node is removed and its children take its place
    node = "NP"
    under = "NP"                # optional: only below a node of this label

    [[rewrite]]
    action = "relabel"
    node = ["NP-SBJ", "NP-OBJ"]
    to = "NP"

Tags are nodes too, but only `relabel` and, as `child`, `raise` change them. `de` is the name of the
built-in rewrites for Chinese.
"""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hyperbaton.corpus.corpora.corpus import Side
from hyperbaton.corpus.trees.tree import Tree, make_tree
from hyperbaton.foundation.arrays import Ragged
from hyperbaton.foundation.errors import SettingError, missing_file, nearest
from hyperbaton.foundation.files.vocabulary import Vocabulary

BUILT_IN = {
    "": "",
    "de": """
[[rewrite]]
action = "raise"
node = ["CP", "DNP"]
child = ["DEC", "DEG"]
""",
}
KEYS = {
    "raise": ({"node", "child"}, {"word"}),
    "flatten": ({"node"}, {"under"}),
    "relabel": ({"node", "to"}, set()),
}  # required and optional keys of each action


@dataclass(frozen=True)
class Rewrite:
    action: str
    node: frozenset[str]
    child: frozenset[str] = frozenset()
    word: frozenset[str] = frozenset()  # empty: any
    under: frozenset[str] = frozenset()  # empty: any
    to: str = ""


def read_rewrites(name: str) -> tuple[str, tuple[Rewrite, ...]]:
    """The text of built-in rewrites or of a file, and the rewrites in it."""
    if name in BUILT_IN:
        return BUILT_IN[name], parse_rewrites(BUILT_IN[name], name)
    path = Path(name)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        error = missing_file(path)
        error.advice = f"built in: {', '.join(filter(None, BUILT_IN))}"
        raise error from None
    except UnicodeDecodeError as problem:
        raise SettingError(f"is not UTF-8: {problem}", where=name) from None
    return text, parse_rewrites(text, name)


def parse_rewrites(text: str, where: str) -> tuple[Rewrite, ...]:
    try:
        content = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise SettingError(f"is not TOML: {error}", where=where) from None
    entries = content.pop("rewrite", [])
    if content or not isinstance(entries, list):
        raise SettingError(
            "has content other than rewrites", where=where, expected="expected only [[rewrite]] …"
        )
    return tuple(_rewrite(entry, f"{where}, rewrite {i}") for i, entry in enumerate(entries, 1))


def _rewrite(entry: Mapping[str, Any], where: str) -> Rewrite:
    action = str(entry.get("action", ""))
    if action not in KEYS:
        raise SettingError(
            f"unknown action {action!r}", where=where, expected=nearest(action, list(KEYS))
        )
    needed, possible = KEYS[action]
    for key in entry:
        if key not in needed | possible | {"action"}:
            known = sorted(needed | possible)
            raise SettingError(
                f"{action} has no key {key!r}", where=where, expected=nearest(key, known)
            )
    if needed - set(entry):
        raise SettingError(f"{action} needs the key {min(needed - set(entry))!r}", where=where)
    given = {
        key: _names(entry[key], f"{where}, {key}") for key in needed | possible if key in entry
    }
    to = given.pop("to", frozenset({""}))
    if len(to) > 1:
        raise SettingError(f"{sorted(to)} is more than one name", where=f"{where}, to")
    return Rewrite(action, to=min(to), **given)


def _names(value: Any, where: str) -> frozenset[str]:
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not names or not all(isinstance(n, str) for n in names):
        raise SettingError(f"{value!r} is not a name or a list of names", where=where)
    return frozenset(names)


def rewrite_tree(tree: Tree, words: Sequence[str], rewrites: Iterable[Rewrite]) -> Tree:
    """The tree after all rewrites; the same object if none applies."""
    known = set(tree.labels)
    due = [rewrite for rewrite in rewrites if rewrite.action != "raise" or rewrite.node & known]
    if not due:
        return tree
    draft = _Draft(tree, words)
    for rewrite in due:
        getattr(draft, f"{rewrite.action}_nodes")(rewrite)
    return draft.finish()


def rewrite_side(side: Side, rewrites: Sequence[Rewrite]) -> tuple[Ragged | None, Vocabulary]:
    """The trees of a corpus after all rewrites, and their labels."""
    if side.trees is None or not rewrites:
        return side.trees, side.label_vocabulary
    labels = Vocabulary.from_list(side.label_vocabulary.words)
    rows = []
    for number in range(len(side.trees)):
        tree = side.tree(number)
        if tree is None:
            rows.append(side.trees[number])
            continue
        words = side.vocabulary.decode(side.words[number])
        rows.append(encode_tree(rewrite_tree(tree, words, rewrites), labels, grow=True))
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    values = np.concatenate([side.trees.values[:0], *rows]).astype(np.int32)
    return Ragged(values, offsets), labels


def encode_tree(tree: Tree | None, labels: Vocabulary, *, grow: bool = False) -> Any:
    """The columns label, start, end, parent, as in `Side.trees`; no rows without a tree."""
    if tree is None:
        return np.empty((0, 4), np.int32)
    ids = labels.extend(tree.labels) if grow else labels.encode(tree.labels)
    return np.stack([ids, tree.start, tree.end, tree.parent], axis=1).astype(np.int32)


class _Draft:
    """A mutable tree: nodes with lists of children."""

    def __init__(self, tree: Tree, words: Sequence[str]) -> None:
        self.words = words
        self.labels = list(tree.labels)
        self.children = [row.tolist() for row in tree.children]
        self.parent = tree.parent.tolist()
        self.start = tree.start.tolist()

    def raise_nodes(self, rewrite: Rewrite) -> None:
        agenda = [node for node in range(len(self.labels)) if self._leaves(node, rewrite)]
        while agenda:
            child = agenda.pop()
            while self._leaves(child, rewrite):
                node = self.parent[child]
                mother = self.parent[node]
                is_last = self.children[node][-1] == child
                self.children[node].remove(child)
                place = self.children[mother].index(node)
                self.children[mother].insert(place + is_last, child)
                self.parent[child] = mother

    def _leaves(self, child: int, rewrite: Rewrite) -> bool:
        """Whether to raise the child: it is at the edge of its node, and other children remain."""
        node = self.parent[child]
        return (
            self.labels[child] in rewrite.child
            and node >= 0
            and self.labels[node] in rewrite.node
            and self.parent[node] >= 0
            and len(self.children[node]) > 1
            and child in (self.children[node][0], self.children[node][-1])
            and (
                not rewrite.word
                or (not self.children[child] and self.words[self.start[child]] in rewrite.word)
            )
        )

    def flatten_nodes(self, rewrite: Rewrite) -> None:
        for node in range(1, len(self.labels)):
            above = self.parent[node]
            if (
                self.labels[node] in rewrite.node
                and self.children[node]
                and (not rewrite.under or self.labels[above] in rewrite.under)
            ):
                place = self.children[above].index(node)
                self.children[above][place : place + 1] = self.children[node]
                for child in self.children[node]:
                    self.parent[child] = above

    def relabel_nodes(self, rewrite: Rewrite) -> None:
        self.labels = [rewrite.to if label in rewrite.node else label for label in self.labels]

    def finish(self) -> Tree:
        labels: list[str] = []
        start, end, parent = list[int](), list[int](), list[int]()
        n_words = 0
        # (node, its new parent) or (−1, a finished node); the next one is last
        agenda = [(0, -1)]
        while agenda:
            node, above = agenda.pop()
            if node < 0:
                end[above] = n_words
                continue
            number = len(labels)
            labels.append(self.labels[node])
            parent.append(above)
            start.append(n_words)
            end.append(n_words + 1)
            if self.children[node]:
                agenda.append((-1, number))
                agenda += [(child, number) for child in reversed(self.children[node])]
            else:
                n_words += 1
        return make_tree(labels, start, end, parent)
