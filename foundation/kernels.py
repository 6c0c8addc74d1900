"""Decorators for compiled functions, and the cache of compiled code.

Numba's cache checks only the file of a kernel. But the functions that it calls and the constants
that it uses are compiled into it, and may be in other files. So the compiled code of a module is
cached in a folder named after a hash of its source and of all modules that it imports, directly or
indirectly. When one of these files changes, kernels are compiled again on demand, and old code is
never run.

    CACHE/hash of the source folder/module/hash/   Numba's files
"""

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numba
from numba.extending import register_jitable

from hyperbaton.foundation.quick_numba import ONLY_LINKED, load_quickly

ROOT = Path(__file__).parent.parent  # of the package
IMPORTED = re.compile(rb"^from (hyperbaton\.[\w.]*) import", re.MULTILINE)
PACKAGE = "hyperbaton"
MOST_FOLDERS = 3  # cached versions of a module
# Options of functions that are compiled into their callers; see `inner` and `uncounted`
NO_ENTRY = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, **ONLY_LINKED}
UNCOUNTED = {**NO_ENTRY, "_nrt": False, "forceinline": True}


def kernel(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compiles a function at its first call, to run without the GIL, and caches the code."""
    if function is None:
        return partial(kernel, **options)
    options = {"nogil": True, "no_cfunc_wrapper": True, **options}
    with _kept_in(cache_folder(function.__module__)):
        compiled = numba.njit(cache=True, **options)(function)
    load_quickly(compiled, makes_arrays=options.get("_nrt", True))
    return compiled


@contextmanager
def _kept_in(folder: Path) -> Iterator[None]:
    """Sets Numba's cache folder while a cache is created. It is a global setting that other
    packages use too, and Numba reads it only then."""
    config: Any = numba.config
    before = config.CACHE_DIR
    config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        config.CACHE_DIR = before


def inner(function: Callable[..., Any], **options: Any) -> Any:
    """Compiles a function into the kernels that call it; elsewhere it stays plain Python.

    It has no entry points of its own when compiled, which would take half of its compile time.
    """
    return register_jitable(**NO_ENTRY, **options)(function)


def uncounted_kernel(function: Callable[..., Any]) -> Any:
    """A kernel that neither creates nor returns arrays: without reference counts it compiles
    fast."""
    return kernel(function, _nrt=False)


def uncounted(function: Callable[..., Any]) -> Any:
    """Like `inner`, for a function that neither creates nor returns arrays: without reference
    counts.

    Numba counts a reference to each array in every call of a function that loops over it, which
    can take as long as the rest. The documentation of `register_jitable` names the option.
    """
    return register_jitable(**UNCOUNTED)(function)


@cache
def cache_folder(module: str) -> Path:
    digest = sha256()
    for name in sorted(_sources(module)):
        digest.update(name.encode() + b"\0" + _source(name).digest)
    place = sha256(os.fsencode(ROOT)).hexdigest()[:8]
    inside = Path(place, module, digest.hexdigest()[:16])
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    base = Path(os.environ.get("NUMBA_CACHE_DIR") or home / "hyperbaton" / "kernels")
    try:
        return _ready(base / inside)
    except OSError:  # not writable
        return _ready(Path(tempfile.gettempdir(), f"hyperbaton-kernels-{os.getuid()}") / inside)


def is_compiled(module: str) -> bool:
    return any(cache_folder(module).rglob("*.nbi"))


def _ready(folder: Path) -> Path:
    """Creates the folder and removes the versions least recently used, but never this one, even if
    the clock was set back."""
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    with suppress(OSError):  # another process may be doing the same
        others = (path for path in folder.parent.iterdir() if path != folder)
        versions = sorted(others, key=lambda path: path.stat().st_mtime)
        for old in versions[: 1 - MOST_FOLDERS]:
            shutil.rmtree(old, ignore_errors=True)
    return folder


def _sources(module: str) -> set[str]:
    """The module and all modules of hyperbaton that it imports, directly or indirectly."""
    modules: set[str] = set()
    wanted = [module]
    while wanted:
        name = wanted.pop()
        if name not in modules:
            modules.add(name)
            wanted += _source(name).imported
    return modules


class _Source(NamedTuple):
    digest: bytes
    imported: list[str]


@cache
def _source(module: str) -> _Source:
    """The hash and imports of a module; of an empty file if it is not part of hyperbaton."""
    try:
        inside = module.removeprefix(f"{PACKAGE}.").replace(".", "/")
        text = (ROOT / f"{inside}.py").read_bytes()
    except OSError:
        text = b""
    return _Source(sha256(text).digest(), [name.decode() for name in IMPORTED.findall(text)])
