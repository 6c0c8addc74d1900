"""Callbacks by which long-running work reports its progress.

Each kind of work has a name and counts from 0. A count of 0 means that the work begins; work that
cannot be counted reports nothing else.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

Progress: TypeAlias = Callable[[str, int], None]  # name of the work, count
Talk: TypeAlias = Callable[[str], None]  # messages
Measure: TypeAlias = Callable[[str, float, float], None]  # result, seconds, peak in megabytes


def silent(*_: object) -> None:
    """Ignores a report."""


class Reporter(NamedTuple):
    talk: Talk = silent
    progress: Progress = silent
    measure: Measure = silent


SILENT = Reporter()


def duration(seconds: float) -> str:
    """An approximate time as text."""
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"
