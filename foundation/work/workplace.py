"""Where a task runs, as the task sees it.

A task is a function of a module, called with a place and a few small values: `work(here, …)`. What
is large lies in files. The task names them by their paths on the command's machine; the place says
where they are to be found, and brings home what the task makes. So a task need not know where it
runs: here, everything lies where it belongs; on another machine, the place has copies.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, TypeVar

from hyperbaton.foundation.errors import DataError, HyperbatonError, SettingError
from hyperbaton.foundation.progress import Progress, silent

Made = TypeVar("Made")
MOST_REMEMBERED = 2  # such as systems: several would not fit into memory
PIECE = 8 << 20  # bytes that are read or sent at once


class Piece(NamedTuple):
    """Some bytes of a file of the command's machine."""

    home: Path
    start: int
    size: int  # PIECE at most


class Workplace:
    """The command's own machine."""

    is_home = True

    def __init__(self, progress: Progress = silent) -> None:
        self._progress = progress

    def say(self, what: str, count: int) -> None:
        """Reports progress to whoever waits for the task."""
        self._progress(what, count)

    def get(self, home: Path, *parts: str) -> Path:  # noqa: ARG002
        """A file or folder of the command's machine, to be read here; if `parts` are named, only
        these files and folders inside it need be there."""
        return home

    def read(self, pieces: Sequence[Piece]) -> Iterator[bytes]:
        """The contents of pieces, in their order; less where a file ends before its piece does."""
        for piece in pieces:
            with piece.home.open("rb") as stream:
                stream.seek(piece.start)
                yield stream.read(piece.size)

    @contextmanager
    def working_in(self, home: Path, *brought: str) -> Iterator[Path]:  # noqa: ARG002
        """A folder to work in, in place of one on the command's machine, with those of its parts
        that are named and exist."""
        yield home

    def put(self, made: Path, home: Path) -> None:
        """Brings a finished file or folder home."""
        assert made == home

    def remembered(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What an earlier task in the same process made under this key, or is made now."""
        return _memory.get(key, make)


class _Memory:
    """A few values, those that were used last."""

    def __init__(self) -> None:
        self._values: OrderedDict[Hashable, Any] = OrderedDict()
        self._lock = Lock()  # whoever wants what is being made waits for it

    def get(self, key: Hashable, make: Callable[[], Made]) -> Made:
        with self._lock:
            if key not in self._values:
                self._values[key] = make()
                while len(self._values) > MOST_REMEMBERED:
                    self._values.popitem(last=False)
            self._values.move_to_end(key)
            value: Made = self._values[key]
            return value


_memory = _Memory()


def plain(error: HyperbatonError, where: str = "") -> HyperbatonError:
    """The same as an error of a kind that can be sent between processes."""
    kind = SettingError if error.exit_code == SettingError.exit_code else DataError
    place = error.where or where
    return kind(error.what, where=place, expected=error.expected, advice=error.advice)
