from collections import Counter
from itertools import pairwise

import pytest

from hyperbaton.foundation.errors import SettingError
from hyperbaton.models.rules.building import check_rule_settings
from hyperbaton.models.rules.counting import count_rules
from hyperbaton.models.rules.extraction import extract_rules
from hyperbaton.models.rules.settings import GAP, MOST_SYMBOLS, SECOND_GAP, RuleSettings
from tests.models.phrases.corpora import corpus_of
from tests.models.rules import oracles
from tests.refusals import refused

EVERY_KIND = [
    RuleSettings(),
    RuleSettings(tight=True),
    RuleSettings(min_gap=1, max_symbols=3),
    RuleSettings(max_gaps=1, max_span=4),
    RuleSettings(max_gaps=0),
]


def spelled(corpus, counts):
    """The rules as in the oracles."""
    found = {}
    for row, inner in enumerate(counts.inner.tolist()):
        source, target = (counts.sides[k][counts.rows[row, k]] for k in range(2))
        links = {(b % MOST_SYMBOLS, b // MOST_SYMBOLS) for b in range(64) if inner >> b & 1}
        rule = (
            tuple("X" if s == GAP else corpus.source.vocabulary.words[s] for s in source),
            tuple(
                s if s in (GAP, SECOND_GAP) else corpus.target.vocabulary.words[s]
                for s in target.tolist()
            ),
            frozenset(links),
        )
        assert rule not in found
        found[rule] = counts.frequency[row]
    return found


def rules_of(pairs, settings=RuleSettings()):
    corpus = corpus_of(pairs)
    return spelled(corpus, count_rules(corpus, settings, 1))


KARE, HIS = ["kare", "no", "hon", "o", "katta"], ["bought", "his", "book"]


def test_a_pair_worked_by_hand():
    # kare no hon o katta / bought his book: "no" belongs to "his", "o" is unaligned
    links = [(0, 1), (1, 1), (2, 2), (4, 0)]
    found = rules_of([(KARE, HIS, links)])
    sides = Counter((" ".join(f), " ".join(map(str, e))) for f, e, _ in found)
    gaps = {pair: 1 for pair in sides if "X" in pair[0]}
    # Gaps may be: kare no / his; hon o / book; o katta / bought; kare no hon (o) / his book
    assert gaps == dict.fromkeys(
        [
            ("X hon", "1 book"), ("X hon o", "1 book"), ("kare no X", "his 1"),
            ("X hon o katta", "bought 1 book"), ("kare no X katta", "bought his 1"),
            ("X katta", "bought 1"), ("X o katta", "bought 1"), ("kare no hon X", "1 his book"),
    ("X hon X", "2 1 book"),
        ], 1,
    )  # fmt: skip
    # The whole pair is a rule, and six more have gaps: those with "katta" or "o katta" above, and
    # "kare no hon X". Each counts a seventh
    [count] = [n for (f, e, _), n in found.items() if (f, e) == (tuple(KARE), tuple(HIS))]
    assert count == pytest.approx(1 / 7)


def test_two_gaps_change_places():
    # a b c d e / D E c' A B as in a relative clause; "c" stays between the gaps
    links = [(0, 3), (1, 4), (2, 2), (3, 0), (4, 1)]
    found = rules_of([(list("abcde"), list("DECAB"), links)])
    assert (("X", "c", "X"), (2, "C", 1), frozenset({(1, 1)})) in found
    # X alone would have no word left, adjacent gaps no word between
    assert all(set(f) != {"X"} and ("X", "X") not in pairwise(f) for f, _, _ in found)


@pytest.mark.parametrize("settings", EVERY_KIND, ids=str)
def test_rules_and_counts_follow_their_definition(settings):
    pairs = oracles.random_pairs(60, seed=1)
    found, expected = rules_of(pairs, settings), oracles.counted_rules(pairs, settings)
    assert found.keys() == expected.keys()
    assert all(found[rule] == pytest.approx(float(count)) for rule, count in expected.items())
    # the hard cases are there
    n_gaps = Counter(source.count("X") for source, _, _ in expected)
    assert len(n_gaps) == settings.max_gaps + 1
    assert min(n_gaps.values()) > 10
    swapped = sum(2 in target and target.index(2) < target.index(1) for _, target, _ in expected)
    assert settings.max_gaps < 2 or swapped > 5


def test_every_phrase_pair_with_rules_counts_one():
    pairs = oracles.random_pairs(40, seed=2)
    corpus = corpus_of(pairs)
    count = extract_rules(corpus, 0, len(corpus)).fraction.sum()
    rounded = round(count)
    assert count == pytest.approx(rounded)
    assert rounded > len(pairs)


def test_shards_and_threads_do_not_matter(monkeypatch):
    pairs = oracles.random_pairs(60, seed=3)
    whole = rules_of(pairs)
    monkeypatch.setattr("hyperbaton.models.rules.counting.SHARD", 7)
    corpus = corpus_of(pairs)
    for threads in (1, 3):
        parts = spelled(corpus, count_rules(corpus, RuleSettings(), threads))
        assert parts.keys() == whole.keys()
        assert all(parts[rule] == pytest.approx(whole[rule]) for rule in whole)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"max_span": 11}, "rules.max_span: 11 … 1 to 10"),
        ({"max_symbols": 7}, "rules.max_symbols: 7 … 1 to 6"),
        ({"max_gaps": 3}, "rules.max_gaps: 3 … 0 to 2"),
        ({"min_gap": 0}, "rules.min_gap: 0 … 1 to 10"),
    ],
)
def test_impossible_settings_are_refused(change, message):
    refused(message, lambda: check_rule_settings(RuleSettings(**change)), SettingError)
