"""What the models of a system know of the next source word of held-out sentences, as text and as a
picture."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyperbaton.views.corpus_text import check_picture
from models.data.corpus import AlignedCorpus
from models.distortion.interface import DistortionModel
from models.distortion.next_word.distance_classes import class_names, distance_classes
from models.distortion.next_word.events import Events, find_events
from models.distortion.next_word.held_out import (
    DistanceBaseline,
    MeanDifference,
    Predictions,
    Scores,
    average_by_distance,
    chosen_by_distance,
    compare,
    predict,
    uniform,
)
from models.distortion.next_word.model import NextWordModel
from models.errors import DataError, SettingError
from models.progress import Progress
from tuning.evaluation.tables import Table, as_csv, as_text

FARTHEST = 20  # distortion of the picture, as in Goto et al. (2013), Figure 5
CORPUS = "corpus"
UNIFORM, DISTANCE = "uniform", "distance"
MARKERS = ("o", "s", "^", "D", "v", "P")


@dataclass(frozen=True, eq=False)
class NextWordReport:
    """Everything that is shown; models in the order of their names in `predictions`."""

    n_sentences: int
    events: Events
    predictions: dict[str, Predictions]  # all places are candidates
    open_log_p: dict[str, float]  # only open ones are: mean log P
    differences: dict[str, MeanDifference]  # of log P from the model before
    by_distance: dict[str, NDArray[np.float64]]  # average P from −FARTHEST to FARTHEST

    def mean(self, name: str, column: str) -> float:
        return float(getattr(self.predictions[name], column).mean())


def next_word_models(models: Sequence[DistortionModel], where: str) -> list[NextWordModel]:
    """Those of the models that estimate the next word; they must share their events."""
    found = [model for model in models if isinstance(model, NextWordModel)]
    if not found:
        raise DataError(
            "the system has no model of the next source word",
            where=where,
            expected=f"it has {', '.join(model.name for model in models) or 'none at all'}",
            advice="train one: hyperbaton train --distortion sequence",
        )
    events = {(model.settings()["order"], model.leave_out) for model in found}
    if len(events) > 1:
        raise SettingError(
            "the models were trained on different events, so they cannot be compared",
            where=where,
            expected="; ".join(f"order={order},leave_out={words}" for order, words in events),
            advice="choose models with --distortion",
        )
    return found


def make_report(
    models: Sequence[NextWordModel],
    corpus: AlignedCorpus,
    n_resamples: int = 1000,
    seed: int = 1,
    progress: Progress | None = None,
) -> NextWordReport:
    events = find_events(corpus, models[0].settings()["order"], models[0].left_out)
    names = [model.name for model in models]
    scores: dict[str, Scores] = {UNIFORM: uniform}
    for name, model in zip(names, models, strict=True):
        scores[name if names.count(name) == 1 else model.feature_names[0]] = model.scores
    predictions, open_log_p, by_distance = {}, {}, {}
    halves = [_distance_by_halves(corpus, events, open_only=flag) for flag in (False, True)]
    for number, (name, own) in enumerate(scores.items()):
        if progress:
            progress("asking models", number)
        predictions[name] = predict(own, corpus, events)
        open_log_p[name] = float(predict(own, corpus, events, open_only=True).log_p.mean())
        if name == UNIFORM:
            predictions[DISTANCE] = halves[0]
            open_log_p[DISTANCE] = float(halves[1].log_p.mean())
        else:
            by_distance[name] = average_by_distance(own, corpus, events, FARTHEST)
    by_distance[CORPUS] = chosen_by_distance(events, FARTHEST)
    differences = {
        better: compare(
            predictions[better].log_p,
            predictions[worse].log_p,
            predictions[better].sentence,
            n_resamples,
            seed,
        )
        for worse, better in pairwise(predictions)
    }
    return NextWordReport(len(corpus), events, predictions, open_log_p, differences, by_distance)


def _distance_by_halves(corpus: AlignedCorpus, events: Events, *, open_only: bool) -> Predictions:
    """The frequencies of distances, each half of the sentences under those of the other half."""
    sentence = np.repeat(np.arange(len(corpus)), np.diff(events.offsets))
    both = []
    for half in (0, 1):
        others = sentence % 2 != half
        counted = events._replace(current=events.current[others], next=events.next[others])
        both.append(predict(DistanceBaseline(counted), corpus, events, open_only=open_only))
    odd = sentence % 2 == 1
    log_p, rank, right = (
        np.where(odd, getattr(both[1], name), getattr(both[0], name))
        for name in ("log_p", "rank", "right")
    )
    return Predictions(log_p, rank, right, sentence)


def as_table(report: NextWordReport) -> str:
    """How good the models are, and at which distances."""
    rows = []
    for name in report.predictions:
        row = [
            name,
            f"{report.mean(name, 'right'):.1%}",
            f"{report.mean(name, 'rank'):.2f}",
            f"{report.mean(name, 'log_p'):.3f}",
            "",
            "",
            f"{report.open_log_p[name]:.3f}",
        ]
        if name in report.differences:
            difference = report.differences[name]
            row[4] = f"{difference.mean:+.3f}"
            row[5] = f"{difference.low:+.3f} to {difference.high:+.3f}"
        rows.append(row)
    notes = [
        f"{report.n_sentences:,} sentences, {len(report.events.current):,} moves",
        "gain: log P against the row above, with its 95% interval (paired bootstrap of sentences)",
        "open log P: places that were translated before are no candidates",
    ]
    header = ["model", "right", "rank", "log P", "gain", "95%", "open log P"]
    return as_text(Table(header, rows, notes)) + "\n\n" + as_text(_by_class(report))


def _by_class(report: NextWordReport) -> Table:
    """Mean log P of the moves of each class of distances."""
    class_ = distance_classes(report.events.distortions, "goto")
    rows = []
    for number, name in enumerate(class_names("goto")):
        own = class_ == number
        cells = [
            f"{found.log_p[own].mean():.3f}" if own.any() else "-"
            for found in report.predictions.values()
        ]
        rows.append([name, f"{own.sum():,}", *cells])
    return Table(["distance", "moves", *report.predictions], rows, title="log P by distance")


def as_json(report: NextWordReport) -> str:
    distances = np.arange(-FARTHEST, FARTHEST + 1)
    record = {
        "n_sentences": report.n_sentences,
        "n_moves": len(report.events.current),
        "models": {
            name: {
                "right": report.mean(name, "right"),
                "rank": report.mean(name, "rank"),
                "log_p": report.mean(name, "log_p"),
                "open_log_p": report.open_log_p[name],
                "gain": report.differences[name]._asdict() if name in report.differences else None,
            }
            for name in report.predictions
        },
        "by_distance": {
            name: {
                int(distance): value
                for distance, value in zip(distances, values.tolist(), strict=True)
                if np.isfinite(value)
            }
            for name, values in report.by_distance.items()
        },
    }
    return json.dumps(record, ensure_ascii=False, indent=2)


def distances_as_csv(report: NextWordReport) -> str:
    """Average probabilities by distance, a line for each."""
    rows: list[list[Any]] = []
    for number, distance in enumerate(range(-FARTHEST, FARTHEST + 1)):
        values = (values[number] for values in report.by_distance.values())
        rows.append([distance, *("" if np.isnan(value) else value for value in values)])
    return as_csv(["distance", *report.by_distance], rows)


def as_csv_lines(report: NextWordReport) -> str:
    """A line for each model."""
    rows = [
        [
            name,
            *(report.mean(name, column) for column in ("right", "rank", "log_p")),
            report.open_log_p[name],
        ]
        for name in report.predictions
    ]
    return as_csv(["model", "right", "rank", "log_p", "open_log_p"], rows)


FORMATS = {"table": as_table, "csv": as_csv_lines, "json": as_json, "distances": distances_as_csv}


def features_text(models: Sequence[NextWordModel], n: int) -> str:
    """The features that each model weighs most."""
    parts = []
    for model in models:
        rows = [
            [f"{one.weight:+.3f}", one.part, one.feature] if one.part else
            [f"{one.weight:+.3f}", one.feature]
            for one in model.top_features(n)
        ]  # fmt: skip
        width = max((len(row[1]) for row in rows if len(row) == 3), default=0)
        lines = [
            "  ".join([row[0], *(cell.ljust(width) for cell in row[1:-1]), row[-1]]) for row in rows
        ]
        parts.append("\n".join([f"{model.name}: largest weights", *lines]))
    return "\n\n".join(parts)


def plot_by_distance(report: NextWordReport, path: Path) -> None:
    """Average probability by distance, on a log scale (Goto et al. 2013, Figure 5)."""
    check_picture(path)
    from matplotlib.figure import Figure

    from hyperbaton.views.picture_files import save_picture

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.add_subplot()
    distances = np.arange(-FARTHEST, FARTHEST + 1)
    for number, (name, values) in enumerate(report.by_distance.items()):
        shown = np.where(values > 0, values, np.nan)
        is_corpus = name == CORPUS
        axes.plot(
            distances,
            shown,
            color="black" if is_corpus else f"C{number}",
            linestyle="--" if is_corpus else "-",
            marker=None if is_corpus else MARKERS[number % len(MARKERS)],
            markersize=4,
            label="moves of the corpus" if is_corpus else name,
        )
    axes.set_yscale("log")
    axes.set_xlabel("distance NP − CP − 1")
    axes.set_ylabel("average probability")
    axes.grid(alpha=0.3)
    axes.legend()
    save_picture(figure, path)
