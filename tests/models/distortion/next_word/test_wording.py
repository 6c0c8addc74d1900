from dataclasses import replace

import numpy as np

from hyperbaton.models.distortion.next_word.distance_classes import place_keys
from hyperbaton.models.distortion.next_word.model import largest
from hyperbaton.models.distortion.next_word.nine_class import place_feature
from hyperbaton.models.distortion.next_word.symbols import SymbolCoder
from hyperbaton.models.distortion.next_word.word_pairs import pair_feature
from tests.models.distortion.next_word.corpora import tagged_corpus
from tests.models.distortion.next_word.test_templates import keys_of

CORPUS = tagged_corpus([(["kare", "wa", "katta"], ["he"], [(0, 0)], ["N", "P", "V"])])
CODER = SymbolCoder.of(CORPUS)


def test_features_of_pairs_in_words():
    symbols = CODER.corpus(CORPUS)
    found = [
        pair_feature(key, CODER)
        for key in keys_of(symbols.words.tolist(), symbols.tags.tolist(), 3, 1)
    ]
    assert found[-2:] == ["back", "back, distance 2 to 5"]
    assert {
        "back, s[i]=katta",
        "back, s[i+1]=</s>",
        "back, s[j-2]=<pad>",
        "back, t[j]=N",
        "back, s[i]=katta, s[j]=kare",
        "back, t[j-1]=<s>, t[i]=V, t[j]=N",
        "back, s[j]=kare, t[i]=V, t[j]=N",
    } <= set(found)
    with_classes = replace(CODER, layer="classes")  # tags 3, 4, 5 are then classes 0, 1, 2
    keys = keys_of(symbols.words.tolist(), symbols.tags.tolist(), 0, 3)
    assert "forward, t[i]=<s>, t[j]=2" in [pair_feature(key, with_classes) for key in keys]


def test_features_of_places_in_words():
    keys = place_keys(CODER.corpus(CORPUS), np.array([0, 3]))
    assert [place_feature(int(key), CODER) for key in keys[2]] == [
        "s[-2]=<s>", "s[-1]=kare", "s[0]=wa", "s[+1]=katta", "s[+2]=</s>",
        "t[0]=P", "t[-1]=N, t[0]=P", "t[0]=P, t[+1]=V", "s[0]=wa, t[0]=P",
        "fifth of the sentence 2",
    ]  # fmt: skip


def test_the_largest_weights():
    weights = np.array([[0.1, -3.0], [2.0, 0.0], [-0.5, 2.0]])
    others = np.array([7, 8, 9]), ("left", "right"), str
    expected = [("right", "7", -3.0), ("left", "8", 2.0), ("right", "9", 2.0)]
    assert largest(weights, 3, *others) == expected
    assert len(largest(weights, 99, *others)) == 6
