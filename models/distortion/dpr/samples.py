"""Training examples: every phrase pair of an aligned corpus, in its place, with how far it moved.

The pairs are all that are consistent with the word alignment, up to 8 words (Ni et al. 2011,
section 3.2). The distance is that of eq. (1) with its sign,

    d = last source word of the previously translated phrase + 1 − first source word of this one.

A corpus is not segmented, so many phrases may have come before. As in the extraction of Koehn et
al. (2005), to which the paper refers, the previous phrase is that of the target word before: it
ends with the last source word that this word is linked to. Target words without links belong to a
phrase further left; before the first linked word the previous phrase ended at 0.

A decoder has to translate all source words, and those without links go with the phrases beside
them. So the previous phrase is extended over such words, but not into this one; else the particles
of a language would all look like moves forward, which they are not when the decoder reads the end
of the phrase that it has really used.

    source  kare wa  hon  o  katta        bought: "kare wa" ends at 2, katta starts at 4, d = −2
             0   1    2   3    4          book: "katta" ends at 5, hon starts at 2, d = 3
    target  he–0    bought–4    book–2
"""

from dataclasses import dataclass, fields

import numpy as np

from models.arrays import BoolArray, Int32Array, Int64Array, UInt64Array
from models.data.corpus import AlignedCorpus
from models.phrases.extraction import extract

MAX_LENGTH = 8


@dataclass(frozen=True, eq=False)
class Samples:
    """Phrase pairs in the texts of a corpus: positions are counted through the whole side."""

    sentence: Int32Array  # (n,) number of the sentence pair
    source_start: Int64Array
    source_end: Int64Array
    target_start: Int64Array
    target_end: Int64Array
    inner: UInt64Array  # inner alignment, bit 8 · target + source
    distance: Int32Array  # d, see above

    def __len__(self) -> int:
        return len(self.distance)

    def take(self, rows: Int64Array | BoolArray) -> "Samples":
        """The chosen examples."""
        return Samples(*(getattr(self, item.name)[rows] for item in fields(self)))


def collect_samples(
    corpus: AlignedCorpus, max_length: int = MAX_LENGTH, threads: int = 2
) -> Samples:
    """All examples of a corpus, in its order."""
    found = extract(corpus, max_length, threads=threads)
    offsets = corpus.source.words.offsets
    sentence = np.searchsorted(offsets, found.source_at, side="right") - 1
    before = previous_ends(corpus)[found.target_at]
    extended = np.minimum(_next_linked(corpus)[offsets[sentence] + before], found.source_at)
    reached = np.where(
        before > 0, np.maximum(extended, offsets[sentence] + before), offsets[sentence]
    )
    distance = reached - found.source_at
    return Samples(
        sentence.astype(np.int32),
        found.source_at,
        found.source_at + found.source_length,
        found.target_at,
        found.target_at + found.target_length,
        found.inner,
        distance.astype(np.int32),
    )


def previous_ends(corpus: AlignedCorpus) -> Int64Array:
    """Where in its source sentence the linked words before each target word end; 0 without any."""
    target = corpus.target.words
    source_position, target_position = corpus.links.values.astype(np.int64).T
    end = np.zeros(len(target.values), np.int64)
    place = target.offsets[corpus.links.row_of_value] + target_position
    np.maximum.at(end, place, source_position + 1)
    # the last linked word before each word, of the same sentence
    places = np.arange(len(end))
    linked = np.maximum.accumulate(np.where(end > 0, places, -1))
    before = np.concatenate([[-1], linked[:-1]])[: len(end)]
    sentence_start = np.repeat(target.offsets[:-1], target.lengths)
    return np.where(before >= sentence_start, end[before], 0)


def _next_linked(corpus: AlignedCorpus) -> Int64Array:
    """For each source position, counted through the text, the first linked word from there on."""
    source = corpus.source.words
    n_words = len(source.values)
    place = source.offsets[corpus.links.row_of_value] + corpus.links.values[:, 0].astype(np.int64)
    following = np.full(n_words + 1, n_words, np.int64)
    following[place] = place
    return np.minimum.accumulate(following[::-1])[::-1]
