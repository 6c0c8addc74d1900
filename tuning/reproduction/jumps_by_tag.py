"""Jumps of single words by their tag: p_g of the smoothed prior (Xiang et al. 2011, Figures 1, 2).

The paper counts the jumps of nouns (NN) and of temporal nouns (NT) in Chinese. They are shown where
a model knows these tags, and the most frequent tags of any language beside them.
"""

from collections.abc import Iterable
from typing import Any

from hyperbaton.models.distortion.catalogue import parse_model
from hyperbaton.models.distortion.parse.fitting import Learned
from hyperbaton.models.distortion.parse.listing import ALL_FEATURES, Wanted, list_features
from hyperbaton.models.distortion.parse.model import Parse
from hyperbaton.models.distortion.parse.templates import FARTHEST, N_JUMPS
from hyperbaton.models.system.folder import load_distortion, model_entries
from hyperbaton.tuning.evaluation.charts import Chart, Series
from hyperbaton.tuning.evaluation.verdicts import Case, Finding, judge_claims
from hyperbaton.tuning.reproduction.exhibit import XIANG, Exhibit, LeftOut
from hyperbaton.tuning.reproduction.material import ExhibitKind, Material
from hyperbaton.tuning.reproduction.repetitions import counts_p_value

NAME, TITLE = "jumps", "Jumps by tag (Xiang et al. 2011, Figures 1 and 2)"
NOUN, TEMPORAL = "NN", "NT"
MOST_TAGS = 6
MONOTONE, BACK = 1, -1


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
    return Exhibit(NAME, TITLE, notes, (), [chart], _findings(learned))


def shares(learned: Learned, tag: str) -> list[float]:
    """Of the jumps −5 … 5 of single words with the tag."""
    row: list[float] = learned.prior.by_tag[int(learned.source_tags.encode([tag])[0])].tolist()
    return row


def _counts(learned: Learned) -> dict[str, int]:
    """Single words with each tag."""
    rows, _ = list_features(learned, Wanted(family="tags"), ALL_FEATURES)
    counts: dict[str, int] = {}
    for row in rows:
        if not row.near and row.source in learned.source_tags:  # one word, nothing beside it
            counts[row.source] = counts.get(row.source, 0) + row.count
    return counts


def _tags(learned: Learned) -> list[str]:
    """The paper's, if known, and the most frequent ones."""
    counts = _counts(learned)
    frequent = sorted(counts, key=lambda tag: -counts[tag])[:MOST_TAGS]
    own = [tag for tag in (NOUN, TEMPORAL) if tag in counts]
    return list(dict.fromkeys([*own, *frequent]))


def _findings(learned: Learned) -> list[Finding]:
    counts = _counts(learned)
    if not {NOUN, TEMPORAL} <= counts.keys():
        return []
    cases = []
    for tag, jump, ahead in (
        (NOUN, MONOTONE, None),
        (NOUN, BACK, MONOTONE),
        (TEMPORAL, BACK, None),
    ):
        found = {number - FARTHEST: share for number, share in enumerate(shares(learned, tag))}
        others = {own: share for own, share in found.items() if own not in (jump, ahead)}
        rival = max(others, key=lambda own: others[own])
        gain, n = found[jump] - others[rival], counts[tag]
        p_value = counts_p_value(found[jump] * n, others[rival] * n)
        text = f"{tag}: {jump} {found[jump]:.1%}, {rival} {others[rival]:.1%}"
        cases.append(Case(text, gain, p_value))
    statement = (
        f"{XIANG}, Figures 1 and 2: most jumps of {NOUN} are monotone (1), then {BACK}; most of "
        f"{TEMPORAL} are {BACK}"
    )
    return judge_claims({statement: cases})


def _model(material: Material) -> str:
    for text in reversed(material.models()):
        if isinstance(parse_model(text), Parse):
            return text
    raise LeftOut("no system has the distortion model parse")


def _depends(material: Material) -> Iterable[Any]:
    return [model_entries(material.trained, [_model(material)]), MOST_TAGS]


def _make(material: Material) -> Exhibit:
    [model] = load_distortion(material.trained, [_model(material)])
    assert isinstance(model, Parse)
    return jumps_exhibit(model.learned_)


KIND = ExhibitKind(NAME, TITLE, _depends, _make)
