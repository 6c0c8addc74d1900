"""Diagnoses as text and a picture: shares of the causes, features behind them, and examples."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from hyperbaton.foundation.arrays import FloatArray
from hyperbaton.tuning.evaluation.diagnosis import CAUSES, MODEL, SAID, Diagnosis
from hyperbaton.tuning.evaluation.tables import Table
from hyperbaton.views.picture_files import save_picture
from hyperbaton.views.text_tables import TextBlock

TRANSLATION, ORDER = "translation", "order"  # subjects of a diagnosis
TITLE = {
    TRANSLATION: "Why translations differ from the reference",
    ORDER: "Why their order differs from the reference",
}
MEANING = {
    TRANSLATION: {
        "said": "the translation is the reference",
        "phrases": "the phrase table cannot produce it",
        "limit": "it needs longer jumps",
        "search": "it scores higher, but the search pruned it",
        "model": "it scores lower: the models prefer another",
    },
    ORDER: {
        "said": "the translation is in the order of the reference",
        "phrases": "no segmentation into phrases allows it",
        "limit": "it needs longer jumps",
        "search": "a translation in this order scores higher, but the search pruned it",
        "model": "all translations in this order score lower",
    },
}
COLOURS = ("#4c9f70", "#8c8c8c", "#d9a441", "#c8553d", "#4a6fa5")  # of the causes, in order
SMALL = 4  # percent; a smaller bar has no room for its number


def diagnosis_blocks(
    diagnoses: Sequence[Diagnosis], names: Sequence[str], n_examples: int, what: str = TRANSLATION
) -> Iterator[TextBlock]:
    n = len(diagnoses)
    counts = {cause: sum(case.cause == cause for case in diagnoses) for cause in CAUSES}
    yield Table(
        ("cause", "sentences", "share", ""),
        [
            [cause, f"{counts[cause]:,}", f"{counts[cause] / n:.1%}", MEANING[what][cause]]
            for cause in CAUSES
        ],
        title=TITLE[what],
        left=frozenset(("cause", "")),
    )
    differences = [case.differences for case in diagnoses if case.cause == MODEL]
    if differences:
        yield _features(np.array(differences), names, what)
    for cause in CAUSES:
        if cause != SAID:
            for case in [case for case in diagnoses if case.cause == cause][:n_examples]:
                yield _example(case)


def _features(differences: FloatArray, names: Sequence[str], what: str) -> Table:
    """The contribution of each feature to the preference for the system's translation."""
    mean, share = differences.mean(axis=0), (differences > 0).mean(axis=0)
    rows = [
        [names[k], f"{mean[k]:+.3f}", f"{share[k]:.0%}"]
        for k in np.argsort(-mean)
        if differences[:, k].any()
    ]
    return Table(
        ("feature", "mean", "prefers output"),
        rows,
        title=f"Features that prefer the system's {what} to the reference (weighted)",
    )


def _example(case: Diagnosis) -> str:
    scores = "" if np.isnan(case.reference_score) else f"  {case.reference_score:.4f}"
    return (
        f"{case.cause}\n  source     {case.source}\n  reference  {case.reference}{scores}\n"
        f"  output     {case.output}  {case.score:.4f}"
    )


def draw_causes(diagnoses: Mapping[str, Sequence[Diagnosis]], path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 1.2 + 0.7 * len(diagnoses)), layout="constrained")
    axes = figure.subplots()
    subjects, begin = list(diagnoses), dict.fromkeys(diagnoses, 0.0)
    for cause, colour in zip(CAUSES, COLOURS, strict=True):
        shares = [
            100 * sum(case.cause == cause for case in cases) / max(1, len(cases))
            for cases in diagnoses.values()
        ]
        bars = axes.barh(subjects, shares, left=list(begin.values()), color=colour, label=cause)
        texts = [f"{share:.0f}%" if share >= SMALL else "" for share in shares]
        axes.bar_label(bars, texts, label_type="center", color="white")
        begin = {what: begin[what] + share for what, share in zip(subjects, shares, strict=True)}
    axes.invert_yaxis()
    axes.set(xlim=(0, 100), xlabel="sentences, %")
    figure.legend(loc="outside upper center", ncols=len(CAUSES), frameon=False)
    save_picture(figure, path)
