"""Same bytes from any number of threads and in every run, same translations on every processor."""

import json
from pathlib import Path

import pytest

from tests import command_line
from tools.kill import TRAIN, write_data

TABLE = Path(__file__).parent / "scores.jsonl"
# Of the last digits of scores, which depend on the order in which a processor adds
TOLERANCE = 1e-5


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Data, and a system that was trained on them."""
    folder = tmp_path_factory.mktemp("determinism")
    write_data(folder)
    command_line.run(*TRAIN.split(), cwd=folder)
    return folder


def outputs(folder, threads):
    """The bytes of every kind of output."""
    made = {}
    for name, options in {
        "text": [],
        "aligned": ["--print-alignment"],
        "json": ["--format=json", "--n-best", 5],
        "lists": ["--n-best", 20, "--n-best-file", "lists"],
        "lattices": ["--lattice", "lattices"],
        "consensus": ["--mbr", "--n-best", 20],
    }.items():
        common = ["translate", "model", "dev.ja", "--threads", threads]
        done = command_line.run(*common, *options, cwd=folder)
        file = folder / name
        made[name] = (done.stdout, file.read_bytes() if file.exists() else b"")
    return made


def test_threads_and_runs_do_not_matter(folder):
    first = outputs(folder, 1)
    assert all(out or file for out, file in first.values())
    assert len(first["text"][0].splitlines()) == 30
    for threads in (2, 8):  # other runs as well: what is different in each would show
        assert outputs(folder, threads) == first


def test_training_in_any_number_of_threads(folder, tmp_path):
    write_data(tmp_path)
    command_line.run(*TRAIN.split(), "--threads", 8, cwd=tmp_path)
    files = [path.relative_to(folder) for path in (folder / "model").rglob("*") if path.is_file()]
    assert len(files) > 20
    for file in files:
        assert (tmp_path / file).read_bytes() == (folder / file).read_bytes(), file


def test_scores_are_those_of_another_processor(folder):
    """`scores.jsonl` was written on arm64 by

    hyperbaton translate model dev.ja --format=json --n-best 2
    """
    done = command_line.run(
        "translate", "model", "dev.ja", "--format=json", "--n-best", 2, cwd=folder
    )
    found = list(map(json.loads, done.stdout.splitlines()))
    stored = list(map(json.loads, TABLE.read_text(encoding="utf-8").splitlines()))
    assert len(found) >= len(stored) == 12
    for one, other in zip(found, stored, strict=False):
        assert one["translation"] == other["translation"]
        assert one["score"] == pytest.approx(other["score"], rel=TOLERANCE)
        features = pytest.approx(other["features"], rel=TOLERANCE, abs=TOLERANCE)
        assert one["features"] == features
        assert one["n_best"][0]["score"] == pytest.approx(other["second"], rel=TOLERANCE)
