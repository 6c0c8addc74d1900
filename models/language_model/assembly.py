"""Makes the forest of `NGrams` from lists of n-grams in any order, with prefixes missing or not."""

from dataclasses import dataclass

import numpy as np

from models.arrays import BoolArray, FloatArray, Int32Array, Int64Array
from models.data.vocabulary import Vocabulary
from models.errors import DataError
from models.language_model.ngrams import NGrams, link_suffixes, node_keys


@dataclass(frozen=True, eq=False)
class Section:
    """The n-grams of one length; natural logarithms."""

    words: Int32Array  # (n-grams, length)
    logprob: FloatArray
    backoff: FloatArray


def assemble(vocabulary: Vocabulary, sections: list[Section], where: str = "") -> NGrams:
    """All n-grams and their prefixes as a forest.

    Length by length, every n-gram that is at least as long looks for the node of its first words;
    what the n-grams of that very length do not give is new, without a probability of its own.
    """
    order = len(sections)
    nodes = [np.zeros(len(section.words), dtype=np.int64) for section in sections]
    keys, logprob, backoff = [np.zeros(1, np.int64)], [np.zeros(1)], [np.zeros(1)]
    start = 1
    for length, section in enumerate(sections, 1):
        column = length - 1
        wanted = [
            node_keys(nodes[longer], sections[longer].words[:, column])
            for longer in range(column, order)
        ]
        own = wanted[0]
        repeated = _repeated(np.sort(own))
        if repeated.any():
            row = int(np.flatnonzero(own == np.sort(own)[repeated][0])[0])
            words = " ".join(vocabulary.decode(section.words[row]))
            raise DataError(f"the {length}-gram {words!r} is listed twice", where=where)
        unique = np.sort(np.concatenate(wanted))
        unique = unique[~_repeated(unique)]
        for longer in range(column, order):
            nodes[longer] = np.searchsorted(unique, wanted[longer - column]) + start
        keys.append(unique)
        logprob.append(np.full(len(unique), np.nan))
        backoff.append(np.zeros(len(unique)))
        logprob[-1][nodes[column] - start] = section.logprob
        backoff[-1][nodes[column] - start] = section.backoff
        start += len(unique)
    backoff[-1][:] = 0.0  # nothing follows the longest n-grams
    together = np.concatenate(keys)
    ngrams = NGrams(
        vocabulary,
        starts=np.cumsum([0, *map(len, keys)]),
        prefix=(together >> 32).astype(np.int32),
        word=(together & 0xFFFFFFFF).astype(np.int32),
        logprob=np.concatenate(logprob),
        backoff=np.concatenate(backoff),
    )
    if np.isnan(ngrams.logprob).any():
        link_suffixes(ngrams)  # fills in the probabilities
    return ngrams


def _repeated(keys: Int64Array) -> BoolArray:
    """Which of the sorted keys equal the one before."""
    repeated = np.zeros(len(keys), dtype=bool)
    repeated[1:] = keys[1:] == keys[:-1]
    return repeated
