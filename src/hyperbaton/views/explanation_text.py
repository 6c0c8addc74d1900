"""Explanations as text and JSON."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hyperbaton.decoder.decoded import Decoded
from hyperbaton.decoder.explanation import N_ALTERNATIVES, Alternative, Explanation, Step, explain
from hyperbaton.decoder.translator import Translator
from hyperbaton.tuning.evaluation.tables import Table
from hyperbaton.tuning.metrics.base import Outputs
from hyperbaton.tuning.metrics.bleu import Bleu
from hyperbaton.tuning.metrics.chrf import Chrf
from hyperbaton.views.text_tables import MARK, TextBlock

COVERED, OPEN = "■", "□"
END = "</s>"
TINY = 5e-5  # differences below this do not show in four decimals
WORDS = frozenset(
    {"source", "target", "covered", "feature", "part", "word", "event", "translation"}
)
LONGEST_WORDS = 12  # characters of a phrase in the table of alternatives


@dataclass(frozen=True)
class Explained:
    """Derivations of one sentence, best first, and their scores against a reference."""

    derivations: Sequence[Explanation]
    reference: str = ""
    metrics: Mapping[str, Sequence[float]] = field(default_factory=dict)  # of each derivation


def explain_derivations(
    translator: Translator,
    decoded: Decoded,
    reference: str = "",
    n_alternatives: int = N_ALTERNATIVES,
    before_each: Callable[[], None] = lambda: None,
) -> Explained:
    """Explains all derivations of a sentence, and scores them if there is a reference.
    `before_each` may raise to cancel."""
    derivations = []
    for number in range(len(decoded)):
        before_each()
        derivations.append(explain(translator, decoded, number, n_alternatives))
    if not reference:
        return Explained(derivations)
    texts = [" ".join(explanation.target_words) for explanation in derivations]
    outputs = Outputs(texts, [[reference]] * len(texts))
    metrics = {
        metric.name: metric.sentence_scores(metric.statistics(outputs)).tolist()
        for metric in (Bleu(), Chrf())
    }
    return Explained(derivations, reference, metrics)


def blocks(explained: Explained, *, steps: bool = False) -> Iterator[TextBlock]:
    """The best derivation, its totals, and how the others differ from it; with `steps`, also the
    features and alternatives of every step."""
    best = explained.derivations[0]
    yield _heading(explained)
    yield _steps_table(best)
    yield _totals_table(best)
    yield _words_table(best)
    yield from _events_tables(best)
    if len(explained.derivations) > 1:
        yield _translations_table(explained)
        yield _differences_table(explained.derivations)
    if steps:
        yield _parts_table(best)
        for number, step in enumerate(best.steps):
            yield _features_table(best, number, step)
            if len(step.alternatives) > 1:
                yield _alternatives_table(best, step)


def as_json(explained: Explained) -> str:
    return json.dumps(as_content(explained), ensure_ascii=False, indent=1)


def as_content(explained: Explained) -> dict[str, Any]:
    best = explained.derivations[0]
    content: dict[str, Any] = {
        "source": best.source_words,
        "weights": dict(zip(best.feature_names, best.weights, strict=True)),
        "parts": {part.name: best.feature_names[part.first : part.last] for part in best.parts},
        "distortion_models": [part.name for part in best.parts if part.is_distortion],
    }
    if explained.reference:
        content["reference"] = explained.reference
    content["derivations"] = [
        _plain(explanation)
        | {"metrics": {name: scores[number] for name, scores in explained.metrics.items()}}
        for number, explanation in enumerate(explained.derivations)
    ]
    return content


def _plain(explanation: Explanation) -> dict[str, Any]:
    names, contributions = explanation.feature_names, explanation.contributions
    parts = [part.name for part in explanation.parts]
    return {
        "translation": " ".join(explanation.target_words),
        "score": explanation.score,
        "alignment": explanation.links,
        "part_scores": dict(zip(parts, explanation.part_scores.tolist(), strict=True)),
        "shares": dict(zip(parts, explanation.shares.tolist(), strict=True)),
        "steps": [
            _plain_step(step, dict(zip(names, row, strict=True)), names, parts)
            for step, row in zip(explanation.steps, contributions.tolist()[:-1], strict=True)
        ],
        "end": {
            "word_scores": [explanation.end_word_score],
            "values": dict(zip(names, explanation.end_values, strict=True)),
            "contributions": dict(zip(names, contributions[-1].tolist(), strict=True)),
        },
    }


def _plain_step(
    step: Step, contributions: dict[str, float], names: Sequence[str], parts: Sequence[str]
) -> dict[str, Any]:
    return {
        "source": step.source,
        "target": step.target,
        "source_words": step.source_words,
        "target_words": step.target_words,
        "unknown": step.is_unknown,
        "jump": step.jump,
        "covered": [int(covered) for covered in step.covered],
        "word_scores": step.word_scores,
        "values": dict(zip(names, step.values, strict=True)),
        "contributions": contributions,
        "score": step.score,
        "events": step.events,
        "alternatives": [
            {name.removeprefix("is_"): value for name, value in vars(alternative).items()}
            | {"part_scores": dict(zip(parts, alternative.part_scores, strict=True))}
            for alternative in step.alternatives
        ],
    }


def _heading(explained: Explained) -> str:
    best = explained.derivations[0]
    lines = [
        "source     " + "  ".join(f"{n} {word}" for n, word in enumerate(best.source_words)),
        "target     " + " ".join(best.target_words),
    ]
    unknown = [f"{step.source[0]} {step.source_words[0]}" for step in best.steps if step.is_unknown]
    if unknown:
        lines.append("unknown    " + "  ".join(unknown))
    if explained.reference:
        lines.append("reference  " + explained.reference)
    scores = "".join(f", {name} {row[0]:.1f}" for name, row in explained.metrics.items())
    lines.append(f"score      {best.score:.4f}{scores}")
    return "\n".join(lines)


def _steps_table(explanation: Explanation) -> Table:
    rows = []
    added = explanation.contributions.sum(axis=1)
    for number, step in enumerate(explanation.steps):
        rows.append(
            [str(number + 1), _span(step.source), " ".join(step.source_words), _target(step),
             _jump(step.jump), _covered(step), _added(added[number]), _added(step.score)]
        )  # fmt: skip
    rows.append(["", "", "", END, "", "", _added(added[-1]), _added(float(added.sum()))])
    header = ["step", "span", "source", "target", "jump", "covered", "adds", "score"]
    return Table(header, rows, left=WORDS)


def _features_table(explanation: Explanation, number: int, step: Step) -> Table:
    """Features other than 0, and the score so far."""
    names, values, weights = explanation.feature_names, step.values, explanation.weights
    rows = [
        [name, _value(value), f"{weight:g}", _added(value * weight)]
        for name, value, weight in zip(names, values, weights, strict=True)
        if value
    ]
    added = float(np.dot(values, weights))
    rows.append(["this step", "", "", _added(added)])
    rows.append(["score so far", "", "", _added(step.score)])
    title = (
        f"step {number + 1} of {len(explanation.steps)}: {' '.join(step.source_words)} "
        f"[{_span(step.source)}] → {_target(step)}, jump {_jump(step.jump)}, {_covered(step)}"
    )
    return Table(["feature", "value", "weight", "adds"], rows, title=title, left=WORDS)


def _alternatives_table(explanation: Explanation, step: Step) -> Table:
    """The scores of alternative spans; those of the distortion models one by one."""
    models = [number for number, part in enumerate(explanation.parts) if part.is_distortion]
    [chosen] = [alternative for alternative in step.alternatives if alternative.is_chosen]
    rows = []
    for other in step.alternatives:
        distortion = [other.part_scores[model] for model in models]
        scores = [*distortion, other.score - sum(distortion), other.future, other.total]
        rows.append(
            [
                MARK if other is chosen else "",
                _span(other.source),
                _clipped(" ".join(other.source_words)),
                _clipped(_target(other).replace(" (unknown)", " ?")),
                _jump(other.jump),
                *(f"{score:.2f}" if score else "0" for score in scores),
            ]
        )
    names = [explanation.parts[model].name for model in models]
    header = ["", "span", "source", "target", "jump", *names, "others", "future", "total"]
    title = f"alternatives, weighted ({MARK} was taken)"
    return Table(header, rows, title=title, left=WORDS)


def _clipped(words: str) -> str:
    """Shortens words, so that a table with two models fits in eighty columns."""
    return words if len(words) <= LONGEST_WORDS else f"{words[: LONGEST_WORDS - 1]}…"


def _parts_table(explanation: Explanation) -> Table:
    contributions = explanation.contributions
    used = [part for part in explanation.parts if contributions[:, part.first : part.last].any()]
    names = [*(str(number + 1) for number in range(len(explanation.steps))), END]
    rows = [
        [name, *(_added(part.sum(row)) for part in used), _added(float(row.sum()))]
        for name, row in zip(names, contributions, strict=True)
    ]
    header = ["step", *(part.name for part in used), "all"]
    return Table(header, rows, title="contribution of each part by step", left=frozenset())


def _totals_table(explanation: Explanation) -> Table:
    """Totals by feature and by part. Shares are of the sum of absolute values, without the penalty
    of unknown words."""
    values, weights = explanation.values.sum(axis=0).tolist(), explanation.weights
    rows = []
    for part, score, share in zip(
        explanation.parts, explanation.part_scores.tolist(), explanation.shares, strict=True
    ):
        sums = [_added(score), "-" if part.is_unknown else f"{share:.1%}"]
        several = part.last - part.first > 1
        for number in range(part.first, part.last):
            name, value, weight = explanation.feature_names[number], values[number], weights[number]
            row = [name, _value(value), f"{weight:g}", _added(value * weight)]
            rows.append(row + (["", ""] if several else sums))
        if several:
            rows.append([f"{part.name} (all)", "", "", "", *sums])
    rows.append(["score", "", "", "", _added(float(explanation.part_scores.sum())), ""])
    header = ["feature", "value", "weight", "adds", "part", "share"]
    return Table(header, rows, title="sums over the derivation")


def _words_table(explanation: Explanation) -> Table:
    weight = explanation.weights[explanation.feature_names.index("lm")]
    rows = [
        [str(number + 1), word, _added(score), _added(weight * score)]
        for number, step in enumerate(explanation.steps)
        for word, score in zip(step.target_words, step.word_scores, strict=True)
    ]
    rows.append(
        ["", END, *map(_added, (explanation.end_word_score, weight * explanation.end_word_score))]
    )
    header = ["step", "word", "log p", "adds"]
    return Table(header, rows, title="language model, word by word", left=WORDS)


def _events_tables(explanation: Explanation) -> Iterator[Table]:
    """What a distortion model scores, such as operations; a table for each model that lists it."""
    for part in explanation.parts:
        weight = explanation.weights[part.first]
        rows = [
            [str(number + 1), text, _added(score), _added(weight * score)]
            for number, step in enumerate(explanation.steps)
            for text, score in step.events.get(part.name, ())
        ]
        if rows:
            yield Table(["step", "event", "log p", "adds"], rows, title=part.name, left=WORDS)


def _translations_table(explained: Explained) -> Table:
    best = explained.derivations[0]
    rows = [
        [
            str(number + 1),
            _added(explanation.score),
            _added(explanation.score - best.score),
            *(f"{scores[number]:.1f}" for scores in explained.metrics.values()),
            " | ".join(f"{_target(step)} [{_span(step.source)}]" for step in explanation.steps),
        ]
        for number, explanation in enumerate(explained.derivations)
    ]
    header = ["", "score", "to 1", *explained.metrics, "translation"]
    return Table(header, rows, title="the best derivations", left=WORDS)


def _differences_table(derivations: Sequence[Explanation]) -> Table:
    """Part scores of the first derivation, and the differences of the others from them."""
    first = derivations[0]
    scores = np.stack([explanation.part_scores for explanation in derivations])
    rows = []
    for part, column in zip(first.parts, scores.T.tolist(), strict=True):
        if any(column):
            differences = [score - column[0] for score in column[1:]]
            shown = ("" if abs(value) < TINY else _difference(value) for value in differences)
            rows.append([part.name, _added(column[0]), *shown])
    total = scores.sum(axis=1)
    rows.append(["score", _added(float(total[0])), *map(_difference, total[1:] - total[0])])
    header = ["part", "1", *(f"{number} − 1" for number in range(2, len(derivations) + 1))]
    title = "where the others gain (+) and lose (-) against the best"
    return Table(header, rows, title=title, left=WORDS)


def _value(value: float) -> str:
    """A feature value with four decimals, or none for whole numbers."""
    return str(int(value)) if value == int(value) else f"{value:.4f}"


def _added(score: float) -> str:
    """A weighted score with four decimals; exactly zero is a plain 0."""
    text = f"{score:.4f}" if score else "0"
    return "0.0000" if text == "-0.0000" else text


def _difference(score: float) -> str:
    return "0.0000" if abs(score) < TINY else f"{score:+.4f}"


def _span(span: tuple[int, int]) -> str:
    return f"{span[0]}:{span[1]}"


def _jump(jump: int) -> str:
    return f"{jump:+d}" if jump else "0"


def _covered(step: Step) -> str:
    return "".join(COVERED if word else OPEN for word in step.covered)


def _target(step: Step | Alternative) -> str:
    return (" ".join(step.target_words) or "(nothing)") + " (unknown)" * step.is_unknown
