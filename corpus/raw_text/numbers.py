"""Placeholders for numbers that are translated by copying.

In the training corpus, a number of two or more digits (a year, a date, a time) becomes the
placeholder if it is the same on both sides and the two tokens are linked only to each other. So
every placeholder on the target side of a phrase pair is linked to one on its source side, which
gives the number to copy. In text to translate, every number becomes the placeholder, and the
sentence keeps the number.

    1868 年 に    in &number;          ◀── "in 1868" – "1868 年 に", "in 2001" – "2001 年 に", …
"""

import re
from dataclasses import replace

import numpy as np

from hyperbaton.corpus.corpora.corpus import AlignedCorpus, Side
from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.foundation.arrays import Int32Array, Int64Array, Ragged
from hyperbaton.foundation.files.vocabulary import SPECIAL, Vocabulary

NUMBER = "&number;"  # differs from every token of a text, where & is written &amp;
_NUMBER = re.compile(r"[0-9](?:[0-9.,:/-]*[0-9])")


def is_number(token: str) -> bool:
    """Whether a token is a number of two or more digits.

    >>> list(map(is_number, ["1868", "2026-11-16", "1,000.5", "7", "3rd", "10."]))
    [True, True, True, False, False, False]
    """
    return _NUMBER.fullmatch(token) is not None


def masked(words: list[str]) -> list[str]:
    """Replaces every number by the placeholder."""
    return [NUMBER if is_number(word) else word for word in words]


def masked_sentence(sentence: Sentence) -> Sentence:
    """Replaces every number by the placeholder; `written` keeps the numbers."""
    words = masked(list(sentence.words))
    return replace(sentence, words=tuple(words), written=sentence.written or sentence.words)


def masked_corpus(corpus: AlignedCorpus) -> AlignedCorpus:
    """Replaces numbers that are the same on both sides by the placeholder."""
    pair = corpus.links.row_of_value
    places = [
        side.words.offsets[pair] + corpus.links.values[:, column]
        for column, side in enumerate((corpus.source, corpus.target))
    ]
    numbers: dict[str, int] = {}
    is_copied = np.ones(len(pair), np.bool_)
    ids = []
    for side, place in zip((corpus.source, corpus.target), places, strict=True):
        is_copied &= np.bincount(place, minlength=1)[place] == 1  # has no other link
        ids.append(_numbers_of(side.vocabulary, numbers)[side.words.values[place]])
    is_copied &= (ids[0] == ids[1]) & (ids[0] >= 0)
    source, target = (
        _with_placeholders(side, place[is_copied])
        for side, place in zip((corpus.source, corpus.target), places, strict=True)
    )
    return replace(corpus, source=source, target=target)


def _numbers_of(vocabulary: Vocabulary, numbers: dict[str, int]) -> Int32Array:
    """The id of each word's number; −1 for other words."""
    return np.array(
        [numbers.setdefault(w, len(numbers)) if is_number(w) else -1 for w in vocabulary.words],
        np.int32,
    )


def _with_placeholders(side: Side, places: Int64Array) -> Side:
    """The side with placeholders at these places; unused words leave the vocabulary."""
    values = side.words.values.copy()
    values[places] = len(side.vocabulary)
    used, values = np.unique(values, return_inverse=True)
    words = [*side.vocabulary.words, NUMBER]
    vocabulary = Vocabulary([words[word] for word in used.tolist()])
    values = (values + len(SPECIAL)).astype(np.int32)
    return replace(side, vocabulary=vocabulary, words=Ragged(values, side.words.offsets))
