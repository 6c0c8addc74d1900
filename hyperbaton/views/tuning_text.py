"""Results of tuning as text, for people."""

from collections.abc import Mapping

from hyperbaton.views.text_tables import Block
from tuning.evaluation.tables import Table
from tuning.weights.protocol import Replicas


def tuning_blocks(result: Replicas, before: Mapping[str, float]) -> list[Block]:
    """What the replicas reached, and the weights before and after."""
    return [_replicas(result), _mean(result), _weights(result, before)]


def _replicas(result: Replicas) -> Table:
    metric = result.runs[0].trace.metric
    header = ["seed", "iterations", f"{metric} before", f"{metric} after"]
    if result.held_out:
        header += ["on the second half"]
    rows = []
    for number, run in enumerate(result.runs):
        trace = run.trace
        row = [str(trace.seed), str(len(trace.steps) - 1)]
        row += [f"{run.initial_score:.2f}", f"{run.dev_score:.2f}"]
        if result.held_out:
            row.append(f"{result.held_out[number]:.2f}")
        rows.append([*row, trace.stopped])
    return Table([*header, "stopped by"], rows, left=frozenset(["stopped by"]))


def _mean(result: Replicas) -> str:
    metric = result.runs[0].trace.metric
    before = f"(before: {result.initial_score:.2f})"
    lines = [f"kept: {result.chosen}, {metric} {result.score:.2f} {before}"]
    if len(result.runs) > 1:
        spread = f"{result.mean:.2f} ± {result.deviation:.2f}"
        lines.insert(0, f"mean of {len(result.runs)} replicas: {metric} {spread}")
    return "\n".join(lines)


def _weights(result: Replicas, before: Mapping[str, float]) -> Table:
    rows = [
        [name, f"{before[name]:.4f}", f"{weight:.4f}"] for name, weight in result.weights.items()
    ]
    return Table(["weight", "before", "after"], rows)
