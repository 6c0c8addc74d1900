"""Operations as text, for readers."""

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

from hyperbaton.foundation.hashing import DistinctRows
from hyperbaton.models.distortion.osm.operations import (
    BACK,
    CONTINUE,
    DEL,
    FORWARD,
    GAP,
    INS,
    SELF,
    TRANS,
)

Decode: TypeAlias = Callable[[Iterable[int]], list[str]]
NAMES = {
    GAP: "GAP", FORWARD: "FORWARD", CONTINUE: "CONTINUE", SELF: "SELF", TRANS: "TRANS", INS: "INS",
    DEL: "DEL", BACK: "BACK",
}  # fmt: skip
UNSEEN = "unseen operation"


class OperationTexts(NamedTuple):
    operations: DistinctRows
    source: Decode  # texts of words or classes
    target: Decode

    def text(self, number: int) -> str:
        """`TRANS katta → bought`."""
        kind, source, target = self.parts(number)
        words = [*source, "→", *target] if kind == TRANS else [*source, *target]
        return " ".join([NAMES[kind], *words]) if kind in NAMES else UNSEEN

    def parts(self, number: int) -> tuple[int, list[str], list[str]]:
        """The kind of an operation, its source words (for BACK its number), and its target
        words."""
        begin, end = self.operations.begin[number : number + 2].tolist()
        kind, *words = self.operations.values[begin:end].tolist()
        if kind == BACK:
            return kind, [str(words[0])], []
        n_source = {TRANS: 1 + words[0] if words else 0, INS: 1}.get(kind, 0)
        source = words[1:n_source] if kind == TRANS else words[:n_source]
        return kind, self.source(source), self.target(words[n_source:])
