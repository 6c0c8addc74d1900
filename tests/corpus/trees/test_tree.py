from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.corpus.trees.brackets import parse_brackets
from hyperbaton.corpus.trees.tree import check_leaves, make_tree
from hyperbaton.foundation.errors import BadLine
from tests.oracles import nested_brackets, nested_leaves, nested_spans
from tests.refusals import refusals
from tests.strategies import nested_trees

CAT = "(S (NP (DT the) (N cat)) (VP (V sleeps)))"


def test_the_example_of_the_module():
    tree = parse_brackets(CAT).tree
    assert tree.labels == ("S", "NP", "DT", "N", "VP", "V")
    assert list(zip(tree.start.tolist(), tree.end.tolist(), strict=True)) == [
        (0, 3), (0, 2), (0, 1), (1, 2), (2, 3), (2, 3)
    ]  # fmt: skip
    assert tree.parent.tolist() == [-1, 0, 1, 1, 0, 4]
    assert [children.tolist() for children in tree.children] == [[1, 4], [2, 3], [], [], [5], []]
    assert tree.tags == ("DT", "N", "V")
    assert tree.n_words == 3


@given(nested_trees)
def test_arrays_agree_with_recursion(nested):
    text = nested_brackets(nested)
    parsed = parse_brackets(text)
    tree, leaves = parsed.tree, nested_leaves(nested)
    assert list(parsed.leaves) == leaves
    spans = list(zip(tree.labels, tree.start.tolist(), tree.end.tolist(), strict=True))
    assert spans == nested_spans(nested)
    assert tree.brackets(leaves) == text
    for node in range(1, len(tree)):
        parent = tree.parent[node]
        assert parent < node
        assert node in tree.children[parent]
        assert tree.start[parent] <= tree.start[node] < tree.end[node] <= tree.end[parent]


def test_leaves_may_be_escaped_brackets():
    check_leaves(["-LRB-", "a", "-RRB-"], ["(", "a", ")"])
    check_leaves(["-LRB-"], ["-LRB-"])
    tree = parse_brackets("(S (PU -LRB-) (N a))").tree
    assert tree.brackets(["(", "a"]) == "(S (PU -LRB-) (N a))"


def test_brackets_inside_words_and_labels_are_written_so_that_they_can_be_read():
    words = [":)", "f(x)", "(-LRB-", "-RRB-", "["]
    tree = make_tree(["S", *"ABC", "(", "E"], [0, *range(5)], [5, *range(1, 6)], [-1] + [0] * 5)
    text = tree.brackets(words)
    assert text == ("(S (A :-RRB-) (B f-LRB-x-RRB-) (C -LRB--LRB-) (-LRB- -RRB-) (E [))")
    assert parse_brackets(text).over(words).parent.tolist() == tree.parent.tolist()


@given(nested_trees, st.data())
def test_whatever_the_words_a_tree_can_be_written_and_read(nested, data):
    tree = parse_brackets(nested_brackets(nested)).tree
    pieces = st.lists(st.sampled_from(["(", ")", "-LRB-", "-", "a"]), min_size=1, max_size=4)
    words = [data.draw(pieces.map("".join)) for _ in range(tree.n_words)]
    assert parse_brackets(tree.brackets(words)).over(words).labels == tree.labels


@refusals(
    (["a", "c"], "word 1 in the tree is 'b' … the sentence has 'c'"),
    (["a", "b", "c"], "2 words in the tree … 3 words"),
    error=BadLine,
)
def test_leaves_of_another_sentence_are_refused(words):
    check_leaves(["a", "b"], words)
