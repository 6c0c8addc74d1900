"""A picture of a tuning: scores of all replicas and weights of the chosen one, by iteration."""

from pathlib import Path

from tuning.weights.protocol import Replicas

MOST_NAMED = 30  # weights in the legend


def plot_tuning(result: Replicas, path: Path) -> None:
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    from hyperbaton.views.picture_files import save_picture

    figure = Figure(figsize=(11, 4.5), layout="constrained")
    scores, weights = figure.subplots(1, 2)
    trace = result.runs[0].trace
    for run in result.runs:
        values = [step.score for step in run.trace.steps]
        [line] = scores.plot(values, marker=".", label=f"seed {run.trace.seed}")
        best = run.trace.best
        scores.plot([best], [values[best]], "o", color=line.get_color(), fillstyle="none")
    scores.set_title("development set, as decoded")
    scores.set_ylabel(trace.metric + ("" if trace.higher_is_better else " (lower is better)"))
    scores.legend()
    shown = result.runs[_chosen(result)].trace
    names = list(shown.steps[0].weights)
    last = shown.steps[-1].weights
    names = sorted((n for n in names if n != "unknown"), key=lambda name: -last[name])
    for number, name in enumerate(names):
        style = ("-", "--", ":")[number // 10 % 3]
        values = [step.weights[name] for step in shown.steps]
        label = name if number < MOST_NAMED else None
        weights.plot(values, style, marker=".", color=f"C{number % 10}", label=label)
    weights.set_title(f"weights of seed {shown.seed}")
    weights.legend(loc="center left", bbox_to_anchor=(1, 0.5), fontsize="small", frameon=False)
    for axes in (scores, weights):
        axes.set_xlabel("iteration")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.grid(alpha=0.3)
    save_picture(figure, path)


def _chosen(result: Replicas) -> int:
    """The number of the run whose scores are best."""
    sign = 1 if result.runs[0].trace.higher_is_better else -1
    return max(range(len(result.runs)), key=lambda number: sign * result.scores[number])
