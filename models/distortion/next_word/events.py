"""Moves from one source word to the next, in the order of the target (Goto et al. 2013, §3.4).

Places of a sentence of n words: 0 is its beginning (BOS), 1 to n are its words, n + 1 is its end
(EOS). The current place CP is the source of the last translated word, the next place NP is that of
the next one; CP is never EOS and NP never BOS.

The target words are read from left to right. A source word is visited once, at the first target
word that it is linked to; unaligned words are never visited. CP is the source word of the rightmost
aligned target word so far (§2). The paper's figures have one link per word; `order` chooses the
rule for several. Two target words of one source word, links b-W c-X b-Y e-Z, when e is visited:

    last      b → e    Y is the rightmost aligned target word, and b its source word
    span      c → e    Y has no new source word, so CP does not change

and several source words of one target word, 2 and 4 after 7:

    last      7 → 2, and then 4 → …    NP is the leftmost, the next CP the rightmost
    span      the same
    asc       7 → 2, 2 → 4, 4 → …      all are visited from left to right; the rest as span

A decoder never chooses moves inside one target word, so its events are those of `last` or `span`.
It enters an option at the leftmost source word of the first aligned target word, and leaves it at
the rightmost source word of the last one; with `span` and `asc`, of the last one with a new source
word. It enters an option without links at its first word and leaves it at its last.

The links of some words may be ignored. The paper removes articles and case particles before
aligning (§4.1), so that they are unaligned words.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.foundation.arrays import BoolArray, Int32Array, Int64Array, Ragged
from hyperbaton.foundation.errors import DataError, SettingError, nearest
from hyperbaton.foundation.files.vocabulary import UNKNOWN, Vocabulary
from hyperbaton.foundation.kernels import kernel
from hyperbaton.models.phrases.settings import GRID

LAST, SPAN, ASC = range(3)
ORDERS = ("last", "span", "asc")  # the first is the default
NEVER = np.int32(1 << 30)  # event number of a place that is never visited


class NextWordEvents(NamedTuple):
    """The events of many sentences, concatenated."""

    current: Int32Array  # (E,) places
    next: Int32Array  # (E,)
    offsets: Int64Array  # (sentences + 1,) first event of each sentence
    closed: Int32Array  # (words of all sentences,) the sentence's event that visits each word
    word_offsets: Int64Array  # (sentences + 1,)

    @property
    def n_sentences(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> Int64Array:
        """Words of each sentence."""
        return np.diff(self.word_offsets)

    @property
    def distortions(self) -> Int32Array:
        """NP − CP − 1 of each event (§3.1)."""
        return self.next - self.current - 1


def check_order(order: str) -> int:
    """The number of an order."""
    if order not in ORDERS:
        raise SettingError(
            f"unknown order of events {order!r}", expected=nearest(order, list(ORDERS))
        )
    return ORDERS.index(order)


def find_events(
    corpus: AlignedCorpus, order: str = ORDERS[0], left_out: Sequence[str] = ()
) -> NextWordEvents:
    number = check_order(order)
    words = corpus.source.words
    current = np.empty(len(words.values) + len(corpus), np.int32)
    following = np.empty_like(current)
    offsets = np.zeros(len(corpus) + 1, np.int64)
    closed = np.full(len(words.values), NEVER, np.int32)
    n_events = _find_events(
        words.offsets,
        corpus.target.words.offsets,
        corpus.links.offsets,
        corpus.links.values,
        marked(corpus.source.vocabulary, left_out)[words.values],
        marked(corpus.target.vocabulary, left_out)[corpus.target.words.values],
        number,
        current,
        following,
        offsets,
        closed,
    )
    return NextWordEvents(
        current[:n_events].copy(), following[:n_events].copy(), offsets, closed, words.offsets
    )


def usable_sentences(
    corpus: AlignedCorpus, max_sentences: int, max_length: int, name: str
) -> AlignedCorpus:
    """The first sentences that are short enough and have links."""
    usable = corpus.links.lengths > 0
    if max_length:
        usable &= corpus.source.words.lengths <= max_length
    rows = np.flatnonzero(usable)[: max_sentences or None]
    if not len(rows):
        raise DataError(
            f"the model {name} has nothing to learn from",
            expected=f"none of {len(corpus):,} pairs has links"
            + (f" and at most {max_length} words" if max_length else ""),
            advice="inspect the corpus with hyperbaton corpus",
        )
    return corpus if len(rows) == len(corpus) else corpus.take(rows)


def marked(vocabulary: Vocabulary, words: Sequence[str]) -> BoolArray:
    """Whether each word of a vocabulary is in the list."""
    ids = vocabulary.encode(words)
    mark = np.zeros(len(vocabulary), np.bool_)
    mark[ids[ids != UNKNOWN]] = True
    return mark


@kernel
def _find_events(
    word_offsets, target_offsets, link_offsets, links, source_out, target_out, order,
    current, following, offsets, closed,
):  # fmt: skip
    """Fills the arrays of `NextWordEvents`; returns the number of events."""
    event = 0
    for sentence in range(len(word_offsets) - 1):
        begin, target_begin = word_offsets[sentence], target_offsets[sentence]
        n_source = word_offsets[sentence + 1] - begin
        n_target = target_offsets[sentence + 1] - target_begin
        first_target = np.full(n_source, n_target, np.int32)
        last_source = np.full(n_target, -1, np.int32)
        for link in range(link_offsets[sentence], link_offsets[sentence + 1]):
            source, target = links[link, 0], links[link, 1]
            if not source_out[begin + source] and not target_out[target_begin + target]:
                first_target[source] = min(first_target[source], target)
                last_source[target] = max(last_source[target], source)
        first_event, place = event, 0
        for target in range(n_target):
            is_entered = False
            for source in range(n_source):
                if first_target[source] != target:
                    continue
                if order == ASC or not is_entered:
                    current[event], following[event] = place, source + 1
                    event += 1
                    is_entered = True
                closed[begin + source] = event - 1 - first_event
                place = source + 1
            if order == LAST and last_source[target] >= 0:
                place = last_source[target] + 1
        current[event], following[event] = place, n_source + 1
        event += 1
        offsets[sentence + 1] = event
    return event


@kernel
def option_ends(start, end, inner, source_out, target_out, order):
    """The places where options are entered (NP) and left (CP), by the rule of `find_events`.

    `source_out`, (n_words,), marks source words without links; `target_out`, (N,), has a bit for
    each target word without links.
    """
    entered, left = np.empty(len(start), np.int32), np.empty(len(start), np.int32)
    for option in range(len(start)):
        first, last = GRID, -1  # target words
        entered[option], left[option] = start[option] + 1, end[option]
        for source in range(min(end[option] - start[option], GRID)):
            if source_out[start[option] + source]:
                continue
            for target in range(GRID):
                if (target_out[option] >> target) & 1:
                    continue
                if (inner[option] >> np.uint64(GRID * target + source)) & np.uint64(1):
                    if target < first:
                        first, entered[option] = target, start[option] + source + 1
                    if target >= last:
                        last, left[option] = target, start[option] + source + 1
                    if order != LAST:
                        break  # the first target word of the source word counts
    return entered, left


def words_left_out(options_words: Ragged, mark: BoolArray) -> NDArray[np.uint8]:
    """The bits of the marked target words of each option; copied words are never marked."""
    values = options_words.values
    bits = np.where(values >= 0, mark[values], False)
    within = np.arange(len(values)) - np.repeat(options_words.offsets[:-1], options_words.lengths)
    return np.bincount(
        options_words.row_of_value, bits * (1 << within), minlength=len(options_words)
    ).astype(np.uint8)
