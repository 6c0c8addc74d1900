"""Trains a classifier of phrase moves, and prepares it for decoding."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix  # type: ignore[import-untyped]

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.foundation.arrays import Int32Array, Int64Array
from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.progress import Progress, silent
from hyperbaton.models.distortion.dpr.classifier import PhraseClassifier
from hyperbaton.models.distortion.dpr.examples import (
    Examples,
    make_examples,
    make_features,
    with_classes,
)
from hyperbaton.models.distortion.dpr.samples import DISTANCE, orientations
from hyperbaton.models.learning.catalogue import make_learner, parse_learner
from hyperbaton.models.learning.cluster_arrays import POOLED, ClusterModel
from hyperbaton.models.learning.clusters import ClusteredExamples, ClusteredLearner
from hyperbaton.models.learning.early_stopping import choose_settings
from hyperbaton.models.phrases.trie import build_trie

MOST_SENTENCES = 40_000  # each has a hundred phrase pairs, and each of these fifty features
MIN_EXAMPLES = 300  # that a source phrase needs for a model of its own


@dataclass(eq=False, kw_only=True)
class ClassifierSettings:
    """What the model `dpr` learns, and from what."""

    classes: int = 3
    moves: str = DISTANCE  # or msd: monotone, swap, discontinuous
    learner: str = "mms"  # or name:key=value:…
    features: str = "ni"  # or alrajeh
    window: int = -1  # source words looked at on each side; −1: as in the paper
    order: int = 3  # of n-grams
    # source phrases with fewer share one pooled model; 0: there is none, and they score alike
    min_examples: int = MIN_EXAMPLES
    min_count: int = 1  # features seen less often are left out
    max_sentences: int = MOST_SENTENCES  # learn from this many, drawn at random; 0: from all
    word_classes: int = 50  # if the corpus brings none


def train_classifier(
    corpus: AlignedCorpus,
    chosen: ClassifierSettings,
    seed: int = 0,
    threads: int = 2,
    progress: Progress = silent,
    *,
    forward: bool = False,
) -> list[PhraseClassifier]:
    """Learns from all phrase pairs of a corpus, or of some of its sentences. With `forward`, there
    is a second classifier, of the orientation towards the next phrase."""
    name, settings = parse_learner(chosen.learner)
    setup = orientations(chosen.classes, chosen.moves)
    feature_set = make_features(chosen.features, chosen.window, chosen.order)
    if chosen.max_sentences and chosen.max_sentences < len(corpus):
        random = np.random.default_rng(seed)
        corpus = corpus.take(np.sort(random.permutation(len(corpus))[: chosen.max_sentences]))
    progress("collecting phrase pairs", 0)
    corpus, source_classes, target_classes = with_classes(corpus, chosen.word_classes)
    examples = make_examples(corpus, feature_set, threads)
    matrix, number = _matrix(examples, chosen.min_count)
    sentence, fewest = examples.samples.sentence, chosen.min_examples

    def learn(labels: Int64Array) -> ClusterModel:
        labelled = ClusteredExamples(matrix, labels, chosen.classes, examples.cluster)
        progress(f"learning from {len(labels):,} phrase pairs", 0)
        best = choose_settings(
            name, settings, labelled, sentence, fewest, seed=seed, threads=threads
        )
        learner = ClusteredLearner(make_learner(name, **best), fewest)
        return learner.fit(labelled, seed=seed, threads=threads, progress=progress).model_

    models = [learn(setup.label(examples.samples))]
    if forward:
        models.append(learn(examples.samples.next_corner))
    ids = models[0].ids  # the same for both
    trie, ends, n_nodes = build_trie(examples.source_phrases(corpus.source.words, ids))
    cluster_of_node = np.full(n_nodes, POOLED, np.int32)
    cluster_of_node[ends] = np.arange(len(ids))
    return [
        PhraseClassifier(
            feature_set,
            number,
            trie,
            cluster_of_node,
            model._replace(ids=np.arange(len(ids))),
            source_classes,
            target_classes,
        )
        for model in models
    ]


def _matrix(examples: Examples, min_count: int) -> tuple[csr_matrix, Int32Array]:
    """The features of all examples, and their numbers; there must be some of both."""
    if not len(examples.samples):
        raise DataError(
            "no phrase pair can be extracted",
            expected="a corpus with word alignments",
            advice="look at it with hyperbaton corpus",
        )
    matrix, number = examples.described.matrix(min_count)
    if not matrix.shape[1]:
        raise DataError(f"no feature occurs {min_count} times", advice="choose a smaller min_count")
    return matrix, number
