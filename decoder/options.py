"""The options of a sentence: the translations of its spans in the phrase table, best first.

The best options of a source phrase depend only on the weights, so they are computed at its first
occurrence and then cached: a few frequent words make up most of a text.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hyperbaton.foundation.arrays import Float32Array, FloatArray, Int32Array, Int64Array, Ragged
from hyperbaton.foundation.files.vocabulary import UNKNOWN
from hyperbaton.foundation.hashing import EMPTY
from hyperbaton.foundation.kernels import uncounted, uncounted_kernel
from hyperbaton.models.distortion.interface import OptionTable
from hyperbaton.models.language_model.automaton import EMPTY_STATE
from hyperbaton.models.language_model.speaking import Speaker
from hyperbaton.models.language_model.stepping import advance, step
from hyperbaton.models.phrases.entries import DIRECT, INVERSE
from hyperbaton.models.phrases.settings import GRID
from hyperbaton.models.phrases.sorted_trie import ROOT, SortedTrie, child
from hyperbaton.models.phrases.table import PhraseTable

MOST_OPTIONS = 64  # per source phrase; further ones hardly ever win
# Share of the first word's gain (`Speaker.gains`) that is added in advance; chosen as EARLY
EARLY_GAIN = 0.5
UNKNOWN_SCORE = -100.0  # the feature `unknown` of a copied word; its weight is not tuned

SPAN = np.dtype([("start", np.int32), ("end", np.int32), ("option", np.uint32)])
OPTION = np.dtype(
    [
        ("base", np.float64),  # weighted score without language model and distortion
        ("estimate", np.float64),  # weighted language model score of the option without context
        ("word_begin", np.uint32),
        ("word_end", np.uint32),
        ("lm_state", np.int32),  # after the option without context
        ("unused", np.int32),
    ]
)
WORD = np.dtype(
    [
        ("tail", np.float64),  # weighted language model score of the following words, likewise
        ("word", np.int32),  # language model id
        ("state", np.int32),  # after this word, without context before the option
    ]
)
# The best entries of a source phrase so far
RANKED = np.dtype(
    [
        ("total", np.float64),
        ("base", np.float64),
        ("estimate", np.float64),
        ("entry", np.int64),
    ]
)


class OptionWeights(NamedTuple):
    translation: FloatArray  # (4,) as in SCORES
    phrase_penalty: float
    word_penalty: float
    lm: float
    unknown: float


class _Source(NamedTuple):
    """Arrays of the phrase table and the language model for compiled code."""

    trie: SortedTrie
    entry_begin: Int32Array
    target: Int32Array
    target_words: Int32Array
    target_offsets: Int32Array
    lexical: Float32Array
    frequency: Int32Array
    frequency_rows: Float32Array
    lm_word: Int32Array  # (target vocabulary,) language model id of each target word
    gain: FloatArray  # (target vocabulary,) added in advance to the estimates of options
    lm: Any  # a language model for compiled code
    lm_falls: bool  # whether every word lowers the score


class _UnknownWord(NamedTuple):
    """The only option of an unknown word."""

    base: float
    estimate: float
    lm_state: int
    n_words: int  # 1, or 0 if unknown words are dropped


class _Memo(NamedTuple):
    """Cached source phrases: nodes of the trie with runs of options and of their words."""

    number: Int32Array  # (n_nodes,) memo of each node, or EMPTY
    option_begin: Int64Array  # (memos + 1,)
    entry: Int64Array
    options: NDArray[Any]  # OPTION; their words are numbered in the memo
    words: NDArray[Any]  # WORD
    counters: Int64Array  # memos, words


@dataclass(frozen=True, eq=False)
class SentenceOptions:
    """The options of one sentence with their scores; spans by length, then start."""

    table: OptionTable
    spans: NDArray[Any]  # (S + 1,) SPAN; the last row marks the end of the options
    length_span: Int32Array  # (longest + 2,) first span of each length
    options: NDArray[Any]  # (N,) OPTION, in each span best first
    option_words: NDArray[Any]  # WORD, of all options

    @cached_property
    def texts(self) -> Ragged:
        """The words of each option, as ids of the language model."""
        begin = np.append(self.options["word_begin"], len(self.option_words)).astype(np.int64)
        return Ragged(self.option_words["word"], begin)


class OptionFinder:
    """Finds options under given weights. Use one per thread, because it caches its results."""

    def __init__(
        self,
        phrases: PhraseTable,
        lm_word: Int32Array,
        speaker: Speaker,
        weights: OptionWeights,
        limit: int = 20,
        *,
        drop_unknown: bool = False,
    ) -> None:
        self.phrases, self.weights, self.limit = phrases, weights, limit
        self.drop_unknown = drop_unknown
        self._speaker = speaker
        arrays = {name: getattr(phrases, name) for name in _Source._fields[:-4]}
        gain = EARLY_GAIN * speaker.gains(lm_word)
        self._source = _Source(
            **arrays, lm_word=lm_word, gain=gain, lm=speaker.lm, lm_falls=speaker.falls
        )
        self.forget()

    def forget(self) -> None:
        """Clears the cache."""
        weights, drop_unknown, lm = self.weights, self.drop_unknown, self._speaker.lm
        self._source = self._source._replace(lm=lm)
        logprob, state = step(lm, EMPTY_STATE, UNKNOWN)
        score = weights.phrase_penalty + weights.unknown * UNKNOWN_SCORE
        self._unknown = _UnknownWord(
            float(score if drop_unknown else score - weights.word_penalty),
            0.0 if drop_unknown else float(logprob * weights.lm),
            EMPTY_STATE if drop_unknown else int(state),
            0 if drop_unknown else 1,
        )
        self._memo = _empty_memo(len(self.phrases.entry_begin) - 1, 1 << 10, 1 << 12)

    def find(self, words: Int32Array) -> SentenceOptions:
        """The options for a sentence of source word ids."""
        # Arrays are allocated here, because kernels that allocate are slow to compile.
        found = np.empty((GRID, len(words)), np.int32)  # memo by length − 1 and start
        ranked = np.empty(self.limit, RANKED)
        while True:
            found.fill(EMPTY)
            memo, n_unknown = self._memo, self._unknown.n_words
            looked_up = _look_up(self._source, memo, self.weights, words, ranked, found, n_unknown)
            room, n_spans, n_options, n_words, longest = looked_up
            if self._speaker.has_grown():
                self.forget()
            elif room:
                break
            else:
                self._memo = _grown(memo)
        start, end = np.empty(n_options, np.int32), np.empty(n_options, np.int32)
        entry = np.empty(n_options, np.int64)
        arrays = (
            np.zeros(n_spans + 1, SPAN),
            np.zeros(longest + 2, np.int32),  # the first span of each length
            np.empty(n_options, OPTION),
            np.empty(n_words, WORD),
        )
        _lay_out(memo, found, self._unknown, start, end, entry, *arrays)
        table = OptionTable(len(words), start, end, entry, self.phrases, self.drop_unknown)
        return SentenceOptions(table, *arrays)


def _empty_memo(n_nodes: int, n_options: int, n_words: int) -> _Memo:
    return _Memo(
        np.full(n_nodes, EMPTY, np.int32),
        np.zeros(n_options + 1, np.int64),
        np.zeros(n_options, np.int64),
        np.zeros(n_options, OPTION),
        np.zeros(n_words, WORD),
        np.zeros(2, np.int64),
    )


def _grown(memo: _Memo) -> _Memo:
    """A copy of the memo with twice the capacity."""
    larger = _empty_memo(len(memo.number), 2 * len(memo.entry), 2 * len(memo.words))
    for name in _Memo._fields:
        old = getattr(memo, name)
        getattr(larger, name)[: len(old)] = old
    return larger


@uncounted_kernel
def _lay_out(memo, found, unknown, start, end, entry, spans, length_span, options, option_words):
    """Fills in the options of all spans."""
    n_places = found.shape[1]
    longest = len(length_span) - 2
    n, word, row = 0, 0, 0
    for length in range(1, longest + 1):
        length_span[length] = row
        for place in range(n_places - length + 1):
            memo_number = found[length - 1, place]
            if memo_number == EMPTY and length > 1:
                continue
            spans[row].start, spans[row].end, spans[row].option = place, place + length, n
            row += 1
            first, last = n, n + 1
            if memo_number == EMPTY:  # a word without an option of length 1 is unknown
                entry[n] = -1
                option = options[n]
                option.base, option.estimate = unknown.base, unknown.estimate
                option.lm_state = unknown.lm_state
                option.word_begin = word
                for _ in range(unknown.n_words):
                    option_words[word].word, option_words[word].state = UNKNOWN, unknown.lm_state
                    option_words[word].tail = 0.0
                    word += 1
                option.word_end = word
            else:
                begin = memo.option_begin[memo_number]
                last = n + memo.option_begin[memo_number + 1] - begin
                for k in range(last - first):
                    entry[n + k] = memo.entry[begin + k]
                    options[n + k] = memo.options[begin + k]
                    options[n + k].word_begin = word
                    known = memo.options[begin + k]
                    for at in range(known.word_begin, known.word_end):
                        option_words[word] = memo.words[at]
                        word += 1
                    options[n + k].word_end = word
            for option_number in range(first, last):
                start[option_number], end[option_number] = place, place + length
            n = last
    length_span[longest + 1] = row
    spans[row].option = n


@uncounted_kernel
def _look_up(source, memo, weights, words, ranked, found, n_unknown_words):
    """Finds or makes the memos of all spans with options; returns whether they fit, and the counts
    of `_sizes`."""
    room = _all_found(source, memo, weights, words, ranked, found)
    return room, *_sizes(memo, found, n_unknown_words)


@uncounted
def _all_found(source, memo, weights, words, ranked, found):
    """Finds or makes the memo of every span with options; False if the memo is full."""
    for start in range(len(words)):
        node = np.int32(ROOT)
        for length in range(1, min(len(words) - start, GRID) + 1):
            node = child(source.trie, node, words[start + length - 1])
            if node == EMPTY:
                break
            if source.entry_begin[node] == source.entry_begin[node + 1]:
                continue
            if memo.number[node] == EMPTY and not _remember(source, memo, weights, node, ranked):
                return False
            found[length - 1, start] = memo.number[node]
    return True


@uncounted
def _sizes(memo, found, n_unknown_words):
    """The numbers of spans, options and target words, and the longest span."""
    n_spans, n_options, n_words, longest = 0, 0, 0, 1
    for length in range(1, GRID + 1):
        for start in range(found.shape[1]):
            number = found[length - 1, start]
            if number != EMPTY:
                first, last = memo.option_begin[number], memo.option_begin[number + 1]
                n_spans += 1
                n_options += last - first
                n_words += np.int64(memo.options[last - 1].word_end)
                n_words -= np.int64(memo.options[first].word_begin)
                longest = length
            elif length == 1:
                n_spans += 1
                n_options += 1
                n_words += n_unknown_words
    return n_spans, n_options, n_words, longest


@uncounted
def _remember(source, memo, weights, node, ranked):
    """Computes and caches the best options of a node; False if the memo is full."""
    first, last = source.entry_begin[node], source.entry_begin[node + 1]
    size = min(len(ranked), last - first)
    n = 0
    for entry in range(first, last):
        begin = source.target_offsets[source.target[entry]]
        end = source.target_offsets[source.target[entry] + 1]
        base = weights.phrase_penalty - weights.word_penalty * (end - begin)
        row = source.frequency[entry]
        base += weights.translation[0] * source.frequency_rows[row, INVERSE]
        base += weights.translation[1] * source.lexical[entry, 0]
        base += weights.translation[2] * source.frequency_rows[row, DIRECT]
        base += weights.translation[3] * source.lexical[entry, 1]
        state, estimate = np.int32(EMPTY_STATE), _gain(source, begin, end)
        for at in range(begin, end):
            # most entries of a frequent phrase are beaten before the language model is queried
            so_far = base + estimate * weights.lm
            if source.lm_falls and n == size and so_far <= ranked[n - 1].total:
                break
            logprob, state = advance(source.lm, state, source.lm_word[source.target_words[at]])
            estimate += logprob
        estimate *= weights.lm
        total = base + estimate
        if n == size and total <= ranked[n - 1].total:
            continue
        place = n if n < size else n - 1
        while place > 0 and ranked[place - 1].total < total:
            ranked[place] = ranked[place - 1]
            place -= 1
        row = ranked[place]
        row.total, row.base, row.estimate, row.entry = total, base, estimate, entry
        n = min(n + 1, size)
    number, word = memo.counters[0], memo.counters[1]
    at = memo.option_begin[number]
    n_words = 0
    for k in range(size):
        target = source.target[ranked[k].entry]
        n_words += source.target_offsets[target + 1] - source.target_offsets[target]
    if (
        at + size > len(memo.entry)
        or word + n_words > len(memo.words)
        or number + 2 > len(memo.option_begin)
    ):
        return False
    for k in range(size):
        row, option = ranked[k], memo.options[at + k]
        memo.entry[at + k] = row.entry
        option.base, option.estimate = row.base, row.estimate
        option.word_begin = word
        begin = source.target_offsets[source.target[row.entry]]
        end = source.target_offsets[source.target[row.entry] + 1]
        state, before = np.int32(EMPTY_STATE), _gain(source, begin, end)
        for place in range(begin, end):
            lm_word = source.lm_word[source.target_words[place]]
            logprob, state = advance(source.lm, state, lm_word)
            before += logprob
            memo.words[word].word, memo.words[word].state = lm_word, state
            memo.words[word].tail = row.estimate - weights.lm * before
            word += 1
        option.word_end = word
        option.lm_state = state
    memo.option_begin[number + 1] = at + size
    memo.number[node] = number
    memo.counters[0], memo.counters[1] = number + 1, word
    return True


@uncounted
def _gain(source, begin, end):
    """What the first word of a phrase gains from a word before it."""
    return source.gain[source.target_words[begin]] if begin < end else 0.0
