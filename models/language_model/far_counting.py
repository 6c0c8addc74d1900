"""Counts n-grams with remote workers, as in `counting.py`, from shards of the text.

The steps for each length in turn:

    count     the n-grams of a shard, sorted, with the numbers of prefixes in the whole text
    merge     the n-grams of all shards in a range of first words, numbered from 0
    first     the first number of each merged range

N-grams of a length are numbered in the order of their words, so a range of first words is one run
of numbers, in every shard and in the result. Counts are exact for any division of the text.
"""

from itertools import pairwise, repeat

import numpy as np

from hyperbaton.foundation.arrays import Int8Array, Int32Array, Int64Array, Ragged
from hyperbaton.foundation.files.scratch import Scratch
from hyperbaton.foundation.work.shelf import Shelf
from hyperbaton.foundation.work.workers import Crew
from hyperbaton.foundation.work.workplace import Workplace
from hyperbaton.models.language_model.counting import (
    BYTES_PER_TOKEN,
    Counting,
    NGramCounts,
    check_text,
    with_boundaries,
)
from hyperbaton.models.language_model.ngrams import node_keys

SHARD_TOKENS = 4_000_000
FEWEST_TOKENS = 1000  # per shard, even with little memory


def count_ngrams_far(
    crew: Crew, sentences: Ragged, n_words: int, order: int, scratch: Scratch = Scratch()
) -> NGramCounts:
    """Like `count_ngrams`; each worker has the memory of `scratch`."""
    check_text(sentences, n_words)
    most = scratch.memory // BYTES_PER_TOKEN
    shelf, size = crew.shelf(), max(FEWEST_TOKENS, min(SHARD_TOKENS, most))
    words, depth = with_boundaries(sentences, scratch)
    counting = Counting(words, n_words, scratch)
    bounds = _bounds(words, n_words, -(-len(words) // size))
    shelf.put("plan", {"bounds": bounds, "node_of_word": counting.node_of_word})
    n_shards, n_parts = _cut(shelf, words, depth, size), len(bounds) + 1
    del words, depth
    for length in range(2, order + 1):
        tasks = repeat(shelf), repeat(length)
        list(crew.workers.map(count_shard, *tasks, range(n_shards), repeat(n_parts)))
        list(crew.workers.map(merge_part, *tasks, range(n_parts), repeat(n_shards)))
        parts = [shelf.get(name) for name in _names("merge", length, n_parts)]
        first = counting.n_nodes + np.cumsum([0, *(len(part["word"]) for part in parts)])
        counting.add_length(parts)
        shelf.put(f"first-{length}", {"node": first[:-1]})
    return counting.finish()


def _names(step: str, length: int, n: int) -> list[str]:
    return [f"{step}-{length}-{number}" for number in range(n)]


def _cut(shelf: Shelf, words: Int32Array, depth: Int8Array, size: int) -> int:
    """Puts shards of whole sentences on the shelf; how many there are."""
    starts = np.flatnonzero(depth == 0)
    chosen = np.unique(np.searchsorted(starts, np.arange(0, len(words), size)))
    begin = [*starts[chosen[chosen < len(starts)]].tolist(), len(words)]
    for number, (low, high) in enumerate(pairwise(begin)):
        shelf.put(f"text-{number}", {"words": words[low:high], "depth": depth[low:high]})
    return len(begin) - 1


def _bounds(words: Int32Array, n_words: int, n_parts: int) -> Int32Array:
    """The first words of parts with about equally many tokens, without the first part."""
    seen = np.cumsum(np.bincount(words, minlength=n_words))
    ends = np.searchsorted(seen, np.arange(1, n_parts) * len(words) // n_parts) + 1
    return np.unique(ends).astype(np.int32)


def count_shard(here: Workplace, shelf: Shelf, length: int, shard: int, n_parts: int) -> None:
    shelf = shelf.at(here)
    text, plan = shelf.get(f"text-{shard}"), shelf.get("plan")
    words, depth = text["words"], text["depth"]
    if length == 2:
        node = plan["node_of_word"][words]
    else:
        node = _nodes(shelf, length - 1, shard, depth, n_parts)
    ends = _ends(depth, length)
    keys, one, inverse, occurrences = np.unique(
        node_keys(node[ends - 1], words[ends]),
        return_index=True,
        return_inverse=True,
        return_counts=True,
    )
    first_word = words[ends[one] - (length - 1)]  # in order, as keys are
    begin = np.searchsorted(first_word, plan["bounds"])
    counted = {
        "key": keys,
        "suffix": node[ends[one]],
        "occurrences": occurrences.astype(np.int32),
        "begin": np.concatenate([[0], begin, [len(keys)]]),
        "number": inverse.astype(np.int32),  # of the n-gram that ends at each token
    }
    shelf.put(f"count-{length}-{shard}", counted)


def _ends(depth: Int8Array, length: int) -> Int64Array:
    """Tokens at which n-grams of a length end."""
    return np.flatnonzero(depth[1:] >= length - 1) + 1


def _nodes(shelf: Shelf, length: int, shard: int, depth: Int8Array, n_parts: int) -> Int32Array:
    """(tokens,) the nodes of the n-grams that end there, in the whole text."""
    names = _names("merge", length, n_parts)
    (number,), sizes = shelf.gather(names, "begin", shard, ["number"])
    node_of = number + np.repeat(shelf.get(f"first-{length}")["node"], sizes)
    node = np.zeros(len(depth), np.int32)
    node[_ends(depth, length)] = node_of[shelf.get(f"count-{length}-{shard}")["number"]]
    return node


def merge_part(here: Workplace, shelf: Shelf, length: int, part: int, n_shards: int) -> None:
    shelf = shelf.at(here)
    names, columns = _names("count", length, n_shards), ["key", "suffix", "occurrences"]
    (key, suffix, occurrences), sizes = shelf.gather(names, "begin", part, columns)
    keys, one, number = np.unique(key, return_index=True, return_inverse=True)
    merged = {
        "prefix": (keys >> 32).astype(np.int32),
        "word": (keys & 0xFFFFFFFF).astype(np.int32),
        "suffix": suffix[one],
        "occurrences": np.bincount(number, occurrences, len(keys)).astype(np.int32),
        "number": number.astype(np.int32),  # of the n-grams of each shard
        "begin": np.cumsum([0, *sizes]),
    }
    shelf.put(f"merge-{length}-{part}", merged)
