"""Checks of output files before the work starts: each must be writable and distinct.

Two names are the same file if the operating system says so, however they are spelt: `x` and `./x`,
links, `-` and the file that standard output is redirected to. Several outputs may share a device.
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
    """Raises if an output is also an input or another output, or if its folder is missing."""
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
    """A key that is equal for two names of one file; None for a device."""
    is_stream = path == STREAM
    try:
        status = os.fstat(sys.__stdout__.fileno()) if is_stream and sys.__stdout__ else path.stat()
    except (OSError, ValueError):  # missing, or a closed stream
        return path if is_stream else path.resolve()
    if stat.S_ISCHR(status.st_mode):
        return path if is_stream else None
    return status.st_dev, status.st_ino
