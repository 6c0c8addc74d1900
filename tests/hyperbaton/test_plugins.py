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

FILES = {
    "s": "hon o katta\nkare wa hon o yonda\n",
    "t": "bought a book\nhe read a book\n",
    "a": "0-2 2-0\n0-0 2-3 4-1\n",
}
PLUG_IN = """
from pathlib import Path

from hyperbaton.models.distortion.linear import Linear

Path("imported").touch()


class Own(Linear):
    name = "own"
    feature_names = ("own",)
"""
REFUSED = """model.toml: the system names the plug-in 'own_plug_in:Own'
  code that is not part of hyperbaton is only run if you say so
  if you trust it: --allow-plugins
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs a command, inside this process, in a folder with a system that names a plug-in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "own_plug_in.py").write_text(PLUG_IN)
    options = {"distortion": ["linear"], "lm": {"order": 3}, "phrases": {"max_length": 2}}
    hyperbaton.train(source="s", target="t", alignment="a", out="model", **options)
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
        ("models", "model", "--json"),
        ("features", "model"),
        ("next-word", "model", "--source=s", "--target=t", "--alignment=a"),
        ("tune", "model", "--source=s", "--reference=t", "--iterations=1", "--replicas=1"),
    ],
)
def test_plug_ins_of_a_system_need_the_users_word(run, tmp_path, arguments):
    refused = run(*arguments)
    assert refused.returncode == 2
    assert refused.stderr.endswith(REFUSED)
    assert not (tmp_path / "imported").exists()
    allowed = run(*arguments, "--allow-plugins")
    if arguments[0] in ("features", "next-word"):  # there is no such model in the system
        assert (allowed.returncode, "the system has no" in allowed.stderr) == (1, True)
    else:
        assert allowed.returncode == 0, allowed.stderr
    assert (tmp_path / "imported").exists()
    if arguments[0] == "models":
        assert json.loads(allowed.stdout)["distortion"][1]["features"] == ["own"]


def test_a_name_on_the_command_line_is_the_users_word(run, tmp_path):
    assert run("translate", "model", "--distortion", "linear").returncode == 0
    assert not (tmp_path / "imported").exists()
    assert run("translate", "model", "--distortion", "own_plug_in:Own").returncode == 0
    assert (tmp_path / "imported").exists()


def test_a_plug_in_elsewhere_is_found_as_the_error_advises(run, tmp_path):
    (tmp_path / "plug-ins").mkdir()
    (tmp_path / "own_plug_in.py").rename(tmp_path / "plug-ins" / "own_plug_in.py")
    failed = run("translate", "model", "--allow-plugins")
    assert failed.returncode == 2
    assert failed.stderr.splitlines()[-1] == (
        "  start in the folder of own_plug_in.py, or name that folder: "
        "PYTHONPATH=FOLDER hyperbaton …"
    )
    path = f"{tmp_path / 'plug-ins'}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    found = run("translate", "model", "--allow-plugins", env=os.environ | {"PYTHONPATH": path})
    assert found.returncode == 0


def test_nothing_but_a_model_is_called(tmp_path):
    with pytest.raises(SettingError, match="'os:system' is not a distortion model"):
        make_model("os:system", command=f"touch {tmp_path / 'called'}")
    assert not (tmp_path / "called").exists()
