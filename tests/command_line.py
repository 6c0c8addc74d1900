"""Commands as users type them, run where it is cheapest."""

import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from tempfile import TemporaryFile
from unittest.mock import patch

import pytest

from hyperbaton.main import main


def run(*arguments, input="", cwd=".", **options):  # noqa: A002
    """A finished command: in a process of its own if there are options for one, otherwise inside
    this one, which need not start and load everything again."""
    arguments = list(map(str, arguments))
    if options:
        command = [sys.executable, "-m", "hyperbaton", *arguments]
        return subprocess.run(
            command, input=input, cwd=cwd, capture_output=True, text=True, check=False, **options
        )
    with (
        TemporaryFile("w+", encoding="utf-8") as given,
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
