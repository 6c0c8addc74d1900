"""Results of tuning as text and as a picture."""

from collections.abc import Mapping
from pathlib import Path

from hyperbaton.foundation.errors import counted
from hyperbaton.tuning.evaluation.tables import Table
from hyperbaton.tuning.weights.mbr_scale import ScaleChoice
from hyperbaton.tuning.weights.protocol import Replicas, best_of
from hyperbaton.views.picture_files import save_picture
from hyperbaton.views.text_tables import TextBlock

MOST_NAMED = 30  # weights in the legend of the picture


def tuning_blocks(result: Replicas, before: Mapping[str, float]) -> list[TextBlock]:
    """The scores of the replicas, and the weights before and after."""
    blocks: list[TextBlock] = [_replicas(result), _mean(result), _weights(result, before)]
    if result.mbr is not None:
        blocks.append(_scales(result.mbr, result.runs[0].trace.metric))
    turned = _turned(result)
    if turned:
        blocks.append(
            f"weights that became negative, so that likely translations score worse: "
            f"{', '.join(turned)}\n"
            "often the development set is too small, or differs from the training text"
        )
    return blocks


def _replicas(result: Replicas) -> Table:
    metric = result.runs[0].trace.metric
    header = ["seed", "iterations", f"{metric} before", f"{metric} after"]
    header += ["on the second half"] * bool(result.held_out)
    rows = []
    for number, run in enumerate(result.runs):
        scores = [run.initial_score, run.dev_score, *result.held_out[number : number + 1]]
        counts = [str(run.trace.seed), str(len(run.trace.steps) - 1)]
        rows.append([*counts, *(f"{score:.2f}" for score in scores), run.trace.stopped])
    return Table([*header, "stopped by"], rows, left=frozenset(["stopped by"]))


def _mean(result: Replicas) -> str:
    metric = result.runs[0].trace.metric
    before = f" (before: {result.initial_score:.2f})" if result.gained else ": no gain"
    lines = [f"kept: {result.chosen}, {metric} {result.score:.2f}{before}"]
    n, n_learned = len(result.runs), len(result.learned)
    if n > 1:
        spread = f"{result.mean:.2f}" + (f" ± {result.deviation:.2f}" if n_learned > 1 else "")
        same = f"; {n - n_learned} of {n} kept the old weights" if n_learned < n else ""
        lines.insert(0, f"mean of {counted(n_learned, 'replica')}: {metric} {spread}{same}")
    return "\n".join(lines)


def _weights(result: Replicas, before: Mapping[str, float]) -> Table:
    if not result.gained:
        return Table(["weight", "unchanged"], [[name, f"{w:.4f}"] for name, w in before.items()])
    start = result.runs[0].trace.steps[0].weights  # the old weights, scaled like the new ones
    rows = [
        [name, f"{start[name]:.4f}", f"{weight:.4f}"] for name, weight in result.weights.items()
    ]
    return Table(["weight", "before", "after"], rows)


def _scales(choice: ScaleChoice, metric: str) -> Table:
    rows = [
        [f"{scale:g}", f"{score:.2f}", "kept" if scale == choice.kept else ""]
        for scale, score in choice.scores.items()
    ]
    title = f"minimum Bayes risk (without: {choice.without:.2f})"
    return Table(["scale", metric, ""], rows, title=title, left=frozenset([""]))


def _turned(result: Replicas) -> list[str]:
    """Translation features whose weights became negative."""
    start = result.runs[0].trace.steps[0].weights
    return [
        name
        for name, weight in result.weights.items()
        if name.startswith("translation.") and weight < 0 <= start[name]
    ]


def plot_tuning(result: Replicas, path: Path) -> None:
    """Draws scores and lengths of all replicas and weights of the best one, by iteration."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    figure = Figure(figsize=(15, 4.5), layout="constrained")
    scores, lengths, weights = figure.subplots(1, 3)
    trace = result.runs[0].trace
    for run in result.runs:
        values = [step.score for step in run.trace.steps]
        [line] = scores.plot(values, marker=".", label=f"seed {run.trace.seed}")
        kept = run.trace.kept
        scores.plot([kept], [values[kept]], "o", color=line.get_color(), fillstyle="none")
        lengths.plot([step.length for step in run.trace.steps], marker=".")
    lengths.axhline(1.0, color="grey", linewidth=0.8)
    lengths.set_title("length of the output")
    lengths.set_ylabel("relative to the closest references")
    scores.set_title("development set, decoded")
    scores.set_ylabel(trace.metric + ("" if trace.higher_is_better else " (lower is better)"))
    scores.legend()
    shown = result.runs[best_of(result.scores, higher_is_better=trace.higher_is_better)].trace
    last = shown.steps[-1].weights
    names = [name for name in shown.steps[0].weights if name != "unknown"]
    names.sort(key=lambda name: -last[name])
    for number, name in enumerate(names):
        style = ("-", "--", ":")[number // 10 % 3]
        values = [step.weights[name] for step in shown.steps]
        label = name if number < MOST_NAMED else None
        weights.plot(values, style, marker=".", color=f"C{number % 10}", label=label)
    weights.set_title(f"weights of seed {shown.seed}")
    weights.legend(loc="center left", bbox_to_anchor=(1, 0.5), fontsize="small", frameon=False)
    for axes in (scores, lengths, weights):
        axes.set_xlabel("iteration")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.grid(alpha=0.3)
    save_picture(figure, path)
