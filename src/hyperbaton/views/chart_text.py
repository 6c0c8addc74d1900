"""The derivations of hierarchical rules as text, JSON and pictures: their trees."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from hyperbaton.decoder.chart_explanation import ChartExplanation, RuleStep
from hyperbaton.decoder.drawing.tree_svg import Bracket, tree_svg
from hyperbaton.tuning.evaluation.tables import Table
from hyperbaton.views.text_tables import TextBlock


def chart_blocks(explanations: Sequence[ChartExplanation]) -> Iterator[TextBlock]:
    """The tree of every derivation, and the features of the best."""
    best = explanations[0]
    yield "source     " + "  ".join(f"{n} {word}" for n, word in enumerate(best.source_words))
    for explanation in explanations:
        yield (
            f"target     {' '.join(explanation.target_words)}\nscore      {explanation.score:.4f}"
        )
        rows = [
            [_rule(step), _span(step.source), _span(step.target), f"{step.adds:+.2f}"]
            for step in explanation.steps
        ]
        yield Table(["rule", "source", "target", "adds"], rows, left=frozenset({"rule"}))
    columns = zip(best.feature_names, best.values, best.weights, strict=True)
    features = [
        [name, f"{value:.4g}", f"{weight:.4g}", f"{value * weight:+.2f}"]
        for name, value, weight in columns
    ]
    features.append(["score", "", "", f"{best.score:+.2f}"])
    yield Table(["feature", "value", "weight", "adds"], features, left=frozenset({"feature"}))


def chart_json(explanations: Sequence[ChartExplanation]) -> str:
    content = {"derivations": [asdict(explanation) for explanation in explanations]}
    return json.dumps(content, ensure_ascii=False, indent=1)


def chart_svg(explanation: ChartExplanation) -> str:
    """The words with their links; brackets around the spans of rules, in equal colours."""
    steps = [step for step in explanation.steps if not step.is_chain]
    heights = [_height(steps, number) for number in range(len(steps))]
    brackets = [
        Bracket(step.source, step.target, height)
        for step, height in zip(steps, heights, strict=True)
    ]
    return tree_svg(explanation.source_words, explanation.target_words, explanation.links, brackets)


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
