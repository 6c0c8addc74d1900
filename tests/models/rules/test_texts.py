"""Rules for given texts against the whole table."""

import numpy as np
import pytest

from hyperbaton.models.rules.building import train_rules
from hyperbaton.models.rules.counting import count_rules
from hyperbaton.models.rules.settings import RuleSettings
from hyperbaton.models.rules.table import RuleTable
from tests.decoder.chart.grammars import matches
from tests.models.phrases.corpora import corpus_of
from tests.models.rules import oracles
from tests.models.rules.test_table import spelled
from tests.refusals import refused


def does_match(source, words):
    places = range(len(words) + 1)
    return any(matches(source, words, start, end) for start in places for end in places[start:])


def test_they_are_those_that_match_with_the_scores_of_the_whole_table(monkeypatch):
    monkeypatch.setattr("hyperbaton.models.rules.building.SHARD", 7)
    monkeypatch.setattr("hyperbaton.models.rules.counting.SHARD", 9)
    # X x X is X1 W X2, and X y X is X2 W X1: they share c(e)
    swapped = [("abycd", "CDWAB", [(0, 3), (1, 4), (2, 2), (3, 0), (4, 1)])]
    swapped += [("abxcd", "ABWCD", [(place, place) for place in range(5)])]
    corpus = corpus_of([*oracles.random_pairs(60, seed=6, words="abcdefgh"), *swapped])
    texts = ["abxcadb", "ggh", "", "hd"]
    whole, some = train_rules(corpus), train_rules(corpus, threads=2, texts=texts)
    every, found = spelled(whole), spelled(some)
    wanted = {pair for pair in every if any(does_match(pair[0], list(text)) for text in texts)}
    assert set(found) == wanted
    assert 50 < len(wanted) < len(every) / 2
    with_gaps = [pair for pair in wanted if "X" in pair[0]]
    assert len({pair[0].count("X") for pair in with_gaps}) == 2
    of_both = some.counts_of(found[("X", "x", "X"), (1, "W", 2)])
    assert of_both[0] > of_both[2]
    for pair in wanted:
        assert some.scores_of(found[pair]) == pytest.approx(whole.scores_of(every[pair]), abs=1e-5)
        assert some.counts_of(found[pair]) == pytest.approx(whole.counts_of(every[pair]), rel=1e-5)
        assert some.inner_of(found[pair]) == whole.inner_of(every[pair])


def test_other_sentences_are_refused(tmp_path):
    corpus = corpus_of(oracles.random_pairs(20, seed=7))
    train_rules(corpus, texts=[["a", "b"]]).save(tmp_path)
    table = RuleTable.load(tmp_path)
    table.check_text(["a", "b"])
    table.check_text([])
    refused("extracted for other sentences … --rules-for", lambda: table.check_text(["a", "c"]))
    train_rules(corpus).check_text(["a", "c"])


def test_too_many_rules_for_the_memory_are_refused_with_what_to_do():
    corpus = corpus_of(oracles.random_pairs(20, seed=8))
    n = round(sum(map(len, map(list, [spelled(train_rules(corpus))]))))
    advice = "rules would need … train.memory … --rules-for … rules.translations=100 … rules.tight"
    refused(advice, lambda: train_rules(corpus, memory=n))
    assert len(train_rules(corpus, memory=1000 * n)) == n
    every = RuleSettings(tight=True)
    for_text = train_rules(corpus, every, texts=[["a"]])
    assert len(train_rules(corpus, every, memory=10_000, texts=[["a"]])) == len(for_text)
    fewer = "rules would need … rules.translations=100 … rules.tight"
    refused(fewer, lambda: train_rules(corpus, every, memory=1, texts=[["a"]]))
    assert np.isfinite(train_rules(corpus, texts=[["a"]]).lexical).all()


def test_the_most_frequent_translations_keep_their_scores(monkeypatch):
    corpus = corpus_of(oracles.random_pairs(80, seed=5))
    whole, n_passes = train_rules(corpus), []

    def counted(*args):
        n_passes.append(args[-1][1])
        return count_rules(*args)

    monkeypatch.setattr("hyperbaton.models.rules.building.count_rules", counted)
    every, of_source = spelled(whole), {}
    for (source, target), rule in every.items():
        of_source.setdefault(source, []).append((whole.counts_of(rule)[2], target))
    for memory in (0, len(whole) * 20):
        few = train_rules(corpus, RuleSettings(translations=2), memory=memory)
        found, n_dropped = spelled(few), 0
        for source, counts in of_source.items():
            kept = [whole.counts_of(every[pair])[2] for pair in found if pair[0] == source]
            best = sorted((count for count, _ in counts), reverse=True)
            assert sorted(kept, reverse=True) == best[:2]
            n_dropped += len(best) > 2 and best[1] > best[2]
        assert n_dropped > 20
        for pair, rule in found.items():
            assert few.scores_of(rule) == pytest.approx(whole.scores_of(every[pair]), abs=1e-5)
            assert few.counts_of(rule) == pytest.approx(whole.counts_of(every[pair]), rel=1e-5)
            assert few.inner_of(rule) == whole.inner_of(every[pair])
    assert n_passes[0] == 1
    assert n_passes[-1] > 2
