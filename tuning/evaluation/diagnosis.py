"""Why does a system not say what the reference says?

    said       it does
    phrases    the phrase table cannot say it, in whatever order
    limit      only with longer jumps than the distortion limit allows
    search     it scores higher than what the search found: the search lost it
    model      it scores lower: the models prefer something else

Forced decoding tells them apart. It is a beam search itself, though a wide one, so now and then it
misses a derivation of the reference.

The same questions may be asked of the reference's order alone, whatever the words; the search that
is told this order (`models/distortion/oracle.py`) answers them.
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
from hyperbaton.models.distortion.oracle import Oracle
from hyperbaton.models.system.folder import NO_LIMIT

SAID, PHRASES, LIMIT, SEARCH, MODEL = CAUSES = ("said", "phrases", "limit", "search", "model")
EQUAL_SCORES = 1e-6  # scores that differ by less are the same


@dataclass(frozen=True, eq=False)
class Diagnosis:
    cause: str
    source: str
    reference: str
    output: str
    score: float = np.nan  # of the output
    reference_score: float = np.nan  # where the reference can be said within the limit
    # weighted features of the output minus those of the reference, where both are known
    differences: FloatArray | None = None


def diagnose(
    translator: Translator,
    sentences: Sequence[Sentence],
    references: Sequence[str],
    threads: int = 1,
    progress: Progress = silent,
) -> list[Diagnosis | Failure]:
    """Of each sentence; a `Failure` where there is no translation."""
    texts = [" ".join(reference.split()) for reference in references]
    requests = [Exactly(tuple(text.split()), nearest=False) for text in texts]

    def results(
        system: Translator, rows: Sequence[int], what: str, *, forced: bool
    ) -> Iterator[Decoded | Failure]:
        wanted = [requests[row] for row in rows] if forced else None
        chosen = [sentences[row] for row in rows]
        stream = decode_all(system, chosen, threads=threads, requests=wanted)
        for number, result in enumerate(stream, 1):
            progress(what, number)
            yield result

    rows = range(len(sentences))
    own = list(results(translator, rows, "translating", forced=False))
    forced = list(results(translator, rows, "forcing", forced=True))
    lost = [row for row in rows if isinstance(forced[row], Failure)]
    possible: set[int] = set()
    for limit in _longer(translator.settings.distortion_limit):
        left = [row for row in lost if row not in possible]
        freer = translator.with_settings(distortion_limit=limit)
        tried = results(freer, left, "forcing with longer jumps", forced=True)
        possible |= {row for row, one in zip(left, tried, strict=True) if isinstance(one, Decoded)}
    weights = np.array([translator.weights[name] for name in translator.feature_names])
    return [
        found
        if isinstance(found := own[row], Failure)
        else _diagnosis(found, forced[row], texts[row], weights, is_possible=row in possible)
        for row in rows
    ]


def _longer(limit: int) -> list[int]:
    """Longer limits than the given one. The freer a search, the more of what is required it loses,
    so there are several."""
    return [] if limit == NO_LIMIT else [2 * limit + 1, 4 * limit + 1, NO_LIMIT]


def diagnose_order(
    translator: Translator,
    sentences: Sequence[Sentence],
    threads: int = 1,
    progress: Progress = silent,
) -> list[Diagnosis | Failure]:
    """Why the translation of each sentence is not in the order of the reference, which the sentence
    has as a layer. What is called the reference here is the best translation in that order."""
    told = translator.with_model(Oracle())
    names = list(told.feature_names)
    oracle = names.index("oracle")
    weights = np.array([told.weights[name] for name in names])
    weights[oracle] = 0.0

    def results(system: Translator, what: str) -> Iterator[Decoded | Failure]:
        for number, result in enumerate(decode_all(system, sentences, threads=threads), 1):
            progress(what, number)
            yield result

    def cause(own: Decoded, steered: Decoded, free: Decoded) -> Diagnosis:
        values = [one.features()[0] for one in (own, steered, free)]
        late = [value[oracle] < 0 for value in values]
        score, other = (float(value @ weights) for value in values[:2])
        texts = " ".join(own.sentence.words), " ".join(steered.words()), " ".join(own.words())
        if not late[0]:
            return Diagnosis(SAID, *texts, score, score)
        if late[1]:
            return Diagnosis(PHRASES if late[2] else LIMIT, *texts, score)
        kind = SEARCH if other > score + EQUAL_SCORES else MODEL
        differences = np.delete((values[0] - values[1]) * weights, oracle)
        return Diagnosis(kind, *texts, score, other, differences)

    unlimited = told.with_settings(distortion_limit=NO_LIMIT)
    every = zip(
        results(told.with_weights({"oracle": 0.0}), "translating"),
        results(told, "in the order of the reference"),
        results(unlimited, "in this order without a limit"),
        strict=True,
    )
    return [
        cause(own, steered, free)
        if isinstance(own, Decoded) and isinstance(steered, Decoded) and isinstance(free, Decoded)
        else next(one for one in (own, steered, free) if isinstance(one, Failure))
        for own, steered, free in every
    ]


def _diagnosis(
    own: Decoded,
    forced: Decoded | Failure,
    reference: str,
    weights: FloatArray,
    *,
    is_possible: bool,
) -> Diagnosis:
    score, output = float(own.scores[0]), " ".join(own.words())
    texts = " ".join(own.sentence.words), reference, output
    if output == reference:
        return Diagnosis(SAID, *texts, score, score)
    if isinstance(forced, Failure):
        return Diagnosis(LIMIT if is_possible else PHRASES, *texts, score)
    other = float(forced.scores[0])
    cause = SEARCH if other > score + EQUAL_SCORES else MODEL
    differences = (own.features()[0] - forced.features()[0]) * weights
    return Diagnosis(cause, *texts, score, other, differences)
