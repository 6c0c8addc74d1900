"""Every setting of every command: typed, named `section.key`, unknown names refused.

A section is a frozen dataclass that lives beside the code it steers; `Settings` lists them. Values
come from defaults, a TOML file (in Python: keyword arguments), and `--set section.key=value`; the
last one wins.
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from decoder.decode import SearchSettings
from models.data.corpus_reading import CorpusSettings
from models.data.text import open_binary
from models.errors import SettingError, nearest
from models.phrases.building import PhraseSettings
from models.settings_text import convert_setting
from models.system.folder import read_system
from models.system.training import ClassSettings, LanguageModelSettings, TrainingSettings
from tuning.weights.settings import TuneSettings


@dataclass(frozen=True)
class Settings:
    corpus: CorpusSettings = CorpusSettings()
    phrases: PhraseSettings = PhraseSettings()
    lm: LanguageModelSettings = LanguageModelSettings()
    classes: ClassSettings = ClassSettings()
    search: SearchSettings = SearchSettings()
    tune: TuneSettings = TuneSettings()

    def training(self, distortion: Iterable[str] = (), seed: int = 0) -> TrainingSettings:
        """The part that training needs."""
        sections = self.corpus, self.phrases, self.lm, self.classes
        return TrainingSettings(*sections, tuple(distortion), seed)


def settings_of_system(directory: Path) -> Settings:
    """The defaults, with the distortion limit of a trained system."""
    limit = read_system(directory)["search"]["distortion_limit"]
    return Settings(search=SearchSettings(distortion_limit=limit))


def load_settings(
    assignments: Iterable[str] = (), config: Path | None = None, base: Settings = Settings()
) -> Settings:
    """`base` with the values of a TOML file and of `section.key=value` assignments."""
    settings = base
    if config is not None:
        settings = with_sections(base, _read_toml(config), str(config))
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals:
            raise SettingError(
                f"{assignment!r} gives no value", where="--set", expected="section.key=value"
            )
        settings = _assign(settings, name.strip(), value.strip(), "--set")
    return settings


def with_sections(base: Settings, sections: Mapping[str, Any], where: str = "") -> Settings:
    """`base` with values by section and key: `{"lm": {"order": 3}}`."""
    for section, values in sections.items():
        if not isinstance(values, Mapping):
            raise SettingError(
                f"{section} stands outside a section",
                where=where,
                expected=f"known sections: {', '.join(_names(Settings))}",
            )
        for key, value in values.items():
            base = _assign(base, f"{section}.{key}", value, where)
    return base


def as_dict(settings: Settings) -> dict[str, dict[str, Any]]:
    """Sections, keys and values in effect."""
    return {section: vars(getattr(settings, section)) for section in _names(Settings)}


def _assign(settings: Settings, name: str, value: Any, where: str) -> Settings:
    known = [f"{section}.{key}" for section, keys in as_dict(settings).items() for key in keys]
    if name not in known:
        raise SettingError(
            f"there is no setting {name!r}", where=where, expected=nearest(name, known)
        )
    section_name, key = name.split(".")
    section = getattr(settings, section_name)
    converted = convert_setting(name, value, type(getattr(section, key)), where)
    return replace(settings, **{section_name: replace(section, **{key: converted})})


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        with open_binary(path) as stream:
            return tomllib.loads(stream.read().decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingError(f"is not TOML: {error}", where=str(path)) from None


def _names(section: type) -> list[str]:
    return [item.name for item in fields(section)]
