"""Distortion models by name: built-in ones, entry points, and `module:Class`.

In text, settings follow the name: `msd,type=phrase-msd-backward-fe`.
"""

import inspect
from typing import Any

from hyperbaton.foundation.catalogue import Catalogue
from hyperbaton.foundation.errors import SettingError
from hyperbaton.foundation.settings_text import join_settings, split_settings
from hyperbaton.models.distortion.interface import DistortionModel

ENTRY_POINTS = "hyperbaton.distortion"
MODELS = {
    "attention": "hyperbaton.models.distortion.next_word.attention.model:Attention",
    "dpr": "hyperbaton.models.distortion.dpr.model:Dpr",
    "gaps": "hyperbaton.models.distortion.gaps:Gaps",
    "linear": "hyperbaton.models.distortion.linear:Linear",
    "msd": "hyperbaton.models.distortion.msd.model:Lexicalised",
    "nine-class": "hyperbaton.models.distortion.next_word.nine_class:NineClass",
    "oracle": "hyperbaton.models.distortion.oracle:Oracle",
    "osm": "hyperbaton.models.distortion.osm.model:OperationSequence",
    "pair": "hyperbaton.models.distortion.next_word.word_pairs:Pair",
    "parse": "hyperbaton.models.distortion.parse.model:Parse",
    "sequence": "hyperbaton.models.distortion.next_word.word_pairs:Sequence",
}
_CATALOGUE = Catalogue("distortion model", DistortionModel, MODELS, ENTRY_POINTS)  # type: ignore[type-abstract]
split_model, model_text = split_settings, join_settings


def make_model(name: str, /, **settings: Any) -> DistortionModel:
    """Creates a model from its name (or `module:Class`) and its settings."""
    model = _CATALOGUE.make(name, **settings)
    try:
        inspect.signature(model.prepare).bind(None, None)
    except TypeError as error:
        raise SettingError(
            f"prepare of the distortion model {name!r} cannot be called: {error}",
            expected="expected prepare(sentence, options)",
        ) from None
    return model


def parse_model(text: str, **defaults: Any) -> DistortionModel:
    """Creates a model from `name,key=value,…`; `defaults` apply to settings that are not given.

    >>> parse_model("msd,type=wbe-msd-backward-fe").settings()
    {'type': 'wbe-msd-backward-fe'}
    """
    name, settings = _CATALOGUE.parse(text, **defaults)
    return make_model(name, **settings)
