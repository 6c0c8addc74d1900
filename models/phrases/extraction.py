"""Extracts all phrase pairs that are consistent with the word alignment.

A pair of spans is consistent if no link leads from inside one to outside the other and at least
one link lies inside (Koehn, Och and Marcu 2003). For every target span we find the smallest source
span and extend it over unaligned words on both sides, as Moses does; target spans may begin and end
with unaligned words because all of them are tried.

Each occurrence has its inner alignment (a bit for every cell of an 8 × 8 grid, so phrases have at
most 8 words) and its orientation towards the phrases before and after it.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyperbaton.corpus.corpora.corpus import SENTENCES_AT_ONCE, AlignedCorpus
from hyperbaton.foundation.arrays import Int64Array, UInt64Array
from hyperbaton.foundation.errors import SettingError, nearest
from hyperbaton.foundation.kernels import inner, kernel
from hyperbaton.models.phrases.orientation import ORIENTATION_MODELS, orient
from hyperbaton.models.phrases.settings import GRID

ROOM = 1 << 12  # initial capacity for blocks of a sentence and for occurrences
# Positions are in the whole corpus
OCCURRENCE = np.dtype(
    [
        ("inner", np.uint64),  # bit GRID·target + source for every link inside
        ("source_at", np.int32),
        ("target_at", np.int32),
        ("source_length", np.int8),
        ("target_length", np.int8),
        ("backward", np.int8),
        ("forward", np.int8),
    ]
)


@dataclass(frozen=True, eq=False)
class Occurrences:
    """One entry per extracted phrase pair occurrence, in corpus order."""

    source_at: Int64Array  # first source word, in the whole corpus
    target_at: Int64Array
    source_length: NDArray[np.int8]
    target_length: NDArray[np.int8]
    inner: UInt64Array  # bit GRID·target + source for every link inside
    backward: NDArray[np.int8]  # orientation towards the previous target phrase
    forward: NDArray[np.int8]  # and towards the next one

    def __len__(self) -> int:
        return len(self.source_at)


def extract(
    corpus: AlignedCorpus, max_length: int = 7, orientation: str = "word", threads: int = 2
) -> Occurrences:
    """All consistent phrase pairs with at most `max_length` words on either side."""
    check_max_length(max_length)
    if orientation not in ORIENTATION_MODELS:
        raise SettingError(
            f"unknown orientation model {orientation!r}",
            expected=nearest(orientation, list(ORIENTATION_MODELS)),
        )

    def work(first: int) -> NDArray[Any]:
        return extract_block(
            corpus, first, min(first + SENTENCES_AT_ONCE, len(corpus)), max_length, orientation
        )

    with ThreadPoolExecutor(threads) as pool:
        chunks = list(pool.map(work, range(0, len(corpus), SENTENCES_AT_ONCE)))
    records = np.concatenate([np.empty(0, OCCURRENCE), *chunks])
    return Occurrences(
        records["source_at"].astype(np.int64),
        records["target_at"].astype(np.int64),
        *(records[name].copy() for name in ("source_length", "target_length")),
        *(records[name].copy() for name in ("inner", "backward", "forward")),
    )


def extract_block(
    corpus: AlignedCorpus, first: int, last: int, max_length: int, orientation: str
) -> NDArray[Any]:
    """The occurrences in sentence pairs `first` to `last`, as records, (n,)."""
    occurrences: NDArray[Any] = _extract(
        first,
        last,
        corpus.source.words.offsets,
        corpus.target.words.offsets,
        corpus.links.offsets,
        corpus.links.values,
        max_length,
        ORIENTATION_MODELS[orientation],
    )
    return occurrences


def check_max_length(max_length: int) -> None:
    if not 1 <= max_length <= GRID:
        raise SettingError(
            f"phrases cannot have up to {max_length} words", expected=f"expected 1 to {GRID}"
        )


@kernel
def _extract(
    first, last, source_offsets, target_offsets, link_offsets, links, max_length, model
):  # fmt: skip
    """The occurrences of sentences first..last."""
    found = np.empty(ROOM, OCCURRENCE)
    blocks = np.empty((ROOM, 4), np.int32)
    row = 0
    for sentence in range(first, last):
        n_source = source_offsets[sentence + 1] - source_offsets[sentence]
        n_target = target_offsets[sentence + 1] - target_offsets[sentence]
        begin, sources, low, high = links_by_target(
            links[link_offsets[sentence] : link_offsets[sentence + 1]], n_source, n_target
        )
        size = consistent_blocks(n_target, begin, sources, low, high, max_length, blocks)
        if size > len(blocks):
            blocks = np.empty((size, 4), np.int32)
            consistent_blocks(n_target, begin, sources, low, high, max_length, blocks)
        if row + size > len(found):
            larger = np.empty(2 * (row + size), OCCURRENCE)
            for k in range(row):  # assigning a slice would take seconds to compile
                larger[k] = found[k]
            found = larger
        backward, forward = np.empty(size, np.int8), np.empty(size, np.int8)
        orient(model, blocks[:size], begin, sources, low, high, backward, forward)
        for block in range(size):
            f0, f1, e0, e1 = blocks[block]
            here = found[row + block]
            here.source_at = source_offsets[sentence] + f0
            here.target_at = target_offsets[sentence] + e0
            here.source_length, here.target_length = f1 - f0 + 1, e1 - e0 + 1
            here.backward, here.forward = backward[block], forward[block]
            bits = np.uint64(0)
            for e in range(e0, e1 + 1):
                for link in range(begin[e], begin[e + 1]):
                    bits |= np.uint64(1) << np.uint64(GRID * (e - e0) + sources[link] - f0)
            here.inner = bits
        row += size
    return found[:row].copy()


@inner
def links_by_target(links, n_source, n_target):
    """Links grouped by target word, and for each source word the first and last target word."""
    begin = np.zeros(n_target + 1, np.int32)
    low = np.full(n_source, n_target, np.int32)
    high = np.full(n_source, -1, np.int32)
    for link in range(len(links)):
        begin[links[link, 1] + 1] += 1
    for e in range(n_target):
        begin[e + 1] += begin[e]
    cursor = begin[:-1].copy()
    sources = np.empty(len(links), np.int32)
    for link in range(len(links)):  # sorted by source, so each target word's sources increase
        f, e = np.int32(links[link, 0]), np.int32(links[link, 1])
        sources[cursor[e]] = f
        cursor[e] += 1
        low[f] = min(low[f], e)
        high[f] = max(high[f], e)
    return begin, sources, low, high


@inner
def consistent_blocks(n_target, begin, sources, low, high, max_length, blocks):
    """Writes the first and last source and target words of all consistent blocks, up to the
    capacity of `blocks`; returns the number of blocks."""
    n_source = len(low)
    row = 0
    for e0 in range(n_target):
        f_low, f_high = n_source, -1
        for e1 in range(e0, min(n_target, e0 + max_length)):
            if begin[e1] < begin[e1 + 1]:
                f_low = min(f_low, sources[begin[e1]])
                f_high = max(f_high, sources[begin[e1 + 1] - 1])
            if f_high < 0:
                continue
            if f_high - f_low >= max_length:
                break  # longer target spans only need longer source spans
            consistent = True
            for f in range(f_low, f_high + 1):
                if low[f] < e0 or high[f] > e1:
                    consistent = False
                    break
            if not consistent:
                continue
            f0 = f_low
            while f0 >= 0 and f0 > f_high - max_length and (f0 == f_low or high[f0] < 0):
                f1 = f_high
                while f1 < n_source and f1 < f0 + max_length and (f1 == f_high or high[f1] < 0):
                    if row < len(blocks):
                        blocks[row, 0], blocks[row, 1] = f0, f1
                        blocks[row, 2], blocks[row, 3] = e0, e1
                    row += 1
                    f1 += 1
                f0 -= 1
    return row
