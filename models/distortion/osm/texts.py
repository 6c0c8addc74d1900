"""Operations as text, for readers and for Moses."""

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
MOSES_NAMES = {
    GAP: "_INS_GAP_", FORWARD: "_JMP_FWD_", CONTINUE: "_CONT_CEPT_", SELF: "_TRANS_SLF_",
    TRANS: "_TRANS_", INS: "_INS_", DEL: "_DEL_", BACK: "_JMP_BCK_",
}  # fmt: skip
MOSES_TO, MOSES_JOIN = "_TO_", "^_^"
UNSEEN = "unseen operation"


class OperationTexts(NamedTuple):
    operations: DistinctRows
    source: Decode  # texts of words or classes
    target: Decode

    def text(self, number: int) -> str:
        """`TRANS katta → bought`."""
        kind, source, target = self._parts(number)
        words = [*source, "→", *target] if kind == TRANS else [*source, *target]
        return " ".join([NAMES[kind], *words]) if kind in NAMES else UNSEEN

    def moses_text(self, number: int) -> str:
        """`_TRANS_bought_TO_katta`."""
        kind, source, target = self._parts(number)
        if kind == TRANS:
            words = MOSES_JOIN.join(target) + MOSES_TO + MOSES_JOIN.join(source)
        else:
            words = "".join([*source, *target])
        return MOSES_NAMES[kind] + words

    def _parts(self, number: int) -> tuple[int, list[str], list[str]]:
        """The kind of an operation, its source words (for BACK its number), and its target
        words."""
        begin, end = self.operations.begin[number : number + 2].tolist()
        kind, *words = self.operations.values[begin:end].tolist()
        if kind == BACK:
            return kind, [str(words[0])], []
        n_source = {TRANS: 1 + words[0] if words else 0, INS: 1}.get(kind, 0)
        source = words[1:n_source] if kind == TRANS else words[:n_source]
        return kind, self.source(source), self.target(words[n_source:])
