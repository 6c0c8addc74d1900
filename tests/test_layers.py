"""Imports point one way: hyperbaton → tuning → decoder → models."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LAYERS = ("models", "decoder", "tuning", "hyperbaton")  # each may use itself and those before it
SAMPLES = "data_samples"  # uses nothing of ours
FORBIDDEN_NAMES = {"utils", "helpers", "misc", "common", "manager"}


def packages_imported(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module.split(".")[0]


@pytest.mark.parametrize("layer", [*LAYERS, SAMPLES])
def test_imports_only_point_down(layer):
    allowed = set(LAYERS[: LAYERS.index(layer) + 1]) if layer in LAYERS else {SAMPLES}
    ours = {*LAYERS, SAMPLES, "tests"}
    paths = sorted((ROOT / layer).rglob("*.py"))
    assert paths
    for path in paths:
        wrong = set(packages_imported(path)) & ours - allowed
        assert not wrong, f"{path.relative_to(ROOT)} imports {wrong}"


def test_no_module_is_a_drawer_for_everything():
    stems = {path.stem for layer in LAYERS for path in (ROOT / layer).rglob("*.py")}
    assert not stems & FORBIDDEN_NAMES


def modules_imported(path):
    """Whole names, wherever in the file they are imported."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_nothing_imports_commands_and_views_import_neither_commands_nor_the_front():
    """`hyperbaton.commands` → `hyperbaton` → `hyperbaton.views`, so that there is no cycle."""
    front = ROOT / "hyperbaton"
    for path in sorted(front.glob("*.py")):
        assert not [n for n in modules_imported(path) if n.startswith("hyperbaton.commands")], path
    for path in sorted((front / "views").rglob("*.py")):
        ours = {name for name in modules_imported(path) if name.split(".")[0] == "hyperbaton"}
        assert all(name.startswith("hyperbaton.views") for name in ours), path
