"""Lists and describes the distortion models that are available by name."""

import inspect
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from typing import Any

from hyperbaton.foundation.errors import HyperbatonError
from hyperbaton.models.distortion.catalogue import ENTRY_POINTS, MODELS, make_model
from hyperbaton.models.distortion.interface import DistortionModel

WIDTH = 100


@dataclass(frozen=True)
class KnownModel:
    name: str
    place: str  # module:Class
    package: str = ""  # empty: hyperbaton
    description: str = ""
    settings: dict[str, Any] = field(default_factory=dict)  # with their defaults
    features: tuple[str, ...] = ()  # under the default settings
    initial_weights: tuple[float, ...] = ()
    needs_fitting: bool = False
    in_phrase_table: bool = False  # whether its scores are learned with the phrase table
    layers: tuple[str, ...] = ()  # required in sentences
    optional_layers: tuple[str, ...] = ()  # required if it was trained with them
    fault: str = ""  # why it cannot be loaded


def known_models() -> Iterator[KnownModel]:
    """Yields hyperbaton's models, then those of installed packages, by name; a broken one has a
    `fault`."""
    for name, place in sorted(MODELS.items()):
        yield _described(name, place)
    points = entry_points(group=ENTRY_POINTS)
    for point in sorted(points, key=lambda point: point.name):
        package = point.dist.name if point.dist else "?"
        yield _described(point.name, point.value, package)


def describe(known: KnownModel) -> str:
    """Describes a model in a few lines."""
    source = f" (from {known.package})" if known.package else ""
    first = _wrapped(f"{known.name}{source}: {known.description}", "", "    ")
    if known.fault:
        return f"{known.name}{source}\n" + _wrapped(f"cannot be used: {known.fault}", "  ", "    ")
    rows = {
        "features": "  ".join(
            f"{name} ({weight:g})"
            for name, weight in zip(known.features, known.initial_weights, strict=True)
        ),
        "settings": "  ".join(f"{key}={value}" for key, value in known.settings.items()) or "none",
        "learns": _learns(known),
        "needs": _needs(known),
    }
    lines = [_wrapped(text, f"  {name:<10}", " " * 12) for name, text in rows.items()]
    return "\n".join([first, *lines])


def _learns(known: KnownModel) -> str:
    if known.in_phrase_table:
        return "from a corpus, with the phrase table"
    return "from a corpus, in training" if known.needs_fitting else "nothing"


def _needs(known: KnownModel) -> str:
    needed = f"words and {', '.join(known.layers)}" if known.layers else "words"
    if known.optional_layers:
        return f"{needed}; {', '.join(known.optional_layers)} if it was trained with them"
    return needed if known.layers else "words only"


def _described(name: str, place: str, package: str = "") -> KnownModel:
    try:
        model = make_model(name)
        return KnownModel(
            name,
            place,
            package,
            _description(model),
            _defaults(type(model)) or dict(model.settings()),
            tuple(model.feature_names),
            tuple(model.initial_weights),
            model.learns,
            model.in_phrase_table,
            tuple(sorted(model.requires)),
            tuple(sorted(model.uses - model.requires)),
        )
    except HyperbatonError as error:
        return KnownModel(name, place, package, fault=" ".join(str(error).split()))
    except Exception as error:  # a plug-in may raise anything
        return KnownModel(name, place, package, fault=f"{type(error).__name__}: {error}")


def _description(model: DistortionModel) -> str:
    """The first paragraph of the docstring of the class, or else of its module."""
    docstring = type(model).__dict__.get("__doc__")
    text = docstring or getattr(inspect.getmodule(type(model)), "__doc__", "") or ""
    return " ".join(inspect.cleandoc(text).split("\n\n")[0].split())


def _defaults(model: type) -> dict[str, Any]:
    return {
        name: parameter.default
        for name, parameter in inspect.signature(model).parameters.items()
        if parameter.default is not inspect.Parameter.empty
    }


def _wrapped(text: str, first: str, other: str) -> str:
    return textwrap.fill(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=other,
        break_long_words=False,
        break_on_hyphens=False,
    )
