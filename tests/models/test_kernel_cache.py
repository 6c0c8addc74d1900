"""Compiled code is kept as long as nothing that went into it has changed, and no longer."""

import importlib
import os
import subprocess
import sys

import numpy as np
import pytest

from models import kernel_cache

CALLED = """
from typing import NamedTuple

import numpy as np
from numba import njit

FACTOR = 10
OFFSETS = np.array([1, 2])
NUMBER = np.int64(0)


class Pair(NamedTuple):
    first: int
    second: int


@njit(cache=True)
def deepest(x):
    '''Says little.'''
    return x + 1


@njit(cache=True)
def called(x):
    return deepest(x) * FACTOR
"""

CALLING = """
from numba import njit

import cached_constants
from cached_called import OFFSETS, NUMBER, called


@njit(cache=True)
def calling(pair):
    total = called(pair.first) + OFFSETS[0] + NUMBER + cached_constants.BIAS
    return total + later(pair.second)


@njit(cache=True)
def later(x):
    return 0 * x
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Writes the modules, imports them anew and runs the kernel; its result, and whether its code
    was there already."""
    names = ("cached_constants", "cached_called", "cached_calling")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr(kernel_cache, "PACKAGES", {*names})

    def write_and_run(called=CALLED, constants="BIAS = 0\n"):
        for name, text in zip(names, (constants, called, CALLING), strict=True):
            (tmp_path / f"{name}.py").write_text(text)
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        called_module, calling_module = map(importlib.import_module, names[1:])
        kernel = calling_module.calling
        result = kernel(called_module.Pair(first=2, second=5))
        return result, bool(kernel.stats.cache_hits)

    yield write_and_run
    for name in names:
        sys.modules.pop(name, None)


@pytest.mark.parametrize(
    ("old", "new", "result"),
    [
        ("x + 1", "x + 2", (2 + 2) * 10 + 1),  # two calls away
        ("FACTOR = 10", "FACTOR = 20", (2 + 1) * 20 + 1),
        ("[1, 2]", "[7, 2]", (2 + 1) * 10 + 7),
        ("np.int64(0)", "np.int64(4)", (2 + 1) * 10 + 1 + 4),
        ("first: int\n    second: int", "second: int\n    first: int", (2 + 1) * 10 + 1),
        ("BIAS = 0", "BIAS = 3", (2 + 1) * 10 + 1 + 3),
    ],
)
def test_what_a_kernel_uses_is_compiled_again_when_it_changes(run, old, new, result):
    assert run() == (31, False)
    assert run() == (31, True)
    changed = run(CALLED.replace(old, new), f"{'BIAS = 0'.replace(old, new)}\n")
    assert changed == (result, False)
    assert run() == (31, True)  # the old code is still there for the old source


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Says little", "Says more, on\n    two lines"),
        ("    return deepest(x)", "    # a comment\n\n    return deepest(x)"),
        ("class Pair", "UNUSED = 1\n\n\nclass Pair"),
    ],
)
def test_what_does_not_matter_is_not_compiled_again(run, old, new):
    assert run() == (31, False)
    assert run(CALLED.replace(old, new)) == (31, True)


def test_other_libraries_are_left_alone(run, monkeypatch):
    monkeypatch.setattr(kernel_cache, "PACKAGES", {"models"})
    assert run() == (31, False)
    assert run(CALLED.replace("FACTOR = 10", "FACTOR = 20")) == (31, True)  # Numba's own way


@pytest.mark.parametrize("order", [("models", "numba"), ("numba", "models")])
def test_it_does_not_matter_which_is_imported_first(order):
    code = f"""
import sys, {order[0]}
print("numba" in sys.modules)
import {order[1]}
from numba.core.caching import Cache
print(hasattr(Cache._index_key, "without_fingerprint"))
before, n_finders = Cache._index_key, len(sys.meta_path)
from models.kernel_cache import watch_numba
watch_numba()  # once is enough
print(Cache._index_key is before, len(sys.meta_path) == n_finders)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded_at_first = str(order[0] == "numba")  # by itself, models does without
    assert run.stdout.split() == [loaded_at_first, "True", "True", "True"]


def test_fingerprints_are_those_of_values_not_of_objects():
    def uses(**names):
        scope = dict(names)
        exec("def kernel(x):\n    return x in {'a', 'b'} and name\n", scope)
        return kernel_cache.fingerprint(scope["kernel"])

    assert uses(name=np.float32(1)) == uses(name=np.float32(1)) != uses(name=np.float64(1))
    assert uses(name=(1, 2)) == uses(name=(1, 2)) != uses(name=(1, 3))
    assert uses(name=np.dtype("i4")) != uses(name=np.dtype("i8"))
    assert uses(name=np.int32) != uses(name=np.int64)
    assert uses(name=object()) == uses(name=object())


def test_fingerprints_do_not_depend_on_the_order_of_sets():
    code = """
from numba import njit
from models.kernel_cache import fingerprint

@njit(fastmath={"reassoc", "nsz", "arcp", "contract"})
def called(x):
    return x in {"a", "b", "c", "d", "e"}

def calling(x):
    return called(x)

print(fingerprint(calling))
"""
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(found) == 1
