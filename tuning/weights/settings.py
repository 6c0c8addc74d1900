"""The settings of tuning and their checks."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hyperbaton.foundation.errors import check_known
from hyperbaton.tuning.optimisers.interface import Optimiser, check_least, make_optimiser

BEST, GOTO, AVERAGE = "best", "goto", "average"
PROTOCOLS = (BEST, GOTO, AVERAGE)  # see `tuning/weights/protocol.py`
METHOD = "mira"
USUAL = -1  # iterations or patience: as the optimiser has it
UNTUNED = "none"  # a method of comparisons only: systems keep their initial weights


@dataclass(frozen=True)
class TuneSettings:
    """How weights are tuned (`--set tune.KEY=VALUE`, or the table `[tune]`)."""

    method: str = METHOD  # optimiser: `mert`, `mert-lattice`, `pro`, `mira` or `module:Class`
    metric: str = "bleu"  # metric to optimise, or a sum of metrics: `bleu-ter`
    n_best: int = 100  # hypotheses for each sentence in each decoding round
    distinct: bool = False  # n-best lists hold each translation only once
    iterations: int = -1  # maximum number of decoding rounds; −1: 10 with MIRA, else 15
    # stop after this many rounds without a better score; 0: never; −1: 3 with MIRA, else never
    patience: int = -1
    seed: int = 1  # random seed of the first run; the next runs count up
    replicas: int = 3  # tuning runs, each with a different seed
    confirm: bool = True  # keep new weights only if they also gain on unseen sentences
    # weights to keep: of the `best` run, chosen as by `goto`, or the `average`
    protocol: str = BEST
    tokenize: str = "none"  # sacrebleu tokeniser that the metric applies first
    lowercase: bool = False  # the metric ignores case
    # Those with other settings than the default. Each is a section beside this one: `mira.step`
    optimisers: Mapping[str, Optimiser] = field(default_factory=dict)

    @property
    def optimiser(self) -> Optimiser:
        return self.find_optimiser(self.method)

    @property
    def most_rounds(self) -> int:
        return self.optimiser.iterations if self.iterations == USUAL else self.iterations

    @property
    def most_waiting(self) -> int:
        return self.optimiser.patience if self.patience == USUAL else self.patience

    def find_optimiser(self, name: str) -> Optimiser:
        return self.optimisers.get(name) or make_optimiser(name)

    def with_optimiser(self, name: str, optimiser: Optimiser) -> "TuneSettings":
        return replace(self, optimisers={**self.optimisers, name: optimiser})

    def plain(self) -> dict[str, Any]:
        """The settings on which results depend; of the optimisers, only the one in use."""
        used = {} if self.method == UNTUNED else {self.method: dict(vars(self.optimiser))}
        return assignable(self) | used

    def of_one_run(self) -> dict[str, Any]:
        """The settings on which the result of a single replica depends."""
        return {k: v for k, v in self.plain().items() if k not in ("replicas", "protocol")}

    def check(self) -> None:
        if self.method != UNTUNED:
            self.optimiser.check_settings()
            check_least("tune", replace(self, iterations=self.most_rounds), iterations=1)
        check_least("tune", self, n_best=2, patience=USUAL, seed=0, replicas=1)
        check_known("protocol", self.protocol, PROTOCOLS)


def assignable(settings: object) -> dict[str, Any]:
    """The settings with a single value, by key."""
    return {key: value for key, value in vars(settings).items() if key != "optimisers"}


# Defaults of `hyperbaton compare`: a preset may set what the file leaves open. `confirm` is off,
# because comparing tuned systems with others that kept their initial weights would be unfair.
OPEN = ""
COMPARE_SETTINGS = TuneSettings(method=OPEN, protocol=OPEN, confirm=False)
