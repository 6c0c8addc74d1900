"""The sentences on which the best system and the baseline differ most, with drawings of both.

Words in which the translations differ are marked. Each example has a link to the page of
`hyperbaton serve`, which opens the sentence in two columns with the weights and limits of the two
systems. The server has all models of the comparison; features that a system does not use have
weight 0 in its column.
"""

import json
import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from html import escape
from typing import Any
from urllib.parse import urlencode

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.drawing.derivation_layout import Derivation
from hyperbaton.decoder.drawing.derivation_svg import derivation_svg
from hyperbaton.foundation.settings_text import show_limit
from hyperbaton.tuning.comparison.configuration import limit_name
from hyperbaton.tuning.comparison.results import Cell, Comparison
from hyperbaton.tuning.evaluation.data_sets import Sentences
from hyperbaton.tuning.metrics.base import Metric
from hyperbaton.tuning.report import analysis, html

N_GAINS, N_LOSSES = 5, 3  # examples
FEW_GAINS, FEW_LOSSES = 2, 1  # examples shown without a click
ADDRESS = "http://127.0.0.1:8321/"
HOW = (
    "Marked: words that the other translation does not have in this position; ‸ marks where words "
    "of the other are missing. The links need a server: run “hyperbaton serve system” in the "
    "folder of this report."
)
# Words, and characters of scripts without spaces
WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+|[^\w\s]")


def sentences(comparison: Comparison) -> str:
    """Sentences of the first test set on which the best system and the baseline differ most."""
    limit, test = comparison.limits[-1], comparison.tests[0]
    if len(comparison.systems) < 2:
        return ""
    metrics = comparison.metrics[test.name]
    metric = next((metric for metric in metrics if metric.name == "RIBES"), metrics[0])
    baseline = comparison.cell(comparison.configuration.baseline_name, limit)
    others = [cell for cell in comparison.cells if cell.limit == limit and cell is not baseline]
    best = comparison.best_cell(test.name, others)
    gains, losses = _examples(metric, test, best, baseline)
    parts = []
    for which, chosen, n_shown in (("better", gains, FEW_GAINS), ("worse", losses, FEW_LOSSES)):
        if not chosen:
            continue
        text = (
            f"Sentences of {test.name} on which {best.system} is most clearly {which} than "
            f"{baseline.system} in {metric.name}, limit {limit_name(limit)}:"
        )
        drawn = [
            _example(comparison, number, f"{difference:+.1f} {metric.name}", (baseline, best))
            for number, difference in chosen
        ]
        more = html.details(f"more, where {best.system} is {which}", "".join(drawn[n_shown:]))
        parts += [html.paragraph(text), *drawn[:n_shown], more]
    return html.note([HOW] if parts else []) + "".join(parts)


def _examples(
    metric: Metric, test: Sentences, best: Cell, baseline: Cell
) -> tuple[list[tuple[int, float]], list[tuple[int, float]]]:
    ours, theirs = best.best.outputs[test.name], baseline.best.outputs[test.name]
    sign = 1 if metric.higher_is_better else -1
    ranked = analysis.largest_differences(metric, test, ours, theirs)
    gains = [item for item in ranked if sign * item[1] > 0]
    losses = [item for item in ranked if sign * item[1] < 0]
    return gains[:N_GAINS], losses[:N_LOSSES]


def _example(comparison: Comparison, number: int, difference: str, pair: Sequence[Cell]) -> str:
    test = comparison.tests[0]
    source, (baseline, best) = test.sources[number], pair
    texts = {
        cell.system: cell.best.outputs[test.name][number].text
        for cell in comparison.cells
        if cell.limit == best.limit
    }
    low, high = texts.pop(baseline.system), texts.pop(best.system)
    lines = [("source", escape(source.raw or " ".join(source.words)))]
    lines += [("reference", escape(text)) for text in test.references[number]]
    lines += [(baseline.system, marked(low, high)), (best.system, marked(high, low))]
    others = [(name, marked(text, high)) for name, text in texts.items()]
    pictures = []
    for cell in pair:
        output = cell.best.outputs[test.name][number]
        shown = Derivation(source.words, output.words, output.spans, output.links)
        pictures.append(html.wide_figure(derivation_svg(shown), cell.system))
    link = escape(live_link(comparison, source, pair))
    what = f"sentence {number + 1} with {baseline.system} and {best.system}"
    return (
        f'<article class="sentence"><h3>Sentence {number + 1}: {difference}</h3>'
        f"{_list(lines)}{html.side_by_side(pictures)}"
        f"{html.details(f'other systems, marked against {best.system}', _list(others))}"
        f'<p class="live">Needs a server: <a href="{link}">{escape(what)}</a></p></article>'
    )


def _list(lines: Sequence[tuple[str, str]]) -> str:
    """A definition list of names and HTML."""
    items = "".join(f"<dt>{escape(name)}</dt><dd>{text}</dd>" for name, text in lines)
    return f"<dl>{items}</dl>" if items else ""


def marked(text: str, other: str) -> str:
    """HTML with marks around words that the other text lacks, and an empty mark where words of the
    other are missing."""
    words, others = list(WORD.finditer(text)), WORD.findall(other)
    parts, end = [], 0
    matcher = SequenceMatcher(None, [word[0] for word in words], others, autojunk=False)
    for kind, first, last, begin, stop in matcher.get_opcodes():
        if kind == "insert":
            start = words[first].start() if first < len(words) else len(text)
            missing = escape(" ".join(others[begin:stop]))
            mark = f'<mark class="gap" title="missing: {missing}"></mark>'
            parts.append(escape(text[end:start]) + mark)
            end = start
        elif kind != "equal":
            start, after = words[first].start(), words[last - 1].end()
            parts.append(f"{escape(text[end:start])}<mark>{escape(text[start:after])}</mark>")
            end = after
    return "".join(parts) + escape(text[end:])


def live_link(comparison: Comparison, sentence: Sentence, pair: Sequence[Cell]) -> str:
    features = dict.fromkeys(name for cell in comparison.cells for name in cell.best.weights)
    columns = {
        name: json.dumps(_column(cell, features), separators=(",", ":"), ensure_ascii=False)
        for name, cell in zip("ab", pair, strict=True)
    }
    text = sentence.raw or " ".join(sentence.words)
    return f"{ADDRESS}#{urlencode({'text': text, **columns})}"


def _column(cell: Cell, features: dict[str, None]) -> dict[str, Any]:
    weights = {name: float(f"{cell.best.weights.get(name, 0.0):.6g}") for name in features}
    return {"name": cell.system, "limit": show_limit(cell.limit), "weights": weights}
