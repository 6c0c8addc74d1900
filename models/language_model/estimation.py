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
from typing import TypeAlias

import numpy as np

from hyperbaton.foundation.arrays import BoolArray, FloatArray, Int32Array, Int64Array, Ragged
from hyperbaton.foundation.errors import SettingError
from hyperbaton.foundation.files.vocabulary import BEGIN, Vocabulary
from hyperbaton.models.language_model.counting import SORTING_MEMORY, NGramCounts, count_ngrams
from hyperbaton.models.language_model.ngrams import MAX_ORDER, NGrams

Count: TypeAlias = Callable[[Ragged, int, int, int], list[NGramCounts]]
FALLBACK = (0.5, 1.0, 1.5)  # discounts if the text is too small to estimate them
SMALLEST_BACKOFF = 1e-99  # γ can be 0, but ARPA files cannot represent its logarithm


def estimate(
    sentences: Ragged,
    vocabulary: Vocabulary,
    order: int = 5,
    prune: Sequence[int] = (0,),
    memory: int = SORTING_MEMORY,
    count: Count = count_ngrams,
) -> NGrams:
    """Estimates a model of the sentences, given as word ids.

    `prune` has a threshold for each length; the last one applies to all longer ones. N-grams with
    this count or less are dropped. An empty sentence counts as <s> </s>. `memory`, the bytes for
    sorting n-grams, and `count`, the function that counts them, do not change the result.
    """
    if not 1 <= order <= MAX_ORDER:
        raise SettingError(
            f"a language model of order {order} is not possible",
            expected=f"expected 1 to {MAX_ORDER}",
        )
    thresholds = _thresholds(prune, order)
    counts = count(sentences, len(vocabulary), order, memory)
    starts = np.cumsum([0, 1, *(len(level.word) for level in counts)])
    model = NGrams(
        vocabulary,
        starts,
        *(np.zeros(starts[-1], np.int32) for _ in range(2)),
        *(np.zeros(starts[-1]) for _ in range(2)),
    )
    kept = np.ones(starts[-1], dtype=bool)
    probability = np.array([1.0 / (len(counts[0].word) - 1)])  # uniform: all words but <s>
    for length in range(1, order + 1):
        level = counts.pop(0)  # frees shorter n-grams before the longest, which need most memory
        contexts, nodes = (slice(*starts[n : n + 2]) for n in (length - 1, length))
        adjusted = _adjusted(level, counts[0] if counts else None, starts[length])
        if length > 1:
            kept[nodes] = level.occurrences > thresholds[length - 1]
        here, below = level.prefix - starts[length - 1], level.suffix - starts[length - 1]
        share, gamma = _discounted(adjusted, kept[nodes], here, len(probability))
        lower = probability[below]
        lower *= gamma[here]
        share += lower
        probability = share
        if length > 1:
            model.backoff[contexts] = np.log(np.maximum(gamma, SMALLEST_BACKOFF))
        # probabilities of pruned n-grams are not used, and may be 0
        np.log(probability, where=kept[nodes], out=model.logprob[nodes])
        model.prefix[nodes], model.word[nodes] = level.prefix, level.word
    model.logprob[1 + BEGIN] = 0.0
    return _pruned(model, kept)


def _thresholds(prune: Sequence[int], order: int) -> list[int]:
    expected = f"expected at most {order} numbers that begin with 0 and never decrease"
    if (
        not 1 <= len(prune) <= order
        or prune[0] != 0
        or any(later < earlier for earlier, later in pairwise(prune))
    ):
        given = " ".join(map(str, prune))
        raise SettingError(f"{given!r} are not pruning thresholds", expected=expected)
    return [*prune, *[prune[-1]] * (order - len(prune))]


def _adjusted(level: NGramCounts, longer: NGramCounts | None, start: int) -> Int64Array:
    if longer is None:
        return level.occurrences.astype(np.int64)
    before = np.bincount(longer.suffix - start, minlength=len(level.word))
    return np.where(level.begins, level.occurrences, before)


def discounts(adjusted: Int64Array) -> FloatArray:
    """D for adjusted counts 0, 1, 2, and 3 or more (Chen and Goodman 1998, equation 26)."""
    n = np.bincount(np.minimum(adjusted, 5), minlength=6).tolist()
    if min(n[1:4]) > 0:
        y = Fraction(n[1], n[1] + 2 * n[2])
        # exact, because near 0 a rounding error would choose between two very different models
        exact = [j - (j + 1) * y * Fraction(n[j + 1], n[j]) for j in (1, 2, 3)]
        if min(exact) >= 0:
            return np.array([0.0, *map(float, exact)])
    return np.array([0.0, *FALLBACK])


def _discounted(
    adjusted: Int64Array, kept: BoolArray, context: Int32Array, n_contexts: int
) -> tuple[FloatArray, FloatArray]:
    """The first term of p for every n-gram, and γ for every context; γ is 1 if nothing follows."""
    taken = discounts(adjusted)[np.minimum(adjusted, 3)]
    np.copyto(taken, adjusted, where=~kept)
    total = np.bincount(context, adjusted, minlength=n_contexts)
    given = np.bincount(context, taken, minlength=n_contexts)
    gamma = np.divide(given, total, out=np.ones(n_contexts), where=total > 0)
    share = np.subtract(adjusted, taken, out=taken)
    share /= total[context]
    return share, gamma


def _pruned(model: NGrams, kept: BoolArray) -> NGrams:
    """The model with only the kept n-grams; prefixes of kept n-grams are kept."""
    if kept.all():
        return model
    new_number = np.cumsum(kept, dtype=np.int32) - np.int32(1)
    sizes = [int(kept[begin:end].sum()) for begin, end in pairwise(model.starts)]
    return NGrams(
        model.vocabulary,
        starts=np.cumsum([0, *sizes]),
        prefix=new_number[model.prefix[kept]],
        word=model.word[kept],
        logprob=model.logprob[kept],
        backoff=model.backoff[kept],
    )
