"""Systems that are served, and how a request may change one: nothing is loaded again."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from decoder.explanation import Part, parts_of
from decoder.translator import Translator
from models.distortion.interface import DistortionModel
from models.errors import SettingError, nearest

N_VARIANTS = 4  # kept for each system, because clients often repeat their weights and settings
SETTINGS = ("pop_limit", "stack_size", "beam", "options", "drop_unknown")  # of a request


class Example(NamedTuple):
    """A sentence to try a system on, and how a person has translated it."""

    source: str
    reference: str


class Change(NamedTuple):
    """Other weights, distortion models and settings than the system's own."""

    weights: tuple[tuple[str, float], ...] = ()
    distortion: tuple[str, ...] | None = None
    settings: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def of(cls, asked: Mapping[str, Any]) -> "Change":
        """What a checked request asks for."""
        settings = dict(asked.get("search", {}))
        if "beam" in settings:
            settings["beam"] = float(settings["beam"])
        if "limit" in asked:
            settings["distortion_limit"] = limit_number(asked["limit"])
        weights = {name: float(weight) for name, weight in asked.get("weights", {}).items()}
        distortion = tuple(asked["distortion"]) if "distortion" in asked else None
        return cls(tuple(sorted(weights.items())), distortion, tuple(sorted(settings.items())))


@dataclass(frozen=True, eq=False)
class System:
    """A system by its name."""

    name: str
    translator: Translator
    examples: Sequence[Example] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "variant", lru_cache(N_VARIANTS)(self.variant))

    def variant(self, change: Change) -> Translator:
        """The system as a request wants it; names that it does not have are errors."""
        translator = self.translator
        if change.distortion is not None:
            translator = translator.with_distortion(self._chosen(change.distortion))
        for name, _ in change.weights:
            if name not in self.translator.feature_names:
                known = list(self.translator.feature_names)
                raise SettingError(
                    f"there is no feature {name!r}", where="weights", expected=nearest(name, known)
                )
        if change.weights or change.settings:
            translator = translator.with_weights(dict(change.weights), **dict(change.settings))
        return translator

    def models(self) -> dict[str, tuple[Part, DistortionModel]]:
        """Its distortion models by name."""
        models = self.translator.distortion
        parts = [part for part in parts_of(models) if part.is_distortion]
        return {part.name: (part, model) for part, model in zip(parts, models, strict=True)}

    def _chosen(self, names: Sequence[str]) -> list[DistortionModel]:
        models = self.models()
        for number, name in enumerate(names):
            if name not in models:
                raise SettingError(
                    f"the system has no distortion model {name!r}",
                    where="distortion",
                    expected=nearest(name, list(models)),
                )
            if name in names[:number]:
                raise SettingError(f"{name!r} is named twice", where="distortion")
        return [models[name][1] for name in names]

    def describe(self) -> dict[str, Any]:
        """Everything that a client may want to know; nothing about files."""
        translator = self.translator
        return {
            "name": self.name,
            "raw_text": translator.preparation.text is not None,
            "text": text_content(translator),
            "phrase_pairs": len(translator.phrases),
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
                for part in parts_of(translator.distortion)
                for name in translator.feature_names[part.first : part.last]
            ],
            "limit": limit_content(translator.settings.distortion_limit),
            "search": search_content(translator),
            "examples": [example._asdict() for example in self.examples],
        }


def text_content(translator: Translator) -> dict[str, Any] | None:
    """Languages, tokenisers and case of a system that takes raw text."""
    text = translator.preparation.text
    return None if text is None else text.described()


def search_content(translator: Translator) -> dict[str, Any]:
    """The settings that a request may change."""
    settings = asdict(translator.settings)
    return {name: settings[name] for name in SETTINGS}


def limit_number(limit: int | str) -> int:
    return -1 if limit == "inf" else int(limit)


def limit_content(limit: int) -> int | str:
    return "inf" if limit < 0 else limit
