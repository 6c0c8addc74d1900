"""Settings by section: typed values named `section.key`; unknown names are errors.

A section is a frozen dataclass next to the code that uses it. The sections of a record, such as the
configuration of a comparison or the settings of a command, are the fields whose default is a
dataclass. Every optimiser has a section too, kept in the settings of tuning.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from hyperbaton.corpus.text import open_binary
from hyperbaton.foundation.errors import SettingError, nearest
from hyperbaton.foundation.settings_text import convert_setting
from hyperbaton.tuning.optimisers.interface import OPTIMISERS
from hyperbaton.tuning.weights.settings import assignable

Record = TypeVar("Record")


def read_toml(path: Path) -> dict[str, Any]:
    try:
        with open_binary(path) as stream:
            return tomllib.loads(stream.read().decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise SettingError(f"is not TOML: {error}", where=str(path)) from None


def section_names(record: Any) -> list[str]:
    """The sections of a record or its class, without those of optimisers."""
    return [item.name for item in fields(record) if is_dataclass(item.default)]


def is_optimiser(name: str) -> bool:
    return name in OPTIMISERS or ":" in name


def as_dict(record: Any) -> dict[str, dict[str, Any]]:
    """All settings by section and key."""
    names = [*section_names(record), *OPTIMISERS]
    return {name: assignable(_section(record, name)) for name in names}


def with_sections(base: Record, sections: Mapping[str, Any], where: str = "") -> Record:
    """`base` with values by section and key: `{"lm": {"order": 3}}`."""
    for section, values in sections.items():
        if not isinstance(values, Mapping):
            raise SettingError(
                f"{section} is outside of a section",
                where=where,
                expected=f"known sections: {', '.join([*section_names(base), *OPTIMISERS])}",
            )
        _section(base, section)  # raises if an optimiser cannot be loaded, even without values
        for key, value in values.items():
            base = assign(base, f"{section}.{key}", value, where)
    return base


def assign(record: Record, name: str, value: Any, where: str) -> Record:
    """`record` with another value for `section.key`."""
    section_name, _, key = name.rpartition(".")
    section = _section(record, section_name)
    if section is None or key not in assignable(section):
        sections = as_dict(record) | ({section_name: assignable(section)} if section else {})
        known = [f"{section_name}.{key}" for section_name, keys in sections.items() for key in keys]
        raise SettingError(f"unknown setting {name!r}", where=where, expected=nearest(name, known))
    converted = convert_setting(name, value, type(getattr(section, key)), where)
    changed = replace(section, **{key: converted})
    whole: Any = record
    if is_optimiser(section_name):
        section_name, changed = "tune", whole.tune.with_optimiser(section_name, changed)
    result: Record = replace(whole, **{section_name: changed})
    return result


def _section(record: Any, name: str) -> Any:
    """None if there is no such section."""
    if is_optimiser(name):
        return record.tune.find_optimiser(name)
    return getattr(record, name) if name in section_names(record) else None
