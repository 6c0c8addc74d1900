"""Loads cached kernels without preparing the compiler, which saves 0.4 seconds at each start.

Before it loads a kernel, Numba imports and registers everything it could compile. A cached kernel
needs only Numba's memory runtime, and only if it creates arrays. Numba has no public option for
this: this file uses internals, and does nothing with untested versions of Numba.
"""

from contextlib import suppress
from typing import Any

import numba

TRIED = {"0.68.0", "0.68.1"}


def load_quickly(kernel: Any, *, makes_arrays: bool) -> None:
    """Makes a cached kernel load quickly."""
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
        with suppress(OSError):  # on a full disk, kernels are compiled each time
            save(signature, compiled)

    kept.load_overload, kept.save_overload = load_overload, save_overload
