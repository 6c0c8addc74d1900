"""Diagnoses why the translation of a sentence differs from its reference:

    said       it does not differ
    phrases    the phrase table cannot produce the reference in any order
    limit      the reference needs longer jumps than the distortion limit allows
    search     the reference scores higher than the translation: the search pruned it
    model      the reference scores lower: the models prefer the translation

Forced decoding distinguishes these causes. It is a beam search itself, though a wide one, so it
sometimes misses a derivation of the reference.

The same analysis is possible for the reference's order alone, whatever the words, by a search that
follows this order (`models/distortion/oracle.py`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.constrained_search import Exactly
from hyperbaton.decoder.decoded import Decoded
from hyperbaton.decoder.stream import Failure, decode_all
from hyperbaton.decoder.translator import Translator
from hyperbaton.foundation.arrays import FloatArray
from hyperbaton.foundation.progress import Progress, silent
from hyperbaton.foundation.settings_text import NO_LIMIT
from hyperbaton.models.distortion.oracle import Oracle

SAID, PHRASES, LIMIT, SEARCH, MODEL = CAUSES = ("said", "phrases", "limit", "search", "model")
EQUAL_SCORES = 1e-6  # smaller differences are rounding errors


@dataclass(frozen=True, eq=False)
class Diagnosis:
    cause: str
    source: str
    reference: str
    output: str
    score: float = np.nan  # of the output
    reference_score: float = np.nan  # if the reference is reachable within the limit
    # weighted features of the output minus those of the reference, if both are known
    differences: FloatArray | None = None


def diagnose(
    translator: Translator,
    sentences: Sequence[Sentence],
    references: Sequence[str],
    threads: int = 1,
    progress: Progress = silent,
) -> list[Diagnosis | Failure]:
    """Diagnoses each sentence; a `Failure` if it cannot be translated."""
    texts = [" ".join(reference.split()) for reference in references]
    requests = [Exactly(tuple(text.split()), nearest=False) for text in texts]

    def forcing(system: Translator, rows: Sequence[int], what: str) -> Iterator[Decoded | Failure]:
        chosen = [sentences[row] for row in rows]
        return _results(system, what, chosen, threads, progress, [requests[row] for row in rows])

    rows = range(len(sentences))
    free = list(_results(translator, "translating", sentences, threads, progress))
    forced = list(forcing(translator, rows, "forced decoding"))
    lost = [row for row in rows if isinstance(forced[row], Failure)]
    possible: set[int] = set()
    for limit in _longer(translator.settings.distortion_limit):
        left = [row for row in lost if row not in possible]
        freer = translator.with_settings(distortion_limit=limit)
        tried = zip(left, forcing(freer, left, "forced decoding with longer jumps"), strict=True)
        possible |= {row for row, result in tried if isinstance(result, Decoded)}
    weights = np.array([translator.weights[name] for name in translator.feature_names])
    return [
        result
        if isinstance(result := free[row], Failure)
        else _diagnosis(result, forced[row], texts[row], weights, is_possible=row in possible)
        for row in rows
    ]


def _results(
    translator: Translator,
    what: str,
    sentences: Sequence[Sentence],
    threads: int,
    progress: Progress,
    requests: Sequence[Exactly] | None = None,
) -> Iterator[Decoded | Failure]:
    stream = decode_all(translator, sentences, threads=threads, requests=requests)
    for number, result in enumerate(stream, 1):
        progress(what, number)
        yield result


def _longer(limit: int) -> list[int]:
    """Longer limits to try. There are several, because a search with a longer limit prunes more of
    the required derivations."""
    return [] if limit == NO_LIMIT else [2 * limit + 1, 4 * limit + 1, NO_LIMIT]


def diagnose_order(
    translator: Translator,
    sentences: Sequence[Sentence],
    threads: int = 1,
    progress: Progress = silent,
) -> list[Diagnosis | Failure]:
    """Diagnoses why the order of each translation differs from that of the reference, which is a
    layer of the sentence. Here, the reference is the best translation in that order."""
    guided = translator.with_model(Oracle())
    names = list(guided.feature_names)
    oracle = names.index("oracle")
    weights = np.array([guided.weights[name] for name in names])
    weights[oracle] = 0.0

    def cause(plain: Decoded, ordered: Decoded, unlimited: Decoded) -> Diagnosis:
        values = [decoded.features()[0] for decoded in (plain, ordered, unlimited)]
        late = [value[oracle] < 0 for value in values]
        score, other = (float(value @ weights) for value in values[:2])
        source = " ".join(plain.sentence.words)
        texts = source, " ".join(ordered.words()), " ".join(plain.words())
        if not late[0]:
            return Diagnosis(SAID, *texts, score, score)
        if late[1]:
            return Diagnosis(PHRASES if late[2] else LIMIT, *texts, score)
        kind = SEARCH if other > score + EQUAL_SCORES else MODEL
        differences = np.delete((values[0] - values[1]) * weights, oracle)
        return Diagnosis(kind, *texts, score, other, differences)

    searches = {
        "translating": guided.with_weights({"oracle": 0.0}),
        "translating in reference order": guided,
        "translating in reference order without a limit": guided.with_settings(
            distortion_limit=NO_LIMIT
        ),
    }
    streams = [
        _results(system, what, sentences, threads, progress) for what, system in searches.items()
    ]
    diagnoses: list[Diagnosis | Failure] = []
    for results in zip(*streams, strict=True):
        failure = next((result for result in results if isinstance(result, Failure)), None)
        decoded = [result for result in results if isinstance(result, Decoded)]
        diagnoses.append(failure or cause(*decoded))
    return diagnoses


def _diagnosis(
    free: Decoded,
    forced: Decoded | Failure,
    reference: str,
    weights: FloatArray,
    *,
    is_possible: bool,
) -> Diagnosis:
    score, output = float(free.scores[0]), " ".join(free.words())
    texts = " ".join(free.sentence.words), reference, output
    if output == reference:
        return Diagnosis(SAID, *texts, score, score)
    if isinstance(forced, Failure):
        return Diagnosis(LIMIT if is_possible else PHRASES, *texts, score)
    other = float(forced.scores[0])
    cause = SEARCH if other > score + EQUAL_SCORES else MODEL
    differences = (free.features()[0] - forced.features()[0]) * weights
    return Diagnosis(cause, *texts, score, other, differences)
