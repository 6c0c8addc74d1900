"""Optimisers by name: ours, and `module:Class`."""

from models.errors import SettingError, nearest
from models.plugins import load_class
from tuning.optimisers.interface import Optimiser

OPTIMISERS = {
    "mert": "tuning.optimisers.mert:Mert",
    "pro": "tuning.optimisers.pro:Pro",
    "mira": "tuning.optimisers.mira:Mira",
}


def make_optimiser(name: str) -> Optimiser:
    """The optimiser of this name, with its default settings."""
    place = name if ":" in name else OPTIMISERS.get(name)
    if place is None:
        raise SettingError(
            f"there is no tuning method {name!r}", expected=nearest(name, list(OPTIMISERS))
        )
    made = load_class(place, "optimiser")()
    if not isinstance(made, Optimiser):
        raise SettingError(f"{name!r} is not an optimiser")
    return made
