"""Alignment as if some words were not there: they get no links, and the others are aligned without
them (Goto et al. 2013, §4.1, do so with articles and case particles)."""

from collections.abc import Callable, Collection
from dataclasses import replace

import numpy as np

from hyperbaton.corpus.aligning.aligner import Directions
from hyperbaton.corpus.corpora.corpus import AlignedCorpus, Side
from hyperbaton.foundation.arrays import Int64Array, Ragged


def align_without(
    corpus: AlignedCorpus, words: Collection[str], align: Callable[[AlignedCorpus], Directions]
) -> Directions:
    """The links that `align` makes of the text without these words of either side, whatever their
    case, at the places that words have in the whole text."""
    source, of_source = _without(corpus.source, words)
    target, of_target = _without(corpus.target, words)
    found = align(replace(corpus, source=source, target=target))
    places = (source.words.offsets, of_source), (target.words.offsets, of_target)
    forward, backward = (_restored(links, *places) for links in found)
    return Directions(forward, backward)


def _without(side: Side, words: Collection[str]) -> tuple[Side, Int64Array]:
    """What is left of the sentences, and where in its sentence each word was."""
    unwanted = {word.lower() for word in words}
    used = np.unique(side.words.values)
    is_unwanted = [word.lower() in unwanted for word in side.vocabulary.decode(used)]
    kept = ~np.isin(side.words.values, used[is_unwanted])
    before = np.concatenate([[0], np.cumsum(kept)])
    left = Ragged(side.words.values[kept], before[side.words.offsets])
    place = np.arange(len(kept)) - side.words.offsets[side.words.row_of_value]
    return Side(side.vocabulary, left), place[kept]


def _restored(links: Ragged, *sides: tuple[Int64Array, Int64Array]) -> Ragged:
    columns = [
        place[offsets[links.row_of_value] + links.values[:, column]]
        for column, (offsets, place) in enumerate(sides)
    ]
    return Ragged(np.stack(columns, axis=1).astype(links.values.dtype), links.offsets)
