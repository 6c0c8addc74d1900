import pytest
from hypothesis import given

from hyperbaton.corpus.trees.brackets import parse_brackets, read_brackets
from hyperbaton.foundation.errors import BadLine
from tests.oracles import nested_brackets
from tests.refusals import refusals
from tests.strategies import nested_trees


def rewritten(text):
    parsed = parse_brackets(text)
    return parsed.tree.brackets(parsed.leaves)


def test_the_empty_outer_bracket_is_dropped():
    assert rewritten("( (S (N a)) )") == "(S (N a))"
    assert parse_brackets("( (S (N a)))").tree.parent.tolist() == [-1, 0]


def test_empty_elements_are_dropped_with_what_holds_nothing_else():
    text = "(S (NP-SBJ (-NONE- *T*-1)) (VP (V go) (NP (-NONE- *) (N home))))"
    assert rewritten(text) == "(S (VP (V go) (NP (N home))))"


@pytest.mark.parametrize("text", ["", "  ", "()", "(())", "( (S (-NONE- *)))"])
def test_a_sentence_without_a_tree(text):
    assert parse_brackets(text) is None


@refusals(
    ("(S (N a)", "not closed: 1 bracket … (VP (V sleep))"),
    ("(S (N a)))", "')' is outside all brackets … (VP (V sleep))"),
    ("S", "'S' is outside all brackets"),
    ("(S (N a)) (S (N b))", "a second tree"),
    ("(S (N a b))", "'b' is the second word"),
    ("(S a (N b))", "the word 'a' is next to brackets"),
    ("(S (N))", "the bracket 'N' is empty"),
    ("(S)", "the bracket 'S' is empty"),
    ("(S ( (N a)))", "no label"),
    ("((N a) (N b))", "no label"),
    error=BadLine,
)
def test_broken_brackets_are_named(text):
    parse_brackets(text)


def labels_by_line(path):
    return [
        (number, record if isinstance(record, BadLine) else record and record.tree.labels)
        for number, record in read_brackets(path)
    ]


def test_one_tree_a_line_with_sentences_without_trees(write):
    path = write("one.trees", "\n(S (N a))\n\n()\n(NP (N b))\n")
    assert labels_by_line(path) == [
        (1, None), (2, ("S", "N")), (3, None), (4, None), (5, ("NP", "N"))
    ]  # fmt: skip


def test_trees_over_several_lines(write):
    path = write("many.mrg", "\n( (S\n    (N a)))\n\n\n( (NP (N b)) )\n()\n( (VP\n (V c)")
    *whole, (number, last) = labels_by_line(path)
    assert whole == [(2, ("S", "N")), (6, ("NP", "N")), (7, None)]
    assert number == 8
    assert last.expected.endswith(
        "\n  trees are read over several lines, because the tree of line 2 is not complete there"
    )
    assert last.what == "not closed: 2 brackets"


def test_a_lost_bracket_in_the_first_tree_spoils_no_other(write):
    (_, bad), *others = labels_by_line(write("lost.trees", "(S (N a)\n\n(S (N b))\n(NP (N c))\n"))
    assert bad.what == "not closed: 1 bracket"
    assert others == [(2, None), (3, ("S", "N")), (4, ("NP", "N"))]
    many = labels_by_line(write("many.trees", "(S (N a)\n" + "(S (N b))\n" * 30 + " )\n"))
    assert len(many) == 32


def test_trees_over_several_lines_need_no_indentation(write):
    path = write("flat.mrg", "(S (N a)\n(N b)\n(N c)\n(V d))\n(NP\n(N e))\n")
    assert labels_by_line(path) == [(1, ("S", "N", "N", "N", "V")), (5, ("NP", "N"))]


def test_words_that_differ_over_several_lines_name_the_layout(write):
    [(_, tree)] = read_brackets(write("many.mrg", "(S\n (N a))\n"))
    assert tree.over(["a"]).labels == ("S", "N")
    with pytest.raises(BadLine, match="the sentence has 'b'\n  trees are read over several lines"):
        tree.over(["b"])


def test_a_file_of_empty_lines_is_sentences_without_trees(write):
    assert labels_by_line(write("none.trees", "\n\n")) == [(1, None), (2, None)]


def test_a_line_that_is_not_utf8_spoils_one_tree_or_the_file(write):
    (_, tree), (_, bad) = read_brackets(write("a.trees", b"(S (N a))\n(S (N \xff))\n"))
    assert tree.leaves == ("a",)
    assert bad.kind == "not UTF-8"
    with pytest.raises(BadLine, match=r"b\.trees:2: byte 0xff"):
        list(read_brackets(write("b.trees", b"(S\n (N \xff))\n")))


@given(nested_trees)
def test_writing_and_reading_are_inverse(nested):
    text = nested_brackets(nested)
    assert rewritten(text) == text
    assert rewritten(f"( {text})") == text


def test_depth_is_no_danger():
    depth = 20_000
    tree = parse_brackets("(S " * depth + "(N a)" + ")" * depth).tree
    assert len(tree) == depth + 1
