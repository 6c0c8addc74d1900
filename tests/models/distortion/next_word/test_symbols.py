from dataclasses import replace

import numpy as np

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.foundation.arrays import Ragged
from hyperbaton.models.distortion.next_word.symbols import SymbolCoder
from tests.models.distortion.next_word.corpora import tagged_corpus

CORPUS = tagged_corpus([(list("aba"), ["A"], [(0, 0)], list("NVN"))])


def test_tags_are_the_second_layer_if_there_are_any():
    coder = SymbolCoder.of(CORPUS)
    assert coder.requires == {"tags"}
    symbols = coder.corpus(CORPUS)
    assert (symbols.words.tolist(), symbols.tags.tolist()) == ([3, 4, 3], [3, 4, 3])
    symbols = coder.sentence(Sentence(("b", "x", "a"), tags=("N", "N", "X"), classes=(0, 1, 0)))
    assert (symbols.words.tolist(), symbols.tags.tolist()) == ([4, -1, 3], [3, 3, -1])


def test_classes_come_next():
    classes = Ragged(np.array([0, 5, 0], np.int32), np.array([0, 3]))
    corpus = replace(CORPUS, source=replace(CORPUS.source, tags=None, classes=classes))
    coder = SymbolCoder.of(corpus)
    assert coder.requires == {"classes"}
    assert coder.corpus(corpus).tags.tolist() == [3, 8, 3]
    symbols = coder.sentence(Sentence(("b", "x"), classes=(5, 7)))
    assert (symbols.words.tolist(), symbols.tags.tolist()) == ([4, -1], [8, 10])


def test_words_alone_do_as_well():
    corpus = replace(CORPUS, source=replace(CORPUS.source, tags=None))
    coder = SymbolCoder.of(corpus)
    assert coder.requires == frozenset()
    assert coder.corpus(corpus).tags.tolist() == [-1, -1, -1]
    assert coder.sentence(Sentence(("b",), tags=("N",))).tags.tolist() == [-1]
