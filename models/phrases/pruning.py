"""Which phrase pairs are worth keeping: by rank, by significance.

Significance is Fisher's exact test on the sentences in which the two phrases occur (Johnson et al.
2007): with N sentence pairs, of which C(f) hold f, C(e) hold e and C(f, e) both, the probability
that independent phrases meet at least that often is a hypergeometric tail. Pairs whose −log p is
below a threshold are dropped. Two phrases that occur once each, together, have −log p = log N =: α,
so `a+e` drops all such pairs and `a-e` keeps them.
"""

from typing import NamedTuple

import numpy as np

from models.arrays import BoolArray, FloatArray, Int32Array, Int64Array, Ragged
from models.data.sorted_arrays import lower_bound
from models.errors import SettingError
from models.hashing import EMPTY
from models.kernels import inner, kernel
from models.phrases.sorted_trie import ROOT, Nodes, child, rooted

EPSILON = 1e-6  # distance from α: the rounding errors of the sums are far smaller
FEW = 24  # pairs of a run that are sorted by insertion
NEGLIGIBLE = 50.0  # nats below the largest term of a tail


@kernel
def best_first(n_pairs, direct, row):
    """The order that sorts the pairs of each run by φ(e|f), best first; ties by target phrase."""
    order = np.empty(len(row), np.int64)
    end = 0
    for node in range(len(n_pairs)):
        begin, end = end, end + n_pairs[node]
        if n_pairs[node] > FEW:
            by_row = np.argsort(row[begin:end], kind="mergesort")
            by_both = by_row[np.argsort(-direct[begin:end][by_row], kind="mergesort")]
            order[begin:end] = begin + by_both
            continue
        for pair in range(begin, end):
            at = pair
            while at > begin and (
                direct[order[at - 1]] < direct[pair]
                or (direct[order[at - 1]] == direct[pair] and row[order[at - 1]] > row[pair])
            ):
                order[at] = order[at - 1]
                at -= 1
            order[at] = pair
    return order


def keep_best(order: Int64Array, n_pairs: Int32Array, top: int) -> BoolArray:
    """The first `top` pairs of each source phrase, given their order in runs of `n_pairs`."""
    begin = np.cumsum(n_pairs) - n_pairs
    keep = np.empty(len(order), bool)
    keep[order] = np.arange(len(order)) - np.repeat(begin, n_pairs) < top
    return keep


def significance_threshold(text: str, n_sentences: int) -> float:
    """−log p that a pair must reach: `a+e`, `a-e` or a number."""
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


class Postings(NamedTuple):
    """The sentences that hold each phrase, in order, as runs of one array."""

    begin: Int64Array
    sentences: Int32Array


def find_sentences(nodes: Nodes, words: Ragged) -> Postings:
    """The sentences of a text that hold the phrases of each node."""
    trie, n = rooted(nodes), len(nodes.word)
    n_levels = len(nodes.level_begin) - 1
    begin = np.zeros(n + 1, np.int64)
    _walk(trie, words.values, words.offsets, n_levels, begin[1:], np.empty(0, np.int32))
    begin = np.cumsum(begin)
    sentences = np.empty(begin[-1], np.int32)
    _walk(trie, words.values, words.offsets, n_levels, begin[:-1].copy(), sentences)
    return Postings(begin, sentences)


@kernel
def _walk(trie, words, offsets, n_levels, cursor, sentences):
    """Follows the trie from every word; with an empty array it only counts, in `cursor`."""
    last = np.full(len(cursor), -1, np.int32)  # the sentence in which each phrase was met last
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
    source: Int64Array, target: Int64Array, in_source: Postings, in_target: Postings, n: int
) -> FloatArray:
    """−log p of pairs of phrases, in a corpus of n sentence pairs."""
    values: FloatArray = _significance(source, target, *in_source, *in_target, log_factorials(n))
    return values


def log_factorials(n: int) -> FloatArray:
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])


@kernel
def _significance(
    source, target, source_begin, source_sentences, target_begin, target_sentences, log_factorial
):
    """−log of the probability of at least as many common sentences, for every pair."""
    result = np.empty(len(source))
    total = len(log_factorial) - 1
    for pair in range(len(source)):
        a, a_end = source_begin[source[pair]], source_begin[source[pair] + 1]
        b, b_end = target_begin[target[pair]], target_begin[target[pair] + 1]
        in_source, in_target = a_end - a, b_end - b
        both = 0
        if in_source > in_target:  # walk the shorter list, search in the longer one
            for k in range(b, b_end):
                at = lower_bound(source_sentences, a, a_end, target_sentences[k])
                both += at < a_end and source_sentences[at] == target_sentences[k]
        else:
            for k in range(a, a_end):
                at = lower_bound(target_sentences, b, b_end, source_sentences[k])
                both += at < b_end and target_sentences[at] == source_sentences[k]
        result[pair] = -_log_tail(both, in_source, in_target, total, log_factorial)
    return result


@inner
def _log_tail(both, in_source, in_target, total, log_factorial):
    """log P(X ≥ both), X the size of the intersection of random sets of the two sizes."""
    constant = (
        log_factorial[in_source] + log_factorial[total - in_source]
        + log_factorial[in_target] + log_factorial[total - in_target]
        - log_factorial[total]
    )  # fmt: skip
    highest = -np.inf
    scaled = 0.0  # sum of terms divided by exp(highest)
    for k in range(max(both, in_source + in_target - total), min(in_source, in_target) + 1):
        term = constant - (
            log_factorial[k] + log_factorial[in_source - k] + log_factorial[in_target - k]
            + log_factorial[total - in_source - in_target + k]
        )  # fmt: skip
        if term > highest:
            scaled = scaled * np.exp(highest - term) + 1.0
            highest = term
        elif term < highest - NEGLIGIBLE:
            break  # terms rise up to the mode and fall after it
        else:
            scaled += np.exp(term - highest)
    return min(0.0, highest + np.log(scaled))
