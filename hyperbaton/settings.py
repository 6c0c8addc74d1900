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
from tuning.optimisers.interface import OPTIMISERS
from tuning.weights.settings import TuneSettings, assignable


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
                expected=f"known sections: {', '.join([*_names(Settings), *OPTIMISERS])}",
            )
        for key, value in values.items():
            base = _assign(base, f"{section}.{key}", value, where)
    return base


def as_dict(settings: Settings) -> dict[str, dict[str, Any]]:
    """Sections, keys and values in effect."""
    names = [*_names(Settings), *OPTIMISERS]
    return {name: assignable(_section(settings, name)) for name in names}


def _assign(settings: Settings, name: str, value: Any, where: str) -> Settings:
    section_name, _, key = name.rpartition(".")
    section = _section(settings, section_name)
    if section is None or key not in assignable(section):
        sections = as_dict(settings) | ({section_name: assignable(section)} if section else {})
        known = [f"{own}.{key}" for own, keys in sections.items() for key in keys]
        raise SettingError(
            f"there is no setting {name!r}", where=where, expected=nearest(name, known)
        )
    converted = convert_setting(name, value, type(getattr(section, key)), where)
    changed = replace(section, **{key: converted})
    if section_name in _names(Settings):
        return replace(settings, **{section_name: changed})
    return replace(settings, tune=settings.tune.with_optimiser(section_name, changed))


def _section(settings: Settings, name: str) -> Any:
    """None if there is no such section; every optimiser has one."""
    if name in _names(Settings):
        return getattr(settings, name)
    is_optimiser = name in OPTIMISERS or ":" in name
    return settings.tune.find_optimiser(name) if is_optimiser else None


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        with open_binary(path) as stream:
            return tomllib.loads(stream.read().decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingError(f"is not TOML: {error}", where=str(path)) from None


def _names(section: type) -> list[str]:
    return [item.name for item in fields(section)]
