"""The best rules of each source side, under given weights.

They are found when a search first meets the source side, and then cached: a few frequent patterns
make up most matches. Three source sides are not in the table: an unknown word, and the beginning
and the continuation of the chain of spans that covers the sentence,

    S → X        BEGINNING
    S → S X      GLUE
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hyperbaton.foundation.arrays import Float32Array, FloatArray, Int32Array, Int64Array
from hyperbaton.foundation.files.vocabulary import SPECIAL, UNKNOWN
from hyperbaton.foundation.hashing import EMPTY
from hyperbaton.foundation.kernels import uncounted
from hyperbaton.models.language_model.automaton import EMPTY_STATE
from hyperbaton.models.language_model.speaking import Speaker
from hyperbaton.models.language_model.stepping import advance, step
from hyperbaton.models.phrases.entries import DIRECT, INVERSE
from hyperbaton.models.phrases.sorted_trie import SortedTrie
from hyperbaton.models.rules.settings import GAP
from hyperbaton.models.rules.table import RuleTable

UNKNOWN_WORD, BEGINNING, GLUE = range(3)  # numbers of the source sides outside the table
N_OUTSIDE = 3
FIRST, SECOND = -1, -2  # symbols: the translation of the first or second gap
UNKNOWN_ENTRY, BEGINNING_ENTRY, GLUE_ENTRY = -1, -2, -3  # instead of rules of the table
N_SPECIAL = len(SPECIAL)

RULE = np.dtype(
    [
        ("base", np.float64),  # weighted score without language model
        ("estimate", np.float64),  # weighted language model score of its words without context
        ("entry", np.int64),  # rule of the table
        ("begin", np.uint32),  # first symbol
        ("end", np.uint32),
    ]
)
# A word with the language model's state after it, if nothing before the first word is known; of the
# target sides, only words before the first gap have one
WORD = np.dtype(
    [
        ("word", np.int32),  # language model id; FIRST or SECOND for a gap
        ("state", np.int32),
        ("logprob", np.float64),
    ]
)
RANKED = np.dtype([(name, RULE[name]) for name in ("base", "estimate", "entry")])


class RuleWeights(NamedTuple):
    translation: FloatArray  # (4,) as in SCORES
    phrase_penalty: float
    word_penalty: float
    lm: float
    unknown: float  # with the feature's value
    glue: float
    lm_falls: bool  # whether every word lowers the score


class RuleSource(NamedTuple):
    """Arrays of the rule table and the language model for compiled code."""

    trie: SortedTrie
    entry_begin: Int32Array
    target: Int32Array
    target_words: Int32Array
    target_offsets: Int32Array
    lexical: Float32Array
    frequency: Int32Array
    frequency_rows: Float32Array
    lm_word: Int32Array  # (target vocabulary,) language model id of each target word


class RuleMemo(NamedTuple):
    """Cached source sides with runs of rules, best first, and their target symbols."""

    number: Int32Array  # (n_nodes,) memo of each node, or EMPTY
    begin: Int64Array  # (memos + 1,) first rule
    rules: NDArray[Any]  # RULE
    symbols: NDArray[Any]  # WORD, of the target sides
    ranked: NDArray[Any]  # (options,) RANKED, room for one source side
    counters: Int64Array  # memos, symbols


def empty_memo(
    n_nodes: int, options: int, speaker: Speaker, weights: RuleWeights, *, drop_unknown: bool
) -> RuleMemo:
    """A memo with only the rules outside the table."""
    memo = _room(n_nodes, options, 1 << 12, 1 << 14)
    logprob, state = step(speaker.lm, EMPTY_STATE, UNKNOWN)
    unknown = weights.phrase_penalty + weights.unknown
    copied = unknown - weights.word_penalty, float(logprob) * weights.lm
    symbols = 0
    outside: list[tuple[float, float, int, list[int]]] = [
        (unknown, 0.0, UNKNOWN_ENTRY, []) if drop_unknown else (*copied, UNKNOWN_ENTRY, [UNKNOWN]),
        (0.0, 0.0, BEGINNING_ENTRY, [FIRST]),
        (weights.glue, 0.0, GLUE_ENTRY, [FIRST, SECOND]),
    ]
    for number, (score, estimate, entry, given) in enumerate(outside):
        memo.rules[number] = score, estimate, entry, symbols, symbols + len(given)
        memo.symbols["word"][symbols : symbols + len(given)] = given
        memo.begin[number + 1] = number + 1
        symbols += len(given)
    memo.symbols["state"][0], memo.symbols["logprob"][0] = state, logprob
    memo.counters[:] = N_OUTSIDE, symbols
    return memo


def enlarged_memo(memo: RuleMemo) -> RuleMemo:
    """A copy with twice the capacity."""
    larger = _room(len(memo.number), len(memo.ranked), 2 * len(memo.rules), 2 * len(memo.symbols))
    for name in RuleMemo._fields:
        old = getattr(memo, name)
        getattr(larger, name)[: len(old)] = old
    return larger


def _room(n_nodes: int, options: int, n_rules: int, n_symbols: int) -> RuleMemo:
    return RuleMemo(
        np.full(n_nodes, EMPTY, np.int32),
        np.zeros(n_rules + 1, np.int64),
        np.zeros(n_rules, RULE),
        np.zeros(n_symbols, WORD),
        np.zeros(options, RANKED),
        np.zeros(2, np.int64),
    )


def rule_source(table: RuleTable, lm_word: Int32Array) -> RuleSource:
    arrays = {name: getattr(table, name) for name in RuleSource._fields[:-1]}
    return RuleSource(**arrays, lm_word=lm_word)


@uncounted
def remember(source, lm, memo, weights, node):
    """Computes and caches the best rules of a node; False if the memo is full."""
    ranked = memo.ranked
    first, last = source.entry_begin[node], source.entry_begin[node + 1]
    size = min(len(ranked), last - first)
    n = 0
    for entry in range(first, last):
        base = _score(source, weights, entry)
        # most rules of a frequent source side are beaten before the language model is queried
        if weights.lm_falls and n == size and base <= ranked[n - 1].base + ranked[n - 1].estimate:
            continue
        estimate = _estimate(source, lm, entry) * weights.lm
        total = base + estimate
        if n == size and total <= ranked[n - 1].base + ranked[n - 1].estimate:
            continue
        place = n if n < size else n - 1
        while place > 0 and ranked[place - 1].base + ranked[place - 1].estimate < total:
            ranked[place] = ranked[place - 1]
            place -= 1
        ranked[place].base, ranked[place].estimate = base, estimate
        ranked[place].entry = entry
        n = min(n + 1, size)
    number, symbol = memo.counters[0], memo.counters[1]
    at = memo.begin[number]
    n_symbols = 0
    for k in range(size):
        target = source.target[ranked[k].entry]
        n_symbols += source.target_offsets[target + 1] - source.target_offsets[target]
    is_full = at + size > len(memo.rules) or symbol + n_symbols > len(memo.symbols)
    if is_full or number + 2 > len(memo.begin):
        return False
    for k in range(size):
        rule, target = memo.rules[at + k], source.target[ranked[k].entry]
        rule.base, rule.estimate = ranked[k].base, ranked[k].estimate
        rule.entry, rule.begin = ranked[k].entry, symbol
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
        rule.end = symbol
    memo.begin[number + 1] = at + size
    memo.number[node] = number
    memo.counters[0], memo.counters[1] = number + 1, symbol
    return True


@uncounted
def _score(source, weights, entry):
    """The weighted score of a rule without language model."""
    target = source.target[entry]
    n_words = 0
    for at in range(source.target_offsets[target], source.target_offsets[target + 1]):
        n_words += source.target_words[at] >= N_SPECIAL
    row = source.frequency[entry]
    score = weights.phrase_penalty - weights.word_penalty * n_words
    score += weights.translation[0] * source.frequency_rows[row, INVERSE]
    score += weights.translation[1] * source.lexical[entry, 0]
    score += weights.translation[2] * source.frequency_rows[row, DIRECT]
    return score + weights.translation[3] * source.lexical[entry, 1]


@uncounted
def _estimate(source, lm, entry):
    """log p of the words of a rule; nothing is known of the words before each gap's end."""
    target = source.target[entry]
    state, estimate = np.int32(EMPTY_STATE), 0.0
    for at in range(source.target_offsets[target], source.target_offsets[target + 1]):
        word = source.target_words[at]
        if word < N_SPECIAL:
            state = np.int32(EMPTY_STATE)
        else:
            logprob, state = advance(lm, state, source.lm_word[word])
            estimate += logprob
    return estimate
