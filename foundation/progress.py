"""How long-running work reports what it does, without knowing who listens.

Each kind of work has a name and counts from 0. A count of 0 means that the work begins; work that
cannot be counted reports nothing else.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

Progress: TypeAlias = Callable[[str, int], None]  # what is being done, how many are done
Talk: TypeAlias = Callable[[str], None]  # messages for people
Measure: TypeAlias = Callable[[str, float, float], None]  # result, seconds, peak in megabytes


def silent(*_: object) -> None:
    """Nobody listens."""


class Reporter(NamedTuple):
    talk: Talk = silent
    progress: Progress = silent
    measure: Measure = silent


SILENT = Reporter()


def duration(seconds: float) -> str:
    """A time that need not be exact, for people."""
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{seconds:.0f} s"
