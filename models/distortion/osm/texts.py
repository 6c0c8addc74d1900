"""Operations as text, for readers."""

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

from hyperbaton.foundation.files.vocabulary import SPECIAL
from hyperbaton.foundation.hashing import DistinctRows
from hyperbaton.models.distortion.osm.operations import Kind

Decode: TypeAlias = Callable[[Iterable[int]], list[str]]
UNSEEN = "unseen operation"


class OperationTexts(NamedTuple):
    operations: DistinctRows
    source: Decode  # texts of words or classes
    target: Decode

    def text(self, number: int) -> str:
        """`TRANS katta → bought`."""
        kind, source, target = self.parts(number)
        words = [*source, "→", *target] if kind == Kind.TRANS else [*source, *target]
        is_seen = len(SPECIAL) <= kind != Kind.OTHER
        return " ".join([Kind(kind).name, *words]) if is_seen else UNSEEN

    def parts(self, number: int) -> tuple[int, list[str], list[str]]:
        """The kind of an operation, its source words (for BACK its number), and its target
        words."""
        begin, end = self.operations.begin[number : number + 2].tolist()
        kind, *words = self.operations.values[begin:end].tolist()
        if kind == Kind.BACK:
            return kind, [str(words[0])], []
        n_source = {Kind.TRANS: 1 + words[0] if words else 0, Kind.INS: 1}.get(kind, 0)
        source = words[1:n_source] if kind == Kind.TRANS else words[:n_source]
        return kind, self.source(source), self.target(words[n_source:])
