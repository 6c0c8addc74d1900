"""Converts words and tags of sentences to the symbols of features.

The second layer is tags if the training corpus has them, else word classes, else nothing. Sentences
to translate must have the same layer.
"""

from dataclasses import dataclass, field

import numpy as np

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.foundation.arrays import Int32Array
from hyperbaton.foundation.files.vocabulary import SPECIAL, UNKNOWN, Vocabulary
from hyperbaton.models.distortion.next_word.templates import BEGIN, END, PAD, Symbols, check_sizes

TAGS, CLASSES, WORDS_ONLY = "tags", "classes", ""
NO_SYMBOL = -1
OUTSIDE = {PAD: "<pad>", BEGIN: "<s>", END: "</s>"}
FIRST = len(SPECIAL)  # numbers of classes begin like those of words, after PAD, BOS and EOS


@dataclass(frozen=True, eq=False)
class SymbolCoder:
    """Converts sentences to symbols; unknown words and tags are NO_SYMBOL."""

    vocabulary: Vocabulary
    layer: str = WORDS_ONLY
    tag_vocabulary: Vocabulary = field(default_factory=Vocabulary)

    @classmethod
    def of(cls, corpus: AlignedCorpus) -> "SymbolCoder":
        """The coder for the words and the second layer of a corpus."""
        side = corpus.source
        layer, n_tags = WORDS_ONLY, len(side.tag_vocabulary)
        if side.tags is not None:
            layer = TAGS
        elif side.classes is not None:
            layer, n_tags = CLASSES, int(side.classes.values.max(initial=0)) + FIRST + 1
        check_sizes(len(side.vocabulary), n_tags)
        return cls(side.vocabulary, layer, side.tag_vocabulary)

    @property
    def requires(self) -> frozenset[str]:
        return frozenset({self.layer} - {WORDS_ONLY})

    def corpus(self, corpus: AlignedCorpus) -> Symbols:
        """The symbols of the source sentences of the coder's corpus, or of some of them."""
        side = corpus.source
        words = _known(side.words.values)
        if self.layer == TAGS and side.tags is not None:
            return Symbols(words, _known(side.tags.values))
        if self.layer == CLASSES and side.classes is not None:
            return Symbols(words, side.classes.values.astype(np.int32) + FIRST)
        return Symbols(words, np.full_like(words, NO_SYMBOL))

    def sentence(self, sentence: Sentence) -> Symbols:
        words = _known(self.vocabulary.encode(sentence.words))
        if self.layer == TAGS and sentence.tags is not None:
            return Symbols(words, _known(self.tag_vocabulary.encode(sentence.tags)))
        if self.layer == CLASSES and sentence.classes is not None:
            return Symbols(words, np.array(sentence.classes, np.int32) + FIRST)
        return Symbols(words, np.full_like(words, NO_SYMBOL))

    def text(self, name: str, symbol: int) -> str:
        """A symbol as text; names of words begin with s."""
        if symbol in OUTSIDE:
            return OUTSIDE[symbol]
        if name.startswith("s"):
            return self.vocabulary.words[symbol]
        return str(symbol - FIRST) if self.layer == CLASSES else self.tag_vocabulary.words[symbol]


def _known(ids: Int32Array) -> Int32Array:
    return np.where(ids == UNKNOWN, NO_SYMBOL, ids).astype(np.int32)
