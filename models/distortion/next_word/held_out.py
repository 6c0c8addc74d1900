"""Evaluates predictions of the next source word on held-out sentences.

For every event: log P of the next place, its rank among the candidates, and whether it is the best
one; ties are shared. With `open_only`, visited places are not candidates, and their probability is
shared by the others, as in a decoder. Compare models by log P: two models may prefer the same word
while one of them is much more certain when it is right.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.corpus.words.tagger import Tagger
from hyperbaton.corpus.words.word_classes import WordClasses
from hyperbaton.foundation.arrays import FloatArray, Int32Array, Int64Array
from hyperbaton.foundation.kernels import kernel
from hyperbaton.models.distortion.interface import DistortionModel
from hyperbaton.models.distortion.next_word.events import NextWordEvents
from hyperbaton.models.distortion.next_word.scores import log_probabilities

Scores = Callable[[Sentence], FloatArray]  # of all candidates, (CP, NP − 1)
Probabilities = Callable[[Sentence], FloatArray]  # the same
SMOOTHING = 0.5  # added to the count of every distortion


class Predictions(NamedTuple):
    """One entry for every event."""

    log_p: FloatArray
    rank: FloatArray  # 1 is best
    right: FloatArray  # 1 if it is the best, less for ties, 0 otherwise
    sentence: Int64Array


class MeanDifference(NamedTuple):
    mean: float
    low: float
    high: float


def with_layers(
    corpus: AlignedCorpus,
    models: Sequence[DistortionModel],
    classes: WordClasses | None,
    tagger: Tagger | None = None,
) -> AlignedCorpus:
    """Adds word classes and tags to the corpus if a model needs them; an error if a layer is
    missing."""
    needed = frozenset[str]().union(*(model.requires for model in models))
    if "classes" in needed and classes is not None:
        words = corpus.source.vocabulary.words
        of_word = np.array(classes.of(words), np.int32)
        layer = replace(corpus.source.words, values=of_word[corpus.source.words.values])
        corpus = replace(corpus, source=replace(corpus.source, classes=layer))
    if "tags" in needed and corpus.source.tags is None and tagger is not None:
        corpus = replace(corpus, source=tagger.tag_side(corpus.source))
    for model in models:
        model.check(corpus.source.sentence(0))
    return corpus


def predict(
    scores: Scores, corpus: AlignedCorpus, events: NextWordEvents, *, open_only: bool = False
) -> Predictions:
    """A model's predictions for the events of a corpus."""
    n_events = len(events.current)
    sentence = np.repeat(np.arange(len(corpus)), np.diff(events.offsets))
    predictions = Predictions(np.empty(n_events), np.empty(n_events), np.empty(n_events), sentence)
    for number in range(len(corpus)):
        rows = slice(*events.offsets[number : number + 2])
        words = slice(*events.word_offsets[number : number + 2])
        _predict(
            log_probabilities(scores(corpus.source.sentence(number))),
            events.current[rows],
            events.next[rows],
            events.closed[words],
            open_only,
            predictions.log_p[rows],
            predictions.rank[rows],
            predictions.right[rows],
        )
    return predictions


@kernel
def _predict(table, current, following, closed, open_only, log_p, rank, right):
    n_words = len(closed)
    for event in range(len(current)):
        i, chosen = current[event], table[current[event], following[event] - 1]
        z, n_better, n_equal = 0.0, 0, 0
        for column in range(n_words + 1):
            if column + 1 == i or (open_only and column < n_words and closed[column] < event):
                continue
            z += np.exp(table[i, column])
            n_better += table[i, column] > chosen
            n_equal += table[i, column] == chosen
        log_p[event] = chosen - np.log(z)
        rank[event] = n_better + (n_equal + 1) / 2
        right[event] = 0.0 if n_better else 1.0 / n_equal


def compare(
    first: FloatArray, second: FloatArray, sentence: Int64Array, n_resamples: int = 1000,
    seed: int = 0,
) -> MeanDifference:  # fmt: skip
    """The mean of first − second with its 95% interval, by a paired bootstrap over sentences."""
    sums = np.bincount(sentence, first - second)
    sizes = np.bincount(sentence)
    random = np.random.default_rng(seed)
    means = np.empty(n_resamples)
    for number in range(n_resamples):
        chosen = random.integers(0, len(sums), len(sums))
        means[number] = sums[chosen].sum() / sizes[chosen].sum()
    low, high = np.percentile(means, [2.5, 97.5])
    return MeanDifference(float(sums.sum() / sizes.sum()), float(low), float(high))


def probabilities(scores: Scores) -> Probabilities:
    """The probabilities of the candidates from their scores; all places are candidates."""
    return lambda sentence: np.exp(log_probabilities(scores(sentence)))


class ByDistance(NamedTuple):
    """A quantity of candidates by distortion, −farthest … farthest, for each sentence."""

    sums: FloatArray  # (n_sentences, 2 · farthest + 1)
    counts: FloatArray  # number of candidates, in the same shape

    @property
    def mean(self) -> FloatArray:
        """The mean over all sentences; NaN for distortions without candidates."""
        mean: FloatArray = self.resampled(np.ones((1, len(self.sums))))[0]
        return mean

    def resampled(self, times: FloatArray) -> FloatArray:
        """Means with each sentence repeated `times`, (n_resamples, n_sentences)."""
        total, count = times @ self.sums, times @ self.counts
        means: FloatArray = np.divide(
            total, count, out=np.full_like(total, np.nan), where=count > 0
        )
        return means


def average_by_distance(
    ask: Probabilities, corpus: AlignedCorpus, events: NextWordEvents, farthest: int
) -> ByDistance:
    """P of the candidates at each distortion from the current places of all events (Goto et al.
    2013, Figure 5)."""
    size = 2 * farthest + 1
    averages = ByDistance(*np.zeros((2, len(corpus), size)))
    for number in range(len(corpus)):
        rows = events.current[events.offsets[number] : events.offsets[number + 1]]
        table = ask(corpus.source.sentence(number))[rows]
        distortion = np.arange(table.shape[1])[None, :] - rows[:, None]  # NP − 1 − CP
        seen = (np.abs(distortion) <= farthest) & (distortion != -1)
        averages.sums[number] = np.bincount(distortion[seen] + farthest, table[seen], size)
        averages.counts[number] = np.bincount(distortion[seen] + farthest, minlength=size)
    return averages


def chosen_by_distance(events: NextWordEvents, farthest: int) -> ByDistance:
    """How often the candidate at each distortion is the next place, among the same candidates: the
    averages of a perfect model. (CORPUS in Figure 5 divides by all moves instead, so it also
    decreases with the distance because few sentences are so long: `share_of_moves`.)"""
    size = 2 * farthest + 1
    chosen = ByDistance(*np.zeros((2, events.n_sentences, size)))
    sentence = np.repeat(np.arange(events.n_sentences), np.diff(events.offsets))
    near = np.abs(events.distortions) <= farthest
    np.add.at(chosen.sums, (sentence[near], events.distortions[near] + farthest), 1.0)
    n_words = events.lengths[sentence]
    # candidates from CP are at −CP … n − CP, except −1
    for distortion in range(-farthest, farthest + 1):
        following = events.current + distortion + 1
        is_place = (following >= 1) & (following <= n_words + 1) & (distortion != -1)
        chosen.counts[:, distortion + farthest] = np.bincount(
            sentence[is_place], minlength=events.n_sentences
        )
    return chosen


def share_of_moves(events: NextWordEvents, farthest: int) -> FloatArray:
    """The share of each distortion among all moves (CORPUS in Figure 5 of Goto et al. 2013)."""
    near = events.distortions[np.abs(events.distortions) <= farthest]
    shares: FloatArray = np.bincount(near + farthest, minlength=2 * farthest + 1) / max(
        1, len(events.distortions)
    )
    return shares


class DistanceBaseline:
    """A baseline that uses only the frequency of each distortion."""

    def __init__(self, events: NextWordEvents) -> None:
        distortions: Int32Array = events.distortions
        self._farthest = int(np.abs(distortions).max(initial=1))
        counts = np.bincount(distortions + self._farthest, minlength=2 * self._farthest + 1)
        self._log_share = np.log(counts + SMOOTHING)

    def __call__(self, sentence: Sentence) -> FloatArray:
        places = np.arange(len(sentence) + 1)
        distortion = places[None, :] - places[:, None]
        nearest = np.clip(distortion, -self._farthest, self._farthest)
        scores: FloatArray = self._log_share[nearest + self._farthest]
        return scores


def uniform(sentence: Sentence) -> FloatArray:
    """Equal scores for all candidates."""
    return np.zeros((len(sentence) + 1, len(sentence) + 1))
