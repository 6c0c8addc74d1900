"""Trees in Penn Treebank brackets.

There are two layouts: one tree per line (an empty line is a sentence without a tree), and trees
over several lines. A file has one tree per line if its first tree ends on its line, or if complete
trees follow line by line; the first tree then lacks a bracket. In both layouts, `()` is a sentence
without a tree. The empty outer bracket of `( (S ...))` is dropped, and so are empty elements
(`-NONE-`) and the nodes that contain nothing else.
"""

import re
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate, chain
from pathlib import Path
from typing import TypeAlias

from hyperbaton.corpus.text import read_lines
from hyperbaton.corpus.trees.tree import Tree, check_leaves, make_tree
from hyperbaton.foundation.errors import BadLine, counted

_TOKEN = re.compile(r"[()]|[^() \t\r\n]+")
EMPTY_ELEMENT = "-NONE-"
ENOUGH = 10  # complete trees after the first line: evidence that it lacks a bracket

_Line: TypeAlias = tuple[int, str | BadLine]


@dataclass(frozen=True)
class BracketedTree:
    tree: Tree
    leaves: tuple[str, ...]
    layout: str = ""  # a remark on the file's layout, for messages

    def over(self, words: list[str]) -> Tree:
        """The tree, after checking that its leaves are these words."""
        try:
            check_leaves(self.leaves, words)
        except BadLine as bad:
            raise _remarked(bad, self.layout) from None
        return self.tree


def read_brackets(path: Path) -> Generator[tuple[int, BracketedTree | BadLine | None], None, None]:
    """Yields the first line number and the tree of every sentence; None without a tree."""
    lines = read_lines(path)
    opening, layout = _layout(lines)
    whole = chain(opening, lines)
    for number, text in _over_several_lines(path, whole) if layout else whole:
        if isinstance(text, BadLine):
            yield number, text
            continue
        try:
            parsed = parse_brackets(text)
        except BadLine as bad:
            yield number, _remarked(bad, layout)
        else:
            yield number, replace(parsed, layout=layout) if parsed and layout else parsed


def parse_brackets(text: str) -> BracketedTree | None:
    """One tree; None for an empty text or `()`."""
    labels, parents, words = _scan(text)
    if not words and all(label in ("", EMPTY_ELEMENT) for label in labels):
        return None
    if len(labels) > 1 and labels[0] == "" and parents.count(0) == 1:  # the outer bracket
        labels, parents = labels[1:], [parent - 1 for parent in parents[1:]]
        words = {node - 1: word for node, word in words.items()}
    if "" in labels:
        raise _broken("a bracket has no label")
    return _without_empty_elements(labels, parents, words)


def _scan(text: str) -> tuple[list[str], list[int], dict[int, str]]:
    """Labels and parents of all brackets in preorder, and the words by bracket."""
    labels: list[str] = []
    parents: list[int] = []
    words: dict[int, str] = {}
    path: list[int] = []  # open brackets
    after_bracket = False  # the next atom is a label
    for token in _TOKEN.findall(text):
        if token == "(":
            if not path and labels:
                raise _broken("a second tree begins after the first")
            parents.append(path[-1] if path else -1)
            path.append(len(labels))
            labels.append("")
        elif not path:
            raise _broken(f"{token!r} is outside all brackets")
        elif token == ")":
            path.pop()
        elif after_bracket:
            labels[path[-1]] = token
        elif path[-1] in words:
            raise _broken(f"{token!r} is the second word of its bracket")
        else:
            words[path[-1]] = token
        after_bracket = token == "("
    if path:
        raise _broken(f"not closed: {counted(len(path), 'bracket')}")
    return labels, parents, words


def _without_empty_elements(
    labels: list[str], parents: list[int], words: dict[int, str]
) -> BracketedTree | None:
    """Computes spans bottom-up, then renumbers the nodes that contain words."""
    n = len(labels)
    holds_brackets = set(parents)
    width = [0] * n
    for node in range(n - 1, -1, -1):
        if node in words:
            if node in holds_brackets:
                raise _broken(f"the word {words[node]!r} is next to brackets")
            width[node] = int(labels[node] != EMPTY_ELEMENT)
        elif node not in holds_brackets:
            raise _broken(f"the bracket {labels[node]!r} is empty")
        if parents[node] >= 0:
            width[parents[node]] += width[node]
    kept = [node for node in range(n) if width[node]]
    if not kept:
        return None
    new = {-1: -1} | {node: number for number, node in enumerate(kept)}
    start = list(accumulate((node in words for node in kept[:-1]), initial=0))
    tree = make_tree(
        [labels[node] for node in kept],
        start,
        [first + width[node] for first, node in zip(start, kept, strict=True)],
        [new[parents[node]] for node in kept],
    )
    return BracketedTree(tree, tuple(words[node] for node in kept if node in words))


def _layout(lines: Iterator[_Line]) -> tuple[list[_Line], str]:
    """The lines read to find the layout, and a remark if trees extend over several lines.

    one tree a line, bracket missing    (S (N a)        over several lines     (S (N a)
                                        (S (N b))                              (N b)
                                        (S (N c))                              (V c))
    """
    opening: list[_Line] = []
    first = n_whole = 0  # line number of the first tree; number of complete trees after it
    for number, line in lines:
        opening.append((number, line))
        if isinstance(line, str) and not line.strip():
            continue
        if not first:
            if _balance(line) <= 0:
                break
            first = number
        elif not _is_whole_tree(line):
            return (
                opening,
                f"trees are read over several lines, because the tree of line {first} is not "
                "complete there",
            )
        elif (n_whole := n_whole + 1) == ENOUGH:
            break
    return opening, ""


def _is_whole_tree(line: str | BadLine) -> bool:
    return isinstance(line, str) and line.startswith("(") and _balance(line) == 0


def _over_several_lines(path: Path, lines: Iterable[_Line]) -> Iterator[tuple[int, str]]:
    """Joins lines until the brackets balance; skips empty lines between trees."""
    pending: list[str] = []
    first, balance = 0, 0
    for number, line in lines:
        if isinstance(line, BadLine):  # the tree's end is unknown, so it cannot be skipped
            line.where = f"{path}:{number}"
            raise line
        if not pending:
            if not line.strip():
                continue
            first = number
        pending.append(line)
        balance += _balance(line)
        if balance <= 0:
            yield first, "\n".join(pending)
            pending, balance = [], 0
    if pending:
        yield first, "\n".join(pending)


def _balance(line: str | BadLine) -> int:
    return 0 if isinstance(line, BadLine) else line.count("(") - line.count(")")


def _remarked(bad: BadLine, remark: str) -> BadLine:
    bad.expected = "\n  ".join(filter(None, (bad.expected, remark)))
    return bad


def _broken(what: str) -> BadLine:
    return BadLine("tree", what, "expected brackets such as (S (NP (N cats)) (VP (V sleep)))")
