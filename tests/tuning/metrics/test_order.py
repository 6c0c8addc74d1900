import math
from itertools import combinations

import numpy as np
import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from hyperbaton.foundation.errors import SettingError
from hyperbaton.tuning.metrics.base import Metric, Outputs
from hyperbaton.tuning.metrics.bleu import Bleu
from hyperbaton.tuning.metrics.catalogue import make_metrics
from hyperbaton.tuning.metrics.order import FuzzyReordering, Hamming, KendallTau, LRscore, PDscore
from hyperbaton.tuning.metrics.visits import visits_of_sequences
from tests.refusals import refusals, refused

PERMUTATION_METRICS = [
    KendallTau(), KendallTau(square_root=True), Hamming(), FuzzyReordering(),
    FuzzyReordering(boundaries=True),
]  # fmt: skip
VISIT_METRICS = [PDscore(), *PERMUTATION_METRICS]


def judged(hypothesis_visits, reference_visits, n_source=None):
    words = ["w"] * len(hypothesis_visits)
    return Outputs(
        words,
        [[word] for word in words],
        visits_of_sequences(hypothesis_visits, n_source),
        visits_of_sequences(reference_visits, n_source),
    )


def one(metric, hypothesis, reference):
    return metric.corpus_score(judged([hypothesis], [reference])) / 100


@st.composite
def two_orders(draw):
    """Two permutations of as many words."""
    n = draw(st.integers(1, 9))
    return draw(st.permutations(range(n))), draw(st.permutations(range(n)))


@st.composite
def two_visits(draw):
    """Two visit sequences that need not visit the same words."""
    n = draw(st.integers(0, 8))
    sequences = [draw(st.permutations(range(n)))[: draw(st.integers(0, n))] for _ in range(2)]
    return sequences[0], sequences[1], n


corpora = st.lists(two_visits(), max_size=6)


def outputs_of(corpus):
    return judged([h for h, _, _ in corpus], [r for _, r, _ in corpus], [n for _, _, n in corpus])


def test_two_neighbours_exchanged_by_hand():
    hypothesis, reference = [0, 2, 1, 3], [0, 1, 2, 3]
    assert one(PDscore(), hypothesis, reference) == pytest.approx(1 / 4)  # only the beginning
    assert one(KendallTau(), hypothesis, reference) == pytest.approx(5 / 6)
    assert one(KendallTau(square_root=True), hypothesis, reference) == pytest.approx(
        1 - math.sqrt(1 / 6)
    )
    assert one(Hamming(), hypothesis, reference) == pytest.approx(2 / 4)
    assert one(FuzzyReordering(), hypothesis, reference) == 0  # 0 | 2 | 1 | 3
    assert one(FuzzyReordering(boundaries=True), hypothesis, reference) == pytest.approx(2 / 5)


def test_a_phrase_moved_as_a_whole_by_hand():
    # Xiang et al.: a phrase at a wrong place should be punished once, not for each of its words
    hypothesis, reference = [3, 4, 5, 0, 1, 2], [0, 1, 2, 3, 4, 5]
    assert one(PDscore(), hypothesis, reference) == pytest.approx(4 / 6)
    assert one(KendallTau(), hypothesis, reference) == pytest.approx(6 / 15)
    assert one(Hamming(), hypothesis, reference) == 0
    assert one(FuzzyReordering(), hypothesis, reference) == pytest.approx(1 - 1 / 5)
    assert one(FuzzyReordering(boundaries=True), hypothesis, reference) == pytest.approx(4 / 7)


def test_pdscore_divides_by_the_visits_of_the_hypothesis():
    # The reference leaves word 1 out, the hypothesis words 0 and 3
    assert one(PDscore(), [2, 1], [0, 2, 3]) == 0
    assert one(PDscore(), [0, 2], [0, 2, 3, 1]) == 1
    assert one(PDscore(), [0, 2, 3, 1], [0, 2]) == pytest.approx(2 / 4)


def test_pdscore_sums_over_the_corpus():
    outputs = judged([[0], [0, 1, 2]], [[0], [0, 2, 1]])
    assert PDscore().statistics(outputs).tolist() == [[1, 1], [1, 3]]
    assert PDscore().corpus_score(outputs) == pytest.approx(100 * 2 / 4)


def test_the_others_average_over_sentences_with_words():
    outputs = judged([[0], [], [2, 1, 0]], [[0], [], [0, 1, 2]], [1, 0, 3])
    assert KendallTau().statistics(outputs).tolist() == [[1, 1], [0, 0], [0, 1]]
    assert KendallTau().corpus_score(outputs) == pytest.approx(50)
    assert Hamming().corpus_score(outputs) == pytest.approx(100 * (1 + 1 / 3) / 2)


def test_unaligned_words_follow_the_word_before_them():
    # Source of 4: visits 2 0 mean 2 3 0 1; the reference means 0 1 2 3
    outputs = judged([[2, 0]], [[0, 2]], [4])
    assert KendallTau().corpus_score(outputs) == pytest.approx(100 * 2 / 6)
    assert FuzzyReordering().corpus_score(outputs) == pytest.approx(100 * 2 / 3)
    # Without the length the sentence ends with word 2: 2 0 1
    assert one(KendallTau(), [2, 0], [0, 2]) == pytest.approx(1 / 3)


def test_a_length_known_for_one_side_serves_both():
    hypothesis = visits_of_sequences([[2, 0]], [4])
    for pair in ((hypothesis, [[0, 2]]), ([[2, 0]], visits_of_sequences([[0, 2]], [4]))):
        outputs = Outputs(["w"], [["w"]], *pair)
        assert KendallTau().corpus_score(outputs) == pytest.approx(100 * 2 / 6)


@pytest.mark.parametrize("metric", VISIT_METRICS, ids=lambda metric: metric.name)
@given(corpus=st.lists(st.permutations(range(6)), min_size=1, max_size=4))
def test_the_same_order_is_perfect(metric, corpus):
    assert metric.corpus_score(judged(corpus, corpus)) == pytest.approx(metric.scale)


@given(st.integers(2, 12).flatmap(lambda n: st.permutations(range(n))))
def test_the_reverse_order_has_no_pair_right(order):
    for metric in (KendallTau(), KendallTau(square_root=True), FuzzyReordering()):
        assert one(metric, order[::-1], order) == pytest.approx(0)
    assert one(FuzzyReordering(boundaries=True), order[::-1], order) == pytest.approx(0)


@given(two_orders())
def test_kendall_agrees_with_pairs_and_with_scipy(orders):
    hypothesis, reference = orders
    pairs = list(combinations(range(len(hypothesis)), 2))
    same = sum(
        (hypothesis.index(a) < hypothesis.index(b)) == (reference.index(a) < reference.index(b))
        for a, b in pairs
    )
    share = same / len(pairs) if pairs else 1.0
    assert one(KendallTau(), hypothesis, reference) == pytest.approx(share)
    assert one(KendallTau(square_root=True), hypothesis, reference) == pytest.approx(
        1 - math.sqrt(1 - share)
    )
    if pairs:
        ranks = ([order.index(word) for word in range(len(order))] for order in orders)
        tau = kendalltau(*ranks).statistic
        assert one(KendallTau(), hypothesis, reference) == pytest.approx((tau + 1) / 2)


@given(two_orders())
def test_fuzzy_agrees_with_cutting_into_chunks(orders):
    hypothesis, reference = orders
    chunks = [[hypothesis[0]]]
    for word in hypothesis[1:]:
        if [chunks[-1][-1], word] in [reference[i : i + 2] for i in range(len(reference))]:
            chunks[-1].append(word)
        else:
            chunks.append([word])
    n = len(hypothesis)
    expected = 1 - (len(chunks) - 1) / (n - 1) if n > 1 else 1.0
    assert one(FuzzyReordering(), hypothesis, reference) == pytest.approx(expected)


@given(corpora)
def test_pdscore_agrees_with_looking_for_pairs(corpus):
    matches = 0
    for hypothesis, reference, _ in corpus:
        wanted = list(zip(["<s>", *reference], reference, strict=False))
        matches += sum(
            pair in wanted for pair in zip(["<s>", *hypothesis], hypothesis, strict=False)
        )
    n = sum(len(hypothesis) for hypothesis, _, _ in corpus)
    score = PDscore().corpus_score(outputs_of(corpus))
    assert score == pytest.approx(100 * matches / n if n else 0)


@pytest.mark.parametrize("metric", PERMUTATION_METRICS, ids=lambda metric: metric.name)
@given(orders=two_orders())
def test_hypothesis_and_reference_may_be_exchanged(metric, orders):
    assert one(metric, *orders) == pytest.approx(one(metric, *orders[::-1]))


@pytest.mark.parametrize("metric", VISIT_METRICS, ids=lambda metric: metric.name)
@given(first=corpora, second=corpora)
def test_statistics_of_sentences_do_not_depend_on_their_neighbours(metric, first, second):
    both = metric.statistics(outputs_of(first + second))
    parts = [metric.statistics(outputs_of(corpus)) for corpus in (first, second)]
    np.testing.assert_allclose(both, np.concatenate(parts), rtol=1e-12)
    sums = np.stack([part.sum(axis=0) for part in parts])
    np.testing.assert_allclose(metric.score(sums), [metric.score(row) for row in sums], rtol=1e-12)
    scores = metric.sentence_scores(both)
    assert np.all((scores >= 0) & (scores <= 100))


def test_long_sentences_are_counted_right():
    n = 3000
    reference = list(range(n))
    hypothesis = reference[n // 2 :] + reference[: n // 2]
    assert one(KendallTau(), hypothesis, reference) == pytest.approx(
        1 - (n // 2) ** 2 / (n * (n - 1) / 2)
    )


@pytest.mark.parametrize("metric", VISIT_METRICS, ids=lambda metric: metric.name)
def test_nothing_at_all_scores_nothing(metric):
    assert metric.corpus_score(Outputs([], [], [], [])) == 0
    assert metric.corpus_score(judged([[]], [[]])) == 0


class SameWords(Metric):
    """The share of sentences that are the first reference, from 0 to 1."""

    name = "same"
    scale = 1.0
    signature = "same|v:1"

    def statistics(self, outputs):
        pairs = zip(outputs.hypotheses, outputs.references, strict=True)
        return np.array([[float(h == r[0]), 1.0] for h, r in pairs])

    def score(self, sums):
        return sums[..., 0] / sums[..., 1]


def test_lrscore_interpolates_by_hand():
    outputs = Outputs(
        ["a b c", "d e", "f g h"],
        [["a b c x", "a"], ["d e"], ["f"]],
        [[0, 2, 1, 3], [0], [1, 0]],
        [[0, 1, 2, 3], [0], [0, 1]],
    )
    # The reference of four words is nearer to three than that of one word
    order = (5 / 6 * math.exp(1 - 4 / 3) + 1 + 0) / 3
    for alpha in (0, 0.3, 1):
        metric = LRscore(KendallTau(), SameWords(), alpha=alpha)
        assert metric.corpus_score(outputs) == pytest.approx(
            100 * (alpha * order + (1 - alpha) * 1 / 3)
        )
    sentences = metric.sentence_scores(metric.statistics(outputs))
    assert sentences == pytest.approx([100 * 5 / 6 * math.exp(1 - 4 / 3), 100, 0])
    assert metric.name == "LRscore (Kendall, same)"
    assert metric.signature == (
        "LRscore|alpha:1|brevity:sentence|order:[Kendall|root:no|average:sentences|"
        "unaligned:after-previous]|lexical:[same|v:1]"
    )


def test_lrscore_gives_an_empty_hypothesis_nothing():
    outputs = Outputs(["", ""], [["a b"], [""]], [[], []], [[0, 1], []], )  # fmt: skip
    statistics = LRscore(KendallTau(), SameWords(), alpha=1).statistics(outputs)
    assert statistics[:, :2].tolist() == [[0, 1], [0, 0]]


def test_lrscore_uses_bleu_as_sacrebleu_counts_it():
    hypotheses = ["the old man reads a new book today", "he sleeps"]
    references = [["the old man reads the new book today"], ["she sleeps now"]]
    outputs = Outputs(hypotheses, references, [[0, 1], [0, 1]], [[0, 1], [1, 0]])
    bleu = sacrebleu.corpus_bleu(
        hypotheses, [[r[0] for r in references]], tokenize="none", force=True
    ).score
    score = LRscore(KendallTau(), Bleu()).corpus_score(outputs)
    assert score == pytest.approx(0.5 * 100 * (1 + 0) / 2 + 0.5 * bleu)


def test_lrscore_refuses_what_cannot_be_interpolated():
    facts = "alpha of LRscore is 1.5 … from 0 … to 1"
    refused(facts, lambda: LRscore(KendallTau(), SameWords(), alpha=1.5), SettingError)

    class Errors(SameWords):
        name = "errors"
        higher_is_better = False

    facts = "LRscore cannot use errors … a lexical metric for which higher is better, such as BLEU"
    refused(facts, lambda: LRscore(KendallTau(), Errors()), SettingError)


ORDER_NAMES = ["pdscore", "kendall", "kendall-sqrt", "hamming", "fuzzy", "fuzzy-boundaries"]


@pytest.mark.parametrize("name", ORDER_NAMES)
def test_metrics_have_names_and_signatures_of_their_own(name):
    metrics = dict(zip(ORDER_NAMES, make_metrics(ORDER_NAMES, [["a"]]), strict=True))
    metric = metrics.pop(name)
    assert metric.needs_visits
    assert metric.name not in [other.name for other in metrics.values()]
    assert metric.signature not in [other.signature for other in metrics.values()]


@refusals(
    (None, [[0]], "there are no visit sequences of the hypotheses … word order metrics"),
    ([[0]], None, "there are no visit sequences of the references … word order metrics"),
    ([[0]], [[0], [1]], "2 visit sequences of the references … there are 1 sentences"),
    ([[0, 0]], [[0]], "visits of sentence 1: source word 0 is visited twice"),
    (
        visits_of_sequences([[0]], [2]),
        visits_of_sequences([[0]], [3]),
        "sentence 1: 2 source words for the hypothesis, 3 for the reference … both must be",
    ),
    (
        visits_of_sequences([[0]], [2]),
        [[2]],
        "visits of sentence 1: there is no source word 2 … the source sentence has 2 words",
    ),
)
def test_visits_that_do_not_fit_are_refused(hypothesis, reference):
    KendallTau().statistics(Outputs(["w"], [["w"]], hypothesis, reference))
