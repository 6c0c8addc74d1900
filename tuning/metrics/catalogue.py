"""Every metric by its short name: what `hyperbaton evaluate --metrics` takes."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias

from models.errors import SettingError, nearest
from tuning.metrics.base import Metric
from tuning.metrics.bleu import Bleu
from tuning.metrics.chrf import Chrf
from tuning.metrics.meteor import Meteor
from tuning.metrics.nist import Nist
from tuning.metrics.order import ORDER_METRICS, Hamming, KendallTau, LRscore
from tuning.metrics.ribes import Ribes
from tuning.metrics.ter import Ter
from tuning.metrics.wer import Per, Wer
from tuning.metrics.words import TextOptions, n_references

References: TypeAlias = Sequence[Sequence[str]]

METRICS: dict[str, Callable[[References, TextOptions], Metric]] = {
    "bleu": lambda _, options: Bleu(options),
    "bleu-1": lambda _, options: Bleu(options, order=1),
    "chrf": lambda _, options: Chrf(options),
    "ter": lambda _, options: Ter(options),
    "nist": lambda references, options: Nist(references, options),
    "wer": lambda _, options: Wer(options),
    "per": lambda _, options: Per(options),
    "meteor-exact-stem": lambda _, options: Meteor(options),
    "ribes": lambda _, options: Ribes(options),
    # their BLEU looks at the text, the other order metrics at visit sequences only
    "lrscore": lambda _, options: LRscore(KendallTau(), Bleu(options)),
    "lrscore-hamming": lambda _, options: LRscore(Hamming(), Bleu(options)),
    **{name: lambda _, __, make=make: make() for name, make in ORDER_METRICS.items()},  # type: ignore[misc]
}


def make_metrics(
    names: Iterable[str], references: References, options: TextOptions = TextOptions()
) -> list[Metric]:
    """The metrics of these names, in any case, each once."""
    options = replace(options, n_references=n_references(references))
    return [METRICS[name](references, options) for name in dict.fromkeys(map(check_name, names))]


def check_name(name: str) -> str:
    """The name as the catalogue has it."""
    known = name.strip().lower()
    if known not in METRICS:
        raise SettingError(
            f"there is no metric {name.strip()!r}", expected=nearest(known, list(METRICS))
        )
    return known
