"""Sections of a report that look into the translations: moves, kinds of sentences, examples.

Each example has a link to the page of `hyperbaton serve`, which opens the sentence in two columns,
with the weights and limits of two systems. The server has all models of the comparison; features
that a system lacks have weight 0 in its column.
"""

import json
from collections.abc import Sequence
from html import escape
from typing import Any
from urllib.parse import urlencode

import numpy as np

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.drawing.derivation_layout import Derivation
from hyperbaton.decoder.drawing.derivation_svg import derivation_svg
from hyperbaton.foundation.settings_text import show_limit
from hyperbaton.models.distortion.interface import HeatMap
from hyperbaton.tuning.comparison.configuration import limit_name
from hyperbaton.tuning.comparison.results import Cell, Comparison, output_visits
from hyperbaton.tuning.evaluation.charts import Chart, Series
from hyperbaton.tuning.evaluation.data_sets import Sentences
from hyperbaton.tuning.evaluation.heat_map_pictures import heat_map_svg
from hyperbaton.tuning.metrics.base import Metric
from hyperbaton.tuning.report import analysis, html

N_GAINS, N_LOSSES = 5, 3  # examples
FEW = 2  # squares that are shown without a click
ADDRESS = "http://127.0.0.1:8321/"
HOW = "The links need a server: in the folder of this report, run “hyperbaton serve system”."


def word_order(comparison: Comparison) -> str:
    """How far systems move, against the reference, and which classes of moves they confuse."""
    limit = comparison.limits[-1]
    text = (
        f"Distances from each source word to the one that is translated next, limit "
        f"{limit_name(limit)}. A row of a square: how the system makes the reference's moves of "
        "this class, in percent."
    )
    moves = (_moves(comparison, test, limit) for test in comparison.tests)
    return html.paragraph(text) + "".join(moves)


def _moves(comparison: Comparison, test: Sentences, limit: int) -> str:
    cells = [comparison.cell(name, limit) for name in comparison.systems]
    visits = [output_visits(test, cell.best.outputs[test.name]) for cell in cells]
    series = [
        Series(cell.system, [100 * share for share in analysis.distance_classes(own)])
        for cell, own in zip(cells, visits, strict=True)
    ]
    squares, names = {}, analysis.CLASS_NAMES
    if test.visits is not None:
        reference = [100 * share for share in analysis.distance_classes(test.visits)]
        series = [Series("reference", reference, is_reference=True), *series]
        for cell, own in zip(cells, visits, strict=True):
            counts = analysis.confusion(test.visits, own)
            shares = 100 * counts / np.maximum(1, counts.sum(axis=1, keepdims=True))
            title = f"{cell.system} on {test.name}"
            square = HeatMap(title, names, names, shares, "reference", "output")
            squares[cell.system] = html.figure(heat_map_svg(square), title)
    x_title = "distance to the next source word"
    chart = Chart(f"moves on {test.name}", names, series, x_title, "% of moves")
    first = [html.chart_figure(chart)]
    # the baseline and the best system are always shown, the others on demand
    pair = [comparison.configuration.baseline_name, _best(comparison, test, limit).system]
    at_once = list(dict.fromkeys(pair))[:FEW] if len(squares) > FEW else list(squares)
    first += [squares.pop(name) for name in at_once if name in squares]
    other = html.side_by_side(list(squares.values()))
    return html.side_by_side(first) + html.details(f"the other systems on {test.name}", other)


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
    chart = Chart(caption, bins.names, series, bins.title, metric.name)
    return html.chart_figure(chart)


def sentences(comparison: Comparison) -> str:
    """The best system against the baseline: a few sentences of the first test set, with pictures
    of both."""
    limit, test = comparison.limits[-1], comparison.tests[0]
    if len(comparison.systems) < 2:
        return ""
    metrics = comparison.metrics[test.name]
    metric = next((metric for metric in metrics if metric.name == "RIBES"), metrics[0])
    baseline = comparison.cell(comparison.configuration.baseline_name, limit)
    best = _best(comparison, test, limit, besides=baseline)
    gains, losses = _examples(metric, test, best, baseline)
    parts = []
    for which, chosen in (("better", gains), ("worse", losses)):
        if chosen:
            text = (
                f"Where {best.system} is {which} than {baseline.system} by most in {metric.name}, "
                f"on {test.name}, limit {limit_name(limit)}:"
            )
            parts.append(html.paragraph(text))
        for number, difference in chosen:
            parts.append(_example(comparison, number, difference, (baseline, best)))
    return "".join(parts) + html.note([HOW] if parts else [])


def _examples(
    metric: Metric, test: Sentences, best: Cell, baseline: Cell
) -> tuple[list[tuple[int, float]], list[tuple[int, float]]]:
    ours, theirs = best.best.outputs[test.name], baseline.best.outputs[test.name]
    sign = 1 if metric.higher_is_better else -1
    found = analysis.largest_differences(metric, test, ours, theirs)
    gains = [item for item in found if sign * item[1] > 0]
    losses = [item for item in found if sign * item[1] < 0]
    return gains[:N_GAINS], losses[:N_LOSSES]


def _example(comparison: Comparison, number: int, difference: float, pair: Sequence[Cell]) -> str:
    test = comparison.tests[0]
    words = test.sources[number].words
    lines = [("source", test.sources[number].raw or " ".join(words))]
    lines += [("reference", text) for text in test.references[number]]
    lines += [
        (cell.system, cell.best.outputs[test.name][number].text)
        for cell in comparison.cells
        if cell.limit == pair[0].limit
    ]
    items = "".join(f"<dt>{escape(a)}</dt><dd>{escape(b)}</dd>" for a, b in lines)
    pictures = []
    for cell in pair:
        output = cell.best.outputs[test.name][number]
        shown = Derivation(words, output.words, output.spans, output.links)
        pictures.append(html.wide_figure(derivation_svg(shown), cell.system))
    link = escape(live_link(comparison, test.sources[number], pair))
    return (
        f'<article class="sentence"><h3>Sentence {number + 1}: {difference:+.1f}</h3>'
        f"<dl>{items}</dl>{html.side_by_side(pictures)}"
        f'<a href="{link}">Try sentence {number + 1}</a></article>'
    )


def _best(comparison: Comparison, test: Sentences, limit: int, besides: Cell | None = None) -> Cell:
    here = [cell for cell in comparison.cells if cell.limit == limit and cell is not besides]
    return comparison.best_cell(test.name, here)


def live_link(comparison: Comparison, sentence: Sentence, pair: Sequence[Cell]) -> str:
    features = dict.fromkeys(name for cell in comparison.cells for name in cell.best.weights)
    columns = {
        name: json.dumps(_column(cell, features), separators=(",", ":"))
        for name, cell in zip("ab", pair, strict=True)
    }
    text = sentence.raw or " ".join(sentence.words)
    return f"{ADDRESS}#{urlencode({'text': text, **columns})}"


def _column(cell: Cell, features: dict[str, None]) -> dict[str, Any]:
    weights = {name: float(f"{cell.best.weights.get(name, 0.0):.6g}") for name in features}
    return {"name": cell.system, "limit": show_limit(cell.limit), "weights": weights}
