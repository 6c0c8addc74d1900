"""Fits the weights of the pair or sequence model to an aligned corpus (Goto et al. 2013, §4.2)."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.foundation.arrays import FloatArray, Int64Array
from hyperbaton.foundation.progress import Progress, silent
from hyperbaton.foundation.work.process_usage import give_back_memory
from hyperbaton.foundation.work.workers import Crew, crew_of
from hyperbaton.models.distortion.next_word.blocks import Blocks
from hyperbaton.models.distortion.next_word.events import ORDERS, find_events
from hyperbaton.models.distortion.next_word.lanes import Lanes
from hyperbaton.models.distortion.next_word.likelihood import Likelihood, adagrad
from hyperbaton.models.distortion.next_word.scores import PAIR, SEQUENCE
from hyperbaton.models.distortion.next_word.selection import (
    PairIndex,
    keys_in_order,
    make_pair_index,
    select_features,
)
from hyperbaton.models.distortion.next_word.symbols import SymbolCoder
from hyperbaton.models.learning.l_bfgs import (
    PriorTrial,
    fit_weights,
    search_prior,
)

FITTING_MEMORY = 3_000_000_000
# Vectors of the length of the weights
L_BFGS_VECTORS = 25  # 15 of L-BFGS-B, 3 gradients, input and output
ADAGRAD_VECTORS = 13  # half of one for each lane and its G, those of their mean, the index
# Start of the search for a prior, and the prior if there is too little data to search
USUAL_PRIORS = {PAIR: 16.0, SEQUENCE: 128.0}
HELD_OUT_SHARE, MOST_HELD_OUT = 10, 500  # a tenth of the sentences, to choose the prior
FEWEST_HELD_OUT = 5
SEARCH_PASSES = 6  # for each prior
SEARCHED = 3000  # sentences for training in the search for a prior
START_PASSES = 2  # of AdaGrad before those of L-BFGS
# Passes of AdaGrad from so many sentences on, instead of L-BFGS
MUCH, PASSES_OVER_MUCH = 30_000, {PAIR: 2, SEQUENCE: 4}


@dataclass(eq=False, kw_only=True)
class MoveSettings:
    """Settings of all models of the next word."""

    # visiting order of source words with several links: `last`, `span` or `asc`
    order: str = ORDERS[0]
    max_sentences: int = 200_000  # train on the first sentences only; 0: all
    max_length: int = 40  # skip source sentences with more words; 0: keep all
    leave_out: str = ""  # words whose links are ignored, separated by spaces

    @property
    def left_out(self) -> tuple[str, ...]:
        return tuple(self.leave_out.split())


@dataclass(eq=False, kw_only=True)
class NextWordSettings(MoveSettings):
    """Settings of the log-linear models."""

    prior: float = 0.0  # λ of the Gaussian prior; 0: chosen on held-out sentences
    min_count: int = 4  # drop features that occur less often
    passes: int = 25  # maximum number of passes of L-BFGS over the sentences


@dataclass(eq=False, kw_only=True)
class WordPairSettings(NextWordSettings):
    """Settings of the pair and the sequence model."""

    # words that share the probability: `all`, or only untranslated ones (`open`)
    candidates: str = "all"
    # passes of AdaGrad before those of L-BFGS; −1: two, or if there is much data, a few passes
    # instead of L-BFGS
    start_passes: int = -1


class Means(NamedTuple):
    """Resources of training, which do not affect the result."""

    threads: int = 2
    progress: Progress = silent
    memory: int = FITTING_MEMORY  # bytes
    crew: Crew | None = None  # used instead of threads


@dataclass(frozen=True, eq=False)
class WordPairFit:
    index: PairIndex
    weights: FloatArray  # (n_features + 1, labels); the last row is 0
    prior: float
    trials: list[PriorTrial]  # of the search for the prior
    n_events: int
    n_passes: int


def train_word_pairs(
    corpus: AlignedCorpus,
    coder: SymbolCoder,
    labels: int,
    settings: WordPairSettings,
    means: Means = Means(),
) -> WordPairFit:
    """Selects features, chooses a prior unless one is given, and fits the weights.

    Memory left by the optimiser caches features; the other features are in a file.
    """
    threads, progress, memory, _ = means
    start_passes, passes = settings.start_passes, settings.passes
    if start_passes < 0:
        start_passes = START_PASSES
        if len(corpus) >= MUCH:
            start_passes, passes = PASSES_OVER_MUCH[labels], 0

    def likelihood(part: AlignedCorpus, index: PairIndex, n_vectors: int) -> Likelihood:
        events = find_events(part, settings.order, settings.left_out)
        kept = memory - n_vectors * 8 * labels * (index.n_features + 1)
        blocks = Blocks(coder.corpus(part), events, index, kept_bytes=max(kept, 0))
        lanes = Lanes(blocks, labels, open_only=settings.candidates == "open")
        return Likelihood(lanes, crew, memory)

    progress("selecting features", 0)
    events = find_events(corpus, settings.order, settings.left_out)
    keys = select_features(coder.corpus(corpus), events, settings.min_count, threads)
    index = make_pair_index(keys)
    del keys
    give_back_memory()
    prior, trials = settings.prior, list[PriorTrial]()
    weights = np.zeros((index.n_features + 1, labels))
    vectors = L_BFGS_VECTORS if passes else ADAGRAD_VECTORS
    with crew_of(means.crew, threads) as crew:
        if not prior:
            prior, trials = _search_prior(
                lambda rows, index: likelihood(corpus.take(rows), index, vectors),
                len(corpus),
                index,
                weights,
                partial(progress, "searching for a prior, passes"),
            )
            if not passes:  # a few passes of AdaGrad end as well or better from 0
                weights[:] = 0.0
            give_back_memory()
        everything = likelihood(corpus, index, vectors)
        if start_passes:
            report = partial(progress, "fitting weights by AdaGrad, passes")
            weights = adagrad(everything, weights, prior, start_passes, report)
        if passes:
            report = partial(progress, "fitting weights, passes")
            fit = fit_weights(everything, weights, prior, passes, report)
            weights, passes = fit.weights, fit.n_passes
    n_passes = start_passes + passes
    return WordPairFit(index, weights, prior, trials, everything.n_events, n_passes)


def _search_prior(
    likelihood: Callable[[Int64Array, PairIndex], Likelihood],
    n_sentences: int,
    index: PairIndex,
    weights: FloatArray,
    report: Callable[[int], None],
) -> tuple[float, list[PriorTrial]]:
    """The best prior on held-out sentences, and all trials; sets the weights to those under the
    best prior. The paper gives no value, and with the same λ the sequence model, which has three
    weights for each feature, is worse than the pair model.

    Features that do not occur in the sentences of the search have weight 0 under any prior and are
    excluded.
    """
    labels = weights.shape[1]
    others, held_out = split_held_out(n_sentences)
    if len(held_out) < FEWEST_HELD_OUT:
        return USUAL_PRIORS[labels], []
    rows = spread(others, SEARCHED)
    occur = likelihood(np.union1d(rows, held_out), index).n_visits() > 0
    some = make_pair_index(keys_in_order(index)[occur[:-1]])
    occur[-1] = True
    train, test = likelihood(rows, some), likelihood(held_out, some)
    usual = USUAL_PRIORS[labels]
    start = adagrad(train, weights[occur], usual, START_PASSES)
    best, trials, weights[occur] = search_prior(train, test, start, usual, SEARCH_PASSES, report)
    return best.prior, trials


def split_held_out(n_sentences: int) -> tuple[Int64Array, Int64Array]:
    """Sentences for training and for testing in the search for a prior; the latter are spread
    evenly."""
    every = np.arange(n_sentences)
    held_out = spread(every, min(n_sentences // HELD_OUT_SHARE, MOST_HELD_OUT))
    return np.setdiff1d(every, held_out), held_out


def spread(rows: Int64Array, n: int) -> Int64Array:
    """n evenly spaced rows, or all if there are fewer."""
    if n >= len(rows):
        return rows
    return rows[np.arange(n) * len(rows) // max(n, 1)]
