"""The errors that users see.

A message has up to four parts: what is wrong (always), where (file and line, or a key), what was
expected or exists, and what to do. The command line prints them without a traceback; any other
exception is a bug.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path

LONGEST_NAME = 100  # characters to compare with known names, because comparing is slow


class HyperbatonError(Exception):
    """An error that the user can fix; the base class of the others. `str(error)` is the whole
    message, and its parts are attributes: `what` is wrong, `where`, what was `expected`, and an
    `advice`. `exit_code` is the exit code of the command."""

    exit_code = 1

    def __init__(self, what: str, *, where: str = "", expected: str = "", advice: str = "") -> None:
        super().__init__(what)
        self.what, self.where, self.expected, self.advice = what, where, expected, advice

    def __str__(self) -> str:
        location = f"{self.where}: " if self.where else ""
        return "\n  ".join(filter(None, (location + self.what, self.expected, self.advice)))


class DataError(HyperbatonError):
    """A file or a corpus is missing or malformed."""


class BadLine(DataError):
    """An error in one line of a file.

    Corpus readers decide whether to stop or only to drop the sentence. `kind` is the short name
    under which it is counted; the caller that knows the line sets `where`.
    """

    def __init__(self, kind: str, what: str, expected: str = "") -> None:
        super().__init__(what, expected=expected)
        self.kind = kind


class NotFitted(DataError, AttributeError):
    """A model is used before `fit` or `load`.

    As in scikit-learn, it is also an AttributeError, because learned values are attributes.
    """

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is not fitted", advice="call fit or load first")


class SettingError(HyperbatonError):
    """A setting is unknown or has an impossible value; exit code 2."""

    exit_code = 2


def check_known(what: str, name: str, known: Iterable[str], where: str = "") -> None:
    """Rejects an unknown name."""
    names = list(known)
    if name not in names:
        expected = nearest(name, names)
        raise SettingError(f"there is no {what} {name!r}", where=where, expected=expected)


def nearest(name: str, known: list[str]) -> str:
    """A sentence with the known name most similar to `name`, or else all known names."""
    return suggestion(name, known) or f"known: {', '.join(sorted(known))}"


def suggestion(name: str, known: list[str]) -> str:
    """A sentence with the known name most similar to `name`; empty if none is similar."""
    close = get_close_matches(name[:LONGEST_NAME], known, n=1)
    return f"did you mean {close[0]}?" if close else ""


def reason(error: OSError) -> str:
    """The reason of an error, from the system; errors raised by NumPy lack `strerror`."""
    return error.strerror or str(error)


def counted(number: int, thing: str) -> str:
    """`1 pair`, `2,000 pairs`."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Converts system errors while reading to errors that name the file."""
    try:
        yield
    except IsADirectoryError:
        raise DataError("is a folder, not a file", where=str(path)) from None
    except FileNotFoundError:
        raise missing_file(path) from None
    except OSError as error:
        raise DataError(f"cannot be read: {reason(error)}", where=str(path)) from None


def missing_file(path: Path) -> DataError:
    """An error for a missing path, with the missing folder or the most similar name."""
    folder = path.parent
    if not folder.is_dir():
        return DataError("no such folder", where=str(folder))
    close = get_close_matches(path.name, [entry.name for entry in folder.iterdir()], n=1)
    expected = f"did you mean {folder / close[0]}?" if close else ""
    return DataError("no such file", where=str(path), expected=expected)
