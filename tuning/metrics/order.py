"""Word order metrics: does a translation visit the source words in the order of a reference?

They use only visit sequences (`tuning/metrics/visits.py`), not words, so that word order is
measured separately from word choice. For the visits h_1..h_n of the hypothesis and r_1.. of a
reference:

    PDscore   Xiang et al. 2011, eq. 8: the share of the n pairs (h_{i−1}, h_i) that also follow one
              another in the reference. h_0 = r_0 = beginning of the sentence, so that the first
              visit counts; the end does not. Over a corpus, pairs and n are summed.

The others compare complete permutations of the n words of the source sentence, and average over
the sentences that have words. A sentence of one word counts as in order.

    Kendall's tau   share of the n(n−1)/2 pairs of words in the same order (Birch and Osborne 2011);
                    `square_root`: 1 − √(share in the other order) (Birch and Osborne 2010)
    Hamming         share of the words at the same place (Birch and Osborne 2010)
    fuzzy           1 − (C − 1)/(n − 1) for C chunks, the longest runs of words that follow one
                    another in both (Talbot et al. 2011); `boundaries`: beginning and end count as
                    words that never move, so that there are n + 1 places where a chunk may break

LRscore (Birch and Osborne 2010, 2011) joins word order and word choice:
α · mean of (order score × brevity penalty) + (1 − α) · BLEU.

If the lengths of the source sentences are unknown, a sentence is assumed to end at the last word
that either side visits. The distance of a move counts only through the words that it crosses.
"""

from abc import abstractmethod

import numpy as np

from hyperbaton.foundation.arrays import BoolArray, FloatArray, Int64Array, Ragged
from hyperbaton.foundation.errors import DataError, SettingError
from hyperbaton.foundation.kernels import kernel
from hyperbaton.tuning.metrics.base import Metric, Outputs, ratio
from hyperbaton.tuning.metrics.bleu import closest_lengths
from hyperbaton.tuning.metrics.visits import Visits, complete, visits_of_sequences
from hyperbaton.tuning.metrics.words import batches

UNALIGNED = "unaligned:after-previous"  # the rule of `complete`, for signatures
NO_WORD = -1


class OrderMetric(Metric):
    """A share: the first statistic divided by the second."""

    needs_visits = True

    def score(self, sums: FloatArray) -> FloatArray:
        return self.scale * ratio(sums[..., 0], sums[..., 1])


class PDscore(OrderMetric):
    """Pairwise distortion accuracy, Xiang et al. 2011, eq. 8."""

    name = "PDscore"
    signature = "PDscore|begin:yes|end:no|average:micro|unaligned:skipped"

    def statistics(self, outputs: Outputs) -> FloatArray:
        """Pairs that the reference also has, and n."""
        hypothesis, reference = (visits.sequences for visits in _both_visits(outputs))
        matches = _kept_neighbours(hypothesis, reference) + _same_ends(hypothesis, reference)[0]
        return np.stack([matches, hypothesis.lengths], axis=1).astype(np.float64)


class PermutationMetric(OrderMetric):
    """A metric that averages scores of sentences, 0 to 1, over those that have words."""

    kind: str  # name and options, for the signature

    @property
    def signature(self) -> str:
        return f"{self.kind}|average:sentences|{UNALIGNED}"

    @abstractmethod
    def agreement(self, hypothesis: Ragged, reference: Ragged) -> FloatArray:
        """Scores of permutations of the same lengths, (n_sentences,), 1 for the same order."""

    def statistics(self, outputs: Outputs) -> FloatArray:
        """The score of the sentence, and 1; both 0 for a sentence without words."""
        hypothesis, reference = _permutations(outputs)
        has_words = hypothesis.lengths > 0
        scores = self.agreement(hypothesis, reference) * has_words
        return np.stack([scores, has_words], axis=1).astype(np.float64)


class KendallTau(PermutationMetric):
    """Pairs of source words in the same order."""

    def __init__(self, *, square_root: bool = False) -> None:
        self.square_root = square_root
        self.name = "Kendall √" if square_root else "Kendall"
        self.kind = f"Kendall|root:{'yes' if square_root else 'no'}"

    def agreement(self, hypothesis: Ragged, reference: Ragged) -> FloatArray:
        n = hypothesis.lengths
        turned = _inversions(hypothesis.values, reference.values, hypothesis.offsets)
        share = ratio(turned, n * (n - 1) / 2)
        scores: FloatArray = 1 - (np.sqrt(share) if self.square_root else share)
        return scores


class Hamming(PermutationMetric):
    """Source words at the same place."""

    name = kind = "Hamming"

    def agreement(self, hypothesis: Ragged, reference: Ragged) -> FloatArray:
        same = hypothesis.values == reference.values
        row = hypothesis.row_of_value
        return ratio(np.bincount(row, same, len(hypothesis)), hypothesis.lengths)


class FuzzyReordering(PermutationMetric):
    """Talbot et al. 2011: 1 − (C − 1)/(n − 1) is the share of neighbours that stay neighbours."""

    def __init__(self, *, boundaries: bool = False) -> None:
        self.boundaries = boundaries
        self.name = "fuzzy (ends)" if boundaries else "fuzzy"
        self.kind = f"fuzzy|boundaries:{'yes' if boundaries else 'no'}"

    def agreement(self, hypothesis: Ragged, reference: Ragged) -> FloatArray:
        kept = _kept_neighbours(hypothesis, reference)
        n = hypothesis.lengths
        if self.boundaries:
            first, last = _same_ends(hypothesis, reference)
            return ratio(kept + first + last, n + 1)
        return np.where(n > 1, ratio(kept, n - 1), 1.0)


class LRscore(Metric):
    """Lexical and reordering score: interpolates an order metric and BLEU (or another).

    Birch and Osborne fit α to human judgements for each language pair; the default 0.5 is not
    fitted. Their brevity penalty per sentence prevents short translations from scoring well.
    """

    needs_visits = True

    def __init__(self, order: PermutationMetric, lexical: Metric, *, alpha: float = 0.5) -> None:
        if not 0 <= alpha <= 1:
            raise SettingError(
                f"the weight alpha of LRscore is {alpha}",
                expected="from 0 (only the lexical score) to 1 (only the order)",
            )
        if not lexical.higher_is_better:
            raise SettingError(
                f"LRscore cannot use {lexical.name}",
                expected="a lexical metric for which higher is better, such as BLEU",
            )
        self.order, self.lexical, self.alpha = order, lexical, alpha
        self.name = f"LRscore ({order.name}, {lexical.name})"

    @property
    def signature(self) -> str:
        parts = f"order:[{self.order.signature}]|lexical:[{self.lexical.signature}]"
        return f"LRscore|alpha:{self.alpha:g}|brevity:sentence|{parts}"

    def statistics(self, outputs: Outputs) -> FloatArray:
        """The order score times brevity penalty, 1, and the statistics of the lexical metric."""
        order = self.order.statistics(outputs)
        order[:, 0] *= _brevity_penalties(outputs)
        return np.concatenate([order, self.lexical.statistics(outputs)], axis=1)

    def score(self, sums: FloatArray) -> FloatArray:
        return self._interpolate(sums, self.lexical.score(sums[..., 2:]))

    def sentence_scores(self, statistics: FloatArray) -> FloatArray:
        lexical = self.lexical.sentence_scores(statistics[:, 2:])
        return self._interpolate(statistics, lexical)

    def _interpolate(self, sums: FloatArray, lexical: FloatArray) -> FloatArray:
        order = ratio(sums[..., 0], sums[..., 1])
        lexical = lexical / self.lexical.scale
        return self.scale * (self.alpha * order + (1 - self.alpha) * lexical)


def _both_visits(outputs: Outputs) -> tuple[Visits, Visits]:
    """The visits of hypotheses and references, one sequence per sentence."""
    both = []
    for side, visits in (
        ("hypotheses", outputs.hypothesis_visits),
        ("references", outputs.reference_visits),
    ):
        if visits is None:
            raise DataError(
                f"there are no visit sequences of the {side}",
                expected="word order metrics need word alignments of the source sentences with "
                "the hypotheses and with the references",
            )
        if len(visits) != len(outputs):
            raise DataError(
                f"{len(visits)} visit sequences of the {side}",
                expected=f"there are {len(outputs)} sentences",
            )
        both.append(visits_of_sequences(visits))
    return both[0], both[1]


def _permutations(outputs: Outputs) -> tuple[Ragged, Ragged]:
    """The complete permutations of hypotheses and references, of equal lengths."""
    hypothesis, reference = _both_visits(outputs)
    needed = np.zeros(len(outputs), dtype=np.int64)
    for visits in (hypothesis, reference):
        np.maximum.at(needed, visits.sequences.row_of_value, visits.sequences.values + 1)
    known = [visits.n_source for visits in (hypothesis, reference) if visits.n_source is not None]
    lengths = known[0] if known else needed
    if known and not np.array_equal(known[0], known[-1]):
        sentence = np.flatnonzero(known[0] != known[1])[0]
        raise DataError(
            f"{known[0][sentence]} source words for the hypothesis, {known[1][sentence]} for the "
            "reference",
            where=f"sentence {sentence + 1}",
            expected="both must be translations of the same sentence",
        )
    if np.any(needed > lengths):
        sentence = np.flatnonzero(needed > lengths)[0]
        raise DataError(
            f"there is no source word {needed[sentence] - 1}",
            where=f"visits of sentence {sentence + 1}",
            expected=f"the source sentence has {lengths[sentence]} words, counted from 0",
        )
    return complete(hypothesis, lengths), complete(reference, lengths)


def _same_ends(hypothesis: Ragged, reference: Ragged) -> tuple[BoolArray, BoolArray]:
    """Whether both begin with the same word, and whether both end with the same one."""
    some = (hypothesis.lengths > 0) & (reference.lengths > 0)
    first, last = np.zeros((2, len(some)), dtype=bool)
    starts, ends = hypothesis.offsets[:-1][some], hypothesis.offsets[1:][some]
    own_starts, own_ends = reference.offsets[:-1][some], reference.offsets[1:][some]
    first[some] = hypothesis.values[starts] == reference.values[own_starts]
    last[some] = hypothesis.values[ends - 1] == reference.values[own_ends - 1]
    return first, last


def _kept_neighbours(hypothesis: Ragged, reference: Ragged) -> Int64Array:
    """The number of neighbours in the hypothesis' visits that are neighbours in the reference's."""
    most = max(int(visits.values.max(initial=-1)) for visits in (hypothesis, reference))
    kept: Int64Array = _count_kept(
        hypothesis.values, hypothesis.offsets, reference.values, reference.offsets, most + 1
    )
    return kept


def _brevity_penalties(outputs: Outputs) -> FloatArray:
    """min(1, exp(1 − r/t)) for each sentence of t words; r is the closest reference length."""
    penalties = [np.zeros(0)]
    for batch in batches(outputs, str):
        length, nearest = batch.hypotheses.lengths, closest_lengths(batch)
        excess = ratio(nearest, length) - 1
        penalty = np.exp(-np.maximum(excess, 0))
        penalties.append(np.where((length == 0) & (nearest > 0), 0.0, penalty))
    return np.concatenate(penalties)


@kernel
def _count_kept(
    hypothesis: Int64Array,  # (n_visits,)
    hypothesis_offsets: Int64Array,  # (n_sentences + 1,)
    reference: Int64Array,
    reference_offsets: Int64Array,
    n_positions: int,
) -> Int64Array:
    n_sentences = len(hypothesis_offsets) - 1
    kept = np.zeros(n_sentences, dtype=np.int64)
    following = np.full(n_positions, NO_WORD)  # what the reference visits after a word
    for sentence in range(n_sentences):
        begin, end = reference_offsets[sentence], reference_offsets[sentence + 1]
        for j in range(begin + 1, end):
            following[reference[j - 1]] = reference[j]
        for i in range(hypothesis_offsets[sentence] + 1, hypothesis_offsets[sentence + 1]):
            kept[sentence] += following[hypothesis[i - 1]] == hypothesis[i]
        for j in range(begin, end):  # reset for the next sentence
            following[reference[j]] = NO_WORD
    return kept


@kernel
def _inversions(hypothesis: Int64Array, reference: Int64Array, offsets: Int64Array) -> Int64Array:
    """Counts pairs in different order, for permutations of equal lengths, in O(n log n).

    A Fenwick tree over positions in the reference counts the words already seen; for each word of
    the hypothesis, it gives the number of earlier words that come later in the reference.
    """
    n_sentences = len(offsets) - 1
    turned = np.zeros(n_sentences, dtype=np.int64)
    longest = 0
    for sentence in range(n_sentences):
        longest = max(longest, offsets[sentence + 1] - offsets[sentence])
    place = np.empty(longest, dtype=np.int64)
    tree = np.empty(longest + 1, dtype=np.int64)
    for sentence in range(n_sentences):
        begin, n = offsets[sentence], offsets[sentence + 1] - offsets[sentence]
        tree[: n + 1] = 0
        for j in range(n):
            place[reference[begin + j]] = j
        for i in range(n):
            at = place[hypothesis[begin + i]]
            n_before, node = 0, at
            while node > 0:
                n_before += tree[node]
                node -= node & -node
            turned[sentence] += i - n_before
            node = at + 1
            while node <= n:
                tree[node] += 1
                node += node & -node
    return turned
