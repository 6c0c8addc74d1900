import sys
from io import StringIO

from hyperbaton import console
from tests.child_processes import wait_until


def test_lines_of_progress_without_a_terminal(monkeypatch):
    said = []
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False)
    monkeypatch.setattr(console, "say", said.append)
    monkeypatch.setattr(console, "INTERVAL", 0.001)
    with console.progress_line() as progress:
        for number, what in enumerate(["collecting", "learning from 7 examples"], 1):
            progress(what, 0)
            wait_until(lambda number=number: len(said) == number)
    # each once, although many intervals may have passed
    assert said == ["collecting", "learning from 7 examples"]


def test_what_else_a_line_of_progress_says(monkeypatch):
    said, states = [], iter(["1 worker", "2 workers"])
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False)
    monkeypatch.setattr(console, "say", said.append)
    monkeypatch.setattr(console, "INTERVAL", 0.001)
    with console.progress_line() as progress:
        with console.beside_progress(lambda: next(states)):
            progress("reading", 0)
            wait_until(lambda: len(said) == 1)
            progress("reading", 0)
            wait_until(lambda: len(said) == 2)
        progress("writing", 0)
        wait_until(lambda: len(said) == 3)
    assert said == ["reading | 1 worker", "reading | 2 workers", "writing"]


def test_short_work_writes_no_line(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False)
    monkeypatch.setattr(console, "INTERVAL", 3600.0)
    with console.progress_line() as progress:
        progress("collecting", 0)
    assert capsys.readouterr().err == ""


def test_progress_on_a_terminal_waits_and_then_shows_count_and_rate(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(console, "PATIENCE", 3600.0)
    with console.progress_line() as progress:
        progress("reading pairs", 1)
    assert "reading" not in capsys.readouterr().err
    monkeypatch.setattr(console, "PATIENCE", -1.0)
    with console.progress_line() as progress:
        progress("reading pairs", 1234)
        progress("reading pairs", 2345)
    captured = capsys.readouterr()
    assert "reading pairs: 2,345 (" in captured.err
    assert captured.out == ""


class Shown:
    """In the place of rich's status: the texts that it was given while it was seen."""

    def __init__(self, monkeypatch, times):
        self.texts = []
        clock = iter(times)
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
        monkeypatch.setattr(console.time, "monotonic", lambda: next(clock))
        monkeypatch.setattr("rich.console.Console.status", lambda *_: self)

    def update(self, text):
        self.texts.append(text)

    def start(self):
        pass

    stop = start


def test_a_rate_is_that_of_its_own_kind_of_work(monkeypatch):
    # opened at 0; ten seconds of reading, then lines begin to come, 50 a second
    shown = Shown(monkeypatch, [0, 5, 10, 100, 104])
    with console.progress_line() as progress:
        for what, done in (("pairs", 1000), ("pairs", 2000), ("lines", 10), ("lines", 210)):
            progress(what, done)
    assert shown.texts == ["pairs: 1,000", "pairs: 2,000 (200/s)", "lines: 10", "lines: 210 (50/s)"]


def test_the_same_work_done_again_has_a_rate_of_its_own(monkeypatch):
    shown = Shown(monkeypatch, [0, 10, 20, 100, 101])
    with console.progress_line() as progress:
        for done in (100, 200, 0, 30):
            progress("sentences", done)
    assert shown.texts[2:] == ["sentences", "sentences: 30 (30/s)"]


def test_work_that_only_says_that_it_begins_is_shown_at_once(monkeypatch):
    shown = Shown(monkeypatch, [0, 0.1, 0.2])
    with console.progress_line() as progress:
        progress("reading pairs", 10)
        progress("aligning", 0)
    assert shown.texts == ["aligning"]


def test_only_the_first_run_is_announced(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(
        "hyperbaton.foundation.kernels.cache_folder", lambda module: tmp_path / module
    )
    console.announce_compilation("hyperbaton.decoder.search")
    assert capsys.readouterr().err == console.COMPILING + "\n"
    (tmp_path / "hyperbaton.decoder.search").mkdir()
    (tmp_path / "hyperbaton.decoder.search" / "search.begin-12.py311.nbi").write_bytes(b"")
    console.announce_compilation("hyperbaton.decoder.search")
    assert capsys.readouterr().err == ""


class Terminal(StringIO):
    def isatty(self):
        return True


def test_errors_and_warnings_are_coloured_on_a_terminal_only(monkeypatch):
    for stream, error, warning in (
        (StringIO(), "hyperbaton: no file\n  try x\n", "warning: few\n"),
        (Terminal(), "\x1b[1;31merror:\x1b[0m no file\n\x1b[2m  try x\x1b[0m\n",
         "\x1b[33mwarning:\x1b[0m few\n"),
    ):  # fmt: skip
        monkeypatch.setattr(sys, "stderr", stream)
        console.complain("no file\n  try x")
        assert stream.getvalue() == error
        console.say("warning: few")
        assert stream.getvalue() == error + warning
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys, "stderr", Terminal())
    console.complain("no file")
    assert sys.stderr.getvalue() == "hyperbaton: no file\n"


def test_the_program_is_named_as_it_can_be_called(monkeypatch, tmp_path):
    monkeypatch.setattr(console, "which", lambda _: "/usr/bin/hyperbaton")
    assert console.program() == "hyperbaton"
    monkeypatch.setattr(console, "which", lambda _: None)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin" / "python"))
    assert console.program() == f"{tmp_path}/bin/python -m hyperbaton"
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "hyperbaton").touch()
    monkeypatch.chdir(tmp_path)
    assert console.program() == "bin/hyperbaton"
