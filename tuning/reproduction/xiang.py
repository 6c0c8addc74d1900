"""Two exhibits about the features of a parse model (Xiang et al. 2011).

`jumps`: the jumps of single words by tag, p_g of the smoothed prior (Figures 1 and 2). The paper
counts the jumps of nouns (NN) and of temporal nouns (NT) in Chinese. They are shown if the model
has these tags, and the most frequent tags for any language.

`siblings`: weights of parse sibling features as factors α = e^λ (Tables 1 and 5), and the number of
features of every row of Tables 3 and 4. The paper's tables are about Chinese: the PP before a verb
(VV), and the empty translation of "de". They are shown if the model has these tags, labels and
words; the strongest and the most frequent features are shown for any language.
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
from hyperbaton.models.distortion.parse.templates import FARTHEST, N_JUMPS, SIB, parse_use
from hyperbaton.models.system.folder import load_distortion, model_entries
from hyperbaton.tuning.evaluation.charts import Chart, Series
from hyperbaton.tuning.evaluation.tables import Table
from hyperbaton.tuning.evaluation.verdicts import Case, Finding, judge_claims
from hyperbaton.tuning.reproduction.exhibit import XIANG, Exhibit, LeftOut
from hyperbaton.tuning.reproduction.material import ExhibitKind, Material
from hyperbaton.tuning.reproduction.repetitions import counts_p_value, normal_p_value

JUMPS = "jumps", "Jumps by tag (Xiang et al. 2011, Figures 1 and 2)"
SIBLINGS = "siblings", "Parse siblings (Xiang et al. 2011, Tables 1 and 5)"
NOUN, TEMPORAL = "NN", "NT"
MOST_TAGS = 6
MONOTONE, BACK = 1, -1
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
FEWEST_SEEN = 20  # minimum count of the strongest features


def jumps_exhibit(learned: Learned) -> Exhibit:
    tags = _tags(learned)
    if not tags:
        raise LeftOut("the training data have no tags")
    chart = Chart(
        "share of the jumps of single words",
        [str(jump - FARTHEST) for jump in range(N_JUMPS)],
        [Series(tag, shares(learned, tag)) for tag in tags],
        "jump (1 is monotone; ±5 and farther)",
        "share",
        digits=3,
        name="jumps",
    )
    notes = ["Visits of the word alignments of the training data; tags by frequency."]
    return Exhibit(*JUMPS, notes, (), [chart], _jumps_findings(learned))


def shares(learned: Learned, tag: str) -> list[float]:
    """The shares of the jumps −5 … 5 of single words with the tag."""
    row: list[float] = learned.prior.by_tag[int(learned.source_tags.encode([tag])[0])].tolist()
    return row


def _counts(learned: Learned) -> dict[str, int]:
    """The number of single words with each tag."""
    rows, _ = list_features(learned, Wanted(family="tags"), ALL_FEATURES)
    counts: dict[str, int] = {}
    for row in rows:
        if not row.near and row.source in learned.source_tags:  # one word, without context
            counts[row.source] = counts.get(row.source, 0) + row.count
    return counts


def _tags(learned: Learned) -> list[str]:
    """The paper's tags, if known, and the most frequent ones."""
    counts = _counts(learned)
    frequent = sorted(counts, key=lambda tag: -counts[tag])[:MOST_TAGS]
    of_paper = [tag for tag in (NOUN, TEMPORAL) if tag in counts]
    return list(dict.fromkeys([*of_paper, *frequent]))


def _jumps_findings(learned: Learned) -> list[Finding]:
    counts = _counts(learned)
    if not {NOUN, TEMPORAL} <= counts.keys():
        return []
    cases = []
    for tag, jump, ahead in (
        (NOUN, MONOTONE, None),
        (NOUN, BACK, MONOTONE),
        (TEMPORAL, BACK, None),
    ):
        by_jump = {number - FARTHEST: share for number, share in enumerate(shares(learned, tag))}
        others = {other: share for other, share in by_jump.items() if other not in (jump, ahead)}
        rival = max(others, key=lambda other: others[other])
        gain, n = by_jump[jump] - others[rival], counts[tag]
        p_value = counts_p_value(by_jump[jump] * n, others[rival] * n)
        text = f"{tag}: {jump} {by_jump[jump]:.1%}, {rival} {others[rival]:.1%}"
        cases.append(Case(text, gain, p_value))
    statement = (
        f"{XIANG}, Figures 1 and 2: most jumps of {NOUN} are monotone (1), then {BACK}; most of "
        f"{TEMPORAL} are {BACK}"
    )
    return judge_claims({statement: cases})


def siblings_exhibit(learned: Learned, use: str, sizes: Mapping[str, int] | None = None) -> Exhibit:
    """The exhibit about siblings; `sizes` are numbers of features by row."""
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
        f"parse,use={use}: {n_features:,} sibling features. An α above 1 makes the translation and "
        "jump more likely if the sibling matches, below 1 less likely."
    ]
    there = [table for table in tables if table.rows]
    return Exhibit(*SIBLINGS, notes, there, (), _siblings_findings(learned))


def _features(learned: Learned, **wanted: Any) -> list[FeatureRow]:
    """Sibling features, most frequent first; empty if the model does not have the word, tag or
    node."""
    for name, known in (
        ("word", learned.source_words), ("tag", learned.source_tags), ("node", learned.labels)
    ):  # fmt: skip
        if name in wanted and wanted[name] not in known:
            return []
    return list_features(learned, Wanted(family=FAMILY, **wanted), ALL_FEATURES)[0]


def _verb_features(learned: Learned) -> dict[int, list[FeatureRow]]:
    """The features of a verb with such a phrase to its left, by coverage."""
    return {
        coverage: _features(learned, tag=VERB, node=PHRASE, coverage=coverage, side=LEFT)
        for coverage in (OPEN, COVERED)
    }


def _particle(learned: Learned) -> str:
    """The particle of Table 1, or an empty text."""
    return next((word for word in PARTICLES if word in learned.source_words), "")


def _siblings_findings(learned: Learned) -> list[Finding]:
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
    """The geometric mean of α, weighted by the counts of the features."""
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


def _parse_models(material: Material) -> list[tuple[str, int]]:
    """Texts of the parse models, and their feature groups; presets go from small to large."""
    models = [(text, parse_model(text)) for text in material.models()]
    return [(text, parse_use(model.use)[0]) for text, model in models if isinstance(model, Parse)]


def _last_model(material: Material) -> str:
    models = _parse_models(material)
    if not models:
        raise LeftOut("no system has the distortion model parse")
    return models[-1][0]


def _models(material: Material) -> list[str]:
    """The parse models up to the last one with siblings."""
    models = _parse_models(material)
    while models and not models[-1][1] & SIB:
        models.pop()
    if not models:
        raise LeftOut("no system has the distortion model parse with siblings (use=…+sib)")
    return [text for text, _ in models]


def _load(material: Material, texts: Sequence[str]) -> list[Parse]:
    loaded = load_distortion(material.trained, texts)
    return [model for model in loaded if isinstance(model, Parse)]


def _jumps_inputs(material: Material) -> Iterable[Any]:
    return [model_entries(material.trained, [_last_model(material)]), MOST_TAGS]


def _make_jumps(material: Material) -> Exhibit:
    [model] = _load(material, [_last_model(material)])
    return jumps_exhibit(model.learned_)


def _siblings_inputs(material: Material) -> Iterable[Any]:
    return [model_entries(material.trained, _models(material)), N_ROWS, N_BY_COVERAGE, FEWEST_SEEN]


def _make_siblings(material: Material) -> Exhibit:
    models = _load(material, _models(material))
    sizes = {model.use: int(model.learned_.report["features"]) for model in models}
    # variants of a row follow it, and have the same number of features
    chosen = next(model for model in models if model.use == models[-1].use)
    return siblings_exhibit(chosen.learned_, chosen.use, sizes)


JUMPS_KIND = ExhibitKind(*JUMPS, _jumps_inputs, _make_jumps)
SIBLINGS_KIND = ExhibitKind(*SIBLINGS, _siblings_inputs, _make_siblings)
