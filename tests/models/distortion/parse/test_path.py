"""Visit paths by hand and against a slow twin."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.foundation.kernels import kernel
from hyperbaton.models.distortion.parse.inventory import path_pairs
from hyperbaton.models.distortion.parse.path import (
    TO_FIRST,
    UNALIGNED,
    Path,
    append_phrase_path,
    corpus_paths,
)
from tests.models.phrases.corpora import corpus_of, small_pairs

append_phrase_path = kernel(append_phrase_path)  # compiled, as in use


def path_of(source, target, links, unaligned="first"):
    source, target = (x.split() if isinstance(x, str) else x for x in (source, target))
    path, offsets = corpus_paths(corpus_of([(source, target, links)]), UNALIGNED.index(unaligned))
    assert offsets.tolist() == [0, len(path.start)]
    return rows(path)


def rows(path):
    return [
        (
            int(path.start[unit]),
            int(path.end[unit]),
            path.targets[path.target_begin[unit] : path.target_begin[unit + 1]].tolist(),
            int(path.at[unit]),
        )
        for unit in range(len(path.start))
    ]


def slow_path(n_source, links, unaligned):
    """From the definition, with sets and sorting."""
    linked = [sorted({t for s, t in links if s == word}) for word in range(n_source)]
    units = []
    for word in range(n_source):
        if not linked[word]:
            continue
        if units and units[-1][1] == word and set(linked[word - 1]) & set(linked[word]):
            start, _, targets = units[-1]
            units[-1] = (start, word + 1, tuple(sorted({*targets, *linked[word]})))
        else:
            units.append((word, word + 1, tuple(linked[word])))
    visited = sorted(units, key=lambda unit: (unit[2][0], unit[0]))
    if not visited:
        return []
    # where every unaligned word stands: before or behind a unit, or at an edge of the path
    before, behind = {unit: [] for unit in visited}, {unit: [] for unit in visited}
    head, tail = [], []
    for word in range(n_source):
        if linked[word]:
            continue
        left = max((u for u in units if u[1] <= word), key=lambda u: u[0], default=None)
        right = min((u for u in units if u[0] > word), key=lambda u: u[0], default=None)
        if unaligned == "left":
            (behind[left] if left else head).append(word)
        elif unaligned == "right":
            (before[right] if right else tail).append(word)
        else:
            chosen = min((u for u in (left, right) if u), key=visited.index)
            if chosen == left:
                behind[left].append(word)
            else:  # the nearest word of the run first, and the whole run before that on the right
                behind[right].insert(0, word)
    result = [(w, w + 1, [], 0) for w in head]
    for unit in visited:
        start, end, targets = unit
        result += [(w, w + 1, [], targets[0]) for w in before[unit]]
        result.append((start, end, list(targets), targets[0]))
        result += [(w, w + 1, [], targets[-1] + 1) for w in behind[unit]]
    return result + [(w, w + 1, [], max(t for _, t in links) + 1) for w in tail]


def test_the_verb_before_its_pp():
    # ti ta mai le shu: "bought the book for them"
    links = [(0, 3), (1, 4), (2, 0), (4, 2)]
    expected = [(2, 3, [0], 0), (3, 4, [], 1), (4, 5, [2], 2), (0, 1, [3], 3), (1, 2, [4], 4)]
    assert path_of("ti ta mai le shu", "bought the book for them", links) == expected


def test_an_unaligned_word_follows_the_neighbour_that_is_translated_first():
    # CP de NP, "NP CP": de after the noun
    assert path_of("lai de ren", "man came", [(0, 1), (2, 0)]) == [
        (2, 3, [0], 0), (1, 2, [], 1), (0, 1, [1], 1)
    ]  # fmt: skip
    # and at the beginning of the sentence, nearest word first
    assert path_of("a b c", ["C"], [(2, 0)]) == [
        (2, 3, [0], 0), (1, 2, [], 1), (0, 1, [], 1)
    ]  # fmt: skip


def test_neighbours_that_share_a_target_word_are_one_unit():
    # na xie -> those; otoko no ko -> boy; a gap in the target side is left out of it
    assert path_of("na xie ren", "those men", [(0, 0), (1, 0), (2, 1)]) == [
        (0, 2, [0], 0), (2, 3, [1], 1)
    ]  # fmt: skip
    assert path_of(["f", "g"], ["a", "b", "c"], [(0, 0), (0, 2), (1, 1)]) == [
        (0, 1, [0, 2], 0), (1, 2, [1], 1)
    ]  # fmt: skip


def test_unaligned_words_go_with_the_word_to_the_left_or_to_the_right():
    # a CP de de NP b, "NP CP": what stands alone at the edges comes first of all, or last of all
    words, links = "a CP de de NP b", [(1, 1), (4, 0)]
    order = {rule: [row[0] for row in path_of(words, "NP CP", links, rule)] for rule in UNALIGNED}
    assert order == {
        "first": [4, 3, 2, 5, 1, 0], "left": [0, 4, 5, 1, 2, 3], "right": [2, 3, 4, 0, 1, 5]
    }  # fmt: skip
    # the target words behind which they are visited: none, NP, and CP
    left = {row[0]: row[3] for row in path_of(words, "NP CP", links, "left")}
    assert left == {0: 0, 4: 0, 5: 1, 1: 1, 2: 2, 3: 2}
    right = {row[0]: row[3] for row in path_of(words, "NP CP", links, "right")}
    assert right == {2: 0, 3: 0, 4: 0, 0: 1, 1: 1, 5: 2}


@given(small_pairs(), st.sampled_from(UNALIGNED))
def test_paths_are_those_of_the_slow_twin(pair, unaligned):
    source, target, links = pair
    expected = slow_path(len(source), links, unaligned)
    assert path_of(source, target, links, unaligned) == expected
    # the rule moves only unaligned words: the others are visited in one order
    aligned = [row[:3] for row in expected if row[2]]
    assert aligned == [row[:3] for row in slow_path(len(source), links, "first") if row[2]]
    if links:  # every source word is in exactly one unit
        assert sorted(w for start, end, *_ in expected for w in range(start, end)) == list(
            range(len(source))
        )


def test_words_of_many_sentences():
    corpus = corpus_of([
        (["a", "b"], ["B", "A"], [(0, 1), (1, 0)]),
        (["c"], ["C"], []),
        (["b"], ["A", "B"], [(0, 0), (0, 1)]),
    ])  # fmt: skip
    path, offsets = corpus_paths(corpus, TO_FIRST)
    assert offsets.tolist() == [0, 2, 2, 3]
    pairs = path_pairs(corpus, path, offsets)
    decoded = [" ".join(corpus.target.vocabulary.decode(row)) for row in pairs.target]
    assert decoded == ["B", "A", "A B"]
    sources = [" ".join(corpus.source.vocabulary.decode(row)) for row in pairs.source]
    assert sources == ["b", "a", "b"]


@given(
    st.integers(1, 8),
    st.integers(1, 8),
    st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=10),
    st.sampled_from(UNALIGNED),
)
def test_inner_alignments_of_phrases(n_source, n_target, links, unaligned):
    links = [(s % n_source, t % n_target) for s, t in links]
    bits = np.uint64(sum({1 << (8 * t + s) for s, t in links}))
    path = Path(*(np.zeros(9, np.int32) for _ in range(3)), np.zeros(10, np.int64),
                np.zeros(64, np.int32))  # fmt: skip
    rule, scratch = UNALIGNED.index(unaligned), np.empty((64, 2), np.int64)
    n = append_phrase_path(bits, n_source, n_target, rule, scratch, path, 0)
    found = rows(Path(path.start[:n], path.end[:n], path.at[:n], *path[3:]))
    whole = [(0, n_source, list(range(n_target)), 0)]
    assert found == (slow_path(n_source, links, unaligned) if links else whole)
