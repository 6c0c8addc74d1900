"""Warns if a gain in BLEU comes only from longer translations.

BLEU penalises short translations, so tuning may raise it just by making them longer. Then TER,
which counts superfluous words, gets worse.
"""

from collections.abc import Mapping

from hyperbaton.tuning.evaluation.significance import RESAMPLES, p_text, paired_bootstrap
from hyperbaton.tuning.metrics.bleu import Bleu
from hyperbaton.tuning.metrics.ter import Ter
from hyperbaton.tuning.weights.loop import decode
from hyperbaton.tuning.weights.protocol import Replicas
from hyperbaton.tuning.weights.task import TuningTask

SIGNIFICANT = 0.05
LONGER = 0.02  # relative to the references; smaller increases are not checked
ADVICE = "0.5*bleu-0.5*ter"  # the metric to recommend


def length_warning(task: TuningTask, before: Mapping[str, float], result: Replicas) -> str:
    """A warning, or an empty text. Decodes with both weights once more if lengths differ."""
    terms = task.objective.terms
    if not result.gained or len(terms) > 1 or not isinstance(terms[0].metric, Bleu):
        return ""
    traces = [run.trace for run in result.runs]
    longest = max(trace.steps[trace.kept].length for trace in traces)
    if longest < traces[0].steps[0].length + LONGER:
        return ""
    metric, statistics, lengths = Ter(terms[0].metric.options), [], []
    for weights in (before, result.weights):
        hypotheses, _ = decode(task, weights, n_best=1)
        statistics.append(hypotheses.statistics(hypotheses.offsets[:-1], metric, task.dev))
        lengths.append(hypotheses.length_ratio(task.dev))
    test = paired_bootstrap(metric, statistics[:1], statistics[1:])
    if test.difference <= 0 or test.p_value >= SIGNIFICANT:
        return ""
    return (
        f"warning: BLEU rose because translations became longer "
        f"({lengths[0]:.2f} → {lengths[1]:.2f} times the references), "
        f"while TER got worse: {test.baseline:.1f} → {test.system:.1f} "
        f"({p_text(test.p_value, RESAMPLES)}); --metric '{ADVICE}' optimises both"
    )
