"""Commands with `--cluster`: the same bytes and messages as without, from workers that see none of
the command's files."""

import csv
import json
import re
import shutil
from unittest.mock import patch

import pytest

from hyperbaton.corpus.corpora.reading import CorpusFiles
from hyperbaton.models.system.folder import write_weights
from hyperbaton.models.system.training import train_system
from tests.command_line import run
from tests.foundation.work.cluster.machines import machines

pytest.importorskip("distributed")

LINES = (
    "kare wa hon o katta\n\nhon o yonda da\nKare WA\nhon o katta\n" + "kare wa hon o yonda\n" * 40
)
PAIRS = [
    ("hon o katta", "bought a book", "0-2 2-0"),
    ("kare wa hon o yonda", "he read a book", "0-0 2-3 4-1"),
    ("kare wa pan o katta", "he bought some bread", "0-0 2-3 4-1"),
    ("pan o yonda", "read some bread", "0-2 2-0"),
]
OURS = re.compile(r"tcp://|dashboard of the cluster: |compiling for the first")


@pytest.fixture(scope="module")
def far(tmp_path_factory, home):
    """What `--cluster` takes."""
    folder = tmp_path_factory.mktemp("cluster")
    with machines(folder, 2, hidden=[home]) as made:
        table = folder / "cluster.toml"
        table.write_text(
            '[cluster]\nkind = "scheduler"\nshared = false\n'
            f'options = {{ address = "{made.address}" }}\n'
        )
        yield table


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A system, and texts for it."""
    folder = tmp_path_factory.mktemp("home")
    for ending, rows in zip("sta", zip(*PAIRS, strict=True), strict=True):
        (folder / ending).write_text("".join(f"{row}\n" for row in rows))
    train_system(CorpusFiles(folder / "s", folder / "t", folder / "a"), folder / "m")
    (folder / "in").write_bytes(LINES.encode() + b"\xff\n" + b"hon\n")
    n = LINES.count("\n") + 2
    (folder / "orders").write_text("4 0-2\n\n1\n7\n" + "0\n" * (n - 4))
    (folder / "dev").write_text("a book bought\nhe a book read\nhe some bread bought\nbread read\n")
    (folder / "target").write_text("he read a book\n" * n)
    return folder


def without_own_lines(text):
    """Without the cluster's lines, and those of progress, which a slow machine prints."""
    lines = [line for line in text.splitlines() if not OURS.match(line)]
    return [line for line in lines if not re.search(r": [\d,]+( \([\d,]+/s\))?$", line)]


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--n-best", 3, "--n-best-file", "lists", "--print-alignment"],
        ["--format=json", "--n-best", 2, "--distinct"],
        ["--lattice", "lattices"],
        ["--mbr", "--distortion", "linear"],
        ["--order", "orders", "--set", "search.max_length=4"],
        ["--force", "target"],
        ["--oracle", "a", "--source", "s"],
    ],
)
def test_translate(far, home, arguments):
    source = "s" if "--source" in arguments else "in"
    arguments = [name for name in arguments if name not in ("--source", "s")]
    written = [home / name for name in ("lists", "lattices", "out")]
    results = []
    for where in ([], ["--cluster", far]):
        for path in written:
            path.unlink(missing_ok=True)
        done = run("translate", "m", source, *arguments, *where, cwd=home, code=None)
        files = [path.read_bytes() for path in written if path.exists()]
        results.append((done.returncode, done.stdout, without_own_lines(done.stderr), files))
        assert bool(re.search(r"\d tasks? at once", done.stderr)) == bool(where)
    assert results[0] == results[1]
    if source == "in":
        assert results[0][0] == 1
        assert any("sentence 46: in:46: byte 0xff" in line for line in results[0][2])
    assert results[0][1]


def test_standard_input_and_statistics(far, home):
    near = run("translate", "m", "--stats", input=LINES, cwd=home)
    with patch(
        "hyperbaton.decoder.translator.Translator.decode", side_effect=AssertionError("at home")
    ):
        away = run("translate", "m", "--stats", "--cluster", far, input=LINES, cwd=home)
        assert "at home" in run("translate", "m", input=LINES, cwd=home, code=None).stderr
    assert near.stdout == away.stdout
    times = re.compile(r"^(milliseconds|\d+ sentences in).*")
    messages = ([times.sub("", x) for x in without_own_lines(one.stderr)] for one in (near, away))
    assert next(messages) == next(messages)


@pytest.mark.parametrize(
    "how",
    [
        ["--method", "mira", "--metric", "bleu+kendall", "--reference-alignment", "a"],
        ["--method", "mert-lattice", "--set", "mert-lattice.turns=1", "--choose-mbr-scale"],
    ],
)
def test_tune(far, home, how):
    results = []
    for where in ([], ["--cluster", far]):
        shutil.rmtree(home / "tuned", ignore_errors=True)
        shutil.copytree(home / "m", home / "tuned")
        write_weights(home / "tuned", {"linear": 1.0, "word_penalty": 0.5}, 6, {})
        done = run(
            "tune", "tuned", "--source", "s", "--reference", "dev", "--n-best", 20,
            "--iterations", 2, "--replicas", 1, *how, *where, cwd=home,
        )  # fmt: skip
        state = home / "tuned" / "tuning"
        trace = json.loads((state / "tuning.json").read_text(), object_hook=without_times)
        said = [re.sub(r", [\d.]+ s(, .*left)?$", "", x) for x in without_own_lines(done.stderr)]
        files = (home / "tuned" / "model.toml").read_bytes(), (state / "tuning.svg").read_bytes()
        results.append((done.stdout, said, trace, files))
    assert results[0] == results[1]
    assert len(results[0][2]["replicas"][0]["steps"]) > 1


def without_times(content):
    return {key: value for key, value in content.items() if key != "seconds"}


@pytest.mark.usefixtures("shared_samples")
def test_studies_of_learners(far, tmp_path):
    arguments = [
        "--sample", "zh-en", "--sizes", "20,30", "--repeats", 2, "--test-size", 10,
        "--learners", "lr,mlr-dual", "--classes", 3,
    ]  # fmt: skip
    rows = []
    for number, where in enumerate(([], ["--cluster", far])):
        path = tmp_path / f"{number}.csv"
        run("study", "learners", *arguments, "--out", path, *where)
        with path.open(newline="") as stream:
            rows.append([row for row in csv.reader(stream) if not set(row) & {"seconds"}])
    assert len(rows[0]) > 100
    assert rows[0] == rows[1]
