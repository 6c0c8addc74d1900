import random
from itertools import pairwise

import pytest
from hypothesis import given

from hyperbaton.corpus.trees.dependencies import constituents, contract, make_projective
from hyperbaton.foundation.errors import BadLine
from tests.oracles import descendants, is_projective
from tests.strategies import heads


def depths_of(tree_heads):
    def depth(word):
        return 0 if tree_heads[word] < 0 else 1 + depth(tree_heads[word])

    return [depth(word) for word in range(len(tree_heads))]


def test_the_example_of_the_module():
    tree = constituents([1, -1, 1], ["NOUN", "VERB", "ADV"])
    text = tree.brackets(["dogs", "bark", "loudly"])
    assert text == "(VERBP (NOUN dogs) (VERB bark) (ADV loudly))"


def test_nested_phrases_and_a_single_word():
    #                   the  old  man  sleeps
    tree = constituents([2, 2, 3, -1], ["DET", "ADJ", "NOUN", "VERB"])
    assert tree.brackets(["the", "old", "man", "sleeps"]) == (
        "(VERBP (NOUNP (DET the) (ADJ old) (NOUN man)) (VERB sleeps))"
    )
    assert constituents([-1], ["INTJ"]).brackets(["yes"]) == "(INTJ yes)"


def test_several_roots_are_joined():
    assert constituents([-1, -1], ["A", "B"]).brackets(["x", "y"]) == "(ROOT (A x) (B y))"


def test_a_crossing_arc_is_lifted_to_the_heads_head():
    # "a hearing is scheduled on the issue": `on` (4) hangs on `hearing` (1), across the root
    crossing = [1, 3, 3, -1, 1, 6, 4]
    lifted, moves = make_projective(crossing, depths_of(crossing))
    assert (lifted, moves) == ([1, 3, 3, -1, 3, 6, 4], 1)
    assert constituents(crossing, list("ABCDEFG")).n_lifted == 1


@given(heads())
def test_lifting_makes_projective_and_leaves_projective_trees_alone(tree_heads):
    lifted, moves = make_projective(tree_heads, depths_of(tree_heads))
    assert is_projective(lifted)
    assert (moves == 0) == is_projective(tree_heads)
    if moves == 0:
        assert lifted == tree_heads
    for word, head in enumerate(lifted):  # nobody got a head that was not above it before
        assert head == -1 or word in descendants(tree_heads, head)


def lifted_one_by_one(tree_heads):
    """What lifting is by definition: every arc is looked at again after every move."""

    def crosses(word):
        head = lifted[word]
        between = range(min(head, word) + 1, max(head, word))
        return head >= 0 and not set(between) <= descendants(lifted, head)

    lifted, moves = list(tree_heads), 0
    while found := [word for word in range(len(lifted)) if crosses(word)]:
        shortest = min(found, key=lambda word: (abs(lifted[word] - word), word))
        lifted[shortest] = lifted[lifted[shortest]]
        moves += 1
    return lifted, moves


@given(heads())
def test_always_the_shortest_crossing_arc_is_lifted(tree_heads):
    assert make_projective(tree_heads, depths_of(tree_heads)) == lifted_one_by_one(tree_heads)


@pytest.mark.parametrize("n_words", [60, 70])  # on both sides of a machine word
def test_long_sentences_are_lifted_as_short_ones(n_words):
    order = [word * 31 % n_words for word in range(n_words)]  # every word once, far apart
    tree_heads = [-1] * n_words
    for rank in range(1, n_words):
        tree_heads[order[rank]] = order[rank // 2]
    lifted, moves = make_projective(tree_heads, depths_of(tree_heads))
    assert (lifted, moves) == lifted_one_by_one(tree_heads)
    assert moves > n_words / 2


def test_a_thousand_words_that_cross_take_no_thousand_thousand_looks():
    # a chain of words drawn at random: 22,000 moves, which took minutes
    order = list(range(1000))
    random.Random(1).shuffle(order)
    tree_heads = [-1] * 1000
    for above, word in pairwise(order):
        tree_heads[word] = above
    tree = constituents(tree_heads, ["X"] * 1000)
    assert tree.n_lifted > 10_000
    assert tree.tag_nodes.tolist() == sorted(tree.tag_nodes, key=tree.start.__getitem__)


@given(heads())
def test_every_phrase_spans_its_head_words_descendants(tree_heads):
    tags = [f"T{i}" for i in range(len(tree_heads))]
    tree = constituents(tree_heads, tags)
    lifted, _ = make_projective(tree_heads, depths_of(tree_heads))
    expected = {"ROOT": (0, len(tags))} if lifted.count(-1) > 1 else {}
    for word, tag in enumerate(tags):
        family = descendants(lifted, word)
        expected[tag] = (word, word + 1)
        if len(family) > 1:
            expected[tag + "P"] = (min(family), max(family) + 1)
    spans = zip(tree.start.tolist(), tree.end.tolist(), strict=True)
    assert dict(zip(tree.labels, spans, strict=True)) == expected
    assert tree.tags == tuple(tags)


@pytest.mark.parametrize("circle", [[0], [1, 0], [-1, 2, 1]])
def test_circles_are_refused(circle):
    with pytest.raises(BadLine, match="the heads form a cycle\n  every word must reach the root"):
        constituents(circle, ["X"] * len(circle))


def test_groups_hang_where_their_highest_word_hangs():
    # vamos-nos: words 0 and 1 are one token, 2 is "ao", words 3-4 "mar"
    assert contract([-1, 0, 3, 0, 3], [0, 0, 1, 1, 2]) == [-1, 0, 1]


@given(heads())
def test_contraction_gives_a_tree(tree_heads):
    groups = [word // 2 for word in range(len(tree_heads))]
    smaller = contract(tree_heads, groups)
    assert constituents(smaller, ["X"] * len(smaller)).n_words == len(smaller)
