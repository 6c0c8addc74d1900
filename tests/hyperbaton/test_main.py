"""The frame of the command line: endings, exit codes, and nothing heavy behind --help."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest

from hyperbaton import main as frame
from hyperbaton.foundation.errors import DataError
from hyperbaton.models.distortion.catalogue import make_model
from hyperbaton.tuning.evaluation.significance import TESTS
from hyperbaton.tuning.metrics.words import TOKENISERS
from hyperbaton.views.evaluation_text import FORMATS
from tests import command_line
from tests.child_processes import HEAVY, PATIENCE, loaded_by, started, wait_for_reader

COMMAND = [sys.executable, "-m", "hyperbaton"]


def run(*arguments, **options):
    return subprocess.run(
        [*COMMAND, *arguments],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        **options,
    )


def ending(capsys, arguments):
    """Exit code and output of a run inside this process."""
    with pytest.raises(SystemExit) as stop:
        frame.main(arguments)
    return stop.value.code, capsys.readouterr()


def with_command(monkeypatch, function):
    command = click.command("broken")(function)
    command.params.append(frame._debug_option())
    monkeypatch.setitem(frame.cli.commands, "broken", command)


def test_no_arguments_show_the_help_and_are_wrong_usage():
    result = run()
    assert result.returncode == 2
    assert result.stdout == ""
    assert "Usage: hyperbaton" in result.stderr
    assert "demo" in result.stderr


def test_help_lists_every_command_and_is_data():
    result = run("--help")
    assert result.returncode == 0
    assert result.stderr == ""
    for name in frame.COMMANDS:
        assert f"  {name} " in result.stdout
        shown = command_line.run(name, "--help").stdout
        assert shown.startswith(f"Usage: hyperbaton {name}")


def test_help_imports_nothing_heavy():
    code = (
        "from hyperbaton.main import COMMANDS, cli\n"
        "for name in COMMANDS:\n"
        "    cli.main([name, '--help'], standalone_mode=False)\n"
        "cli.main(['--help'], standalone_mode=False)\n"
    )
    loaded = loaded_by(code)
    assert not HEAVY & loaded
    assert "hyperbaton.commands.translate" in loaded


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("--version", ["hyperbaton 0"]),
        ("align", ["grow-diag-final-and"]),
        ("study", ["next-word", "learners"]),
        ("evaluate", [*FORMATS, *TESTS, *TOKENISERS]),
        ("tune", ["mert", "mert-lattice", "pro", "mira", "goto", "--fix", "--restart", "100]"]),
    ],
)
def test_help_names_what_can_be_chosen(command, names):
    done = command_line.run(command, "--help") if command[0] != "-" else command_line.run(command)
    for name in names:
        assert re.search(rf"(?<!\w){re.escape(name)}(?!\w)", done.stdout), name


def test_a_command_imports_no_other():
    code = "from hyperbaton.main import cli; cli.main(['export', '--help'], standalone_mode=False)"
    loaded = {name for name in loaded_by(code) if name.startswith("hyperbaton.commands.")}
    assert loaded == {"hyperbaton.commands.moses", "hyperbaton.commands.parameters"}


def interrupted_in_compiled_code():
    try:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as stop:
            raise SystemError("_numba_unpickle returned a result") from stop
    except SystemError as inner:
        raise SystemError("CPUDispatcher returned a result") from inner


def failing_to_save_after_ctrl_c():
    try:
        raise KeyboardInterrupt
    except KeyboardInterrupt:
        raise DataError("cannot be written") from None


def fail(error):
    raise error


MESSAGE = {"where": "here:1", "expected": "not that", "advice": "mend it"}


@pytest.mark.parametrize(
    ("broken", "code", "said"),
    [
        (lambda: fail(DataError("bad", **MESSAGE)), 1, "here:1: bad\n  not that\n  mend it\n"),
        (failing_to_save_after_ctrl_c, 1, "cannot be written\n"),
        (lambda: Path("x" * 300).stat(), 1, f"{'x' * 300}: File name too long\n"),
        (lambda: fail(OSError("16 requested and 0 written")), 1, "16 requested and 0 written\n"),
        (interrupted_in_compiled_code, 130, ""),
    ],
)
def test_endings_without_a_traceback(monkeypatch, capsys, broken, code, said):
    with_command(monkeypatch, broken)
    found, captured = ending(capsys, ["broken"])
    assert (found, captured.err) == (code, f"hyperbaton: {said}" if said else "")


def test_a_defect_says_so_and_shows_a_traceback_only_on_demand(monkeypatch, capsys):
    with_command(monkeypatch, lambda: fail(ZeroDivisionError("oops")))
    code, captured = ending(capsys, ["broken"])
    assert code == 1
    assert captured.err.startswith("hyperbaton: unexpected ZeroDivisionError: oops\n")
    assert "--debug" in captured.err
    for arguments in (["--debug", "broken"], ["broken", "--debug"]):
        code, captured = ending(capsys, arguments)
        assert code == 1
        assert "Traceback (most recent call last)" in captured.err


def test_an_error_in_a_plug_in_is_not_our_defect(monkeypatch, capsys, tmp_path):
    text = (
        "from hyperbaton.models.distortion.linear import Linear\n\nclass Model(Linear):\n"
        "    def __init__(self):\n        len(5)\n"
    )
    (tmp_path / "wrong_plug_in.py").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with_command(monkeypatch, lambda: make_model("wrong_plug_in:Model"))
    code, captured = ending(capsys, ["broken"])
    assert code == 1
    first, *others = captured.err.splitlines()
    assert first.endswith(
        "wrong_plug_in.py:5: the plug-in wrong_plug_in failed: TypeError: object of type 'int' has "
        "no len()"
    )
    assert others == ["  in __init__", "  --debug shows the whole traceback"]


def test_debug_shows_the_traceback_of_our_own_errors_too(capsys):
    command = ["corpus", "--source", "nothing", "--target", "nothing", "--debug"]
    code, captured = ending(capsys, command)
    assert code == 1
    assert "Traceback" in captured.err
    assert "hyperbaton: nothing: no such file" in captured.err


@pytest.fixture
def endless(tmp_path):
    """A command that reads a file whose end does not come by itself, and that file."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    return [*COMMAND, "corpus", "--source", str(pipe), "--target", os.devnull], pipe


def signal_while_it_reads(process, pipe, number):
    writer = wait_for_reader(pipe, process)
    process.send_signal(number)
    os.close(writer)  # the end of the file: a read that has just begun would not see the signal


def test_ctrl_c_is_quiet(endless):
    command, pipe = endless
    with started(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        signal_while_it_reads(process, pipe, signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == frame.INTERRUPTED
    assert (out, err) == ("", "")


def test_ctrl_c_while_the_program_is_being_loaded_is_quiet(tmp_path):
    (tmp_path / "click.py").write_text("raise KeyboardInterrupt\n")
    paths = os.pathsep.join([str(tmp_path), str(Path(frame.__file__).parent.parent)])
    result = run("--help", env={**os.environ, "PYTHONPATH": paths})
    assert (result.returncode, result.stdout, result.stderr) == (130, "", "")


@pytest.mark.parametrize("ignored", [True, False])
def test_a_signal_that_nohup_has_ignored_stays_ignored(endless, ignored):
    command, pipe = endless
    trap = "trap '' HUP; " if ignored else ""
    shell = ["/bin/sh", "-c", f"{trap}exec {' '.join(command)}"]
    with started(shell, stdout=subprocess.DEVNULL) as process:
        signal_while_it_reads(process, pipe, signal.SIGHUP)
        assert process.wait(timeout=PATIENCE) == (0 if ignored else frame.SIGNALLED + signal.SIGHUP)


BUFFERED = {**os.environ, "PYTHONUNBUFFERED": ""}


def by_shell(redirection, *arguments):
    """A run with streams as a shell can set them; both outputs come back through files."""
    command = f"exec {' '.join(map(str, [*COMMAND, *arguments]))} {redirection}"
    return subprocess.run(
        command, shell=True, capture_output=True, timeout=PATIENCE, check=False, env=BUFFERED
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_output_that_does_not_fit_is_no_defect(write):
    corpus = ["--source", write("s", "a\n"), "--target", write("t", "b\n")]
    for arguments in (["--help"], ["corpus", *corpus], ["corpus", *corpus, "--show", "0"]):
        result = by_shell(">/dev/full", *arguments)
        assert result.returncode == 1
        assert result.stderr == b"hyperbaton: standard output: No space left on device\n"
    result = by_shell("2>/dev/full", "corpus", "--source", "nothing", "--target", "nothing")
    assert (result.returncode, result.stdout, result.stderr) == (1, b"", b"")


def test_streams_that_are_closed_are_no_defect(write):
    target = write("t", "b\n")
    corpus = ["corpus", "--source", write("s", "a\n"), "--target", target]
    result = by_shell(">&-", *corpus)
    assert result.returncode == 1
    assert result.stderr == b"hyperbaton: standard output: Bad file descriptor\n"
    result = by_shell("<&-", "corpus", "--source", "-", "--target", target)
    assert result.returncode == 1
    assert result.stderr == b"hyperbaton: -:1: cannot be read: Bad file descriptor\n"
    result = by_shell("2>&-", *corpus)
    assert result.returncode == 0
    assert b"1 sentence pair" in result.stdout
    assert by_shell("2>&-", *corpus[:-1], "nothing").returncode == 1


def test_names_may_be_any_bytes(write, tmp_path):
    source, target = write("s", "a\n"), write("t", "b\n")
    name = os.fsencode(tmp_path) + b"/b\xffd"
    result = subprocess.run(
        [*COMMAND, "corpus", "--source", name, "--target", target], capture_output=True, check=False
    )
    assert result.returncode == 1
    assert result.stderr.endswith(b"/b\\udcffd: no such file\n")
    picture = name + b".svg"
    result = subprocess.run(
        [*COMMAND, "corpus", "--source", source, "--target", target, "--plot", picture],
        capture_output=True,
        check=False,
    )
    assert result.returncode == 0
    assert result.stderr.endswith(b"/b\\udcffd.svg\n")
    assert os.path.exists(picture)  # noqa: PTH110 - the name is bytes


@pytest.mark.parametrize("unbuffered", ["", "1"])  # otherwise something is left to write at exit
def test_a_reader_that_goes_away_is_no_failure(unbuffered):
    process = subprocess.Popen(
        [*COMMAND, "corpus", "--help"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        text=True,
    )
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait(timeout=PATIENCE) == 0


def test_shells_can_complete_commands():
    environment = {"_HYPERBATON_COMPLETE": "bash_complete", "COMP_WORDS": "hyperbaton corp"}
    result = run(env={**os.environ, **environment, "COMP_CWORD": "1"})
    assert result.stdout == "plain,corpus\n"


def test_output_is_utf8_whatever_the_locale(write):
    source, target = write("s", "本 を\n"), write("t", "book\n")
    result = subprocess.run(
        [*COMMAND, "corpus", "--source", source, "--target", target, "--show", "0"],
        capture_output=True,
        env={**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        check=True,
    )
    assert "本 を" in result.stdout.decode("utf-8")
