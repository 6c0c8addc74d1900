"""Compiles and loads kernels faster, with internals of Numba, because there are no public options
for this. With untested versions of Numba it does nothing.

* A cached kernel is loaded without preparing the compiler, which saves 0.4 seconds at each start.
  Before it loads a kernel, Numba imports and registers everything it could compile; but a cached
  kernel needs only Numba's memory runtime, and only if it creates arrays.
* A function that only kernels call is compiled without machine code of its own, so that kernels
  compile in three quarters of the time. Numba optimises every function and makes machine code for
  it; but such a function is linked into its callers and optimised there again.
"""

from contextlib import suppress
from typing import Any, NamedTuple

import numba
from numba.core.codegen import JITCodeLibrary, ll  # type: ignore[attr-defined]
from numba.core.compiler import Compiler

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


class _Linked(JITCodeLibrary):
    """The code of a function, to be linked into others."""

    @property
    def codegen(self) -> "_Environments":
        return _Environments(self._codegen)

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:  # noqa: ARG002
        self._ensure_finalized()
        return 0  # none


class _Environments(NamedTuple):
    """Tells the code of a function its environment, which it needs to raise errors. Each kernel
    that the function is linked into shares the variable."""

    generator: Any

    def set_env(self, name: str, environment: Any) -> None:
        variable = ll.parse_assembly(f'@"{name}" = common global ptr null')
        self.generator._add_module(variable)
        self.generator.set_env(name, environment)


class _LinkedCompiler(Compiler):
    def define_pipelines(self) -> Any:
        state = self.state
        state.library = _Linked(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return super().define_pipelines()


# Options of `numba.jit`
ONLY_LINKED: dict[str, Any] = (
    {"pipeline_class": _LinkedCompiler} if numba.__version__ in TRIED else {}
)
