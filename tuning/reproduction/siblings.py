"""Weights of parse sibling features as factors α = e^λ (Xiang et al. 2011, Tables 1 and 5), and the
number of features of every row of its Tables 3 and 4.

The paper's tables are about Chinese: the PP before a verb (VV), and the empty translation of "de".
They are shown if the model knows these tags, labels and words; the strongest and the most frequent
features are shown for any language.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import log
from typing import Any

import numpy as np

from hyperbaton.models.distortion.catalogue import parse_model
from hyperbaton.models.distortion.parse.fitting import Learned
from hyperbaton.models.distortion.parse.listing import (
    ALL_FEATURES,
    EMPTY_WORD,
    FeatureRow,
    Wanted,
    list_features,
)
from hyperbaton.models.distortion.parse.model import Parse
from hyperbaton.models.distortion.parse.templates import SIB, parse_use
from hyperbaton.models.system.folder import load_distortion, model_entries
from hyperbaton.tuning.evaluation.tables import Table
from hyperbaton.tuning.evaluation.verdicts import Case, Finding, judge_claims
from hyperbaton.tuning.reproduction.exhibit import XIANG, Exhibit, LeftOut
from hyperbaton.tuning.reproduction.material import ExhibitKind, Material
from hyperbaton.tuning.reproduction.repetitions import normal_p_value

NAME, TITLE = "siblings", "Parse siblings (Xiang et al. 2011, Tables 1 and 5)"
FAMILY = "sib"
VERB, PHRASE = "VV", "PP"
PARTICLES = ("de", "的")
OPEN, COVERED, LEFT, RIGHT = 0, 1, -1, 1
TABLE_1 = (("QP", COVERED, RIGHT), ("NP", COVERED, RIGHT), ("CP", OPEN, LEFT))  # of the empty "de"
COVERAGE = {OPEN: "open", COVERED: "covered", 2: "partly covered"}
SIDES = {LEFT: "left", RIGHT: "right"}
HEADER = ("source", "node", "side", "coverage", "target", "jump", "α", "count")
N_ROWS = 10
N_BY_COVERAGE = 5
FEWEST_SEEN = 20  # times that a feature is seen, to be among the strongest


def _models(material: Material) -> list[str]:
    """The parse models, up to the last one with siblings: presets go from small to large."""
    found = [(text, parse_model(text)) for text in material.models()]
    own = [(text, model.use) for text, model in found if isinstance(model, Parse)]
    while own and not parse_use(own[-1][1])[0] & SIB:
        own.pop()
    if not own:
        raise LeftOut("no system has the distortion model parse with siblings (use=…+sib)")
    return [text for text, _ in own]


def _depends(material: Material) -> Iterable[Any]:
    return [model_entries(material.trained, _models(material)), N_ROWS, N_BY_COVERAGE, FEWEST_SEEN]


def _make(material: Material) -> Exhibit:
    loaded = load_distortion(material.trained, _models(material))
    models = [model for model in loaded if isinstance(model, Parse)]
    sizes = {model.use: int(model.learned_.report["features"]) for model in models}
    # variants of a row come behind it, and have as many features
    chosen = next(model for model in models if model.use == models[-1].use)
    return siblings_exhibit(chosen.learned_, chosen.use, sizes)


KIND = ExhibitKind(NAME, TITLE, _depends, _make)


def siblings_exhibit(learned: Learned, use: str, sizes: Mapping[str, int] | None = None) -> Exhibit:
    """`sizes` are numbers of features by row."""
    strongest, n_features = list_features(learned, Wanted(family=FAMILY), ALL_FEATURES, "alpha")
    often = [row for row in strongest if row.count >= FEWEST_SEEN]
    verb, word = _verb_features(learned), _particle(learned)
    shown = {
        f'features of "{PHRASE} {VERB}", as in Table 5': [
            row for rows in verb.values() for row in rows[:N_BY_COVERAGE]
        ],
        f'features of an untranslated "{word}", as in Table 1': (
            _features(learned, word=word, target=EMPTY_WORD)[:N_ROWS]
        ),
        f"the strongest sibling features seen {FEWEST_SEEN} times or more": often[:N_ROWS],
        "the most frequent sibling features": _features(learned)[:N_ROWS],
    }
    tables = [Table(HEADER, list(map(_cells, rows)), (), title) for title, rows in shown.items()]
    counts = [[row, f"{n:,}"] for row, n in (sizes or {}).items()]
    tables.append(
        Table(("row", "features"), counts, title="number of features, as in Tables 3 and 4")
    )
    notes = [
        f"parse,use={use}: {n_features:,} sibling features. Above 1, α makes a translation and "
        "jump more likely while the sibling is as it says, below 1 less likely."
    ]
    there = [table for table in tables if table.rows]
    return Exhibit(NAME, TITLE, notes, there, (), _findings(learned))


def _features(learned: Learned, **wanted: Any) -> list[FeatureRow]:
    """Most frequent first; none if the model does not know the word, tag or node."""
    for name, known in (
        ("word", learned.source_words), ("tag", learned.source_tags), ("node", learned.labels)
    ):  # fmt: skip
        if name in wanted and wanted[name] not in known:
            return []
    return list_features(learned, Wanted(family=FAMILY, **wanted), ALL_FEATURES)[0]


def _verb_features(learned: Learned) -> dict[int, list[FeatureRow]]:
    """Of a verb with such a phrase to its left, by coverage."""
    return {
        coverage: _features(learned, tag=VERB, node=PHRASE, coverage=coverage, side=LEFT)
        for coverage in (OPEN, COVERED)
    }


def _particle(learned: Learned) -> str:
    """The particle of Table 1, or nothing."""
    return next((word for word in PARTICLES if word in learned.source_words), "")


def _findings(learned: Learned) -> list[Finding]:
    claims: dict[str, list[Case]] = {}
    word = _particle(learned)
    if word:
        cases = claims[
            f'{XIANG}, Table 1: "{word}" is left untranslated (α above 1) once the QP and NP to '
            "its right are covered, and while the CP to its left is open (geometric means of α by "
            "count)"
        ] = []
        for node, coverage, side in TABLE_1:
            beside: dict[str, Any] = {"node": node, "coverage": coverage, "side": side}
            rows = _features(learned, word=word, target=EMPTY_WORD, **beside)
            if rows:
                name = f"{node} to the {SIDES[side]} {COVERAGE[coverage]}"
                cases.append(_above_one(name, rows))
    verb = _verb_features(learned)
    if all(verb.values()):
        claims[
            f"{XIANG}, Table 5: a verb ({VERB}) is favoured while the {PHRASE} before it is open, "
            "and penalised once it is covered (geometric means of α by count)"
        ] = [_above_one("open", verb[OPEN]), _above_one("covered", verb[COVERED], sign=-1)]
    return judge_claims(claims)


def _above_one(name: str, rows: Sequence[FeatureRow], sign: int = 1) -> Case:
    """That the mean α is above 1 (or below, with the sign −1). A weight that was learned from n
    occurrences has a standard error of about 1/√n, so their mean by count has that of all."""
    n = sum(row.count for row in rows)
    mean = log(mean_alpha(rows))
    text = f"{name}: {mean_alpha(rows):.2f}, {n:,} times"
    return Case(text, sign * mean, normal_p_value(mean * n**0.5))


def mean_alpha(rows: Sequence[FeatureRow]) -> float:
    """Geometric mean, features weighted by how often they were seen."""
    counts = np.array([row.count for row in rows], np.float64)
    logs = np.log([row.alpha for row in rows])
    return float(np.exp((counts * logs).sum() / counts.sum()))


def _cells(row: FeatureRow) -> list[str]:
    return [
        row.source,
        row.node,
        "" if row.side is None else SIDES[row.side],
        "" if row.coverage is None else COVERAGE[row.coverage],
        row.target,
        "" if row.jump is None else str(row.jump),
        f"{row.alpha:.2f}",
        f"{row.count:,}",
    ]
