"""The start of a report: its title, the systems and data, and the best system."""

import re
from html import escape

from hyperbaton.foundation.errors import counted
from hyperbaton.tuning.comparison.configuration import limit_name
from hyperbaton.tuning.comparison.result_tables import runs_text
from hyperbaton.tuning.comparison.results import Comparison
from hyperbaton.tuning.evaluation.data_sets import ALL_LINES, Sentences
from hyperbaton.tuning.evaluation.interval_charts import intervals_svg, span
from hyperbaton.tuning.evaluation.significance import RESAMPLES, p_text
from hyperbaton.tuning.report.html import figure, paragraph, side_by_side


def title(comparison: Comparison) -> str:
    """The title of the configuration, with languages and date if known."""
    parts = [comparison.configuration.title, _languages(comparison), comparison.date]
    return ", ".join(filter(None, parts))


def introduction(comparison: Comparison) -> str:
    n_replicas = len(comparison.cells[0].replicas)
    limits = ", ".join(map(limit_name, comparison.limits))
    first = (
        f"{counted(len(comparison.systems), 'system')}, distortion limit{'s' * (',' in limits)} "
        f"{limits}, {counted(n_replicas, 'tuning run')} each, "
        f"{counted(len(comparison.tests), 'test set')}. "
        f"Baseline: {comparison.configuration.baseline_name}."
    )
    best = [_best(comparison, test) for test in comparison.tests]
    data = f'<p class="quiet">{escape(_data(comparison))}</p>'
    return data + "".join(map(paragraph, [first, *best]))


def overview(comparison: Comparison) -> str:
    """Charts of the first metric with intervals, one per test set and limit."""
    parts, baseline = [], comparison.configuration.baseline_name
    for test in comparison.tests:
        metric = comparison.metrics[test.name][0]
        by_cell = {name: scores[0] for name, scores in comparison.scores[test.name].items()}
        for limit in comparison.limits:
            caption = f"{metric.name} on {test.name}, limit {limit_name(limit)}"
            scores = {
                name: by_cell[comparison.cell(name, limit).name] for name in comparison.systems
            }
            drawn = intervals_svg(caption, metric.heading, scores, baseline, span(by_cell))
            parts.append(figure(drawn, caption))
    text = f"Scores with 95% intervals; the line marks {baseline}."
    return paragraph(text) + side_by_side(parts)


def _languages(comparison: Comparison) -> str:
    """The languages, from the configuration or the endings of training files: `train.ja`,
    `train.en.gz`."""
    text, train = comparison.configuration.text, comparison.configuration.train
    named = [text.source_language, text.target_language]
    endings = [
        path.name.removesuffix(".gz").rpartition(".")[2] for path in (train.source, train.target)
    ]
    if not all(named) and all(re.fullmatch("[a-z]{2,3}", ending) for ending in endings):
        named = endings
    return "–".join(named) if all(named) and named[0] != named[1] else ""


def _data(comparison: Comparison) -> str:
    train, note = comparison.configuration.train, comparison.configuration.note
    lines = "" if train.lines == ALL_LINES else f", lines {train.lines}"
    tests = ", ".join(
        f"{test.name} ({counted(len(test), 'sentence')})" for test in comparison.tests
    )
    return (
        f"Trained on {train.source.name} and {train.target.name}{lines}; tested on {tests}"
        f"{note and '; '}{note}."
    )


def _best(comparison: Comparison, test: Sentences) -> str:
    """A sentence about the best system and limit."""
    metric = comparison.metrics[test.name][0]
    cell = comparison.best_cell(test.name)
    score = comparison.scores[test.name][cell.name][0]
    against = ""
    if score.difference is not None and score.p_value is not None:
        against = (
            f"; {score.difference:+.2f} against the baseline at this limit "
            f"({p_text(score.p_value, RESAMPLES)}, {runs_text(comparison)})"
        )
    return (
        f"Best {metric.name} on {test.name}: {cell.system}, limit {limit_name(cell.limit)}, "
        f"{score.score:.2f}{against}."
    )
