"""The served systems, and variants of them with the changes of a request."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any, NamedTuple, cast

from hyperbaton.decoder.explanation import Part, parts_of
from hyperbaton.decoder.translator import Translator
from hyperbaton.foundation.errors import SettingError, check_known
from hyperbaton.foundation.settings_text import parse_limit, show_limit
from hyperbaton.models.distortion.interface import DistortionModel
from hyperbaton.models.rules.table import RuleTable
from hyperbaton.serving.answer_types import Example, Model, Settings

N_VARIANTS = 4  # kept for each system, because clients often repeat their weights and settings


class Change(NamedTuple):
    """Weights, distortion models and settings that replace those of a system."""

    weights: tuple[tuple[str, float], ...] = ()
    distortion: tuple[str, ...] | None = None
    settings: tuple[tuple[str, Any], ...] = ()


class ServedSystem:
    def __init__(self, name: str, translator: Translator, examples: Sequence[Example] = ()) -> None:
        self.name, self.translator, self.examples = name, translator, examples
        self.variant = lru_cache(N_VARIANTS)(self._variant)

    def change(self, asked: Mapping[str, Any]) -> Change:
        """The changes in a validated request; raises for names that the system does not have."""
        settings = dict(asked.get("search", {}))
        if "limit" in asked:
            settings["distortion_limit"] = parse_limit(asked["limit"])
        weights = asked.get("weights", {})
        _check_names("weights", "feature", weights, self.translator.feature_names)
        distortion = tuple(asked["distortion"]) if "distortion" in asked else None
        _check_names("distortion", "distortion model", distortion or (), list(self.models()))
        return Change(tuple(sorted(weights.items())), distortion, tuple(sorted(settings.items())))

    def _variant(self, change: Change) -> Translator:
        """The system with changes."""
        translator, models = self.translator, self.models()
        if change.distortion is not None:
            translator = translator.with_distortion(models[name][1] for name in change.distortion)
        if change.weights or change.settings:
            translator = translator.with_weights(dict(change.weights), **dict(change.settings))
        return translator

    def models(self) -> dict[str, tuple[Part, DistortionModel]]:
        models = self.translator.distortion
        parts = [part for part in parts_of(self.translator.lm, models) if part.is_distortion]
        return {part.name: (part, model) for part, model in zip(parts, models, strict=True)}

    def describe(self) -> Model:
        """Describes the system to clients, without naming files."""
        translator, text = self.translator, self.translator.preparation.text
        has_rules = isinstance(translator.phrases, RuleTable)
        return {
            "name": self.name,
            "raw_text": text is not None,
            "text": None if text is None else text.described(),
            "phrase_pairs": len(translator.phrases),
            "hierarchical": has_rules,
            "language_model_order": translator.lm.order,
            "distortion": [
                {
                    "name": name,
                    "kind": model.name,
                    "settings": model.settings(),
                    "features": list(model.feature_names),
                    "needs": sorted(model.requires),
                    "uses": sorted(model.wants),
                }
                for name, (_, model) in self.models().items()
            ],
            "features": [
                {"name": name, "part": part.name, "weight": translator.weights[name]}
                for part in parts_of(translator.lm, translator.distortion, has_rules=has_rules)
                for name in translator.feature_names[part.first : part.last]
            ],
            "limit": show_limit(translator.settings.distortion_limit),
            "search": search_content(translator),
            "examples": self.examples,
        }


def _check_names(where: str, what: str, names: Iterable[str], known: Sequence[str]) -> None:
    seen = set()
    for name in names:
        check_known(what, name, known, where)
        if name in seen:
            raise SettingError(f"{name!r} occurs twice", where=where)
        seen.add(name)


def search_content(translator: Translator) -> Settings:
    """The settings that a request may change."""
    settings = asdict(translator.settings)
    return cast(Settings, {name: settings[name] for name in Settings.__annotations__})
