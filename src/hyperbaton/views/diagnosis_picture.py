"""The shares of the causes as bars, one for each question."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.figure import Figure

from hyperbaton.tuning.evaluation.diagnosis import CAUSES, Diagnosis
from hyperbaton.views.picture_files import save_picture

COLOURS = ("#4c9f70", "#8c8c8c", "#d9a441", "#c8553d", "#4a6fa5")  # of the causes, in order
SMALL = 4  # percent; such a part has no room for its number


def draw_causes(asked: Mapping[str, Sequence[Diagnosis]], path: Path) -> None:
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
