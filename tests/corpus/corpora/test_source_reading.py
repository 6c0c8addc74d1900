"""Sentences that are to be translated, with their layers."""

from functools import partial

from hyperbaton.corpus.corpora.reading import SourceFiles, read_sentences
from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.foundation.errors import BadLine
from tests.refusals import refusals

TREE = "(S (NP (N hon)) (V katta))"


def test_words_tags_and_trees_come_together(write):
    files = SourceFiles(
        write("s", "hon katta\n\nhon\n"), write("tags", "N V\n\nN\n"), write("t", f"{TREE}\n\n\n")
    )
    first, empty, last = read_sentences(files)
    assert first.words == ("hon", "katta")
    assert first.tags == ("N", "V")
    assert first.tree is not None
    assert first.tree.labels[0] == "S"
    assert (empty.words, empty.tree) == ((), None)
    assert (last.tags, last.tree) == (("N",), None)


def test_tags_written_with_the_words(write):
    files = SourceFiles(write("s", "hon|N katta|V\n"))
    [sentence] = read_sentences(files, partial(Sentence.parse, factored=True))
    assert (sentence.words, sentence.tags) == (("hon", "katta"), ("N", "V"))


@refusals(
    ("N V\n", f"{TREE}\n{TREE}\n", "tags:2: the file ends here"),
    ("N V\nN\n", f"{TREE}\n{TREE}\n", "tags:2: 1 tag … 2 words"),
    ("N V\nN V\n", f"(S (N hon))\n{TREE}\n", "trees:1: "),
    error=BadLine,
)
def test_layers_that_do_not_fit_are_named(write, tags, trees):
    words = write("s", "hon katta\nhon katta\n")
    list(read_sentences(SourceFiles(words, write("tags", tags), write("trees", trees))))
