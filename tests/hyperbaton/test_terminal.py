"""Commands in a real terminal: typed sentences, and progress that leaves nothing behind."""

import re
import signal
import sys
from contextlib import contextmanager

import pytest

from hyperbaton.commands.prompt import HELP, SIGN
from hyperbaton.console import COMPILING
from tests.terminals import in_terminal
from tests.tiny_systems import TWO_PAIRS, write_corpus

COMMAND = [sys.executable, "-m", "hyperbaton"]
# Progress is shown from the beginning, not only where work takes long
IMPATIENT = [
    sys.executable,
    "-c",
    "from hyperbaton import console, main; console.PATIENCE = -1.0; main.main()",
]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    files = write_corpus(tmp_path_factory.mktemp("corpus"), times=1, **TWO_PAIRS)
    return [word for name in TWO_PAIRS for word in (f"--{name}", getattr(files, name))]


@pytest.fixture
def many(write):
    return write("in.txt", "hon o katta\n" * 40)


@pytest.fixture(autouse=True)
def state(monkeypatch, tmp_path):
    """The folder for what a prompt remembers."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "hyperbaton"


def seen(terminal):
    return [line for line in terminal.seen() if line != COMPILING]


@pytest.mark.parametrize("threads", [1, 2])
def test_a_typed_sentence_was_answered_only_after_the_next(model, threads):
    dialogue = {
        "hon o katta": "bought a book ||| 0-2 2-0",
        "kare wa hon o yonda": "he read a book ||| 0-0 2-3 4-1",
        "hon o yonda": "read a book ||| 0-2 2-0",
    }
    command = [*IMPATIENT, "translate", model, "--threads", threads, "--print-alignment"]
    with in_terminal(command) as (process, terminal):
        for sentence, translation in dialogue.items():
            terminal.type(sentence + "\n")
            terminal.read_until(translation + "\r\n")
        terminal.type("\x04")  # Ctrl-D
        terminal.read_to_end()
        assert process.wait() == 0
    assert seen(terminal) == [line for turn in dialogue.items() for line in turn]


@contextmanager
def prompting(model, *arguments):
    """A process with a prompt, its terminal, and a function that gets the answer to a line."""
    with in_terminal([*COMMAND, "translate", model, *arguments]) as (process, terminal):

        def ask(line):
            before = len(terminal.written)
            terminal.type(f"{line}\n")
            terminal.read_until(f"\n{SIGN}")
            _, *answer, _ = terminal.written[before:].split("\r\n")
            return answer

        terminal.read_until(SIGN)
        yield process, terminal, ask
        terminal.read_to_end()
        assert process.wait() == 0


def test_a_prompt_translates_and_does_what_it_is_asked(model):
    with prompting(model) as (_, terminal, ask):
        assert ask(":jumps") == ["nothing has been translated yet", "  type a sentence first"]
        assert ask("hon o katta") == ["bought a book"]
        assert ask(":jumps") == ["hon o katta", "━━━━━━━━━━━   bought a book"]
        assert ask("  ") == []
        assert ask(":n-best 2") == []
        first, second = ask("hon o katta")
        assert first.endswith("  bought a book")
        assert float(first.split()[0]) > float(second.split()[0])
        assert ask(":n-best 1") == []
        assert ask(":n-best none") == [":n-best needs a number", "  such as :n-best 5"]
        assert ask(":jmps")[:2] == ["unknown command :jmps", "  did you mean :jumps?"]
        assert ask(":help") == HELP.splitlines()
        # a line that begins with a colon can be translated, too
        assert ask("::quit") == [":quit"]  # unknown words are copied
        assert ask(" :quit hon") == [":quit a book"]
        assert ask(":::") == ["::"]
        # bytes that are no text are refused
        terminal.type_bytes(b"\xff\n")
        terminal.read_until("this is not UTF-8")
        terminal.read_until(f"\n{SIGN}")
        assert ask("hon o katta") == ["bought a book"]
        terminal.type(":quit\n")


def test_a_prompt_has_the_options_of_the_command(model):
    with prompting(model, "--n-best", 2, "--markup", "exclusive") as (_, terminal, ask):
        assert len(ask("hon o katta")) == 2
        assert "a novel" in ask('<term translation="a novel">hon</term>')[0]
        assert ask("<zone>hon")[0] == "column 1: <zone> without </zone>"
        terminal.type("\x04")


def test_an_interrupt_clears_the_line_and_what_ends_programs_ends_a_prompt(model):
    with in_terminal([*COMMAND, "translate", model]) as (process, terminal):
        terminal.read_until(SIGN)
        terminal.type("kare")
        terminal.read_until("kare")
        process.send_signal(signal.SIGINT)
        terminal.read_until(SIGN, lambda: process.send_signal(signal.SIGINT))
        terminal.type("hon o katta\n")
        terminal.read_until(SIGN)
        process.send_signal(signal.SIGTERM)
        terminal.read_to_end(lambda: process.send_signal(signal.SIGTERM))
        assert process.wait() == 128 + signal.SIGTERM


def test_a_prompt_remembers_what_was_typed(model, state):
    with prompting(model) as (_, terminal, ask):
        ask("hon o yonda")
        terminal.type("\x04")
    assert (state / "history").read_text().splitlines()[-1] == "hon o yonda"
    with prompting(model) as (_, terminal, ask):
        assert ask("\x1b[A") == ["read a book"]  # the key for the line before
        terminal.type("\x04")


def test_a_prompt_that_cannot_remember_works(model, state):
    state.parent.write_text("no folder")
    with prompting(model) as (_, terminal, ask):
        assert ask("hon o katta") == ["bought a book"]
        terminal.type("\x04")
    assert state.parent.read_text() == "no folder"


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
    *parts, last, advice = seen(terminal)
    names = ["phrases", "lm", "source_classes", "target_classes"]
    assert [line.partition(":")[0] for line in parts] == names
    assert last == "trained: m"
    assert re.fullmatch(r"try: .*hyperbaton translate m", advice)
