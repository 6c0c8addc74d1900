"""The house: floors from the ground up. A package imports only itself and the floors below it."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
# Packages from the ground up. A name stands for the modules that lie loose in that folder.
FLOORS = (
    "models",
    "models.data",
    "models.work",
    "models.work.cluster",
    "models.preparation",
    "models.text",
    "models.phrases",
    "models.language_model",
    "models.learning",
    "models.distortion",
    "models.distortion.msd",
    "models.distortion.dpr",
    "models.distortion.next_word",
    "models.distortion.parse",
    "models.system",
    "decoder.constraints",
    "decoder.drawing",
    "decoder",
    "tuning",
    "tuning.metrics",
    "tuning.evaluation",
    "tuning.optimisers",
    "tuning.weights",
    "tuning.comparison",
    "tuning.reproduction",
    "tuning.report",
    "hyperbaton.views",
    "hyperbaton",
    "hyperbaton.serving",
    "hyperbaton.commands",
)
FAMILIES = {"msd", "dpr", "next_word", "parse"}  # beside, not above each other
MOST_LOOSE = {"models": 10, "tuning": 1, "hyperbaton": 6}  # modules outside any package
LAYERS = ("models", "decoder", "tuning", "hyperbaton")
SAMPLES, GENERATOR = "data_samples", "data_samples.generator"
FORBIDDEN_NAMES = {"utils", "helpers", "misc", "common", "manager"}


def modules_of(package):
    return sorted((ROOT / package.replace(".", "/")).glob("*.py"))


def is_module(name):
    path = ROOT / name.replace(".", "/")
    return path.with_suffix(".py").exists() or (path / "__init__.py").exists()


def package_of(module):
    """The folder that a module, or a package's own face, lies in."""
    path = ROOT / module.replace(".", "/")
    return module if path.is_dir() else module.rpartition(".")[0]


def packages_imported(path):
    """The packages of ours that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if is_module(name) else node.module for name in inner]
        else:
            continue
        ours = (*LAYERS, SAMPLES, "tests")
        yield from (package_of(name) for name in names if name.partition(".")[0] in ours)


def test_every_package_has_its_floor():
    folders = {path.parent for layer in LAYERS for path in (ROOT / layer).rglob("*.py")}
    found = {folder.relative_to(ROOT).as_posix().replace("/", ".") for folder in folders}
    assert found == set(FLOORS)


@pytest.mark.parametrize("package", FLOORS)
def test_imports_only_point_down(package):
    below = set(FLOORS[: FLOORS.index(package) + 1])
    if package.rpartition(".")[2] in FAMILIES:
        below -= {f"models.distortion.{family}" for family in FAMILIES} - {package}
    paths = modules_of(package)
    assert paths
    for path in paths:
        wrong = set(packages_imported(path)) - below
        assert not wrong, f"{path.relative_to(ROOT)} imports {wrong}"


def test_nothing_imports_the_generator_of_the_samples_and_it_imports_nothing():
    for path in (ROOT / SAMPLES).rglob("*.py"):
        assert all(name.startswith(GENERATOR) for name in packages_imported(path)), path


@pytest.mark.parametrize(("package", "most"), MOST_LOOSE.items())
def test_few_modules_lie_loose(package, most):
    assert len([path for path in modules_of(package) if path.stem != "__init__"]) <= most


def test_no_module_is_a_drawer_for_everything():
    stems = {path.stem for layer in LAYERS for path in (ROOT / layer).rglob("*.py")}
    assert not stems & FORBIDDEN_NAMES
