"""Extracts hierarchical rules from an aligned corpus (Chiang 2007, section 3).

Every consistent phrase pair is a rule, and so is every pair inside of which smaller pairs were
replaced by gaps:

    kare no hon o katta / bought his book       kare no hon / his book becomes a gap
    [X1] o katta / bought [X1]

With the limits of Moses and Chiang: phrase pairs have at most ten words on either side, a source
side has at most five symbols and two gaps, which have at least two source words and are not
adjacent there, and at least one linked pair of words is left. Each phrase pair counts once: n rules
from the same pair count 1/n each.
"""

from typing import NamedTuple

import numpy as np

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.foundation.arrays import MOST_NUMBERED, FloatArray, Int32Array, UInt64Array
from hyperbaton.foundation.errors import SettingError
from hyperbaton.foundation.kernels import inner, kernel, uncounted
from hyperbaton.models.phrases.extraction import consistent_blocks, links_by_target
from hyperbaton.models.rules.settings import (
    GAP,
    LONGEST_SPAN,
    MOST_GAPS,
    MOST_SYMBOLS,
    RuleSettings,
)

ROOM = 1 << 12  # initial capacity for phrase pairs of a sentence
USUAL_RULES = 1 << 10  # per sentence pair; for more, sentences are read twice


class Instances(NamedTuple):
    """The rules of some sentence pairs, one row for each phrase pair and choice of gaps."""

    source: Int32Array  # (n, MOST_SYMBOLS) words and gaps
    target: Int32Array  # (n, LONGEST_SPAN)
    source_length: Int32Array
    target_length: Int32Array
    inner: UInt64Array  # bit MOST_SYMBOLS · target symbol + source symbol for every link left
    fraction: FloatArray  # 1 / number of rules from the same phrase pair


class Limits(NamedTuple):
    """The settings for compiled code."""

    max_span: int
    max_symbols: int
    max_gaps: int
    min_gap: int
    tight: bool


def check_rule_settings(settings: RuleSettings) -> None:
    for name, low, high in (
        ("max_span", 1, LONGEST_SPAN),
        ("max_symbols", 1, MOST_SYMBOLS),
        ("max_gaps", 0, MOST_GAPS),
        ("min_gap", 1, LONGEST_SPAN),
        ("translations", 0, MOST_NUMBERED),
    ):
        value = getattr(settings, name)
        if not low <= value <= high:
            raise SettingError(
                f"{value} is not possible",
                where=f"rules.{name}",
                expected=f"expected {low} to {high}",
            )


def extract_rules(
    corpus: AlignedCorpus, first: int, last: int, settings: RuleSettings = RuleSettings()
) -> Instances:
    """The rules of sentence pairs `first` to `last`."""
    limits = Limits(*(getattr(settings, name) for name in Limits._fields))
    given = (
        first, last, corpus.source.words.values, corpus.source.words.offsets,
        corpus.target.words.values, corpus.target.words.offsets,
        corpus.links.offsets, corpus.links.values, limits,
    )  # fmt: skip
    rules = _room(USUAL_RULES * (last - first))
    n = _extract(*given, rules)
    if n > len(rules.fraction):
        rules = _room(n)
        _extract(*given, rules)
    return Instances._make(column[:n] for column in rules)


def _room(n: int) -> Instances:
    return Instances(
        np.zeros((n, MOST_SYMBOLS), np.int32),
        np.zeros((n, LONGEST_SPAN), np.int32),
        np.zeros(n, np.int32),
        np.zeros(n, np.int32),
        np.zeros(n, np.uint64),
        np.zeros(n),
    )


@kernel
def _extract(
    first, last, source, source_offsets, target, target_offsets, link_offsets, links, limits, rules
):  # fmt: skip
    """Writes the rules of sentences first..last, as far as there is room; returns their number."""
    blocks = np.empty((ROOM, 4), np.int32)
    gaps, place = np.empty((MOST_GAPS, 4), np.int32), np.empty(LONGEST_SPAN, np.int32)
    n = 0
    for sentence in range(first, last):
        n_source = source_offsets[sentence + 1] - source_offsets[sentence]
        n_target = target_offsets[sentence + 1] - target_offsets[sentence]
        begin, sources, low, high = links_by_target(
            links[link_offsets[sentence] : link_offsets[sentence + 1]], n_source, n_target
        )
        size = consistent_blocks(n_target, begin, sources, low, high, limits.max_span, blocks)
        if size > len(blocks):
            blocks = np.empty((size, 4), np.int32)
            consistent_blocks(n_target, begin, sources, low, high, limits.max_span, blocks)
        if limits.tight:
            size = _tight_first(blocks, size, begin, high)
        order, order_begin = _by_source(blocks, size, n_source)
        aligned = np.zeros(n_target + 1, np.int32)  # linked target words before each position
        for e in range(n_target):
            aligned[e + 1] = aligned[e] + (begin[e] < begin[e + 1])
        inside = np.empty(size, np.int32)
        words = source[source_offsets[sentence] :], target[target_offsets[sentence] :]
        for number in range(size):
            block = blocks[number]
            n_inside = _gaps_inside(
                blocks, number, order, order_begin, aligned, limits.min_gap, inside
            )
            n = _rules_of(
                words, begin, sources, aligned, blocks, block, inside[:n_inside], limits, gaps,
                place, rules, n,
            )  # fmt: skip
    return n


@uncounted
def _tight_first(blocks, size, begin, high):
    """Moves the pairs without unaligned words at their edges to the front; returns their number."""
    n = 0
    for row in range(size):
        f0, f1, e0, e1 = blocks[row]
        on_target = begin[e0] < begin[e0 + 1] and begin[e1] < begin[e1 + 1]
        if on_target and high[f0] >= 0 and high[f1] >= 0:
            for column in range(4):
                blocks[n, column] = blocks[row, column]
            n += 1
    return n


@inner
def _by_source(blocks, size, n_source):
    """The pairs sorted by their first source word, and the start of each word's run."""
    begin = np.zeros(n_source + 1, np.int32)
    for row in range(size):
        begin[blocks[row, 0] + 1] += 1
    for f in range(n_source):
        begin[f + 1] += begin[f]
    cursor, order = begin.copy(), np.empty(size, np.int32)
    for row in range(size):
        order[cursor[blocks[row, 0]]] = row
        cursor[blocks[row, 0]] += 1
    return order, begin


@uncounted
def _gaps_inside(blocks, number, order, order_begin, aligned, min_gap, inside):
    """Writes the pairs inside of a pair that may be a gap; returns their number."""
    f0, f1, e0, e1 = blocks[number]
    n, links = 0, aligned[e1 + 1] - aligned[e0]
    for at in range(order_begin[f0], order_begin[f1 + 1]):
        a, b, c, d = blocks[order[at]]
        is_inside = b - a + 1 >= min_gap and b <= f1 and e0 <= c and d <= e1
        if is_inside and aligned[d + 1] - aligned[c] < links:
            inside[n] = order[at]
            n += 1
    return n


@uncounted
def _rules_of(
    words, begin, sources, aligned, blocks, block, inside, limits, gaps, place, rules, n
):  # fmt: skip
    """Writes the rules of a phrase pair after the first `n`; returns their new number."""
    first, n_words = n, block[1] - block[0] + 1
    if n_words <= limits.max_symbols:
        n = _add(words, begin, sources, block, gaps[:0], place, rules, n)
    for i in range(len(inside) if limits.max_gaps > 0 else 0):
        one = blocks[inside[i]]
        left = n_words - (one[1] - one[0])
        for column in range(4):
            gaps[0, column] = one[column]
        if left <= limits.max_symbols:
            n = _add(words, begin, sources, block, gaps[:1], place, rules, n)
        for j in range(i + 1, len(inside) if limits.max_gaps > 1 else 0):
            two = blocks[inside[j]]
            is_after = two[0] > one[1] + 1  # with a word between them
            is_apart = two[2] > one[3] or two[3] < one[2]
            if not (is_after and is_apart) or left - (two[1] - two[0]) > limits.max_symbols:
                continue
            links = aligned[block[3] + 1] - aligned[block[2]]
            for other in (one, two):
                links -= aligned[other[3] + 1] - aligned[other[2]]
            if links > 0:
                for column in range(4):
                    gaps[1, column] = two[column]
                n = _add(words, begin, sources, block, gaps, place, rules, n)
    for row in range(first, min(n, len(rules.fraction))):
        rules.fraction[row] = 1.0 / (n - first)
    return n


@uncounted
def _add(words, begin, sources, block, gaps, place, rules, n):
    """Writes a rule, if there is room; returns the number of rules."""
    if n >= len(rules.fraction):
        return n + 1
    f0, f1, e0, e1 = block
    symbol, f = 0, f0
    while f <= f1:
        rules.source[n, symbol] = words[0][f]
        place[f - f0] = symbol
        for gap in range(len(gaps)):
            if gaps[gap, 0] == f:
                rules.source[n, symbol] = GAP
                f = gaps[gap, 1]
        symbol += 1
        f += 1
    rules.source_length[n] = symbol
    symbol, e, bits = 0, e0, np.uint64(0)
    while e <= e1:
        rules.target[n, symbol] = words[1][e]
        is_word = True
        for gap in range(len(gaps)):
            if gaps[gap, 2] == e:
                rules.target[n, symbol] = GAP + gap
                e, is_word = gaps[gap, 3], False
        if is_word:
            for link in range(begin[e], begin[e + 1]):
                bit = MOST_SYMBOLS * symbol + place[sources[link] - f0]
                bits |= np.uint64(1) << np.uint64(bit)
        symbol += 1
        e += 1
    rules.target_length[n] = symbol
    rules.inner[n] = bits
    return n + 1
