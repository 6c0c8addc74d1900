"""The visit path of a word alignment: the order of source words and their translations.

The path is a sequence of units. A unit is a source word with the target words it is linked to;
neighbouring source words that share a target word are one unit. Units are visited in the order of
their first target words, from left to right if they share it:

    source   0 PP-words 1 PP-words 2 verb 3 le 4 book      links 0-3 1-4 2-0 4-2
    target   0 bought 1 the 2 book 3 for 4 them
    path     2→bought   3→e_0   4→book   0→for   1→them          (`le` goes with the verb)

Unaligned source words are separate units with the empty target e_0. The paper does not say when
they are visited; the setting `unaligned` does. "CP de NP", `de` unaligned, English "NP CP":

    first   NP de CP    directly after the neighbour that is translated first, nearest word first
    left    NP CP de    directly after the word to the left
    right   de NP CP    directly before the word to the right

With `left`, words without an aligned word to their left come first, and with `right`, words without
one to their right come last.

The same rules apply to sentences and to the inner alignments of phrase pairs. Phrase pairs are
consistent with the alignment, so a sentence's units are those of its phrases; only an unaligned
word at the edge of a phrase may be separated from its neighbour.
"""

from typing import NamedTuple

import numpy as np

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.foundation.arrays import Int32Array, Int64Array
from hyperbaton.foundation.kernels import inner, kernel
from hyperbaton.models.phrases.settings import GRID

TO_FIRST, TO_LEFT, TO_RIGHT = range(3)
UNALIGNED = ("first", "left", "right")


class Path(NamedTuple):
    """The units of one or many alignments, in the order of their visits."""

    start: Int32Array  # (U,) first source word
    end: Int32Array  # (U,) one past the last
    at: Int32Array  # (U,) target position at which the unit is visited
    target_begin: Int64Array  # (U + 1,) first linked target position of each unit; e_0 has none
    targets: Int32Array  # linked target positions, increasing inside a unit


def corpus_paths(corpus: AlignedCorpus, unaligned: int) -> tuple[Path, Int64Array]:
    """The paths of all pairs, and the start of each; pairs without links have no units."""
    path = empty_path(len(corpus.source.words.values), len(corpus.links.values))
    offsets = np.zeros(len(corpus) + 1, np.int64)
    links = corpus.links
    _fill(corpus.source.words.offsets, links.offsets, links.values, unaligned, path, offsets)
    size, n_targets = offsets[-1], path.target_begin[offsets[-1]]
    start, end, at = path.start[:size], path.end[:size], path.at[:size]
    filled = Path(start, end, at, path.target_begin[: size + 1], path.targets[:n_targets])
    return filled, offsets


@kernel
def empty_path(n_units, n_targets):
    """An empty path with capacity for units and linked target words."""
    return Path(
        np.empty(n_units, np.int32), np.empty(n_units, np.int32), np.empty(n_units, np.int32),
        np.zeros(n_units + 1, np.int64), np.empty(n_targets, np.int32),
    )  # fmt: skip


@kernel
def _fill(source_offsets, link_offsets, links, unaligned, path, offsets):
    at = 0
    for sentence in range(len(source_offsets) - 1):
        of_sentence = links[link_offsets[sentence] : link_offsets[sentence + 1]]
        n_source = source_offsets[sentence + 1] - source_offsets[sentence]
        at = append_path(of_sentence, n_source, unaligned, path, at)
        offsets[sentence + 1] = at


@inner
def append_path(links, n_source, unaligned, path, at):
    """Writes the units of one alignment after the first `at`; returns the new number of units.

    `links` are (source, target), sorted, without repetitions; `unaligned` is TO_FIRST, TO_LEFT or
    TO_RIGHT.
    """
    if len(links) == 0:
        return at
    begin = np.zeros(n_source + 1, np.int32)  # links of source word w are begin[w]:begin[w + 1]
    for link in range(len(links)):
        begin[links[link, 0] + 1] += 1
    for word in range(n_source):
        begin[word + 1] += begin[word]
    unit_start, unit_end = np.empty(n_source, np.int32), np.empty(n_source, np.int32)
    unit_first = np.empty(n_source, np.int32)  # first target position
    n_units, word = 0, 0
    while word < n_source:
        if begin[word] == begin[word + 1]:
            word += 1
            continue
        unit_start[n_units] = word
        unit_first[n_units] = links[begin[word], 1]
        while word + 1 < n_source and _share(links, begin, word):
            word += 1
            unit_first[n_units] = min(unit_first[n_units], np.int32(links[begin[word], 1]))
        word += 1
        unit_end[n_units] = word
        n_units += 1
    # insertion sort by target position; equal ones stay in source order
    order = np.empty(n_units, np.int32)
    for unit in range(n_units):
        place = unit
        while place > 0 and unit_first[order[place - 1]] > unit_first[unit]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = unit
    rank = np.empty(n_units, np.int32)
    for place in range(n_units):
        rank[order[place]] = place
    if unaligned == TO_LEFT:
        at = _append_empty(path, at, 0, unit_start[0], 0)
    farthest = 0
    for place in range(n_units):
        unit = order[place]
        start, end = unit_start[unit], unit_end[unit]
        low = unit_end[unit - 1] if unit > 0 else 0
        high = unit_start[unit + 1] if unit + 1 < n_units else n_source
        if unaligned == TO_RIGHT:
            at = _append_empty(path, at, low, start, unit_first[unit])
        after = _append_unit(links, begin, start, end, unit_first[unit], path, at)
        at += 1
        farthest = max(farthest, after)
        if unaligned == TO_FIRST and (unit == 0 or rank[unit - 1] > place):
            for empty in range(start - 1, low - 1, -1):
                at = _append_empty(path, at, empty, empty + 1, after)
        is_before = unit + 1 == n_units or rank[unit + 1] > place
        if unaligned == TO_LEFT or (unaligned == TO_FIRST and is_before):
            at = _append_empty(path, at, end, high, after)
    if unaligned == TO_RIGHT:
        at = _append_empty(path, at, unit_end[n_units - 1], n_source, farthest)
    return at


@inner
def _share(links, begin, word):
    """Whether a word and the next one are linked to a common target word."""
    a, b = begin[word], begin[word + 1]
    a_end, b_end = begin[word + 1], begin[word + 2]
    while a < a_end and b < b_end:
        if links[a, 1] == links[b, 1]:
            return True
        if links[a, 1] < links[b, 1]:
            a += 1
        else:
            b += 1
    return False


@inner
def _append_unit(links, begin, start, end, first, path, at):
    """Writes an aligned unit; returns the position after its last target word."""
    path.start[at], path.end[at], path.at[at] = start, end, first
    head = path.target_begin[at]
    size = head
    for link in range(begin[start], begin[end]):  # sorted by source: merged by insertion
        target = np.int32(links[link, 1])
        place = size
        while place > head and path.targets[place - 1] > target:
            place -= 1
        if place > head and path.targets[place - 1] == target:
            continue
        for k in range(size, place, -1):
            path.targets[k] = path.targets[k - 1]
        path.targets[place] = target
        size += 1
    path.target_begin[at + 1] = size
    return path.targets[size - 1] + 1


@inner
def _append_empty(path, at, first, last, target):
    """Visits the unaligned words first:last from left to right; returns the new number of units."""
    for word in range(first, last):
        path.start[at], path.end[at], path.at[at] = word, word + 1, target
        path.target_begin[at + 1] = path.target_begin[at]
        at += 1
    return at


@inner
def append_phrase_path(inner, n_source, n_target, unaligned, links, path, at):
    """Writes the units of a phrase pair with an inner alignment as bits, like `append_path`;
    `links`, (64, 2), is scratch.

    A pair without links is one unit with all its target words.
    """
    if inner == 0:
        path.start[at], path.end[at], path.at[at] = 0, n_source, 0
        head = path.target_begin[at]
        for target in range(n_target):
            path.targets[head + target] = target
        path.target_begin[at + 1] = head + n_target
        return at + 1
    n_links = 0
    for source in range(n_source):
        for target in range(n_target):
            if (inner >> np.uint64(GRID * target + source)) & np.uint64(1):
                links[n_links, 0], links[n_links, 1] = source, target
                n_links += 1
    return append_path(links[:n_links], n_source, unaligned, path, at)
