"""Optimisers by name: ours, those of installed packages, and `module:Class`."""

from models.catalogue import Catalogue
from tuning.optimisers.interface import Optimiser

OPTIMISERS = {
    "mert": "tuning.optimisers.mert:Mert",
    "pro": "tuning.optimisers.pro:Pro",
    "mira": "tuning.optimisers.mira:Mira",
}
_CATALOGUE = Catalogue("tuning method", Optimiser, OPTIMISERS, "hyperbaton.optimisers")  # type: ignore[type-abstract]


def make_optimiser(name: str) -> Optimiser:
    """The optimiser of this name, with its default settings."""
    return _CATALOGUE.make(name)
