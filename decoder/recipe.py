"""How to make a translator again from files, in another process or on another machine.

A recipe is small, and made of plain values. The system's files are asked of the place where it is
needed (`foundation/work/workplace.py`), and what was loaded there is kept for the next task.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from hyperbaton.decoder.decode import SearchSettings
from hyperbaton.foundation.work.workplace import Workplace
from hyperbaton.models.distortion.catalogue import MODELS, model_text, parse_model
from hyperbaton.models.distortion.interface import DistortionModel

if TYPE_CHECKING:
    from hyperbaton.decoder.translator import Translator


@dataclass(frozen=True)
class Origin:
    """The files that a system was loaded from, and what it has beside them."""

    folder: Path
    files: tuple[str, ...]  # files and folders inside it
    distortion: tuple[str, ...] = ()  # instead of the system's own models
    allow_plugins: bool = False
    added: tuple[str, ...] = ()  # models that have nothing to learn

    def with_model(self, model: DistortionModel) -> "Origin | None":
        """With one model more, if it can be made from its settings alone."""
        if model.learns or model.name not in MODELS:
            return None
        return replace(self, added=(*self.added, model_text(model.name, model.settings())))

    def load(self) -> "Translator":
        from hyperbaton.decoder.translator import Translator

        loaded = Translator.load(
            self.folder, None, self.distortion, allow_plugins=self.allow_plugins
        )
        for text in self.added:
            loaded = loaded.with_model(parse_model(text))
        return loaded


@dataclass(frozen=True)
class Recipe:
    """A translator, with the weights and settings that it has now."""

    origin: Origin
    settings: SearchSettings
    weights: tuple[tuple[str, float], ...]
    for_tokens: bool

    @staticmethod
    def is_stopped() -> bool:
        """Whoever ends tasks of another machine ends them from outside."""
        return False

    def translator(self, here: Workplace) -> "Translator":
        """The same translator at another place."""
        folder = here.get(self.origin.folder, *self.origin.files)
        own = replace(self, origin=replace(self.origin, folder=folder))
        loaded = here.remembered(own.origin, own.origin.load)
        return here.remembered(own, lambda: own.changed(loaded))  # with its decoders

    def changed(self, loaded: "Translator") -> "Translator":
        """The system as it was loaded, with these weights and settings."""
        translator = loaded.with_weights(dict(self.weights), **vars(self.settings))
        return translator.for_tokens() if self.for_tokens else translator
