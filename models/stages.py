"""Long work in stages: each is done once for the same inputs, and done whole or not at all.

A stage fills a folder `parts/NAME-FINGERPRINT`. It is filled under another name and renamed at the
end, so a killed run leaves nothing that looks finished, and the next run goes on where this one
stopped. What no longer belongs to the model is removed when the model is complete.
"""

import hashlib
import json
import os
import resource
import shutil
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from models.errors import DataError
from models.text import open_binary

PARTS = "parts"
UNFINISHED = ".unfinished"
BLOCK = 1 << 20


def fingerprint(*inputs: Any) -> str:
    """A short name for inputs: anything JSON can hold, and paths, which stand for their content."""
    digest = hashlib.sha256()
    for item in inputs:
        if isinstance(item, Path):
            digest.update(b"file")
            with open_binary(item) as stream:
                while block := stream.read(BLOCK):
                    digest.update(block)
        else:
            digest.update(json.dumps(item, sort_keys=True).encode())
        digest.update(b"\0")
    return digest.hexdigest()[:16]


def run_stage(
    directory: Path,
    name: str,
    key: str,
    work: Callable[[Path], str],
    talk: Callable[[str], None] = lambda _: None,
) -> str:
    """The folder of the stage's result, relative to `directory`.

    `work` fills it, unless it is there, and returns a few words on what it made, which are told
    with time and memory.
    """
    part = f"{PARTS}/{name}-{key}"
    if (directory / part).is_dir():
        talk(f"{name}: nothing has changed")
        return part
    unfinished = directory / f"{part}{UNFINISHED}"
    began = time.monotonic()
    try:
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        made = work(unfinished)
        os.rename(unfinished, directory / part)  # noqa: PTH104 - fails where Path.replace would not
    except OSError as error:
        where = error.filename or directory
        raise DataError(f"cannot be written: {error.strerror}", where=str(where)) from None
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    talk(f"{name}: {made} in {time.monotonic() - began:.1f} s, {peak:,.0f} MB")
    return part


def remove_other_parts(directory: Path, parts: Iterable[str]) -> None:
    """Removes results of earlier runs that are not among `parts`."""
    keep = {Path(part).name for part in parts}
    for folder in (directory / PARTS).iterdir():
        if folder.name not in keep:
            shutil.rmtree(folder, ignore_errors=True)
