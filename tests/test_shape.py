"""Functions stay small: few arguments, few branches. What Numba compiles is exempt."""

import ast
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGES = ("models", "decoder", "tuning", "hyperbaton")
DECORATORS = {"kernel", "inner", "uncounted"}  # of models/kernels.py
MOST_LINES = 60
# complex-structure and too-many-arguments, with the limits of pyproject.toml
RULES = "C901,PLR0913"


def functions(path):
    """The functions of a file, with whether each is a kernel."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            names = {ast.unparse(decorator).partition("(")[0] for decorator in node.decorator_list}
            yield node, bool(names & DECORATORS)


def test_functions_have_few_arguments_and_branches():
    command = [sys.executable, "-m", "ruff", "check", "--select", RULES, *PACKAGES]
    done = subprocess.run(
        [*command, "--output-format", "json"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    kernels = {
        (str(path), node.lineno)
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        for node, is_kernel in functions(path)
        if is_kernel
    }
    assert kernels
    found = [
        f"{Path(item['filename']).relative_to(ROOT)}:{item['location']['row']} {item['message']}"
        for item in json.loads(done.stdout)
        if (item["filename"], item["location"]["row"]) not in kernels
    ]
    assert not found, "\n".join(found)


def test_functions_fit_on_a_screen():
    long = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        for node, is_kernel in functions(path)
        if not is_kernel and node.end_lineno - node.lineno + 1 > MOST_LINES
    ]
    assert not long, "\n".join(long)
