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
