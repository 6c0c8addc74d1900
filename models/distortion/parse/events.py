"""Training events: the outcomes that the model should predict, one for each visit of a path.

An event is a source phrase s in its context, with the candidate t and the jump j from the word
alignment. The context is given as keys of feature groups (`templates.py`). The words that the path
has visited before are covered.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.foundation.arrays import Int32Array, Int64Array, Ragged
from hyperbaton.foundation.coverage import cover, coverage_size, is_covered
from hyperbaton.foundation.files.vocabulary import BEGIN, END
from hyperbaton.foundation.kernels import inner, kernel
from hyperbaton.models.distortion.parse.neighbourhood import (
    MOST_NEIGHBOURS,
    OPEN,
    covered_state,
    find_neighbours,
)
from hyperbaton.models.distortion.parse.path import Path
from hyperbaton.models.distortion.parse.templates import (
    BEFORE_LAST,
    COV,
    HISTORY,
    LAST,
    MOST_STATIC,
    MOST_TAGS,
    SIB,
    WORDS,
    add_key,
    inside_key,
    jump_index,
    near_keys,
    pack,
    phrase_tag,
    sibling_keys,
    static_keys,
)

PATHS_AT_ONCE = 1000  # batch size of a thread; one path for each sentence
MOST_KEYS = MOST_STATIC + 2 + 4 + 1 + 2 * MOST_NEIGHBOURS


class PathEvents(NamedTuple):
    source: Int32Array  # (E,) source phrase
    choice: Int32Array  # (E,) number of its translation among the candidates
    jump: Int32Array  # (E,) 0 … 10 for −5 … 5
    tag: Int32Array  # (E,) tag of the source phrase, as in `phrase_tag`
    key_begin: Int64Array  # (E + 1,)
    keys: Int64Array  # groups of each event


class EventLayers(NamedTuple):
    """The layers of a corpus that events use; tags 0 and trees without nodes if absent."""

    source_words: Int32Array
    source_tags: Int32Array
    source_offsets: Int64Array
    target_words: Int32Array
    target_offsets: Int64Array
    trees: Int32Array  # (nodes, 4)
    tree_offsets: Int64Array


class CorpusPaths(NamedTuple):
    """The paths of a corpus, with the phrases and candidates of the inventory."""

    path: Path
    offsets: Int64Array  # the first unit of each sentence
    source: Int32Array  # (U,) source phrase of each unit
    choice: Int32Array  # (U,) number of its translation among the candidates


def layers_of(corpus: AlignedCorpus, trees: Ragged | None) -> EventLayers:
    """The layers of a corpus, with the rewritten `trees` of the source side. Tags that do not fit
    into packed keys count as unknown."""
    words, targets = corpus.source.words, corpus.target.words
    tags = np.zeros(len(words.values), np.int32)
    if corpus.source.tags is not None:
        of_words = corpus.source.tags.values
        tags = np.where(of_words < MOST_TAGS - 1, of_words, 0).astype(np.int32)
    if trees is None:
        trees = Ragged(np.empty((0, 4), np.int32), np.zeros(len(words) + 1, np.int64))
    return EventLayers(
        words.values, tags, words.offsets, targets.values, targets.offsets, trees.values,
        trees.offsets,
    )  # fmt: skip


def make_events(
    layers: EventLayers,
    visits: CorpusPaths,
    families: int,
    levels: int,
    threads: int,
    report: Callable[[int], None] = lambda _: None,
) -> PathEvents:
    path, offsets, source, choice = visits

    def work(first: int) -> tuple[Int32Array, Int32Array, Int64Array, Int64Array]:
        last = min(first + PATHS_AT_ONCE, len(offsets) - 1)
        n = int(offsets[last] - offsets[first])
        jump, tag = np.empty(n, np.int32), np.empty(n, np.int32)
        n_keys, keys = np.zeros(n, np.int64), np.empty(n * MOST_KEYS, np.int64)
        size = _events(
            layers, path, offsets, source, families, levels, first, last, jump, tag, n_keys, keys
        )
        return jump, tag, n_keys, keys[:size].copy()

    with ThreadPoolExecutor(threads) as pool:
        chunks = []
        for number, chunk in enumerate(pool.map(work, range(0, len(offsets) - 1, PATHS_AT_ONCE))):
            chunks.append(chunk)
            report(min((number + 1) * PATHS_AT_ONCE, len(offsets) - 1))
    jump, tag, n_keys, keys = (np.concatenate(columns) for columns in zip(*chunks, strict=True))
    return PathEvents(source, choice, jump, tag, np.concatenate([[0], np.cumsum(n_keys)]), keys)


def padded(words: Int32Array) -> Int32Array:
    """A sentence's word ids with BEGIN and END."""
    return np.concatenate([[BEGIN], words, [END]]).astype(np.int32)


@kernel
def _events(layers, path, offsets, source, families, levels, first, last, jump, tag, n_keys, keys):
    nodes, sides = np.empty(MOST_NEIGHBOURS, np.int64), np.empty(MOST_NEIGHBOURS, np.int64)
    size = 0
    for sentence in range(first, last):
        low, high = layers.source_offsets[sentence], layers.source_offsets[sentence + 1]
        n_words = high - low
        words, tags = np.empty(n_words + 2, np.int32), np.empty(n_words + 2, np.int32)
        words[0], words[-1], tags[0], tags[-1] = BEGIN, END, BEGIN, END
        words[1:-1], tags[1:-1] = layers.source_words[low:high], layers.source_tags[low:high]
        tree = layers.trees[layers.tree_offsets[sentence] : layers.tree_offsets[sentence + 1]]
        targets = layers.target_words[
            layers.target_offsets[sentence] : layers.target_offsets[sentence + 1]
        ]
        coverage = np.zeros(coverage_size(n_words), np.uint64)
        previous_end = 0
        for unit in range(offsets[sentence], offsets[sentence + 1]):
            row = unit - offsets[first]
            start, end = path.start[unit], path.end[unit]
            jump[row] = jump_index(start, previous_end)
            tag[row] = phrase_tag(tags, start + 1, end + 1)
            of_unit = keys[size : size + MOST_KEYS]
            n = static_keys(families, source[unit], words, tags, start, end, of_unit)
            if families & HISTORY and source[unit]:
                at = path.at[unit]
                before_last = targets[at - 2] if at > 1 else BEGIN
                of_unit[n] = pack(LAST, source[unit], targets[at - 1] if at > 0 else BEGIN)
                of_unit[n + 1] = pack(BEFORE_LAST, source[unit], before_last)
                n += 2
            n = _coverage_keys(
                families, levels, source[unit], tag[row], tree, start, end, n_words, coverage,
                nodes, sides, of_unit, n,
            )  # fmt: skip
            n_keys[row] = n
            size += n
            cover(coverage, start, end)
            previous_end = end
    return size


@inner
def _coverage_keys(
    families, levels, source, tag, tree, start, end, n_words, coverage, nodes, sides, keys, n
):
    """Appends the groups that depend on the coverage; returns the new number of keys."""
    if families & WORDS:
        if start > 0 and not is_covered(coverage, start - 1):
            n = _add_both(keys, n, source, near_keys(source, tag, 0))
        if end < n_words and is_covered(coverage, end):
            n = _add_both(keys, n, source, near_keys(source, tag, 1))
    if families & (COV | SIB):
        parent, n_siblings = find_neighbours(tree, start, end, levels, nodes, sides)
        if families & COV and parent >= 0 and source:
            begun = covered_state(coverage, tree[parent, 1], tree[parent, 2]) != OPEN
            n = add_key(keys, n, inside_key(source, tree[parent, 0], begun))
        if families & SIB:
            for k in range(n_siblings):
                node = nodes[k]
                state = covered_state(coverage, tree[node, 1], tree[node, 2])
                both = sibling_keys(source, tag, tree[node, 0], state, sides[k])
                n = _add_both(keys, n, source, both)
    return n


@inner
def _add_both(keys, n, source, both):
    """Appends the key of the word, if it is known, and the key of the tag."""
    if source:
        n = add_key(keys, n, both[0])
    return add_key(keys, n, both[1])
