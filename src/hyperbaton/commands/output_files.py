"""Files that a command writes: refused before the work if they cannot be, or would be mixed up.

Two names are the same file if the system says so, whatever their spelling: `x` and `./x`, links,
`-` and the file that standard output goes to. Devices take anything from anyone.
"""

import os
import stat
import sys
from collections.abc import Iterable
from pathlib import Path

import click

from hyperbaton.foundation.errors import DataError, missing_file

STREAM = Path("-")  # standard input, or output


def check_outputs(outputs: Iterable[Path], inputs: Iterable[Path]) -> None:
    """Refuses an output that is also an input or another output, or that has no place."""
    taken = {_identity(path) for path in inputs if path != STREAM}
    for path in outputs:
        if path != STREAM:
            _check_place(path)
        identity = _identity(path)
        if identity is not None and identity in taken:
            raise click.UsageError(f"{path} cannot be written: another option names the same file")
        taken.add(identity)


def _check_place(path: Path) -> None:
    if not path.parent.is_dir():
        raise missing_file(path)
    if path.is_dir():
        raise DataError("is a folder, not a file", where=str(path))


def _identity(path: Path) -> object:
    """Equal for two names of one file; None for what several may share."""
    is_stream = path == STREAM
    try:
        status = os.fstat(sys.__stdout__.fileno()) if is_stream and sys.__stdout__ else path.stat()
    except (OSError, ValueError):  # not there yet, or closed
        return path if is_stream else path.resolve()
    if stat.S_ISCHR(status.st_mode):
        return path if is_stream else None
    return status.st_dev, status.st_ino
