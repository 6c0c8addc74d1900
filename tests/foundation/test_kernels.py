"""Compiled code is kept as long as no source that went into it has changed, and no longer."""

import errno
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numba
import pytest
from numba.core.caching import FunctionCache
from numba.core.errors import termcolor

from hyperbaton.foundation import kernels, quick_numba

quick = pytest.mark.skipif(
    numba.__version__ not in quick_numba.TRIED, reason="with this Numba kernels are loaded slowly"
)
CALLED = """
from hyperbaton.models.constants import FACTOR
from hyperbaton.foundation.kernels import kernel


@kernel
def called(x):
    return x * FACTOR
"""
CALLING = """
from hyperbaton.models.called import called
from hyperbaton.foundation.kernels import kernel


@kernel
def calling(x):
    return called(x) + 1
"""
PROGRAM = """
from hyperbaton.decoder.calling import calling
print(calling(5), sum(calling.stats.cache_hits.values()))
"""
MATRICES = """
from hyperbaton.foundation.kernels import kernel


@kernel
def product(x, y):
    return x @ y  # by BLAS, which is found when it runs


@kernel
def corner(x):
    return product(x, x)[0, 0]
"""
PRODUCT = """
import sys
import numpy as np
from hyperbaton.models.matrices import corner, product


def show(kernel, value):
    hits = sum(kernel.stats.cache_hits.values())
    print(int(value), hits, int("numba.cpython.heapq" in sys.modules))


show(product, product(np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]]))[0, 0])
"""
CORNER = "show(corner, corner(np.array([[3.0, 1.0], [2.0, -3.0]])))"

FILLING = """
from hyperbaton.foundation.kernels import uncounted_kernel


@uncounted_kernel
def fill(values, first):
    for place in range(len(values)):
        values[place] = first + place
"""
FILLED = """
import numpy as np
from numba.core.runtime.nrt import rtsys
from hyperbaton.models.filling import fill
values = np.empty(3, np.int64)
fill(values, 5)
print(values @ [100, 10, 1], sum(fill.stats.cache_hits.values()), int(rtsys._init))
"""

SUMS = """
import numpy as np
from hyperbaton.foundation.kernels import kernel


@kernel
def summed(values):
    if len(values) > 3:
        raise ValueError("more than three", 3)
    return np.cumsum(values)
"""
SUMMED = """
import numpy as np
from hyperbaton.models.sums import summed
try:
    summed(np.arange(4))
except ValueError as error:
    print(int(error.args == ("more than three", 3)), *summed(np.array([5, 6, 7])))
print(sum(summed.stats.cache_hits.values()))
"""

INSIDE = """
import numpy as np
from hyperbaton.foundation.kernels import inner, kernel

TABLE = np.array([10, 20, 30])


@inner
def checked(values):
    if len(values) > 3:
        raise ValueError("too many", len(values))
    return TABLE[: len(values)] + np.cumsum(values)


@kernel
def last(values):
    return checked(checked(values))[-1]
"""
CALLED_INSIDE = """
import numpy as np
from hyperbaton.models.inside import last
try:
    last(np.arange(4))
except ValueError as error:
    print(int(error.args == ("too many", 4)))
print(last(np.array([5, 6, 7])), sum(last.stats.cache_hits.values()))
"""


@pytest.fixture
def project(tmp_path):
    """A small project with our module of kernels in it."""
    root = tmp_path / "project" / "hyperbaton"
    for package in ("", "foundation", "models", "decoder"):
        (root / package).mkdir(parents=True, exist_ok=True)
        (root / package / "__init__.py").touch()
    for module in (kernels, quick_numba):
        (root / "foundation" / Path(module.__file__).name).write_text(
            Path(module.__file__).read_text()
        )
    (root / "models/constants.py").write_text("FACTOR = 10\n")
    (root / "models/called.py").write_text(CALLED)
    (root / "decoder/calling.py").write_text(CALLING)
    (root / "models/words.py").write_text("GREETING = 'hello'\n")
    return root


@pytest.fixture
def run(project, tmp_path):
    """Runs a program; its results, and how often compiled code was found."""

    def run_program(program=PROGRAM):
        done = subprocess.run(
            [sys.executable, "-c", program],
            cwd=project.parent,
            env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "kept"), "PYTHONPATH": "."},
            capture_output=True,
            text=True,
            check=True,
        )
        return tuple(map(int, done.stdout.split()))

    return run_program


def test_a_constant_in_another_file_makes_code_anew(project, run):
    assert run() == (51, 0)
    assert run() == (51, 1)
    (project / "models/constants.py").write_text("FACTOR = 20\n")
    assert run() == (101, 0)
    (project / "models/constants.py").write_text("FACTOR = 10\n")
    assert run() == (51, 1)  # as before, and kept


@pytest.fixture
def folder(project, tmp_path, monkeypatch):
    """Asks for the cache folder as a new process would."""
    monkeypatch.setattr(kernels, "ROOT", project)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "kept"))

    def asked_anew(module="hyperbaton.decoder.calling"):
        kernels._source.cache_clear()
        return kernels.cache_folder.__wrapped__(module)

    yield asked_anew
    kernels._source.cache_clear()


def test_what_is_not_compiled_does_not_count(project, folder):
    before, called = folder(), folder("hyperbaton.models.called")
    (project / "models/words.py").write_text("GREETING = 'good day'\n")
    assert folder() == before
    (project / "decoder/calling.py").write_text(CALLING.replace("+ 1", "+ 2"))
    assert folder() != before
    assert folder("hyperbaton.models.called") == called
    (project / "models/called.py").write_text(CALLED.replace("x * ", "2 * x * "))
    assert folder("hyperbaton.models.called") != called


def test_few_versions_are_kept(project, folder):
    made = []
    for number in range(kernels.MOST_FOLDERS + 2):
        (project / "models/constants.py").write_text(f"FACTOR = {number}\n")
        made.append(folder())
        os.utime(made[-1], (number, number))
    assert [path.exists() for path in made] == [False, False, True, True, True]


def test_a_clock_that_was_set_back_removes_no_code_in_use(project, folder):
    for number in range(kernels.MOST_FOLDERS):
        (project / "models/constants.py").write_text(f"FACTOR = {number}\n")
        os.utime(folder(), (2e10, 2e10))  # in the far future
    (project / "models/constants.py").write_text("FACTOR = -1\n")
    assert folder().is_dir()
    assert len(list(folder().parent.iterdir())) == kernels.MOST_FOLDERS


def test_other_projects_have_folders_of_their_own(project, folder, monkeypatch):
    before = folder()
    monkeypatch.setattr(kernels, "ROOT", project.rename(project.with_name("other")))
    assert folder().name == before.name
    assert folder() != before


def test_a_cache_that_cannot_be_written_goes_elsewhere(folder, tmp_path, monkeypatch):
    (tmp_path / "kept").write_text("a file, not a folder")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert folder().is_relative_to(tmp_path / f"hyperbaton-kernels-{os.getuid()}")


def test_the_default_place(folder, tmp_path, monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    assert folder().is_relative_to(tmp_path / "home/hyperbaton/kernels")


@quick
def test_kept_code_is_loaded_without_getting_ready_to_compile(project, run):
    (project / "models/matrices.py").write_text(MATRICES)
    assert run(PRODUCT) == (11, 0, 1)  # compiled here
    assert run(PRODUCT + CORNER) == (11, 1, 0, 11, 0, 1)  # and called by what is compiled later


def test_with_a_numba_that_was_not_tried_kept_code_is_loaded_as_numba_does(project, run):
    (project / "models/matrices.py").write_text(MATRICES)
    newer = "import numba\nnumba.__version__ += '.dev'\n"
    assert run(newer + PRODUCT) == (11, 0, 1)
    assert run(newer + PRODUCT) == (11, 1, 1)


def test_the_numba_that_is_pinned_was_tried():
    pins = (Path(__file__).parents[2] / "constraints.txt").read_text().split()
    assert {pin for pin in pins if pin.startswith("numba==")} <= {
        f"numba=={version}" for version in quick_numba.TRIED
    }


def test_kept_code_finds_its_constants(project, run):
    (project / "models/sums.py").write_text(SUMS)
    assert run(SUMMED) == (1, 5, 11, 18, 0)  # compiled here
    assert run(SUMMED) == (1, 5, 11, 18, 1)


@pytest.mark.parametrize("version", [numba.__version__, "1.0.dev"])
def test_functions_inside_kernels(project, run, version):
    """With code that is only linked, and as any version of Numba compiles them."""
    (project / "models/inside.py").write_text(INSIDE)
    program = f"import numba\nnumba.__version__ = {version!r}\n" + CALLED_INSIDE
    # TABLE + (5, 11, 18) is (15, 31, 48); the last of TABLE + (15, 46, 94) is 124
    assert run(program) == (1, 124, 0)
    assert run(program) == (1, 124, 1)


@quick
def test_functions_inside_kernels_are_optimised_only_there(project, run):
    (project / "models/inside.py").write_text(INSIDE)
    program = """
import numpy as np
from numba.core.codegen import CPUCodeLibrary
from hyperbaton.models.inside import last
names, optimise = [], CPUCodeLibrary._optimize_final_module
CPUCodeLibrary._optimize_final_module = lambda self: [names.append(self.name), optimise(self)]
last(np.arange(3))
print(*(sum(name == wanted for name in names) for wanted in ("checked", "last")))
"""
    assert run(program) == (0, 1)


@quick
def test_kept_code_that_makes_no_array_needs_no_memory_for_arrays(project, run):
    (project / "models/filling.py").write_text(FILLING)
    assert run(FILLED) == (567, 0, 1)  # whatever is compiled needs it
    assert run(FILLED) == (567, 1, 0)


def test_messages_have_no_colours_for_which_numba_replaces_the_standard_streams():
    assert termcolor().errmsg("text") == "text"


@quick
def test_a_full_disk_kept_kernels_from_running(monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(FunctionCache, "save_overload", full)

    @kernels.uncounted_kernel
    def doubled(number):
        return 2 * number

    assert doubled(21) == 42
    assert doubled.signatures


def test_numba_of_other_packages_is_left_as_it_was(run):
    program = (
        PROGRAM
        + """
import numba
from numba.core import environment
changed = numba.config.CACHE_DIR != CACHE_DIR
print(int(changed), int(environment._rebuild_env.__module__ != "numba.core.environment"))
"""
    )
    assert run("import numba\nCACHE_DIR = numba.config.CACHE_DIR\n" + program)[-2:] == (0, 0)
