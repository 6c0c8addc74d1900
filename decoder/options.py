"""The options of a sentence: what the phrase table offers for its spans, best first.

The best options of a source phrase depend only on the weights, so they are worked out when the
phrase is first met and remembered: a few words of a language make up most of its text.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from models.arrays import Int32Array, Int64Array
from models.distortion.interface import OptionTable
from models.hashing import EMPTY
from models.language_model.automaton import EMPTY_STATE, Automaton, advance
from models.language_model.model import LanguageModel
from models.phrases.extraction import GRID
from models.phrases.table import PhraseTable
from models.phrases.trie import ROOT, Trie, child
from models.vocabulary import UNKNOWN

FloatArray = NDArray[np.float64]
LONGEST = GRID  # words of a source phrase
UNKNOWN_SCORE = -100.0  # the feature `unknown` of a copied word; its weight is not tuned


class OptionWeights(NamedTuple):
    translation: FloatArray  # (4,)
    phrase_penalty: float
    word_penalty: float
    lm: float
    unknown: float


class _Source(NamedTuple):
    """The arrays of the phrase table and the language model, for compiled code."""

    trie: Trie
    entry_begin: Int64Array
    target: Int32Array
    target_words: Int32Array
    target_offsets: Int64Array
    scores: FloatArray
    lm_word: Int32Array  # (target vocabulary,) language model id of each target word
    lm: Automaton


class _Memo(NamedTuple):
    """Remembered source phrases: nodes of the trie with runs of options and of their words."""

    number: Int32Array  # (n_nodes,) memo of each node, or EMPTY
    option_begin: Int64Array  # (memos + 1,)
    entry: Int64Array
    base: FloatArray
    estimate: FloatArray  # weighted language model score of the option by itself
    word_begin: Int64Array  # (options + 1,)
    words: Int32Array
    prefix_state: Int32Array
    tail_score: FloatArray
    counters: Int64Array  # memos


@dataclass(frozen=True, eq=False)
class SentenceOptions:
    """The options of one sentence with their scores; spans by length, then start."""

    table: OptionTable
    span_start: Int32Array
    span_end: Int32Array
    span_option: Int32Array  # (S + 1,)
    length_span: Int32Array  # (longest + 2,)
    base: FloatArray
    estimate: FloatArray
    word_begin: Int32Array
    words: Int32Array
    prefix_state: Int32Array
    tail_score: FloatArray


class OptionFinder:
    """Finds options under given weights. One per thread: it remembers what it has found."""

    def __init__(
        self,
        phrases: PhraseTable,
        lm: LanguageModel,
        weights: OptionWeights,
        limit: int = 20,
        *,
        drop_unknown: bool = False,
    ) -> None:
        self.phrases, self.weights, self.limit = phrases, weights, limit
        self.drop_unknown = drop_unknown
        self._source = _Source(
            phrases.trie,
            phrases.entry_begin,
            phrases.target,
            phrases.target_phrases.values,
            phrases.target_phrases.offsets,
            phrases.scores,
            lm.vocabulary.encode(phrases.target_vocabulary.words),
            lm.automaton,
        )
        logprob, state = advance(lm.automaton, EMPTY_STATE, UNKNOWN)
        self._unknown_word = logprob * weights.lm, state
        self._unknown_score = weights.phrase_penalty + weights.unknown * UNKNOWN_SCORE
        self._unknown_score -= 0.0 if drop_unknown else weights.word_penalty
        self._memo = _empty_memo(len(phrases.entry_begin) - 1, 1 << 10, 1 << 12)

    def find(self, words: Int32Array) -> SentenceOptions:
        """The options for a sentence of source word ids."""
        while True:
            room, spans = _spans(self._source, self._memo, self.limit, self.weights, words)
            if room:
                break
            self._memo = _grown(self._memo)
        start, end, entry, arrays = _gather(
            self._memo, spans, self.drop_unknown, self._unknown_score, *self._unknown_word
        )
        table = OptionTable(len(words), start, end, entry, self.phrases, self.drop_unknown)
        return SentenceOptions(table, *arrays)


def _empty_memo(n_nodes: int, n_options: int, n_words: int) -> _Memo:
    return _Memo(
        np.full(n_nodes, EMPTY, np.int32),
        np.zeros(n_options + 1, np.int64),
        np.empty(n_options, np.int64),
        np.empty(n_options),
        np.empty(n_options),
        np.zeros(n_options + 1, np.int64),
        np.empty(n_words, np.int32),
        np.empty(n_words, np.int32),
        np.empty(n_words),
        np.zeros(1, np.int64),
    )


def _grown(memo: _Memo) -> _Memo:
    """The same with twice the room."""
    larger = _empty_memo(len(memo.number), 2 * len(memo.entry), 2 * len(memo.words))
    for name in _Memo._fields:
        old = getattr(memo, name)
        getattr(larger, name)[: len(old)] = old
    return larger


@njit(cache=True, nogil=True)
def _spans(source, memo, limit, weights, words):
    """Whether there was room; start, end and memo of spans with options, by length and start.

    A word that has no option by itself is unknown: its span has no memo.
    """
    n_words = len(words)
    found = np.full((LONGEST, n_words), EMPTY, np.int32)  # memo by length − 1 and start
    for start in range(n_words):
        node = np.int32(ROOT)
        for length in range(1, min(n_words - start, LONGEST) + 1):
            node = child(source.trie, node, words[start + length - 1])
            if node == EMPTY:
                break
            if source.entry_begin[node] == source.entry_begin[node + 1]:
                continue
            if memo.number[node] == EMPTY and not _remember(source, memo, limit, weights, node):
                return False, np.empty((0, 3), np.int32)
            found[length - 1, start] = memo.number[node]
    spans = np.empty((LONGEST * n_words, 3), np.int32)
    row = 0
    for length in range(1, LONGEST + 1):
        for start in range(n_words):
            if length == 1 or found[length - 1, start] != EMPTY:
                spans[row, 0], spans[row, 1] = start, start + length
                spans[row, 2] = found[length - 1, start]
                row += 1
    return True, spans[:row]


@njit(cache=True, nogil=True)
def _remember(source, memo, limit, weights, node):
    """Works out the best options of a node; False if there is no room for them."""
    first, last = source.entry_begin[node], source.entry_begin[node + 1]
    size = min(limit, last - first)
    totals, entries = np.empty(size), np.empty(size, np.int64)
    bases, estimates = np.empty(size), np.empty(size)
    n = 0
    for entry in range(first, last):
        begin = source.target_offsets[source.target[entry]]
        end = source.target_offsets[source.target[entry] + 1]
        base = weights.phrase_penalty - weights.word_penalty * (end - begin)
        for k in range(len(weights.translation)):
            base += weights.translation[k] * source.scores[entry, k]
        state, estimate = EMPTY_STATE, 0.0
        for at in range(begin, end):
            logprob, state = advance(source.lm, state, source.lm_word[source.target_words[at]])
            estimate += logprob
        estimate *= weights.lm
        total = base + estimate
        if n == size and total <= totals[n - 1]:
            continue
        place = n if n < size else n - 1
        while place > 0 and totals[place - 1] < total:
            totals[place], entries[place] = totals[place - 1], entries[place - 1]
            bases[place], estimates[place] = bases[place - 1], estimates[place - 1]
            place -= 1
        totals[place], entries[place], bases[place], estimates[place] = total, entry, base, estimate
        n = min(n + 1, size)
    number = memo.counters[0]
    option = memo.option_begin[number]
    n_words = 0
    for k in range(size):
        target = source.target[entries[k]]
        n_words += source.target_offsets[target + 1] - source.target_offsets[target]
    word = memo.word_begin[option]
    if (
        option + size > len(memo.entry)
        or word + n_words > len(memo.words)
        or number + 2 > len(memo.option_begin)
    ):
        return False
    for k in range(size):
        memo.entry[option], memo.base[option], memo.estimate[option] = (
            entries[k],
            bases[k],
            estimates[k],
        )
        begin = source.target_offsets[source.target[entries[k]]]
        end = source.target_offsets[source.target[entries[k]] + 1]
        state, before = EMPTY_STATE, 0.0
        for at in range(begin, end):
            lm_word = source.lm_word[source.target_words[at]]
            logprob, state = advance(source.lm, state, lm_word)
            before += logprob
            memo.words[word], memo.prefix_state[word] = lm_word, state
            memo.tail_score[word] = estimates[k] - weights.lm * before
            word += 1
        option += 1
        memo.word_begin[option] = word
    memo.option_begin[number + 1] = option
    memo.number[node] = number
    memo.counters[0] += 1
    return True


@njit(cache=True, nogil=True)
def _sizes(memo, spans, drop_unknown):
    """Options and target words of all spans together."""
    n_options, n_words = 0, 0
    for span in range(len(spans)):
        number = spans[span, 2]
        if number == EMPTY:
            n_options += 1
            n_words += 0 if drop_unknown else 1
        else:
            first, last = memo.option_begin[number], memo.option_begin[number + 1]
            n_options += last - first
            n_words += memo.word_begin[last] - memo.word_begin[first]
    return n_options, n_words


@njit(cache=True, nogil=True)
def _gather(memo, spans, drop_unknown, unknown_score, unknown_estimate, unknown_state):
    """Copies the remembered options of all spans into arrays of the sentence's own."""
    n_options, n_words = _sizes(memo, spans, drop_unknown)
    start, end = np.empty(n_options, np.int32), np.empty(n_options, np.int32)
    entry = np.empty(n_options, np.int64)
    base, estimate = np.empty(n_options), np.empty(n_options)
    span_option = np.empty(len(spans) + 1, np.int32)
    word_begin = np.zeros(n_options + 1, np.int32)
    words, prefix_state = np.empty(n_words, np.int32), np.empty(n_words, np.int32)
    tail_score = np.empty(n_words)
    option, word = 0, 0
    for span in range(len(spans)):
        span_option[span] = option
        number = spans[span, 2]
        if number == EMPTY:
            start[option], end[option], entry[option] = spans[span, 0], spans[span, 1], -1
            base[option], estimate[option] = unknown_score, 0.0
            if not drop_unknown:
                estimate[option] = unknown_estimate
                words[word], prefix_state[word], tail_score[word] = UNKNOWN, unknown_state, 0.0
                word += 1
            option += 1
            word_begin[option] = word
            continue
        for k in range(memo.option_begin[number], memo.option_begin[number + 1]):
            start[option], end[option] = spans[span, 0], spans[span, 1]
            entry[option], base[option] = memo.entry[k], memo.base[k]
            estimate[option] = memo.estimate[k]
            for at in range(memo.word_begin[k], memo.word_begin[k + 1]):
                words[word], prefix_state[word] = memo.words[at], memo.prefix_state[at]
                tail_score[word] = memo.tail_score[at]
                word += 1
            option += 1
            word_begin[option] = word
    span_option[len(spans)] = option
    longest = 1
    for span in range(len(spans)):
        longest = max(longest, spans[span, 1] - spans[span, 0])
    length_span = np.zeros(longest + 2, np.int32)  # first span of each length
    for span in range(len(spans)):
        length_span[spans[span, 1] - spans[span, 0] + 1] += 1
    length_span[:] = np.cumsum(length_span)
    arrays = (
        spans[:, 0].copy(), spans[:, 1].copy(), span_option, length_span, base, estimate,
        word_begin, words, prefix_state, tail_score,
    )  # fmt: skip
    return start, end, entry, arrays
