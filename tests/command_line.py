"""Commands as users type them, run where it is cheapest."""

import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from tempfile import TemporaryFile
from unittest.mock import patch

import pytest

from hyperbaton.main import main
from tests.refusals import states


def run(*arguments, code=0, **options):
    """A finished command, which must have ended with the exit code, unless that is none."""
    done = finished(list(map(str, arguments)), **options)
    assert code in (None, done.returncode), done.stderr
    return done


def finished(arguments, input="", cwd=".", **options):  # noqa: A002
    """In a process of its own if there are options for one, otherwise inside this one, which need
    not start and load everything again."""
    if options:
        command = [sys.executable, "-m", "hyperbaton", *arguments]
        return subprocess.run(
            command, input=input, cwd=cwd, capture_output=True, text=True, check=False, **options
        )
    with (
        TemporaryFile("w+", encoding="utf-8", errors="surrogateescape") as given,
        TemporaryFile("w+", encoding="utf-8") as out,
        TemporaryFile("w+", encoding="utf-8") as messages,
    ):
        given.write(input)
        given.seek(0)
        with (
            chdir(Path(cwd)),
            redirect_stdout(out),
            redirect_stderr(messages),
            patch("sys.stdin", given),
            pytest.raises(SystemExit) as stop,
        ):
            main(arguments)
        for stream in (out, messages):
            stream.seek(0)
        return subprocess.CompletedProcess(arguments, stop.value.code, out.read(), messages.read())


def outcome(*arguments, **options):
    """Standard output and standard error of a command."""
    done = run(*arguments, **options)
    return done.stdout, done.stderr


def refuses(facts, code, *arguments, **options):
    """Runs a command that must do nothing but end with the code and state the facts."""
    done = run(*arguments, code=code, **options)
    assert states(done.stderr, facts)
    assert (done.stdout, "Traceback" in done.stderr) == ("", False)
