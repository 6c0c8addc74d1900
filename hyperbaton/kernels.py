"""The first run compiles the hot loops: a word to whoever is waiting."""

import os
from importlib.util import find_spec
from pathlib import Path

from hyperbaton.console import say

MESSAGE = "compiling for the first time, which takes up to half a minute; later runs start at once"


def announce_compilation(module: str) -> None:
    """Says so if the module's compiled code is not in Numba's cache yet."""
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        return
    origin = Path(spec.origin)
    folder = Path(os.environ.get("NUMBA_CACHE_DIR", origin.parent / "__pycache__"))
    if not any(folder.rglob(f"{origin.stem}.*.nbi")):
        say(MESSAGE)
