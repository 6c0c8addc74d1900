"""Links from a report to the page of `hyperbaton serve`, where its sentences can be tried.

A link opens the sentence in two columns, with the weights and limits of two systems. The server
has all models of the comparison; features that a system lacks have weight 0 in its column.
"""

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.foundation.settings_text import show_limit
from hyperbaton.tuning.comparison.results import Cell, Comparison

ADDRESS = "http://127.0.0.1:8321/"
HOW = "The links need a server: in the folder of this report, run “hyperbaton serve system”."


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
    return {"limit": show_limit(cell.limit), "weights": weights}
