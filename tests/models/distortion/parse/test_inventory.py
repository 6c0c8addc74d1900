"""Source phrases and their candidates."""

import numpy as np

from hyperbaton.foundation.kernels import kernel
from hyperbaton.models.distortion.parse.inventory import (
    MOST_TRANSLATIONS,
    NOTHING,
    NOTHING_TAG,
    OTHER,
    OTHER_TAG,
    UNKNOWN_SOURCE,
    UnitPairs,
    build_inventory,
    find_source,
    no_pairs,
    spell_phrases,
    table_units,
)
from hyperbaton.models.phrases.building import train_phrases
from hyperbaton.models.phrases.settings import PhraseSettings
from tests.mapped_arrays import ragged
from tests.models.phrases.corpora import corpus_of

find_source = kernel(find_source)  # compiled, as in use


def pairs(rows, weights=()):
    return UnitPairs(ragged([s for s, _ in rows]), ragged([t for _, t in rows]), np.array(weights))


def candidates(inventory, source):
    """(target words or a name, count, tag) of each candidate."""
    spelt = spell_phrases(inventory.target_trie, inventory.target_of_node, OTHER)
    run = slice(inventory.begin[source], inventory.begin[source + 1])
    names = {NOTHING: "e_0", OTHER: "other"}
    return [
        (names.get(t) or spelt[t], float(c), int(tag))
        for t, c, tag in zip(
            inventory.target[run].tolist(), inventory.counts[run], inventory.tag[run], strict=True
        )
    ]


TAGS = np.arange(100, 200, dtype=np.int32)  # word w has the tag 100 + w


def test_candidates_by_hand():
    events = [([5], [7]), ([5], [7]), ([5], [8, 9]), ([5], []), ([5, 6], [9]), ([6], [])]
    inventory, source, choice = build_inventory(pairs(events), no_pairs(), TAGS)
    five, both, six = (find_source(inventory, np.array(w), 0, len(w)) for w in ([5], [5, 6], [6]))
    assert source.tolist() == [five, five, five, five, both, six]
    assert candidates(inventory, five) == [
        ("e_0", 1, NOTHING_TAG), ("other", 0, OTHER_TAG), ([7], 2, 107), ([8, 9], 1, 108)
    ]  # fmt: skip
    assert candidates(inventory, both) == [("other", 0, OTHER_TAG), ([9], 1, 109)]  # no e_0
    assert candidates(inventory, six) == [("e_0", 1, NOTHING_TAG), ("other", 0, OTHER_TAG)]
    assert candidates(inventory, UNKNOWN_SOURCE) == [("e_0", 2, 1), ("other", 4, 2)]
    assert choice.tolist() == [2, 2, 3, 0, 1, 0]
    assert inventory.length[[UNKNOWN_SOURCE, five, both]].tolist() == [1, 1, 2]
    assert find_source(inventory, np.array([6, 5]), 0, 2) == UNKNOWN_SOURCE
    assert find_source(inventory, np.array([9]), 0, 1) == UNKNOWN_SOURCE


def test_rare_and_too_many_translations_are_others():
    many = [([5], [w]) for w in range(3, 33) for _ in range(40 - w)]
    inventory, _, choice = build_inventory(pairs(many), no_pairs(), TAGS)
    found = candidates(inventory, 1)
    assert [t for t, *_ in found[2:]] == [[w] for w in range(3, 3 + MOST_TRANSLATIONS)]
    assert found[1] == ("other", sum(40 - w for w in range(23, 33)), OTHER_TAG)
    assert choice[-1] == 1
    rare = [([5], [7])] * 299 + [([5], [8])]
    assert candidates(build_inventory(pairs(rare), no_pairs(), TAGS)[0], 1)[1:] == [
        ("other", 1, OTHER_TAG), ([7], 299, 107)
    ]  # fmt: skip


def test_a_phrase_table_adds_what_it_knows():
    more = pairs([([5], [7]), ([5], [8]), ([9], [3])], [4.0, 2.0, 1.0])
    inventory, source, _ = build_inventory(pairs([([5], [7])] * 6 + [([5], [8])]), more, TAGS)
    assert candidates(inventory, source[0])[2:] == [
        ([7], 6, 107),
        ([8], 2, 108),
    ]  # the larger count
    nine = find_source(inventory, np.array([9]), 0, 1)
    assert candidates(inventory, nine)[2:] == [([3], 1, 103)]


def test_units_of_a_phrase_table():
    corpus = corpus_of([
        (["na", "xie", "ren"], ["those", "men"], [(0, 0), (1, 0), (2, 1)]),
        (["ren", "le"], ["men", "!"], [(0, 0)]),
    ])  # fmt: skip
    table = train_phrases(corpus, PhraseSettings(max_length=3, reordering="none"))
    units = table_units(table)
    found = {
        (
            " ".join(table.source_vocabulary.decode(source)),
            " ".join(table.target_vocabulary.decode(target)),
        ): float(weight)
        for source, target, weight in zip(units.source, units.target, units.weight, strict=True)
    }
    # "ren le" holds an unaligned word and "men !" an unaligned one: not units
    assert found == {("na xie", "those"): 1.0, ("ren", "men"): 2.0}
