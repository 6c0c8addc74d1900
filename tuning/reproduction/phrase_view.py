"""Source phrases of a learning experiment: how much there is to learn from (Ni et al. 2011, Figure
8), and on which of them one learner gains most on another (Figure 14)."""

import numpy as np

from hyperbaton.tuning.evaluation.charts import Chart, Series
from hyperbaton.tuning.evaluation.tables import Table
from hyperbaton.tuning.reproduction.experiment_view import ExperimentView

MOST_PHRASES = 10
FEWEST_EXAMPLES = 3  # of a phrase in the test


def phrase_sizes(view: ExperimentView) -> Chart:
    """Source phrases by their number of training examples, and what their examples have."""
    phrases = view.experiment.phrases
    bin_of = np.log2(phrases.n_own_examples).astype(np.int64)  # 1, 2–3, 4–7, …
    n_phrases = np.bincount(bin_of)
    features = np.bincount(bin_of, phrases.n_own_features) / np.maximum(n_phrases, 1)
    places = [f"{1 << k}–{(2 << k) - 1}" if k else "1" for k in range(len(n_phrases))]
    there = np.flatnonzero(n_phrases)
    return Chart(
        "source phrases by their training examples, as in Figure 8",
        [places[k] for k in there],
        [
            Series("source phrases", n_phrases[there].tolist()),
            Series("features of each, mean", features[there].tolist()),
        ],
        "training examples",
        "number",
        digits=0,
        is_log=True,
        name="phrase_sizes",
    )


def captured_moves(view: ExperimentView, against: str) -> Table:
    """Source phrases with the most examples that the chosen learner has right and `against` has
    wrong, with the last class setup and the largest training set, in the last repetition."""
    settings, phrases = view.experiment.settings, view.experiment.phrases
    n_classes, size = settings.classes[-1], settings.sizes[-1]
    learners = against, view.chosen
    right = [view.experiment.of(name, n_classes, size)[-1].right for name in learners]
    _, first, row = np.unique(phrases.cluster, return_index=True, return_inverse=True)
    n_test = np.bincount(row)
    n_right = np.array([np.bincount(row, own) for own in right])  # (2, phrases)
    gain = np.where(n_test >= FEWEST_EXAMPLES, n_right[1] - n_right[0], 0)
    best = np.argsort(-gain, kind="stable")[:MOST_PHRASES]
    rows = [
        [
            phrases.text[first[k]],
            f"{n_test[k]:,}",
            f"{phrases.n_examples[first[k]]:,}",
            f"{phrases.n_translations[first[k]]:,}",
            *(f"{100 * own[k] / n_test[k]:.0f}" for own in n_right),
        ]
        for k in best
        if gain[k] > 0
    ]
    header = ["source phrase", "test", "training", "translations", *map(view.label, learners)]
    title = (
        f"{n_classes} classes: source phrases on which {view.label(view.chosen)} gains most on "
        f"{view.label(against)} (percent right), as in Figure 14"
    )
    return Table(header, rows, title=title)
