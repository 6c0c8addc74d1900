from functools import partial
from itertools import pairwise
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.corpus.words.word_classes import (
    WordClasses,
    _change,
    _join_gains,
    _neighbours,
    count_bigrams,
    count_class_bigrams,
    x_log_x,
)
from hyperbaton.foundation.errors import SettingError
from hyperbaton.foundation.kernels import kernel
from tests.models.language_model.small_texts import encoded
from tests.refusals import refused

_change, _join_gains, _neighbours = map(
    kernel, (_change, _join_gains, _neighbours)
)  # compiled, as in use


def corpus(lines):
    return encoded([line.split() for line in lines])


def criterion(words, of_word):
    """F of the module, by counting."""
    bigrams, sizes = {}, {}
    for row in words:
        classes = ["end", *(int(of_word[word]) for word in row), "end"]
        for pair in pairwise(classes):
            bigrams[pair] = bigrams.get(pair, 0) + 1
        for class_ in classes[1:]:
            sizes[class_] = sizes.get(class_, 0) + 1
    return sum(n * log(n) for n in bigrams.values()) - 2 * sum(n * log(n) for n in sizes.values())


texts = st.lists(
    st.lists(st.sampled_from("abcdefg"), max_size=6).map(" ".join), min_size=1, max_size=12
).filter(lambda lines: any(lines))


@given(texts, st.integers(1, 4))
def test_no_sweep_makes_the_criterion_worse(lines, n_classes):
    words, vocabulary = corpus(lines)
    values = [
        criterion(words, WordClasses.fit(words, vocabulary, n_classes, sweeps).of_word)
        for sweeps in range(5)
    ]
    assert all(after >= before - 1e-9 for before, after in pairwise(values))


@given(texts, st.integers(2, 4))
def test_the_better_of_two_starts_is_taken(lines, n_classes):
    """Frequent words have classes of their own, or all classes are of the same size."""
    words, vocabulary = corpus(lines)
    counts = np.bincount(words.values, minlength=len(vocabulary)).tolist()
    by_count = sorted(filter(counts.__getitem__, range(len(counts))), key=lambda w: -counts[w])
    starts = [
        dict(zip(by_count, classes, strict=True))
        for classes in (
            [min(rank, n_classes - 1) for rank in range(len(by_count))],
            [rank % n_classes for rank in range(len(by_count))],
        )
    ]
    found = WordClasses.fit(words, vocabulary, n_classes, sweeps=0).of_word
    best = max(criterion(words, start) for start in starts)
    assert criterion(words, found) == pytest.approx(best, abs=1e-9)


@given(texts, st.integers(2, 4), st.data())
def test_what_a_word_gains_by_joining_a_class_is_what_the_criterion_gains(lines, n_classes, data):
    words, vocabulary = corpus(lines)
    n = len(vocabulary)
    numbers = st.integers(0, n_classes - 1)
    class_of = np.array([*data.draw(st.lists(numbers, min_size=n, max_size=n)), n_classes])
    class_of = class_of.astype(np.int32)
    word = int(data.draw(st.sampled_from(words.values.tolist())))
    text = count_bigrams(words, n)
    counts = count_class_bigrams(text, class_of, n_classes)
    sizes = counts.sum(axis=1)
    following, preceding = np.zeros((2, n_classes + 1), np.int64)
    itself = _neighbours(word, text, class_of, following, preceding)
    _change(counts, sizes, class_of[word], following, preceding, itself, -1)
    gains = np.empty(n_classes)
    table = x_log_x(np.arange(4))  # too short on purpose: larger values are computed
    _join_gains(counts, sizes, following, preceding, itself, table, gains)
    values = []
    for group in range(n_classes):
        class_of[word] = group
        values.append(criterion(words, class_of))
    assert gains - gains[0] == pytest.approx(np.array(values) - values[0], abs=1e-9)
    # and putting it back gives the counts of the text
    _change(counts, sizes, class_of[word], following, preceding, itself, 1)
    assert np.array_equal(counts, count_class_bigrams(text, class_of, n_classes))
    assert np.array_equal(sizes, counts.sum(axis=1))


@given(texts, st.integers(2, 4))
def test_at_the_end_no_single_move_helps(lines, n_classes):
    words, vocabulary = corpus(lines)
    of_word = WordClasses.fit(words, vocabulary, n_classes, sweeps=100).of_word
    best = criterion(words, of_word)
    for word in set(words.values.tolist()):
        for group in range(n_classes):
            moved = of_word.copy()
            moved[word] = group
            assert criterion(words, moved) <= best + 1e-6


def test_planted_classes_are_found():
    random = np.random.default_rng(5)
    groups = {"D": 3, "N": 30, "V": 20, "A": 12}
    lines = [
        " ".join(f"{group}{random.integers(groups[group])}" for group in pattern)
        for pattern in random.choice(["DNVDN", "DANV", "DNV", "DANVDAN"], 1500)
    ]
    words, vocabulary = corpus(lines)
    classes = WordClasses.fit(words, vocabulary, n_classes=4, sweeps=20)
    found = {}
    for word in vocabulary.words[3:]:
        found.setdefault(word[0], set()).add(classes.of([word])[0])
    assert all(len(numbers) == 1 for numbers in found.values())
    assert len(set.union(*found.values())) == 4


def test_unseen_words_have_the_class_of_most_singletons():
    lines = ["a x b", "a y b", "a z b", "a w b", "b a", "b a"]
    words, vocabulary = corpus(lines)
    vocabulary.extend(["later"])
    classes = WordClasses.fit(words, vocabulary, n_classes=3, sweeps=10)
    rare = {classes.of([word])[0] for word in "xyzw"}
    assert len(rare) == 1
    assert classes.of(["never", "later", "<unk>"]) == tuple(rare) * 3
    assert classes.of(["a"])[0] not in rare
    vocabulary.extend(["even-later"])
    assert classes.of(["even-later"])[0] in rare


def test_without_singletons_unseen_words_have_the_class_of_most_words():
    words, vocabulary = corpus(["a b c", "a b c"])
    classes = WordClasses.fit(words, vocabulary, n_classes=2)
    *seen, unseen = classes.of("abcd")
    assert unseen == max((0, 1), key=seen.count)


def test_the_layer_of_a_corpus_follows_its_rows():
    words, vocabulary = corpus(["a b", "", "b a a"])
    classes = WordClasses.fit(words, vocabulary, n_classes=2)
    a, b = classes.of(["a", "b"])
    layer = classes.layer(words)
    assert [row.tolist() for row in layer] == [[a, b], [], [b, a, a]]
    assert layer.values.dtype == np.int32


def test_more_classes_than_words_and_empty_sentences():
    words, vocabulary = corpus(["", "a", ""])
    classes = WordClasses.fit(words, vocabulary, n_classes=9)
    assert 0 <= classes.of(["a"])[0] < 9


def test_what_is_saved_is_loaded(tmp_path):
    words, vocabulary = corpus(["a b c", "b c a d"])
    classes = WordClasses.fit(words, vocabulary, n_classes=3)
    classes.save(tmp_path)
    loaded = WordClasses.load(tmp_path)
    assert loaded.n_classes == 3
    assert np.array_equal(loaded.of_word, classes.of_word)
    assert loaded.of("abcde") == classes.of("abcde")


def test_sweeps_are_reported():
    seen = []
    words, vocabulary = corpus(["a b", "b a"])
    WordClasses.fit(words, vocabulary, 2, sweeps=3, progress=lambda *what: seen.append(what))
    assert seen[0] == ("making word classes", 0)


def test_no_classes_and_no_words_are_refused():
    words, vocabulary = corpus(["a"])
    attempt = partial(WordClasses.fit, words, vocabulary, n_classes=0)
    refused("0 word classes … 1 or more", attempt, SettingError)
    refused("a text without words", lambda: WordClasses.fit(*corpus([""])))
