"""Functions stay small: few arguments, few branches. What Numba compiles is exempt."""

import ast
import json
import subprocess
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGES = ("foundation", "corpus", "models", "decoder", "tuning", "src/hyperbaton")
KERNELS = {"kernel", "uncounted_kernel"}  # decorators of foundation/kernels.py
DECORATORS = KERNELS | {"inner", "uncounted"}
MOST_LINES = 60
# complex-structure and too-many-arguments, with the limits of pyproject.toml
RULES = "C901,PLR0913"


def compiled_by(node):
    """The decorators of ours that a function has."""
    names = {ast.unparse(one).partition("(")[0] for one in getattr(node, "decorator_list", ())}
    return names & DECORATORS


@cache
def files():
    """Every file of the packages, parsed."""
    paths = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in paths}


@cache
def functions():
    """Path and node of every function, with whether it is a kernel."""
    return [
        (path, node, bool(compiled_by(node)))
        for path, tree in files().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def names_in_python(node):
    """All names that are used outside of compiled functions."""
    if isinstance(node, ast.Name | ast.Attribute):
        yield node.id if isinstance(node, ast.Name) else node.attr
    for inside in ast.iter_child_nodes(node):
        if not compiled_by(inside):
            yield from names_in_python(inside)


def test_functions_have_few_arguments_and_branches():
    command = [sys.executable, "-m", "ruff", "check", "--select", RULES, *PACKAGES]
    done = subprocess.run(
        [*command, "--output-format", "json"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    kernels = {(str(path), node.lineno) for path, node, is_kernel in functions() if is_kernel}
    assert kernels
    found = [
        f"{Path(item['filename']).relative_to(ROOT)}:{item['location']['row']} {item['message']}"
        for item in json.loads(done.stdout)
        if (item["filename"], item["location"]["row"]) not in kernels
    ]
    assert not found, "\n".join(found)


def n_lines(node):
    """Without the docstring, which may list many parameters."""
    first = node.body[0]
    described = first.end_lineno - first.lineno + 1 if ast.get_docstring(node) else 0
    return node.end_lineno - node.lineno + 1 - described


def test_functions_fit_on_a_screen():
    long = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path, node, is_kernel in functions()
        if not is_kernel and n_lines(node) > MOST_LINES
    ]
    assert not long, "\n".join(long)


def test_a_function_that_only_kernels_call_is_no_kernel():
    """It is `inner`, which need not be made callable from Python."""
    used = {name for tree in files().values() for name in names_in_python(tree)}
    kernels = {node.name for _, node, _ in functions() if KERNELS & compiled_by(node)}
    assert kernels & used
    assert kernels <= used, kernels - used
