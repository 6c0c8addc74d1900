"""Comparisons that mirror the papers' tables, for any data: the files in `papers/`.

A preset is a comparison file (`tuning/comparison/configuration.py`) without data, with the paper's
claims and tables. The papers' data were larger and different, so levels do not compare; what should
is which system beats which. Figures that the papers only draw have no numbers here.
"""

import re
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from hyperbaton.foundation.errors import SettingError, nearest
from hyperbaton.models.distortion.catalogue import split_model
from hyperbaton.tuning.comparison.configuration import ComparedSystem, Configuration, read_record
from hyperbaton.tuning.evaluation.significance import SIGNIFICANT
from hyperbaton.tuning.evaluation.tables import Table
from hyperbaton.tuning.reproduction.claims import Claim
from hyperbaton.tuning.weights.settings import TuneSettings

PRESETS = ("goto", "ni", "xiang", "alrajeh", "all")
FOLDER = Path(__file__).parent / "papers"


@dataclass(frozen=True)
class PaperTable:
    title: str
    text: str  # lines whose entries are two spaces or more apart
    notes: tuple[str, ...] = ()
    exhibits: tuple[str, ...] = ()  # that it is shown with; none: with the scores

    @property
    def table(self) -> Table:
        header, *rows = [re.split(r"  +", line.strip()) for line in self.text.strip().splitlines()]
        return Table(header, rows, self.notes, f"the paper's figures: {self.title}")


@dataclass(frozen=True)
class Preset:
    """A comparison without its data."""

    title: str
    baseline: str
    limits: tuple[int, ...]
    system: tuple[ComparedSystem, ...]
    lowercase: bool = False
    alpha: float = SIGNIFICANT
    exhibits: tuple[str, ...] = ()  # names in `making.py`
    claim: tuple[Claim, ...] = ()
    table: tuple[PaperTable, ...] = ()
    tune: TuneSettings = TuneSettings()

    def tables(self, exhibit: str = "") -> list[Table]:
        """The paper's tables that are shown with an exhibit, or with the scores."""
        return [own.table for own in self.table if exhibit in (own.exhibits or ("",))]


@cache
def find_preset(name: str) -> Preset:
    if name not in PRESETS:
        raise SettingError(f"there is no preset {name!r}", expected=nearest(name, list(PRESETS)))
    return read_record(FOLDER / f"{name}.toml", Preset)


def apply_preset(configuration: Configuration, name: str) -> Configuration:
    """The preset's systems, limits and so on where the configuration does not say otherwise.

    Systems with parse features are left out where there are no trees.
    """
    preset = find_preset(name)
    systems = preset.system
    if configuration.train.source_tree is None:
        systems = tuple(
            s for s in systems if all(split_model(m)[0] != "parse" for m in s.distortion)
        )
        if len(systems) < 2 and not configuration.system:
            raise SettingError(
                f"the preset {name!r} needs trees of the source sentences",
                expected="source_tree in [train], [dev] and [[test]]",
            )
    systems = configuration.system or systems
    names = [system.name for system in systems]
    tune, lowercase, alpha = configuration.tune, configuration.lowercase, configuration.alpha
    return replace(
        configuration,
        preset=name,
        title=configuration.title or preset.title,
        system=systems,
        baseline=configuration.baseline or (preset.baseline if preset.baseline in names else ""),
        limits=configuration.limits or preset.limits,
        lowercase=preset.lowercase if lowercase is None else lowercase,
        alpha=preset.alpha if alpha is None else alpha,
        tune=replace(
            tune,
            method=tune.method or preset.tune.method,
            protocol=tune.protocol or preset.tune.protocol,
        ),
    )
