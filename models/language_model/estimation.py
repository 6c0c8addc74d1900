"""Interpolated modified Kneser-Ney smoothing (Chen and Goodman 1998, section 4.3), with the choices
of lmplz (Heafield et al. 2013), so that the numbers are those of `lmplz --discount_fallback`.

With a(h w) the adjusted count of an n-gram, D the discount of its length for that count, and h' the
context h without its first word:

    p(w | h) = (a(h w) − D(a(h w))) / Σ_v a(h v)  +  γ(h) p(w | h')
    γ(h)     = Σ_v D(a(h v)) / Σ_v a(h v)

The adjusted count is the number of occurrences for the longest n-grams and for those that begin
with <s>, otherwise the number of distinct words before the n-gram. Unigrams are interpolated with
the uniform distribution over all words but <s>; <unk> has count 0 and gets only its share of that.
The backoff of a context is γ, so the result is an ordinary backoff model. A pruned n-gram gives its
whole count to γ. <s> is never predicted; its probability is set to 1, as in lmplz.

Not implemented: pruning of unigrams and of words, and a vocabulary larger than the text.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hyperbaton.foundation.arrays import BoolArray, FloatArray, Int32Array, Ragged
from hyperbaton.foundation.errors import SettingError
from hyperbaton.foundation.files.scratch import Scratch, pieces
from hyperbaton.foundation.files.vocabulary import BEGIN, Vocabulary
from hyperbaton.foundation.kernels import uncounted, uncounted_kernel
from hyperbaton.models.language_model.counting import NGramCounts, count_ngrams
from hyperbaton.models.language_model.ngrams import MAX_ORDER, NGrams

Count: TypeAlias = Callable[[Ragged, int, int, Scratch], NGramCounts]
FALLBACK = (0.5, 1.0, 1.5)  # discounts if the text is too small to estimate them
SMALLEST_BACKOFF = 1e-99  # γ can be 0, but ARPA files cannot represent its logarithm


def estimate(
    sentences: Ragged,
    vocabulary: Vocabulary,
    order: int = 5,
    prune: Sequence[int] = (0,),
    scratch: Scratch = Scratch(),
    count: Count = count_ngrams,
) -> NGrams:
    """Estimates a model of the sentences, given as word ids.

    `prune` has a threshold for each length; the last one applies to all longer ones. N-grams with
    this count or less are dropped. An empty sentence counts as <s> </s>. `scratch` and `count`, the
    function that counts n-grams, do not change the result.
    """
    thresholds = pruning_thresholds(prune, order)
    counts = count(sentences, len(vocabulary), order, scratch)
    adjusted = _adjusted(counts, scratch)
    probability, gamma = (scratch.array(len(adjusted), np.float64) for _ in range(2))
    gamma[:] = 1.0  # for contexts that nothing follows
    probability[0] = 1.0 / (counts.starts[2] - 2)  # uniform: all words but <s>
    for (low, high), threshold in zip(pairwise(counts.starts[1:]), thresholds, strict=True):
        discount = discounts(adjusted[low:high])
        given = counts.prefix, counts.suffix, counts.occurrences, adjusted
        _smooth(low, high, *given, threshold, discount, probability, gamma)
    del adjusted
    probability[[0, 1 + BEGIN]] = gamma[0] = 1.0
    starts, columns = _kept(counts, thresholds, scratch, probability, gamma)
    model = NGrams(vocabulary, starts, **columns)
    for piece in pieces(0, len(model.word)):
        np.log(model.logprob[piece], out=model.logprob[piece])
        floored = np.maximum(model.backoff[piece], SMALLEST_BACKOFF)
        np.log(floored, out=model.backoff[piece])
    return model


def parse_thresholds(text: str) -> list[int]:
    """Parses `lm.prune`."""
    try:
        return [int(number) for number in text.replace(",", " ").split()]
    except ValueError:
        raise SettingError(
            f"{text!r} is not a list of thresholds",
            expected='expected whole numbers such as "0 0 1"',
        ) from None


def pruning_thresholds(prune: Sequence[int], order: int) -> list[int]:
    """A threshold for each length; rejects impossible settings."""
    if not 1 <= order <= MAX_ORDER:
        raise SettingError(
            f"a language model of order {order} is not possible",
            expected=f"expected 1 to {MAX_ORDER}",
        )
    expected = f"expected at most {order} numbers that begin with 0 and never decrease"
    if (
        not 1 <= len(prune) <= order
        or prune[0] != 0
        or any(later < earlier for earlier, later in pairwise(prune))
    ):
        given = " ".join(map(str, prune))
        raise SettingError(f"invalid pruning thresholds {given!r}", expected=expected)
    return [*prune, *[prune[-1]] * (order - len(prune))]


def _adjusted(counts: NGramCounts, scratch: Scratch) -> Int32Array:
    adjusted: Int32Array = scratch.array(len(counts.word), np.int32)
    _count_words_before(counts.starts[2], counts.suffix, adjusted)
    for low, high in (*counts.begins, counts.starts[-2:]):
        adjusted[low:high] = counts.occurrences[low:high]
    return adjusted


@uncounted_kernel
def _count_words_before(start, suffix, adjusted):
    for node in range(start, len(suffix)):
        adjusted[suffix[node]] += 1


def discounts(adjusted: NDArray[np.integer]) -> FloatArray:
    """D for adjusted counts 0, 1, 2, and 3 or more (Chen and Goodman 1998, equation 26)."""
    n_with = np.zeros(6, np.int64)
    for piece in pieces(0, len(adjusted)):
        n_with += np.bincount(np.minimum(adjusted[piece], 5), minlength=6)
    n = n_with.tolist()
    if min(n[1:4]) > 0:
        y = Fraction(n[1], n[1] + 2 * n[2])
        # exact, because near 0 a rounding error would choose between two very different models
        exact = [j - (j + 1) * y * Fraction(n[j + 1], n[j]) for j in (1, 2, 3)]
        if min(exact) >= 0:
            return np.array([0.0, *map(float, exact)])
    return np.array([0.0, *FALLBACK])


@uncounted_kernel
def _smooth(
    low, high, prefix, suffix, occurrences, adjusted, threshold, discount, probability, gamma
):
    """Smooths the n-grams of one length; those of a context are adjacent."""
    while low < high:
        context, end = prefix[low], low
        total, given = 0, 0.0
        while end < high and prefix[end] == context:
            total += adjusted[end]
            given += _taken(adjusted[end], occurrences[end] > threshold, discount)
            end += 1
        gamma[context] = given / total
        for node in range(low, end):
            taken = _taken(adjusted[node], occurrences[node] > threshold, discount)
            share = (adjusted[node] - taken) / total
            probability[node] = share + probability[suffix[node]] * gamma[context]
        low = end


@uncounted
def _taken(count, is_kept, discount):
    """The part of a count that goes to γ."""
    return discount[min(count, 3)] if is_kept else float(count)


def _kept(
    counts: NGramCounts,
    thresholds: Sequence[int],
    scratch: Scratch,
    probability: FloatArray,
    gamma: FloatArray,
) -> tuple[NDArray[np.int64], dict[str, NDArray[Any]]]:
    """The starts and columns without pruned n-grams; prefixes and suffixes are renumbered."""
    columns: dict[str, NDArray[Any]] = {
        "prefix": counts.prefix,
        "word": counts.word,
        "logprob": probability,
        "backoff": gamma,
        "suffix": counts.suffix,
    }
    if not any(thresholds):
        return counts.starts, columns
    is_kept: BoolArray = scratch.array(len(counts.word), np.bool_)
    is_kept[: counts.starts[2]] = True
    for (low, high), threshold in zip(pairwise(counts.starts[2:]), thresholds[1:], strict=True):
        np.greater(counts.occurrences[low:high], threshold, out=is_kept[low:high])
    new_number: Int32Array = scratch.array(len(is_kept), np.int32)
    np.cumsum(is_kept, dtype=np.int32, out=new_number)
    sizes = [np.count_nonzero(is_kept[low:high]) for low, high in pairwise(counts.starts)]
    smaller = {name: scratch.column(array.dtype) for name, array in columns.items()}
    for piece in pieces(0, len(is_kept)):
        kept = is_kept[piece]
        for name, array in columns.items():
            values = array[piece][kept]
            is_node = name in ("prefix", "suffix")
            smaller[name].append(new_number[values] - np.int32(1) if is_node else values)
    return np.cumsum([0, *sizes]), {name: column.finish() for name, column in smaller.items()}
