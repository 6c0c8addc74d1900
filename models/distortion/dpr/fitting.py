"""Trains a classifier of phrase moves: examples, features, learner, and what decoding needs."""

import numpy as np

from models.data.corpus import AlignedCorpus
from models.distortion.dpr.classifier import PhraseClassifier
from models.distortion.dpr.examples import make_examples, make_features, with_classes
from models.distortion.dpr.feature_set import number_columns, renumbered
from models.distortion.dpr.orientations import orientations
from models.errors import DataError
from models.learning.catalogue import make_learner, parse_learner
from models.learning.cluster_model import POOLED
from models.learning.clusters import ClusteredExamples, ClusteredLearner
from models.learning.early_stopping import choose_settings
from models.phrases.trie import build_trie
from models.progress import Progress

MIN_EXAMPLES = 300  # that a source phrase needs for a model of its own


def train_classifier(
    corpus: AlignedCorpus,
    *,
    classes: int = 3,
    learner: str = "mms",
    features: str = "ni",
    window: int = -1,
    order: int = 3,
    min_examples: int = MIN_EXAMPLES,
    min_count: int = 1,
    max_sentences: int = 0,
    word_classes: int = 50,
    seed: int = 0,
    threads: int = 2,
    progress: Progress | None = None,
) -> PhraseClassifier:
    """Learns from all phrase pairs of a corpus, or of so many sentences drawn from it."""
    name, settings = parse_learner(learner)
    setup = orientations(classes)
    feature_set = make_features(features, window, order)
    if max_sentences and max_sentences < len(corpus):
        random = np.random.default_rng(seed)
        corpus = corpus.take(np.sort(random.permutation(len(corpus))[:max_sentences]))
    if progress:
        progress("collecting phrase pairs", 0)
    corpus, source_classes, target_classes = with_classes(corpus, word_classes)
    examples = make_examples(corpus, feature_set, threads)
    if not len(examples.samples):
        raise DataError(
            "no phrase pair can be extracted",
            expected="a corpus with word alignments",
            advice="look at it with hyperbaton corpus",
        )
    number = number_columns(examples.rows[1], examples.n_columns, min_count)
    if number.max(initial=-1) < 0:
        raise DataError(f"no feature occurs {min_count} times", advice="choose a smaller min_count")
    labelled = ClusteredExamples(
        renumbered(examples.rows, number),
        setup.of(examples.samples.distance),
        classes,
        examples.cluster,
    )
    if progress:
        progress(f"learning from {len(labelled.y):,} phrase pairs", 0)
    settings = choose_settings(
        name,
        settings,
        labelled,
        examples.samples.sentence,
        min_examples,
        seed=seed,
        threads=threads,
    )
    trained = ClusteredLearner(make_learner(name, **settings), min_examples).fit(
        labelled, seed=seed, threads=threads, progress=progress
    )
    ids = trained.model_.ids
    trie, ends, n_nodes = build_trie(examples.source_phrases(corpus.source.words, ids))
    cluster_of_node = np.full(n_nodes, POOLED, np.int32)
    cluster_of_node[ends] = np.arange(len(ids))
    model = trained.model_._replace(ids=np.arange(len(ids)))
    return PhraseClassifier(
        feature_set, number, trie, cluster_of_node, model, source_classes, target_classes
    )
