"""Diagnoses for people: shares of the causes, the features behind them, examples, and a picture of
the shares."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from hyperbaton.foundation.arrays import FloatArray
from hyperbaton.tuning.evaluation.diagnosis import CAUSES, MODEL, SAID, Diagnosis
from hyperbaton.tuning.evaluation.tables import Table
from hyperbaton.views.picture_files import save_picture
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
COLOURS = ("#4c9f70", "#8c8c8c", "#d9a441", "#c8553d", "#4a6fa5")  # of the causes, in order
SMALL = 4  # percent; such a part has no room for its number


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


def draw_causes(asked: Mapping[str, Sequence[Diagnosis]], path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 1.2 + 0.7 * len(asked)), layout="constrained")
    axes = figure.subplots()
    begin = dict.fromkeys(asked, 0.0)
    for cause, colour in zip(CAUSES, COLOURS, strict=True):
        shares = [
            100 * sum(one.cause == cause for one in own) / max(1, len(own))
            for own in asked.values()
        ]
        bars = axes.barh(list(asked), shares, left=list(begin.values()), color=colour, label=cause)
        texts = [f"{share:.0f}%" if share >= SMALL else "" for share in shares]
        axes.bar_label(bars, texts, label_type="center", color="white")
        begin = {what: begin[what] + share for what, share in zip(asked, shares, strict=True)}
    axes.invert_yaxis()
    axes.set(xlim=(0, 100), xlabel="sentences, %")
    figure.legend(loc="outside upper center", ncols=len(CAUSES), frameon=False)
    save_picture(figure, path)
