"""How probable a model finds the visits of sentences that it was not trained on.

log p(t, j | s) of a visit is log p(j | s), the jump, and log p(t | s, j), the translation. They are
given apart, because features may help one and harm the other. `tests/benchmarks/parse_rows.py`
prints them.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.foundation.arrays import FloatArray, Int32Array, Int64Array, Ragged
from hyperbaton.foundation.hashing import EMPTY
from hyperbaton.models.distortion.parse.events import (
    CorpusPaths,
    EventLayers,
    layers_of,
    make_events,
)
from hyperbaton.models.distortion.parse.feature_groups import add_group, find_group
from hyperbaton.models.distortion.parse.fitting import Learned
from hyperbaton.models.distortion.parse.inventory import (
    NOTHING,
    OTHER,
    find_candidate,
    find_source,
    log_share,
)
from hyperbaton.models.distortion.parse.likelihood import gather
from hyperbaton.models.distortion.parse.model import Parse
from hyperbaton.models.distortion.parse.path import UNALIGNED, corpus_paths
from hyperbaton.models.distortion.parse.priors import fill_prior
from hyperbaton.models.distortion.parse.rewrites import rewrite_side
from hyperbaton.models.distortion.parse.templates import (
    G_COLUMN,
    MOST_CANDIDATES,
    MOST_TAGS,
    N_JUMPS,
    parse_use,
)
from hyperbaton.models.learning.losses import to_probabilities
from hyperbaton.models.phrases.trie import ROOT, child


class VisitLogP(NamedTuple):
    """One entry for every visit."""

    jump: FloatArray  # log p(j | s)
    translation: FloatArray  # log p(t | s, j)
    sentence: Int64Array


def visit_log_p(model: Parse, corpus: AlignedCorpus, threads: int = 2) -> VisitLogP:
    """What a fitted model says of the visits of a corpus."""
    learned = model.learned_
    layers = _own_layers(model, corpus)
    path, offsets = corpus_paths(corpus, UNALIGNED.index(model.unaligned))
    sentence = np.repeat(np.arange(len(corpus)), np.diff(offsets))
    begin = layers.source_offsets[sentence]
    source, choice = _find_units(
        learned.inventory, layers.source_words, begin, layers.target_words,
        layers.target_offsets[sentence], path,
    )  # fmt: skip
    families, _ = parse_use(model.use)
    visits = CorpusPaths(path, offsets, source, choice)
    events = make_events(layers, visits, families, model.levels, threads)
    n_columns = G_COLUMN + len(learned.target_tags) * N_JUMPS
    jump, both = _log_p(
        learned.inventory, learned.prior, learned.features, learned.weights, n_columns, events
    )
    return VisitLogP(jump, both - jump, sentence)


def _own_layers(model: Parse, corpus: AlignedCorpus) -> EventLayers:
    """The corpus with the model's ids."""
    learned: Learned = model.learned_
    trees, labels = rewrite_side(corpus.source, model.rewrites_)
    if trees is not None:
        values = trees.values.copy()
        values[:, 0] = learned.labels.encode(labels.words)[values[:, 0]]
        trees = Ragged(values, trees.offsets)
    layers = layers_of(corpus, trees)
    source = learned.source_words.encode(corpus.source.vocabulary.words)
    target = learned.target_words.encode(corpus.target.vocabulary.words)
    tags: Int32Array = learned.source_tags.encode(corpus.source.tag_vocabulary.words)
    tags[tags >= MOST_TAGS - 1] = 0
    return layers._replace(
        source_words=source[layers.source_words],
        target_words=target[layers.target_words],
        source_tags=tags[layers.source_tags],
    )


@njit
def _find_units(inventory, words, begin, targets, target_begin, path):
    """Source phrase and candidate of every unit."""
    sources, choices = np.empty(len(begin), np.int32), np.empty(len(begin), np.int32)
    for unit in range(len(begin)):
        first, last = begin[unit] + path.start[unit], begin[unit] + path.end[unit]
        sources[unit] = find_source(inventory, words, first, last)
        node = np.int32(ROOT)
        for k in range(path.target_begin[unit], path.target_begin[unit + 1]):
            if node != EMPTY:
                word = targets[target_begin[unit] + path.targets[k]]
                node = child(inventory.target_trie, node, word)
        target = inventory.target_of_node[node] if node != EMPTY else OTHER
        if path.target_begin[unit] == path.target_begin[unit + 1]:
            target = NOTHING
        choices[unit] = find_candidate(inventory, sources[unit], target)
    return sources, choices


@njit
def _log_p(inventory, prior, features, weights, n_columns, events):
    """log p(j | s) and log p(t, j | s) of every event."""
    size = len(events.source)
    of_jump, of_both = np.empty(size), np.empty(size)
    columns, p = np.empty(n_columns), np.empty((MOST_CANDIDATES, N_JUMPS))
    own_prior = np.empty((MOST_CANDIDATES, N_JUMPS))
    for event in range(size):
        source, jump = events.source[event], events.jump[event]
        begin = inventory.begin[source]
        n = inventory.begin[source + 1] - begin
        fill_prior(prior, inventory, source, events.tag[event], own_prior)
        columns[:] = 0.0
        for key in events.keys[events.key_begin[event] : events.key_begin[event + 1]]:
            group = find_group(features, key)
            if group != EMPTY:
                add_group(features, weights, group, columns)
        gather(columns, own_prior, inventory.tag[begin : begin + n], n, p)
        to_probabilities(p[:n].reshape(-1))
        of_jump[event] = np.log(p[:n, jump].sum())
        own = log_share(inventory, source, events.choice[event])
        of_both[event] = np.log(p[events.choice[event], jump]) + own
    return of_jump, of_both
