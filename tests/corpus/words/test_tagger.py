"""The tagger against a slow twin that works on strings and adds up the weights after every word."""

from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.corpus.corpora.corpus import Side
from hyperbaton.corpus.words.tagger import MIN_COUNT, PRECISION, Tagger, sentence_keys, word_keys
from hyperbaton.foundation.arrays import Ragged
from hyperbaton.foundation.files.vocabulary import SPECIAL, Vocabulary
from tests.mapped_arrays import ragged
from tests.refusals import refused

TEXT = [
    ("the dog sees the cat", "D N V D N"),
    ("a cat sees a dog", "D N V D N"),
    ("dogs see Bill 's cat", "N V P S N"),
    ("the see is 7 miles deep", "D N V C N A"),
    ("cats dog the dogs", "N V D N"),
    ("the dog is deep", "D N V A"),
] * 2


def side_of(pairs):
    vocabulary, tag_vocabulary = Vocabulary(), Vocabulary()
    words = [vocabulary.extend(words.split()) for words, _ in pairs]
    tags = [tag_vocabulary.extend(tags.split()) for _, tags in pairs]
    return Side(vocabulary, ragged(words), tag_vocabulary, ragged(tags))


def features(words, place):
    """What is seen of a word, as text."""

    def at(offset):
        return words[place + offset] if 0 <= place + offset < len(words) else None

    word = words[place]
    return [
        *((offset, at(offset)) for offset in (0, -1, 1, -2, 2)),
        ("pair before", at(-1), word),
        ("pair after", word, at(1)),
        *(("first", n, word[:n]) for n in (1, 2, 3)),
        *(("last", n, word[-n:]) for n in (1, 2, 3)),
        (
            "shape",
            any(c.isdigit() for c in word),
            word[0].isupper(),
            any(c.isalpha() for c in word),
        ),
    ]


class SlowTagger:
    """Keeps the sum of all weights after every word."""

    def __init__(self, pairs, passes, seed):
        self.tags = list(dict.fromkeys(" ".join(tags for _, tags in pairs).split()))
        sentences = [(words.split(), tags.split()) for words, tags in pairs]
        counts = Counter(f for words, _ in sentences for i in range(len(words))
                         for f in features(words, i))  # fmt: skip
        self.known = {
            f for f in counts if not str(f[0]).startswith("pair") or counts[f] >= MIN_COUNT
        }
        self.weights, sums, steps = defaultdict(int), Counter(), 1
        draw = np.random.default_rng(seed)
        for _ in range(passes):
            for number in draw.permutation(len(sentences)):
                words, right = sentences[number]
                before = (None, None)
                for place in range(len(words)):
                    seen = self.seen(words, place, before)
                    found = self.best(seen)
                    if found != right[place]:
                        for feature in seen:
                            self.weights[feature, right[place]] += 1
                            self.weights[feature, found] -= 1
                    sums.update({k: v for k, v in self.weights.items() if v})
                    before = before[1], found
                    steps += 1
        self.means = {k: v / steps for k, v in sums.items()}

    def seen(self, words, place, before):
        return [*(f for f in features(words, place) if f in self.known), ("before", *before)]

    def best(self, seen):
        return max(self.tags, key=lambda tag: sum(self.weights[f, tag] for f in seen))


@pytest.mark.parametrize("passes", [1, 4])
def test_weights_are_those_of_the_slow_twin(passes):
    side = side_of(TEXT)
    tagger, slow = Tagger.fit(side, passes, seed=3), SlowTagger(TEXT, passes, seed=3)
    assert list(tagger.tags) == slow.tags
    compared = 0
    for words, _ in TEXT:
        words = words.split()
        text = Ragged(np.arange(len(words)), np.array([0, len(words)]))
        keys = sentence_keys(text, word_keys(words))
        for place in range(len(words)):
            for key, feature in zip(keys[place], features(words, place), strict=True):
                if feature not in slow.known:
                    assert key not in tagger.keys
                    continue
                row = tagger.weights[np.searchsorted(tagger.keys, key)]
                for tag, weight in zip(slow.tags, row, strict=True):
                    mean = slow.means.get((feature, tag), 0)
                    assert weight / PRECISION == pytest.approx(mean, abs=1 / PRECISION)
                    compared += bool(mean)
    assert compared > 100
    places = [*slow.tags, None]  # nothing before the first word comes last
    for one, older in enumerate(places):
        for two, last in enumerate(places):
            for number, tag in enumerate(slow.tags):
                mean = slow.means.get((("before", older, last), tag), 0)
                weight = tagger.before[one, two, number] / PRECISION
                assert weight == pytest.approx(mean, abs=1 / PRECISION)


def test_it_tags_what_it_has_learned_and_guesses_the_rest():
    tagger = Tagger.fit(side_of(TEXT))
    for words, tags in TEXT:
        assert tagger.tag(words.split()) == tuple(tags.split())
    assert tagger.tag(["the", "dogfish", "sees", "Bob"])[:3] == ("D", "N", "V")
    assert tagger.tag([]) == ()


@given(st.lists(st.text(min_size=1, max_size=4), min_size=1, max_size=6))
def test_any_words_get_tags(words):
    tagger = Tagger.fit(side_of(TEXT[:3]), passes=1)
    assert len(tagger.tag(words)) == len(words)


def test_a_sentence_is_tagged_as_if_it_were_alone():
    side = side_of(TEXT)
    tagger = Tagger.fit(side)
    together = tagger._tag_text(side.words, word_keys(side.vocabulary.words))
    alone = [tag for words, _ in TEXT for tag in tagger.tag(words.split())]
    assert [tagger.tags[number] for number in together] == alone


def test_accuracy_is_measured_on_sentences_that_were_not_learned_from():
    # the tenth sentence has words that occur nowhere else, and a tag that nothing else has
    pairs = [*TEXT[:9], ("zzz yyy", "X X")]
    assert Tagger.fit(side_of(pairs)).accuracy == 0.0
    assert Tagger.fit(side_of([*TEXT[:9], TEXT[0]])).accuracy == 1.0
    assert Tagger.fit(side_of(pairs)).tag(["zzz", "yyy"]) == ("X", "X")  # it has learned from all


def test_saved_and_loaded(tmp_path):
    tagger = Tagger.fit(side_of(TEXT))
    tagger.save(tmp_path)
    again = Tagger.load(tmp_path)
    assert again.tag(["the", "cat"]) == ("D", "N")
    for name in ("keys", "weights", "before"):
        assert np.array_equal(getattr(again, name), getattr(tagger, name))
    assert (again.tags, again.accuracy) == (tagger.tags, tagger.accuracy)


def test_a_text_without_tags():
    side = side_of(TEXT)
    refused("from text without tags", lambda: Tagger.fit(Side(side.vocabulary, side.words)))
    assert len(SPECIAL) == 3  # tags are numbered behind these
