"""Output and messages of `hyperbaton translate` for each sentence, produced by the worker."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pickle import PickleBuffer
from typing import Any

import numpy as np

from hyperbaton.decoder.decoded import Decoded
from hyperbaton.decoder.output import aligned_line, json_line, lattice_lines, nbest_lines
from hyperbaton.decoder.statistics import SearchStatistics
from hyperbaton.decoder.stream import Failure
from hyperbaton.decoder.translator import Translator


@dataclass(frozen=True)
class Written:
    """Output and messages for one sentence, as plain values; outputs are lines of their files."""

    words: tuple[str, ...]  # of the source
    copied: tuple[str, ...] = ()  # those without a translation
    layers: frozenset[str] = frozenset()
    failure: str = ""
    remarks: tuple[str, ...] = ()
    statistics: SearchStatistics = SearchStatistics()
    text: bytes = b""
    n_best: bytes = b""
    lattice: bytes = b""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles large outputs without copying them."""
        *small, n_best, lattice = vars(self).values()
        return Written, (*small, PickleBuffer(n_best), PickleBuffer(lattice))


@dataclass(frozen=True)
class WantedOutputs:
    """The outputs to produce, and how to choose the translation."""

    text: bool
    n_best: bool
    lattice: bool
    as_json: bool
    alignment: bool
    # multiplier of the scores, for a choice by minimum Bayes risk
    list_scale: float | None = None
    lattice_scale: float | None = None
    most: int = 1  # maximum translations to keep

    def __call__(self, translator: Translator, number: int, result: Decoded | Failure) -> Written:
        words, layers = result.sentence.words, result.sentence.layers
        if isinstance(result, Failure):  # an empty line replaces the translation
            return Written(words, (), layers, str(result.error), text=b"\n")
        said, statistics = tuple(remarks(result)), result.statistics
        chosen = self._chosen(result)
        return Written(
            words,
            tuple(chosen.copied()),
            layers,
            "",
            said,
            statistics,
            _lines([self._text(translator, number, chosen)]) if self.text else b"",
            _lines(nbest_lines(number, translator, chosen, alignment=self.alignment))
            if self.n_best
            else b"",
            _lines(lattice_lines(number, chosen)) if self.lattice else b"",
        )

    def _chosen(self, decoded: Decoded) -> Decoded:
        if self.lattice_scale is not None:
            from hyperbaton.tuning.evaluation.consensus import lattice_consensus

            return lattice_consensus(decoded, self.lattice_scale)
        if self.list_scale is not None:
            return chosen_by_risk(decoded, self.list_scale, self.most)
        return decoded

    def _text(self, translator: Translator, number: int, decoded: Decoded) -> str:
        if self.as_json:
            return json_line(number, decoded, translator)
        if self.alignment:
            return aligned_line(decoded)
        return translator.preparation.joined(decoded.words())


def _lines(lines: Iterable[str]) -> bytes:
    return b"".join(line.encode() + b"\n" for line in lines)


def remarks(decoded: Decoded) -> Iterator[str]:
    """Yields remarks to the user about a translation."""
    if decoded.n_pieces > len(decoded.sentence.breaks) + 1:
        yield f"{len(decoded.sentence)} words, translated in {decoded.n_pieces} pieces"
    if narrowed := decoded.statistics.narrowed:
        n_words = len(decoded.sentence)
        yield f"time limit reached: the beam was narrowed for {narrowed} of {n_words} words"
    if decoded.lacks or decoded.adds:
        parts = ("omits", decoded.lacks), ("adds", decoded.adds)
        named = [f'{what} "{" ".join(words)}"' for what, words in parts if words]
        yield f"the system cannot produce this; the closest translation {' and '.join(named)}"


def chosen_by_risk(decoded: Decoded, scale: float, n_best: int) -> Decoded:
    """The translations by decreasing expected gain, each with its best derivation."""
    from hyperbaton.tuning.evaluation.consensus import Scored, expected_gains

    texts = [" ".join(decoded.words(number)) for number in range(len(decoded))]
    gains = expected_gains([Scored(texts, decoded.scores)], scale)
    order = np.argsort(-gains.gain, kind="stable")[:n_best]
    return decoded.take(decoded.first_of_each_translation()[order])
