"""Phrase tables against the slow twin, and the pruning and smoothing of them."""

import math
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom

from hyperbaton.foundation.errors import DataError, SettingError
from hyperbaton.models.phrases.building import train_phrases
from hyperbaton.models.phrases.moses_tables import source_texts, target_texts
from hyperbaton.models.phrases.reordering import CLASSES, ReorderingType
from hyperbaton.models.phrases.settings import GRID, PhraseSettings
from tests.models.phrases import oracles
from tests.models.phrases.corpora import corpus_of, small_corpora
from tests.refusals import refusals

HAND = [
    (["hon", "o", "katta"], ["bought", "a", "book"], [(0, 2), (2, 0)]),
    (["hon", "o", "yonda"], ["read", "a", "book"], [(0, 2), (2, 0)]),
]


def entries_of(table):
    """Everything in a table by its phrase pair."""
    entries = {}
    texts = zip(source_texts(table), target_texts(table), strict=True)
    for row, (source, target) in enumerate(texts):
        bits = int(table.inner_of(row))
        inner = frozenset((b % GRID, b // GRID) for b in range(64) if bits >> b & 1)
        scores = np.exp(table.scores_of(row).astype(float))
        pair = tuple(source.split()), tuple(target.split())
        entries[pair] = (
            scores,
            inner,
            tuple(table.counts_of(row).tolist()),
            table.reordering_of(row),
        )
    assert len(entries) == len(table)
    return entries


def probabilities(table, column):
    """Sums of one score over the partners of each phrase of the condition."""
    sums = defaultdict(float)
    for (source, target), (scores, *_) in entries_of(table).items():
        sums[target if column == 0 else source] += scores[column]
    return sums


def test_a_corpus_without_links_is_refused():
    with pytest.raises(
        DataError, match="no phrase pairs can be extracted\n  expected a corpus with w"
    ):
        train_phrases(corpus_of([(["a"], ["A"], [])]))


def test_scores_worked_by_hand():
    entries = entries_of(train_phrases(corpus_of(HAND)))
    scores, inner, counts, _ = entries[("hon",), ("book",)]
    # hon occurs with "book" and "a book", twice each; book with hon and "hon o"
    assert counts == (4, 4, 2)
    assert inner == {(0, 0)}
    np.testing.assert_allclose(scores, [0.5, 1.0, 0.5, 1.0])
    scores, _, _, _ = entries[("hon", "o"), ("a", "book")]
    # lex(e|f) = w(a|NULL) w(book|hon): "a" is the only unaligned target word
    np.testing.assert_allclose(scores, [0.5, 1.0, 0.5, 1.0])
    scores, _, counts, _ = entries[("katta",), ("bought",)]
    assert counts == (2, 2, 1)


@given(small_corpora, st.integers(1, 4))
def test_tables_agree_with_the_slow_twin(sentences, max_length):
    expected = oracles.scored_pairs(sentences, max_length)
    settings = PhraseSettings(max_length=max_length, reordering="none")
    entries = entries_of(train_phrases(corpus_of(sentences), settings))
    assert set(entries) == set(expected)
    for pair, (scores, inner, counts) in expected.items():
        np.testing.assert_allclose(entries[pair][0], scores, rtol=1e-6)
        assert entries[pair][1:3] == (inner, counts)


@given(small_corpora)
@pytest.mark.parametrize("smoothing", ["none", "good-turing", "kneser-ney"])
def test_smoothed_probabilities_stay_probabilities(smoothing, sentences):
    settings = PhraseSettings(max_length=4, smoothing=smoothing, reordering="none")
    table = train_phrases(corpus_of(sentences), settings)
    for column in (0, 2):
        sums = np.array(list(probabilities(table, column).values()))
        assert np.all(sums > 0)
        assert np.all(sums < 1 + 1e-5)
        if smoothing == "none":
            np.testing.assert_allclose(sums, 1.0)


def test_good_turing_worked_by_hand():
    # three pairs seen once, one pair seen twice: factor of 1 is 2/1 · (1 + 0.1) / (3 + 0.1)
    one = [(["a"], ["A"], [(0, 0)])]
    others = [([w], [w.upper()], [(0, 0)]) for w in "bcd"]
    entries = entries_of(train_phrases(corpus_of([*one, *one, *others]),
                                       PhraseSettings(smoothing="good-turing")))  # fmt: skip
    assert entries[("b",), ("B",)][0][2] == pytest.approx(2 * 1.1 / 3.1)
    # the factor of 2 is 3/2 · 0.1 / 1.1, which would fall below that of 1
    assert entries[("a",), ("A",)][0][2] == pytest.approx(2 * 1.1 / 3.1)


def corpus_with_counts(counts):
    """Sentences of one word: each pair of words as often as is said."""
    return corpus_of(
        [([source], [target], [(0, 0)]) for (source, target), n in counts.items() for _ in range(n)]
    )


def scores_by_pair(counts, smoothing):
    """φ(e|f) and φ(f|e) of pairs of single words."""
    table = train_phrases(corpus_with_counts(counts), PhraseSettings(smoothing=smoothing))
    return {
        (source[0], target[0]): (scores[2], scores[0])
        for (source, target), (scores, *_) in entries_of(table).items()
    }


def kneser_ney_twin(counts, discounts):
    """(c − D) / c(f) + what f gives away · share of e in all distinct pairs; both ways round."""
    taken = {pair: discounts[min(n, 3)] for pair, n in counts.items()}

    def smoothed(pair, given, predicted):
        like = [other for other in counts if other[given] == pair[given]]
        total = sum(counts[other] for other in like)
        lower = sum(other[predicted] == pair[predicted] for other in counts) / len(counts)
        away = sum(taken[other] for other in like) / total
        return (counts[pair] - taken[pair]) / total + away * lower

    return {pair: (smoothed(pair, 0, 1), smoothed(pair, 1, 0)) for pair in counts}


# Six pairs seen once, three twice, two three times, one four and one five times:
# Y = n1 / (n1 + 2 n2) = 6 / 12, D1 = 1 − 2 Y n2 / n1 = 1/2, D2 = 2 − 3 Y n3 / n2 = 1,
# D3+ = 3 − 4 Y n4 / n3 = 2
CHEN_GOODMAN = {
    ("a", "A"): 5, ("a", "B"): 1, ("a", "C"): 2, ("b", "A"): 1, ("b", "B"): 4, ("b", "D"): 1,
    ("c", "C"): 3, ("c", "A"): 1, ("c", "D"): 2, ("d", "D"): 3, ("d", "B"): 2, ("d", "E"): 1,
    ("e", "E"): 1,
}  # fmt: skip
# n1 … n4 = 1, 1, 4, 9: Y = 1/3, D1 = 1 − 2/3, D2 = 2 − 4 < 0, so 0; D3+ = 3 − 3 = 0
FEW = {(f"s{at}", f"t{at}"): n for at, n in enumerate([1, 2, *[3] * 4, *[4] * 9])}
# n1 … n4 = 40, 1, 1, 1: D1 = 1 − 1/21 is more than 0.9; D2 = 2 − 60/21 < 0; D3+ < 0
MANY = {(f"s{n}", f"t{n % 7}"): 1 for n in range(40)}
MANY |= {("x", "t0"): 2, ("x", "t1"): 3, ("y", "t2"): 4}


@pytest.mark.parametrize(
    ("counts", "discounts"),
    [
        (CHEN_GOODMAN, (1 / 2, 1, 2)),
        # too few counts of counts: half of each count is taken, but 3/2 of five
        ({("a", "A"): 2, ("a", "B"): 1, ("b", "B"): 1}, (1 / 2, 1, 3 / 2)),
        ({("a", "A"): 5, ("a", "B"): 1, ("b", "B"): 2}, (1 / 2, 1, 3 / 2)),
        (FEW, (1 / 3, 0, 0)),  # never less than nothing
        (MANY, (0.9, 0, 0)),  # and never a whole count
    ],
)
def test_kneser_ney_with_discounts_of_chen_and_goodman(counts, discounts):
    found = scores_by_pair(counts, "kneser-ney")
    expected = kneser_ney_twin(counts, dict(enumerate(discounts, 1)))
    assert found.keys() == expected.keys()
    for pair, scores in expected.items():
        assert found[pair] == pytest.approx(scores, rel=1e-6), pair


def test_kneser_ney_worked_by_hand():
    # a gives away 2 + 1/2 + 1 of 8; A is in 3 of 13 pairs
    found = scores_by_pair(CHEN_GOODMAN, "kneser-ney")
    assert found["a", "A"][0] == pytest.approx(3 / 8 + 3.5 / 8 * 3 / 13, rel=1e-6)
    # a gives away 3/2 + 1/2 of 6, b 1 of 2; A is in 1 of 3 pairs, B in 2
    found = scores_by_pair({("a", "A"): 5, ("a", "B"): 1, ("b", "B"): 2}, "kneser-ney")
    assert found["a", "A"][0] == pytest.approx(3.5 / 6 + 2 / 6 * 1 / 3)
    assert found["b", "B"][0] == pytest.approx(1 / 2 + 1 / 2 * 2 / 3)


@pytest.mark.parametrize(
    ("n_pairs", "factors"),
    [
        # 1: 2 · 12.1 / 30.1; 2: 3/2 · 6.1 / 12.1 is less, so that of 1; 3: 4/3 · 4.1 / 6.1; 4 is
        # less again; 5: 6/5 · 3.1 / 1.1 is more than 1, and from there on none is less
        (
            [30, 12, 6, 4, 1, 3, 1, 1, 2, 1, 5, 1],
            {1: 0.803987, 2: 0.803987, 3: 0.896175, 4: 0.896175},
        ),
        # the highest is 3/2 · 32.1 / 52.1, of 2; that of 1 is 2 · 52.1 / 120.1; 11 is trusted
        (
            [120, 52, 32, 22, 16, 12, 9, 7, 5, 3, 1, 0],
            {1: 0.867610} | dict.fromkeys(range(2, 11), 0.924184),
        ),
        # 2 · 0.1 / 300.1 is less than a hundredth
        ([300, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0], {1: 0.01}),
    ],
)
def test_good_turing_with_counts_of_counts(n_pairs, factors):
    """`n_pairs` are seen once, twice and so on; factors are 1 unless told."""
    seen = [count for count, n in enumerate(n_pairs, 1) for _ in range(n)]
    counts = {(f"s{at // 3}", f"t{at % 5}-{at // 15}"): count for at, count in enumerate(seen)}
    assert len(counts) == len(seen)
    found = scores_by_pair(counts, "good-turing")
    for pair, count in counts.items():
        totals = [sum(c for other, c in counts.items() if other[k] == pair[k]) for k in (0, 1)]
        expected = [count * factors.get(count, 1.0) / total for total in totals]
        assert found[pair] == pytest.approx(expected, rel=1e-5), pair


@pytest.mark.parametrize(
    "name",
    [
        "wbe-msd-bidirectional-fe",
        "hier-mslr-forward-f",
        "phrase-monotonicity-backward-fe",
        "wbe-leftright-bidirectional-f",
    ],
)
@given(sentences=small_corpora)
def test_reordering_scores_are_smoothed_counts(name, sentences):
    kind = ReorderingType.parse(name)
    assert str(kind) == name
    corpus = corpus_of(sentences)
    table = train_phrases(corpus, PhraseSettings(max_length=3, reordering=name))
    finest = train_phrases(
        corpus, PhraseSettings(max_length=3, reordering=f"{kind.orientation}-mslr-bidirectional-fe")
    )
    width = len(CLASSES[kind.classes])
    assert table.reordering_of().shape[1] == len(kind.columns)
    # counts of the four orientations, from the probabilities and the total count of the pair
    counts = {}
    for pair, (_, _, (_, _, count), logs) in entries_of(finest).items():
        both = np.exp(logs).reshape(2, 4) * (count + 4 * 0.5) - 0.5
        counts[pair] = dict(zip(("backward", "forward"), both, strict=True))
    for pair, (*_, logs) in entries_of(table).items():
        blocks = np.exp(logs).reshape(-1, width)
        directions = list(dict.fromkeys(direction for direction, _ in kind.columns))
        for direction, block in zip(directions, blocks, strict=True):
            like = [p for p in counts if p == pair or (kind.condition == "f" and p[0] == pair[0])]
            total = sum(counts[p][direction] for p in like)
            members = CLASSES[kind.classes].values()
            smoothed = np.array([total[list(m)].sum() + 0.5 for m in members])
            np.testing.assert_allclose(block, smoothed / smoothed.sum(), rtol=1e-6)


def test_word_based_orientation_may_go_without_saying():
    assert str(ReorderingType.parse("msd-bidirectional-fe")) == "wbe-msd-bidirectional-fe"
    assert str(ReorderingType.parse("mslr-forward-f")) == "wbe-mslr-forward-f"


def test_orientation_probabilities_worked_by_hand():
    # "katta → bought" begins the target and jumps over hon o: discontinuous before; then comes
    # "a book", which lies to its left but not beside it
    entries = entries_of(train_phrases(corpus_of(HAND[:1])))
    logs = entries[("katta",), ("bought",)][3]
    np.testing.assert_allclose(np.exp(logs), [0.2, 0.2, 0.6, 0.2, 0.2, 0.6])
    # with its particle, "o katta" is followed by hon directly: but "a" is unaligned, so no corner
    logs = entries[("o", "katta"), ("bought", "a")][3]
    np.testing.assert_allclose(np.exp(logs), [0.2, 0.2, 0.6, 0.2, 0.6, 0.2])


def test_pruning_by_count_and_rank():
    corpus = corpus_of([*HAND, (["hon"], ["books"], [(0, 0)])])
    everything = entries_of(train_phrases(corpus))
    frequent = entries_of(train_phrases(corpus, PhraseSettings(min_count=2)))
    assert set(frequent) == {
        pair for pair, (_, _, counts, _) in everything.items() if counts[2] > 1
    }
    top = entries_of(train_phrases(corpus, PhraseSettings(top=1)))
    assert {source for source, _ in top} == {source for source, _ in everything}
    assert len(top) == len({source for source, _ in everything})
    for source, target in top:
        best = max(e[0][2] for (s, _), e in everything.items() if s == source)
        assert everything[source, target][0][2] == pytest.approx(best)
    for pair, entry in top.items():  # what is left keeps its scores
        np.testing.assert_allclose(entry[0], everything[pair][0], rtol=1e-12)


@given(small_corpora, st.floats(0.0, 3.0))
def test_significance_is_fishers_exact_test(sentences, threshold):
    corpus = corpus_of(sentences)
    settings = PhraseSettings(max_length=2, reordering="none")
    everything = entries_of(train_phrases(corpus, settings))

    def holds(words, phrase):
        return any(tuple(words[i : i + len(phrase)]) == phrase for i in range(len(words)))

    kept = set()
    close = False
    for source, target in everything:
        in_source = [holds(s, source) for s, _, _ in sentences]
        in_target = [holds(t, target) for _, t, _ in sentences]
        both = sum(a and b for a, b in zip(in_source, in_target, strict=True))
        tail = hypergeom.sf(both - 1, len(sentences), sum(in_source), sum(in_target))
        if -math.log(tail) >= threshold:
            kept.add((source, target))
        close |= abs(-math.log(tail) - threshold) < 1e-9
    if close:
        return  # rounding decides
    pruned = PhraseSettings(max_length=2, reordering="none", significance=str(threshold))
    if not kept:
        with pytest.raises(DataError, match="phrase pairs would be dropped"):
            train_phrases(corpus, pruned)
        return
    assert set(entries_of(train_phrases(corpus, pruned))) == kept


def test_named_thresholds_drop_or_keep_pairs_seen_once():
    once = [([f"s{i}"], [f"t{i}"], [(0, 0)]) for i in range(9)]
    twice = [(["x"], ["y"], [(0, 0)])] * 2
    corpus = corpus_of([*once, *twice])
    assert len(train_phrases(corpus, PhraseSettings(significance="a-e"))) == 10
    assert len(train_phrases(corpus, PhraseSettings(significance="a+e"))) == 1


@refusals(
    (PhraseSettings(min_count=99), "all 14 phrase pairs would be dropped … phrases.min_count"),
    (
        PhraseSettings(significance="1e9"),
        "all 14 phrase pairs would be dropped … phrases.significance",
    ),
)
def test_a_table_with_nothing_in_it_was_a_success(settings):
    train_phrases(corpus_of(HAND), settings)


@refusals(
    (PhraseSettings(top=-1), "phrases.top: -1 … expected 0 or more"),
    (PhraseSettings(min_count=-2), "phrases.min_count: -2 is not possible"),
    (PhraseSettings(significance="nan"), "phrases.significance: 'nan' is not a significance"),
    (PhraseSettings(significance="inf"), "phrases.significance: 'inf' is not a significance"),
    (PhraseSettings(significance="-1"), "expected none, a+e, a-e or a number from 0 up"),
    (PhraseSettings(max_length=9), "phrases.max_length: phrases cannot have up to 9 words"),
    (
        PhraseSettings(smoothing="kneser"),
        "phrases.smoothing: unknown smoothing 'kneser' … did you mean kneser",
    ),
    (PhraseSettings(significance="big"), "'big' is not a significance threshold … expected none"),
    (
        PhraseSettings(reordering="msd"),
        "phrases.reordering: 'msd' is not a type of reordering table … expected a na",
    ),
    (PhraseSettings(reordering="wbe-msd-both-fe"), "unknown part 'both' in 'wbe-msd-both-fe'"),
    error=SettingError,
)
def test_wrong_settings_are_refused(settings):
    train_phrases(corpus_of(HAND), settings)
