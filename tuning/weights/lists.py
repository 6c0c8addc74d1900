"""What tuning keeps of the search of a sentence: its n-best list, and the best part of its lattice
for optimisers that want one."""

from dataclasses import dataclass
from typing import NamedTuple

from hyperbaton.decoder.decoded import Decoded
from hyperbaton.decoder.stream import Failure
from hyperbaton.decoder.translator import Translator
from hyperbaton.foundation.errors import HyperbatonError
from hyperbaton.foundation.work.workplace import plain
from hyperbaton.tuning.weights.hypotheses import NBestList, listed
from hyperbaton.tuning.weights.lattice_lines import BestArcs, SentArcs, best_arcs


class SearchedSentence(NamedTuple):
    hypotheses: NBestList
    arcs: BestArcs | SentArcs | None = None  # `SentArcs` on the way to another machine


@dataclass(frozen=True)
class CollectNBest:
    """The callback `finish` of `decoder/stream.py`: turns the result of one search into arrays, on
    the machine that has searched. An error is returned, because it belongs to one sentence only."""

    links: bool  # whether word alignments are wanted
    n_arcs: int  # of the lattice, for each source word; 0 if no lattice is wanted
    are_sent: bool  # the arrays, to another machine

    def __call__(
        self, _translator: Translator, _number: int, result: Decoded | Failure
    ) -> SearchedSentence | HyperbatonError:
        if isinstance(result, Failure):
            return plain(result.error)
        hypotheses = listed(result, links=self.links)
        if not self.n_arcs:
            return SearchedSentence(hypotheses)
        arcs = best_arcs(result, self.n_arcs * len(result.sentence))
        return SearchedSentence(hypotheses, arcs.sent() if self.are_sent else arcs)
