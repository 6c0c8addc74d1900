"""Sections of a report about word order: moves of the systems, and kinds of sentences."""

import numpy as np

from hyperbaton.models.distortion.interface import HeatMap
from hyperbaton.tuning.comparison.configuration import limit_name
from hyperbaton.tuning.comparison.results import Comparison, output_visits
from hyperbaton.tuning.evaluation.charts import Chart, Series
from hyperbaton.tuning.evaluation.data_sets import Sentences
from hyperbaton.tuning.evaluation.heat_map_pictures import heat_map_svg
from hyperbaton.tuning.metrics.visits import Visits
from hyperbaton.tuning.report import analysis, html


def word_order(comparison: Comparison) -> str:
    """Distances of the systems' moves against the reference, and confusions of classes of moves."""
    limit = comparison.limits[-1]
    text = (
        f"Distances from each source word to the next one translated, limit {limit_name(limit)}. "
        "The squares compare moves from the same word: a row is a class of the reference's moves, "
        "and its cells are the system's classes, in percent."
    )
    moves = (_moves(comparison, test, limit) for test in comparison.tests)
    return html.paragraph(text) + "".join(moves)


def _moves(comparison: Comparison, test: Sentences, limit: int) -> str:
    visits = {
        name: output_visits(test, comparison.cell(name, limit).best.outputs[test.name])
        for name in comparison.systems
    }
    shares = {name: 100 * analysis.distance_classes(order) for name, order in visits.items()}
    x_title, names = "distance to the next source word", analysis.CLASS_NAMES
    if test.visits is None:
        series = [Series(name, list(share)) for name, share in shares.items()]
        chart = Chart(f"moves on {test.name}", names, series, x_title, "% of moves")
        return html.chart_figure(chart)
    reference = 100 * analysis.distance_classes(test.visits)
    series = [Series("reference", [0.0] * len(names), is_reference=True)]
    series += [Series(name, list(share - reference)) for name, share in shares.items()]
    places = [f"{name}\n{share:.0f}%" for name, share in zip(names, reference, strict=True)]
    chart = Chart(
        f"moves on {test.name}, difference from the reference",
        places,
        series,
        f"{x_title}, and its share of the reference's moves",
        "percentage points",
    )
    squares = [_square(name, test.visits, order) for name, order in visits.items()]
    return html.chart_figure(chart) + html.multiples(squares)


def _square(system: str, reference: Visits, output: Visits) -> str:
    counts, names = analysis.confusion(reference, output), analysis.CLASS_NAMES
    shares = 100 * counts / np.maximum(1, counts.sum(axis=1, keepdims=True))
    square = HeatMap(system, names, names, shares, "reference", "output")
    return html.figure(heat_map_svg(square), system)


def kinds_of_sentences(comparison: Comparison) -> str:
    """Scores by length and by amount of reordering."""
    limit = comparison.limits[-1]
    parts = []
    for test in comparison.tests:
        for bins in (analysis.length_bins(test), analysis.reordering_bins(test)):
            if bins is not None and len(bins.names) > 1:
                parts.append(_by_kind(comparison, test, limit, bins))
    return html.side_by_side(parts)


def _by_kind(comparison: Comparison, test: Sentences, limit: int, bins: analysis.Bins) -> str:
    metric = comparison.metrics[test.name][0]
    series = []
    for name in comparison.systems:
        outputs = comparison.cell(name, limit).best.outputs[test.name]
        series.append(Series(name, analysis.scores_by_bin(metric, test, outputs, bins)))
    sizes = ", ".join(map(str, bins.sizes))
    caption = f"{test.name}, limit {limit_name(limit)}; {sizes} sentences"
    chart = Chart(caption, bins.names, series, bins.title, metric.heading)
    return html.chart_figure(chart)
