"""Dependency trees: makes them projective and converts them to constituents.

A word with dependents becomes a phrase that spans them all; its children are the dependents'
phrases and the word's tag, in sentence order. The phrase's label is the head's tag followed by P:

    head of  dogs  bark  loudly          (VERBP (NOUN dogs) (VERB bark) (ADV loudly))
             bark  -     bark
"""

from collections.abc import Sequence
from heapq import heappop, heappush

from hyperbaton.corpus.trees.tree import Tree, make_tree
from hyperbaton.foundation.errors import BadLine


def constituents(heads: Sequence[int], tags: Sequence[str]) -> Tree:
    """Converts a dependency tree to constituents; `heads[i]` is a position, or −1 for a root."""
    depths = _depths(heads)
    heads, n_lifted = make_projective(heads, depths)
    low, high, _ = _spans(heads, _depths(heads))
    dependents: list[list[int]] = [[] for _ in heads]
    roots: list[int] = []
    for word, head in enumerate(heads):
        (roots if head < 0 else dependents[head]).append(word)
    labels: list[str] = []
    start: list[int] = []
    end: list[int] = []
    parent: list[int] = []
    if len(roots) > 1:  # several roots in one sentence are joined under one node
        labels.append("ROOT")
        start.append(0)
        end.append(len(heads))
        parent.append(-1)
    # (word, parent node, is it a phrase or only the word's tag); the next one is last
    agenda = [(root, len(labels) - 1, True) for root in reversed(roots)]
    while agenda:
        word, above, phrase = agenda.pop()
        phrase = phrase and bool(dependents[word])
        node = len(labels)
        labels.append(tags[word] + "P" if phrase else tags[word])
        start.append(low[word] if phrase else word)
        end.append(high[word] if phrase else word + 1)
        parent.append(above)
        if phrase:
            members = sorted([*dependents[word], word], reverse=True)
            agenda += [(member, node, member != word) for member in members]
    return make_tree(labels, start, end, parent, n_lifted)


def make_projective(heads: Sequence[int], depths: Sequence[int]) -> tuple[list[int], int]:
    """Lifts arcs (Nivre and Nilsson 2005): as long as an arc spans a word that its head does not
    dominate, moves the shortest such arc to the head's head. Returns heads and number of moves.

    A move takes a family (a word and its descendants) from one head only. So only that head's arcs
    and the moved one must be checked again, and a crossing arc stays crossing until it is moved.
    Sets of words are the bits of integers.
    """
    lifted, moves = list(heads), 0
    if all(end - start == size for start, end, size in zip(*_spans(heads, depths), strict=True)):
        return lifted, moves  # every family fills its span
    family = [1 << word for word in range(len(heads))]
    dependents = [0] * len(heads)  # by arcs not yet known to cross
    for word in sorted(range(len(heads)), key=depths.__getitem__, reverse=True):
        if heads[word] >= 0:
            family[heads[word]] |= family[word]
            dependents[heads[word]] |= 1 << word
    crossing: list[tuple[int, int]] = []  # a heap of lengths and words

    def look_again(head: int) -> None:
        outside = dependents[head] & ~_unbroken(family[head], head)
        dependents[head] ^= outside
        while outside:
            word = outside.bit_length() - 1
            heappush(crossing, (abs(head - word), word))
            outside ^= 1 << word

    for head in range(len(heads)):
        look_again(head)
    while crossing:
        word = heappop(crossing)[1]
        head = lifted[word]
        lifted[word] = above = lifted[head]
        moves += 1
        family[head] ^= family[word]
        look_again(head)
        if above >= 0:
            dependents[above] |= 1 << word
            look_again(above)
    return lifted, moves


def _unbroken(members: int, word: int) -> int:
    """The run of set bits that contains the word's bit."""
    above = members >> word
    length = (above ^ (above + 1)).bit_length() - 1  # of the run from the word upwards
    below = ~members & ((1 << word) - 1)  # zeros below the word
    return (1 << (word + length)) - (1 << below.bit_length())


def contract(heads: Sequence[int], group_of: Sequence[int]) -> list[int]:
    """Contracts a tree of words to groups of words (the tokens that words were split from).

    The head of a group is the group of its highest word's head. Depth decreases from a group to its
    head, so there can be no cycle.
    """
    depths = _depths(heads)
    n_groups = max(group_of, default=-1) + 1
    highest: list[int] = [-1] * n_groups
    for word, group in enumerate(group_of):
        if highest[group] < 0 or depths[word] < depths[highest[group]]:
            highest[group] = word
    return [group_of[heads[word]] if heads[word] >= 0 else -1 for word in highest]


def _depths(heads: Sequence[int]) -> list[int]:
    """The depth of every word; raises an error for a cycle."""
    depths = [-1] * len(heads)
    for word in range(len(heads)):
        path: list[int] = []
        while word >= 0 and depths[word] < 0:
            if len(path) > len(heads):
                raise BadLine("tree", "the heads form a cycle", "every word must reach the root")
            path.append(word)
            word = heads[word]
        depth = depths[word] if word >= 0 else -1
        for step in reversed(path):
            depths[step] = depth = depth + 1
    return depths


def _spans(heads: Sequence[int], depths: Sequence[int]) -> tuple[list[int], list[int], list[int]]:
    """Start, end and number of words of every word's family: the word and its descendants."""
    n = len(heads)
    low, high, size = list(range(n)), list(range(1, n + 1)), [1] * n
    for word in sorted(range(n), key=depths.__getitem__, reverse=True):
        head = heads[word]
        if head >= 0:
            low[head], high[head] = min(low[head], low[word]), max(high[head], high[word])
            size[head] += size[word]
    return low, high, size
