"""The house: floors from the ground up. A package imports only itself and the floors below it."""

import ast
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
HOUSE = ROOT / "src" / "hyperbaton"
# Packages from the ground up. A name stands for the modules that lie loose in that folder; ""
# is the front door.
FLOORS = (
    "foundation",
    "foundation.files",
    "foundation.work",
    "foundation.work.cluster",
    "corpus",
    "corpus.trees",
    "corpus.sentences",
    "corpus.corpora",
    "corpus.aligning",
    "corpus.words",
    "corpus.preparation",
    "corpus.raw_text",
    "models",
    "models.phrases",
    "models.rules",
    "models.language_model",
    "models.learning",
    "models.distortion",
    "models.distortion.msd",
    "models.distortion.dpr",
    "models.distortion.next_word",
    "models.distortion.next_word.attention",
    "models.distortion.parse",
    "models.distortion.osm",
    "models.system",
    "decoder.constraints",
    "decoder.ranking",
    "decoder.chart",
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
    "views",
    "",
    "api",
    "serving",
    "commands",
)
FAMILIES = {"msd", "dpr", "next_word", "parse"}  # beside, not above each other
MOST_LOOSE = {"foundation": 11, "corpus": 2, "models": 0, "tuning": 0, "": 5}  # outside any package
LINKS = ("foundation", "corpus", "models", "decoder", "tuning", "data_samples")
SAMPLES, GENERATOR = "data_samples", "data_samples.generator"
FORBIDDEN_NAMES = {"utils", "helpers", "misc", "common", "manager", "core"}


def folder(package):
    return HOUSE / package.replace(".", "/")


def modules_of(package):
    return sorted(folder(package).glob("*.py"))


def package_of(module):
    """The folder that a module, or a package's own face, lies in."""
    return module if folder(module).is_dir() else module.rpartition(".")[0]


def is_module(name):
    return folder(name).with_suffix(".py").exists() or folder(name).is_dir()


def modules_imported(path):
    """The modules of ours that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            first, _, rest = name.partition(".")
            assert first != "tests", f"{path} imports {name}"
            if first == "hyperbaton":
                yield rest if is_module(rest) else rest.rpartition(".")[0]


def packages_imported(path):
    return map(package_of, modules_imported(path))


def source_files():
    return [path for name in ("", *FLOORS) for path in modules_of(name)]


def test_every_package_has_its_floor():
    links = [HOUSE / name for name in LINKS]
    assert all(link.is_symlink() and link.resolve() == ROOT / link.name for link in links)
    folders = {path.parent for place in (HOUSE, *links) for path in place.rglob("*.py")}
    found = {path.relative_to(HOUSE).as_posix().replace("/", ".").strip(".") for path in folders}
    assert {name for name in found if not name.startswith(SAMPLES)} == set(FLOORS)


@pytest.mark.parametrize("package", FLOORS)
def test_imports_only_point_down(package):
    below = set(FLOORS[: FLOORS.index(package) + 1])
    if package.rpartition(".")[2] in FAMILIES:
        below -= {f"models.distortion.{family}" for family in FAMILIES} - {package}
    paths = modules_of(package)
    assert paths
    for path in paths:
        if path == HOUSE / "__init__.py":
            continue  # the face of the house shows something of every floor
        wrong = set(packages_imported(path)) - below
        assert not wrong, f"{path.relative_to(HOUSE)} imports {wrong}"


def test_imports_go_in_no_circle():
    """Not even those that are for types only, or that wait until they are needed."""
    graph = {
        path.relative_to(HOUSE).with_suffix("").as_posix().replace("/", "."): {
            *modules_imported(path)
        }
        for path in source_files()
        if path.stem != "__init__"
    }
    assert len(list(TopologicalSorter(graph).static_order())) >= len(graph)


def test_nothing_imports_the_generator_of_the_samples_and_it_imports_nothing():
    for path in (ROOT / SAMPLES).rglob("*.py"):
        assert all(name.startswith(GENERATOR) for name in packages_imported(path)), path


@pytest.mark.parametrize(("package", "most"), MOST_LOOSE.items())
def test_few_modules_lie_loose(package, most):
    assert len([path for path in modules_of(package) if path.stem != "__init__"]) <= most


def test_no_module_is_a_drawer_for_everything():
    assert not {path.stem for path in source_files()} & FORBIDDEN_NAMES


def test_folders_of_the_reader_were_taken_for_ours(tmp_path):
    for name in ("models", "tuning", "corpus"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").touch()
    (tmp_path / "decoder.py").touch()
    code = "import hyperbaton, models, decoder; print(hyperbaton.Translator, models, decoder)"
    for program in (["-c", code], ["-m", "hyperbaton", "--version"]):
        done = subprocess.run(
            [sys.executable, *program], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        assert "hyperbaton" in done.stdout
