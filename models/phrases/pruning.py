"""Which phrase pairs are worth keeping: by rank, by significance.

Significance is Fisher's exact test on the sentences in which the two phrases occur (Johnson et al.
2007): with N sentence pairs, of which C(f) hold f, C(e) hold e and C(f, e) both, the probability
that independent phrases meet at least that often is a hypergeometric tail. Pairs whose −log p is
below a threshold are dropped. Two phrases that occur once each, together, have −log p = log N =: α,
so `a+e` drops all such pairs and `a-e` keeps them.
"""

import numpy as np

from models.arrays import BoolArray, FloatArray, Int64Array, Ragged
from models.data.corpus import AlignedCorpus
from models.data.sorted_arrays import lower_bound
from models.errors import SettingError
from models.kernels import inner, kernel
from models.phrases.scoring import PhrasePairs
from models.phrases.trie import SpanIds

EPSILON = 1e-6  # distance from α: the rounding errors of the sums are far smaller
NEGLIGIBLE = 50.0  # nats below the largest term of a tail


def keep_best(pairs: PhrasePairs, direct: FloatArray, top: int) -> BoolArray:
    """The `top` pairs of each source phrase by φ(e|f); ties by target id."""
    order = np.lexsort((pairs.target, -direct, pairs.source))
    source = pairs.source[order]
    first = np.searchsorted(source, source)  # where the run of this source phrase begins
    keep = np.empty(len(order), bool)
    keep[order] = np.arange(len(order)) - first < top
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


def keep_significant(
    pairs: PhrasePairs, source: SpanIds, target: SpanIds, corpus: AlignedCorpus, threshold: float
) -> BoolArray:
    postings = *_postings(source, corpus.source.words), *_postings(target, corpus.target.words)
    log_factorials = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, len(corpus) + 1)))])
    significance = _significance(pairs.source, pairs.target, *postings, log_factorials)
    keep: BoolArray = significance >= threshold
    return keep


def _postings(spans: SpanIds, words: Ragged) -> tuple[Int64Array, Int64Array]:
    """For each phrase the sentences that hold it, in order, as a run of one array."""
    sentence = np.broadcast_to(words.row_of_value, spans.ids.shape)
    inside = spans.ids >= 0
    n_sentences = max(1, len(words))
    keys = np.unique(spans.ids[inside].astype(np.int64) * n_sentences + sentence[inside])
    begin = np.searchsorted(keys // n_sentences, np.arange(len(spans.length) + 1))
    return begin, keys % n_sentences


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
