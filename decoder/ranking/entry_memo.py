"""The best entries of each source side, under given weights.

They depend only on the weights, so they are computed when a search first meets the source side, and
then cached: a few frequent words and patterns make up most of a text.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hyperbaton.foundation.arrays import (
    Float32Array,
    FloatArray,
    Int32Array,
    Int64Array,
    read_only,
)
from hyperbaton.foundation.files.vocabulary import SPECIAL, UNKNOWN
from hyperbaton.foundation.hashing import EMPTY
from hyperbaton.foundation.kernels import uncounted
from hyperbaton.models.distortion.interface import UNKNOWN_ENTRY
from hyperbaton.models.language_model.automaton import EMPTY_STATE
from hyperbaton.models.language_model.speaking import Speaker
from hyperbaton.models.language_model.stepping import advance, step
from hyperbaton.models.phrases.entries import DIRECT, INVERSE, EntryTable
from hyperbaton.models.phrases.sorted_trie import SortedTrie
from hyperbaton.models.rules.settings import GAP

UNKNOWN_SCORE = -100.0  # the feature `unknown` of a copied word; its weight is not tuned
UNKNOWN_WORD = 0  # number of the source side of an unknown word, which no table has
FIRST, SECOND = -1, -2  # symbols: the translation of the first or second gap
N_SPECIAL = len(SPECIAL)
# Entries of a source side that are read, most frequent first. In a large table a function word has
# 100,000 of them, and those further down are never among the best
MOST_READ = 500
FIRST_ROOM = 1 << 16  # entries; memory that is not used takes none

ENTRY = np.dtype(
    [
        ("base", np.float64),  # weighted score without language model and distortion
        # weighted language model score of its words without context, and the gains of those that
        # follow a gap or nothing
        ("estimate", np.float64),
        ("entry", np.int64),  # of the table
        ("begin", np.uint32),  # first symbol
        ("end", np.uint32),
    ]
)
# A word with the language model's state after it, if nothing before the first word is known; of
# target sides with gaps, only words before the first gap have one
SYMBOL = np.dtype(
    [
        ("word", np.int32),  # language model id; FIRST or SECOND for a gap
        ("state", np.int32),
        ("logprob", np.float64),
    ]
)
RANKED = np.dtype([("total", np.float64), ("entry", ENTRY)])  # the best so far


class EntryWeights(NamedTuple):
    translation: FloatArray  # (4,) as in SCORES
    phrase_penalty: float
    word_penalty: float
    lm: float
    unknown: float
    glue: float = 0.0


class EntrySource(NamedTuple):
    """Arrays of a table and the language model for compiled code."""

    trie: SortedTrie
    entry_begin: Int32Array
    target: Int32Array
    target_words: Int32Array
    target_offsets: Int32Array
    lexical: Float32Array
    frequency: Int32Array
    frequency_rows: Float32Array
    lm_word: Int32Array  # (target vocabulary,) language model id of each target word
    lm_falls: bool  # whether every word lowers the score
    # (target vocabulary,) what each word gains from an unknown word before it
    gain: FloatArray


class EntryMemo(NamedTuple):
    """Cached source sides with runs of entries, best first, and their target symbols."""

    number: Int32Array  # (n_nodes,) memo of each node, or EMPTY
    begin: Int64Array  # (memos + 1,) first entry
    entries: NDArray[Any]  # ENTRY
    symbols: NDArray[Any]  # SYMBOL, of the target sides
    ranked: NDArray[Any]  # (options,) RANKED, room for one source side
    counters: Int64Array  # memos, symbols


def entry_source(
    table: EntryTable, lm_word: Int32Array, speaker: Speaker, gain: FloatArray
) -> EntrySource:
    names = EntrySource._fields[1:-3]
    arrays = {name: read_only(getattr(table, name)) for name in names}
    trie = SortedTrie(*map(read_only, table.trie))
    return EntrySource(trie, **arrays, lm_word=lm_word, lm_falls=speaker.falls, gain=gain)


def empty_memo(
    n_nodes: int, options: int, speaker: Speaker, weights: EntryWeights, *, drop_unknown: bool
) -> EntryMemo:
    """A memo with only the unknown word."""
    memo = EntryMemo(
        np.full(n_nodes, EMPTY, np.int32),
        np.zeros(FIRST_ROOM, np.int64),
        np.zeros(FIRST_ROOM, ENTRY),
        np.zeros(4 * FIRST_ROOM, SYMBOL),
        np.zeros(options, RANKED),
        np.zeros(2, np.int64),
    )
    logprob, state = step(speaker.lm, EMPTY_STATE, UNKNOWN)
    base = weights.phrase_penalty + weights.unknown * UNKNOWN_SCORE
    estimate, n_words = 0.0, 0 if drop_unknown else 1
    if n_words:
        base, estimate = base - weights.word_penalty, float(logprob) * weights.lm
        memo.symbols[0] = UNKNOWN, state, logprob
    memo.entries[0] = base, estimate, UNKNOWN_ENTRY, 0, n_words
    memo.begin[1] = 1
    memo.counters[:] = 1, n_words
    return memo


def enlarged_memo(memo: EntryMemo) -> EntryMemo:
    """The memo with twice the capacity."""
    lists = {name: getattr(memo, name) for name in ("begin", "entries", "symbols")}
    return memo._replace(
        **{name: np.concatenate([old, np.zeros_like(old)]) for name, old in lists.items()}
    )


@uncounted
def remember(source, lm, memo, weights, node):
    """Computes and caches the best entries of a node; False if the memo is full."""
    ranked = memo.ranked
    first, last = source.entry_begin[node], source.entry_begin[node + 1]
    last = min(last, first + MOST_READ)
    size = min(len(ranked), last - first)
    n = 0
    for entry in range(first, last):
        begin = source.target_offsets[source.target[entry]]
        end = source.target_offsets[source.target[entry] + 1]
        base = _base(source, weights, entry, begin, end)
        state = np.int32(EMPTY_STATE)
        estimate, is_after = 0.0, False  # whether the word before is known
        for at in range(begin, end):
            # most entries of a frequent side are beaten before the language model is queried
            so_far = base + estimate * weights.lm
            if source.lm_falls and n == size and so_far <= ranked[n - 1].total:
                break
            word = source.target_words[at]
            if word < N_SPECIAL:
                state, is_after = np.int32(EMPTY_STATE), False
            else:
                logprob, state = advance(lm, state, source.lm_word[word])
                estimate += logprob + (0.0 if is_after else source.gain[word])
                is_after = True
        estimate *= weights.lm
        total = base + estimate
        if n == size and total <= ranked[n - 1].total:
            continue
        place = n if n < size else n - 1
        while place > 0 and ranked[place - 1].total < total:
            ranked[place] = ranked[place - 1]
            place -= 1
        ranked[place].total, known = total, ranked[place].entry
        known.base, known.estimate, known.entry = base, estimate, entry
        n = min(n + 1, size)
    number, symbol = memo.counters[0], memo.counters[1]
    at = memo.begin[number]
    n_symbols = 0
    for k in range(size):
        target = source.target[ranked[k].entry.entry]
        n_symbols += source.target_offsets[target + 1] - source.target_offsets[target]
    is_full = at + size > len(memo.entries) or symbol + n_symbols > len(memo.symbols)
    if is_full or number + 2 > len(memo.begin):
        return False
    for k in range(size):
        memo.entries[at + k] = ranked[k].entry
        known = memo.entries[at + k]
        known.begin, target = symbol, source.target[known.entry]
        state, is_start = np.int32(EMPTY_STATE), True
        for place in range(source.target_offsets[target], source.target_offsets[target + 1]):
            word = source.target_words[place]
            if word < N_SPECIAL:
                memo.symbols[symbol].word = FIRST - (word - GAP)
                is_start = False
            else:
                memo.symbols[symbol].word = source.lm_word[word]
                if is_start:
                    logprob, state = advance(lm, state, source.lm_word[word])
                    memo.symbols[symbol].logprob, memo.symbols[symbol].state = logprob, state
            symbol += 1
        known.end = symbol
    memo.begin[number + 1] = at + size
    memo.number[node] = number
    memo.counters[0], memo.counters[1] = number + 1, symbol
    return True


@uncounted
def _base(source, weights, entry, begin, end):
    """The weighted score of an entry without language model."""
    n_words = 0
    for at in range(begin, end):
        n_words += source.target_words[at] >= N_SPECIAL
    row = source.frequency[entry]
    base = weights.phrase_penalty - weights.word_penalty * n_words
    base += weights.translation[0] * source.frequency_rows[row, INVERSE]
    base += weights.translation[1] * source.lexical[entry, 0]
    base += weights.translation[2] * source.frequency_rows[row, DIRECT]
    return base + weights.translation[3] * source.lexical[entry, 1]
