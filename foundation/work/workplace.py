"""The workplace of a task: its access to files, on any machine.

A task is a module-level function, called with a workplace and a few small values: `work(here, …)`.
Large data are in files. The task names them by their paths on the command's machine; the workplace
returns the path of the file or of a local copy, and sends results back. So a task need not know on
which machine it runs.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, TypeVar

from hyperbaton.foundation.errors import DataError, HyperbatonError, SettingError
from hyperbaton.foundation.progress import Progress, silent

Value = TypeVar("Value")
MOST_REMEMBERED = 2  # cached values, such as systems: more would not fit into memory
PIECE = 8 << 20  # bytes per read or message


class Piece(NamedTuple):
    """A range of bytes of a file on the command's machine."""

    home: Path
    start: int
    size: int  # PIECE at most


class Workplace:
    """The command's machine."""

    is_home = True

    def __init__(self, progress: Progress = silent) -> None:
        self._progress = progress

    def say(self, what: str, count: int) -> None:
        """Reports progress to the caller of the task."""
        self._progress(what, count)

    def get(self, home: Path, *parts: str) -> Path:  # noqa: ARG002
        """A local path of a file or folder of the command's machine, for reading; with `parts`,
        only these files and folders inside it."""
        return home

    def read(self, pieces: Iterable[Piece]) -> Iterator[bytes]:
        """Yields the contents of pieces in order; shorter at the end of a file."""
        for piece in pieces:
            with piece.home.open("rb") as stream:
                stream.seek(piece.start)
                yield stream.read(piece.size)

    @contextmanager
    def working_in(self, home: Path, *brought: str) -> Iterator[Path]:  # noqa: ARG002
        """Provides a local folder in place of one on the command's machine, with copies of the
        named parts that exist."""
        yield home

    def put(self, made: Path, home: Path) -> None:
        """Sends a finished file or folder to the command's machine."""
        assert made == home

    def remembered(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The cached value of a key in this process; calls `make` if there is none."""
        return _memory.get(key, make)


class _Memory:
    """A cache of the most recently used values."""

    def __init__(self) -> None:
        self._values: OrderedDict[Hashable, Any] = OrderedDict()
        self._lock = Lock()  # held while a value is made, so that it is made once

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        with self._lock:
            if key not in self._values:
                self._values[key] = make()
                while len(self._values) > MOST_REMEMBERED:
                    self._values.popitem(last=False)
            self._values.move_to_end(key)
            value: Value = self._values[key]
            return value


_memory = _Memory()


def plain(error: HyperbatonError, where: str = "") -> HyperbatonError:
    """A copy of an error that can be pickled."""
    kind = SettingError if error.exit_code == SettingError.exit_code else DataError
    place = error.where or where
    return kind(error.what, where=place, expected=error.expected, advice=error.advice)
