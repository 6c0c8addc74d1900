"""Finds the derivations of a search lattice that are best somewhere on a line through the weights.

On the line w + x·d every arc has a score a + b x, and so has every path. The envelope of a node
holds the best paths to it for every x: it is the upper envelope of the envelopes of its
predecessors, shifted by the lines of the arcs (Macherey et al. 2008). The envelope of the final
node is exact for the whole lattice, and line search needs only its paths.

Feature values of arcs come from complete derivations. Let F(e) be the values of the best derivation
through the arc e, and F(v) those of the best one through the node v. An arc from v then counts

    F(e) − F(v),   or F(e) if v is the initial node

What this adds to an arc, it subtracts from the following arcs, so that the sum along each path is
that of its derivation.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.decoded import Decoded
from hyperbaton.decoder.lattice import NONE, Arcs, best_paths, pruned_arcs
from hyperbaton.decoder.phrase_decoded import PhraseDecoded
from hyperbaton.decoder.translator import Translator
from hyperbaton.foundation.arrays import FloatArray, Ragged
from hyperbaton.foundation.kernels import inner, kernel
from hyperbaton.tuning.optimisers.interface import Lines
from hyperbaton.tuning.optimisers.line_search import envelope, make_scratch
from hyperbaton.tuning.optimisers.pool import word_keys

NOTHING = Ragged(np.empty(0, np.int32), np.zeros(2, np.int64))


class SentArcs(NamedTuple):
    """The best part of a lattice, as sent between machines, independent of the system."""

    chosen: Ragged
    scores: FloatArray
    arcs: Arcs
    features: FloatArray

    def restored(self, translator: Translator, sentence: Sentence) -> "BestArcs":
        """Adds the options and scorers of the same translator."""
        if len(self.arcs.to):
            decoded = translator.derivations(sentence, self.chosen, self.scores)
        else:  # an empty sentence, or one translated in pieces
            decoded = translator.decode(sentence, 2).take(np.arange(1))
        return BestArcs(decoded, self.arcs, self.features)


@dataclass(frozen=True, eq=False)
class BestArcs:
    decoded: Decoded  # with its best derivation
    arcs: Arcs
    features: FloatArray  # (arcs, features)

    def sent(self) -> SentArcs:
        decoded = self.decoded
        chosen = decoded.chosen if isinstance(decoded, PhraseDecoded) else NOTHING
        return SentArcs(chosen, decoded.scores, self.arcs, self.features)

    def restored(self, _: Translator, __: Sentence) -> "BestArcs":
        return self

    def winners(self, lines: Lines) -> Decoded:
        """The derivations that are best somewhere on any of the lines."""
        if not (len(self.arcs.to) and isinstance(self.decoded, PhraseDecoded)):
            return self.decoded
        a = self.features @ lines.weights
        b = np.ascontiguousarray(lines.directions @ self.features.T)
        options, offsets, scores = _winners(self.arcs, a, b, lines.reach)
        best = replace(self.decoded, chosen=Ragged(options, offsets), scores=scores)
        _, distinct = np.unique(word_keys(best.chosen), return_index=True)
        return best.take(np.sort(distinct))


def best_arcs(decoded: Decoded, n: int) -> BestArcs:
    """The `n` arcs with the best derivations, or all if there are fewer, and the arcs that connect
    them with the initial and final node."""
    first = decoded.take(np.arange(1))
    if not (isinstance(first, PhraseDecoded) and first.lattice):  # empty, or in pieces
        none = np.empty(0, np.int32)
        return BestArcs(first, Arcs(none, none, none, np.empty(0)), np.empty((0, 0)))
    arcs = pruned_arcs(first.lattice, n)
    first = replace(first, lattice=None)
    best = best_paths(arcs)
    chosen = Ragged(*_through(arcs, best))
    values = replace(first, chosen=chosen, scores=best.total).features()
    of_node = np.concatenate([np.zeros((1, values.shape[1])), values[best.to[1:]]])
    return BestArcs(first, arcs, values - of_node[arcs.before])


@kernel
def _through(arcs, best):
    """The options of the best derivation through each arc, concatenated, and their offsets."""
    steps, offsets = [np.int64(NONE)], np.zeros(len(arcs.to) + 1, np.int64)
    for arc in range(len(arcs.to)):
        step, begin = arc, len(steps)
        while step != NONE:
            steps.append(step)
            step = best.to[arcs.before[step]]
        steps[begin:] = steps[begin:][::-1]
        step = best.after[arcs.to[arc]]
        while step != NONE:
            steps.append(step)
            step = best.after[arcs.to[step]]
        steps.pop()  # the final arc
        offsets[arc + 1] = len(steps) - 1
    return arcs.option[np.array(steps[1:])], offsets


@kernel
def _winners(arcs, a, b, reach):
    """Options and offsets of the derivations that are best somewhere on lines with intercepts `a`
    and slopes `b`, (lines, arcs), and their scores."""
    steps, offsets, scores = [np.int64(NONE)], [0], [0.0]
    for line in range(len(b)):
        paths, first_best = _best_paths(arcs, a, b[line], reach[line])
        for end in range(first_best, len(paths)):
            score, begin = 0.0, len(steps)
            _, path = paths[end]  # the final arc has no option
            arc, path = paths[path]
            while arc != NONE:
                steps.append(arc)
                score += arcs.score[arc]
                arc, path = paths[path]
            steps[begin:] = steps[begin:][::-1]
            offsets.append(len(steps) - 1)
            scores.append(score)
    return arcs.option[np.array(steps[1:])], np.array(offsets), np.array(scores[1:])


@inner
def _best_paths(arcs, a, b, reach):
    """The paths on the envelopes of all nodes, as (arc, previous path), and the index of the first
    path to the final node."""
    begin = np.zeros(arcs.to[-1] + 2, np.int64)  # first path of each node
    begin[1] = 1
    paths, lines = [(np.int64(NONE), np.int64(NONE))], [(0.0, 0.0)]  # of the initial node
    scratch = make_scratch(256)
    last = 0
    for node in range(1, len(begin) - 1):
        first, n = last, 0
        while last < len(arcs.to) and arcs.to[last] == node:
            n += begin[arcs.before[last] + 1] - begin[arcs.before[last]]
            last += 1
        new_a, new_b, new = np.empty(n), np.empty(n), np.empty((n, 2), np.int64)
        n = 0
        for arc in range(first, last):
            for path in range(begin[arcs.before[arc]], begin[arcs.before[arc] + 1]):
                new_a[n], new_b[n] = lines[path][0] + a[arc], lines[path][1] + b[arc]
                new[n, 0], new[n, 1] = arc, path
                n += 1
        if n > len(scratch.best):
            scratch = make_scratch(2 * n)
        size = envelope(new_a, new_b, reach, scratch)
        for row in scratch.best[:size]:
            paths.append((new[row, 0], new[row, 1]))
            lines.append((new_a[row], new_b[row]))
        begin[node + 1] = begin[node] + size
    return paths, begin[-2]
