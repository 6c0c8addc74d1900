"""Optimisers by name: ours, and `module:Class`."""

from models.errors import SettingError, nearest
from models.plugins import load_class
from tuning.optimisers.interface import Optimiser
from tuning.optimisers.mert import Mert
from tuning.optimisers.mira import Mira
from tuning.optimisers.pro import Pro

OPTIMISERS: dict[str, type[Optimiser]] = {"mert": Mert, "pro": Pro, "mira": Mira}


def make_optimiser(name: str) -> Optimiser:
    """The optimiser of this name, with its default settings."""
    if ":" in name:
        made = load_class(name, "optimiser")()
        if not isinstance(made, Optimiser):
            raise SettingError(f"{name!r} is not an optimiser")
        return made
    if name not in OPTIMISERS:
        raise SettingError(
            f"there is no tuning method {name!r}", expected=nearest(name, list(OPTIMISERS))
        )
    return OPTIMISERS[name]()
