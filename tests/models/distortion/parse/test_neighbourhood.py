"""Neighbours in the tree, worked out by hand on trees like those of the paper."""

import numpy as np
import pytest

from hyperbaton.foundation.coverage import cover, is_covered
from hyperbaton.foundation.files.vocabulary import Vocabulary
from hyperbaton.foundation.kernels import kernel
from hyperbaton.models.distortion.parse.neighbourhood import (
    COVERED,
    MOST_NEIGHBOURS,
    ON_LEFT,
    ON_RIGHT,
    OPEN,
    PARTLY,
    covered_state,
    find_neighbours,
)
from hyperbaton.models.distortion.parse.rewrites import encode_tree, read_rewrites, rewrite_tree
from tests.models.distortion.parse.trees import parse_tree

cover, is_covered, covered_state, find_neighbours = map(
    kernel, (cover, is_covered, covered_state, find_neighbours)
)  # compiled, as in use

# like Figure 3: a PP before the verb, and a relative clause with de before QP and NP
FIGURE = (
    "(IP (NP (NR xiaohong))"
    " (VP (PP (P ti) (NP (DT na) (NN guniang)))"
    " (VP (VV mai) (AS le)"
    " (NP (CP (IP (VP (VV huai))) (DEC de)) (QP (CD yi) (CLP (M tai))) (NP (NN xiyiji)))))"
    " (PU .))"
)


def neighbours(brackets, first, last, levels=1, rewrites=""):
    tree, words = parse_tree(brackets)
    tree = rewrite_tree(tree, words, read_rewrites(rewrites)[1])
    labels = Vocabulary()
    rows = encode_tree(tree, labels, grow=True)
    nodes, sides = np.zeros(MOST_NEIGHBOURS, np.int64), np.zeros(MOST_NEIGHBOURS, np.int64)
    parent, n = find_neighbours(rows, first, last, levels, nodes, sides)
    found = [
        (tree.labels[node], int(tree.start[node]), int(tree.end[node]), int(side))
        for node, side in zip(nodes[:n], sides[:n], strict=True)
    ]
    return (tree.labels[parent] if parent >= 0 else None), found


def test_siblings_of_de_once_it_is_raised():
    # words: 0 xiaohong 1 ti 2 na 3 guniang 4 mai 5 le 6 huai 7 de 8 yi 9 tai 10 xiyiji 11 .
    parent, found = neighbours(FIGURE, 7, 8, rewrites="de")
    assert parent == "NP"
    assert found == [("CP", 6, 7, ON_LEFT), ("QP", 8, 10, ON_RIGHT), ("NP", 10, 11, ON_RIGHT)]
    # without raising it sees its clause only
    assert neighbours(FIGURE, 7, 8)[1] == [("IP", 6, 7, ON_LEFT)]


def test_the_verb_sees_the_pp_one_level_up():
    parent, found = neighbours(FIGURE, 4, 5)
    assert (parent, found) == ("VP", [("AS", 5, 6, ON_RIGHT), ("NP", 6, 11, ON_RIGHT)])
    assert neighbours(FIGURE, 4, 5, levels=2)[1][2:] == [("PP", 1, 4, ON_LEFT)]
    assert neighbours(FIGURE, 4, 5, levels=3)[1][3:] == [
        ("NP", 0, 1, ON_LEFT),
        ("PU", 11, 12, ON_RIGHT),
    ]
    assert neighbours(FIGURE, 4, 5, levels=9)[1] == neighbours(FIGURE, 4, 5, levels=3)[1]


def test_unary_parents_are_left_out():
    # huai stands under VP, IP and CP of one word: its parent is the NP with several children
    assert neighbours(FIGURE, 6, 7, rewrites="de")[0] == "NP"
    assert neighbours("(S (NP (N a)))", 0, 1) == (None, [])


def test_units_of_several_words():
    assert neighbours(FIGURE, 8, 10)[1] == [
        ("CP", 6, 8, ON_LEFT),
        ("NP", 10, 11, ON_RIGHT),
    ]  # all of QP
    # half a phrase: na guniang xiaohong have no node of their own; P stays outside "na guniang mai"
    assert neighbours("(VP (V a) (V b) (V c))", 0, 2) == ("VP", [("V", 2, 3, ON_RIGHT)])
    assert neighbours("(S (NP (D a) (N b)) (V c) (P d))", 1, 3) == ("S", [("P", 3, 4, ON_RIGHT)])


def test_a_sentence_without_a_tree():
    nodes = np.zeros(MOST_NEIGHBOURS, np.int64)
    assert find_neighbours(np.empty((0, 4), np.int32), 0, 1, 2, nodes, nodes) == (-1, 0)


@pytest.mark.parametrize(
    ("at", "kept"),
    [
        (29, range(17, 29)),  # the last word: the twelve before it, not the first twelve
        (0, range(1, 13)),
        (20, [14, 15, 16, 17, 18, 19, 21, 22, 23, 24, 25, 26]),  # six on either side
        (27, [17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 28, 29]),  # two to the right, ten to the left
    ],
)
def test_of_many_neighbours_the_nearest_are_kept(at, kept):
    words = " ".join(f"(N w{i})" for i in range(30))
    _, found = neighbours(f"(S {words})", at, at + 1)
    assert sorted(start for _, start, _, _ in found) == list(kept)
    assert all(side == (ON_LEFT if start < at else ON_RIGHT) for _, start, _, side in found)


def test_neighbours_of_higher_levels_are_left_out_first():
    # thirteen words beside the unit in its own phrase, one more above: the far end goes
    inside = " ".join(f"(N w{i})" for i in range(14))
    _, found = neighbours(f"(S (V v) (NP {inside}))", 1, 2, levels=2)
    # v stands beside the unit and so is nearer than the thirteenth and the twelfth word
    assert sorted(start for _, start, _, _ in found) == [0, *range(2, 13)]


@pytest.mark.parametrize("at", [0, 60, 64])
def test_coverage(at):
    coverage = np.zeros(3, np.uint64)
    assert covered_state(coverage, at, at + 5) == OPEN
    cover(coverage, at + 1, at + 5)
    assert covered_state(coverage, at, at + 5) == PARTLY
    assert covered_state(coverage, at + 1, at + 5) == COVERED
    assert [is_covered(coverage, place) for place in range(at, at + 6)] == [
        False, True, True, True, True, False
    ]  # fmt: skip
