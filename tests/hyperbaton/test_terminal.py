"""Commands in a real terminal: typed sentences, and progress that leaves nothing behind."""

import subprocess
import sys

import pytest

from hyperbaton.console import COMPILING
from tests.terminals import in_terminal

CORPUS = {
    "source": "hon o katta\nkare wa hon o yonda\n",
    "target": "bought a book\nhe read a book\n",
    "alignment": "0-2 2-0\n0-0 2-3 4-1\n",
}
COMMAND = [sys.executable, "-m", "hyperbaton"]
# Progress is shown from the beginning, not only where work takes long
IMPATIENT = [
    sys.executable,
    "-c",
    "from hyperbaton import console, main; console.PATIENCE = -1.0; main.main()",
]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    arguments = []
    for name, text in CORPUS.items():
        (folder / name).write_text(text)
        arguments += [f"--{name}", folder / name]
    return arguments


@pytest.fixture(scope="module")
def model(corpus, tmp_path_factory):
    folder = tmp_path_factory.mktemp("system") / "m"
    command = [*COMMAND, "train", *corpus, "--out", folder]
    subprocess.run([*map(str, command)], check=True, stderr=subprocess.DEVNULL)
    return folder


@pytest.fixture
def many(write):
    return write("in.txt", "hon o katta\n" * 40)


def seen(terminal):
    return [line for line in terminal.seen() if line != COMPILING]


@pytest.mark.parametrize("threads", [1, 2])
def test_a_typed_sentence_was_answered_only_after_the_next(model, threads):
    dialogue = {
        "hon o katta": "bought a book",
        "kare wa hon o yonda": "he read a book",
        "hon o yonda": "read a book",
    }
    with in_terminal([*IMPATIENT, "translate", model, "--threads", threads]) as (process, terminal):
        for sentence, translation in dialogue.items():
            terminal.type(sentence + "\n")
            terminal.read_until(translation + "\r\n")
        terminal.type("\x04")  # Ctrl-D
        terminal.read_to_end()
        assert process.wait() == 0
    assert seen(terminal) == [line for turn in dialogue.items() for line in turn]


def test_progress_was_written_into_translations(model, many):
    with in_terminal([*IMPATIENT, "translate", model, many]) as (process, terminal):
        terminal.read_to_end()
        assert process.wait() == 0
    assert seen(terminal) == ["bought a book"] * 40
    assert "translating" not in terminal.written


def test_the_progress_of_translations_into_a_file_is_shown_and_erased(model, many, tmp_path):
    out = tmp_path / "out.txt"
    command = [*IMPATIENT, "translate", model, many]
    with out.open("wb") as stream, in_terminal(command, stdout=stream) as (process, terminal):
        terminal.read_to_end()
        assert process.wait() == 0
    assert "translating: " in terminal.written
    assert seen(terminal) == []
    assert out.read_text() == "bought a book\n" * 40


def test_the_progress_of_training_is_shown_and_erased(corpus, tmp_path):
    command = [*IMPATIENT, "train", *corpus, "--out", "m", "--threads", 1]
    with in_terminal(command, cwd=tmp_path) as (process, terminal):
        terminal.read_to_end()
        assert process.wait() == 0
    # a short stage may end before it is drawn; but what is under way is drawn below every line
    for stage in ("the language model", "source word classes", "target word classes"):
        assert f"making {stage}" in terminal.written
    *parts, last = seen(terminal)
    names = ["phrases", "lm", "source_classes", "target_classes"]
    assert [line.partition(":")[0] for line in parts] == names
    assert last == "trained: m"
