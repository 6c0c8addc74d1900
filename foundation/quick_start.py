"""Kept kernels are loaded without getting ready to compile, which saves 0.4 seconds at each start.

Before it loads anything, Numba imports and registers all that it could compile. What is loaded
needs only the memory that arrays are made of, and nothing at all if it makes none. Numba has no
public way to say so: this file looks inside, and does nothing with versions it was not tried with.
"""

from contextlib import suppress
from typing import Any

import numba

TRIED = {"0.68.0", "0.68.1"}


def load_quickly(kernel: Any, *, makes_arrays: bool) -> None:
    """For a kernel whose compiled code is kept."""
    if numba.__version__ not in TRIED:
        return
    from numba.core.runtime.nrt import rtsys

    kept = kernel._cache
    save = kept.save_overload

    def load_overload(signature: Any, target: Any) -> Any:
        if makes_arrays:
            rtsys.initialize(target)
        return kept._load_overload(signature, target)

    def save_overload(signature: Any, compiled: Any) -> None:
        with suppress(OSError):  # without room on the disk, kernels are compiled each time
            save(signature, compiled)

    kept.load_overload, kept.save_overload = load_overload, save_overload
