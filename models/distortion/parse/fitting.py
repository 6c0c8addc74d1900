"""Fits the model to an aligned corpus: paths, inventory, events, prior, features, weights."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from hyperbaton.corpus.corpora.corpus import AlignedCorpus, Side
from hyperbaton.foundation.arrays import FloatArray, Int32Array, Int64Array, Ragged
from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.files.vocabulary import Vocabulary
from hyperbaton.foundation.progress import Progress, silent
from hyperbaton.models.distortion.parse.events import (
    CorpusPaths,
    PathEvents,
    layers_of,
    make_events,
)
from hyperbaton.models.distortion.parse.feature_groups import FeatureGroups, select_features
from hyperbaton.models.distortion.parse.inventory import (
    UNTAGGED,
    Inventory,
    UnitPairs,
    build_inventory,
    no_pairs,
    path_pairs,
    table_units,
)
from hyperbaton.models.distortion.parse.likelihood import (
    TrainingEvents,
    maximise,
    scale_iteratively,
)
from hyperbaton.models.distortion.parse.path import UNALIGNED, corpus_paths
from hyperbaton.models.distortion.parse.priors import Prior, estimate_prior, prior_rows
from hyperbaton.models.distortion.parse.rewrites import Rewrite, rewrite_side
from hyperbaton.models.distortion.parse.templates import (
    G_COLUMN,
    MOST_TAGS,
    N_JUMPS,
    T_COLUMN,
    W_COLUMN,
    parse_use,
)
from hyperbaton.models.phrases.table import PhraseTable

LBFGS, IIS = "lbfgs", "iis"


@dataclass(eq=False, kw_only=True)
class ParseSettings:
    """Settings for learning the model `parse`."""

    use: str = "me+prior+cov+sib"  # features and prior, joined by `+`
    alpha: float = 0.9  # weight of the local distribution in the smoothed prior
    # occurrences at which a phrase pair's jumps count as much as all jumps
    alpha_half: float = 80.0
    levels: int = 2  # levels of the tree whose siblings are features
    # visit unaligned source words with the neighbour that is translated `first`, or with the one to
    # the `left` or `right`
    unaligned: str = "first"
    rewrites: str = "de"  # tree rewrites: `de`, a TOML file, or empty for none
    variance: float = 1.0  # σ² of the Gaussian prior on features of a translation with a jump
    jump_variance: float = 0.0  # the same for features of jumps alone; 0: as `variance`
    # the same for features of translations alone; 0: as `variance`
    translation_variance: float = 0.0
    tag_variance: float = 0.3  # the same for features of translated tags with a jump
    min_count: int = 2  # drop features that occur less often
    max_sentences: int = 0  # train on the first sentences only; 0: all
    iterations: int = 100  # maximum number of training iterations
    trainer: str = LBFGS  # `lbfgs`, or `iis` (improved iterative scaling)


@dataclass(frozen=True, eq=False)
class Learned:
    """A fitted model, with all data for decoding."""

    source_words: Vocabulary
    target_words: Vocabulary
    source_tags: Vocabulary
    target_tags: Vocabulary
    labels: Vocabulary
    inventory: Inventory
    prior: Prior
    features: FeatureGroups
    counts: Int64Array  # (F,) count of each feature in training
    weights: FloatArray  # (F,) λ
    report: Mapping[str, float] = field(default_factory=dict)  # sizes of the training data


def learn(
    corpus: AlignedCorpus,
    phrases: PhraseTable | None,
    plan: ParseSettings,
    rewrites: tuple[Rewrite, ...],
    threads: int = 2,
    progress: Progress = silent,
) -> Learned:
    if plan.max_sentences:
        corpus = corpus.take(np.arange(min(plan.max_sentences, len(corpus))))
    progress("rewriting trees", 0)
    trees, labels = rewrite_side(corpus.source, rewrites)
    more, source_words, target_words = _table_pairs(phrases, corpus)
    inventory, visits = visit(corpus, more, len(target_words), UNALIGNED.index(plan.unaligned))
    families, prior_kind = parse_use(plan.use)
    events = make_events(
        layers_of(corpus, trees), visits, families, plan.levels, threads,
        lambda done: progress("reading visit paths", done),
    )  # fmt: skip
    n_tags = min(len(corpus.source.tag_vocabulary), MOST_TAGS)
    prior = estimate_prior(prior_kind, plan.alpha, plan.alpha_half, inventory, events, n_tags)
    progress("numbering features", 0)
    data, counts = training_events(events, inventory, prior, corpus.target, plan.min_count)
    progress(f"training {len(counts):,} features", 0)
    variance = variances(data.features.column, plan)
    if plan.trainer == IIS:
        weights, likelihood = scale_iteratively(
            data, counts, variance, plan.iterations, lambda n: progress("scaling", n)
        )
    else:
        weights, likelihood = maximise(
            data, counts, variance, plan.iterations, threads, lambda n: progress("training", n)
        )
    sizes = {
        "sentences": len(corpus),
        "without_tree": len(corpus) if trees is None else int((trees.lengths == 0).sum()),
        "events": len(events.source),
        "features": len(counts),
        "log_likelihood": likelihood,
    }
    return Learned(
        source_words, target_words, corpus.source.tag_vocabulary, corpus.target.tag_vocabulary,
        labels, inventory, prior, data.features, counts, weights, sizes,
    )  # fmt: skip


def visit(
    corpus: AlignedCorpus, more: UnitPairs, n_target_words: int, unaligned: int
) -> tuple[Inventory, CorpusPaths]:
    """The paths of a corpus over the inventory of their phrases and those of a phrase table."""
    path, offsets = corpus_paths(corpus, unaligned)
    if not len(path.start):
        raise DataError(
            "nothing to learn from: no pair has a link",
            expected="expected a corpus with word alignments",
        )
    tags = tags_of_words(corpus.target, n_target_words)
    inventory, source, choice = build_inventory(path_pairs(corpus, path, offsets), more, tags)
    return inventory, CorpusPaths(path, offsets, source, choice)


def training_events(
    events: PathEvents, inventory: Inventory, prior: Prior, target: Side, min_count: int
) -> tuple[TrainingEvents, Int64Array]:
    """The training data, and the count of each feature in the observed outcomes."""
    n_target_tags = len(target.tag_vocabulary)
    features, counts, groups = select_features(events, inventory, n_target_tags, min_count)
    # the prior of an event depends on its source phrase and tag: a few thousand combinations
    both = events.source.astype(np.int64) << 32 | events.tag
    variants, variant = np.unique(both, return_inverse=True)
    source, tag = variants >> 32, variants & 0xFFFFFFFF
    begin = np.concatenate([[0], np.cumsum(np.diff(inventory.begin)[source])])
    rows = np.empty((begin[-1], N_JUMPS))
    prior_rows(prior, inventory, source, tag, begin, rows)
    data = TrainingEvents(
        events.source, events.choice, events.jump, groups.offsets, groups.values, rows,
        begin[variant], inventory, features, G_COLUMN + n_target_tags * N_JUMPS,
    )  # fmt: skip
    return data, counts


def variances(column: Int32Array, plan: ParseSettings) -> FloatArray:
    """σ² of every weight, by the part of the outcome."""
    both = plan.variance
    jump, translation = plan.jump_variance or both, plan.translation_variance or both
    of_part = np.array([jump, translation, both, plan.tag_variance])
    return of_part[np.searchsorted([T_COLUMN, W_COLUMN, G_COLUMN], column, side="right")]


def tags_of_words(target: Side, n_words: int) -> Int32Array:
    """The most frequent tag of every target word, which is the only one known in decoding."""
    result = np.full(n_words, UNTAGGED, np.int32)
    if target.tags is None:
        return result
    width = len(target.tag_vocabulary)
    keys = target.words.values.astype(np.int64) * width + target.tags.values
    pairs, counts = np.unique(keys, return_counts=True)
    order = np.argsort(counts, kind="stable")  # the most frequent is written last
    result[pairs[order] // width] = pairs[order] % width
    return result


def _table_pairs(
    phrases: PhraseTable | None, corpus: AlignedCorpus
) -> tuple[UnitPairs, Vocabulary, Vocabulary]:
    """The units of a phrase table, over the corpus' vocabularies extended by its words."""
    source = Vocabulary.from_list(corpus.source.vocabulary.words)
    target = Vocabulary.from_list(corpus.target.vocabulary.words)
    if phrases is None:
        return no_pairs(), source, target
    units = table_units(phrases)
    source_ids = np.array(source.extend(phrases.source_vocabulary.words), np.int32)
    target_ids = np.array(target.extend(phrases.target_vocabulary.words), np.int32)
    sources = Ragged(source_ids[units.source.values], units.source.offsets)
    targets = Ragged(target_ids[units.target.values], units.target.offsets)
    return UnitPairs(sources, targets, units.weight), source, target
