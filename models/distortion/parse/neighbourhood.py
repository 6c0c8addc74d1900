"""The neighbours of a unit in the parse tree, and their coverage.

The node of a unit is the smallest one that contains it, raised over unary parents: those have the
same words and so the same coverage (Xiang et al. 2011, section 5.2). Its *parent* is the next node
with more words. Its *siblings* are the other children of the parent (section 5.3). Treebanks adjoin
modifiers one at a time, so that a verb and the PP before it are under different VPs; so siblings
are taken from several levels: those of the node, those of its parent, and so on.

        VP                     the verb `mai` at 2: parent VP₂; siblings on the first level AS
       /  \\                    and NP to the right, on the second level PP to the left
     PP    VP₂
    /  \\   / | \\               the unit "ti ta" at 0:2: node PP, parent VP, sibling VP₂
   P   NP VV AS NP
   ti  ta mai le shu           a unit over half a phrase: its other children are siblings

A neighbour's coverage is 0 (nothing is covered), 1 (everything) or 2 (a part), as in the paper.
"""

from hyperbaton.foundation.coverage import is_covered
from hyperbaton.foundation.kernels import inner

OPEN, COVERED, PARTLY = 0, 1, 2
ON_LEFT, ON_RIGHT = 0, 1  # orientation −1 and 1
MOST_NEIGHBOURS = 12  # of a unit: the nearest ones, in words


@inner
def find_neighbours(tree, first, last, levels, nodes, sides):
    """The parent of the unit first:last (−1: none) and the number of its siblings.

    `tree` has the columns label, start, end, parent. Fills `nodes` and `sides`, (MOST_NEIGHBOURS,).
    """
    node = -1
    for candidate in range(len(tree)):  # in preorder, the last node that covers the unit is lowest
        if tree[candidate, 1] <= first and tree[candidate, 2] >= last:
            node = candidate
    if node < 0:
        return -1, 0
    low, high = first, last
    if tree[node, 1] == first and tree[node, 2] == last:
        node = _above(tree, node)
    parent = node
    n = 0
    for _ in range(levels):
        if node < 0:
            break
        for child in range(node + 1, len(tree)):
            if tree[child, 1] >= tree[node, 2]:
                break
            if tree[child, 3] != node or (tree[child, 2] > low and tree[child, 1] < high):
                continue
            place = n
            if n == MOST_NEIGHBOURS:  # it may replace the farthest one
                place = _farthest(tree, nodes, first, last)
                if _distance(tree, child, first, last) >= _distance(
                    tree, nodes[place], first, last
                ):
                    continue
            n = min(n + 1, MOST_NEIGHBOURS)
            nodes[place] = child
            sides[place] = ON_LEFT if tree[child, 2] <= low else ON_RIGHT
        low, high = tree[node, 1], tree[node, 2]
        node = _above(tree, node)
    return parent, n


@inner
def _distance(tree, node, first, last):
    """The number of words between the unit first:last and a node."""
    return max(first - tree[node, 2], tree[node, 1] - last)


@inner
def _farthest(tree, nodes, first, last):
    place = 0
    for k in range(1, MOST_NEIGHBOURS):
        if _distance(tree, nodes[k], first, last) > _distance(tree, nodes[place], first, last):
            place = k
    return place


@inner
def _above(tree, node):
    """The lowest ancestor with more words, or −1."""
    above = tree[node, 3]
    while above >= 0 and tree[above, 1] == tree[node, 1] and tree[above, 2] == tree[node, 2]:
        above = tree[above, 3]
    return above


@inner
def covered_state(coverage, start, end):
    """The state of the span start:end: OPEN, COVERED or PARTLY; `coverage` is in 64-bit words."""
    any_covered, any_open = False, False
    for place in range(start, end):
        if is_covered(coverage, place):
            any_covered = True
        else:
            any_open = True
    if not any_covered:
        return OPEN
    return PARTLY if any_open else COVERED
