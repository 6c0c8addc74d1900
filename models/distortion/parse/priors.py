"""Prior distributions p0(t, j | s) of the model (Xiang et al. 2011, section 4).

    none       uniform over candidates and jumps
    count      eq. 4:   C(s, t) / (l · C(s)), l the number of jumps
    smoothed   eqs. 5–7: p0(t | s) · (α p_l(j | s, t) + (1 − α) p_g(j)), p_l from the jumps of this
               pair, p_g from those of all words with the same tag, if s is one word, or of all
               phrases of the same length

The few jumps of a rare pair are unreliable, so p_l is smoothed with `half` jumps distributed like
p_g: for a pair that was seen n times, α is in effect α n / (n + half). The paper, with two hundred
times as much data, has half = 0.

To keep every probability above 0, half an occurrence is added to e_0 and `other`, and to every jump
in p_g. A pair without jumps (from a phrase table) has only p_g; an unseen tag has the jumps of all
words.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hyperbaton.foundation.arrays import FloatArray, Int64Array
from hyperbaton.foundation.kernels import inner, kernel
from hyperbaton.models.distortion.parse.events import PathEvents
from hyperbaton.models.distortion.parse.inventory import FIRST_TARGET, Inventory
from hyperbaton.models.distortion.parse.templates import MOST_TAGS, N_JUMPS

PRIORS = ("none", "count", "smoothed")
HALF = 0.5
LONGEST_PHRASE = 8  # longer phrases share one distribution


class Prior(NamedTuple):
    kind: int  # number in PRIORS
    alpha: float
    share: FloatArray  # (C,) log p0(t | s)
    local: FloatArray  # (C, jumps) p_l; −1 if the pair has no jumps
    by_tag: FloatArray  # (tags, jumps) p_g of single words
    by_length: FloatArray  # (LONGEST_PHRASE + 1, jumps) p_g of longer phrases


def estimate_prior(
    kind: str, alpha: float, half: float, inventory: Inventory, events: PathEvents, n_tags: int
) -> Prior:
    counts = inventory.counts + np.where(inventory.target < FIRST_TARGET, HALF, 0.0)
    total = np.add.reduceat(counts, inventory.begin[:-1])
    share = np.log(counts / np.repeat(total, np.diff(inventory.begin)))
    candidate = inventory.begin[events.source] + events.choice
    length = inventory.length[events.source]
    is_word = length == 1
    prior = Prior(
        PRIORS.index(kind),
        alpha,
        share,
        np.full((len(counts), N_JUMPS), -1.0),
        _smooth(_table(events.tag[is_word].astype(np.int64), events.jump[is_word], n_tags)),
        _smooth(_table(np.minimum(length, LONGEST_PHRASE), events.jump, LONGEST_PHRASE + 1)),
    )
    jumps = _table(candidate, events.jump, len(counts))
    seen = jumps.sum(axis=1)
    p_g = np.zeros_like(jumps)  # of a pair: the mean over its occurrences, which may differ in tag
    np.add.at(p_g, candidate, _global(prior, inventory, events.source, events.tag))
    known = np.flatnonzero(seen)
    n = seen[known][:, None]
    prior.local[known] = (jumps[known] + half * p_g[known] / n) / (n + half)
    return prior


def _global(
    prior: Prior, inventory: Inventory, source: NDArray[np.integer], tag: NDArray[np.integer]
) -> FloatArray:
    """p_g(j) of source phrases with these tags, eq. 7."""
    length = inventory.length[source]
    is_word = (length == 1) & (tag < MOST_TAGS)
    of_tag = prior.by_tag[np.where(is_word, tag, 0)]
    of_length = prior.by_length[np.minimum(length, LONGEST_PHRASE)]
    return np.where(is_word[:, None], of_tag, of_length)


def _table(row: Int64Array, jump: NDArray[np.integer], n_rows: int) -> FloatArray:
    counts = np.bincount(row * N_JUMPS + jump, minlength=n_rows * N_JUMPS)
    return counts.reshape(n_rows, N_JUMPS).astype(np.float64)


def _smooth(counts: FloatArray) -> FloatArray:
    """Converts rows of counts to distributions; rows without counts get that of all rows."""
    empty = counts.sum(axis=1) == 0
    counts = np.where(empty[:, None], counts.sum(axis=0), counts) + HALF
    shares: FloatArray = counts / counts.sum(axis=1, keepdims=True)
    return shares


@inner
def fill_prior(prior, inventory, source, tag, result):
    """Fills `result`, (candidates, jumps), with log p0(t, j | s) of a source phrase with a tag."""
    begin, end = inventory.begin[source], inventory.begin[source + 1]
    length = inventory.length[source]
    if tag >= MOST_TAGS:
        length = max(length, 2)  # an unknown phrase of several words
    for at in range(begin, end):
        row = at - begin
        if prior.kind == 0:
            result[row, :] = 0.0
        elif prior.kind == 1:
            result[row, :] = prior.share[at] - np.log(N_JUMPS)
        else:
            for jump in range(N_JUMPS):
                if length == 1:
                    p = prior.by_tag[tag if tag < len(prior.by_tag) else 0, jump]
                else:
                    p = prior.by_length[min(length, LONGEST_PHRASE), jump]
                if prior.local[at, 0] >= 0.0:
                    p = prior.alpha * prior.local[at, jump] + (1.0 - prior.alpha) * p
                result[row, jump] = prior.share[at] + np.log(p)


@kernel
def prior_rows(prior, inventory, source, tag, begin, rows):
    """Fills `rows` with the prior distributions of many pairs (source phrase, tag)."""
    for number in range(len(source)):
        fill_prior(
            prior, inventory, source[number], tag[number], rows[begin[number] : begin[number + 1]]
        )
