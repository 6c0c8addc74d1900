"""From an aligned corpus to a fitted model: paths, inventory, events, prior, features, weights."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from models.arrays import FloatArray, Int32Array, Int64Array, Ragged
from models.data.corpus import AlignedCorpus, Side
from models.data.vocabulary import Vocabulary
from models.distortion.parse.events import Events, layers_of, make_events
from models.distortion.parse.feature_groups import Features, select_features
from models.distortion.parse.iis import scale_iteratively
from models.distortion.parse.inventory import (
    UNTAGGED,
    Inventory,
    Pairs,
    build_inventory,
    no_pairs,
    table_units,
)
from models.distortion.parse.lbfgs import maximise
from models.distortion.parse.likelihood import Task
from models.distortion.parse.path import corpus_paths, target_sequences
from models.distortion.parse.priors import Prior, estimate_prior, prior_rows
from models.distortion.parse.rewrites import Rewrite, rewrite_side
from models.distortion.parse.templates import G_COLUMN, MOST_TAGS, N_JUMPS
from models.errors import DataError
from models.phrases.table import PhraseTable
from models.progress import Progress

LBFGS, IIS = "lbfgs", "iis"


@dataclass(eq=False, kw_only=True)
class ParseSettings:
    """What the model `parse` learns, and how."""

    use: str = "me+prior+cov+sib"  # features and prior, see `model.py`
    alpha: float = 0.9  # of the local distribution in the smoothed prior
    alpha_half: float = 80.0  # jumps at which it has half its weight
    levels: int = 2  # of the tree whose siblings are looked at
    rewrites: str = "de"  # of trees: a name or a file
    variance: float = 1.0  # of the Gaussian prior
    min_count: int = 2  # features seen less often are left out
    max_sentences: int = 0  # the first ones; 0: all
    iterations: int = 100
    trainer: str = LBFGS


@dataclass(frozen=True, eq=False)
class Learned:
    """A fitted model: all that decoding needs."""

    source_words: Vocabulary
    target_words: Vocabulary
    source_tags: Vocabulary
    target_tags: Vocabulary
    labels: Vocabulary
    inventory: Inventory
    prior: Prior
    features: Features
    counts: Int64Array  # (F,) how often each feature fires in training
    weights: FloatArray  # (F,) λ
    report: Mapping[str, float] = field(default_factory=dict)  # sizes of the training data


def learn(
    corpus: AlignedCorpus,
    phrases: PhraseTable | None,
    plan: ParseSettings,
    families: int,  # bits of `templates.FAMILIES`
    prior_kind: str,
    rewrites: tuple[Rewrite, ...],
    threads: int = 2,
    progress: Progress | None = None,
) -> Learned:
    def say(what: str, done: int = 0) -> None:
        if progress:
            progress(what, done)

    if plan.max_sentences:
        corpus = corpus.take(np.arange(min(plan.max_sentences, len(corpus))))
    say("rewriting trees")
    trees, labels = rewrite_side(corpus.source, rewrites)
    n_without = len(corpus) if trees is None else int((trees.lengths == 0).sum())
    path, offsets = corpus_paths(corpus)
    if not len(path.start):
        raise DataError(
            "there is nothing to learn from: no pair has a link",
            expected="a corpus with word alignments",
        )
    sentence = np.repeat(np.arange(len(corpus)), np.diff(offsets))
    units = Pairs(
        Ragged.gather(
            corpus.source.words.values,
            corpus.source.words.offsets[sentence] + path.start,
            path.end - path.start,
        ),
        target_sequences(path, offsets, corpus.target.words),
        np.empty(0),
    )
    more, source_words, target_words = _table_pairs(phrases, corpus)
    inventory, source, choice = build_inventory(
        units, more, tags_of_words(corpus.target, len(target_words))
    )
    layers = layers_of(
        corpus.source.words, _few_tags(corpus.source.tags), corpus.target.words, trees
    )
    events = make_events(
        layers, path, offsets, source, choice, families, plan.levels, threads,
        lambda done: say("reading visit paths", done),
    )  # fmt: skip
    n_tags = min(len(corpus.source.tag_vocabulary), MOST_TAGS)
    prior = estimate_prior(prior_kind, plan.alpha, plan.alpha_half, inventory, events, n_tags)
    say("numbering features")
    task, counts = make_task(events, inventory, prior, corpus.target, plan.min_count)
    say(f"training {len(counts):,} features")
    if plan.trainer == IIS:
        found = scale_iteratively(
            task, counts, plan.variance, plan.iterations, lambda n: say("scaling", n)
        )
    else:
        found = maximise(
            task, counts, plan.variance, plan.iterations, threads, lambda n: say("training", n)
        )
    weights, likelihood = found
    return Learned(
        source_words,
        target_words,
        corpus.source.tag_vocabulary,
        corpus.target.tag_vocabulary,
        labels,
        inventory,
        prior,
        task.features,
        counts,
        weights,
        {
            "sentences": len(corpus),
            "without_tree": n_without,
            "events": len(events.source),
            "features": len(counts),
            "log_likelihood": likelihood,
        },
    )


def make_task(
    events: Events, inventory: Inventory, prior: Prior, target: Side, min_count: int
) -> tuple[Task, Int64Array]:
    """What is learned from, and how often each feature fires with what happened."""
    n_target_tags = len(target.tag_vocabulary)
    features, counts, groups = select_features(events, inventory, n_target_tags, min_count)
    # the prior of an event depends on its source phrase and tag: a few thousand combinations
    both = events.source.astype(np.int64) << 32 | events.tag
    variants, variant = np.unique(both, return_inverse=True)
    source, tag = variants >> 32, variants & 0xFFFFFFFF
    begin = np.concatenate([[0], np.cumsum(np.diff(inventory.begin)[source])])
    rows = np.empty((begin[-1], N_JUMPS))
    prior_rows(prior, inventory, source, tag, begin, rows)
    task = Task(
        events.source,
        events.choice,
        events.jump,
        groups.offsets,
        groups.values,
        rows,
        begin[variant],
        inventory,
        features,
        G_COLUMN + n_target_tags * N_JUMPS,
    )
    return task, counts


def tags_of_words(target: Side, n_words: int) -> Int32Array:
    """The most frequent tag of every target word: in decoding there is no other."""
    result = np.full(n_words, UNTAGGED, np.int32)
    if target.tags is None:
        return result
    width = len(target.tag_vocabulary)
    keys = target.words.values.astype(np.int64) * width + target.tags.values
    pairs, counts = np.unique(keys, return_counts=True)
    order = np.argsort(counts, kind="stable")  # the last one written is the most frequent
    result[pairs[order] // width] = pairs[order] % width
    return result


def _few_tags(tags: Ragged | None) -> Ragged | None:
    """Tags that fit into packed keys; others count as unknown."""
    if tags is None:
        return None
    return Ragged(np.where(tags.values < MOST_TAGS - 1, tags.values, 0).astype(np.int32),
                  tags.offsets)  # fmt: skip


def _table_pairs(
    phrases: PhraseTable | None, corpus: AlignedCorpus
) -> tuple[Pairs, Vocabulary, Vocabulary]:
    """The units of a phrase table over the corpus' vocabularies, which grow by its words."""
    source = Vocabulary.from_list(corpus.source.vocabulary.words)
    target = Vocabulary.from_list(corpus.target.vocabulary.words)
    if phrases is None:
        return no_pairs(), source, target
    units = table_units(phrases)
    own = np.array(source.extend(phrases.source_vocabulary.words), np.int32)
    other = np.array(target.extend(phrases.target_vocabulary.words), np.int32)
    return (
        Pairs(
            Ragged(own[units.source.values], units.source.offsets),
            Ragged(other[units.target.values], units.target.offsets),
            units.weight,
        ),
        source,
        target,
    )
