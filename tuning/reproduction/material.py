"""What exhibits are made of: a finished comparison, its files and its trained system."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models.progress import Progress
from tuning.comparison.configuration import Configuration
from tuning.comparison.requirements import exact_models
from tuning.comparison.results import Comparison
from tuning.comparison.systems import SYSTEM
from tuning.evaluation.data_sets import DataSet
from tuning.reproduction.exhibit import Exhibit

Talk = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Material:
    comparison: Comparison
    configuration: Configuration  # its files hold just the lines that are wanted
    folder: Path  # of the comparison
    threads: int
    talk: Talk
    progress: Progress | None = None

    @property
    def trained(self) -> Path:
        return self.folder / SYSTEM

    def models(self) -> list[str]:
        """The distortion models of all systems, each once, with all settings."""
        texts = (exact_models(self.configuration, system) for system in self.configuration.system)
        return list(dict.fromkeys(model for own in texts for model in own))


@dataclass(frozen=True)
class Kind:
    """One sort of exhibit. Both functions raise `LeftOut` if there is nothing to show."""

    name: str
    title: str
    depends: Callable[[Material], Iterable[Any]]  # all that it is made of, for its fingerprint
    make: Callable[[Material], Exhibit]


def data_files(data: DataSet) -> list[Path]:
    """The files of a data set."""
    layers = data.alignment, data.source_tags, data.source_tree
    return [data.source, *data.references, *(path for path in layers if path is not None)]
