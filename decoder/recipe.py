"""How to make a translator again from files, in another process or on another machine.

A recipe is small, and made of plain values. The system's files are asked of the place where it is
needed (`foundation/work/workplace.py`), and what was loaded there is kept for the next task.
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
    distortion: tuple[str, ...] = ()  # instead of the system's own models
    allow_plugins: bool = False
    oracle: bool = False  # with the model `oracle`, even if the system has none

    def load(self, settings: SearchSettings | None = None) -> Translator:
        loaded = Translator.load(
            self.folder, settings, self.distortion, allow_plugins=self.allow_plugins
        )
        has_one = any(isinstance(model, Oracle) for model in loaded.distortion)
        return loaded.with_model(Oracle()) if self.oracle and not has_one else loaded

    def recipe(self, translator: Translator) -> "Recipe":
        """How to make the same translator, which was loaded from here and has perhaps other weights
        and settings by now."""
        files = system_files(self.folder, self.distortion)
        weights, for_tokens = tuple(translator.weights.items()), translator.preparation.text is None
        return Recipe(self, files, translator.settings, weights, for_tokens)


@dataclass(frozen=True)
class Recipe:
    """A translator, with the weights and settings that it has now."""

    origin: Origin
    files: tuple[str, ...]  # and folders, inside that of the system
    settings: SearchSettings
    weights: tuple[tuple[str, float], ...]
    for_tokens: bool

    def translator(self, here: Workplace) -> Translator:
        """The same translator at another place."""
        folder = here.get(self.origin.folder, *self.files)
        own = replace(self, origin=replace(self.origin, folder=folder))
        loaded = here.remembered(own.origin, own.origin.load)
        return here.remembered(own, lambda: own._changed(loaded))  # with its decoders

    def _changed(self, loaded: Translator) -> Translator:
        """The system as it was loaded, with these weights and settings."""
        translator = loaded.with_weights(dict(self.weights), **vars(self.settings))
        return translator.for_tokens() if self.for_tokens else translator
