"""`hyperbaton compare` from the command line, killed at random moments too."""

import os
import random
import re
import signal
import subprocess
import sys
from contextlib import nullcontext
from unittest.mock import patch

import pytest

from hyperbaton.models.system.stages import locked
from tests import command_line
from tests.child_processes import started, wait_until
from tests.tuning.comparison.tiny import in_this_process, tiny_configuration

COMMAND = [sys.executable, "-m", "hyperbaton", "compare"]
FILES = ("results.json", "results.csv", "results.md", "results.tex")
KILLS = (0.2, 0.5), (0.6, 0.9)  # shares of the files that are there by then
CONFIGURATION = """
title = "Tiny"
limits = [6, "inf"]
metrics = ["bleu", "pdscore"]
lm.order = 3
classes.number = 4

[train]
source = "train.source"
target = "train.target"
alignment = "train.alignment"

[dev]
source = "dev.source"
references = ["dev.target"]

[[test]]
name = "test"
source = "test.source"
references = ["test.target"]
alignment = "test.alignment"

[[system]]
name = "LINEAR"
distortion = ["linear"]

[[system]]
name = "LEX"
distortion = ["linear", "msd"]

[tune]
method = "none"
"""


SYSTEMS = "[[system]]" + CONFIGURATION.partition("[[system]]")[2]


def run(*arguments, **options):
    """Inside this process, with all jobs."""
    with patch("hyperbaton.tuning.comparison.run.run_jobs", in_this_process):
        return command_line.run("compare", *arguments, **options)


def content(folder):
    return {name: (folder / name).read_bytes() for name in FILES}


@pytest.fixture
def config(tmp_path):
    return write_config(tmp_path)


def write_config(folder):
    tiny_configuration(folder)  # for the data
    path = folder / "tiny.toml"
    path.write_text(CONFIGURATION)
    return path


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """A folder with a configuration and its results, and what was said."""
    folder = tmp_path_factory.mktemp("undisturbed")
    config = write_config(folder)
    return folder, run(config, cwd=folder)


def test_tables_and_files(undisturbed):
    """The folder is named after the configuration."""
    folder, result = undisturbed
    lines = result.stdout.splitlines()
    assert lines[0] == "test: 8 sentences"
    assert lines[1].split() == ["system", "limit", "BLEU", "↑", "PDscore", "↑"]
    assert [line.split()[:2] for line in lines[2:6]] == [
        ["LINEAR", "6"], ["LINEAR", "∞"], ["LEX", "6"], ["LEX", "∞"]
    ]  # fmt: skip
    assert "BLEU ↑ on test" in lines
    assert ": done; 4 of 4\n" in result.stderr
    assert "written: tiny/results.json tiny/results.csv" in result.stderr
    took = r"took \d+ \w+ \(\d+ \w+ of processor time\), at most [\d,]+ MB"
    assert re.search(took, result.stderr)
    report = (folder / "tiny" / "report.html").read_text()
    assert re.search(r"<title>Tiny, \d{4}-\d\d-\d\d</title>", report)


def n_files(folder):
    return sum(len(names) for _, _, names in os.walk(folder))


def test_killing_it_at_random_moments_changes_nothing(undisturbed, tmp_path):
    folder, first = undisturbed
    config, disturbed = folder / "tiny.toml", tmp_path / "disturbed"
    draw = random.Random(1)
    for shares in KILLS:
        enough = draw.uniform(*shares) * n_files(folder / "tiny")
        process = subprocess.Popen(
            [*COMMAND, config, "--out", disturbed],
            stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        wait_until(lambda: n_files(disturbed) >= enough or process.poll() is not None)  # noqa: B023
        process.send_signal(signal.SIGKILL)
        process.wait()
    result = run(config, "--out", disturbed, "--threads", 1)
    assert result.stdout == first.stdout
    assert content(disturbed) == content(folder / "tiny")
    unfinished = [path for path in (disturbed / "parts").iterdir() if "unfinished" in path.name]
    assert unfinished == []


def n_processes(group):
    """How many processes of the group are alive."""
    listed = subprocess.run(
        ["ps", "-A", "-o", "pgid=,stat="], capture_output=True, text=True, check=True
    )
    states = (line.split() for line in listed.stdout.splitlines())
    return sum(int(own) == group and state[0] != "Z" for own, state in states)


def test_ctrl_c_ends_all_processes_and_the_next_run_resumes(undisturbed, tmp_path):
    """A terminal sends the signal to all processes."""
    folder, first = undisturbed
    config, stopped = folder / "tiny.toml", tmp_path / "stopped"
    command = [*COMMAND, config, "--out", stopped, "--threads", 2]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with started(command, start_new_session=True, **pipes) as process:
        wait_until(lambda: n_processes(process.pid) >= 3, process)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate()
        wait_until(lambda: n_processes(process.pid) == 0)
    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in err
    assert not (stopped / "results.csv").exists()
    result = run(config, "--out", stopped)
    assert result.stderr.count("nothing has changed") == 4  # what had been trained
    assert result.stdout == first.stdout
    assert content(stopped) == content(folder / "tiny")


@pytest.mark.parametrize(
    ("old", "new", "options", "code", "facts"),
    [
        ('"msd"', '"msdd"', [], 2, "system 'LEX' … 'msdd'"),
        ("dev.target", "dev.targte", [], 1, "no such file … dev.target?"),
        (SYSTEMS, "", ["--preset", "xiang"], 2, "'xiang' needs trees"),
        ("", "", [], 1, "another run is working in this folder"),
    ],
)
def test_mistakes_are_found_before_the_work(config, tmp_path, old, new, options, code, facts):
    config.write_text(CONFIGURATION.replace(old, new))
    place = tmp_path / "o"
    with locked(place) if not old else nullcontext():
        command_line.refuses(facts, code, "compare", config, *options, "--out", place)
    assert not (place / "system").exists()
