"""The derivations of hierarchical rules as text, JSON and pictures: their trees."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from hyperbaton.decoder.chart_explanation import RuleStep
from hyperbaton.decoder.drawing.tree_svg import Bracket, tree_svg
from hyperbaton.decoder.translator import Translation
from hyperbaton.tuning.evaluation.tables import Table
from hyperbaton.views.text_tables import TextBlock


def chart_blocks(
    results: Sequence[Translation], trees: Sequence[list[RuleStep]], weights: Mapping[str, float]
) -> Iterator[TextBlock]:
    """The tree of every derivation, and the features of the best."""
    best = results[0]
    yield "source     " + "  ".join(f"{n} {word}" for n, word in enumerate(best.source_words))
    for result, rules in zip(results, trees, strict=True):
        yield f"target     {' '.join(result.words)}\nscore      {result.score:.4f}"
        rows = [
            [_rule(step), _span(step.source), _span(step.target), f"{step.adds:+.2f}"]
            for step in rules
        ]
        yield Table(["rule", "source", "target", "adds"], rows, left=frozenset({"rule"}))
    features = [
        [name, f"{value:.4g}", f"{weights[name]:.4g}", f"{value * weights[name]:+.2f}"]
        for name, value in best.features.items()
    ]
    features.append(["score", "", "", f"{best.score:+.2f}"])
    yield Table(["feature", "value", "weight", "adds"], features, left=frozenset({"feature"}))


def chart_json(
    results: Sequence[Translation], trees: Sequence[list[RuleStep]], weights: Mapping[str, float]
) -> str:
    derivations = [
        {
            "translation": " ".join(result.words),
            "score": result.score,
            "alignment": result.alignment,
            "features": result.features,
            "rules": list(map(asdict, rules)),
        }
        for result, rules in zip(results, trees, strict=True)
    ]
    content = {"source": results[0].source_words, "weights": weights, "derivations": derivations}
    return json.dumps(content, ensure_ascii=False, indent=1)


def tree_picture(result: Translation, rules: Sequence[RuleStep]) -> str:
    """The words with their links; brackets around the spans of rules, in equal colours."""
    steps = [step for step in rules if not step.is_chain]
    brackets = [
        Bracket(step.source, step.target, _height(steps, number))
        for number, step in enumerate(steps)
    ]
    return tree_svg(result.source_words, result.words, result.alignment, brackets)


def _height(steps: Sequence[RuleStep], number: int) -> int:
    """The most rules inside of each other in a rule, with itself."""
    depth = most = steps[number].depth
    for step in steps[number + 1 :]:
        if step.depth <= depth:
            break
        most = max(most, step.depth)
    return most - depth + 1


def _rule(step: RuleStep) -> str:
    if step.is_chain:
        return f"{'  ' * step.depth}S → {step.left}"
    marked = " (unknown)" if step.is_unknown else ""
    return f"{'  ' * step.depth}X → {step.left} | {step.right}{marked}"


def _span(span: tuple[int, int]) -> str:
    return f"{span[0]}:{span[1]}"
