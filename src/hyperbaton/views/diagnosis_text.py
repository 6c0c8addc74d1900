"""Diagnoses for people: shares of the causes, the features behind them, and examples."""

from collections.abc import Iterator, Sequence

import numpy as np

from hyperbaton.foundation.arrays import FloatArray
from hyperbaton.tuning.evaluation.diagnosis import CAUSES, MODEL, SAID, Diagnosis
from hyperbaton.tuning.evaluation.tables import Table
from hyperbaton.views.text_tables import TextBlock

TRANSLATION, ORDER = "translation", "order"  # what is asked about
TITLE = {
    TRANSLATION: "Why the reference is not said",
    ORDER: "Why the order is not that of the reference",
}
MEANING = {
    TRANSLATION: {
        "said": "the translation is the reference",
        "phrases": "the phrase table cannot say it",
        "limit": "only with longer jumps",
        "search": "it scores higher, but the search lost it",
        "model": "it scores lower: the models prefer another",
    },
    ORDER: {
        "said": "the translation is in the order of the reference",
        "phrases": "no segmentation into phrases allows it",
        "limit": "only with longer jumps",
        "search": "a translation in this order scores higher, but the search lost it",
        "model": "all in this order score lower: the models prefer another",
    },
}


def diagnosis_blocks(
    diagnoses: Sequence[Diagnosis], names: Sequence[str], n_examples: int, what: str = TRANSLATION
) -> Iterator[TextBlock]:
    n = len(diagnoses)
    counts = {cause: sum(one.cause == cause for one in diagnoses) for cause in CAUSES}
    yield Table(
        ("cause", "sentences", "share", ""),
        [
            [cause, f"{counts[cause]:,}", f"{counts[cause] / n:.1%}", MEANING[what][cause]]
            for cause in CAUSES
        ],
        title=TITLE[what],
        left=frozenset(("cause", "")),
    )
    differences = [one.differences for one in diagnoses if one.cause == MODEL]
    if differences:
        yield _features(np.array(differences), names, what)
    for cause in CAUSES:
        if cause != SAID:
            for one in [one for one in diagnoses if one.cause == cause][:n_examples]:
                yield _example(one)


def _features(differences: FloatArray, names: Sequence[str], what: str) -> Table:
    """What each feature adds to the preference for the system's own translation."""
    mean, share = differences.mean(axis=0), (differences > 0).mean(axis=0)
    rows = [
        [names[k], f"{mean[k]:+.3f}", f"{share[k]:.0%}"]
        for k in np.argsort(-mean)
        if differences[:, k].any()
    ]
    return Table(
        ("feature", "mean", "prefers its own"),
        rows,
        title=f"What the models prefer about their own {what} to the reference's (weighted)",
    )


def _example(one: Diagnosis) -> str:
    scores = "" if np.isnan(one.reference_score) else f"  {one.reference_score:.4f}"
    return (
        f"{one.cause}\n  source     {one.source}\n  reference  {one.reference}{scores}\n"
        f"  output     {one.output}  {one.score:.4f}"
    )
