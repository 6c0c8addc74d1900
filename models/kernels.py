"""The decorators of compiled loops, and where their compiled code is kept.

Numba's own cache looks only at the file of a kernel. But the kernels that it calls and the
constants that it uses are compiled into it, and may stand in other files. So the cache folder is
named after a digest of every source file that compiled code can come from. When one of them
changes, by an edit or an upgrade, kernels are compiled again as they are needed; old code is never
run.
"""

import os
import re
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numba

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("models", "decoder", "tuning")
IMPORTED = re.compile(rb"^from ((?:models|decoder|tuning)[\w.]*) import", re.MULTILINE)
MOST_FOLDERS = 3  # versions of the sources whose compiled code is kept


def kernel(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compiles a function at its first call, to run without Python's lock, and keeps the code."""
    numba.config.CACHE_DIR = str(cache_folder())  # type: ignore[attr-defined]
    compiled = numba.njit(cache=True, nogil=True, **options)
    return compiled if function is None else compiled(function)


def uncounted(function: Callable[..., Any]) -> Any:
    """Compiles a function that neither makes nor keeps arrays, without reference counts.

    Numba counts a reference to each array in every call of a function that loops over it, which
    can take as long as all the rest. The option has no public name yet.
    """
    return kernel(function, _nrt=False, forceinline=True)


@cache
def cache_folder() -> Path:
    """Where the compiled code of these sources is kept."""
    digest = sha256()
    for path in sorted(_sources()):
        digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    place = sha256(os.fsencode(ROOT)).hexdigest()[:8]
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    base = Path(os.environ.get("NUMBA_CACHE_DIR") or home / "hyperbaton" / "kernels")
    try:
        return _ready(base / place / digest.hexdigest()[:16])
    except OSError:  # nothing can be written there
        folder = Path(tempfile.gettempdir()) / f"hyperbaton-kernels-{os.getuid()}"
        return _ready(folder / place / digest.hexdigest()[:16])


def _ready(folder: Path) -> Path:
    """Makes the folder and forgets the versions that were used longest ago."""
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    with suppress(OSError):  # another process may be at it, too
        versions = sorted(folder.parent.iterdir(), key=lambda path: path.stat().st_mtime)
        for old in versions[:-MOST_FOLDERS]:
            shutil.rmtree(old, ignore_errors=True)
    return folder


def _sources() -> set[Path]:
    """Files that hold kernels, and whatever these import."""
    files = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    texts = {path: path.read_bytes() for path in files}
    found: set[Path] = set()
    wanted = [path for path, text in texts.items() if b"from models.kernels import" in text]
    while wanted:
        path = wanted.pop()
        if path in texts and path not in found:
            found.add(path)
            names = (name.decode().replace(".", "/") for name in IMPORTED.findall(texts[path]))
            wanted += [ROOT / f"{name}.py" for name in names]
    return found
