"""What is installed is declared, explained and pinned; what the tests install has hashes."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FLOORS = ("src", "foundation", "corpus", "models", "decoder", "tuning")
SOURCE = [path for floor in FLOORS for path in (ROOT / floor).rglob("*.py")]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
LOCKED = (ROOT / ".ci/locked.txt").read_text()
PIN = re.compile(r"^([\w.-]+)==([^\s;\\]+)", re.MULTILINE)


def names(requirements):
    return {re.match(r"[\w.-]+", one)[0] for one in requirements}


def normal(name):
    """As installers compare names."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(text):
    return {(normal(name), version) for name, version in PIN.findall(text)}


def test_every_dependency_is_explained():
    rows = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in (ROOT / "docs/reference/dependencies.md").read_text().splitlines()
        if line.startswith("| `")
    ]
    core = {row[0].strip("`") for row in rows if len(row) == 4}
    assert core == names(PROJECT["dependencies"])
    others = [row for row in rows if len(row) == 5]
    extras = {row[0].strip("`"): set(re.findall(r"`([\w-]+)`", row[1])) for row in others}
    wanted = {}
    for extra, requirements in EXTRAS.items():
        for name in names(requirements):
            wanted.setdefault(name, set()).add(extra)
    assert extras == wanted
    assert len(rows) == len(core) + len(others) == len(core | extras.keys())
    assert all(all(row) for row in rows)


@pytest.mark.parametrize("extra", ["", *EXTRAS])
def test_every_dependency_is_pinned(extra):
    wanted = names(EXTRAS[extra] if extra else PROJECT["dependencies"])
    pinned = {name for name, _ in pins((ROOT / "constraints.txt").read_text())}
    assert set(map(normal, wanted)) <= pinned


def test_what_tests_install_has_hashes_and_the_pinned_versions():
    wanted = names([*PROJECT["dependencies"], *EXTRAS["test"], *EXTRAS["align"]])
    assert set(map(normal, wanted)) <= {name for name, _ in pins(LOCKED)}
    assert pins(LOCKED) <= pins((ROOT / "constraints.txt").read_text())
    entries = re.split(r"^(?=\w)", LOCKED, flags=re.MULTILINE)[1:]
    assert len(entries) == len(PIN.findall(LOCKED))
    assert all(re.search(r"--hash=sha256:[0-9a-f]{64}\b", entry) for entry in entries)


def imported():
    """Distributions that the source imports, by the tables of what is installed, and names that no
    installed one has."""
    known = packages_distributions()
    found = set()
    for path in SOURCE:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module]
            for name in (one.partition(".")[0] for one in names):
                if name not in sys.stdlib_module_names and name != "hyperbaton":
                    found |= set(known.get(name, [name]))
    return {normal(name) for name in found}


def test_every_required_package_is_imported():
    required = {normal(name) for name in names(PROJECT["dependencies"])}
    assert required - imported() <= {"backports-zstd"}  # where Python brings none
    assert len(required) > 10


def test_every_import_is_declared():
    declared = {normal(name) for every in (PROJECT["dependencies"], *EXTRAS.values())
                for name in names(every)}  # fmt: skip
    others = {"dask": "distributed", "spacy": "ginza", "backports": "backports-zstd"}
    ours = imported() - {"compression"}  # of Python 3.14
    assert {others.get(name, name) for name in ours} <= declared


def test_the_lock_names_no_server():
    assert "://" not in LOCKED
    assert "index" not in LOCKED
    assert "find-links" not in LOCKED
