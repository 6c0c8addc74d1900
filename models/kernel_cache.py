"""Makes Numba's cache notice all changes that matter to a kernel.

Numba keeps compiled code in `__pycache__` and compiles again when the kernel's own file changes.
But the code of the kernels that it calls is compiled into it, the values of global constants are,
and so are the places of the fields of named tuples; when one of these changes in another file, by
an edit or an upgrade, Numba would go on with the old code. So all that a kernel uses is made part
of the key under which its code is kept:

    kernel ──▶ bytecode and constants of every kernel that it calls, and that those call ...
           ──▶ values of the global names that any of them uses
           ──▶ field names of the named tuples among its arguments

Nothing is compiled without need: comments and other functions in other files do not count. This
holds for kernels of the packages named below; other libraries' caches are not touched.
"""

import sys
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import CodeType, FunctionType, ModuleType
from typing import Any

PACKAGES = {"models", "decoder", "tuning", "hyperbaton"}
CACHING = "numba.core.caching"


def watch_numba() -> None:
    """From now on, or from when Numba is imported: it is heavy, and not all that we do needs it."""
    if CACHING in sys.modules:
        extend_keys(sys.modules[CACHING])
    elif not any(isinstance(finder, _WhenImported) for finder in sys.meta_path):
        sys.meta_path.insert(0, _WhenImported())


class _WhenImported:
    """A finder that lets the others find Numba's module and extends it as soon as it is there."""

    def find_spec(
        self,
        name: str,
        path: Sequence[str] | None = None,  # noqa: ARG002
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        if name != CACHING:
            return None
        sys.meta_path.remove(self)
        spec = find_spec(name)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def execute_and_extend(module: ModuleType) -> None:
                execute(module)
                extend_keys(module)

            spec.loader.exec_module = execute_and_extend  # type: ignore[method-assign]
        return spec


def extend_keys(caching: ModuleType) -> None:
    """Adds a fingerprint to the keys of Numba's cache.

    The method has no public name. If it is ever gone, Numba works as it did; a test would tell.
    """
    original = getattr(caching.Cache, "_index_key", None)
    if original is None or hasattr(original, "without_fingerprint"):
        return

    def index_key(self: Any, signature: Any, codegen: Any) -> tuple[Any, ...]:
        key: tuple[Any, ...] = original(self, signature, codegen)
        function = self._py_func
        if function.__module__.partition(".")[0] not in PACKAGES:
            return key
        return (*key, fingerprint(function, getattr(signature, "args", signature)))

    index_key.without_fingerprint = original  # type: ignore[attr-defined]
    caching.Cache._index_key = index_key


def fingerprint(function: FunctionType, argument_types: Sequence[Any] = ()) -> str:
    """Of everything that is compiled into a kernel, for arguments of these Numba types."""
    parts = list(_parts(function, {}))
    for type_ in argument_types:
        parts.append(repr(list(_fields(type_))))
    return _digest("\0".join(parts).encode("utf-8", "surrogatepass"))


def _digest(content: bytes) -> str:
    from hashlib import sha256  # here, because most runs that load this module never need it

    return sha256(content).hexdigest()


def _parts(function: FunctionType, numbers: dict[FunctionType, int]) -> Iterator[str]:
    """A kernel and what it uses; `numbers` are those of the functions that were seen already."""
    if function in numbers:
        yield f"function {numbers[function]}"
        return
    numbers[function] = len(numbers)
    text, names = _described(function.__code__, function.__doc__)
    yield text
    for name in names:
        if name not in function.__globals__:
            continue  # a builtin, or an attribute
        value = function.__globals__[name]
        yield name
        if not isinstance(value, ModuleType):
            yield from _value_parts(value, numbers)
        elif value.__name__.partition(".")[0] in PACKAGES:
            for attribute in names:
                if attribute in vars(value):
                    yield attribute
                    yield from _value_parts(getattr(value, attribute), numbers)


@cache
def _described(code: CodeType, docstring: str | None) -> tuple[str, tuple[str, ...]]:
    """What a function does, but not where it stands; and the global names that it may use."""
    names = code.co_names
    parts = [_digest(code.co_code), names, code.co_varnames, code.co_freevars, code.co_cellvars]
    for constant in code.co_consts:
        if isinstance(constant, CodeType):  # a function inside
            text, more = _described(constant, None)
            parts.append(text)
            names += more
        elif isinstance(constant, frozenset):
            parts.append(sorted(map(repr, constant)))
        elif constant is None or constant != docstring:
            parts.append(constant)
    return repr(parts), tuple(dict.fromkeys(names))


def _value_parts(value: Any, numbers: dict[FunctionType, int]) -> Iterator[str]:
    """A value that a global name stands for; Numba takes it for a constant."""
    if hasattr(value, "py_func"):  # a kernel
        for option, setting in sorted(getattr(value, "targetoptions", {}).items()):
            yield option
            yield from _value_parts(setting, numbers)
        yield from _parts(value.py_func, numbers)
    elif isinstance(value, set | frozenset):
        yield repr(sorted(map(repr, value)))  # sets are in no order
    elif isinstance(value, type | FunctionType):
        yield f"{value.__module__}.{value.__qualname__} {getattr(value, '_fields', ())}"
    elif isinstance(value, tuple | list):
        yield f"{type(value).__qualname__} {getattr(value, '_fields', len(value))}"
        for item in value:
            yield from _value_parts(item, numbers)
    elif hasattr(value, "tobytes"):  # an array or one of numpy's numbers
        yield f"{value.dtype} {value.shape} {value.tobytes().hex()}"
    elif isinstance(value, int | float | complex | str | bytes | None):
        yield repr(value)
    elif type(value).__module__.partition(".")[0] in ("numpy", "numba"):  # types of either
        yield str(value)
    else:
        yield type(value).__qualname__  # nothing that compiled code could use


def _fields(type_: Any) -> Iterator[tuple[str, ...]]:
    """The field names of a Numba type's named tuples."""
    if hasattr(type_, "instance_class"):
        yield tuple(type_.instance_class._fields)
    for inner in getattr(type_, "types", ()):
        yield from _fields(inner)
