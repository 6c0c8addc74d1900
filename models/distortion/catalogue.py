"""Distortion models by name: ours, those of installed packages, and `module:Class`.

In text, settings follow the name: `msd,type=phrase-msd-backward-fe`.
"""

import inspect
import sys
from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from models.distortion.interface import DistortionModel
from models.errors import SettingError, nearest
from models.settings_text import convert_setting

ENTRY_POINTS = "hyperbaton.distortion"
MODELS = {
    "dpr": "models.distortion.dpr.model:Dpr",
    "gaps": "models.distortion.gaps:Gaps",
    "linear": "models.distortion.linear:Linear",
    "msd": "models.distortion.msd.model:Lexicalised",
    "nine-class": "models.distortion.next_word.nine_class:NineClass",
    "pair": "models.distortion.next_word.word_pairs:Pair",
    "parse": "models.distortion.parse.model:Parse",
    "sequence": "models.distortion.next_word.word_pairs:Sequence",
}


def make_model(name: str, **settings: Any) -> DistortionModel:
    """A model from its name (or `module:Class`) and its settings."""
    return _make(name, _find(name), settings)


def parse_model(text: str, **defaults: Any) -> DistortionModel:
    """A model from `name,key=value,…`; `defaults` are settings that hold if they are not given.

    >>> parse_model("msd,type=wbe-msd-backward-fe").settings()
    {'type': 'wbe-msd-backward-fe'}
    """
    name, given = split_model(text)
    made = _find(name)
    parameters = inspect.signature(made).parameters
    settings: dict[str, Any] = {}
    for key, value in (defaults | given).items():
        if key in parameters:
            settings[key] = convert_setting(
                f"{name}.{key}", value, type(parameters[key].default), where=text
            )
        elif key in given:
            known = list(parameters)
            raise SettingError(
                f"the distortion model {name!r} has no setting {key!r}",
                where=text,
                expected=nearest(key, known) if known else "it has no settings",
            )
    return _make(name, made, settings)


def split_model(text: str) -> tuple[str, dict[str, str]]:
    """The name and the settings, as text, of `name,key=value,…`."""
    name, *assignments = (part.strip() for part in text.split(","))
    settings = {}
    for assignment in assignments:
        key, equals, value = assignment.partition("=")
        if not equals:
            raise SettingError(
                f"{assignment!r} gives no value", where=text, expected="name,key=value,…"
            )
        settings[key.strip()] = value.strip()
    return name, settings


def model_text(name: str, settings: Mapping[str, Any]) -> str:
    """The text that `parse_model` makes the model from."""
    return ",".join([name, *(f"{key}={value}" for key, value in settings.items())])


def learns(model: DistortionModel) -> bool:
    """Whether there is anything to fit and to save."""
    return type(model).save is not DistortionModel.save


def format_number(model: DistortionModel) -> int:
    """FORMAT of the model's module: what was saved in another format is learned again."""
    return int(getattr(sys.modules[type(model).__module__], "FORMAT", 1))


def _find(name: str) -> Any:
    """The class, or whatever makes a model."""
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
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise SettingError(f"the distortion model {name!r} cannot be loaded: {error}") from None


def _make(name: str, made: Any, settings: dict[str, Any]) -> DistortionModel:
    try:
        model = made(**settings)
    except TypeError as error:
        raise SettingError(
            f"the distortion model {name!r} does not take these settings: {error}"
        ) from None
    if not isinstance(model, DistortionModel):
        raise SettingError(f"{name!r} is not a distortion model")
    return model
