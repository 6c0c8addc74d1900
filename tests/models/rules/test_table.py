import json
from collections import Counter

import numpy as np
import pytest

from hyperbaton.models.phrases.sorted_trie import parents
from hyperbaton.models.rules.building import train_rules
from hyperbaton.models.rules.settings import GAP, MOST_SYMBOLS, SECOND_GAP, RuleSettings
from hyperbaton.models.rules.table import RuleTable
from tests.models.phrases.corpora import corpus_of
from tests.models.rules import oracles
from tests.refusals import refused

SWAP = [("abcde", "DECAB", [(0, 3), (1, 4), (2, 2), (3, 0), (4, 1)])]


@pytest.fixture
def table():
    return train_rules(corpus_of([(list(f), list(e), links) for f, e, links in SWAP]))


def spelled(table):
    """{(source, target): rule}, by the trie."""
    above, words = parents(table.trie), table.source_vocabulary.words
    found = {}
    for node in range(len(table.trie_word)):
        source, at = [], node
        while at:
            source.insert(0, "X" if table.trie_word[at] == GAP else words[table.trie_word[at]])
            at = above[at]
        for rule in range(table.entry_begin[node], table.entry_begin[node + 1]):
            target = [
                s if s in (GAP, SECOND_GAP) else table.target_vocabulary.words[s]
                for s in table.target_sides[table.target[rule]].tolist()
            ]
            found[tuple(source), tuple(target)] = rule
    return found


@pytest.mark.parametrize("settings", [RuleSettings(), RuleSettings(tight=True, min_gap=1)], ids=str)
def test_scores_follow_their_definition(settings):
    pairs = oracles.random_pairs(50, seed=4)
    table = train_rules(corpus_of(pairs), settings)
    rules, expected = spelled(table), oracles.scored_rules(pairs, settings)
    assert len(rules) == len(table) >= len(expected) > 500
    of_two_orders = Counter(oracles.without_order(target) for target in {e for _, e in expected})
    assert sum(n == 2 for n in of_two_orders.values()) >= 3  # they share their c(e)
    for pair, (scores, links, counts) in expected.items():
        rule = rules[pair]
        assert np.exp(table.scores_of(rule)) == pytest.approx(scores, rel=1e-4)
        assert table.counts_of(rule) == pytest.approx(counts, rel=1e-6)
        inner = int(table.inner_of(rule))
        found = {(b % MOST_SYMBOLS, b // MOST_SYMBOLS) for b in range(64) if inner >> b & 1}
        assert found == links


def test_the_best_rules_of_a_source_side_come_first():
    table = train_rules(corpus_of(oracles.random_pairs(80, seed=5)))
    direct = table.scores_of()[:, 2]
    for begin, end in zip(table.entry_begin[:-1], table.entry_begin[1:], strict=True):
        assert (np.diff(direct[begin:end]) <= 0).all()


def test_saving_and_loading_gives_the_same_arrays(table, tmp_path):
    table.save(tmp_path / "t")
    loaded = RuleTable.load(tmp_path / "t")
    assert loaded.source_vocabulary == table.source_vocabulary
    assert loaded.target_vocabulary == table.target_vocabulary
    for name, values in vars(table).items():
        if isinstance(values, np.ndarray):
            np.testing.assert_array_equal(values, getattr(loaded, name))


def two_gaps(table):
    """The rule and the node of X c X."""
    rule = spelled(table)[("X", "c", "X"), (2, "C", 1)]
    return rule, int(np.searchsorted(table.entry_begin, rule, "right")) - 1


def wrong_gap(table):
    rule, _ = two_gaps(table)
    table.target_words[table.target_offsets[table.target[rule]]] = GAP  # 1 c 1


def adjacent(table):
    _, node = two_gaps(table)
    table.trie_word[parents(table.trie)[node]] = GAP  # X X X


def link_outside(table):
    rule, _ = two_gaps(table)
    table.alignments[table.alignment[rule]] = 1 << (MOST_SYMBOLS * 9)


def other_symbol(table):
    _, node = two_gaps(table)
    table.trie_word[node] = SECOND_GAP


def too_many_children(table):
    table.trie_children[-1] += 1


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (wrong_gap, "target_words.npy: … other gaps"),
        (adjacent, "trie_word.npy:"),
        (link_outside, "alignment.npy: … outside"),
        (other_symbol, "trie_word.npy: … other symbols"),
        (too_many_children, "trie_children.npy:"),
        (lambda table: table.target.__setitem__(0, 10_000), "target.npy:"),
        (lambda table: table.lexical.__setitem__(0, np.nan), "lexical.npy:"),
        (lambda table: table.entry_begin.__setitem__(0, 1), "entry_begin.npy:"),
    ],
)
def test_damaged_tables_are_refused(table, tmp_path, damage, message):
    damage(table)
    table.save(tmp_path)
    refused(message, lambda: RuleTable.load(tmp_path))


def test_a_missing_array_is_refused(table, tmp_path):
    table.save(tmp_path)
    header = json.loads((tmp_path / "header.json").read_text())
    del header["arrays"]["frequency"]
    (tmp_path / "header.json").write_text(json.dumps(header))
    refused("frequency.npy: is missing", lambda: RuleTable.load(tmp_path))


def test_a_corpus_without_links_is_refused():
    refused("no rules can be extracted", lambda: train_rules(corpus_of([(["a"], ["A"], [])])))
