"""What tuning wants of a sentence's search, made where the search was."""

from dataclasses import dataclass
from typing import NamedTuple

from hyperbaton.decoder.decoded import Decoded
from hyperbaton.decoder.stream import Failure
from hyperbaton.decoder.translator import Translator
from hyperbaton.foundation.errors import HyperbatonError
from hyperbaton.foundation.work.workplace import plain
from hyperbaton.tuning.weights.hypotheses import NBestList, listed
from hyperbaton.tuning.weights.lattice_lines import BestArcs, SentArcs, best_arcs


class Found(NamedTuple):
    hypotheses: NBestList
    arcs: BestArcs | SentArcs | None = None


@dataclass(frozen=True)
class Lists:
    """As `Search.finish`."""

    links: bool
    n_arcs: int  # of lattices, for each source word
    are_sent: bool  # to another machine

    def __call__(
        self, _: Translator, __: int, result: Decoded | Failure
    ) -> Found | HyperbatonError:
        if isinstance(result, Failure):
            return plain(result.error)
        lists = listed(result, links=self.links)
        if not self.n_arcs:
            return Found(lists)
        arcs = best_arcs(result, self.n_arcs * len(result.sentence))
        return Found(lists, arcs.sent() if self.are_sent else arcs)
