"""Searches for the best BLEU in the search lattices of a test set, an upper bound for tuning, which
can only choose among these translations.

BLEU is not a sum over sentences or words, and lattices have too many translations to try all. The
candidates are the translations with the highest values of several linear gains (Tromble et al.
2008). Hill climbing then exchanges the candidates of one sentence at a time while BLEU of the whole
set improves. So the result is a lower bound of the best BLEU, and at least that of the system's
translations.
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

# Factors by which the gain of a matching n-gram grows with each order, and gains of a word
RATIOS, WORD_GAINS = (1.0, 1.3, 1.8), (-0.7, -0.4, -0.15)


@dataclass(frozen=True)
class OracleBleu:
    own: list[str]  # the system's translations; empty if a sentence has none
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
    texts = [text for of_sentence in candidates for text in of_sentence]
    statistics = metric.statistics(Outputs(texts, [references[row] for row in owner.tolist()]))
    first = np.searchsorted(owner, np.arange(len(candidates)))
    chosen = climb(metric, statistics, first, np.append(first[1:], len(owner)))
    scores = (float(metric.score(statistics[rows].sum(axis=0))) for rows in (first, chosen))
    own, best = ([texts[row] for row in rows.tolist()] for rows in (first, chosen))
    return OracleBleu(own, best, *scores)


def _candidates(decoded: Decoded, references: list[list[str]]) -> list[str]:
    """The system's translation, then those with the highest linear gains."""
    texts = [" ".join(decoded.words())]
    lattice = ngram_lattice(decoded)
    if lattice is None:
        return texts
    counts = [lattice.contains(reference) for reference in references]
    is_there = np.max(counts, axis=0) > 0
    for ratio, word_gain in product(RATIOS, WORD_GAINS):
        gain = is_there * ratio ** (lattice.order - 1.0) / 4
        texts.append(" ".join(lattice.best(word_gain, gain).words()))
    return list(dict.fromkeys(texts))


def climb(
    metric: Metric, statistics: FloatArray, first: Int64Array, last: Int64Array
) -> Int64Array:
    """Chooses a row for each sentence by hill climbing: changes one at a time while the total score
    rises."""
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
