"""A system is data: the code that it names is run only if the user says so."""

import json
import os
import sys

import pytest
import tomli_w

import hyperbaton
from hyperbaton.foundation.errors import SettingError
from hyperbaton.models.distortion.catalogue import make_model
from hyperbaton.models.system.folder import NAME, read_system
from tests import command_line
from tests.refusals import refused, states
from tests.tiny_systems import TWO_PAIRS, write_corpus

PLUG_IN = """
from pathlib import Path

from hyperbaton.models.distortion.linear import Linear

Path("imported").touch()


class Own(Linear):
    name = "own"
    feature_names = ("own",)
"""
DEV = "--source=source", "--reference=target"
REFUSED = "model.toml: … 'own_plug_in:Own' … if you trust it: --allow-plugins"


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs a command, inside this process, in a folder with a system that names a plug-in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    write_corpus(tmp_path, times=1, **TWO_PAIRS)
    (tmp_path / "own_plug_in.py").write_text(PLUG_IN)
    options = {"distortion": ["linear"], "lm": {"order": 3}, "phrases": {"max_length": 2}}
    hyperbaton.train(**{name: name for name in TWO_PAIRS}, out="model", **options)
    content = read_system(tmp_path / "model")
    content["distortion"].append({"name": "own_plug_in:Own", "settings": {}})
    content["weights"]["own"] = 0.3
    (tmp_path / "model" / NAME).write_text(tomli_w.dumps(content))

    def run_command(*arguments, **options):
        sys.modules.pop("own_plug_in", None)
        return command_line.run(*arguments, input="hon o katta\n", **options)

    return run_command


@pytest.mark.parametrize(
    "arguments",
    [
        ("translate", "model"),
        ("explain", "model", "hon o katta"),
        ("info", "model", "--format=json"),
        ("info", "model", "--learned=all"),
        ("study", "next-word", "model", *(f"--{name}={name}" for name in TWO_PAIRS)),
        ("tune", "model", *DEV, "--iterations=1", "--replicas=1"),
    ],
)
def test_plug_ins_of_a_system_need_the_users_word(run, tmp_path, arguments):
    assert states(run(*arguments, code=2).stderr, REFUSED)
    assert not (tmp_path / "imported").exists()
    # there is no such model in the system
    has_none = "--learned=all" in arguments or "next-word" in arguments
    allowed = run(*arguments, "--allow-plugins", code=int(has_none))
    assert ("the system has no" in allowed.stderr) == has_none
    assert (tmp_path / "imported").exists()
    if "--format=json" in arguments:
        assert json.loads(allowed.stdout)["distortion"][1]["features"] == ["own"]


def test_a_name_on_the_command_line_is_the_users_word(run, tmp_path):
    run("translate", "model", "--distortion", "linear")
    assert not (tmp_path / "imported").exists()
    run("translate", "model", "--distortion", "own_plug_in:Own")
    assert (tmp_path / "imported").exists()


def test_a_plug_in_elsewhere_is_found_as_the_error_advises(run, tmp_path):
    (tmp_path / "plug-ins").mkdir()
    (tmp_path / "own_plug_in.py").rename(tmp_path / "plug-ins" / "own_plug_in.py")
    failed = run("translate", "model", "--allow-plugins", code=2)
    assert failed.stderr.splitlines()[-1] == (
        "  start in the folder of own_plug_in.py, or name that folder: "
        "PYTHONPATH=FOLDER hyperbaton …"
    )
    path = f"{tmp_path / 'plug-ins'}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    run("translate", "model", "--allow-plugins", env=os.environ | {"PYTHONPATH": path})


def test_nothing_but_a_model_is_called(tmp_path):
    command = f"touch {tmp_path / 'called'}"
    refused("'os:system'", lambda: make_model("os:system", command=command), SettingError)
    assert not (tmp_path / "called").exists()
