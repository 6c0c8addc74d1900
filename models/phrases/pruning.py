"""Prunes phrase pairs by rank and by significance.

Significance is Fisher's exact test on the sentences in which the two phrases occur (Johnson et al.
2007): with N sentence pairs, of which C(f) contain f, C(e) contain e and C(f, e) both, the
probability that independent phrases co-occur at least that often is a hypergeometric tail. Pairs
whose −log p is below a threshold are dropped. Two phrases that occur once, in the same sentence
pair, have −log p = log N =: α, so `a+e` drops all such pairs and `a-e` keeps them.
"""

import math

import numpy as np

from hyperbaton.foundation.arrays import BoolArray, FloatArray, Int32Array, Int64Array, Ragged
from hyperbaton.foundation.errors import SettingError
from hyperbaton.foundation.hashing import EMPTY
from hyperbaton.foundation.kernels import inner, kernel
from hyperbaton.foundation.sorted_arrays import lower_bound
from hyperbaton.models.phrases.sorted_trie import ROOT, Nodes, child, rooted

EPSILON = 1e-6  # distance from α: the rounding errors of the sums are far smaller
FEW_FACTORS = 32  # up to here, factors are multiplied one by one
STIRLING = 1000  # above this, the third term of Stirling's series is below 1e-11
NEGLIGIBLE = 50.0  # nats below the largest term of a tail


@kernel
def best_first(n_pairs, direct, row):
    """The order that sorts the pairs of each run by φ(e|f), best first; ties by target phrase."""
    order = np.empty(len(row), np.int64)
    end = 0
    for node in range(len(n_pairs)):
        begin, end = end, end + n_pairs[node]
        for pair in range(begin, end):
            order[pair] = pair
        gap = end - begin
        while gap > 1:  # as in `collecting.py`
            gap = max(1, gap * 5 // 11)
            for k in range(begin + gap, end):
                pair, at = order[k], k
                while at >= begin + gap and (
                    direct[order[at - gap]] < direct[pair]
                    or (
                        direct[order[at - gap]] == direct[pair] and row[order[at - gap]] > row[pair]
                    )
                ):
                    order[at] = order[at - gap]
                    at -= gap
                order[at] = pair
    return order


def keep_best(order: Int64Array, n_pairs: Int32Array, top: int) -> BoolArray:
    """The first `top` pairs of each source phrase, given their order in runs of `n_pairs`."""
    begin = np.cumsum(n_pairs) - n_pairs
    keep = np.empty(len(order), bool)
    keep[order] = np.arange(len(order)) - np.repeat(begin, n_pairs) < top
    return keep


def significance_threshold(text: str, n_sentences: int) -> float:
    """The smallest −log p of a pair: `a+e`, `a-e` or a number."""
    alpha = float(np.log(n_sentences))
    named = {"a+e": alpha + EPSILON, "a-e": alpha - EPSILON}
    if text in named:
        return named[text]
    try:
        threshold = float(text)
    except ValueError:
        threshold = np.nan
    if not 0 <= threshold < np.inf:
        raise SettingError(
            f"{text!r} is not a significance threshold",
            expected="expected none, a+e, a-e or a number from 0 up",
        )
    return threshold


def find_sentences(nodes: Nodes, words: Ragged) -> Ragged:
    """The sorted numbers of the sentences that contain the phrase of each node."""
    trie, n = rooted(nodes), len(nodes.word)
    n_levels = len(nodes.level_begin) - 1
    begin = np.zeros(n + 1, np.int64)
    _walk(trie, words.values, words.offsets, n_levels, begin[1:], np.empty(0, np.int32))
    begin = np.cumsum(begin)
    sentences = np.empty(begin[-1], np.int32)
    _walk(trie, words.values, words.offsets, n_levels, begin[:-1].copy(), sentences)
    return Ragged(sentences, begin)


@kernel
def _walk(trie, words, offsets, n_levels, cursor, sentences):
    """Follows the trie from every word; with an empty array, only counts, in `cursor`."""
    last = np.full(len(cursor), -1, np.int32)  # the last sentence that contained each phrase
    for sentence in range(len(offsets) - 1):
        for start in range(offsets[sentence], offsets[sentence + 1]):
            node = np.int32(ROOT)
            for at in range(start, min(start + n_levels, offsets[sentence + 1])):
                node = child(trie, node, words[at])
                if node == EMPTY:
                    break
                if last[node - 1] != sentence:
                    last[node - 1] = sentence
                    if len(sentences):
                        sentences[cursor[node - 1]] = sentence
                    cursor[node - 1] += 1


def significance(
    source: Int64Array, target: Int64Array, in_source: Ragged, in_target: Ragged, n: int
) -> FloatArray:
    """−log p of phrase pairs in a corpus of n sentence pairs, from the sentences of each phrase."""
    lists = in_source.offsets, in_source.values, in_target.offsets, in_target.values
    values: FloatArray = significance_of_counts(*_common_sentences(source, target, *lists), n)
    return values


@kernel
def _common_sentences(
    source, target, source_begin, source_sentences, target_begin, target_sentences
):
    """For each pair, the number of sentences with the target phrase, the source phrase, and
    both."""
    counts = np.zeros((3, len(source)), np.int64)
    for pair in range(len(source)):
        a, a_end = source_begin[source[pair]], source_begin[source[pair] + 1]
        b, b_end = target_begin[target[pair]], target_begin[target[pair] + 1]
        both = 0
        if a_end - a > b_end - b:  # iterate over the shorter list, search in the longer one
            for k in range(b, b_end):
                at = lower_bound(source_sentences, a, a_end, target_sentences[k])
                both += at < a_end and source_sentences[at] == target_sentences[k]
        else:
            for k in range(a, a_end):
                at = lower_bound(target_sentences, b, b_end, source_sentences[k])
                both += at < b_end and target_sentences[at] == source_sentences[k]
        counts[0, pair], counts[1, pair], counts[2, pair] = b_end - b, a_end - a, both
    return counts


@kernel
def significance_of_counts(in_target, in_source, both, total):
    """−log of the probability of at least `both` co-occurrences, for every pair."""
    result = np.empty(len(both))
    for pair in range(len(both)):
        result[pair] = -_log_tail(both[pair], in_source[pair], in_target[pair], total)
    return result


@inner
def _log_tail(both, in_source, in_target, total):
    """log P(X ≥ both), X the size of the intersection of random sets of the two sizes.

    P(X = k) = C(s, k) C(N − s, l − k) / C(N, l), in falling factorials C(s, k) l^k (N − l)^(s − k)
    / N^s: none of them is a small difference of large numbers.
    """
    small, large = min(in_source, in_target), max(in_source, in_target)
    first = max(both, small + large - total)
    term = (
        _log_falling(small, first) - math.lgamma(first + 1.0) + _log_falling(large, first)
        + _log_falling(total - large, small - first) - _log_falling(total, small)
    )  # fmt: skip
    highest, scaled = term, 1.0  # `scaled` is the sum of the terms divided by exp(highest)
    for k in range(first, small):
        term += np.log(
            (small - k) * float(large - k) / ((k + 1.0) * (total - small - large + k + 1.0))
        )
        if term > highest:
            scaled = scaled * np.exp(highest - term) + 1.0
            highest = term
        elif term < highest - NEGLIGIBLE:
            break  # terms increase up to the mode and decrease after it
        else:
            scaled += np.exp(term - highest)
    return min(0.0, highest + np.log(scaled))


@inner
def _log_falling(n, k):
    """log n (n − 1) … (n − k + 1)."""
    if k <= FEW_FACTORS:
        total = 0.0
        for i in range(k):
            total += np.log(float(n - i))
        return total
    left = float(n - k)
    if left < STIRLING:
        return math.lgamma(n + 1.0) - math.lgamma(left + 1.0)
    return (  # Stirling's series for n! and (n − k)!, large parts cancelled by hand
        k * np.log(float(n)) - (left + 0.5) * np.log1p(-k / float(n)) - k
        + (1.0 / n - 1.0 / left) / 12.0
    )  # fmt: skip
