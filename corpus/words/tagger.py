"""A part-of-speech tagger learned from tagged text: the averaged perceptron (Collins 2002).

A system that was trained with tags includes a tagger, so that it can translate untagged sentences.
Words are tagged from left to right; the score of a tag is the sum of the weights of

    the word, its neighbours, pairs of them, its first and last letters, its shape,
    and the two tags before it.

After a wrong tag, the weights of the right tag gain one and those of the wrong tag lose one. The
final weights are the means over all words of all passes. They are integers, so the same text gives
the same tagger on every machine. Decoding is greedy: a beam would gain little and take longer.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyperbaton.corpus.corpora.corpus import Side
from hyperbaton.foundation.arrays import Int32Array, Int64Array, Ragged
from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.files.array_files import load_arrays, save_arrays
from hyperbaton.foundation.files.array_laws import CheckedArrays
from hyperbaton.foundation.files.vocabulary import SPECIAL, Vocabulary
from hyperbaton.foundation.hashing import mixed
from hyperbaton.foundation.kernels import inner, kernel
from hyperbaton.foundation.progress import Progress, silent

FORMAT = 1
PASSES = 5
MOST_SENTENCES = 20_000  # for training: more take longer and improve little
HELD_OUT_EVERY = 10  # every tenth sentence is held out to measure the accuracy
MIN_COUNT = 2  # of a word pair; single words need no minimum
PRECISION = 1 << 12  # resolution of the averaged weights
AFFIXES = 3  # letters at either end
EDGE = 0  # key of positions outside the sentence

OFFSETS = (0, -1, 1, -2, 2)  # single words as features
PAIRS = ((-1, 0), (0, 1))  # word pairs as features
N_WORD_FEATURES = 2 * AFFIXES + 1  # affixes and shape
N_FEATURES = len(OFFSETS) + len(PAIRS) + N_WORD_FEATURES


@dataclass(frozen=True, eq=False)
class Tagger:
    """K tags, F features. Feature F − 1 stands for all unseen features; its weights are 0."""

    tags: tuple[str, ...]
    keys: Int64Array  # (F − 1,) increasing
    weights: Int32Array  # (F, K)
    before: Int32Array  # (K + 1, K + 1, K) by the last tag but one and the last tag
    accuracy: float  # on held-out sentences: share of words with the right tag

    @classmethod
    def fit(
        cls, side: Side, passes: int = PASSES, seed: int = 0, progress: Progress = silent
    ) -> "Tagger":
        """Learns from tagged text. Measures the accuracy on held-out sentences, then learns again
        from all sentences."""
        if side.tags is None or not len(side.tags.values):
            raise DataError("cannot learn a tagger from text without tags")
        rows = np.arange(min(len(side.words), MOST_SENTENCES))
        held_out = rows[HELD_OUT_EVERY - 1 :: HELD_OUT_EVERY]
        right, total = 0, 0
        if len(held_out):
            trained = _learn(side.take(np.setdiff1d(rows, held_out)), passes, seed, progress)
            test = side.take(held_out)
            assert test.tags is not None
            tags = trained._tag_text(test.words, word_keys(test.vocabulary.words))
            right = int((tags == test.tags.values - len(SPECIAL)).sum())
            total = len(tags)
        final = _learn(side.take(rows), passes, seed, progress)
        return cls(final.tags, final.keys, final.weights, final.before, right / max(total, 1))

    def notice(self, what: str = "") -> str:
        """A message that the system tags `what`, or all text, itself."""
        of_what = f" for {what}" if what else ""
        right = f"{self.accuracy:.1%} of held-out words right"
        return f"no tags given{of_what}: using the system's tagger ({right})"

    def tag_side(self, side: Side) -> Side:
        numbers = self._tag_text(side.words, word_keys(side.vocabulary.words)) + len(SPECIAL)
        tags = replace(side.words, values=numbers.astype(np.int32))
        return replace(side, tags=tags, tag_vocabulary=Vocabulary(self.tags))

    def tag(self, words: Sequence[str]) -> tuple[str, ...]:
        text = Ragged(np.arange(len(words)), np.array([0, len(words)]))
        numbers = self._tag_text(text, word_keys(words))
        return tuple(self.tags[number] for number in numbers.tolist())

    def _tag_text(self, words: Ragged, keys: Int64Array) -> Int32Array:
        """The tag numbers of all words; `keys` are the word keys of the vocabulary."""
        features = numbered(self.keys, sentence_keys(words, keys))
        numbers: Int32Array = _tag(features, words.offsets, self.weights, self.before)
        return numbers

    def save(self, directory: Path) -> None:
        header = {"accuracy": self.accuracy, "tags": list(self.tags)}
        arrays: dict[str, NDArray[Any]] = {
            "keys": self.keys, "weights": self.weights, "before": self.before
        }  # fmt: skip
        save_arrays(directory, FORMAT, header, arrays, {})

    @classmethod
    def load(cls, directory: Path) -> "Tagger":
        header, arrays, _ = load_arrays(directory, FORMAT, _laws)
        return cls(
            tuple(header["tags"]),
            arrays["keys"],
            arrays["weights"],
            arrays["before"],
            header["accuracy"],
        )


def _laws(arrays: CheckedArrays) -> None:
    tags = arrays.header.get("tags")
    named = isinstance(tags, list) and bool(tags) and all(isinstance(tag, str) for tag in tags)
    arrays.that("header", named, "has no list of tags")
    n = len(tags or ())
    keys = arrays.array("keys", np.int64, (None,))
    arrays.that("keys", len(keys) > 0, "is empty")
    arrays.rises("keys", keys)
    arrays.array("weights", np.int32, (len(keys) + 1, n))
    arrays.array("before", np.int32, (n + 1, n + 1, n))
    arrays.number("accuracy", float)


def word_keys(words: Sequence[str]) -> Int64Array:
    """Keys of each word, its first and last letters and its shape: (words, 1 + N_WORD_FEATURES)."""
    keys = [
        key(part)
        for word in words
        for part in (
            word,
            *(f"^{word[:n]}" for n in range(1, AFFIXES + 1)),
            *(f"{word[-n:]}$" for n in range(1, AFFIXES + 1)),
            f"#{any(c.isdigit() for c in word)}{word[:1].isupper()}{any(map(str.isalpha, word))}",
        )
    ]
    return np.array(keys, np.int64).reshape(len(words), 1 + N_WORD_FEATURES)


def key(text: str) -> int:
    """A 62-bit hash of a text, the same on every machine; never EDGE."""
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return (int.from_bytes(digest, "little") >> 2) | 1


def sentence_keys(words: Ragged, of_word: Int64Array) -> Int64Array:
    """The feature keys of every word of a text: (words, N_FEATURES)."""
    n = len(words.values)
    keys = of_word[words.values]
    place = np.arange(n)
    sentence = words.row_of_value
    begin, end = words.offsets[sentence], words.offsets[sentence + 1]
    around = {}
    for offset in OFFSETS:
        at = place + offset
        inside = (at >= begin) & (at < end)
        around[offset] = (
            np.where(inside, keys[np.where(inside, at, 0), 0], EDGE) if n else keys[:, 0]
        )
    columns = [*(around[offset] for offset in OFFSETS)]
    columns += [_mixed(around[first]) ^ around[second] for first, second in PAIRS]
    columns += [keys[:, 1 + number] for number in range(N_WORD_FEATURES)]
    return np.stack([_mixed(column + number) for number, column in enumerate(columns)], axis=1)


def _mixed(keys: Int64Array) -> Int64Array:
    """Mixes the bits of keys, so that adding small numbers gives no collisions."""
    spread: Int64Array = mixed(keys.view(np.uint64)).view(np.int64)
    return spread


def numbered(known: Int64Array, keys: Int64Array) -> Int32Array:
    """The index of each key among the sorted known keys; `len(known)` for unknown keys."""
    place = np.searchsorted(known, keys)
    same = known[np.minimum(place, len(known) - 1)] == keys
    return np.where(same, place, len(known)).astype(np.int32)


def _learn(side: Side, passes: int, seed: int, progress: Progress) -> Tagger:
    assert side.tags is not None
    tags = side.tag_vocabulary.words[len(SPECIAL) :]
    keys = sentence_keys(side.words, word_keys(side.vocabulary.words))
    known, counts = np.unique(keys, return_counts=True)
    pairs = keys[:, len(OFFSETS) : len(OFFSETS) + len(PAIRS)]
    rare = np.isin(known, pairs) & (counts < MIN_COUNT)
    known = known[~rare]
    features = numbered(known, keys)
    right = side.tags.values - len(SPECIAL)
    shapes = (len(known) + 1, len(tags)), (len(tags) + 1, len(tags) + 1, len(tags))
    weights, before = (np.zeros(shape, np.int32) for shape in shapes)
    late_weights, late_before = (np.zeros(shape, np.int64) for shape in shapes)
    draw = np.random.default_rng(seed)
    step = 1
    for number in range(passes):
        progress("learning to tag, passes", number)
        order = draw.permutation(len(side.words))
        step = _one_pass(
            features, side.words.offsets, right, order, step, weights, before, late_weights,
            late_before,
        )  # fmt: skip
    return Tagger(
        tags, known, _mean(weights, late_weights, step), _mean(before, late_before, step), 0.0
    )


def _mean(weights: Int32Array, late: Int64Array, steps: int) -> Int32Array:
    """The mean weights over all steps. `late` is the sum of each change times its step (Daumé 2006,
    Figure 2.3)."""
    return ((weights * steps - late) * PRECISION // steps).astype(np.int32)


@kernel
def _tag(features, offsets, weights, before):
    tags = np.empty(len(features), np.int32)
    scores = np.empty(weights.shape[1], np.int64)
    for sentence in range(len(offsets) - 1):
        older = last = weights.shape[1]  # before the first word
        for word in range(offsets[sentence], offsets[sentence + 1]):
            older, last = last, _best(features[word], weights, before[older, last], scores)
            tags[word] = last
    return tags


@inner
def _best(features, weights, before, scores):
    """The tag with the highest score; the first one among equals."""
    for tag in range(len(scores)):
        scores[tag] = before[tag]
    for feature in features:
        for tag in range(len(scores)):
            scores[tag] += weights[feature, tag]
    return np.argmax(scores)


@kernel
def _one_pass(
    features, offsets, right, order, step, weights, before, late_weights, late_before
):  # fmt: skip
    """One pass over all sentences in this order; returns the number of the next step."""
    scores = np.empty(weights.shape[1], np.int64)
    for sentence in order:
        older = last = weights.shape[1]
        for word in range(offsets[sentence], offsets[sentence + 1]):
            best, wanted = _best(features[word], weights, before[older, last], scores), right[word]
            if best != wanted:
                before[older, last, wanted] += 1
                before[older, last, best] -= 1
                late_before[older, last, wanted] += step
                late_before[older, last, best] -= step
                for feature in features[word]:
                    if feature == len(weights) - 1:
                        continue  # an unseen feature
                    weights[feature, wanted] += 1
                    weights[feature, best] -= 1
                    late_weights[feature, wanted] += step
                    late_weights[feature, best] -= step
            older, last = last, best
            step += 1
    return step
