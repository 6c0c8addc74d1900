"""The source phrases s, and the candidate translations t of each.

Phrases are the units of visit paths (`path.py`), the smallest phrase pairs of the alignment. The
candidates of a source phrase are

    e_0      the empty translation, for phrases of one word
    other    all other translations
    t …      its 20 most frequent translations with a share of at least 1/200

`other` is one outcome, with the sum of its members' counts. Its probability is shared equally by
its members (`log_share`): the translations that were seen, and one more for all unseen ones, so
that the probabilities of translations sum to one. Sharing by count would reproduce the counts of
eq. 4, but needs all pairs in memory, and gives held-out translations of real text lower
probabilities: most of those that are not candidates were never seen with this source phrase.

Counts are those of the paths. A phrase table adds its entries that are units, so that phrases from
other sources are known; a pair in both keeps the larger count. Phrase 0 represents unknown phrases:
its candidates are e_0 and other, with the counts of all phrases.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.foundation.arrays import Int32Array, Int64Array, Ragged
from hyperbaton.foundation.files.array_laws import CheckedArrays
from hyperbaton.foundation.hashing import EMPTY
from hyperbaton.foundation.kernels import inner, kernel
from hyperbaton.models.distortion.parse.path import TO_FIRST, Path, append_phrase_path, empty_path
from hyperbaton.models.distortion.parse.templates import MOST_CANDIDATES
from hyperbaton.models.phrases.entries import COUNT
from hyperbaton.models.phrases.sorted_trie import parents
from hyperbaton.models.phrases.table import PhraseTable
from hyperbaton.models.phrases.trie import (
    ROOT,
    Trie,
    build_trie,
    child,
    node_keys,
    spelled,
    trie_laws,
)

UNKNOWN_SOURCE = 0
NOTHING, OTHER = 0, 1  # target phrases: e_0, and all without a candidate
FIRST_TARGET = 2
MOST_TRANSLATIONS = MOST_CANDIDATES - 2
LEAST_SHARE = 1 / 200  # of a source phrase's occurrences: rarer translations are mostly wrong links
# tags of target phrases without a tag: ids of the vocabulary's special symbols
UNTAGGED, NOTHING_TAG, OTHER_TAG = 0, 1, 2


class Inventory(NamedTuple):
    source_trie: Trie
    source_of_node: Int32Array  # (nodes,) number of the source phrase, UNKNOWN_SOURCE if none
    target_trie: Trie
    target_of_node: Int32Array  # (nodes,) number of the target phrase, OTHER if none
    begin: Int64Array  # (S + 1,) candidates of source phrase s are begin[s]:begin[s + 1]
    target: Int32Array  # (C,) target phrase of each candidate
    tag: Int32Array  # (C,) tag of its first word
    counts: NDArray[np.float64]  # (C,) C(s, t)
    length: Int32Array  # (S,) words of each source phrase
    members: Int32Array  # (S,) number of members of `other`


class UnitPairs(NamedTuple):
    """Occurrences of pairs of a source and a target phrase."""

    source: Ragged  # word ids
    target: Ragged  # word ids; e_0 has none
    weight: NDArray[np.float64]  # count of each occurrence


def path_pairs(corpus: AlignedCorpus, path: Path, offsets: Int64Array) -> UnitPairs:
    """The units of a corpus' paths, which count once each and have no weights."""
    source, target = corpus.source.words, corpus.target.words
    sentence = np.repeat(np.arange(len(corpus)), np.diff(offsets))
    first_word = np.repeat(target.offsets[sentence], np.diff(path.target_begin))
    return UnitPairs(
        Ragged.gather(source.values, source.offsets[sentence] + path.start, path.end - path.start),
        Ragged(target.values[first_word + path.targets], path.target_begin),
        np.empty(0),
    )


def build_inventory(
    events: UnitPairs, more: UnitPairs, tag_of_word: Int32Array
) -> tuple[Inventory, Int32Array, Int32Array]:
    """The inventory, and the source phrase and candidate number of each event."""
    sources, targets = _joined(events.source, more.source), _joined(events.target, more.target)
    source_trie, source_end, n_source_nodes = build_trie(sources)
    target_trie, target_end, n_target_nodes = build_trie(targets)
    source_nodes, source = np.unique(source_end, return_inverse=True)
    source = source + 1  # 0 is unknown
    nodes = np.unique(target_end[target_end != ROOT])
    target_of_node = np.full(n_target_nodes, OTHER, np.int32)
    target_of_node[ROOT] = NOTHING
    target_of_node[nodes] = np.arange(len(nodes)) + FIRST_TARGET
    target = target_of_node[target_end]
    source_of_node = np.zeros(n_source_nodes, np.int32)
    source_of_node[source_nodes] = np.arange(len(source_nodes)) + 1
    length = np.zeros(len(source_nodes) + 1, np.int32)
    length[source] = sources.lengths
    length[UNKNOWN_SOURCE] = 1
    first_word = np.zeros(len(nodes) + FIRST_TARGET, np.int64)
    some = targets.lengths > 0
    first_word[target[some]] = targets.values[targets.offsets[:-1][some]]
    tag_of_target = tag_of_word[first_word]
    tag_of_target[NOTHING], tag_of_target[OTHER] = NOTHING_TAG, OTHER_TAG

    pairs, count = _counted(source, target, len(events.source), more.weight)
    begin, candidate, counts, members = _candidates(pairs, count, length)
    tag = tag_of_target[candidate].astype(np.int32)
    inventory = Inventory(
        source_trie, source_of_node, target_trie, target_of_node, begin, candidate, tag, counts,
        length, members,
    )  # fmt: skip
    of_events = source[: len(events.source)].astype(np.int32)
    return inventory, of_events, _choices(inventory, of_events, target[: len(of_events)])


def _joined(first: Ragged, second: Ragged) -> Ragged:
    offsets = np.concatenate([first.offsets, second.offsets[1:] + first.offsets[-1]])
    return Ragged(np.concatenate([first.values, second.values]), offsets)


def _counted(
    source: Int64Array, target: Int32Array, n_events: int, more: NDArray[np.float64]
) -> tuple[Int64Array, NDArray[np.float64]]:
    """The distinct pairs, (n, 2), and their counts: the larger of the two counts."""
    keys, place = np.unique(source.astype(np.int64) << 32 | target, return_inverse=True)
    counted = np.bincount(place[:n_events], minlength=len(keys)).astype(np.float64)
    other = np.zeros(len(keys))
    np.maximum.at(other, place[n_events:], more)
    return np.stack([keys >> 32, keys & 0xFFFFFFFF], axis=1), np.maximum(counted, other)


def _candidates(
    pairs: Int64Array, count: NDArray[np.float64], length: Int32Array
) -> tuple[Int64Array, Int32Array, NDArray[np.float64], Int32Array]:
    """Runs of candidates with their counts, and the number of members of `other`."""
    n_sources = len(length)
    source, target = pairs.T
    real = target >= FIRST_TARGET
    order = np.lexsort((target, -count, source))
    order = order[real[order]]
    rank = np.arange(len(order)) - np.searchsorted(source[order], source[order])
    total = np.bincount(source, count, n_sources)
    good = (rank < MOST_TRANSLATIONS) & (count[order] >= LEAST_SHARE * total[source[order]])
    chosen, left_out = order[good], order[~good]
    dropped = np.bincount(source[left_out], count[left_out], n_sources)
    members = np.bincount(source[left_out], minlength=n_sources) + 1
    members[UNKNOWN_SOURCE] = len(np.unique(target[real])) + 1
    nothing = np.bincount(source[~real], count[~real], n_sources)
    nothing[UNKNOWN_SOURCE], dropped[UNKNOWN_SOURCE] = nothing.sum(), count[real].sum()
    has_nothing = np.flatnonzero(length == 1)
    rows = np.concatenate([has_nothing, np.arange(n_sources), source[chosen]])
    targets = np.concatenate([np.full(len(has_nothing), NOTHING), np.full(n_sources, OTHER),
                              target[chosen]])  # fmt: skip
    counts = np.concatenate([nothing[has_nothing], dropped, count[chosen]])
    kind = np.repeat([0, 1, 2], [len(has_nothing), n_sources, len(chosen)])
    within = np.lexsort((targets, -counts, kind, rows))
    begin = np.searchsorted(rows[within], np.arange(n_sources + 1))
    return begin, targets[within].astype(np.int32), counts[within], members.astype(np.int32)


@kernel
def _choices(inventory, source, target):
    result = np.empty(len(source), np.int32)
    for event in range(len(source)):
        result[event] = find_candidate(inventory, source[event], target[event])
    return result


@inner
def find_candidate(inventory, source, target):
    """The number of a target phrase among the source phrase's candidates, or that of `other`."""
    other = 0
    for at in range(inventory.begin[source], inventory.begin[source + 1]):
        if inventory.target[at] == target:
            return at - inventory.begin[source]
        if inventory.target[at] == OTHER:
            other = at - inventory.begin[source]
    return other


@inner
def log_share(inventory, source, choice):
    """The log of a translation's share of its candidate's probability: all, or a member's share."""
    if inventory.target[inventory.begin[source] + choice] != OTHER:
        return 0.0
    return -np.log(float(inventory.members[source]))


@inner
def find_source(inventory, words, start, end):
    """The source phrase words[start:end], or UNKNOWN_SOURCE."""
    node = np.int32(ROOT)
    for place in range(start, end):
        node = child(inventory.source_trie, node, words[place])
        if node == EMPTY:
            return UNKNOWN_SOURCE
    return inventory.source_of_node[node]


def no_pairs() -> UnitPairs:
    nothing = Ragged(np.empty(0, np.int32), np.zeros(1, np.int64))
    return UnitPairs(nothing, nothing, np.empty(0))


def table_units(phrases: PhraseTable) -> UnitPairs:
    """The entries of a phrase table that are single units, with their counts c(f, e)."""
    offsets = phrases.target_sides.offsets
    n_nodes = len(phrases.entry_begin) - 1
    above, word = parents(phrases.trie), phrases.trie_word.astype(np.int64)
    node = np.repeat(np.arange(n_nodes), np.diff(phrases.entry_begin))
    is_unit = _is_unit(_depths(above)[node], np.diff(offsets)[phrases.target], phrases.inner_of())
    chosen = np.flatnonzero(is_unit)
    source = spelled(above, word, node[chosen])
    target = phrases.target_sides.take(phrases.target[chosen].astype(np.int64))
    return UnitPairs(source, target, phrases.counts_of(chosen)[:, COUNT])


def spell_phrases(trie: Trie, number_of_node: Int32Array, nothing: int) -> dict[int, list[int]]:
    """The word ids of every numbered phrase of a trie, for display."""
    nodes = np.flatnonzero(number_of_node != nothing)
    keys = node_keys(trie, len(number_of_node))
    words = spelled(np.maximum(keys >> 32, ROOT), keys & 0xFFFFFFFF, nodes)
    numbers = number_of_node[nodes].tolist()
    return {number: row.tolist() for number, row in zip(numbers, words, strict=True)}


@kernel
def _depths(above):
    """The depth of each node, in words."""
    depth = np.zeros(len(above), np.int64)
    for node in range(1, len(above)):
        depth[node] = depth[above[node]] + 1
    return depth


@kernel
def _is_unit(n_source, n_target, inner):
    """Whether each phrase pair is one unit with all target words linked."""
    result = np.zeros(len(inner), np.bool_)
    links = np.empty((64, 2), np.int64)
    path = empty_path(9, 64)
    for pair in range(len(inner)):
        if inner[pair] == 0:
            continue
        n = append_phrase_path(
            inner[pair], n_source[pair], n_target[pair], TO_FIRST, links, path, 0
        )
        result[pair] = n == 1 and path.target_begin[1] == n_target[pair]
    return result


def inventory_laws(arrays: CheckedArrays) -> None:
    """Checks an inventory on disk."""
    n_sources = len(arrays.indices("inventory_length", np.int32, (None,), low=1, below=256))
    arrays.indices("inventory_members", np.int32, (n_sources,), below=2**31)
    target = arrays.indices("inventory_target", np.int32, (None,), below=2**31)
    n_candidates = len(target)
    begin = arrays.ranges("inventory_begin", np.int64, n_candidates, rows=n_sources)
    of_one = np.diff(begin)
    arrays.within("inventory_begin", of_one, 1, MOST_CANDIDATES + 1)
    of_node = arrays.indices("inventory_source_of_node", np.int32, (None,), below=n_sources)
    trie_laws(arrays, "source_keys", "source_nodes", len(of_node))
    targets = arrays.indices("inventory_target_of_node", np.int32, (None,), below=2**31 - 1)
    trie_laws(arrays, "target_keys", "target_nodes", len(targets))
    arrays.floats("inventory_counts", np.float64, (n_candidates,))
