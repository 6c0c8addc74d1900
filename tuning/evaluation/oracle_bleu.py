"""The best BLEU in the search lattices of a test set: a ceiling for tuning, which can only choose
among these translations.

BLEU is no sum over sentences, nor over words, and lattices hold too many translations to try all.
Those that gain most by several linear gains (Tromble et al. 2008) are the candidates, and among
them each sentence takes what is best for BLEU of the whole set, until none changes. So the result
is a lower bound of the ceiling, and at least as good as the system's own translations.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.decoded import Decoded
from hyperbaton.decoder.stream import Failure, decode_all
from hyperbaton.decoder.translator import Translator
from hyperbaton.foundation.arrays import FloatArray, Int64Array
from hyperbaton.foundation.progress import Progress, silent
from hyperbaton.tuning.evaluation.lattice_ngrams import ngram_lattice
from hyperbaton.tuning.metrics.base import Metric, Outputs
from hyperbaton.tuning.metrics.bleu import Bleu

# What an n-gram of the reference is worth is by so much more with each word, and what a word costs
RATIOS, WORD_GAINS = (1.0, 1.3, 1.8), (-0.7, -0.4, -0.15)


@dataclass(frozen=True)
class OracleBleu:
    own: list[str]  # the system's translations; empty lines where it has none
    best: list[str]
    own_score: float
    best_score: float


def oracle_bleu(
    translator: Translator,
    sentences: Sequence[Sentence],
    references: Sequence[Sequence[str]],
    threads: int = 1,
    progress: Progress = silent,
) -> OracleBleu:
    stream = decode_all(translator.with_settings(lattice=True), sentences, threads=threads)
    candidates = []
    for number, result in enumerate(stream):
        known = [text.split() for text in references[number]]
        candidates.append([""] if isinstance(result, Failure) else _candidates(result, known))
        progress("translating", number + 1)
    metric = Bleu()
    owner = np.repeat(np.arange(len(candidates)), list(map(len, candidates)))
    texts = [text for own in candidates for text in own]
    statistics = metric.statistics(Outputs(texts, [references[row] for row in owner.tolist()]))
    first = np.searchsorted(owner, np.arange(len(candidates)))
    chosen = climb(metric, statistics, first, np.append(first[1:], len(owner)))
    scores = (float(metric.score(statistics[rows].sum(axis=0))) for rows in (first, chosen))
    own, best = ([texts[row] for row in rows.tolist()] for rows in (first, chosen))
    return OracleBleu(own, best, *scores)


def _candidates(decoded: Decoded, references: list[list[str]]) -> list[str]:
    """The system's own translation, and others that gain much."""
    own = [" ".join(decoded.words())]
    lattice = ngram_lattice(decoded)
    if lattice is None:
        return own
    counts = [lattice.contains(reference) for reference in references]
    is_there = np.max(counts, axis=0) > 0
    for ratio, word_gain in product(RATIOS, WORD_GAINS):
        gain = is_there * ratio ** (lattice.order - 1.0) / 4
        own.append(" ".join(lattice.best(word_gain, gain).words()))
    return list(dict.fromkeys(own))


def climb(
    metric: Metric, statistics: FloatArray, first: Int64Array, last: Int64Array
) -> Int64Array:
    """A row for each sentence, changed one at a time while the score of all rises."""
    sentence_scores = metric.smooth_sentence_scores(statistics)
    chosen = np.array(
        [a + int(np.argmax(sentence_scores[a:b])) for a, b in zip(first, last, strict=True)]
    )
    if metric.score(statistics[chosen].sum(axis=0)) < metric.score(statistics[first].sum(axis=0)):
        chosen = first.copy()
    total, is_changed = statistics[chosen].sum(axis=0), True
    while is_changed:
        is_changed = False
        for row, (a, b) in enumerate(zip(first, last, strict=True)):
            others = total - statistics[chosen[row]]
            scores = metric.score(others + statistics[a:b])
            best = a + int(np.argmax(scores))
            if scores[best - a] > scores[chosen[row] - a]:
                chosen[row], total, is_changed = best, others + statistics[best], True
    return chosen
