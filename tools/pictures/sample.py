"""The sentence of all pictures: its search, and its best derivation taken apart."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hyperbaton.decoder.decoded import Decoded
from hyperbaton.decoder.explanation import Explanation, explain
from hyperbaton.decoder.lattice import Lattice
from hyperbaton.decoder.search_space import best_futures
from hyperbaton.decoder.translator import Translator
from hyperbaton.foundation.arrays import FloatArray

SENTENCE = "sensei wa tomodachi ni tegami o okutta ."


@dataclass(frozen=True, eq=False)
class Sample:
    decoded: Decoded
    explanation: Explanation
    futures: FloatArray

    @classmethod
    def of(cls, translator: Translator) -> "Sample":
        decoded = translator.with_settings(lattice=True).decode(SENTENCE)
        weights = [
            np.array([translator.weights[name] for name in model.feature_names])
            for model in translator.distortion
        ]
        futures = best_futures(decoded.options, decoded.scorers, weights)
        return cls(decoded, explain(translator, decoded), futures)

    @property
    def words(self) -> tuple[str, ...]:
        return self.explanation.source_words

    @property
    def spans(self) -> list[tuple[int, int, int]]:
        """Start, end and first option of each span with options."""
        spans = self.decoded.options.spans[:-1]
        return [(int(row["start"]), int(row["end"]), int(row["option"])) for row in spans]

    @cached_property
    def lattice(self) -> Lattice:
        lattice = self.decoded.lattice
        assert lattice is not None
        return lattice

    @cached_property
    def best_path(self) -> list[int]:
        """The nodes of the best derivation, after each step."""
        nodes = [0]
        while (following := int(self.lattice.following[nodes[-1]])) >= 0:
            nodes.append(following)
        return nodes[1:]

    def covered(self, node: int) -> list[bool]:
        bits = int(self.lattice.coverage[node, 0])
        return [bool(bits >> place & 1) for place in range(len(self.words))]

    def arcs_to(self, node: int) -> list[int]:
        """The one of the best path first."""
        found: list[int] = np.flatnonzero(self.lattice.arc_to == node).tolist()
        return found

    def phrase(self, arc: int) -> list[str]:
        return self.decoded.phrase(int(self.lattice.arc_option[arc]))

    def said(self, arc: int) -> list[str]:
        """All target words on the best path that ends with an arc."""
        before = int(self.lattice.arc_from[arc])
        return (self.said(self.arcs_to(before)[0]) if before else []) + self.phrase(arc)
