"""Recipes: recreate a translator from files in another process or on another machine.

A recipe is small and consists of plain values. The workplace (`foundation/work/workplace.py`)
fetches the system's files and keeps the loaded translator for the next task.
"""

from dataclasses import dataclass, replace
from pathlib import Path

from hyperbaton.decoder.decode import SearchSettings
from hyperbaton.decoder.translator import Translator
from hyperbaton.foundation.work.workplace import Workplace
from hyperbaton.models.distortion.oracle import Oracle
from hyperbaton.models.system.folder import system_files


@dataclass(frozen=True)
class Origin:
    folder: Path
    distortion: tuple[str, ...] = ()  # models to use instead of the system's
    allow_plugins: bool = False
    oracle: bool = False  # add the model `oracle` if the system has none

    def load(self, settings: SearchSettings | None = None) -> Translator:
        loaded = Translator.load(
            self.folder, settings, self.distortion, allow_plugins=self.allow_plugins
        )
        has_oracle = any(isinstance(model, Oracle) for model in loaded.distortion)
        return loaded.with_model(Oracle()) if self.oracle and not has_oracle else loaded

    def recipe(self, translator: Translator) -> "Recipe":
        """The recipe of a translator that was loaded from here and may have other weights and
        settings now."""
        files = system_files(self.folder, self.distortion)
        weights, for_tokens = tuple(translator.weights.items()), translator.preparation.text is None
        return Recipe(self, files, translator.settings, weights, for_tokens)


@dataclass(frozen=True)
class Recipe:
    """The values that recreate a translator with its current weights and settings."""

    origin: Origin
    files: tuple[str, ...]  # files and folders in the system's folder
    settings: SearchSettings
    weights: tuple[tuple[str, float], ...]
    for_tokens: bool

    def translator(self, here: Workplace) -> Translator:
        """Recreates the translator at a workplace."""
        folder = here.get(self.origin.folder, *self.files)
        local = replace(self, origin=replace(self.origin, folder=folder))
        loaded = here.remembered(local.origin, local.origin.load)
        return here.remembered(local, lambda: local._changed(loaded))  # with its decoders

    def _changed(self, loaded: Translator) -> Translator:
        """The loaded translator with these weights and settings."""
        translator = loaded.with_weights(dict(self.weights), **vars(self.settings))
        return translator.for_tokens() if self.for_tokens else translator
