import pytest

from hyperbaton.corpus.trees.conllu import read_conllu
from hyperbaton.foundation.errors import BadLine
from tests.refusals import refused

DU = """\
# text = il parle du chat
1\til\til\tPRON\t_\t_\t2\tnsubj\t_\t_
2\tparle\tparler\tVERB\t_\t_\t0\troot\t_\t_
3-4\tdu\t_\t_\t_\t_\t_\t_\t_\t_
3\tde\tde\tADP\t_\t_\t5\tcase\t_\t_
4\tle\tle\t_\tDET\t_\t5\tdet\t_\t_
4.1\tghost\t_\t_\t_\t_\t_\t_\t_\t_
5\tchat\tchat\tNOUN\t_\t_\t2\tobl\t_\t_

"""


def row(number="1", form="a", tag="X", head="0"):
    return f"{number}\t{form}\t_\t{tag}\t_\t_\t{head}\t_\t_\t_\n"


def only(path):
    [(_, sentence)] = read_conllu(path)
    return sentence


def test_words_tags_and_tree(write):
    sentence = only(write("du.conllu", DU))
    words = ["il", "parle", "de", "le", "chat"]
    assert list(sentence.words) == words
    assert sentence.tags == ("PRON", "VERB", "ADP", "DET", "NOUN")
    assert sentence.over(words).brackets(words) == (
        "(VERBP (PRON il) (VERB parle) (NOUNP (ADP de) (DET le) (NOUN chat)))"
    )


def test_surface_tokens_get_a_tree_of_their_own(write):
    sentence = only(write("du.conllu", DU))
    tokens = ["il", "parle", "du", "chat"]
    assert sentence.over(tokens).brackets(tokens) == (
        "(VERBP (PRON il) (VERB parle) (NOUNP (ADP+DET du) (NOUN chat)))"
    )
    assert sentence.tags_over(tokens) == ["PRON", "VERB", "ADP+DET", "NOUN"]
    words = ["il", "parle", "de", "le", "chat"]
    assert sentence.tags_over(words) == ["PRON", "VERB", "ADP", "DET", "NOUN"]


@pytest.mark.parametrize("words", ["elle parle de le chat", "elle parle du chat"])
def test_other_words_are_refused_though_as_many(write, words):
    sentence = only(write("du.conllu", DU))
    found = "word 0 in the {} is 'il' … the sentence has 'elle'".format
    refused(found("tree"), lambda: sentence.over(words.split()), BadLine)
    error = refused(found("tags"), lambda: sentence.tags_over(words.split()), BadLine)
    assert error.kind == "tags"
    few = "5 words in the tags … the sentence has 1 word"
    refused(few, lambda: sentence.tags_over(["il"]), BadLine)


def test_sentences_lie_between_empty_lines(write):
    path = write("two.conllu", "\n\n# one\n" + row() + "\n\n\n# two\n" + row(form="b"))
    assert [(line, s.words) for line, s in read_conllu(path)] == [(4, ("a",)), (9, ("b",))]


@pytest.mark.parametrize(
    ("text", "what", "expected"),
    [
        ("1\ta\tX\n", "'1\\ta\\tX' has 3 columns", "expected 10, separated by tabs"),
        (row("2"), "word number 2 follows 0", "expected consecutive numbers"),
        (row("x"), "'x' is not a word number", "expected 1, 2, 3 ..."),
        (row(head="_"), "'_' is not a word number", "expected 1, 2, 3 ..."),
        (row(head="3"), "head 3 does not exist", "the sentence has 1 word"),
        (
            row("1-3") + row(),
            "invalid token range 1-3",
            "ranges must be ordered and inside",
        ),
    ],
)
def test_broken_rows_are_named(write, text, what, expected):
    bad = only(write("bad.conllu", text))
    assert isinstance(bad, BadLine)
    assert (bad.what, bad.expected) == (what, expected)


def test_a_line_that_is_not_utf8_spoils_its_sentence_only(write):
    path = write("x.conllu", row().encode() + b"\xff\n\n" + row(form="b").encode())
    (_, bad), (_, good) = read_conllu(path)
    assert bad.kind == "not UTF-8"
    assert good.words == ("b",)
