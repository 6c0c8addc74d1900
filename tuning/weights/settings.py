"""How weights are tuned: all settings, and which values they may have."""

from dataclasses import dataclass

from models.errors import SettingError, nearest

METHODS = ("mert", "pro", "mira")


@dataclass(frozen=True)
class TuneSettings:
    """How weights are tuned (`--set tune.KEY=VALUE`)."""

    method: str = "mert"  # mert, pro or mira
    metric: str = "bleu"  # or a sum of metrics: bleu-ter
    n_best: int = 100  # hypotheses for each sentence and decoding
    distinct: bool = False  # no translation twice in an n-best list
    iterations: int = 15  # at most
    patience: int = 0  # give up after so many decodings without a better score; 0: never
    seed: int = 1
    tokenize: str = "none"  # how metrics see text: sacrebleu's tokenisers
    lowercase: bool = False
    restarts: int = 20  # mert: random starts in each round
    directions: int = 10  # mert: random directions in each sweep
    candidates: int = 5000  # pro: pairs drawn for each sentence
    pairs: int = 50  # pro: pairs kept of them
    threshold: float = 0.05  # pro: share of the metric's scale by which pairs differ at least
    interpolation: float = 0.1  # pro: share of the new weights, the others are those before
    passes: int = 60  # mira: over the development set, in each round
    step: float = 0.01  # mira: longest step
    decay: float = 0.999  # mira: how fast the pseudo-corpus fades


_LEAST = {
    "n_best": 2, "iterations": 1, "patience": 0, "seed": 0, "restarts": 0, "directions": 0,
    "candidates": 1, "pairs": 1, "threshold": 0, "passes": 1,
}  # fmt: skip


def check_settings(settings: TuneSettings) -> None:
    if settings.method not in METHODS:
        raise SettingError(
            f"there is no tuning method {settings.method!r}",
            expected=nearest(settings.method, list(METHODS)),
        )
    for name, least in _LEAST.items():
        value = getattr(settings, name)
        if value < least:
            raise SettingError(f"tune.{name} is {value}", expected=f"{least} at least")
    for name in ("interpolation", "decay"):
        value = getattr(settings, name)
        if not 0 < value <= 1:
            raise SettingError(f"tune.{name} is {value}", expected="above 0, at most 1")
    if not settings.step > 0:
        raise SettingError(f"tune.step is {settings.step}", expected="above 0")
