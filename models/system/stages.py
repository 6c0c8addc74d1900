"""Stages of training: each runs once for the same inputs, and either completes or leaves nothing.

A stage fills a folder `parts/NAME-FINGERPRINT` under another name and renames it at the end, so a
killed run leaves nothing that looks finished, and the next run continues where this one stopped.
The folder lists its files and their hashes in the format of sha256sum, so a stage whose files are
damaged later runs again. Only one run at a time works in a folder (`locked`). Obsolete parts are
removed when the system is complete.
"""

import fcntl
import hashlib
import json
import os
import re
import resource
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

from hyperbaton.foundation.errors import DataError, reason
from hyperbaton.foundation.files.sealed_folders import check_unchanged, is_whole, seal, sha256
from hyperbaton.foundation.files.writing import make_folder, put_in_place, writing
from hyperbaton.foundation.progress import SILENT, Reporter
from hyperbaton.foundation.work.process_usage import give_back_memory

PARTS = "parts"
UNFINISHED = ".unfinished"
BROUGHT = ".brought"  # suffix of a stage's results from a remote worker
KEY_LENGTH = 16  # hexadecimal digits
CORPUS = "corpus"  # a stage whose result is removed in the end
DISTORTION = "distortion_"  # prefix of the names of all stages that fit distortion models


class Key(str):
    """A fingerprint with the hashes of the files it depends on."""

    files: Mapping[Path, str] = MappingProxyType({})


def fingerprint(*inputs: Any) -> Key:
    """A short hash of inputs: JSON values, other fingerprints, and paths, which stand for the
    content of files."""
    hashes = {item: sha256(item) for item in inputs if isinstance(item, Path)}
    content = [hashes[item] if isinstance(item, Path) else item for item in inputs]
    text = json.dumps(content, sort_keys=True)
    key = Key(hashlib.sha256(text.encode()).hexdigest()[:KEY_LENGTH])
    for item in inputs:
        if isinstance(item, Key):
            hashes |= item.files
    key.files = hashes
    return key


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Creates the folder and locks it until this run ends."""
    make_folder(directory)
    with writing(directory):
        handle = os.open(directory, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise DataError(
                "another run is working in this folder",
                where=str(directory),
                advice="wait until it ends, or choose another folder",
            ) from None
        except OSError:
            pass  # some network file systems do not support locks
        yield
    finally:
        os.close(handle)


def part_of(name: str, key: str) -> str:
    return f"{PARTS}/{name}-{key}"


def run_stage(
    directory: Path,
    name: str,
    key: str,
    work: Callable[[Path], str],
    reporter: Reporter = SILENT,
    *,
    resumes: bool = False,
) -> str:
    """Runs a stage unless its result exists; returns the result's folder, relative to `directory`,
    which should be `locked`.

    `work` fills the folder and returns a short summary; the reporter gets it with time and memory,
    the peak of this process so far. If the work `resumes`, the folder keeps partial results of a
    killed or interrupted run. Files of the key must not change while the stage runs.
    """
    part = part_of(name, key)
    finished, unfinished = directory / part, directory / f"{part}{UNFINISHED}"
    if finished.is_dir():
        if is_whole(finished):
            reporter.talk(f"{name}: nothing has changed")
            return part
        reporter.talk(f"{name}: files in {finished} were changed or lost; running it again")
    began = time.monotonic()
    keep = False
    try:
        with writing(unfinished):
            if not resumes:
                shutil.rmtree(unfinished, ignore_errors=True)  # left by a killed run
            unfinished.mkdir(parents=True, exist_ok=resumes)
        summary = work(unfinished)
        if isinstance(key, Key):
            check_unchanged(key.files)
        seal(unfinished)
        with writing(finished):
            shutil.rmtree(finished, ignore_errors=True)
            put_in_place(unfinished, finished)
    except OSError as error:
        where = str(error.filename or directory)
        raise DataError(f"{name} failed: {reason(error)}", where=where) from None
    except KeyboardInterrupt:
        keep = resumes
        raise
    finally:
        if not keep:
            shutil.rmtree(unfinished, ignore_errors=True)
    give_back_memory()  # return freed memory to the system before the next stage
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    seconds = time.monotonic() - began
    reporter.talk(f"{name}: {summary} in {seconds:.1f} s, {peak:,.0f} MB")
    reporter.measure(part, seconds, peak)
    return part


def remove_other_parts(directory: Path, parts: Iterable[str]) -> None:
    """Removes results of earlier runs of the same stages, except `parts`."""
    keep = {Path(part).name for part in parts}
    # other folders of the user stay
    stages = {CORPUS, *(name.rpartition("-")[0] for name in keep)}
    suffix = "|".join(map(re.escape, (UNFINISHED, BROUGHT)))
    ours = re.compile(rf"([a-z_][\w.]*)-[0-9a-f]{{{KEY_LENGTH}}}({suffix})?")
    for folder in (directory / PARTS).iterdir():
        match = ours.fullmatch(folder.name)
        is_stage = match and (match[1] in stages or match[1].startswith(DISTORTION))
        if is_stage and folder.name not in keep:
            shutil.rmtree(folder, ignore_errors=True)
