"""Metrics by name, as in `hyperbaton evaluate --metrics`, and as `module:Class`."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias

from hyperbaton.foundation.catalogue import Catalogue
from hyperbaton.foundation.errors import SettingError, nearest
from hyperbaton.tuning.metrics.base import Metric
from hyperbaton.tuning.metrics.bleu import Bleu
from hyperbaton.tuning.metrics.chrf import Chrf
from hyperbaton.tuning.metrics.meteor import Meteor
from hyperbaton.tuning.metrics.nist import Nist
from hyperbaton.tuning.metrics.order import FuzzyReordering, Hamming, KendallTau, LRscore, PDscore
from hyperbaton.tuning.metrics.ribes import Ribes
from hyperbaton.tuning.metrics.ter import Ter
from hyperbaton.tuning.metrics.wer import Per, Wer
from hyperbaton.tuning.metrics.words import TextOptions, n_references

References: TypeAlias = Sequence[Sequence[str]]
MetricMaker: TypeAlias = Callable[[References, TextOptions], Metric]

METRICS: dict[str, MetricMaker] = {
    "bleu": lambda _, options: Bleu(options),
    "bleu-1": lambda _, options: Bleu(options, order=1),
    "chrf": lambda _, options: Chrf(options),
    "chrf++": lambda _, options: Chrf(options, word_order=2),
    "ter": lambda _, options: Ter(options),
    "nist": lambda references, options: Nist(references, options),
    "wer": lambda _, options: Wer(options),
    "per": lambda _, options: Per(options),
    "meteor-exact-stem": lambda _, options: Meteor(options),
    "ribes": lambda _, options: Ribes(options),
    # their BLEU uses the text, the other order metrics only visit sequences
    "lrscore": lambda _, options: LRscore(KendallTau(), Bleu(options)),
    "lrscore-hamming": lambda _, options: LRscore(Hamming(), Bleu(options)),
    "pdscore": lambda *_: PDscore(),
    "kendall": lambda *_: KendallTau(),
    "kendall-sqrt": lambda *_: KendallTau(square_root=True),
    "hamming": lambda *_: Hamming(),
    "fuzzy": lambda *_: FuzzyReordering(),
    "fuzzy-boundaries": lambda *_: FuzzyReordering(boundaries=True),
}


# Alternative names
ALIASES = {"bleu1": "bleu-1", "bleu4": "bleu", "bleu-4": "bleu", "meteor": "meteor-exact-stem"}


def make_metrics(
    names: Iterable[str], references: References, options: TextOptions = TextOptions()
) -> list[Metric]:
    """Makes the metrics of these names, which ignore case, each once."""
    options = replace(options, n_references=n_references(references))
    chosen = dict.fromkeys(map(check_name, names))
    return [find_metric(name)(references, options) for name in chosen]


def find_metric(name: str) -> MetricMaker:
    """A function that makes the metric of a checked name; `module:Class` gets the text options."""
    if ":" not in name:
        return METRICS[name]
    metric = Catalogue("metric", Metric, {}, "hyperbaton.metrics").find(name)  # type: ignore[type-abstract]
    if not (isinstance(metric, type) and issubclass(metric, Metric)):
        raise SettingError(f"{name!r} is not a metric")
    return lambda _, options: metric(options)  # type: ignore[call-arg]


def check_name(name: str) -> str:
    """The canonical name of a metric, or `module:Class`; raises for an unknown name."""
    name = name.strip()
    if ":" in name:
        return name
    canonical = ALIASES.get(name.lower(), name.lower())
    if canonical not in METRICS:
        known = f"known: {', '.join(sorted(METRICS))}"
        near = nearest(canonical, list(METRICS))
        raise SettingError(
            f"unknown metric {name!r}", expected=near, advice="" if near == known else known
        )
    return canonical
