"""`hyperbaton translate --lattice` and `--stats`: what the search did, for the user."""

import json

import pytest

from models.data.corpus_reading import CorpusFiles
from models.system.training import train_system
from tests import command_line


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("system")
    for name, text in (
        ("s", "hon o katta\nkare wa hon o yonda\n"),
        ("t", "bought a book\nhe read a book\n"),
        ("a", "0-2 2-0\n0-0 2-3 4-1\n"),
    ):
        (folder / name).write_text(text)
    train_system(CorpusFiles(folder / "s", folder / "t", folder / "a"), folder / "m")
    return folder / "m"


def run(model, *arguments):
    done = command_line.run("translate", model, *arguments, input="hon o katta\n\nkare wa\n")
    assert done.returncode == 0, done.stderr
    return done


def test_lattices_are_written_sentence_by_sentence(model, tmp_path):
    path = tmp_path / "lattice.txt"
    result = run(model, "--lattice", path, "--json", "--threads", 2)
    scores = [json.loads(line)["score"] for line in result.stdout.splitlines()]
    lines = path.read_text().splitlines()
    roots = [line for line in lines if " hyp=0 " in line]
    assert [int(line.split()[0]) for line in roots] == [0, 2]  # nothing of an empty line
    best = [float(line.rpartition("fscore=")[2]) for line in roots]
    assert best == pytest.approx([scores[0], scores[2]], rel=1e-5)
    numbers = [int(line.split()[0]) for line in lines]
    assert numbers == sorted(numbers)


def test_statistics_are_the_sum_of_what_json_says(model):
    result = run(model, "--stats", "--json")
    counts = [json.loads(line)["search"] for line in result.stdout.splitlines()]
    assert result.stderr.startswith("3 sentences in ")
    table = {line[:14].strip(): line[14:].split() for line in result.stderr.splitlines()[1:]}
    for name in ("words", "pops", "hypotheses", "lm_words"):
        total = sum(count[name] for count in counts)
        assert table[name.replace("_", " ")][0] == f"{total:,}"
    assert table["words"][0] == "5"
    assert table["largest stack"] == [str(max(count["largest_stack"] for count in counts))]
