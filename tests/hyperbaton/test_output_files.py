"""Outputs that would be mixed up, or that have no place, are refused before the work begins."""

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from hyperbaton.commands.output_files import STREAM, check_outputs
from tests.refusals import refused

MIXED = "cannot be written: another option names the same file"


@pytest.fixture
def names(tmp_path, monkeypatch):
    """Four names of one file, and two of one that is not there yet."""
    monkeypatch.chdir(tmp_path)
    Path("x").write_text("hon\n")
    Path("link").symlink_to("x")
    os.link("x", "hard")
    Path("new-link").symlink_to("new")
    return [["x", "./x", "link", "hard", str(tmp_path / "x")], ["new", "./new", "new-link"]]


def test_every_spelling_of_a_file_is_found_out(names):
    for same in names:
        for first in same:
            for second in same:
                with pytest.raises(click.UsageError, match=f"^{Path(second)} {MIXED}"):
                    check_outputs([Path(first), Path(second)], [])
                with pytest.raises(click.UsageError, match=MIXED):
                    check_outputs([Path(second)], [Path("other"), Path(first)])
    check_outputs([Path("x"), Path("new"), Path("newer")], [Path("other")])


@pytest.mark.usefixtures("names")
def test_inputs_may_be_named_twice_and_streams_go_both_ways():
    check_outputs([STREAM], [Path("x"), Path("link"), STREAM, STREAM])
    with pytest.raises(click.UsageError, match=f"^- {MIXED}"):
        check_outputs([STREAM, STREAM], [])


@pytest.mark.skipif(not Path(os.devnull).is_char_device(), reason="there are no devices here")
def test_devices_take_anything():
    null = Path(os.devnull)
    check_outputs([null, null, STREAM], [null])


def test_an_output_without_a_place(tmp_path):
    refused("nowhere: no such folder", lambda: check_outputs([tmp_path / "nowhere" / "x"], []))
    refused("is a folder, not a file", lambda: check_outputs([tmp_path], []))


@pytest.mark.usefixtures("names")
def test_a_file_that_standard_output_goes_to():
    command = [sys.executable, "-m", "hyperbaton", "translate", "model", "-o", "-"]
    with Path("out").open("wb") as out:
        result = subprocess.run(
            [*command, "--n-best-file", "out"], stdout=out, stderr=subprocess.PIPE, text=True
        )
    assert result.returncode == 2
    assert MIXED in result.stderr
