"""Evaluations as tables, CSV, JSON and pictures."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

from hyperbaton.tuning.evaluation import tables
from hyperbaton.tuning.evaluation.scoring import BETTER_MARK, WORSE_MARK, Evaluation, Score
from hyperbaton.tuning.evaluation.significance import SIGNIFICANT
from hyperbaton.tuning.metrics.base import Details, Metric
from hyperbaton.views.picture_files import save_picture

PANELS = 4  # side by side in a picture
_NUMBERS = ("score", "low", "high", "difference", "p_value")
_TEST_NAMES = {
    "bootstrap": "paired bootstrap, one-sided,",
    "randomisation": "approximate randomisation, two-sided,",
}


def as_csv(evaluation: Evaluation) -> str:
    """One line per system and metric."""
    rows = (
        [system, metric.name, *_numbers(score).values(), metric.signature]
        for system in evaluation.systems
        for metric, score in zip(evaluation.metrics, evaluation.scores[system], strict=True)
    )
    return tables.as_csv(["system", "metric", *_NUMBERS, "signature"], rows)


def as_json(evaluation: Evaluation) -> str:
    record = {
        "n_sentences": evaluation.n_sentences,
        "baseline": evaluation.baseline,
        "test": evaluation.test,
        "n_resamples": evaluation.n_resamples,
        "seed": evaluation.seed,
        "metrics": [
            {
                "metric": metric.name,
                "higher_is_better": metric.higher_is_better,
                "signature": metric.signature,
            }
            for metric in evaluation.metrics
        ],
        "systems": [
            {
                "system": system,
                "scores": {
                    metric.name: {**_numbers(score), **({"details": details} if details else {})}
                    for metric, score, details in zip(
                        evaluation.metrics,
                        evaluation.scores[system],
                        evaluation.details(system),
                        strict=True,
                    )
                },
            }
            for system in evaluation.systems
        ],
    }
    return json.dumps(record, ensure_ascii=False, indent=2)


FORMATS: dict[str, Callable[[Evaluation], str]] = {
    "table": lambda evaluation: tables.as_text(_table(evaluation)),
    "csv": as_csv,
    "json": as_json,
    "latex": lambda evaluation: tables.as_latex(_table(evaluation)),
    "markdown": lambda evaluation: tables.as_markdown(_table(evaluation)),
}


def sentence_lines(evaluation: Evaluation) -> Iterator[str]:
    """Tab-separated lines: sentence number (from 1), system, one score per metric."""
    yield "\t".join(["sentence", "system", *(metric.name for metric in evaluation.metrics)])
    for system in evaluation.systems:
        for number, row in enumerate(evaluation.sentence_scores(system).tolist(), 1):
            yield "\t".join([str(number), system, *(f"{score:.4f}" for score in row)])


def plot_scores(evaluation: Evaluation, path: Path) -> None:
    """Draws scores with their intervals, one panel per metric."""
    from matplotlib.figure import Figure

    n_columns = min(PANELS, len(evaluation.metrics))
    n_rows = -(-len(evaluation.metrics) // n_columns)
    height = n_rows * (1 + 0.4 * len(evaluation.systems))
    names = max(1.0, 0.09 * max(map(len, evaluation.systems)))  # inches; they may be long paths
    figure = Figure(figsize=(3 * n_columns + names, height), layout="constrained")
    places = range(len(evaluation.systems))
    for place, metric in enumerate(evaluation.metrics):
        axes = figure.add_subplot(n_rows, n_columns, place + 1)
        scores = [evaluation.scores[system][place] for system in evaluation.systems]
        for row, score in enumerate(scores):
            if score.low is not None and score.high is not None:
                axes.plot([score.low, score.high], [row, row], color="C0")
        axes.plot([score.score for score in scores], places, "o", color="C0")
        axes.set_yticks(
            places, evaluation.systems if place % n_columns == 0 else [""] * len(places)
        )
        axes.set_ylim(len(places) - 0.5, -0.5)
        axes.set_title(metric.name + ("" if metric.higher_is_better else " (lower is better)"))
        axes.grid(axis="x", alpha=0.3)
    save_picture(figure, path)


def _table(evaluation: Evaluation) -> tables.Table:
    """One row per system: scores, and intervals and p-values if they were computed."""
    forms: dict[str, Callable[[Metric, Score], str]] = {"": lambda _, score: f"{score.score:.2f}"}
    if evaluation.n_resamples:
        forms["±"] = lambda _, score: f"{score.half_width:.2f}"
        if evaluation.baseline is not None:
            forms["p"] = _p_value
    titles = [title or metric.name for metric in evaluation.metrics for title in forms]
    rows = []
    for system in evaluation.systems:
        scores = zip(evaluation.metrics, evaluation.scores[system], strict=True)
        rows.append([system, *(form(*pair) for pair in scores for form in forms.values())])
    return tables.Table(["system", *titles], rows, list(_notes(evaluation)))


def _p_value(metric: Metric, score: Score) -> str:
    if score.p_value is None:
        return "-"
    return f"{score.p_value:.3f}{score.mark(higher_is_better=metric.higher_is_better)}"


def _details(details: Details) -> str:
    """Details in the format of sacrebleu: `80.0/50.0 (BP = 0.819 hyp_len = 5)`."""
    lists, numbers = [], []
    for name, value in details.items():
        if isinstance(value, list):
            lists.append("/".join(f"{number:.1f}" for number in value))
        else:
            numbers.append(f"{name} = {value if isinstance(value, int) else f'{value:.3f}'}")
    return " ".join([*lists, f"({' '.join(numbers)})"])


def _notes(evaluation: Evaluation) -> Iterator[str]:
    for metric in evaluation.metrics:
        yield f"{metric.name}: {metric.signature}"
    for system in evaluation.systems:
        for metric, details in zip(evaluation.metrics, evaluation.details(system), strict=True):
            if details:
                yield f"{metric.name} of {system}: {_details(details)}"
    if evaluation.n_resamples:
        seed = f"{evaluation.n_resamples} resamples, seed {evaluation.seed}"
        yield f"±: half of the 95% bootstrap interval, {seed}"
        if evaluation.baseline is not None:
            test = f"{_TEST_NAMES[evaluation.test]} against {evaluation.baseline}"
            marks = f"{BETTER_MARK} marks better and {WORSE_MARK} worse systems"
            yield f"p: {test}; below {SIGNIFICANT}, {marks}"


def _numbers(score: Score) -> dict[str, float | None]:
    return {name: getattr(score, name) for name in _NUMBERS}
