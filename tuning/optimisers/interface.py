"""The interface of optimisers, and the optimisers by name.

An optimiser searches for weights under which the best hypotheses of a pool score well. It is a
frozen dataclass whose fields are its settings (`--set NAME.FIELD=VALUE`, or a table `[NAME]` in the
file of a comparison). `improve` has no side effects, so threads may share an optimiser.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from numpy.random import SeedSequence

from hyperbaton.foundation.arrays import BoolArray, FloatArray
from hyperbaton.foundation.catalogue import Catalogue
from hyperbaton.foundation.errors import SettingError

if TYPE_CHECKING:  # all commands import the settings of optimisers; only tuning needs pools
    from hyperbaton.tuning.optimisers.objective import Objective
    from hyperbaton.tuning.optimisers.pool import Pool

OPTIMISERS = {
    "mert": "hyperbaton.tuning.optimisers.mert:Mert",
    "mert-lattice": "hyperbaton.tuning.optimisers.mert:LatticeMert",
    "pro": "hyperbaton.tuning.optimisers.pro:Pro",
    "mira": "hyperbaton.tuning.optimisers.mira:Mira",
}


class Lines(NamedTuple):
    """Lines through a point, from −reach to reach times each direction."""

    weights: FloatArray  # (features,)
    directions: FloatArray  # (D, features)
    reach: FloatArray  # (D,)


@dataclass(frozen=True, eq=False)
class Start:
    """Where an optimiser starts, and what it may change."""

    weights: FloatArray  # (features,) in use now
    tuned: BoolArray  # (features,) the other weights do not change
    earlier: Sequence[FloatArray] = ()  # weights of earlier rounds
    threads: int = 1  # the result must not depend on their number
    sizes: FloatArray | None = None  # (sentences,) source words
    free_scale: bool = True  # no fixed weight sets the scale: only ratios of weights matter
    # For optimisers with `arcs`: adds all derivations that are best somewhere on the lines
    grow: "Callable[[Pool, Lines], Pool] | None" = None


class Optimiser(ABC):
    name: ClassVar[str]
    # Usual `tune.iterations` and `tune.patience`
    iterations: ClassVar[int] = 15
    patience: ClassVar[int] = 0
    gradual: ClassVar[bool] = False  # takes partial steps, so repeating it on a pool makes sense
    # share of the first step that is taken; later shares grow by as much, up to the whole step
    first_step: ClassVar[float] = 1.0
    arcs: int = 0  # arcs of the search lattice that it uses, per source word

    def check_settings(self) -> None:
        """Raises `SettingError` for impossible values."""
        return

    @abstractmethod
    def improve(
        self, pool: "Pool", objective: "Objective", start: Start, seed: SeedSequence
    ) -> FloatArray:
        """Returns new weights, (features,)."""

    def _check_least(self, **least: float) -> None:
        check_least(self.name, self, **least)

    def _check_share(self, *keys: str) -> None:
        for key in keys:
            value = getattr(self, key)
            if not 0 < value <= 1:
                raise SettingError(f"{self.name}.{key} is {value}", expected="above 0, at most 1")


def check_least(section: str, settings: object, **least: float) -> None:
    for key, bound in least.items():
        value = getattr(settings, key)
        if value < bound:
            raise SettingError(f"{section}.{key} is {value}", expected=f"at least {bound}")


def make_optimiser(name: str) -> Optimiser:
    """An optimiser with default settings: one of `OPTIMISERS`, of a plug-in, or `module:Class`."""
    catalogue = Catalogue("tuning method", Optimiser, OPTIMISERS, "hyperbaton.optimisers")  # type: ignore[type-abstract]
    return catalogue.make(name)
