"""Weights of parse sibling features as factors α = e^λ (Xiang et al. 2011, Tables 1 and 5).

The paper's tables are about Chinese: the PP before a verb (VV), and the empty translation of "de".
They are shown if the model knows these tags, labels and words; the strongest and the most frequent
features are shown for any language.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from models.distortion.catalogue import parse_model
from models.distortion.parse.fitting import Learned
from models.distortion.parse.listing import EMPTY_WORD, FeatureRow, Wanted, list_features
from models.distortion.parse.model import Parse
from models.distortion.parse.templates import SIB, parse_use
from models.system.folder import load_distortion, model_entries
from tuning.evaluation.tables import Table
from tuning.reproduction.exhibit import Exhibit, Finding, LeftOut, holds
from tuning.reproduction.material import Kind, Material
from tuning.reproduction.paper_tables import XIANG

NAME, TITLE = "siblings", "Parse siblings (Xiang et al. 2011, Tables 1 and 5)"
FAMILY = "sib"
VERB, PHRASE = "VV", "PP"
PARTICLES = ("de", "的")
OPEN, COVERED, LEFT = 0, 1, -1
COVERAGE = {OPEN: "open", COVERED: "covered", 2: "partly covered"}
SIDES = {LEFT: "left", 1: "right"}
HEADER = ("source", "node", "side", "coverage", "target", "jump", "α", "count")
N_ROWS = 10
N_BY_COVERAGE = 5
FEWEST = 20  # times that a feature is seen, to be among the strongest
ALL = 1 << 60


def _model(material: Material) -> str:
    """The last model with siblings: presets go from small to large."""
    for text in reversed(material.models()):
        model = parse_model(text)
        if isinstance(model, Parse) and parse_use(model.use)[0] & SIB:
            return text
    raise LeftOut("no system has the distortion model parse with siblings (use=…+sib)")


def _depends(material: Material) -> Iterable[Any]:
    return [model_entries(material.trained, [_model(material)]), N_ROWS, N_BY_COVERAGE, FEWEST]


def _make(material: Material) -> Exhibit:
    [model] = load_distortion(material.trained, [_model(material)])
    assert isinstance(model, Parse)
    return siblings_exhibit(model.learned_, model.use)


KIND = Kind(NAME, TITLE, _depends, _make)


def siblings_exhibit(learned: Learned, use: str) -> Exhibit:
    strongest, n_features = list_features(learned, Wanted(family=FAMILY), ALL, "alpha")
    frequent, _ = list_features(learned, Wanted(family=FAMILY), N_ROWS)
    often = [row for row in strongest if row.count >= FEWEST][:N_ROWS]
    tables = [
        *_verb_tables(learned),
        *_particle_tables(learned),
        _table(often, f"the strongest sibling features that were seen {FEWEST} times or more"),
        _table(frequent, "the most frequent sibling features"),
    ]
    notes = [
        f"parse,use={use}: {n_features:,} sibling features. Above 1, α makes a translation and "
        "jump more likely while the sibling is as it says, below 1 less likely."
    ]
    return Exhibit(
        NAME, TITLE, notes, [table for table in tables if table.rows], (), _findings(learned)
    )


def _verb_features(learned: Learned, coverage: int) -> list[FeatureRow]:
    """Of a verb with such a phrase to its left, most frequent first."""
    if VERB not in learned.source_tags or PHRASE not in learned.labels:
        return []
    wanted = Wanted(family=FAMILY, tag=VERB, node=PHRASE, coverage=coverage, side=LEFT)
    return list_features(learned, wanted, ALL)[0]


def _verb_tables(learned: Learned) -> list[Table]:
    rows = [
        row
        for coverage in (OPEN, COVERED)
        for row in _verb_features(learned, coverage)[:N_BY_COVERAGE]
    ]
    return [_table(rows, f'features of "{PHRASE} {VERB}", as in Table 5')]


def _particle_tables(learned: Learned) -> list[Table]:
    for word in PARTICLES:
        if word in learned.source_words:
            wanted = Wanted(family=FAMILY, word=word, target=EMPTY_WORD)
            rows, _ = list_features(learned, wanted, N_ROWS)
            return [_table(rows, f'features of an untranslated "{word}", as in Table 1')]
    return []


def _findings(learned: Learned) -> list[Finding]:
    opened, covered = (_verb_features(learned, coverage) for coverage in (OPEN, COVERED))
    if not opened or not covered:
        return []
    good = [mean_alpha(opened) > 1, mean_alpha(covered) < 1]
    n_above = sum(row.alpha > 1 for row in opened)
    n_below = sum(row.alpha < 1 for row in covered)
    cases = (
        f"open: mean α {mean_alpha(opened):.2f}, {n_above} of {len(opened)} above 1",
        f"covered: mean α {mean_alpha(covered):.2f}, {n_below} of {len(covered)} below 1",
    )
    statement = (
        f"{XIANG}, Table 5: a verb ({VERB}) is favoured while the {PHRASE} before it is open, and "
        "penalised once it is covered (geometric means of α by count)"
    )
    return [Finding(statement, holds(good), cases)]


def mean_alpha(rows: Sequence[FeatureRow]) -> float:
    """Geometric mean, features weighted by how often they were seen."""
    counts = np.array([row.count for row in rows], np.float64)
    logs = np.log([row.alpha for row in rows])
    return float(np.exp((counts * logs).sum() / counts.sum()))


def _table(rows: Sequence[FeatureRow], title: str) -> Table:
    return Table(HEADER, [_cells(row) for row in rows], (), title)


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
