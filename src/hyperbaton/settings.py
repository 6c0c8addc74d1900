"""All settings of all commands: typed values named `section.key`; unknown names are errors.

`Settings` lists the sections (`tuning/weights/sections.py`). Values come from defaults, a TOML
file (in Python: keyword arguments), and `--set section.key=value`; later ones take precedence.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hyperbaton.corpus.corpora.reading import CorpusSettings
from hyperbaton.corpus.raw_text.settings import TextSettings
from hyperbaton.decoder.decode import SearchSettings, search_settings
from hyperbaton.foundation.errors import SettingError
from hyperbaton.models.phrases.settings import PhraseSettings
from hyperbaton.models.rules.settings import RuleSettings
from hyperbaton.models.system.settings import (
    PHRASE_BASED,
    ClassSettings,
    LanguageModelSettings,
    ResourceSettings,
    TrainingSettings,
)
from hyperbaton.tuning.weights.sections import assign, is_optimiser, read_toml, with_sections
from hyperbaton.tuning.weights.settings import TuneSettings

TRAINING = ("corpus", "phrases", "lm", "classes", "train", "text", "rules")  # used in training


@dataclass(frozen=True)
class Settings:
    corpus: CorpusSettings = CorpusSettings()
    phrases: PhraseSettings = PhraseSettings()
    lm: LanguageModelSettings = LanguageModelSettings()
    classes: ClassSettings = ClassSettings()
    train: ResourceSettings = ResourceSettings()
    search: SearchSettings = SearchSettings()
    tune: TuneSettings = TuneSettings()
    text: TextSettings = TextSettings()
    rules: RuleSettings = RuleSettings()

    def training(
        self, distortion: Iterable[str] = (), seed: int = 0, grammar: str = PHRASE_BASED
    ) -> TrainingSettings:
        """The settings that training uses."""
        sections = self.corpus, self.phrases, self.lm, self.classes, self.train
        how = tuple(distortion), seed, self.text, self.rules
        return TrainingSettings(*sections, *how, grammar=grammar)


def settings_of_system(directory: Path) -> Settings:
    """The defaults for a trained system."""
    return Settings(search=search_settings(directory))


def settings_of(
    sections: Mapping[str, Any], used: Sequence[str], base: Settings = Settings()
) -> Settings:
    """`base` with other values, given by section; sections must be among those `used`."""
    settings = with_sections(base, sections)
    for name in sections:
        check_used(name, used)
    return settings


def load_settings(
    assignments: Iterable[str] = (),
    config: Path | None = None,
    base: Settings = Settings(),
    sections: Sequence[str] = (),
) -> Settings:
    """`base` with the values of a TOML file and of `section.key=value` assignments. With
    `sections`, an assignment to any other section is an error, because it would have no effect."""
    settings = base
    if config is not None:
        settings = with_sections(base, read_toml(config), str(config))
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals:
            raise SettingError(
                f"{assignment!r} has no value", where="--set", expected="section.key=value"
            )
        settings = assign(settings, name.strip(), value.strip(), "--set")
        if sections:
            check_used(name.strip(), sections, "--set")
    return settings


def check_used(name: str, sections: Sequence[str], where: str = "") -> None:
    """Raises if setting `section` or `section.key` would have no effect."""
    section = name.rpartition(".")[0] or name
    if section not in sections and not ("tune" in sections and is_optimiser(section)):
        raise SettingError(
            f"{name} has no effect here",
            where=where,
            expected=f"this command uses the sections {', '.join(sections)}",
            advice="" if TRAINING[0] in sections else "to change training settings, train again",
        )
