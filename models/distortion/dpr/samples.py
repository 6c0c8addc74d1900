"""Training examples: every phrase pair of an aligned corpus, with its context and its move.

The pairs are all those consistent with the word alignment, up to 8 words (Ni et al. 2011,
section 3.2). The distance is that of eq. (1) with its sign,

    d = last source word of the previously translated phrase + 1 − first source word of this one,

so d < 0 is a move forward over untranslated words, d = 0 continues where the last phrase ended, and
d > 0 is a move back. Classes of distances (section 2.1 and Figure 4) are numbered by increasing d.
Alrajeh and Niranjan (2014, section 4) use the classes monotone, swap and discontinuous, by the
links in the corners of the phrase pair (`models/phrases/orientation.py`), as Moses extracts them.
These classes distinguish a swap from a long jump back; the sign of d does not.

A corpus is not segmented, so the previous phrase is ambiguous. As in the extraction of Koehn et al.
(2005), to which the paper refers, it is the phrase of the previous target word: it ends with the
last source word that this word is linked to. Target words without links belong to a phrase further
left; before the first linked word the previous phrase ended at 0.

A decoder must translate all source words, and words without links go with neighbouring phrases. So
the previous phrase includes all unlinked words after it, but none of this phrase. Otherwise
every particle would look like a move forward, which it is not in the decoder, where the end of the
previous phrase is known. The authors' program does not include such words.

    source  kare wa  hon  o  katta  .     bought: "kare wa" ends at 2, katta starts at 4, d = −2
             0   1    2   3    4    5     book: "katta ." ends at 6, hon starts at 2, d = 4
    target  he–0    bought–4    book–2
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.foundation.arrays import Int32Array, Int64Array, UInt64Array
from hyperbaton.foundation.errors import SettingError, nearest
from hyperbaton.models.distortion.span_moves import class_of_orientation
from hyperbaton.models.phrases.extraction import extract
from hyperbaton.models.phrases.reordering import CLASSES

MAX_LENGTH = 8


@dataclass(frozen=True)
class Orientations:
    """Classes of moves, by distance or, if `last` is empty, by corners."""

    names: tuple[str, ...]
    last: tuple[int, ...] = ()  # largest distance of each class except the last

    def __len__(self) -> int:
        return len(self.names)

    def of(self, distances: ArrayLike) -> Int64Array:
        return np.searchsorted(self.last, np.asarray(distances))

    def label(self, samples: "Samples") -> Int64Array:
        return self.of(samples.distance) if self.last else samples.corner


DISTANCE, MSD = "distance", "msd"
SETUPS = {
    DISTANCE: {
        3: Orientations(("d<0", "d=0", "d>0"), (-1, 0)),
        5: Orientations(("d≤-5", "-5<d<0", "d=0", "0<d<5", "d≥5"), (-5, -1, 0, 4)),
    },
    MSD: {3: Orientations(tuple(CLASSES[MSD]))},
}


def orientations(n_classes: int, moves: str = DISTANCE) -> Orientations:
    """The setup with three or five classes of distances, or with classes of corners."""
    if moves not in SETUPS:
        raise SettingError(
            f"unknown classes of moves {moves!r}", expected=nearest(moves, list(SETUPS))
        )
    known = SETUPS[moves]
    if n_classes not in known:
        raise SettingError(
            f"{n_classes} orientation classes of {moves} are not possible",
            expected=f"expected {' or '.join(map(str, known))}",
        )
    return known[n_classes]


class PairPlaces(NamedTuple):
    """Phrase pairs in a source and a target text; positions are in the whole text."""

    sentence_start: Int64Array  # (n,) the source sentence
    sentence_end: Int64Array
    source_start: Int64Array
    source_end: Int64Array
    target_start: Int64Array
    target_end: Int64Array
    inner: UInt64Array  # inner alignment, bit 8 · target + source

    def rows(self, first: int, last: int) -> "PairPlaces":
        return PairPlaces._make(column[first:last] for column in self)


@dataclass(frozen=True, eq=False)
class Samples:
    sentence: Int32Array  # (n,) number of the sentence pair
    places: PairPlaces
    distance: Int32Array  # d, see above
    corner: Int64Array  # monotone, swap or discontinuous
    next_corner: Int64Array  # the same towards the next phrase

    def __len__(self) -> int:
        return len(self.distance)


def collect_samples(
    corpus: AlignedCorpus, max_length: int = MAX_LENGTH, threads: int = 2
) -> Samples:
    """All examples of a corpus, in corpus order."""
    pairs = extract(corpus, max_length, threads=threads)
    offsets = corpus.source.words.offsets
    sentence = np.searchsorted(offsets, pairs.source_at, side="right") - 1
    reached = offsets[sentence] + previous_ends(corpus)[pairs.target_at]
    extended = np.minimum(_next_linked(corpus)[reached], offsets[sentence + 1])
    # a previous phrase on the left extends at most to this one
    stopped = np.where(reached <= pairs.source_at, np.minimum(extended, pairs.source_at), extended)
    reached = np.where(reached > offsets[sentence], stopped, reached)
    places = PairPlaces(
        offsets[sentence],
        offsets[sentence + 1],
        pairs.source_at,
        pairs.source_at + pairs.source_length,
        pairs.target_at,
        pairs.target_at + pairs.target_length,
        pairs.inner,
    )
    distance = reached - pairs.source_at
    corner, next_corner = (class_of_orientation(MSD)[o] for o in (pairs.backward, pairs.forward))
    return Samples(
        sentence.astype(np.int32), places, distance.astype(np.int32), corner, next_corner
    )


def previous_ends(corpus: AlignedCorpus) -> Int64Array:
    """The end, in the source sentence, of the words linked to the last linked target word before
    each target word; 0 if there is none."""
    target = corpus.target.words
    source_position, target_position = corpus.links.values.astype(np.int64).T
    end = np.zeros(len(target.values), np.int64)
    place = target.offsets[corpus.links.row_of_value] + target_position
    np.maximum.at(end, place, source_position + 1)
    # the last linked word before each word in the same sentence
    places = np.arange(len(end))
    linked = np.maximum.accumulate(np.where(end > 0, places, -1))
    before = np.concatenate([[-1], linked[:-1]])[: len(end)]
    sentence_start = np.repeat(target.offsets[:-1], target.lengths)
    return np.where(before >= sentence_start, end[before], 0)


def _next_linked(corpus: AlignedCorpus) -> Int64Array:
    """The first linked word from each source position on, in the whole text."""
    source = corpus.source.words
    n_words = len(source.values)
    place = source.offsets[corpus.links.row_of_value] + corpus.links.values[:, 0].astype(np.int64)
    following = np.full(n_words + 1, n_words, np.int64)
    following[place] = place
    return np.minimum.accumulate(following[::-1])[::-1]
