"""The decoder's n-best lists as arrays for the pool: feature values, words, word alignments; and
the best part of each lattice for optimisers that use lattices.

Words are ids of the target vocabulary; a copied unknown word is −1 − (its source position). Text is
generated only for hypotheses that the metrics have not scored yet.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.decoded import Decoded
from hyperbaton.decoder.stream import Failure
from hyperbaton.decoder.translator import Translator
from hyperbaton.foundation.arrays import FloatArray, Int64Array, Ragged
from hyperbaton.foundation.errors import HyperbatonError
from hyperbaton.foundation.files.vocabulary import Vocabulary
from hyperbaton.foundation.work.workplace import plain
from hyperbaton.tuning.evaluation.data_sets import Sentences
from hyperbaton.tuning.metrics.base import Metric, Outputs
from hyperbaton.tuning.metrics.visits import visits_of_links
from hyperbaton.tuning.optimisers.pool import KeyArray, hypothesis_keys, word_keys
from hyperbaton.tuning.weights.lattice_lines import BestArcs, SentArcs, best_arcs


@dataclass(frozen=True, eq=False)
class Hypotheses:
    """The n-best lists of all sentences, one after the other; H hypotheses."""

    sentences: Sequence[Sentence]
    vocabulary: Vocabulary
    features: FloatArray  # (H, features)
    words: Ragged  # H rows
    links: Ragged | None  # H rows of (source, target), if requested
    offsets: Int64Array  # (n_sentences + 1,)

    @property
    def text_keys(self) -> KeyArray:
        return word_keys(self.words)

    @property
    def keys(self) -> KeyArray:
        return hypothesis_keys(self.text_keys, self.features)

    def texts(self, rows: Int64Array) -> list[str]:
        chosen = self.words.take(rows)
        words = np.array(self.vocabulary.words, dtype=object)[np.maximum(chosen.values, 0)]
        sentence = np.searchsorted(self.offsets, rows, side="right") - 1
        for at in np.flatnonzero(chosen.values < 0).tolist():
            row = np.searchsorted(chosen.offsets, at, side="right") - 1
            words[at] = self.sentences[sentence[row]].copy_of(-1 - chosen.values[at])
        flat = words.tolist()
        return [" ".join(flat[start:end]) for start, end in pairwise(chosen.offsets.tolist())]

    def length_ratio(self, dev: Sentences) -> float:
        """Words of the best translations divided by words of the references closest in length."""
        lengths: list[int] = self.words.lengths[self.offsets[:-1]].tolist()
        closest = [
            min((len(text.split()) for text in texts), key=lambda n: (abs(n - length), n))
            for length, texts in zip(lengths, dev.references, strict=True)
        ]
        return sum(lengths) / max(sum(closest), 1)

    def statistics(self, rows: Int64Array, metric: Metric, dev: Sentences) -> FloatArray:
        """The metric's statistics of these rows, (rows, statistics); equal texts are scored
        once."""
        sentence = np.searchsorted(self.offsets, rows, side="right") - 1
        if metric.needs_visits and self.links is not None:
            return metric.statistics(self._outputs(rows, sentence, dev, self.links))
        pairs = np.stack([sentence.astype(np.uint64), self.text_keys[rows]], axis=1)
        _, first, same = np.unique(pairs, axis=0, return_index=True, return_inverse=True)
        outputs = self._outputs(rows[first], sentence[first], dev)
        return metric.statistics(outputs)[same.reshape(-1)]

    def _outputs(
        self, rows: Int64Array, sentence: Int64Array, dev: Sentences, links: Ragged | None = None
    ) -> Outputs:
        """Texts and references of rows, with visits if there are links."""
        numbers = sentence.tolist()
        texts, references = self.texts(rows), [dev.references[number] for number in numbers]
        if links is None:
            return Outputs(texts, references)
        assert dev.visits is not None
        n_source = np.array([len(self.sentences[number]) for number in numbers], np.int64)
        visits = visits_of_links(links.take(rows), n_source)
        return Outputs(texts, references, visits, [dev.visits[number] for number in numbers])


class NBestList(NamedTuple):
    """The hypotheses of one sentence, independent of the system."""

    features: FloatArray
    words: Ragged
    links: Ragged | None


def listed(decoded: Decoded, *, links: bool = False) -> NBestList:
    return NBestList(
        decoded.features(), decoded.all_words(), decoded.all_links() if links else None
    )


def collect(
    lists: Iterable[NBestList], sentences: Sequence[Sentence], vocabulary: Vocabulary
) -> Hypotheses:
    features, words, links = zip(*lists, strict=True)
    return Hypotheses(
        sentences,
        vocabulary,
        np.concatenate(features),
        _joined(words),
        None if None in links else _joined(links),
        _offsets(np.array([len(rows) for rows in features])),
    )


def _joined(parts: Sequence[Ragged]) -> Ragged:
    lengths = np.concatenate([part.lengths for part in parts])
    return Ragged(np.concatenate([part.values for part in parts]), _offsets(lengths))


def _offsets(lengths: NDArray[np.int64]) -> Int64Array:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


class SearchedSentence(NamedTuple):
    hypotheses: NBestList
    arcs: BestArcs | SentArcs | None = None  # `SentArcs` if sent to another machine


@dataclass(frozen=True)
class CollectNBest:
    """Callback `finish` of `decoder/stream.py`: turns the result of one search into arrays, on the
    machine that searched. Returns an error instead of raising it: it concerns one sentence only."""

    links: bool  # whether to collect word alignments
    n_arcs: int  # arcs of the lattice per source word; 0: no lattice
    are_sent: bool  # whether the arrays go to another machine

    def __call__(
        self, _translator: Translator, _number: int, result: Decoded | Failure
    ) -> SearchedSentence | HyperbatonError:
        if isinstance(result, Failure):
            return plain(result.error)
        hypotheses = listed(result, links=self.links)
        if not self.n_arcs:
            return SearchedSentence(hypotheses)
        arcs = best_arcs(result, self.n_arcs * len(result.sentence))
        return SearchedSentence(hypotheses, arcs.sent() if self.are_sent else arcs)
