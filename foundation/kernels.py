"""The decorators of compiled loops, and where their compiled code is kept.

Numba's own cache looks only at the file of a kernel. But the kernels that it calls and the
constants that it uses are compiled into it, and may be in other files. So the compiled code of a
module is kept in a folder named after a digest of its source, of what it imports, and of what that
imports. When one of these files changes, by an edit or an upgrade, kernels are compiled again as
they are needed; old code is never run.

    CACHE/place of the sources/module/digest/   Numba's files
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
from numba.core.caching import FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.runtime.nrt import rtsys
from numba.core.typed_passes import NativeLowering
from numba.extending import register_jitable

ROOT = Path(__file__).parent.parent  # of the package
IMPORTED = re.compile(rb"^from (hyperbaton\.[\w.]*) import", re.MULTILINE)
PACKAGE = "hyperbaton"
MOST_FOLDERS = 3  # versions of a module whose compiled code is kept


class _Kept(FunctionCache):
    """Compiled code on disk, which is loaded without getting ready to compile.

    Before it loads anything, Numba imports and registers all that it could compile, which takes
    much longer than to load a kernel. What is loaded needs only the memory that arrays are made of,
    and nothing at all if it makes none.
    """

    def __init__(self, function: Callable[..., Any], *, makes_arrays: bool) -> None:
        super().__init__(function)
        self._makes_arrays = makes_arrays

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        if self._makes_arrays:
            rtsys.initialize(target_context)
        return self._load_overload(sig, target_context)

    def save_overload(self, sig: Any, data: Any) -> None:
        with suppress(OSError):  # without room on the disk, kernels are compiled each time
            super().save_overload(sig, data)


class _Part(JITCodeLibrary):
    """Code that is linked into kernels, which are optimised as a whole, and never runs by itself.

    Numba would optimise it alone and make machine code of it before, a fifth of all the work.
    """

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _PartLowering(NativeLowering):
    _name = "part_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = _Part(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        entry: list[Any] = []  # there is none, but Numba tells functions apart by it
        state.targetctx.insert_user_function(entry.append, state.cr.fndesc, [state.library])
        state.reload_init.extend(state.library._reload_init)
        state.cr = state.cr._replace(cfunc=entry.append)
        return True


class _PartCompiler(CompilerBase):
    def define_pipelines(self) -> list[Any]:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        lowering = {NativeLowering: _PartLowering}
        passes.passes = [(lowering.get(each, each), why) for each, why in passes.passes]
        passes.finalize()
        return [passes]


def kernel(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compiles a function at its first call, to run without Python's lock, and keeps the code."""
    if function is None:
        return partial(kernel, **options)
    compiled = numba.njit(**{"nogil": True, "no_cfunc_wrapper": True, **options})(function)
    with _kept_in(cache_folder(function.__module__)):
        compiled._cache = _Kept(function, makes_arrays=options.get("_nrt", True))
    return compiled


@contextmanager
def _kept_in(folder: Path) -> Iterator[None]:
    """Numba's folder for compiled code is a setting of the whole process, which other packages use
    too. It is read when a cache is made, so ours is put there for that moment only."""
    config: Any = numba.config
    before = config.CACHE_DIR
    config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        config.CACHE_DIR = before


def inner(function: Callable[..., Any], **options: Any) -> Any:
    """Compiles a function into the kernels that call it; elsewhere it stays plain Python.

    Half of the time that it takes to compile a kernel of its own goes into making it callable from
    Python, by itself and by its address; this saves both.
    """
    no_entry = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return register_jitable(pipeline_class=_PartCompiler, **no_entry, **options)(function)


def uncounted_kernel(function: Callable[..., Any]) -> Any:
    """A kernel that makes and returns no array: without reference counts, so soon compiled."""
    return kernel(function, _nrt=False)


def uncounted(function: Callable[..., Any]) -> Any:
    """As `inner`, for a function that neither makes nor returns arrays: without reference counts.

    Numba counts a reference to each array in every call of a function that loops over it, which
    can take as long as all the rest. The option has no public name yet.
    """
    return inner(function, _nrt=False, forceinline=True)


@cache
def cache_folder(module: str) -> Path:
    """Where the compiled code of a module is kept."""
    digest = sha256()
    for name in sorted(_sources(module)):
        digest.update(name.encode() + b"\0" + _source(name).digest)
    place = sha256(os.fsencode(ROOT)).hexdigest()[:8]
    inside = Path(place, module, digest.hexdigest()[:16])
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    base = Path(os.environ.get("NUMBA_CACHE_DIR") or home / "hyperbaton" / "kernels")
    try:
        return _ready(base / inside)
    except OSError:  # nothing can be written there
        return _ready(Path(tempfile.gettempdir(), f"hyperbaton-kernels-{os.getuid()}") / inside)


def is_compiled(module: str) -> bool:
    """Whether compiled code of a module is kept."""
    return any(cache_folder(module).rglob("*.nbi"))


def _ready(folder: Path) -> Path:
    """Makes the folder and forgets the versions that were used longest ago; never this one, even
    if the clock has been set back and the others seem newer."""
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    with suppress(OSError):  # another process may be doing the same
        others = (path for path in folder.parent.iterdir() if path != folder)
        versions = sorted(others, key=lambda path: path.stat().st_mtime)
        for old in versions[: 1 - MOST_FOLDERS]:
            shutil.rmtree(old, ignore_errors=True)
    return folder


def _sources(module: str) -> set[str]:
    """The module and all modules of ours that it imports, directly or not."""
    found: set[str] = set()
    wanted = [module]
    while wanted:
        name = wanted.pop()
        if name not in found:
            found.add(name)
            wanted += _source(name).imported
    return found


class _Source(NamedTuple):
    digest: bytes
    imported: list[str]


@cache
def _source(module: str) -> _Source:
    """What counts of a module; nothing if it is not ours."""
    try:
        inside = module.removeprefix(f"{PACKAGE}.").replace(".", "/")
        text = (ROOT / f"{inside}.py").read_bytes()
    except OSError:
        text = b""
    return _Source(sha256(text).digest(), [name.decode() for name in IMPORTED.findall(text)])
