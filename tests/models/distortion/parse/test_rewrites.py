"""Tree rewrites by hand."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.corpus.corpora.builder import CorpusBuilder
from hyperbaton.foundation.errors import HyperbatonError
from hyperbaton.models.distortion.parse.rewrites import (
    parse_rewrites,
    read_rewrites,
    rewrite_side,
    rewrite_tree,
)
from tests.models.distortion.parse.trees import parse_tree
from tests.refusals import refusals, refused


def rewritten(brackets, name_or_toml):
    tree, words = parse_tree(brackets)
    rewrites = (
        parse_rewrites(name_or_toml, "test")
        if "[[" in name_or_toml
        else read_rewrites(name_or_toml)[1]
    )
    return rewrite_tree(tree, words, rewrites).brackets(words)


def test_de_is_raised_as_in_figures_4_and_5():
    before = "(NP (CP (IP (VP (VV bangjia))) (DEC de)) (QP (CD yi)) (NP (NN renzhi)))"
    after = "(NP (CP (IP (VP (VV bangjia)))) (DEC de) (QP (CD yi)) (NP (NN renzhi)))"
    assert rewritten(before, "de") == after
    # a possessor, and a CP inside a CP: de climbs as long as there is something to leave
    assert rewritten("(NP (DNP (NP (NR ruishi)) (DEG de)) (NP (NN bingchuan)))", "de") == (
        "(NP (DNP (NP (NR ruishi))) (DEG de) (NP (NN bingchuan)))"
    )
    assert rewritten("(NP (CP (X x) (CP (IP (VV lai)) (DEC de))) (NN ren))", "de") == (
        "(NP (CP (X x) (CP (IP (VV lai)))) (DEC de) (NN ren))"
    )


def test_what_is_not_raised():
    for tree in [
        "(CP (IP (VV lai)) (DEC de))",  # nothing above
        "(NP (CP (DEC de)) (NN ren))",  # nothing would remain
        "(NP (CP (IP (VV lai)) (DEC de) (SP ma)) (NN ren))",  # in the middle
        "(NP (CP (IP (VV lai)) (SP ma)) (NN ren))",
    ]:
        assert rewritten(tree, "de") == tree


def test_the_first_child_is_raised_to_the_left():
    rule = '[[rewrite]]\naction = "raise"\nnode = "CP"\nchild = "CS"\nword = ["yinwei"]'
    assert rewritten("(IP (CP (CS yinwei) (IP (VV lai))) (VV qu))", rule) == (
        "(IP (CS yinwei) (CP (IP (VV lai))) (VV qu))"
    )
    other = "(IP (CP (CS suiran) (IP (VV lai))) (VV qu))"
    assert rewritten(other, rule) == other


def test_flatten_and_relabel():
    flatten = '[[rewrite]]\naction = "flatten"\nnode = "NP"\nunder = "NP"'
    assert rewritten("(S (NP (NP (NP (N a) (N b)) (P c)) (N d)))", flatten) == (
        "(S (NP (N a) (N b) (P c) (N d)))"
    )
    relabel = '[[rewrite]]\naction = "relabel"\nnode = ["NP-SBJ", "N"]\nto = "NP"'
    assert rewritten("(S (NP-SBJ (N a)) (V b))", relabel) == "(S (NP (NP a)) (V b))"
    both = flatten + "\n" + '[[rewrite]]\naction = "flatten"\nnode = "S"'  # a root stays
    assert rewritten("(S (S (NP (NP (N a))) (V b)))", both) == "(S (NP (N a)) (V b))"


@given(st.randoms(use_true_random=False), st.integers(1, 9))
def test_the_words_stay_where_they_are(random, n_words):
    def grow(low, high):
        if high - low == 1 and random.random() < 0.7:
            return f"({random.choice(['DEC', 'NN', 'VV'])} w{low})"
        cuts = sorted(
            random.sample(range(low + 1, high), min(high - low - 1, random.randint(0, 3)))
        )
        edges = [low, *cuts, high]
        if len(edges) == 2 and high - low > 1:
            edges = [low, high - 1, high]
        inner = " ".join(grow(a, b) for a, b in pairwise(edges))
        return f"({random.choice(['CP', 'NP', 'DNP'])} {inner})"

    tree, words = parse_tree(grow(0, n_words))
    rules = read_rewrites("de")[1] + parse_rewrites(
        '[[rewrite]]\naction = "flatten"\nnode = "NP"', "test"
    )
    again, leaves = parse_tree(rewrite_tree(tree, words, rules).brackets(words))
    result = rewrite_tree(tree, words, rules)
    assert leaves == words
    for column in ("start", "end", "parent"):  # preorder and spans are right
        assert getattr(again, column).tolist() == getattr(result, column).tolist()


def test_trees_of_a_corpus():
    builder = CorpusBuilder(trees=True)
    for brackets in ("(NP (CP (VV lai) (DEC de)) (NN ren))", None):
        tree, words = parse_tree(brackets) if brackets else (None, ["x"])
        builder.add(words, ["x"], [0, 0], tree=tree)
    side = builder.finish().source
    trees, labels = rewrite_side(side, read_rewrites("de")[1])
    assert trees.lengths.tolist() == [5, 0]
    assert labels.decode(trees[0][:, 0]) == ["NP", "CP", "VV", "DEC", "NN"]
    assert trees[0][:, 3].tolist() == [-1, 0, 1, 0, 0]
    assert rewrite_side(side, ())[0] is side.trees


@refusals(
    ("x = 1", "t: has content other than rewrites … [[rewrite]] …"),
    ("[[rewrite", "t: is not TOML"),
    ("[[rewrite]]\naction = 'rise'", "t, rewrite 1: unknown action 'rise' … did you mean"),
    ("[[rewrite]]\naction = 'flatten'\nnod = 'X'", "flatten has no key 'nod' … did you mean"),
    ("[[rewrite]]\naction = 'raise'\nnode = 'X'", "rewrite 1: raise needs the key 'child'"),
    ("[[rewrite]]\naction = 'flatten'\nnode = 3", "node: 3 is not a name or a list of names"),
    (
        "[[rewrite]]\naction = 'relabel'\nnode = 'X'\nto = ['A', 'B']",
        "t, rewrite 1, to: ['A', 'B'] is more than one name",
    ),
    error=HyperbatonError,
)
def test_rewrites_that_cannot_be_read(text):
    parse_rewrites(text, "t")


def test_files_of_rewrites(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('[[rewrite]]\naction = "flatten"\nnode = "X"\n')
    assert read_rewrites(str(path))[1][0].node == {"X"}
    with pytest.raises(HyperbatonError, match=r"no such file(.|\n)*built in: de"):
        read_rewrites(str(tmp_path / "none.toml"))
    path.write_bytes(b"\xff")
    refused("is not UTF-8", lambda: read_rewrites(str(path)), HyperbatonError)
