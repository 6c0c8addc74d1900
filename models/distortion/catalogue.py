"""Distortion models by name: ours, those of installed packages, and `module:Class`."""

import sys
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from models.distortion.interface import DistortionModel
from models.errors import SettingError, nearest

ENTRY_POINTS = "hyperbaton.distortion"
MODELS = {
    "gaps": "models.distortion.gaps:Gaps",
    "linear": "models.distortion.linear:Linear",
    "msd": "models.distortion.lexicalised:Lexicalised",
}


def make_model(name: str, **settings: Any) -> DistortionModel:
    """A model from its name (or `module:Class`) and its settings."""
    known = MODELS | {point.name: point.value for point in entry_points(group=ENTRY_POINTS)}
    place = name if ":" in name else known.get(name)
    if place is None:
        raise SettingError(
            f"there is no distortion model {name!r}", expected=nearest(name, list(known))
        )
    if ":" in name and str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))  # a file in the working folder counts, as with python -m
    try:
        module, _, attribute = place.partition(":")
        made = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise SettingError(f"the distortion model {name!r} cannot be loaded: {error}") from None
    try:
        model = made(**settings)
    except TypeError as error:
        raise SettingError(
            f"the distortion model {name!r} does not take these settings: {error}"
        ) from None
    if not isinstance(model, DistortionModel):
        raise SettingError(f"{name!r} is not a distortion model")
    return model
